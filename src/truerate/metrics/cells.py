"""Ratios of sums in many cells at once, each with a cluster-robust interval: one pass over the rows, no
resampling.

A cell is a combination of the columns in `by` (subject, slice); a cluster (entity) is what was drawn
independently. A ratio is a sum over a sum: a share of facts, or the mean of a score over the replies that
have one (the score over 1). For few cells the bootstrap of `metrics.intervals` does the same at a thousand
times the cost.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import polars as pl

from truerate.core.aggregates import total
from truerate.metrics.intervals import SHOWN, Interval, z_of
from truerate.metrics.rates import mean_of_intervals

Ratios = Mapping[str, tuple[pl.Expr, pl.Expr]]  # numerator and denominator, by name
Products = Mapping[str, tuple[str, str]]  # the two ratios of a product, by its name
ESTIMATE = ("value", "low", "high", "n", "n_effective", "n_clusters")
MOMENTS = ("y", "x", "yy", "xy", "xx", "c")
CROSSED = ("yy", "yx", "xy", "xx")  # of the first ratio's numerator or denominator with the second's
EVEN = 1e-12  # residuals below this share of the squares are rounding: all clusters agree


NO_PRODUCTS: Products = MappingProxyType({})


def mean_of(column: str) -> tuple[pl.Expr, pl.Expr]:
    """The mean of a column over the rows where it is not null, as numerator and denominator."""
    return pl.col(column).cast(pl.Float64), pl.col(column).is_not_null()


def moments(
    rows: pl.DataFrame,
    ratios: Ratios,
    *,
    by: Sequence[str],
    cluster: Sequence[str],
    products: Products = NO_PRODUCTS,
) -> pl.DataFrame:
    """Per value of `by` and ratio the sums over clusters that an interval needs: Σy, Σx, Σy², Σxy, Σx²,
    clusters with x > 0.

    `cluster`: the columns that name a cluster of one subject; each lies in one value of `by`. Numerators and
    denominators are summed within it first (null counts as 0). Moments of finer cells add up to those of
    coarser ones, so that all views come from one pass. For each of `products` (of two of the ratios) the sums
    of what the two have in common stand beside them.
    """
    parts = {
        f"{kind} {name}": part.cast(pl.Float64).fill_null(0.0)
        for name, pair in ratios.items()
        for kind, part in zip("yx", pair, strict=True)
    }
    each = rows.select(*dict.fromkeys([*by, *cluster]), **parts)
    if each.select(cluster).is_duplicated().any():
        carried = [name for name in by if name not in cluster]
        each = each.group_by(cluster, maintain_order=True).agg(
            pl.col(carried).first(), total(pl.col(list(parts)))
        )
    crossed = (
        total(pl.col(f"{kind[0]} {first}") * pl.col(f"{kind[1]} {second}")).alias(f"crossed {kind} {name}")
        for name, (first, second) in products.items()
        for kind in CROSSED
    )
    return each.group_by(by, maintain_order=True).agg(
        *(moment for name in ratios for moment in _moments(name)), *crossed
    )


def _moments(name: str) -> list[pl.Expr]:
    y, x = pl.col(f"y {name}"), pl.col(f"x {name}")
    parts = (*map(total, (y, x, y * y, x * y, x * x)), (x > 0).sum())
    return [part.alias(f"{kind} {name}") for kind, part in zip(MOMENTS, parts, strict=True)]


def ratio_cells(
    sums: pl.DataFrame, names: Sequence[str], *, by: Sequence[str], confidence: float, is_share: bool = True
) -> pl.DataFrame:
    """One row per cell and ratio, sorted by cell: `by`, `metric`, `value`, `low`, `high`, `n`, `n_effective`,
    `n_clusters`.

    `sums`: as from `moments`, which knows the ratios by these names. `n` is the sum of denominators. The
    variance is the linearised one over clusters, C/(C − 1) · Σ (y_c − r·x_c)² / (Σ x)². A share gets Wilson's
    interval: on its rows where each cluster holds at most one of yes or no, else on the number of independent
    rows that it is worth, r(1 − r) over its variance, fewer for few clusters (Korn & Graubard 1998); where
    all clusters agree each counts as one row. With `is_share` false (a mean that is not in [0, 1]) it is r ±
    t · √variance. Value is null over nothing, the interval also over one cluster, and for a mean also where
    all clusters agree: nothing then says how far it may move.
    """
    totals = (
        sums.group_by(by, maintain_order=True)
        .agg(total(pl.col([f"{kind} {name}" for name in names for kind in MOMENTS])))
        .sort(by)
    )
    of = shares if is_share else means
    rows = []
    for name in names:
        intervals = of(*_arrays(totals, MOMENTS, name), confidence=confidence)
        rows.append(_rows_of(totals, by, name, intervals, totals[f"x {name}"], totals[f"c {name}"]))
    return pl.concat(rows).sort(by, maintain_order=True)


def product_cells(
    sums: pl.DataFrame, products: Products, *, by: Sequence[str], confidence: float
) -> pl.DataFrame:
    """One row per cell and product of two shares, as from `ratio_cells`: the second is a share of some of the
    first one's hits.

    The estimate is the product of both shares, so that rows of which the second is not known are as the
    others. Its interval is that of `product_of_shares`. `n` is the number of rows that it rests on: those
    that are no hit of the first, and those of the second; `n_clusters` those of the second. `n_effective` is
    null. Value and interval are null where the second is over nothing.
    """
    factors = [name for pair in products.values() for name in pair]
    columns = [f"{kind} {name}" for name in dict.fromkeys(factors) for kind in MOMENTS]
    columns += [f"crossed {kind} {name}" for name in products for kind in CROSSED]
    totals = sums.group_by(by, maintain_order=True).agg(total(pl.col(columns))).sort(by)
    rows = []
    for name, pair in products.items():
        first, second = (_arrays(totals, MOMENTS, factor) for factor in pair)
        crossed = [totals[f"crossed {kind} {name}"].to_numpy().astype(float) for kind in CROSSED]
        product = product_of_shares(first, second, crossed, confidence=confidence)
        n = pl.Series(np.round(first[1] - first[0] + second[1]))
        unknown = np.full(len(n), np.nan)
        rows.append(_rows_of(totals, by, name, (*product, unknown), n, pl.Series(second[5])))
    return pl.concat(rows).sort(by, maintain_order=True)


def _arrays(totals: pl.DataFrame, kinds: Sequence[str], name: str) -> list[np.ndarray]:
    return [totals[f"{kind} {name}"].to_numpy().astype(float) for kind in kinds]


def _rows_of(
    totals: pl.DataFrame,
    by: Sequence[str],
    name: str,
    intervals: Sequence[np.ndarray],
    n: pl.Series,
    n_clusters: pl.Series,
) -> pl.DataFrame:
    """One row per cell of a metric from value, low, high and effective n, (cells,) each; NaN is null."""
    plain = pl.DataFrame(dict(zip(("value", "low", "high", "n_effective"), intervals, strict=True)))
    counts = {"n": n.round().cast(pl.Int64), "n_clusters": n_clusters.cast(pl.Int64)}
    whole = plain.fill_nan(None).with_columns(metric=pl.lit(name), **counts)
    return pl.concat([totals.select(*by), whole], how="horizontal").select(*by, "metric", *ESTIMATE)


def product_of_shares(
    first: Sequence[np.ndarray],
    second: Sequence[np.ndarray],
    crossed: Sequence[np.ndarray],
    *,
    confidence: float,
) -> tuple[np.ndarray, ...]:
    """Value, low and high of products of two shares from their MOMENTS and CROSSED sums over clusters, each
    (cells,).

    Each share has its clustered Wilson interval (`shares`); what each end moves the product by is squared and
    added, with twice the correlation of the two over clusters (Zou & Donner 2008's recovery of variances; a
    correlation below 0 counts as 0). Unlike the delta method it keeps a width where one share is 0 or 1.
    Where the first share is 0 so is the product, and its upper end is the first's.
    """
    (p, p_low, p_high, _), (q, q_low, q_high, _) = (
        shares(*end, confidence=confidence) for end in (first, second)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        yy, yx, xy, xx = crossed
        # Σ of the clusters' residuals of the one times those of the other
        common = yy - q * yx - p * xy + p * q * xx
        moment = _residuals(p, *first[1:5]) * _residuals(q, *second[1:5])
        rho = np.clip(np.where(moment > 0, common / np.sqrt(moment), 0.0), 0.0, 1.0)
        below, above = (
            (q * np.abs(p - end), p * np.abs(q - other)) for end, other in ((p_low, q_low), (p_high, q_high))
        )
        low, high = (
            sign * np.sqrt(a * a + b * b + 2 * rho * a * b) for sign, (a, b) in ((-1, below), (1, above))
        )
        value = np.where(p == 0, 0.0, p * q)
        low, high = (np.where(p == 0, end, value + gap) for end, gap in ((0.0 * p_high, low), (p_high, high)))
    return value, np.maximum(0.0, low), np.minimum(1.0, high)


def shares(*sums: np.ndarray, confidence: float) -> tuple[np.ndarray, ...]:
    """Value, low, high and effective n of shares from their sums over clusters (cells,): Σy, Σx, Σy², Σxy,
    Σx², clusters with x > 0; the rule of `intervals.share_interval` where rows lie in [0, 1].

    Rows may be estimates of yes or no that leave [0, 1]. The value is cut to it; what such rows add to the
    variance, Σ y(y − x) / (Σx)², has no part in the n but stands beside it in Wilson's inequality, whatever
    the share may be: (r − p)² ≤ z² · (p(1 − p)/n + added).
    """
    from scipy.special import stdtrit

    y, x, yy, xy, xx, c = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        value, variance = _ratio(*sums)
        value = np.clip(value, 0.0, 1.0)
        beyond = yy - xy  # of rows within [0, 1] none
        added = np.where(beyond > EVEN * yy, c / (c - 1) * beyond / (x * x), 0.0)
        # Where every cluster holds one row of yes or no at most its squares are itself: these are independent
        # rows.
        is_apart = (np.abs(xx - x) <= EVEN * x) & (np.abs(yy - y) <= EVEN * x) & (x > 0)
        within = variance - added
        worth = np.where((within > 0) & (value > 0) & (value < 1), value * (1 - value) / within, c)
        z, t = z_of(confidence), stdtrit(np.maximum(c - 1, 1), (1 + confidence) / 2)
        widened = (z / t) ** 2
        n = np.where(is_apart, x, np.where(c > 1, worth * widened, np.nan))
        middle, half = _wilson(value, n, added / widened, z=z)
        # A trace in one cluster is no certainty (`intervals.wilson_clustered`).
        reads_as_none = ~is_apart & (2 * half < SHOWN) & (worth > c)
        n = np.where(reads_as_none, c * widened, n)
        middle, half = _wilson(value, n, added / widened, z=z)
        return value, np.maximum(0.0, middle - half), np.minimum(1.0, middle + half), n


def _wilson(
    value: np.ndarray, n: np.ndarray, added: np.ndarray, *, z: float
) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half-width of Wilson's interval of shares of `n` rows, with a variance `added` to theirs."""
    spread = value * (1 - value) / n + z * z / (4 * n * n) + added * (1 + z * z / n)
    return (value + z * z / (2 * n)) / (1 + z * z / n), z / (1 + z * z / n) * np.sqrt(spread)


