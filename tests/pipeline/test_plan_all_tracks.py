"""One settings file with boards of every track on sources of every kind is planned: no part of a track is presumed."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from committed import with_sources

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.config.track_blocks import track_names
from truerate.pipeline.checks.unasked import of_plan
from truerate.pipeline.planning.gpu_plan import gpu_plan
from truerate.pipeline.planning.plan import call_notes, label_notes, labels, plan
from truerate.pipeline.sources import import_source
from truerate.pipeline.tracks import protocol_of

QA = {
    "knowledge": "The harbour of Karlomi was built in 1412.",
    "question": "When was it built?",
    "right_answer": "In 1412.",
    "hallucinated_answer": "In 1912.",
}
SOURCE_INFO = {"source_id": "0", "task_type": "QA", "source": "mine"}
SOURCE_INFO |= {"source_info": {"question": QA["question"], "passages": QA["knowledge"]}}
RESPONSE = {"id": "0", "source_id": "0", "model": "m1", "split": "test", "quality": "good"}
RESPONSE |= {"response": "It was built in 1412.", "labels": []}


def lines(folder: Path, name: str, *rows: dict) -> None:
    """A file of JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    """The committed boards, one of published replies and one of published pairs; every source is imported."""
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    values = with_sources(tmp_path, monkeypatch).p.model_dump()
    shutil.rmtree("data")
    lines(Path("inputs/replies"), "source_info.jsonl", SOURCE_INFO)
    lines(Path("inputs/replies"), "response.jsonl", RESPONSE)
    lines(Path("inputs/pairs"), "qa_data.json", QA)
    values["sources"] |= {
        "replies": {"reader": "ragtruth", "path": "inputs/replies"},
        "pairs": {"reader": "halueval", "path": "inputs/pairs", "is_simulated": True},
    }
    values["boards"] |= {
        "replies": {"track": "labelled_replies", "source": "replies"},
        "pairs": {"track": "halueval", "source": "pairs"},
    }
    values["sizes"]["demo"]["halueval"] = dict.fromkeys(values["sizes"]["demo"]["halueval"], 4)
    values["sizes"]["demo"]["halludial"] |= {"dialogues": 4, "tempered": 2, "located": 4, "compared": 2}
    values["sizes"]["demo"]["wildhallucinations"] |= {"chats": 12, "entities": 4}
    values["sizes"]["demo"]["mfava"] |= {"train": 12, "held_out": 6, "silver": 4, "articles": 2}
    values["tracks"]["mfava"]["languages"] = values["sources"]["closed-world-wiki"]["languages"] = (
        "en",
        "de",
    )
    layout = Layout(Params.model_validate(values))
    for name in layout.p.sources:
        import_source(layout, name)
    return layout


def test_every_track_is_planned(at):
    assert {at.p.board(name).track for name in at.p.boards} == set(track_names())
    planned = plan(at, None)
    named = {line.split("'")[1] for line in of_plan(at, at.p.boards, planned)}
    assert named == {"pairs"}  # whose generators and responder have nothing to write
    assert set(planned["board"]) == set(at.p.boards) - {"replies"} and planned["n_calls"].sum() > 0
    assert gpu_plan(at, None).is_empty() and not labels(at, None).is_empty() and label_notes(at, None) == []
    assert "upper bounds" in call_notes(at, planned)[0] and not call_notes(at, planned.head(0))
    assert plan(at, "replies").is_empty()  # its replies are published, and nobody is asked


def calls(config: Layout, **settings) -> dict[str, int]:
    """The calls of each step of the board on published pairs, with settings of its own."""
    values = config.p.model_dump()
    values["boards"]["pairs"]["settings"] = settings
    found = plan(Layout(Params.model_validate(values)), "pairs")
    return dict(found.group_by("step").agg(pl.col("n_calls").sum()).filter(pl.col("n_calls") > 0).rows())


def test_published_pairs_are_written_by_nobody_unless_the_board_says_so(at):
    assert set(calls(at, refinement=False)) == {"recognise"}
    written = calls(at, refinement=False, texts="generated")
    assert {"sample", "filter", "recognise"} == set(written)
    # the published pair is left out, so that as many texts are judged: a right answer stands once
    assert written["recognise"] == calls(at, refinement=False)["recognise"]


def test_what_a_track_does_not_say_has_a_default(at):
    said = protocol_of(at, "replies")
    assert (said.assumed, said.stand_ins, said.first_drawn) == (None, {}, ())
    assert [
        *said.services(at, "replies", {}),
        *said.label_precision(at, "replies"),
        *said.label_notes(at, "replies"),
    ] == []
