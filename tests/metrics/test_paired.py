from math import comb

import numpy as np
import polars as pl
import pytest

from truerate.config import Statistics
from truerate.metrics.paired import (
    contrast_scores,
    contrasts,
    enough_resamples,
    holm,
    mcnemar,
    more_units_to_separate,
    paired_bootstrap,
    ratio_contrasts,
)
from truerate.metrics.score_writer import ScoreWriter


def by_hand(n_first_only: int, n_second_only: int) -> float:
    """McNemar's exact p-value from the discordant pairs of independent units, which the bootstrap is held
    against.
    """
    n = n_first_only + n_second_only
    return 2 * sum(comb(n, k) for k in range(min(n_first_only, n_second_only) + 1)) / 2**n


def p_of(differences, counts=None, seed=7):
    d = np.asarray(differences, dtype=float)[:, None]
    n = np.ones_like(d) if counts is None else np.asarray(counts, dtype=float)[:, None]
    return paired_bootstrap(d, n, n_resamples=2000, seed=seed)[0]


def test_bootstrap_p_agrees_with_mcnemar_on_independent_units():
    differences = [1] * 30 + [-1] * 15 + [0] * 155
    assert p_of(differences) == pytest.approx(by_hand(30, 15), abs=0.015)  # .036


def test_clusters_are_resampled_whole():
    differences = [1] * 30 + [-1] * 15 + [0] * 155
    same_ten_times = p_of([10 * d for d in differences], [10] * 200)
    assert same_ten_times == p_of(differences)  # 2,000 rows, but no more evidence


def test_no_difference_is_one_and_no_common_unit_is_none():
    assert p_of([0, 0, 0]) == 1.0
    assert p_of([0, 0], [0, 0]) is None
    assert paired_bootstrap(np.zeros((0, 2)), np.zeros((0, 2)), n_resamples=100, seed=1) == [None, None]


def test_three_agreeing_clusters_are_not_certain():
    assert p_of([1, 1, 1] + [0] * 50) >= 2**-2


def test_add_one_and_students_t_bound_p_from_below():
    # 1 / 2001 is the normal tail of 3.4816; Student's t with 199 degrees has .00061 there
    assert p_of([1] * 200) == pytest.approx(0.00061, abs=1e-5)


def test_few_clusters_are_less_sure():
    # the same counts of +1, 0, −1 on 12 clusters: far from decided, and further than the normal tail says
    differences = [1] * 6 + [-1] + [0] * 5
    assert 0.02 < p_of(differences) < by_hand(6, 1)


def test_holm_by_hand():
    # sorted .01, .02, .04 with 3 tests: .03, max(.03, .04) = .04, max(.04, .04) = .04; None is no member
    assert holm([0.04, None, 0.01, 0.02]) == pytest.approx([0.04, None, 0.03, 0.04])
    assert holm([0.6, 0.7]) == [1.0, 1.0] and holm([]) == []


def test_a_contrast_of_ratios_by_hand():
    # ratios 3/6, 1/6 and 2/6: the mean of the first two less the third is 0; the first less the second 1/3
    sums = np.array([[1.0, 1, 1, 2, 2, 2], [1, 0, 1, 2, 2, 2], [1, 0, 0, 2, 2, 2]])
    weights = np.array([[0.5, 1], [0.5, -1], [-1, 0]])
    none, some = ratio_contrasts(sums, weights, n_resamples=500, confidence=0.95, seed=7)
    assert none[0].value == pytest.approx(0) and none[1] == 1
    assert some[0].value == pytest.approx(1 / 3) and some[0].low < 1 / 3 < some[0].high and some[1] < 0.2


def test_a_contrast_over_nothing_is_not_defined():
    ((result, p),) = ratio_contrasts(
        np.zeros((3, 4)), np.array([[1.0], [-1]]), n_resamples=100, confidence=0.95, seed=7
    )
    assert np.isnan(result).all() and p is None


def test_few_clusters_need_more_resamples_and_many_no_more():
    # 45 tests at .05: the least p is .00111. 8,000 of 80 clusters reach it; of 19 clusters 1 / 9,001 is read
    # as .0011 and more
    least = 0.05 / 45
    assert enough_resamples(2000, least, 80) == 9000
    n = enough_resamples(2000, least, 19)
    assert 50_000 < n < 150_000
    rng = np.random.default_rng(3)
    differences, counts = rng.normal(1.0, 0.3, (19, 1)), np.ones((19, 1))
    few, enough = (paired_bootstrap(differences, counts, n_resamples=m, seed=1)[0] for m in (2000, n))
    assert few > least > enough
    assert enough_resamples(2000, least, 5) == 9000  # five flips never give so small a p


def test_mcnemars_exact_test_by_hand():
    # 1 against 9: 2 (1 + 10) / 2^10; 5 against 5: at most 1; none differ: 1; 0 against 6: 2 / 2^6
    first, second = np.array([1, 5, 0, 0, 12]), np.array([9, 5, 0, 6, 31])
    given = [22 / 1024, 1.0, 1.0, 2 / 64, by_hand(12, 31)]
    assert mcnemar(first, second).tolist() == pytest.approx(given)


# ---- contrasts ---------------------------------------------------------------------------------------------
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


# ---- power -------------------------------------------------------------------------------------------------
def test_units_are_those_of_the_paired_sample_size():
    """Gaps 1 0 0 0: mean 1/4, residuals 3/4 and three times −1/4, Var(d̄) = 4/3 · 3/4 / 16 = 1/16; at 5 % and
    power 80 % (1.959964 + 0.841621)² = 7.84888, so 4 · 1/16 · 7.84888 / (1/16) = 31.4: 32 units, 28 more.
    """
    result = more_units_to_separate(np.array([1.0, 0, 0, 0]), np.zeros(4), list("abcd"))
    assert result == 28


def test_more_pairs_ask_for_more_units():
    first, second = np.array([1.0, 0, 0, 0]), np.zeros(4)
    assert more_units_to_separate(first, second, list("abcd"), n_pairs=10) > 28


def test_clusters_count_and_not_their_rows():
    """Each unit four times within its cluster tells no more: 32 clusters are 128 rows, 16 are there."""
    first, second = np.repeat([1.0, 0, 0, 0], 4), np.zeros(16)
    assert more_units_to_separate(first, second, np.repeat(list("abcd"), 4)) == pytest.approx(
        4 * 31.4 - 16, abs=1
    )


def test_only_common_units_count():
    first, second = np.array([1.0, 0, 0, 0, 1]), np.array([0, 0, 0, 0, np.nan])
    assert more_units_to_separate(first, second, list("abcde")) == 28


@pytest.mark.parametrize(
    ("first", "clusters"),
    [([0.0, 0, 0], "abc"), ([1.0, -1, 0], "abc"), ([1.0, 1, 1], "aaa"), ([np.nan] * 3, "abc")],
)
def test_nothing_separates_equal_means_one_cluster_or_no_common_unit(first, clusters):
    assert more_units_to_separate(np.array(first), np.zeros(3), list(clusters)) is None


def test_a_constant_difference_needs_no_more():
    assert more_units_to_separate(np.ones(5), np.zeros(5), list("abcde")) == 0
