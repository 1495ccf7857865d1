"""Cells against the one-cell formulas of `metrics.intervals`, and by hand."""

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit

from truerate.metrics.cells import mean_of, mean_of_cells, mean_of_defined, moments, ratio_cells, spread
from truerate.metrics.intervals import Interval, cluster_sums, wilson_clustered


def given(rows, ratios, by=("s",), cluster=("s", "c"), **more):
    return ratio_cells(
        moments(rows, ratios, by=list(by), cluster=list(cluster)),
        list(ratios),
        by=["s"],
        confidence=0.95,
        **more,
    )


def drawn(n=400, seed=3):
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, 60, n)
    hit = rng.random(n) < np.linspace(0.5, 0.95, 60)[cluster]
    return pl.DataFrame({"s": "m", "c": cluster.astype(str), "hit": hit})


def test_a_share_is_the_clustered_wilson_interval():
    rows = drawn()
    result = given(rows, {"share": mean_of("hit")}).row(0, named=True)
    sums = cluster_sums(rows["c"].to_list(), np.stack([rows["hit"].to_numpy(), np.ones(len(rows))], axis=1))
    expected = wilson_clustered(sums[:, 0], sums[:, 1], confidence=0.95)
    assert (result["value"], result["low"], result["high"]) == pytest.approx(tuple(expected), abs=1e-12)
    assert result["n"] == 400 and result["n_clusters"] == 60


def test_finer_cells_add_up_to_the_same():
    rows = drawn().with_columns(d=pl.col("c").cast(pl.Int64) % 3)
    ratios = {"share": mean_of("hit")}
    fine = given(rows, ratios, by=("s", "d")).drop("n_clusters")
    assert fine.rows()[0][2:] == pytest.approx(
        given(rows, ratios).drop("n_clusters").rows()[0][2:], abs=1e-12
    )


def test_a_mean_has_the_t_interval_over_clusters():
    # three clusters of one row: 1, 2, 6: mean 3, variance of the mean 3/2 · (4 + 1 + 9) / 9
    rows = pl.DataFrame({"s": ["m"] * 3, "c": ["a", "b", "d"], "v": [1.0, 2.0, 6.0]})
    result = given(rows, {"mean": mean_of("v")}, is_share=False).row(0, named=True)
    half = stdtrit(2, 0.975) * np.sqrt(3 / 2 * 14 / 9)
    assert (result["value"], result["low"], result["high"]) == pytest.approx((3, 3 - half, 3 + half))


def test_fractions_are_worth_more_than_their_rows():
    # replies of .9 and .8 in turn say more of their mean than as many yes and no
    rows = pl.DataFrame({"s": "m", "c": [str(k) for k in range(40)], "v": [0.8, 0.9] * 20})
    result = given(rows, {"mean": mean_of("v")}).row(0, named=True)
    assert result["n_effective"] > 1000 and result["high"] - result["low"] < 0.04


def test_estimates_of_yes_and_no_that_leave_0_to_1_widen_wilsons_interval():
    """60 rows of 1 and 40 of −.25: .5. What they add to the variance of yes and no: 40 · .25 · 1.25 / 100² ·
    100/99.
    """
    values = [1.0] * 60 + [-0.25] * 40
    rows = pl.DataFrame({"s": "m", "c": [str(k) for k in range(100)], "v": values})
    result = given(rows, {"share": mean_of("v")}).row(0, named=True)
    t, added = stdtrit(99, 0.975), 12.5 / 100**2 * 100 / 99
    n = 99 * (1.959964 / t) ** 2  # of 100 rows of yes and no, with the rule of few clusters
    for end in (result["low"], result["high"]):  # Wilson's inequality is an equation at either end
        gap, variance = 0.5 - end, end * (1 - end) / n + added * (t / 1.959964) ** 2
        assert gap**2 == pytest.approx(1.959964**2 * variance, rel=1e-5)
    assert result["value"] == pytest.approx(0.5) and result["n_effective"] == pytest.approx(n, rel=1e-5)


def test_an_estimate_beyond_an_edge_is_cut_and_has_a_width():
    rows = pl.DataFrame({"s": "m", "c": [str(k) for k in range(50)], "v": [1.0] + [-0.1] * 49})
    result = given(rows, {"share": mean_of("v")}).row(0, named=True)
    plain = given(rows.with_columns(v=0.0), {"share": mean_of("v")}).row(0, named=True)
    assert (result["value"], result["low"]) == (0, 0) and result["high"] > plain["high"]


def test_a_mean_on_which_all_clusters_agree_has_no_interval():
    rows = pl.DataFrame({"s": "m", "c": [str(k // 2) for k in range(10)], "v": [5.0] * 10})
    result = given(rows, {"mean": mean_of("v")}, is_share=False).row(0, named=True)
    assert (result["value"], result["low"], result["high"]) == (5, None, None)


def test_where_all_clusters_agree_each_counts_as_one_row():
    rows = pl.DataFrame({"s": "m", "c": [str(k // 5) for k in range(50)], "v": [1.0] * 50})
    result = given(rows, {"mean": mean_of("v")}).row(0, named=True)
    n = 10 * (1.959964 / stdtrit(9, 0.975)) ** 2
    assert result["value"] == result["high"] == 1
    assert result["low"] == pytest.approx(n / (n + 1.959964**2), abs=1e-6)


def test_over_nothing_and_over_one_cluster():
    rows = pl.DataFrame(
        {"s": ["m", "n", "n"], "c": ["a", "a", "b"], "v": [0.5, None, None]},
        schema_overrides={"v": pl.Float64},
    )
    item, none = given(rows, {"mean": mean_of("v")}).rows(named=True)
    assert item["value"] == 0.5 and item["low"] is item["high"] is None and item["n"] == 1
    assert none["value"] is none["low"] is none["high"] is None and none["n"] == 0
    assert given(rows.clear(), {"mean": mean_of("v")}).is_empty()


# ---- means -------------------------------------------------------------------------------------------------
SURE, UNSURE = Interval(0.2, 0.1, 0.3), Interval(0.4, np.nan, np.nan)


def test_means_leave_undefined_ones_out():
    assert mean_of_defined(np.array([[0.5, np.nan, 1.0], [0.2, 0.4, 0.6]])) == pytest.approx([0.75, 0.4])
    assert np.isnan(mean_of_defined(np.array([np.nan]))) and np.isnan(mean_of_defined(np.zeros((1, 0)))).all()


def test_a_spread_by_hand():
    assert spread(np.array([[1.0, 2], [3, 4]])) == pytest.approx(
        (5 / 3) ** 0.5
    )  # squares 2.25 · 2 + .25 · 2 over 3
    assert spread(np.array([1.0])) is None and spread(np.array([1.0, np.nan])) is None


def test_a_mean_of_cells_has_an_interval_where_each_has_one():
    result = mean_of_cells([SURE, Interval(0.4, 0.3, 0.5)])
    assert result == pytest.approx((0.3, 0.3 - 0.02**0.5 / 2, 0.3 + 0.02**0.5 / 2))
    both = mean_of_cells([SURE, UNSURE])
    assert both.value == pytest.approx(0.3) and np.isnan([both.low, both.high]).all()
    assert mean_of_cells([SURE, Interval(np.nan, np.nan, np.nan)]) is None
