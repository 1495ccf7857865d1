"""Which interval a score gets."""

import numpy as np
import pytest

from truerate.config import Statistics
from truerate.metrics.intervals import wilson
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


def test_independent_rows_get_wilson_and_clusters_a_wider_bootstrap():
    hits = [True, True, True, False] * 10
    alone = WRITER.share("m", "s", {}, hits, [str(place) for place in range(40)])
    known = wilson(30, 40, confidence=0.95)
    assert (alone["value"], alone["low"], alone["high"]) == pytest.approx(tuple(known), abs=1e-6)
    # clusters of four equal rows hold a quarter of the information
    together = WRITER.share("m", "s", {}, sorted(hits), [str(place // 4) for place in range(40)])
    assert together["value"] == 0.75 and together["high"] - together["low"] > 1.3 * (
        alone["high"] - alone["low"]
    )


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
