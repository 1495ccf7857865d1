"""The reliability rows of boards as curves: bins of p per detector, and what each threshold would give."""

import polars as pl

from truerate.core.schemas import unpaired
from truerate.metrics import thresholds
from truerate.site.charts.curves import Bin, Curve, Cut

BIN, MEAN_P, RATE = "bin", "bin_p", "bin_rate"  # the slice key of a bin, and the two metrics of one
Where = tuple[tuple[str, str], ...]


def curves(rows: pl.DataFrame) -> tuple[Curve, ...]:
    """A curve per board, detector and slice with a text in a bin of p, by name; from measured rows."""
    binned = rows.filter(pl.col("metric").is_in([MEAN_P, RATE]), pl.col("kind") != "planted")
    bins_by_curve: dict[tuple[str, str, Where], dict[tuple[float, float], dict[str, dict]]] = {}
    for row in binned.to_dicts():
        pairs = unpaired(row["slice"])
        low, _, high = pairs.pop(BIN, "").partition("–")
        if high:
            where = tuple(sorted(pairs.items()))
            bins = bins_by_curve.setdefault((row["board"], row["subject"], where), {})
            bins.setdefault((float(low), float(high)), {})[row["metric"]] = row
    drawn_curves = []
    for (board, subject, where), by_edges in sorted(bins_by_curve.items()):
        bins_of_p = []
        for edges, pair in sorted(by_edges.items()):
            p, share = pair.get(MEAN_P, {}), pair.get(RATE, {})
            n, rate = share.get("n") or 0, (share.get("value"), share.get("low"), share.get("high"))
            bins_of_p.append(Bin(*edges, n, p.get("value"), *rate))
        plain = [thresholds.Bin(part.low, part.high, part.n, part.mean_p, part.rate) for part in bins_of_p]
        cuts = [Cut(*at_cut) for at_cut in thresholds.at_cuts(plain)]
        drawn_curves.append(Curve(board, subject, where, bins_of_p, cuts))
    return tuple(curve for curve in drawn_curves if curve.n)
