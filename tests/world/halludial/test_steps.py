"""The two stages on a board of the track: label files and planted scores, from the tables that the data set
step leaves.
"""

import json
from pathlib import Path

import pytest
import yaml

from truerate.config.layout import Layout
from truerate.core.schemas import Document, Generation, Item, Judgement, Sample, Score, frame, load, save
from truerate_world import steps

from .test_truth import items, response, rows_of, wrong

ROOT = Path(__file__).parents[3]


@pytest.fixture
def at(tmp_path, monkeypatch):
    """A board with the responses of one dialogue, all of them false, and a task for each."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["boards"] = {"b": {"track": "halludial", "source": "closed-world-dialogues"}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    monkeypatch.chdir(tmp_path)
    at, rows = Layout.load(), rows_of({3})
    tables = dict(zip((Item, Document), items(rows), strict=True))
    for model, name in ((Item, "items"), (Document, "documents")):
        save(model, tables[model], at.source("closed-world-dialogues", name))
    told = frame(Generation, [response(row, wrong(row)) for row in rows])
    save(Generation, told, at.dataset("b", "generations"))
    save(Judgement, frame(Judgement), at.dataset("b", "judgements"))
    save(Sample, frame(Sample), at.labels("b", "samples"))
    tasks = [
        {
            "task_id": name,
            "kind": "natural",
            "knowledge": row["knowledge"],
            "conversation": "\n".join(row["history"]),
            "response": text,
            "annotators": ["annotator-1", "annotator-2"],
        }
        for row, (name, text) in zip(rows, told.select("generation_id", "text").iter_rows(), strict=True)
    ]
    lines = "".join(json.dumps(task) + "\n" for task in tasks)
    Path(at.dataset("b", "tasks.jsonl")).write_text(lines, "utf-8")
    return at


def test_people_label_and_the_truth_is_told(at):
    steps.annotate_board(at, "b")
    rows = [json.loads(line) for line in Path(at.annotations("b")).read_text("utf-8").splitlines()]
    assert rows and {row["annotator"] for row in rows} == {"annotator-1", "annotator-2"}
    assert any(row["spans"] for row in rows)
    steps.save_truth(at, "b")
    rates = load(Score, at.truth("b")).filter(metric="hallucination_rate")
    assert rates["value"].to_list() == [1.0] * rates.height and rates.height == 3
    assert set(rates["subject"]) == {"elm"} and set(rates["method"]) == {"planted"}
