"""The texts of a committed board in the sample browser, and what opens from its numbers."""

import json
from pathlib import Path
from urllib.parse import parse_qs

import polars as pl
import pytest
from opened_scripts import values_of
from tiny_results import ATTACK, HOSTILE, write_results, write_texts
from tiny_site import site_of

from truerate.results.read import read_board, real_boards

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_texts(write_results(folder))
    write_results(folder, "bare")
    return folder


@pytest.fixture(scope="module")
def board(folder):
    return read_board(folder / "judged")


@pytest.fixture(scope="module")
def pages(folder):
    return site_of(real=real_boards(folder))


def score(board, subject, where=""):
    pairs = tuple(tuple(part.split("=")) for part in where.split(";") if part)
    return next(one for one in board.scores if (one.subject, one.slice) == (subject, pairs))


def test_a_record_has_the_text_with_its_spans_labels_raters_and_licence(board):
    records, index = board.records
    first = records[0]
    assert [record["id"] for record in records] == ["beta/u0", f"{HOSTILE}/u2", "alpha/u1"]
    assert first["text"][0] == ["Built", [[0, "invented", 0], [1, "invented", 0]]]
    assert first["layers"] == ["gold", "w1"] and first["said"] == [["w1", True, None], ["w2", False, None]]
    assert first["page"][2] == "MIT" and index["place"]["licence"] == "CC BY 4.0"
    assert records[1]["parts"] == [[ATTACK, "no", True], ["The tower is tall.", "yes", False]]
    assert index["judges"] == {"w1": "r--", "w2": "w--"}


def test_the_index_filters_by_writer_reason_and_label(board):
    columns = board.records[1]["columns"]
    assert [words for _, words in columns["drawn"]["values"]] == [
        "Drawn at random",
        "Among the worst of its writer",
    ]
    assert {value for value, _ in columns["generator"]["values"]} == {"alpha", "beta", HOSTILE}


def test_its_scripts_hold_the_texts_and_no_page_does(pages):
    path = "samples/judged/0.js"
    shard = values_of([(path, pages[path])])[path]
    assert shard[0]["question"] == ATTACK
    assert "window.__xss" not in pages["samples/judged/0.js"] and "samples/bare/index.js" not in pages
    assert "<script>window" not in pages["samples.md"]
    assert 'data-boards="judged' in pages["samples.md"]


def test_a_number_leads_to_its_rows_its_texts_and_its_origin(board):
    beta = score(board, "beta")
    assert board.address(beta) == "real/judged.html#subject=beta"
    assert parse_qs(board.reading(beta)) == {"generator": ["beta"]}
    assert board.reading(score(board, "gamma")) == ""  # of whose texts none is here
    assert board.address(score(board, "beta", "task=qa")) == "real/judged.html#subject=beta&slice=task%3Dqa"
    assert dict(json.loads(board.facts))["Set"] == "Set · MIT"


def test_of_a_detector_the_verdicts_are_those_of_its_rows():
    board = read_board(RESULTS / "halueval-published")
    records, _ = board.records
    rows = board.rows.filter(subject="overlap", slice="").select("unit_id", "value")
    values = dict(rows.iter_rows())
    for record in records:
        says = next(verdict for who, verdict, _ in record["said"] if who == "overlap")
        assert (says == record["wrong"]) == (values[record["id"].partition("/")[2]] == 1)
    assert parse_qs(board.reading(board.ranked[0])) == {"judge": [board.ranked[0].subject]}


def test_of_a_judge_the_verdicts_are_those_of_its_slice():
    board = read_board(RESULTS / "evouna")
    rows = board.rows.filter(slice="judge=word-match")
    values = {
        (subject, unit): value
        for subject, unit, value in rows.select("subject", "unit_id", "value").iter_rows()
    }
    for record in board.records[0]:
        (said,) = [verdict for who, verdict, _ in record["said"] if who == "word-match"]
        assert said == (values[record["by"], record["id"].partition("/")[2]] == 1)


def test_texts_of_a_joined_source_are_attributed_to_the_set_that_they_are_of():
    place = read_board(RESULTS / "mushroom").records[1]["place"]
    assert place["title"] == "Mu-SHROOM" and "Lauscher" not in place["citation"]
    assert "not stated" not in place["licence"]


@pytest.mark.parametrize("board", ["begin", "xsum-hallucinations", "refchecker-zero-context"])
def test_every_record_of_a_committed_board_has_its_licence_and_a_row(board):
    shown = read_board(RESULTS / board)
    records, index = shown.records
    units = set(shown.rows["unit_id"])
    assert index["n"] == len(records) > 100
    assert {record["id"].partition("/")[2] for record in records} <= units
    assert index["place"]["licence"].startswith("CC BY 4.0")
    assert isinstance(shown.texts, pl.DataFrame)
