"""Ratios of sums in many cells at once, each with a cluster-robust interval: one pass over the rows, no resampling.

A cell is a combination of the columns in `by` (subject, slice); a cluster (entity) is what was drawn independently. A ratio is a sum over a
sum: a share of facts, or the mean of a score over the replies that have one (the score over 1). For few cells the bootstrap of
`metrics.intervals` does the same at a thousand times the cost.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from truerate.metrics.intervals import z_of

Ratios = Mapping[str, tuple[pl.Expr, pl.Expr]]  # numerator and denominator, by name
FOUND = ("value", "low", "high", "n", "n_effective", "n_clusters")
MOMENTS = ("y", "x", "yy", "xy", "xx", "c")
EVEN = 1e-12  # residuals below this share of the squares are rounding: all clusters agree


def mean_of(column: str) -> tuple[pl.Expr, pl.Expr]:
    """The mean of a column over the rows where it is not null, as numerator and denominator."""
    return pl.col(column).cast(pl.Float64), pl.col(column).is_not_null()


def moments(rows: pl.DataFrame, ratios: Ratios, *, by: Sequence[str], cluster: Sequence[str]) -> pl.DataFrame:
    """Per value of `by` and ratio the sums over clusters that an interval needs: Σy, Σx, Σy², Σxy, Σx², clusters with x > 0.

    `cluster`: the columns that name a cluster of one subject; each lies in one value of `by`. Numerators and denominators are summed within
    it first (null counts as 0). Moments of finer cells add up to those of coarser ones, so that all views come from one pass.
    """
    parts = {
        f"{kind} {name}": part.cast(pl.Float64).fill_null(0.0)
        for name, pair in ratios.items()
        for kind, part in zip("yx", pair, strict=True)
    }
    each = rows.select(*dict.fromkeys([*by, *cluster]), **parts)
    if each.select(cluster).is_duplicated().any():
        carried = [name for name in by if name not in cluster]
        each = each.group_by(cluster, maintain_order=True).agg(pl.col(carried).first(), pl.col(list(parts)).sum())
    return each.group_by(by, maintain_order=True).agg(*(one for name in ratios for one in _moments(name)))


def _moments(name: str) -> list[pl.Expr]:
    y, x = pl.col(f"y {name}"), pl.col(f"x {name}")
    parts = (y.sum(), x.sum(), y.dot(y), x.dot(y), x.dot(x), (x > 0).sum())
    return [part.alias(f"{kind} {name}") for kind, part in zip(MOMENTS, parts, strict=True)]


def ratio_cells(sums: pl.DataFrame, names: Sequence[str], *, by: Sequence[str], confidence: float, is_share: bool = True) -> pl.DataFrame:
    """One row per cell and ratio, sorted by cell: `by`, `metric`, `value`, `low`, `high`, `n`, `n_effective`, `n_clusters`.

    `sums`: as from `moments`, which knows the ratios by these names. `n` is the sum of denominators. The variance is the linearised one
    over clusters, C/(C − 1) · Σ (y_c − r·x_c)² / (Σ x)². A share gets Wilson's interval on the number of independent rows that it is worth,
    r(1 − r) over its variance, fewer for few clusters (Korn & Graubard 1998); where all clusters agree each counts as one row. With
    `is_share` false (a mean that is not in [0, 1]) it is r ± t · √variance. Value is null over nothing, the interval also over one cluster,
    and for a mean also where all clusters agree: nothing then says how far it may move.
    """
    totals = sums.group_by(by).agg(pl.col([f"{kind} {name}" for name in names for kind in MOMENTS]).sum()).sort(by)
    return pl.concat([_told(totals, by, name, confidence, is_share) for name in names]).sort(by, maintain_order=True)


def _told(totals: pl.DataFrame, by: Sequence[str], name: str, confidence: float, is_share: bool) -> pl.DataFrame:
    """The intervals of one ratio in all cells."""
    columns = [totals[f"{part} {name}"].to_numpy().astype(float) for part in MOMENTS]
    found = (shares if is_share else means)(*columns, confidence=confidence)
    plain = pl.DataFrame(dict(zip(("value", "low", "high", "n_effective"), found, strict=True))).fill_nan(None)
    counts = {"n": totals[f"x {name}"].round().cast(pl.Int64), "n_clusters": totals[f"c {name}"].cast(pl.Int64)}
    whole = pl.concat([totals.select(*by), plain.with_columns(metric=pl.lit(name), **counts)], how="horizontal")
    return whole.select(*by, "metric", *FOUND)


def shares(y, x, yy, xy, xx, c, *, confidence: float) -> tuple[np.ndarray, ...]:
    """Value, low, high and effective n of shares from their sums over clusters (cells,): Σy, Σx, Σy², Σxy, Σx², clusters with x > 0."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore", divide="ignore"):
        value, variance = _ratio(y, x, yy, xy, xx, c)
        known = c > 1
        worth = np.where((variance > 0) & (value > 0) & (value < 1), value * (1 - value) / variance, c)
        z, t = z_of(confidence), stdtrit(np.maximum(c - 1, 1), (1 + confidence) / 2)
        n = np.where(known, worth * (z / t) ** 2, np.nan)
        middle = (value + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(value * (1 - value) / n + z * z / (4 * n * n))
        return value, np.maximum(0.0, middle - half), np.minimum(1.0, middle + half), n


def means(y, x, yy, xy, xx, c, *, confidence: float) -> tuple[np.ndarray, ...]:
    """Value, low, high and number of clusters of ratios that are no shares, from the same sums as `shares`."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore", divide="ignore"):
        value, variance = _ratio(y, x, yy, xy, xx, c)
        half = np.where((c > 1) & (variance > 0), stdtrit(np.maximum(c - 1, 1), (1 + confidence) / 2) * np.sqrt(variance), np.nan)
        return value, value - half, value + half, c


def _ratio(y, x, yy, xy, xx, c) -> tuple[np.ndarray, np.ndarray]:
    value = np.where(x > 0, y / x, np.nan)
    residuals = yy - 2 * value * xy + value * value * xx
    residuals = np.where(residuals > EVEN * (yy + value * value * xx), residuals, 0.0)
    return value, c / (c - 1) * residuals / (x * x)