def means(*sums: np.ndarray, confidence: float) -> tuple[np.ndarray, ...]:
    """Value, low, high and number of clusters of ratios that are no shares, from sums as of `shares`."""
    from scipy.special import stdtrit

    c = sums[5]
    with np.errstate(invalid="ignore", divide="ignore"):
        value, variance = _ratio(*sums)
        t = stdtrit(np.maximum(c - 1, 1), (1 + confidence) / 2)
        half = np.where((c > 1) & (variance > 0), t * np.sqrt(variance), np.nan)
        return value, value - half, value + half, c


def _ratio(*sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y, x, yy, xy, xx, c = sums
    value = np.where(x > 0, y / x, np.nan)
    return value, c / (c - 1) * _residuals(value, x, yy, xy, xx) / (x * x)


def _residuals(
    value: np.ndarray, x: np.ndarray, yy: np.ndarray, xy: np.ndarray, xx: np.ndarray
) -> np.ndarray:
    """Σ (y_c − value · x_c)² over clusters; what is rounding is 0."""
    squares = yy - 2 * value * xy + value * value * xx
    return np.where(squares > EVEN * (yy + value * value * xx), squares, 0.0)


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Means (…,) over the last axis of values (…, times), NaN left out; NaN where all are."""
    is_defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(is_defined, values, 0.0).sum(axis=-1) / is_defined.sum(axis=-1)


def spread(values: np.ndarray) -> float | None:
    """The standard deviation (n − 1) of all values, in their unit (mFAVA's ± over seeds); None over fewer
    than two, or where one is not defined.
    """
    values = np.asarray(values, dtype=float)
    return float(np.std(values, ddof=1)) if values.size > 1 and not np.isnan(values).any() else None


def mean_of_cells(estimates: Sequence[Interval], *, is_independent: bool = True) -> Interval | None:
    """The plain mean of estimates, as over languages, with the interval of `rates.mean_of_intervals`; NaN
    ends where one of them has none, None where one has no value. `is_independent`: whether no cluster stands
    behind two of them.
    """
    if any(np.isnan(estimate.value) for estimate in estimates):
        return None
    if any(np.isnan([estimate.low, estimate.high]).any() for estimate in estimates):
        return Interval(float(np.mean([estimate.value for estimate in estimates])), np.nan, np.nan)
    return mean_of_intervals(list(estimates), is_independent=is_independent)
