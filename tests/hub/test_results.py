"""The results on a card: the rows of the slice that leads, what was planted beside, nothing of other metrics."""

from dataclasses import replace

import polars as pl
import pytest

from truerate.core.schemas import Row, frame, pairs
from truerate.hub.card import N_ROWS, result_rows

from . import small_board as small


def line(subject, value, *, kind="model", metric=None, rank=(1, 2), **keys) -> dict:
    low, high = rank or (None, None)
    return {
        "board": "little-board", "table": "t", "subject": subject, "kind": kind, "metric": metric or METRIC,
        "slice": pairs(**keys), "rank_low": low, "rank_high": high, "is_leading": None,
        "value": value, "low": None, "high": None,
        "n": 10, "provenance": "p",
    }  # fmt: skip


RANKED = small.facts().track.ranks
METRIC, LEADS = RANKED.metric, dict(RANKED.slice)


def results_of(*rows) -> dict | None:
    return result_rows(replace(small.facts(), rows=frame(Row, list(rows))))


def test_models_come_first_by_rank_and_each_has_what_was_planted_in_it():
    results = results_of(
        line("b", 0.5, rank=(2, 2), **LEADS),
        line("rule", 0.9, kind="baseline", **LEADS),
        line("a", 0.25, rank=(1, 1), **LEADS),
        line("a", 0.3, kind="planted", rank=None),
        line("c", None, **LEADS),
    )
    assert [(row["subject"], row["figure"], row["rank"], row["planted"]) for row in results["rows"]] == [
        ("a", "0.250", "1", "0.300"),
        ("b", "0.500", "2", None),
        ("rule", "0.900", "1 to 2", None),
    ]
    assert results["is_planted"] and results["n_more"] == 0


def test_where_a_track_ranks_by_task_each_task_is_there():
    results = results_of(line("a", 0.5, task="qa", **LEADS), line("a", 0.25, task="dialogue", **LEADS))
    assert [row["where"] for row in results["rows"]] == ["dialogue", "qa"]
    beside = results_of(line("a", 0.5, **LEADS), line("a", 0.25, task="dialogue", **LEADS))
    assert [row["where"] for row in beside["rows"]] == [
        None
    ]  # the whole is there: parts are left to the table


@pytest.mark.parametrize("rows", [[], [("a", None)]])
def test_nothing_measured_is_no_section(rows):
    assert results_of(*(line(*row, **LEADS) for row in rows)) is None
    assert result_rows(replace(small.facts(), rows=pl.DataFrame())) is None


def test_a_long_board_says_how_many_are_left_out():
    results = results_of(*(line(f"m{index:03}", 0.5, **LEADS) for index in range(N_ROWS + 3)))
    assert len(results["rows"]) == N_ROWS and results["n_more"] == 3
