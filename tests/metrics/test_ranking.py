import numpy as np
import pytest

from truerate.metrics.ranking import (
    Comparison,
    RankRange,
    compare_all,
    families,
    is_plain,
    may_be_best,
    may_be_best_by_counts,
    rank_ranges,
)

SETTINGS = {"n_resamples": 2000, "alpha": 0.05, "seed": 7}


def test_ranges_from_decisions_by_hand():
    # 0 beats 2, nothing else is decided: 0 in 1–2, 1 in 1–3, 2 in 2–3
    decided = [
        Comparison(0, 1, 0.1, 0.2, 0.4),
        Comparison(0, 2, 0.3, 0.001, 0.003),
        Comparison(1, 2, 0.2, 0.03, 0.06),
    ]
    assert rank_ranges(3, decided, alpha=0.05) == [RankRange(1, 2), RankRange(1, 3), RankRange(2, 3)]
    lower = rank_ranges(3, decided, alpha=0.05, higher_is_better=False)
    assert lower == [RankRange(2, 3), RankRange(1, 3), RankRange(1, 2)]


def test_clear_and_equal_subjects():
    rng = np.random.default_rng(1)
    good, bad = rng.random((2, 300)) < np.array([[0.9], [0.5]])
    values = np.array([good, bad, bad], dtype=float)
    comparisons = compare_all(values, range(300), **SETTINGS)
    assert rank_ranges(3, comparisons, alpha=0.05) == [RankRange(1, 1), RankRange(2, 3), RankRange(2, 3)]


def test_one_cluster_cannot_rank():
    values = np.array([[1.0] * 50, [0.0] * 50])
    assert rank_ranges(2, compare_all(values, ["only"] * 50, **SETTINGS), alpha=0.05) == [RankRange(1, 2)] * 2


def test_pairs_use_their_common_units_only():
    # on the units both have, 1 is right where 0 is wrong: +1 each, though 0 is right on all units that 1
    # never saw
    values = np.array([[0.0] * 40 + [1.0] * 100, [1.0] * 40 + [np.nan] * 100])
    (result,) = compare_all(values, range(140), **SETTINGS)
    assert result.difference == -1 and result.p_holm < 0.05


def test_a_subject_without_a_unit_means_no_comparison_and_full_range():
    values = np.array([[1.0, 0.0], [np.nan, np.nan]])
    assert compare_all(values, ["a", "b"], **SETTINGS) == []
    assert compare_all(values, ["a", "a"], **SETTINGS) == []
    assert rank_ranges(2, [], alpha=0.05) == [RankRange(1, 2), RankRange(1, 2)]
    assert compare_all(np.zeros((2, 0)), [], **SETTINGS) == []


def test_many_pairs_can_still_be_told_apart():
    # 16 subjects are 120 pairs: Holm needs p ≤ .05 / 120 = .00042 < 1 / 2001, so more resamples are drawn
    values = np.zeros((16, 200))
    values[0] = 1
    comparisons = compare_all(values, range(200), **SETTINGS)
    assert rank_ranges(16, comparisons, alpha=0.05)[0] == RankRange(1, 1)


def test_models_are_one_family_and_models_against_baselines_the_second():
    assert families([True, False, True, False]) == [[(0, 2)], [(0, 1), (0, 3), (2, 1), (2, 3)]]
    assert families([False] * 3) == families([True] * 3) == [[(0, 1), (0, 2), (1, 2)]]
    assert families([True, False]) == [[(0, 1)]] and families([]) == families([True]) == []


def test_a_baselines_range_is_its_place_among_the_models():
    # models 0 and 1 are told apart; baseline 2 is below both, 3 above both, 4 above 1 alone
    decided = [
        Comparison(0, 1, 0.1, 0.001, 0.001),
        Comparison(0, 2, 0.1, 0.001, 0.001),
        Comparison(1, 2, 0.1, 0.001, 0.001),
        Comparison(0, 3, -0.1, 0.001, 0.001),
        Comparison(1, 3, -0.1, 0.001, 0.001),
        Comparison(0, 4, 0.1, 0.3, 0.3),
        Comparison(1, 4, -0.1, 0.001, 0.001),
    ]
    result = rank_ranges(5, decided, alpha=0.05, is_model=[True, True, False, False, False])
    assert result == [(1, 1), (2, 2), (3, 3), (1, 1), (1, 2)]


def test_how_many_baselines_there_are_widens_no_models_range():
    rng = np.random.default_rng(0)
    models = rng.random((3, 120)) < np.array([[0.95], [0.83], [0.62]])
    baselines = rng.random((10, 120)) < 0.5

    def ranges(n):
        values = np.array([*models, *baselines[:n]], dtype=float)
        is_model = [True] * 3 + [False] * n
        compared = compare_all(values, range(120), **SETTINGS, is_model=is_model)
        return rank_ranges(3 + n, compared, alpha=0.05, is_model=is_model)

    alone, beside = ranges(0), ranges(10)
    assert beside[:3] == alone == [(1, 1), (2, 2), (3, 3)] and all(item.rank_low >= 3 for item in beside[3:])
    values = np.array([*models, *baselines], dtype=float)
    together = rank_ranges(13, compare_all(values, range(120), **SETTINGS), alpha=0.05)
    assert together[0] != (1, 1)  # one family of 78 pairs cannot part the first two


