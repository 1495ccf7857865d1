"""What a board's page says of who labelled its replies."""

from types import SimpleNamespace

import polars as pl
import pytest

from truerate.site.registry import labelled_by, n_replies, own_family

JUDGED = {"labelled_by": "a model (j)", "judge": "j"}


def board(card, n=0):
    return SimpleNamespace(source_card=card, samples=pl.DataFrame({"x": [0] * n}))


def row(table, metric, subject, value, n=10):
    return {"table": table, "metric": metric, "subject": subject, "value": value, "n": n, "slice": {}}


OWN = [row("rates", "own_judge_rate", "a", 1.0), row("rates", "own_judge_rate", "b", 0.0)]


def test_systems_of_the_judges_maker_are_flagged():
    assert own_family(OWN, board(JUDGED)) == {"a": "same maker as its judge (j)"}
    assert labelled_by(OWN, board(JUDGED)) == {
        "by": "a model (j)",
        "judge": "j",
        "is_checked": False,
        "n_own": 1,
    }


def test_a_judge_is_checked_where_a_verdict_of_it_stands_beside_a_label():
    assert labelled_by([row("detectors", "tpr", "j", 0.5)], board(JUDGED))["is_checked"]
    assert not labelled_by([row("detectors", "tpr", "other", 0.5)], board(JUDGED))["is_checked"]


def test_people_are_no_judge():
    found = labelled_by([], board({"labelled_by": "people"}))
    assert (found["by"], found["judge"], found["n_own"]) == ("people", None, 0)


@pytest.mark.parametrize(("n", "expected"), [(0, [("Replies", 30, "40 % hallucinated")]), (5, [])])
def test_replies_are_counted_where_their_texts_may_not_be_shown(n, expected):
    # 10 replies with 20 %, 20 with 50 %: 12 of 30
    rows = [row("rates", "hallucination_rate", "a", 0.2), row("rates", "hallucination_rate", "b", 0.5, 20)]
    assert n_replies(rows, board(JUDGED, n)) == expected
