"""Planted values against estimated ones: what each estimator makes of the closed world, as pictures and as
errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

TEMPLATE = "recovery.html.j2"


@dataclass(frozen=True)
class CellEstimate:
    """One estimate of one cell, with what stands behind it. All but `n` are shares; `value` None with `n` above 0: not identified."""

    value: float | None
    low: float | None = None
    high: float | None = None
    std: float | None = None
    planted: float | None = None
    band: tuple[float | None, float | None] = (None, None)
    n: int = 0
    n_missing: int = 0

    def packed(self) -> Markup:
        """The numbers in per cent behind one another: value, low, high, std, planted, band, n, how many are
        missing; `-` for none.
        """
        numbers = (self.value, self.low, self.high, self.std, self.planted, *self.band)
        shown = ["-" if number is None else f"{100 * number:.2f}" for number in numbers]
        return Markup(" ".join([*shown, str(self.n), str(self.n_missing)]))


def pictured(
    estimators: list[dict], *, second: str, join: str, dot: str, is_open: bool = False
) -> dict | None:
    """The estimators on axes that all share, from zero unless they are open below; None where there is none.

    `second`: what stands beside an estimator's name, and `join` the word between them. `dot`: what a dot is
    of.
    """
    told = [
        point[end]
        for estimator in estimators
        for point in estimator["points"]
        for end in ("estimated", "planted")
    ]
    low = max(0.0, 0.1 * ((min(told) - 1e-9) // 0.1)) if is_open and told else 0.0
    words = {"second": second, "join": join, "dot": dot}
    return {"estimators": estimators, "low": low, "high": _end(told), **words} if estimators else None


def held_against(title: str, beside: str, cells: Mapping[str, CellEstimate]) -> dict | None:
    """An estimator over its cells by name; None where nothing was planted in them.

    Errors are shares: `bias` the mean of estimated − planted, `error` the mean of its absolute value,
    `is_held` the share of intervals that hold the planted value; None over nothing.
    """
    planted = {where: estimate for where, estimate in cells.items() if estimate.planted is not None}
    points = [_point(where, estimate) for where, estimate in planted.items() if estimate.value is not None]
    if not planted:
        return None
    gaps = [point["estimated"] - point["planted"] for point in points]
    ranged = [point for point in points if point["low"] is not None and point["high"] is not None]
    is_held = [point["low"] <= point["planted"] <= point["high"] for point in ranged]
    return {
        "title": title,
        "beside": beside,
        "points": points,
        "n": len(planted),
        "n_not_identified": len(planted) - len(points),
        "bias": sum(gaps) / len(gaps) if gaps else None,
        "error": sum(map(abs, gaps)) / len(gaps) if gaps else None,
        "held": sum(is_held) / len(is_held) if is_held else None,
    }


def _point(where: str, estimate: CellEstimate) -> dict:
    return {
        "where": where,
        "planted": estimate.planted,
        "estimated": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
    }


def _end(values: list[float]) -> float:
    """The end of both axes: tenths that hold nine in ten of the values; points beyond stand at the edge."""
    ordered = sorted(values)
    end = ordered[min(len(ordered) - 1, int(0.97 * len(ordered)))] if ordered else 1.0
    return min(1.0, max(0.1, 0.1 * -(-end // 0.1)))
