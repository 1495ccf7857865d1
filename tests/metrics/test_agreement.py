import numpy as np
import polars as pl
import pytest
from scipy import stats

from truerate.metrics.agreement import (
    agreement_sums,
    cohen_kappa,
    contingency,
    fleiss_kappa,
    krippendorff_alpha,
    marked_agreement,
    marked_or_not,
    marked_units,
    max_voting,
    pearson,
    pearson_within,
    percent_agreement,
    rating_counts,
    span_counts,
    t_test,
    table_agreement,
    unitizing,
    weighted_cells,
)

# Fleiss 1971's layout as worked in textbooks: 10 units, 14 raters, 5 labels; κ = .210
TEXTBOOK = np.array(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip


def test_rating_counts_are_sorted_and_leave_nulls_out():
    rows = pl.DataFrame(
        {"unit_id": ["b", "a", "a", "a"], "rater": ["x", "x", "y", "z"], "label": ["yes", "no", "yes", None]}
    )
    assert rating_counts(rows).tolist() == [[1, 1], [0, 1]]  # units a, b; labels no, yes
    assert rating_counts(rows.clear()).size == 0


def totals(counts) -> np.ndarray:
    return agreement_sums(np.asarray(counts)).sum(axis=0)


def test_cohen_by_hand():
    # 4 units, 3 agree; shares of yes 3/4 and 2/4: p_e = 6/16 + 2/16 = 1/2; κ = (3/4 − 1/2) / (1/2)
    table = contingency(np.array([1, 1, 1, 0]), np.array([1, 1, 0, 0]), 2)
    assert table.tolist() == [[1, 0], [1, 2]]
    assert table_agreement(table) == 3 / 4 and cohen_kappa(table) == 1 / 2
    assert cohen_kappa(np.stack([table, 3 * table])).tolist() == [1 / 2, 1 / 2]  # of many tables at once


def test_cohen_over_nothing_or_one_label_is_not_defined():
    assert np.isnan(cohen_kappa(np.zeros((2, 2)))) and np.isnan(table_agreement(np.zeros((2, 2))))
    assert np.isnan(cohen_kappa(np.diag([5.0, 0, 0])))


def test_weighted_cells_are_the_table_of_what_rows_stand_for():
    first, second = np.array([True, True, False]), np.array([True, False, False])
    cells = weighted_cells(first, second, np.array([2.0, 1, 3]))
    assert cells.sum(axis=0).reshape(2, 2).tolist() == [[3, 0], [1, 2]]


def test_labels_put_together_are_marked_or_not():
    table = np.array([[4.0, 1, 0], [0, 2, 1], [2, 0, 3]])
    assert marked_or_not(table).tolist() == [[4, 1], [2, 6]]


def test_agreement_on_what_is_marked_at_all():
    # of four tokens that one of the two marks, both mark two; the types do not matter, nor unmarked tokens
    item, other = np.array([0, 1, 2, 3, 0, 0]), np.array([0, 2, 2, 0, 1, 0])
    assert marked_agreement([item], [other]) == 2 / 4
    assert marked_agreement([item[:1]], [other[:1]]) is None


def test_sums_of_a_unit_by_hand():
    # ratings 2 and 1: of three pairs one agrees; four of nine ordered pairs disagree, over two other raters
    assert agreement_sums(np.array([[2, 1], [1, 0]])).tolist() == [[1, 1 / 3, 2, 2, 1], [0, 0, 0, 0, 0]]


def test_fleiss_textbook_value():
    # P̄ = .378, P_e = .213 → .210
    assert percent_agreement(totals(TEXTBOOK)) == pytest.approx(0.378, abs=5e-4)
    assert fleiss_kappa(totals(TEXTBOOK)) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_with_varying_raters_by_hand():
    # units (2,1), (0,2), and one single rating that holds no pair. P = 1/3, 1 → P̄ = 2/3; p = 2/5, 3/5 → P_e
    # = 13/25
    sums = totals([[2, 1], [0, 2], [1, 0]])
    assert percent_agreement(sums) == pytest.approx(2 / 3)
    assert fleiss_kappa(sums) == pytest.approx((2 / 3 - 13 / 25) / (12 / 25))


def test_alpha_by_hand():
    # units (2,1), (0,2): n = 5, labels 2 and 3. D_o = (9 − 5) / 2 / 5 = .4; D_e = (25 − 13) / 20 = .6
    assert krippendorff_alpha(totals([[2, 1], [0, 2], [1, 0]])) == pytest.approx(1 - 0.4 / 0.6)


def test_agreement_over_nothing_or_one_label_is_not_defined():
    for counts in (np.zeros((0, 0)), [[1, 0]], [[3, 0], [3, 0]]):
        assert np.isnan(fleiss_kappa(totals(counts))) and np.isnan(krippendorff_alpha(totals(counts)))
    assert np.isnan(percent_agreement(totals([[1, 0]])))
    assert fleiss_kappa(totals([[3, 0], [0, 3]])) == 1 == krippendorff_alpha(totals([[3, 0], [0, 3]]))


def test_max_voting():
    assert max_voting(["yes", "no", "yes"]) == "yes"
    assert max_voting([True, False, None]) is None  # a tie
    assert max_voting([None]) is None and max_voting([]) is None
    assert max_voting(["a", "b", "c"]) is None


def test_marked_units_by_both_rules():
    units = [(0, 3), (4, 7), (8, 11)]
    assert marked_units([(4, 9)], units, rule="inside").tolist() == [False, True, False]
    assert marked_units([(4, 9)], units, rule="overlap").tolist() == [False, True, True]
    assert marked_units([], units, rule="overlap").tolist() == [False] * 3


def test_span_agreement_by_character():
    # "abcd", three raters mark ab, abc, nothing: marked 2, 2, 1, 0 of 3. P = 1/3, 1/3, 1/3, 1 → 1/2; p =
    # 5/12, 7/12 → P_e = 74/144
    counts = span_counts([[(0, 2)], [(0, 3)], []], [(0, 1), (1, 2), (2, 3), (3, 4)], rule="inside")
    assert counts[:, 1].tolist() == [2, 2, 1, 0]
    assert fleiss_kappa(totals(counts)) == pytest.approx((1 / 2 - 74 / 144) / (70 / 144))


# ---- correlations ------------------------------------------------------------------------------------------
X, Y = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]


