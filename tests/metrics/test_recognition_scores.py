"""Score rows of recognition, and of who never answered."""

import polars as pl
import pytest

from truerate.config import Statistics
from truerate.core.schemas import Outcome, pairs, validate
from truerate.metrics.recognition import is_right, pattern_ratios, recognition_scores, settled
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


def rows(given: list[tuple[bool, bool | None]], status: str = "ok") -> pl.DataFrame:
    """Units of groups of two, of kinds a and b in turn."""
    columns = {"is_hallucinated": pl.Boolean, "verdict": pl.Boolean}
    return pl.DataFrame(given, schema=columns, orient="row").with_columns(
        group_id=pl.Series([f"g{index // 2}" for index in range(len(given))], dtype=pl.String),
        kind=pl.Series(["ab"[index % 2] for index in range(len(given))], dtype=pl.String),
        status=pl.lit(status),
    )


# hallucinated: found, missed, found, unread; right: passed, flagged
TOLD = [(True, True), (True, False), (True, True), (True, None), (False, False), (False, True)]


def test_rows_by_hand():
    built = {row["metric"]: row["value"] for row in recognition_scores("j", {}, rows(TOLD), WRITER)}
    assert built["accuracy"] == 3 / 6 and built["accuracy_parsed"] == 3 / 5
    assert built["tpr"] == pytest.approx(2 / 3, abs=1e-6) and built["recall"] == 2 / 4
    # F1 2·2 / (4 + 3), of the right ones 2·1 / (2 + 2)
    assert built["macro_f1"] == pytest.approx((4 / 7 + 2 / 4) / 2, abs=1e-6)


def test_rates_by_the_values_of_any_column():
    result = {}
    for name, where, top, bottom in pattern_ratios(rows(TOLD), {}, "kind"):
        result[name, where["kind"]] = top.sum() / bottom.sum()
    # kind a: both found; kind b: one missed, one unread
    assert result == {("tpr", "a"): 1, ("failure_rate", "a"): 0, ("tpr", "b"): 0, ("failure_rate", "b"): 1}


def test_unread_is_not_right():
    assert is_right(rows(TOLD)).tolist() == [True, False, True, False, True, False]


def test_dead_letters_alone_have_no_value():
    dead = rows([(True, None)] * 3, "dead")
    units = pl.DataFrame({"subject": ["j"], "unit_id": ["u"], "cluster_id": ["g"], "value": [0.0]})
    given = WRITER.outcomes("accuracy", {"task": "qa"}, units)
    validate(Outcome, given, where="outcomes")
    assert given.rows() == [("board", "accuracy", "j", pairs(task="qa"), "u", "g", 0.0)]
    assert WRITER.outcomes("accuracy", {}, units.clear()).height == 0
    built, outcomes = settled("j", {}, dead, recognition_scores("j", {}, dead, WRITER), given, WRITER)
    assert {row["value"] for row in built[:-1]} == {None} and outcomes["value"].to_list() == [None]
    assert (built[-1]["metric"], built[-1]["value"]) == ("no_answers", 3)
