"""Which interval a score gets."""

import numpy as np
import pytest

from truerate.config import Statistics
from truerate.metrics.agreement import agreement_sums, fleiss_kappa
from truerate.metrics.intervals import wilson
from truerate.metrics.recognition import macro_f1
from truerate.metrics.score_writer import RULES, ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


def test_independent_rows_get_wilson_and_clusters_a_wider_one():
    hits = [True, True, True, False] * 10
    alone = WRITER.share("m", "s", {}, hits, [str(index) for index in range(40)])
    expected = wilson(30, 40, confidence=0.95)
    assert (alone["value"], alone["low"], alone["high"]) == pytest.approx(tuple(expected), abs=1e-6)
    # clusters of four equal rows hold a quarter of the information
    together = WRITER.share("m", "s", {}, sorted(hits), [str(index // 4) for index in range(40)])
    assert together["value"] == 0.75
    assert together["high"] - together["low"] > 1.3 * (alone["high"] - alone["low"])


def test_rows_that_do_not_count_do_not_make_a_cluster():
    """Of every pair one row counts: the rows that count are independent."""
    clusters = [str(index // 2) for index in range(80)]
    counts = np.arange(80) % 2
    (row,) = WRITER.shares("s", [("m", {}, counts * (np.arange(80) < 60), counts)], clusters)
    expected = wilson(30, 40, confidence=0.95)
    assert (row["value"], row["low"], row["high"], row["n"]) == pytest.approx((*expected, 40), abs=1e-6)


def test_a_slice_by_pattern_is_judged_by_its_own_groups_and_covers():
    """Both sides of 80 pairs, a quarter of the hallucinated ones of one pattern: its rows are independent,
    whatever the other rows of their groups are.
    """
    rng, covered, widths = np.random.default_rng(4), 0, []
    clusters = [str(index // 2) for index in range(160)]
    for _ in range(400):
        inside = (np.arange(160) % 2 == 0) & np.repeat(rng.random(80) < 0.25, 2)
        hits = rng.random(160) < 0.8
        (row,) = WRITER.shares("s", [("tpr", {"pattern": "p"}, hits & inside, inside)], clusters)
        expected = wilson(int((hits & inside).sum()), int(inside.sum()), confidence=0.95)
        assert (row["low"], row["high"]) == pytest.approx(expected[1:], abs=1e-6)
        covered += row["low"] <= 0.8 <= row["high"]
        widths.append(row["high"] - row["low"])
    assert covered / 400 > 0.93 and np.mean(widths) < 0.35


def test_one_rule_for_shares_with_and_without_weights():
    hits, clusters = np.arange(40) % 3 == 0, [str(index // 4) for index in range(40)]
    plain = WRITER.share("m", "s", {}, hits, clusters)
    assert WRITER.share("m", "s", {}, hits, clusters, np.full(40, 7.0)) == plain
    assert WRITER.shares("s", [("m", {}, hits, np.ones(40))], clusters) == [plain]
    half = WRITER.share("m", "s", {}, hits, clusters, (np.arange(40) < 20) * 2.0)
    assert half == WRITER.share("m", "s", {}, hits[:20], clusters[:20])


def test_rows_of_a_cluster_that_differ_are_worth_more():
    """Of nine pairs in ten exactly one row is right, as of a judge that always says Yes: the rate hardly
    moves.
    """
    hits = np.tile([True, False], 20)
    hits[[0, 1, 10, 11]] = True, True, False, False
    clusters = [str(index // 2) for index in range(40)]
    row = WRITER.share("m", "s", {}, hits, clusters)
    independent = wilson(20, 40, confidence=0.95)
    assert row["value"] == 0.5 and row["high"] - row["low"] < 0.55 * (independent.high - independent.low)


def test_no_interval_without_width_at_an_edge():
    """All texts right, and all annotators agree: each statistic has the interval of its clusters."""
    label = np.arange(24) % 2 == 0
    clusters = [str(index // 2) for index in range(24)]
    both = np.stack([2.0 * label, 2.0 * label, 2.0 * ~label, 2.0 * ~label], axis=1)
    perfect = wilson(12, 12, confidence=0.95).low
    row = WRITER.statistic("macro_f1", "s", {}, both, clusters, macro_f1)
    assert (row["value"], row["low"], row["high"]) == pytest.approx((1, perfect, 1), abs=1e-6)
    (row,) = WRITER.ratios("s", [("f1", {}, 2.0 * label, 2.0 * label)], clusters)
    assert (row["value"], row["low"], row["high"]) == pytest.approx((1, perfect, 1), abs=1e-6)
    counts = agreement_sums(np.array([[3.0, 0.0], [0.0, 3.0]] * 12))
    row = WRITER.statistic("kappa", "s", {}, counts, clusters, fleiss_kappa, bounds=(-1.0, 1.0))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((1, 2 * perfect - 1, 1), abs=1e-6)


def test_every_kind_of_quantity_has_a_rule_in_words():
    assert {"share", "statistic"} <= set(RULES) and all(RULES.values())


def test_one_cluster_has_a_value_but_no_interval():
    row = WRITER.share("m", "s", {"task": "qa"}, [True, False], ["a", "a"])
    assert (row["value"], row["low"], row["high"], row["n"]) == (0.5, None, None, 2)
    row = WRITER.statistic(
        "m", "s", {}, np.array([[1.0, 2.0]]), ["a"], lambda totals: totals[:, 0] / totals[:, 1]
    )
    assert (row["value"], row["low"]) == (0.5, None)


def test_nothing_is_null():
    assert WRITER.share("m", "s", {}, [], []) | {"n": 0} == WRITER.row("m", "s", {}, None, 0)
    row = WRITER.statistic("m", "s", {}, np.zeros((0, 2)), [], lambda totals: totals[:, 0] / totals[:, 1])
    assert (row["value"], row["n"]) == (None, 0)


def test_counts_have_no_interval():
    row = WRITER.count("m", "s", {"task": None}, 3, 9)
    assert (row["value"], row["low"], row["n"], row["slice"]) == (3.0, None, 9, [])