def test_pearson_by_hand():
    # means 2.5; covariance 1.5·1.5 + .5·.5·(−1) ... = 4 over 5: r = .8
    result = pearson(X, Y)
    assert result.r == pytest.approx(0.8) and result.n == 4
    assert result.p == pytest.approx(stats.pearsonr(X, Y).pvalue)


def test_pearson_leaves_missing_points_out():
    assert pearson([*X, None, 9.0], [*Y, 1.0, None]) == pearson(X, Y)


def test_pearson_of_points_that_lost_their_group_means_has_fewer_degrees():
    # the same r on one degree in place of two: t = .8 / .6 = 4/3, p = 1 − 2·atan(4/3)/π
    result = pearson(X, Y, n_fitted=1)
    assert result.r == pytest.approx(0.8) and result.n == 4
    assert result.p == pytest.approx(2 * stats.t.sf(4 / 3, 1))
    assert pearson(X, Y, n_fitted=2) == (None, None, 4)


def test_pearson_where_it_is_not_defined():
    assert pearson([1.0, 2.0], [2.0, 1.0]) == (None, None, 2) and pearson([1.0] * 4, Y) == (None, None, 4)
    assert pearson([], []) == (None, None, 0)
    assert pearson(X, X) == (1.0, 0.0, 4)


