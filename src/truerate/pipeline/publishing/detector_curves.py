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
    found: dict[tuple[str, str, Where], dict[tuple[float, float], dict[str, dict]]] = {}
    for row in binned.to_dicts():
        held = unpaired(row["slice"])
        low, _, high = held.pop(BIN, "").partition("–")
        if high:
            where = tuple(sorted(held.items()))
            bins = found.setdefault((row["board"], row["subject"], where), {})
            bins.setdefault((float(low), float(high)), {})[row["metric"]] = row
    made = (_curve(*address, bins) for address, bins in sorted(found.items()))
    return tuple(one for one in made if one.n)


def _curve(board: str, subject: str, where: Where, bins: dict) -> Curve:
    told = [_bin(edges, pair.get(MEAN_P), pair.get(RATE)) for edges, pair in sorted(bins.items())]
    return Curve(board, subject, where, told, list(_cuts(told)))


def _bin(edges: tuple[float, float], mean_p: dict | None, rate: dict | None) -> Bin:
    p, share = mean_p or {}, rate or {}
    n = share.get("n") or 0
    return Bin(*edges, n, p.get("value"), share.get("value"), share.get("low"), share.get("high"))


def _cuts(bins: Iterable[Bin]) -> Iterable[Cut]:
    plain = [thresholds.Bin(one.low, one.high, one.n, one.mean_p, one.rate) for one in bins]
    return (Cut(*at_cut) for at_cut in thresholds.at_cuts(plain))
