import numpy as np
import pytest

from truerate.metrics.intervals import (
    agreed,
    bootstrap_interval,
    bootstrap_sums,
    cluster_bootstrap,
    cluster_sums,
    effective_n,
    ratio_intervals,
    resample_weights,
    share_interval,
    wide_quantile,
    wilson,
    wilson_clustered,
)

DRAWS = {"n_resamples": 2000, "confidence": 0.95, "seed": 7}


def test_wilson_by_hand():
    # Wild Tables 7-8: 7 of 27. p = .2593, z² = 3.8415: middle (.2593 + .07114) / 1.14228, half-width .1594
    result = wilson(7, 27, confidence=0.95)
    assert result.value == pytest.approx(7 / 27)
    assert (result.low, result.high) == pytest.approx((0.1317, 0.4468), abs=2e-4)


def test_wilson_at_the_edges():
    # 0 of n: high = z² / (n + z²) = 3.8415 / 13.8415
    assert wilson(0, 10, confidence=0.95)[1:] == pytest.approx((0, 3.8415 / 13.8415), abs=1e-4)
    assert wilson(10, 10, confidence=0.95).high == 1
    assert wilson(0, 0, confidence=0.95) is None


def test_cluster_sums_follow_the_sorted_names():
    assert cluster_sums(["b", "a", "b"], np.array([[1, 10], [2, 20], [3, 30]])).tolist() == [[2, 20], [4, 40]]
    assert cluster_sums([], np.zeros((0, 2))).shape == (0, 2)


def test_weights_draw_each_resample_in_full_and_repeat_by_seed():
    first, repeated = (np.concatenate(list(resample_weights(30, n_resamples=50, seed=3))) for _ in range(2))
    assert first.shape == (50, 30) and (first.sum(axis=1) == 30).all() and (first == repeated).all()


def test_a_cut_into_blocks_changes_nothing(monkeypatch):
    whole = bootstrap_sums(np.arange(20.0)[:, None], n_resamples=100, seed=1)
    monkeypatch.setattr("truerate.metrics.intervals.CELLS", 60)  # three resamples at a time
    assert (bootstrap_sums(np.arange(20.0)[:, None], n_resamples=100, seed=1) == whole).all()
    assert (bootstrap_sums(np.arange(20.0)[:, None], n_resamples=100, seed=1) == whole).all()  # kept
    monkeypatch.setattr("truerate.metrics.intervals.KEPT", 1999)  # one less than there are: drawn anew
    assert (bootstrap_sums(np.arange(20.0)[:, None], n_resamples=100, seed=1) == whole).all()


def test_bootstrap_of_independent_rows_is_near_wilson():
    rows = np.array([1.0] * 60 + [0.0] * 140)[:, None]
    (result,) = ratio_intervals(rows, np.ones_like(rows), **DRAWS)
    expected = wilson(60, 200, confidence=0.95)
    assert result == pytest.approx(expected, abs=0.01)


def test_clusters_widen_the_interval():
    # 20 clusters of 10 equal rows are worth 20 rows, not 200
    tops = np.array([10.0] * 6 + [0.0] * 14)[:, None]
    (clustered,) = ratio_intervals(tops, np.full_like(tops, 10), **DRAWS)
    independent = wilson(60, 200, confidence=0.95)
    assert clustered.value == independent.value == 0.3
    assert clustered.high - clustered.low > 2.5 * (independent.high - independent.low)


def test_no_spread_is_not_certainty():
    ones = np.ones((8, 1))
    assert ratio_intervals(ones, ones, **DRAWS)[0] == wilson(8, 8, confidence=0.95)


def test_nothing_and_one_cluster_give_none():
    assert ratio_intervals(np.zeros((3, 1)), np.zeros((3, 1)), **DRAWS) == [None]
    assert ratio_intervals(np.ones((1, 1)), np.full((1, 1), 2.0), **DRAWS) == [None]
    assert ratio_intervals(np.ones((0, 1)), np.ones((0, 1)), **DRAWS) == [None]


def test_any_statistic_of_totals():
    # precision TP / (TP + FP) of two clusters (2, 1) and (4, 1): 6 / 8
    sums = np.array([[2.0, 1], [4, 1]])
    result = cluster_bootstrap(sums, lambda t: (t[:, 0] / t.sum(axis=1))[:, None], **DRAWS)
    assert result[0].value == 6 / 8 and result[0].low == pytest.approx(2 / 3)
    assert result[0].high == pytest.approx(4 / 5)


