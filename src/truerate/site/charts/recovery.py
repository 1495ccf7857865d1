"""Planted values against estimated ones: each estimator as pictures and as errors."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

TEMPLATE = "recovery.html.j2"


@dataclass(frozen=True)
class CellEstimate:
    """One estimate of a cell; shares, but for `n`; `value` None with `n` above 0: not identified."""

    value: float | None
    low: float | None = None
    high: float | None = None
    std: float | None = None
    planted: float | None = None
    band: tuple[float | None, float | None] = (None, None)
    n: int = 0
    n_missing: int = 0

    def packed(self) -> Markup:
        """The numbers in per cent: value, low, high, std, planted, band, n, n missing; `-` for none."""
        numbers = (self.value, self.low, self.high, self.std, self.planted, *self.band)
        shown = ["-" if number is None else f"{100 * number:.2f}" for number in numbers]
        return Markup(" ".join([*shown, str(self.n), str(self.n_missing)]))


def pictured(
    estimators: list[dict | None], *, second: str, join: str, dot: str, is_open: bool = False
) -> dict | None:
    """The estimators on axes that all share, from zero unless they are open below; None where there is none.

    `estimators`: of `against_planted`. `second`: what stands beside an estimator's name, and `join` the word
    between them. `dot`: what a dot is of.
    """
    shown = [estimator for estimator in estimators if estimator]
    points = [point for estimator in shown for point in estimator["points"]]
    values = sorted(value for point in points for value in (point["estimated"], point["planted"]))
    low = max(0.0, 0.1 * ((values[0] - 1e-9) // 0.1)) if is_open and values else 0.0
    # the end of both axes: tenths that hold nearly all values; points beyond stand at the edge
    end = values[min(len(values) - 1, int(0.97 * len(values)))] if values else 1.0
    high = min(1.0, max(0.1, 0.1 * -(-end // 0.1)))
    axes = {"low": low, "high": high}
    return {"estimators": shown, "second": second, "join": join, "dot": dot} | axes if shown else None


def against_planted(title: str, beside: str, cells: Mapping[str, CellEstimate]) -> dict | None:
    """An estimator over its cells by name; None where nothing was planted in them.

    Errors are shares: `bias` the mean of estimated − planted, `error` the mean of its absolute value,
    `coverage` the share of intervals that hold the planted value; None over nothing.
    """
    planted = {where: estimate for where, estimate in cells.items() if estimate.planted is not None}
    if not planted:
        return None
    points = [
        {"where": where, "planted": estimate.planted, "estimated": estimate.value}
        | {"low": estimate.low, "high": estimate.high}
        for where, estimate in planted.items()
        if estimate.value is not None
    ]
    gaps = [point["estimated"] - point["planted"] for point in points]
    ranged = [point for point in points if point["low"] is not None and point["high"] is not None]
    covers = [point["low"] <= point["planted"] <= point["high"] for point in ranged]
    return {
        "title": title,
        "beside": beside,
        "points": points,
        "n": len(planted),
        "n_not_identified": len(planted) - len(points),
        "bias": sum(gaps) / len(gaps) if gaps else None,
        "error": sum(map(abs, gaps)) / len(gaps) if gaps else None,
        "coverage": sum(covers) / len(covers) if covers else None,
    }
