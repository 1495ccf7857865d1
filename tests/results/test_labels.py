"""The labels behind a committed result: read with care, and held against the scores that are made of them."""

from pathlib import Path

import polars as pl
import pytest
from tiny_results import write_results

from truerate.core.errors import SourceError
from truerate.core.schemas import schema
from truerate.results.files import boards_of, load_result
from truerate.results.labels import LABELS, Label, label_differences, load_labels, save_labels
from truerate.results.recompute import check_results

RESULTS = Path(__file__).parents[2] / "results"


def label(unit, *, part="", gives=None, **more):
    """A label of the made-up result; with `gives` one that its made-up rate is made of."""
    row = {"board": "judged", "subject": "beta", "slice": [], "unit_id": unit, "cluster_id": unit}
    row |= {"part": part, "question": "q"}
    metric = None if gives is None else "made_up_rate"
    return row | {"rater": "", "label": "yes", "metric": metric, "where": "", "gives": gives} | more


def put(path, *rows):
    save_labels(pl.DataFrame(list(rows), schema=schema(Label)), path)
    return load_result(path), path


# the made-up result: beta has 1 on u0 and 0 on u1, u2, u3
AS_ROWS = [label("u0", gives=1.0), *(label(f"u{k}", gives=0.0) for k in (1, 2, 3))]


def test_labels_that_give_the_rows_differ_in_nothing(tmp_path):
    result, path = put(write_results(tmp_path), *AS_ROWS)
    labels = load_labels(path, result).filter(subject="beta")
    of_beta = result.model_copy(update={"rows": result.rows.filter(subject="beta")})
    assert list(label_differences(of_beta, labels)) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        # the mean of both parts is a half where the rows say 1
        (
            [label("u0", part="0", gives=1.0), label("u0", part="1", gives=0.0), *AS_ROWS[1:]],
            "1 units have another value than their labels give, as beta on u0: 1.0, labels 0.5",
        ),
        (AS_ROWS[:-1], "1 units have another value than their labels give, as beta on u3: 0.0, labels None"),
        ([*AS_ROWS, label("u9", gives=1.0)], "as beta on u9: None, labels 1.0"),
    ],
)
def test_a_value_that_labels_do_not_give_is_one_line(rows, message, tmp_path):
    result, path = put(write_results(tmp_path), *rows)
    of_beta = result.model_copy(update={"rows": result.rows.filter(subject="beta")})
    (line,) = label_differences(of_beta, load_labels(path, result))
    assert message in line


def test_the_check_of_results_says_so(tmp_path, capsys):
    put(write_results(tmp_path), *AS_ROWS)  # of four subjects the labels give one
    with pytest.raises(Exception, match="do not hold"):
        check_results(tmp_path)
    assert "made_up_rate: 12 units have another value than their labels give" in capsys.readouterr().out


def test_without_a_file_there_are_none(tmp_path):
    path = write_results(tmp_path)
    assert load_labels(path, load_result(path)) is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([label("u0", board="other")], "holds labels of board 'other'"),
        ([label("u0"), label("u0", label="no")], "holds a label twice"),
        ([label("u0", question="two\nlines")], "question 'two\\nlines' is none"),
        ([label("u0", slice=[{"key": "a", "value": "x\u202ey"}])], "is none"),
        ([label("u0", gives=float("inf"))], "holds a value that is no number"),
        (
            [label("u0", label="He was born in the Ruhr and moved to the coast at the age of five.")],
            "label holds a text",
        ),
        ([], "holds no label"),
    ],
)
def test_a_file_that_others_made_wrong_is_one_line(rows, message, tmp_path):
    result, path = put(write_results(tmp_path), *rows)
    with pytest.raises(SourceError) as error:
        load_labels(path, result)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_what_is_no_table_and_a_link_are_refused(tmp_path):
    path = write_results(tmp_path)
    result = load_result(path)
    (path / LABELS).write_bytes(b"PAR1")
    with pytest.raises(SourceError, match="is no table of labels"):
        load_labels(path, result)
    (path / LABELS).unlink()
    (path / LABELS).symlink_to("/etc/hostname")
    with pytest.raises(SourceError, match="is a link"):
        load_labels(path, result)


def test_committed_labels_are_small_and_give_the_scores_of_their_boards():
    """FActScore's facts give the scores of its 549 replies, EVOUNA's labels its rates, RefChecker's claims
    its scores.
    """
    with_labels = {}
    for board in boards_of(RESULTS):
        result = load_result(RESULTS / board)
        if (labels := load_labels(RESULTS / board, result)) is not None:
            assert list(label_differences(result, labels)) == []
            assert (RESULTS / board / LABELS).stat().st_size < 1_000_000
            with_labels[board] = labels
    scored = {
        (board, metric)
        for board, labels in with_labels.items()
        for metric in labels["metric"].drop_nulls().unique()
    }
    assert {
        ("factscore", "wildfactscore"),
        ("factscore", "responding_rate"),
        ("evouna", "hallucination_rate"),
    } <= scored
    facts = with_labels["factscore"].filter(question="fact")
    assert facts.filter(pl.col("label") != "in an irrelevant sentence").height == 16_040
