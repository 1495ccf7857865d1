"""Published pairs judged in the authors' words and in ours by a model on loopback: every number again from the rows."""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from tests.stub import Stub, serving
from tests.toy_clone import toy_clone
from truerate.config import Params, Source, load_params
from truerate.config.layout import Layout
from truerate.core.keys import draw
from truerate.core.schemas import pair
from truerate.llm.clones import import_prompts
from truerate.metrics.score_writer import ScoreWriter
from truerate.sources.reading import read_source
from truerate.tracks.halueval import steps
from truerate.tracks.halueval.protocol import setting_faults
from truerate.tracks.halueval.scores import score_recognition, score_wording

ROOT, BOARD = Path(__file__).parents[3], "halueval-closed-world"
ORIGINALS = Path(os.environ.get("TRUERATE_ORIGINALS") or ROOT / ".." / "shared" / "data_original")
CLONE = ORIGINALS / "RUCAIBox__HaluEval"
QA = "generation/qa/qa_one-turn_data.json"


class Judge(Stub):
    """Says Yes or No by its prompt alone, and notes what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[dict]] = []

    def completion(self, text: object, **more: object) -> bytes:
        self.asked.append(self.last["messages"])
        return super().completion("Yes" if draw(str(text)) < 0.5 else "No", **more)


def lay_out(folder: Path, qa: list[str]) -> None:
    """Write published files: these lines of QA, and dialogues and summaries in words of our own."""
    folder.mkdir()
    (folder / "qa_data.json").write_text("\n".join(qa), "utf-8")
    towns = ("Varn", "Oster", "Lund", "Kelm", "Mora")
    dialogues = [
        {"knowledge": f"{town} has a fair.", "dialogue_history": f"[Human]: Hello! [Assistant]: Hi. [Human]: What has {town}? ",
         "right_response": f"{town} has a fair.", "hallucinated_response": f"{town} has a port."}
        for town in towns
    ]  # fmt: skip
    stories = [
        {"document": f"{town} held a fair in May.", "right_summary": f"A fair in {town}.", "hallucinated_summary": f"A war in {town}."}
        for town in towns
    ]  # fmt: skip
    for name, rows in (("dialogue", dialogues), ("summarization", stories)):
        (folder / f"{name}_data.json").write_text("\n".join(map(json.dumps, rows)), "utf-8")


@pytest.fixture
def at(tmp_path, monkeypatch):
    """Settings of a board that asks in both wordings, with the prompts of a toy clone."""
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    monkeypatch.chdir(ROOT)
    import_prompts(toy_clone(tmp_path / "clone"), str(tmp_path / "prompts"))

    def make(address: str = "http://127.0.0.1:9/v1", **llm) -> Layout:
        values = load_params("params.yaml").model_dump(exclude_unset=True)
        values["endpoints"]["world"] = {"base_url": address}
        values["llm"] |= {"prompts_dir": str(tmp_path / "prompts"), "backoff_s": (0.0, 0.0)} | llm
        values["sizes"]["demo"]["halueval"] |= {"qa": 20, "dialogue": 5, "summarization": 5}
        values |= {"profile": "demo", "n_shards": 1}
        nobody = dict.fromkeys(("dataset_generator", "filter_judge", "responder", "refinement_judge"))
        changes = {
            "variants": ("plain", "authors"),
            "subjects": ("aster",),
            "refinement": False,
            "generators": (),
        }
        values["tracks"]["halueval"] |= nobody | changes | {"tasks": ("qa", "dialogue", "summarization")}
        return Layout(Params.model_validate(values)).on(BOARD)

    return make


def qa_lines() -> list[str]:
    """Rows of the clone's own QA file, where there is one, else of that form."""
    if (CLONE / QA).is_file():
        return (CLONE / QA).read_text("utf-8").splitlines()[:20]
    fields = ("knowledge", "question", "right_answer", "hallucinated_answer")
    rows = [(f"Town {k} has a tower.", f"What has town {k}?", "A tower", f"{k} mills") for k in range(20)]
    return [json.dumps(dict(zip(fields, row, strict=True))) for row in rows]


def test_published_pairs_are_asked_in_both_wordings_and_the_difference_is_of_the_rows(at, tmp_path):
    lay_out(tmp_path / "published", qa_lines())
    tables = read_source(
        "published",
        Source(reader="halueval", path=str(tmp_path / "published")),
        tmp_path / "published",
        "stop",
    )
    stub = Judge()
    with serving(stub) as address:
        config = at(address)
        rows, beside = steps.recognise(config, BOARD, "aster", tables, 0, {})
    judgements = beside["judgements"]
    assert judgements.height == 2 * (40 + 10 + 10) and rows["status"].unique().to_list() == ["ok"]
    theirs = [messages for messages in stub.asked if "material to work on" not in messages[0]["content"]]
    assert (
        len(theirs) == 60
        and sum(messages[0]["content"].startswith("Judge the answer.") for messages in theirs) == 40
    )
    assert any(
        "\n#Dialogue History#: [Human]: Hello! [Assistant]: Hi. [Human]: What has Varn?\n"
        in messages[-1]["content"]
        for messages in theirs
    )

    writer = ScoreWriter(BOARD, "digest", config.p.statistics, 7)
    scores, _ = score_recognition(tables.samples, judgements, writer)
    scores = pl.concat([scores, score_wording(tables.samples, judgements, writer)])
    values = {
        (row["metric"], *(part["value"] for part in row["slice"] if part["key"] in ("task", "variant"))): row[
            "value"
        ]
        for row in scores.to_dicts()
    }
    # by hand: a label and two verdicts per text
    labels = dict(tables.samples.select("sample_id", "is_hallucinated").rows())
    task_of = dict(tables.samples.select("sample_id", "task").rows())
    verdicts = {(row["variant"], row["target_id"]): row["verdict"]
                for row in judgements.with_columns(variant=pair("attributes", "variant")).to_dicts()}  # fmt: skip
    for task in ("qa", "dialogue", "summarization"):
        texts = [name for name in labels if task_of[name] == task]
        accuracy = {
            variant: sum(verdicts[variant, name] == labels[name] for name in texts) / len(texts)
            for variant in ("plain", "authors")
        }
        changed = sum(verdicts["plain", name] != verdicts["authors", name] for name in texts) / len(texts)
        for variant, value in accuracy.items():
            assert values["accuracy", task, variant] == pytest.approx(value, abs=1e-6)
        assert values["wording_difference", task] == pytest.approx(
            accuracy["authors"] - accuracy["plain"], abs=1e-6
        )
        assert values["wording_changed_rate", task] == pytest.approx(changed, abs=1e-6)


def test_the_authors_words_must_be_there_for_a_task(at):
    assert list(setting_faults(at(), BOARD)) == []
    (line,) = setting_faults(at(prompts_dir=None), BOARD)
    assert line.startswith(
        "tracks.halueval.variants: 'authors' asks by the authors' words, and llm.prompts_dir (None) has none for qa"
    )