def test_effective_n():
    # 20 clusters of 10 equal rows: design effect 10 · (n/(n−1)): 200 / (10 · 20/19) = 19
    tops = np.array([10.0] * 6 + [0.0] * 14)
    assert effective_n(tops, np.full(20, 10.0)) == pytest.approx(19)
    # one row per cluster: 6 of 20 is worth 19 rows (the same 19/20)
    assert effective_n(tops / 10, np.ones(20)) == pytest.approx(19)
    assert effective_n(np.zeros(20), np.full(20, 10.0)) == 20
    assert wilson_clustered(np.zeros(0), np.zeros(0), confidence=0.95) is None


def test_difference_of_a_subject_with_itself_is_nothing_as_far_as_four_clusters_tell():
    def gap(first, second):
        return cluster_bootstrap(
            np.hstack([first, second]),
            lambda t: (t[:, 0] / t[:, 1] - t[:, 2] / t[:, 3])[:, None],
            bounds=(-1.0, 1.0),
            **DRAWS,
        )[0]

    sums = np.array([[1.0, 2], [2, 2], [0, 2], [1, 2]])
    # 0 lies in the middle of [−1, 1]: Wilson's of 2 of 4 is .15–.85, so −.7–.7
    assert gap(sums, sums) == pytest.approx((0, -0.69992, 0.69992), abs=1e-5)
    half = wilson(3, 4, confidence=0.95)  # one more success in each cluster of two
    assert gap(sums + [[1, 0]], sums) == pytest.approx((0.5, 2 * half.low - 1, 2 * half.high - 1))


# ---- shares ------------------------------------------------------------------------------------------------


def test_a_share_of_independent_rows_is_wilsons():
    """Of four clusters three count one row each, two of them a hit; the fourth counts none."""
    result = share_interval(np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 1, 0]), confidence=0.95)
    assert result == wilson(2, 3, confidence=0.95)
    assert share_interval(np.ones(1), np.ones(1), confidence=0.95) == wilson(1, 1, confidence=0.95)


def test_a_share_of_clustered_rows_is_that_of_the_rows_they_are_worth():
    tops = np.array([10.0] * 6 + [0.0] * 14)
    result = share_interval(tops, np.full(20, 10.0), confidence=0.95)
    assert result == wilson_clustered(tops, np.full(20, 10.0), confidence=0.95)


def test_a_mean_of_shares_is_no_row_of_yes_or_no():
    """One value of each cluster, between no and yes: their spread is that of the clusters."""
    values = np.array([0.5, 0.6, 0.4, 0.5, 0.55, 0.45])
    result = share_interval(values, np.ones(6), confidence=0.95)
    rows = wilson(3, 6, confidence=0.95)
    assert result.value == pytest.approx(0.5) and result.high - result.low < 0.5 * (rows.high - rows.low)


def test_a_share_of_nothing_and_of_one_cluster():
    assert share_interval(np.zeros(3), np.zeros(3), confidence=0.95) is None
    result = share_interval(np.array([1.0, 0]), np.array([2.0, 0]), confidence=0.95)
    assert result.value == 0.5 and np.isnan([result.low, result.high]).all()


def test_pairs_of_which_one_is_right_are_worth_more_than_their_rows():
    # nine pairs 1 of 2, one 2 of 2: p = 11/20; residuals −.1 (nine) and .9: Σ² = .9; variance = 10/9 · .9 /
    # 400
    tops = np.array([1.0] * 9 + [2.0])
    assert effective_n(tops, np.full(10, 2.0)) == pytest.approx((11 / 20) * (9 / 20) / (1 / 400))
    assert effective_n(np.ones(10), np.full(10, 2.0)) == 10  # all agree: each cluster is one row


# ---- no interval without width -----------------------------------------------------------------------------


def shares(tops, bottoms):
    return ratio_intervals(np.asarray(tops, float)[:, None], np.asarray(bottoms, float)[:, None], **DRAWS)[0]


@pytest.mark.parametrize("share", [0.0, 1 / 3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n", [2, 3, 30])
def test_clusters_that_agree_are_as_many_rows(share, n):
    """Both sides of each pair judged alike: every cluster gives the same share, and no resample shows a
    spread.
    """
    size = 10 * np.arange(1, n + 1)
    assert shares(share * size, size) == pytest.approx(wilson(share * n, n, confidence=0.95))


def test_what_one_cluster_carries_is_one_row():
    assert shares([0, 0, 3], [0, 0, 9]) == pytest.approx(wilson(1 / 3, 1, confidence=0.95))
    assert shares([0, 0, 9], [0, 0, 9]) == wilson(1, 1, confidence=0.95)
    # the cluster without rows says nothing
    assert shares([0, 4, 4], [0, 8, 8]) == wilson(1, 2, confidence=0.95)


def test_a_statistic_of_two_parts_counts_the_clusters_that_carry_both():
    # recall of two classes, each cluster of one class: no cluster alone defines their mean, neighbours in
    # twos do; all right
    sums = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]] * 6)
    (balanced,) = cluster_bootstrap(
        sums, lambda t: ((t[:, 0] / t[:, 1] + t[:, 2] / t[:, 3]) / 2)[:, None], **DRAWS
    )
    assert balanced == wilson(6, 6, confidence=0.95)