def test_independent_units_of_yes_or_no_are_tested_exactly():
    # 0 alone has 9 units, 1 alone has 1: p = 2 (C(10,0) + C(10,1)) / 2^10 = 22 / 1024; a third subject lacks
    # the first nine of them: alone 0 against 1 on the 11 units that it shares with 0
    first = [1.0] * 9 + [0.0] + [1.0] * 10
    second = [0.0] * 9 + [1.0] + [1.0] * 10
    third = [np.nan] * 9 + [1.0] + [1.0] * 10
    result = compare_all(np.array([first, second, third]), range(20), **SETTINGS)
    assert [item.p for item in result] == [22 / 1024, 1.0, 1.0]
    assert [item.difference for item in result] == [8 / 20, -1 / 11, 0.0]
    assert [item.p_holm for item in result] == [3 * 22 / 1024, 1.0, 1.0]


def test_units_of_one_cluster_or_of_shares_are_resampled():
    values = np.array([[1.0, 1.0, 1.0, 0.0] * 5, [0.0, 1.0, 0.0, 0.0] * 5])
    assert is_plain(values, range(20)) and not is_plain(values, [index // 2 for index in range(20)])
    assert not is_plain(values / 2, range(20))
    # ten units differ, all one way: exactly p = 2 / 2^10; of five clusters of four no p is below 2 / 2^5
    assert compare_all(values, range(20), **SETTINGS)[0].p == 2 / 2**10
    assert compare_all(values, [index // 4 for index in range(20)], **SETTINGS)[0].p >= 2 / 2**5


def test_subjects_that_answered_questions_of_their_own_are_told_apart_by_their_means():
    """Of .3 and .9 on 50 clusters each, nothing shared; and of .3 against .3 nobody is told apart."""
    own_values = np.full((3, 300), np.nan)
    for subject, rate in enumerate((0.3, 0.9, 0.3)):
        own_values[subject, 100 * subject : 100 * (subject + 1)] = np.arange(100) % 10 < 10 * rate
    for clusters in (range(300), np.arange(300) // 2):  # the first is where shared units are tested exactly
        result = compare_all(own_values, clusters, **SETTINGS)
        assert [round(item.difference, 6) for item in result] == [-0.6, 0, 0.6]
        assert [item.p_holm < 0.05 for item in result] == [True, False, True]
        assert rank_ranges(3, result, alpha=0.05) == [RankRange(2, 3), RankRange(1, 1), RankRange(2, 3)]


def test_clusters_of_ones_own_too_few_tell_nothing():
    # two clusters each: an exact permutation has 6 orders, so that no p is below 1/3, however clear the
    # values
    own_values = np.array([[0.0] * 8 + [np.nan] * 8, [np.nan] * 8 + [1.0] * 8])
    (result,) = compare_all(own_values, np.repeat(list("abcd"), 4), **SETTINGS)
    assert result.difference == -1 and result.p >= 1 / 3


def test_unpaired_tests_reject_as_often_as_they_say():
    rng, rejected = np.random.default_rng(3), 0
    for _ in range(200):  # twelve clusters each, whose rates differ: sd .2 around .5
        rates = np.clip(rng.normal(0.5, 0.2, 24), 0, 1).repeat(8)
        values = np.full((2, 192), np.nan)
        drawn = (rng.random(192) < rates).astype(float)
        values[0, :96], values[1, 96:] = drawn[:96], drawn[96:]
        (result,) = compare_all(values, np.arange(24).repeat(8), n_resamples=400, alpha=0.05, seed=1)
        rejected += result.p < 0.05
    assert 2 <= rejected <= 20  # .05 of 200, within the binomial's .998


def test_the_seed_decides_no_rank_of_clusters_few_and_close():
    # five subjects on 60 clusters of two units, some of their pairs near alpha: with 2,000 resamples alone
    # the ranges of three seeds differ on these very values
    rng = np.random.default_rng(1)
    rates = np.array([0.3, 0.42, 0.5, 0.58, 0.66])[:, None]
    values = (rng.random((5, 120)) < rates).astype(float)
    clusters = np.repeat(np.arange(60), 2)
    result = {
        tuple(rank_ranges(5, compare_all(values, clusters, **SETTINGS | {"seed": seed}), alpha=0.05))
        for seed in (1, 2, 3)
    }
    assert len(result) == 1


# ---- who may be the best

BEST = {"alpha": 0.05, "seed": 7}


def parted(n: int, of: int = 40) -> np.ndarray:
    """Two subjects that differ on n units alone, all of which the first one gets."""
    values = np.ones((2, of))
    values[1, :n] = 0
    return values


def test_of_two_the_sign_test_says_who_may_be_the_best():
    # n units differ, all one way: one-sided p = 2^-n, 1/16 for four and 1/32 for five
    assert may_be_best(parted(4), range(40), **BEST) == [True, True]
    assert may_be_best(parted(5), range(40), **BEST) == [True, False]
    assert may_be_best(parted(5), range(40), **BEST, higher_is_better=False) == [False, True]
    # two-sided and by pairs these are not told apart: p = 2/32
    assert rank_ranges(2, compare_all(parted(5), range(40), **SETTINGS), alpha=0.05) == [(1, 2), (1, 2)]


def test_clusters_are_turned_whole():
    # forty units that differ, in four clusters: p = 1/16; in eight: 1/256
    assert may_be_best(parted(40), np.arange(40) // 10, **BEST) == [True, True]
    assert may_be_best(parted(40), np.arange(40) // 5, **BEST) == [True, False]
    assert may_be_best(parted(40), ["only"] * 40, **BEST) == [True, True]


def test_equal_subjects_may_both_be_the_best_and_one_alone_is_no_best():
    assert may_be_best(parted(0), range(40), **BEST) == [True, True]
    assert may_be_best(parted(9)[[0, 0, 1]], range(40), **BEST) == [True, True, False]
    assert may_be_best(parted(9)[:1], range(40), **BEST) == [False]
    nothing = np.full((1, 40), np.nan)
    assert may_be_best(np.vstack([parted(9)[:1], nothing]), range(40), **BEST) == [False, False]
    assert may_be_best(np.vstack([nothing, parted(9)]), range(40), **BEST) == [False, True, False]
    assert may_be_best(np.zeros((0, 0)), [], **BEST) == []


def test_a_missing_unit_changes_nothing_for_those_who_have_the_others():
    rng = np.random.default_rng(4)
    values = (rng.random((12, 90)) < np.linspace(0.5, 0.9, 12)[:, None]).astype(float)
    beside = np.hstack([values, np.where(np.arange(12) == 3, 1.0, np.nan)[:, None]])  # subject 3's alone
    assert may_be_best(beside, range(91), **BEST) == may_be_best(values, range(90), **BEST)


def test_subjects_of_other_units_are_compared_by_their_means():
    own_values = np.full((3, 3000), np.nan)
    for subject, rate in enumerate((0.3, 0.9, 0.89)):
        own_values[subject, 1000 * subject : 1000 * (subject + 1)] = np.arange(1000) < 1000 * rate
    assert may_be_best(own_values, range(3000), **BEST) == [False, True, True]
    # one cluster against five has 6 orders, of which none is rarer than 1/6
    few = np.array([[0.0] + [np.nan] * 5, [np.nan] + [1.0] * 5])
    assert may_be_best(few, range(6), **BEST) == [True, True]


def test_what_is_told_of_the_best_is_sharper_than_what_is_told_of_all_pairs():
    # 30 subjects at .6 and one at .78 on 150 units: 465 pairs against 30 comparisons
    rng = np.random.default_rng(5)
    rates = np.array([0.78] + [0.6] * 30)[:, None]
    values = (rng.random((31, 150)) < rates).astype(float)
    n_best = sum(may_be_best(values, range(150), **BEST))
    by_pairs = rank_ranges(31, compare_all(values, range(150), **SETTINGS), alpha=0.05)
    assert may_be_best(values, range(150), **BEST)[0]
    assert n_best < sum(item.rank_low == 1 for item in by_pairs)


@pytest.mark.parametrize("n_clusters", [20, 60])
def test_the_best_is_left_out_no_oftener_than_alpha(n_clusters):
    rng, n_missed = np.random.default_rng(6), 0
    for _ in range(200):  # eight equal subjects, units in clusters of two that are hard or easy together
        hard = rng.normal(size=n_clusters).repeat(2)
        values = (rng.normal(size=(8, 2 * n_clusters)) + hard > 0.9).astype(float)
        n_missed += not may_be_best(values, np.arange(n_clusters).repeat(2), **BEST)[0]
    assert n_missed <= 20  # .05 of 200, within the binomial's .998


def test_of_counts_the_critical_value_is_dunnetts():
    # one-sided, .05, three comparisons of equal size with infinite degrees: 2.06 (Dunnett 1955, table 1a).
    # Of a million units each near a half z = (gap - 1) / sqrt(500,000): 2.05 for 1,451 and 2.08 for 1,472
    n = np.full(4, 1_000_000)
    for gap, is_in in ((1_451, True), (1_472, False)):
        counts = np.array([500_000, 500_000 + gap, 500_000 + gap, 500_000 + gap])
        assert may_be_best_by_counts(counts, n, alpha=0.05) == [is_in, True, True, True]
        assert may_be_best_by_counts(n - counts, n, alpha=0.05, higher_is_better=False)[0] is is_in


def test_of_counts_equal_none_or_alone():
    of = {"alpha": 0.05}
    assert may_be_best_by_counts(np.array([7]), np.array([9]), **of) == [False]
    assert may_be_best_by_counts(np.array([0, 0]), np.array([50, 9]), **of) == [True, True]
    assert may_be_best_by_counts(np.array([0, 50, 0]), np.array([50, 50, 0]), **of) == [False, True, False]
    assert may_be_best_by_counts(np.array([]), np.array([]), **of) == []
