"""The texts beside a committed result: read with care, and held against the rows that they are of."""

from pathlib import Path

import pytest
from tiny_results import text_row, write_results

from truerate.core.errors import SourceError
from truerate.core.rights import is_open
from truerate.core.schemas import frame
from truerate.results.files import boards_of, load_result
from truerate.results.recompute import check_results
from truerate.results.texts.table import LONGEST, TEXTS, Text, load_texts, save_texts, text_differences

RESULTS = Path(__file__).parents[3] / "results"
SPAN = {"start": 0, "end": 4, "type": "", "p": None}


def put(path, *rows):
    save_texts(frame(Text, list(rows)), path)
    return load_result(path), path


def test_texts_come_back_as_they_were_written(tmp_path):
    result, path = put(write_results(tmp_path), text_row("beta", "u0"), text_row("alpha", "u1", wrong=False))
    texts = load_texts(path, result)
    assert texts.select("subject", "unit_id").rows() == [("beta", "u0"), ("alpha", "u1")]
    assert list(text_differences(result, None, texts)) == []


def test_without_texts_there_is_no_file(tmp_path):
    result, path = put(write_results(tmp_path), text_row("beta", "u0"))
    save_texts(frame(Text), path)
    assert not (path / TEXTS).exists() and load_texts(path, result) is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([text_row("beta", "u0", board="other")], "holds texts of board 'other'"),
        ([text_row("beta", "u0"), text_row("beta", "u0")], "holds a text twice"),
        (
            [text_row("beta", "u0", licence="not stated")],
            "the licence 'not stated' does not let texts be passed on",
        ),
        ([text_row("beta", "u0", licence="CC BY-NC-ND 4.0")], "does not let texts be passed on"),
        ([text_row("beta", "u0", reference_licence="copyright")], "the licence 'copyright' does not let"),
        ([text_row("beta", "u0", text="x" * (LONGEST + 1))], f"a text is longer than {LONGEST} characters"),
        ([text_row("beta", "u0", text="no", spans=[SPAN])], "span 0–4 of 'beta' on 'u0' is not in its text"),
        ([text_row("be\u202eta", "u0")], "is none"),
    ],
)
def test_a_file_that_breaks_the_format_is_one_line(rows, message, tmp_path):
    result, path = put(write_results(tmp_path), *rows)
    with pytest.raises(SourceError, match=r"^result 'judged': texts\.parquet") as error:
        load_texts(path, result)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_the_check_of_results_names_texts_that_no_row_holds(tmp_path, capsys):
    put(write_results(tmp_path), text_row("beta", "u9"), text_row("beta", "u1"))  # beta is right on u1
    with pytest.raises(Exception, match="do not hold"):
        check_results(tmp_path)
    said = capsys.readouterr().out
    assert "judged: 1 texts of which there is no row: beta on u9" in said
    assert "judged: 1 texts whose label is not that of their row: beta on u1" in said


@pytest.mark.parametrize("board", boards_of(RESULTS))
def test_committed_texts_are_of_open_sets_and_of_committed_rows(board):
    result = load_result(RESULTS / board)
    texts = load_texts(RESULTS / board, result)
    if texts is None:
        return
    assert all(is_open(licence) for licence in texts["licence"].unique())
    assert board in (RESULTS / "NOTICES.md").read_text("utf-8").replace("refchecker-…", board)


@pytest.mark.parametrize("board", ["faithjudge", "faithbench", "ragtruth", "mfava-published"])
def test_no_text_of_a_closed_set_is_committed(board):
    assert not (RESULTS / board / TEXTS).exists()
