"""Contrasts of two texts, by hand."""

import polars as pl
import pytest

from truerate.config import Statistics
from truerate.metrics.paired import contrast_scores, contrasts
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
A, B = "induced-first", "reference-first"


def rows(named: dict[str, tuple[bool | None, bool | None]]) -> pl.DataFrame:
    """Of each hallucinated text whether it was named in order A and in order B; the other side says the rest."""
    given = [
        (side == name, name, f"g-{name}", order, answer if side == name or answer is None else not answer)
        for name, both in named.items()
        for order, answer in zip((A, B), both, strict=True)
        for side in (name, "reference")
    ]
    columns = ["is_hallucinated", "sample_id", "group_id", "order", "verdict"]
    return pl.DataFrame(given, schema=columns, orient="row")


# three texts in both orders: right twice, right where it stands first, never read
NAMED = {"s1": (True, True), "s2": (True, False), "s3": (None, None)}


def test_a_pair_may_be_named_by_its_hallucinated_side():
    result = contrasts(rows(NAMED), hallucinated_first=A, pair_id="sample_id")
    assert [item.accuracy for item in result] == [1, 0.5, 0]
    assert [item.named_first for item in result] == [[True, False], [True, True], [None, None]]


def test_scores_of_both_orders():
    result = contrasts(rows(NAMED), hallucinated_first=A, pair_id="sample_id")
    built = {row["metric"]: (row["value"], row["n"]) for row in contrast_scores("j", {}, result, WRITER)}
    assert built["accuracy"] == (3 / 6, 6)  # 2 + 1 + 0 of six choices
    assert built["accuracy_both_orders"] == (pytest.approx(1 / 3, abs=1e-6), 3)
    assert built["unparsed_rate"] == (pytest.approx(2 / 6, abs=1e-6), 6)
    assert built["first_position_rate"] == (3 / 4, 4)  # of four that were read the first text thrice


def test_no_pair_no_score():
    assert contrast_scores("j", {}, [], WRITER) == []