def test_t_test():
    # means 2 and 5; pooled variance 1, error √(2/3): t = −3.674
    result = t_test([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert result.value == -3 and result.n == 6
    assert result.p == pytest.approx(stats.ttest_ind([1, 2, 3], [4, 5, 6]).pvalue)


def test_t_test_where_it_is_not_defined():
    assert t_test([], [1.0]) == (None, None, 1) and t_test([1.0], [2.0]) == (-1.0, None, 2)
    assert t_test([1.0, 1.0], [2.0]).p is None


def test_within_groups_what_differs_between_them_does_not_count():
    # in both groups the longer has less; between them it is the other way round
    lengths, rates, groups = [1, 2, 3, 10, 11], [3, 2, 1, 33, 32], ["a", "a", "a", "b", "b"]
    assert pearson(lengths, rates).r > 0.9
    result = pearson_within(lengths, rates, groups)
    assert result.r == pytest.approx(-1) and result.n == 5
    # 5 points less 2, less one mean beyond the first: two degrees; of one point in each group none is left
    assert pearson_within([1, 2, 3], [1, 2, 4], ["a", "b", "c"]).r is None


# ---- units -------------------------------------------------------------------------------------------------

# Krippendorff 2004, p. 254: two observers of a continuum from 150 to 450, here from 0
FIRST = [(75, 145, "c"), (220, 250, "c"), (30, 90, "k"), (150, 200, "k")]
SECOND = [(70, 150, "c"), (205, 225, "c"), (250, 270, "c"), (30, 90, "k"), (150, 200, "k")]


def alpha_u(*texts) -> float:
    sums, alpha = unitizing(texts)
    return float(alpha(sums.sum(axis=0)))


def test_alpha_u_is_that_of_the_published_example():
    """α of type c .7286 (D_o .0144, D_e .0532), of type k 1; together .859 of rounded disagreements."""
    of_type = {
        kind: [[unit for unit in units if unit[2] == kind] for units in (FIRST, SECOND)] for kind in "ck"
    }
    assert alpha_u((300, of_type["c"])) == pytest.approx(0.7286, abs=1e-4)
    assert alpha_u((300, of_type["k"])) == 1
    assert alpha_u((300, [FIRST, SECOND])) == pytest.approx(1 - 0.0144 / (0.0532 + 0.0490), abs=1e-3)


def test_alpha_u_by_hand():
    """Of 10 characters one marks 2–5, the other 3–6: δ² = 1 + 1, and gaps of 2, 5, 3, 4 hold 3 in 3 + 1 + 2 ways."""
    observed = 2 * 2 / (2 * 1 * 10**2)
    expected = 2 / 10 * 2 * (1 / 3 * (54 - 27 + 3) + 9 * 6) / (20 * 19 - 2 * 6)
    assert alpha_u((10, [[(2, 5, "")], [(3, 6, "")]])) == pytest.approx(1 - observed / expected)
    # what one rater marks twice over is one unit; a text that one rater saw adds nothing
    twice = [(2, 4, ""), (3, 5, "")]
    assert alpha_u((10, [twice, [(3, 6, "")]]), (90, [[(1, 80, "")]])) == pytest.approx(
        1 - observed / expected
    )


def test_texts_are_one_continuum_and_each_has_its_share_of_a_gap():
    """Cut in two where neither rater marks, the value is the same, and the rows add up to those of the whole."""
    raters = [[(2, 5, "a"), (12, 15, "a")], [(3, 6, "a"), (13, 14, "b")]]
    parts = [[[unit for unit in units if unit[1] <= 8] for units in raters]]
    parts += [[[(start - 8, end - 8, kind) for start, end, kind in units if start >= 8] for units in raters]]
    assert alpha_u((8, parts[0]), (12, parts[1])) == pytest.approx(alpha_u((20, raters)))
    (whole, _), (cut, _) = unitizing([(20, raters)]), unitizing([(8, parts[0]), (12, parts[1])])
    is_delta = np.arange(whole.shape[1]) == 2
    np.testing.assert_allclose(cut.sum(axis=0)[~is_delta], whole[0, ~is_delta])


def test_alpha_u_is_near_zero_by_chance_and_not_defined_over_nothing():
    generator = np.random.default_rng(5)
    texts = [(60, [[(int(at), int(at) + 8, "x")] for at in generator.integers(0, 53, 3)]) for _ in range(800)]
    assert abs(alpha_u(*texts)) < 0.05
    for nothing in ((), [(9, [[], []])], [(9, [[(1, 2, "a")]])]):
        assert np.isnan(alpha_u(*nothing))