def test_kappa_that_all_clusters_agree_on_lies_between_its_own_bounds():
    ones = np.ones((9, 1))
    # κ of a judge who always says the same
    (result,) = cluster_bootstrap(ones, lambda t: 0 * t, bounds=(-1, 1), **DRAWS)
    assert result.value == 0 and result.low == pytest.approx(-result.high) and result.low < -0.3
    (perfect,) = cluster_bootstrap(ones, lambda t: 0 * t + 1, bounds=(-1, 1), **DRAWS)
    assert perfect.high == 1 and perfect.low == pytest.approx(2 * wilson(9, 9, confidence=0.95).low - 1)
    # no share: nothing says how far it may move
    assert cluster_bootstrap(ones, lambda t: 0 * t + 3, **DRAWS) == [None]


def test_bounds_of_several_statistics_are_each_its_own():
    bounds = ((-1, 1), (0, 1))
    result = cluster_bootstrap(np.ones((9, 1)), lambda t: np.hstack([0 * t, 0 * t]), bounds=bounds, **DRAWS)
    assert result[0].low < 0 == result[1].low and result[1].high > 0


def test_a_value_beyond_its_draws_keeps_a_width():
    """The bias correction may lean so far that both ends are the last draw."""
    draws, left_out = np.repeat([0.2, 0.4], 50), np.array([0.9, 0.2] * 10)
    result = bootstrap_interval(0.9, draws, n_clusters=20, confidence=0.95, left_out=left_out)
    assert result.high - result.low > 0.1


def test_random_cells_never_have_width_zero():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 7))
        bottoms = rng.integers(0, 3, size=(n, 4)).astype(float)
        tops = np.minimum(bottoms, rng.integers(0, 3, size=(n, 4)))
        for result in ratio_intervals(tops, bottoms, n_resamples=100, confidence=0.95, seed=1):
            assert result is None or (result.high - result.low > 1e-6 and 0 <= result.low <= result.high <= 1)


def test_few_clusters_are_widened():
    # 2 clusters: √2 · 12.706; many: the normal 1.96
    assert wide_quantile(2, confidence=0.95) == pytest.approx(2**0.5 * 12.706, abs=1e-3)
    assert wide_quantile(5, confidence=0.95) > wide_quantile(50, confidence=0.95) > 1.96
    assert wide_quantile(10**6, confidence=0.95) == pytest.approx(1.96, abs=1e-3)


def test_a_rare_event_leans_upwards():
    # 4 of 80 clusters: as in Wilson's interval the upper arm is the longer one
    tops = np.array([1.0] * 4 + [0.0] * 76)[:, None]
    (result,) = ratio_intervals(tops, np.ones_like(tops), **DRAWS)
    assert result.high - result.value > 1.3 * (result.value - result.low)
    assert result.high == pytest.approx(wilson(4, 80, confidence=0.95).high, abs=0.02)


def test_very_high_confidence_has_an_interval():
    # normal 3.89 at .9999, t with 19 degrees 4.9: 19 effective rows are worth 19 · (3.89 / 4.9)² = 12
    tops = np.array([10.0] * 6 + [0.0] * 14)
    result = wilson_clustered(tops, np.full(20, 10.0), confidence=0.9999)
    assert result.value == 0.3 and result.low < 0.06 and result.high > 0.75
    assert wilson_clustered(np.ones(1), np.ones(1), confidence=0.95) is None


@pytest.mark.parametrize("trace", [0.0, 1e-12, 1e-6, 1e-3])
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.5])
def test_a_trace_in_one_cluster_is_no_certainty(constant, trace):
    """Of 50 answers 49 have one value and one another by a trace: as wide as where all agree (0 of 50: 0 to
    .071).
    """
    values = np.full(50, constant)
    values[7] += trace if constant < 1 else -trace
    result = ratio_intervals(values[:, None], np.ones((50, 1)), n_resamples=500, confidence=0.95, seed=1)[0]
    alike = agreed(constant, 50, confidence=0.95)
    assert result.low <= alike.low + 1e-4 and result.high >= alike.high - 1e-4
    assert result.low <= result.value <= result.high
