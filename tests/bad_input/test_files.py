"""Sources, labels, spans and stores that cannot be used."""

import json
import sqlite3
from pathlib import Path

import polars as pl
import pytest

from tests.bad_input.projects import BOARD, MFAVA, QA, published
from tests.cases import case_table
from truerate.cli import main

FILES = {
    "no row": (b"", "no row in it"),
    "not UTF-8": (b'{"question": "\xff"}\n', "row 1: not UTF-8 at byte 14"),
    "not JSON": (json.dumps(QA).encode() + b"\n{\n", "row 2: not JSON"),
    "a field is missing": (
        json.dumps({**QA, "right_answer": None}).encode(),
        "row 1: field 'right_answer' is missing",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_source_file_that_cannot_be_used(project, refused, name):
    content, said = FILES[name]
    folder = published(project)
    (folder / "qa_data.json").write_bytes(content)
    assert said in refused("import", "closed-world")
    assert not Path("data").exists()


def test_bad_rows_are_booked_where_params_say_so(project):
    folder = published(project, on_bad_row="reject")
    (folder / "qa_data.json").write_text(json.dumps(QA) + "\n{\n" + json.dumps({"question": "Q?"}))
    assert main(["import", "closed-world"]) == 0
    rejects = pl.read_parquet("data/sources/closed-world/rejects.parquet")
    assert rejects.select("row", "reason").rows() == [(2, "unparsable"), (3, "missing-field")]
    assert pl.read_parquet("data/sources/closed-world/samples.parquet").height == 2


def test_rights_that_are_no_text(project, refused):
    folder = published(project)
    (folder / "qa_data.json").write_text(json.dumps(QA))
    (folder / "source.json").write_text('{"licence": 4}')
    assert "source.json: 'licence' is 4" in refused("import", "closed-world")


# ---- labels ------------------------------------------------------------------------------------------------
LABELS = {
    "not JSON": (f"{BOARD}.jsonl", b"{\n", "row 1: the row is no JSON object"),
    "not UTF-8": (f"{BOARD}.jsonl", b"\xff\n", "not UTF-8 at byte 0"),
    "a folder": (f"{BOARD}.jsonl", None, "it is a folder; name a file"),
    "an unknown task": (
        f"{BOARD}.jsonl",
        b'{"task_id": "t", "annotator": "a", "hallucination": "no"}\n',
        "task_id 't' is not among",
    ),
    "an annotator is missing": (
        f"{BOARD}.jsonl",
        b'{"task_id": "t"}\n',
        "row 1: field 'annotator' is missing",
    ),
    "cells beyond the header": (
        f"{BOARD}.csv",
        b"task_id,annotator,hallucination\nt,a,no,,\n",
        "more cells than the header",
    ),
    "no annotation": (f"{BOARD}.json", b"[]", "it holds no label"),
    "no row at all": (f"{BOARD}.jsonl", b"\n\n", "it holds no label"),
    "a header alone": (f"{BOARD}.csv", b"task_id,annotator\n", "it holds no label"),
    "a cell without end": (f"{BOARD}.csv", b"task_id\n" + b"x" * 200_000, "not CSV"),
    "a board that is not": ("halueval.jsonl", b"{}\n", "no board reads it"),
}


@pytest.mark.parametrize("name", LABELS)
def test_a_label_file_that_cannot_be_used(built, refused, name):
    file, content, said = LABELS[name]
    path = Path("inputs/labels") / file
    path.parent.mkdir()
    path.mkdir() if content is None else path.write_bytes(content)
    line = refused("label", BOARD)
    assert said in line and file in line and not list(Path("data/labels").rglob("*.parquet"))


SPANS = case_table(__file__)["spans"]


@pytest.mark.parametrize("name", SPANS)
def test_spans_that_cannot_be_used(passage, refused, name):
    spans, said = SPANS[name]
    path = Path(f"inputs/labels/{MFAVA}.jsonl")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"task_id": passage, "annotator": "a", "spans": spans}))
    line = refused("label", MFAVA)
    assert said in line and path.name in line and "row 1" in line


def test_a_backbone_that_is_not_there(passage, project, refused):
    assert main(["label", MFAVA]) == 0
    away = {"weights": "no/such folder", "mask": "full"}
    project(
        lambda p: p["backbones"]["tiny-prefix"].update(away) or p["backbones"]["tiny-prefix"].pop("features")
    )
    line = refused("train", MFAVA)
    assert "backbone 'no/such folder'" in line and "name a Hub id or a folder" in line


# ---- the response store ------------------------------------------------------------------------------------
def test_stores_that_cannot_be_opened(project, refused, tmp_path, monkeypatch):
    newer, text = tmp_path / "newer.sqlite", tmp_path / "text.sqlite"
    with sqlite3.connect(newer) as link:
        link.execute("PRAGMA user_version = 9")
    text.write_text("no database at all, " * 200)
    for place, said in (
        (newer, "of format 9"),
        (text, "not a database"),
        (tmp_path, "response store"),
        (text / "x.sqlite", "response store"),
    ):
        monkeypatch.setenv("TRUERATE_STORE", str(place))
        line = refused("llm", "stats")
        assert said in line and str(place) in line
    assert text.read_text().startswith("no database at all")


def test_files_that_no_store_wrote(project, refused, tmp_path):
    assert main(["llm", "export", "kept.parquet"]) == 0
    kept = pl.read_parquet("kept.parquet")
    rows = {
        "no request": {"key": b"k", "request": None, "text": "t"},
        "another key": {"key": b"k", "request": b"{}", "text": "t"},
    }
    for row in rows.values():
        pl.DataFrame([row], schema=kept.schema).write_parquet("odd.parquet")
        assert "row 1: its key is not" in refused("llm", "import", "odd.parquet")
    Path("odd.parquet").write_text("PAR1")
    assert "importing 'odd.parquet'" in refused("llm", "import", "odd.parquet")
    assert "importing 'none.parquet'" in refused("llm", "import", "none.parquet")
    assert "no such reason; allowed: all," in refused("llm", "dead", "--retry", "NOPE")
    Path("folder").mkdir()
    refused("llm", "export", "folder")
    assert not list(Path().glob("*.tmp"))  # a write that failed leaves nothing
