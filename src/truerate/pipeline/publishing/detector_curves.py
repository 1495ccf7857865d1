"""The reliability rows of boards as curves: bins of p per detector, and what each threshold would give."""

from collections.abc import Iterable

import polars as pl

from truerate.core.schemas import unpaired
from truerate.metrics import thresholds
from truerate.site.charts.curves import Bin, Curve, Cut

BIN, MEAN_P, RATE = "bin", "bin_p", "bin_rate"  # the slice key of a bin, and the two metrics of one
Where = tuple[tuple[str, str], ...]


def curves(rows: pl.DataFrame) -> tuple[Curve, ...]:
    """A curve per board, detector and slice with a text in one of its bins of p, by name; from measured rows alone."""
    binned = rows.filter(pl.col("metric").is_in([MEAN_P, RATE]), pl.col("kind") != "planted")
    bins_by_curve: dict[tuple[str, str, Where], dict[tuple[float, float], dict[str, dict]]] = {}
    for row in binned.to_dicts():
        pairs = unpaired(row["slice"])
        low, _, high = pairs.pop(BIN, "").partition("–")
        if high:
            where = tuple(sorted(pairs.items()))
            bins = bins_by_curve.setdefault((row["board"], row["subject"], where), {})
            bins.setdefault((float(low), float(high)), {})[row["metric"]] = row
    drawn_curves = (_curve(*address, bins) for address, bins in sorted(bins_by_curve.items()))
    return tuple(curve for curve in drawn_curves if curve.n)


def _curve(board: str, subject: str, where: Where, bins: dict) -> Curve:
    bin_list = [_bin(edges, pair.get(MEAN_P), pair.get(RATE)) for edges, pair in sorted(bins.items())]
    return Curve(board, subject, where, bin_list, list(_cuts(bin_list)))


def _bin(edges: tuple[float, float], mean_p: dict | None, rate: dict | None) -> Bin:
    p, share = mean_p or {}, rate or {}
    n = share.get("n") or 0
    return Bin(*edges, n, p.get("value"), share.get("value"), share.get("low"), share.get("high"))


def _cuts(bins: Iterable[Bin]) -> Iterable[Cut]:
    plain = [thresholds.Bin(edge.low, edge.high, edge.n, edge.mean_p, edge.rate) for edge in bins]
    return (Cut(*at_cut) for at_cut in thresholds.at_cuts(plain))
