"""The two stages on a board of the track: label files and planted scores, from the tables that the data set
step leaves.
"""

import json
from pathlib import Path

import pytest
import yaml

from tests.rows import generation
from truerate.config.layout import Layout
from truerate.core.schemas import Generation, Score, frame, load, pairs, save
from truerate_world import steps
from truerate_world.mfava.models import realiser

from .asking import wild


@pytest.fixture
def at(tmp_path, monkeypatch, table):
    """A board with two replies and a task for each."""
    params = yaml.safe_load((Path(__file__).parents[3] / "params.yaml").read_text("utf-8"))
    params["boards"] = {"b": {"track": "mfava", "source": "closed-world-wiki"}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    monkeypatch.chdir(tmp_path)
    at = Layout.load()
    made = []
    for code in ("de", "ar"):
        subject = table.of("articles")[1]
        text = wild(
            "sim-elm", realiser.question(table, code, subject, next(iter(table.entities[subject].facts)))
        ).text
        known = {"prompt_key": code, "attributes": pairs(lang=code, task="wild")}
        made.append(generation(code, code, "answer", "elm", text, **known))
    save(Generation, frame(Generation, made), at.dataset("b", "generations"))
    known = {"kind": "natural", "spans": [], "annotators": ["annotator-1", "annotator-2"]}
    known |= {"rate_plausibility": False}
    tasks = [
        {"task_id": row["generation_id"], "lang": row["generation_id"], "text": row["text"]} | known
        for row in made
    ]
    Path(at.dataset("b", "tasks.jsonl")).write_text(
        "".join(json.dumps(task) + "\n" for task in tasks), "utf-8"
    )
    return at


def test_people_label_and_the_truth_is_told(at):
    steps.annotate_board(at, "b")
    rows = [json.loads(line) for line in Path(at.annotations("b")).read_text("utf-8").splitlines()]
    assert [(row["task_id"], row["annotator"]) for row in rows] == [
        (code, f"annotator-{n}") for code in ("ar", "de") for n in (1, 2)
    ]
    steps.save_truth(at, "b")
    scores = load(Score, at.truth("b"))
    rates = scores.filter(metric="hallucination_rate")
    assert set(rates["subject"]) == {"elm"} and set(rates["method"]) == {"planted"} and rates.height == 6
