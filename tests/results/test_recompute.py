"""What the rows of a committed result give, by hand."""

import pytest
from results_made import BOARD, card, outcomes

from truerate.core.metric import Metric
from truerate.core.schemas import Outcome, frame, pairs
from truerate.metrics.cells import mean_of_cells
from truerate.metrics.intervals import Interval
from truerate.results.files import MetricCard, facts_of
from truerate.results.recompute import recomputed

CORRELATION = Metric(
    "spearman", "Correlation", "mean over replies", "mushroom", "number", "up", interval="statistic"
)
# Two languages of unlike size: .2, .6 and .7 in Swedish, .8 and 1 in Finnish, whose mean over languages is
# .7. Over all an answer weighs 5 / (2 languages × those of its own).
VALUES = {"sv": {"a": 0.2, "b": 0.6, "c": 0.7}, "fi": {"d": 0.8, "e": 1.0}}


def test_all_languages_are_the_mean_of_each_and_so_is_the_interval():
    weighed = {name: value * 5 / (2 * len(of)) for of in VALUES.values() for name, value in of.items()}
    rows = [
        {
            "board": BOARD, "metric": "spearman", "subject": "rule", "slice": pairs(against="natural", lang=lang),
            "unit_id": name, "cluster_id": f"page-{name}", "value": value,
        }
        for lang, values in {**VALUES, "all": weighed}.items()
        for name, value in values.items()
    ]  # fmt: skip
    of_correlation = card(metrics=(MetricCard(**facts_of(CORRELATION)),))
    scores = {row["slice"]: row for row in recomputed(frame(Outcome, rows), of_correlation, {}).to_dicts()}
    each = [scores[f"against=natural;lang={lang}"] for lang in ("sv", "fi")]
    whole = scores["against=natural;lang=all"]
    assert [row["value"] for row in (*each, whole)] == pytest.approx([0.5, 0.9, 0.7])
    expected = mean_of_cells([Interval(row["value"], row["low"], row["high"]) for row in each])
    assert (whole["low"], whole["high"]) == pytest.approx((expected.low, expected.high), abs=2e-6)
    assert (whole["n"], whole["rank_low"], whole["rank_high"]) == (5, None, None)  # one alone


def test_a_share_whose_units_leave_its_bounds_has_the_interval_of_their_mean():
    rows = [row | {"value": row["value"] * 1.2} for row in outcomes().to_dicts()]  # linearised: 1.2 and 0
    aster, birch, _ = recomputed(frame(Outcome, rows), card(), {}).to_dicts()
    assert (aster["value"], birch["value"]) == pytest.approx((0.24, 0.36))
    for row in (aster, birch):
        assert 0 <= row["low"] < row["value"] < row["high"] <= 1
    assert birch["high"] > aster["high"]


def test_a_correlation_below_zero_has_an_interval_and_what_lies_beyond_has_none():
    rows = outcomes().to_dicts()
    of_correlation = card(metrics=(MetricCard(**facts_of(CORRELATION)),))
    below = [row | {"metric": "spearman", "value": row["value"] - 0.5} for row in rows]
    (aster, *_) = recomputed(frame(Outcome, below), of_correlation, {}).to_dicts()
    assert aster["value"] == pytest.approx(-0.3) and -1 <= aster["low"] < -0.3 < aster["high"]
    beyond = [row | {"metric": "spearman", "value": row["value"] * 3} for row in rows]
    (aster, *_) = recomputed(frame(Outcome, beyond), of_correlation, {}).to_dicts()
    assert (aster["value"], aster["low"], aster["high"]) == (pytest.approx(0.6), None, None)
