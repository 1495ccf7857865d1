"""How many more units would tell two subjects apart."""

import numpy as np
import pytest

from truerate.metrics.paired import more_units_to_separate


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
