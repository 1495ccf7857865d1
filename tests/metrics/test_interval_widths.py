"""Whatever is degenerate (all 0, all 1, one row, one cluster, clusters that agree, a trace), an interval has
a width and holds its value, or there is none.
"""

from itertools import product
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from truerate.metrics import agreement, spans
from truerate.metrics.cells import mean_of, moments, product_cells, ratio_cells
from truerate.metrics.estimators import sample
from truerate.metrics.estimators.registry import estimate_board
from truerate.metrics.intervals import SHOWN, cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.rates import Share, clustered_share, rogan_gladen
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("b", "i", SimpleNamespace(confidence=0.95, n_bootstrap=200), 0)


def columns(n: int) -> dict[str, np.ndarray]:
    first = np.eye(1, n)[0]
    rng = np.random.default_rng(n)
    return {
        "zeros": np.zeros(n),
        "ones": np.ones(n),
        "halves": np.full(n, 0.5),
        "one hit": first,
        "one miss": 1 - first,
        "a trace": first * 1e-3,
        "a trace less": 1 - first * 1e-3,
        "drawn": (rng.random(n) < 0.5).astype(float),
    }


def clusterings(n: int) -> list[list[str]]:
    return [[f"c{index % k}" for index in range(n)] for k in sorted({1, min(2, n), min(5, n), n})]


CASES = [
    pytest.param(columns(n)[name], clusters, id=f"{name}-{n}-in-{len(set(clusters))}")
    for n in (1, 2, 5, 50)
    for name in columns(n)
    for clusters in clusterings(n)
]


def is_sound(value, low, high) -> bool:
    ends = [end is None or bool(np.isnan(end)) for end in (low, high)]
    return all(ends) or (not any(ends) and high - low >= SHOWN - 1e-9 and low - 1e-6 <= value <= high + 1e-6)


def of(row: dict) -> tuple:
    return row["value"], row["low"], row["high"]


@pytest.mark.parametrize(("values", "clusters"), CASES)
def test_shares_and_means(values, clusters):
    rows = pl.DataFrame({"s": "a", "c": clusters, "x": values})
    sums = moments(rows, {"x": mean_of("x")}, by=["s"], cluster=["s", "c"])
    result = [
        WRITER.share("m", "s", {}, values, clusters),
        WRITER.mean("m", "s", {}, values, clusters),
        WRITER.mean("m", "s", {}, 2 * values - 1, clusters, bounds=(-1.0, 1.0)),
        *ratio_cells(sums, ["x"], by=["s"], confidence=0.95).to_dicts(),
        *ratio_cells(sums, ["x"], by=["s"], confidence=0.95, is_share=False).to_dicts()[
            : int(np.ptp(values) > 0.1)
        ],
    ]
    assert [row for row in result if not is_sound(*of(row))] == []


@pytest.mark.parametrize(("values", "clusters"), CASES)
def test_f1_kappa_differences_products_and_corrected_rates(values, clusters):
    n = len(values)
    for other in columns(n).values():
        gold, flagged = (side > 0.4 for side in (values, other))
        table = np.eye(4)[2 * gold + flagged]
        counts = np.stack([gold, flagged, gold & flagged], axis=1)
        result = [
            WRITER.statistic("m", "s", {}, counts, clusters, spans.span_f1),
            *WRITER.ratios("s", [("m", {}, gold & flagged, flagged)], clusters),
            WRITER.statistic(
                "m", "s", {}, table, clusters,
                lambda sums: agreement.cohen_kappa(sums.reshape(-1, 2, 2)), bounds=(-1.0, 1.0),
            ),
        ]  # fmt: skip
        rows = pl.DataFrame(
            {"s": "a", "c": clusters, "p": gold, "q": np.where(gold, flagged, np.nan)}
        ).fill_nan(None)
        parts = {name: mean_of(name) for name in "pq"}
        sums = moments(rows, parts, by=["s"], cluster=["s", "c"], products={"pq": ("p", "q")})
        result += product_cells(sums, {"pq": ("p", "q")}, by=["s"], confidence=0.95).to_dicts()
        sides = [cluster_sums(clusters, np.stack([side, np.ones(n)], axis=1)) for side in (gold, flagged)]
        gap = np.array([[1.0], [-1.0]])
        both = np.hstack([sides[0][:, :1], sides[1][:, :1], sides[0][:, 1:], sides[1][:, 1:]])
        given = [item for item, _ in ratio_contrasts(both, gap, n_resamples=200, confidence=0.95, seed=0)]
        tpr, fpr = (clustered_share(*side.T, confidence=0.95) for side in sides)
        for share, m in product((0, 0.3, 1), (1, 50)):
            rate = rogan_gladen(Share(share * m, m), tpr, fpr, confidence=0.95)
            given += [] if rate is None or rate.value is None else [rate[:3]]
        assert [item for item in [*map(of, result), *given] if not is_sound(*item)] == []


@pytest.mark.parametrize("target", ["these", "model"])
@pytest.mark.parametrize("n_labelled", [1, 2, 4, 5])
def test_every_estimator_of_a_board_of_constant_predictors(target, n_labelled):
    for flagged, gold in product((0.0, 1.0), repeat=2):
        labels = np.where(np.arange(5) < n_labelled, gold, np.nan)
        cell = sample.verdicts(np.full(5, flagged), labels, list("abcde"))
        cells = {(model, lang): cell for model in "xy" for lang in ("en", "de", "fr")}
        for key, each in estimate_board(cells, confidence=0.95, target=target).items():
            for item in each:
                if item.interval is not None and item.interval.value is not None:
                    assert is_sound(*item.interval[:3]), (key, item)
