"""Planted values against estimated ones: what each estimator makes of the closed world, as pictures and as
errors.
"""

from collections.abc import Mapping

from truerate.site.languages import language
from truerate.site.mfava.heatmap import ALL, CALIBRATIONS, ESTIMATORS, PLANTED, Spot, _stand, grids
from truerate.site.tables import Board


def recovery(rows: list[dict], board: Board) -> dict | None:
    """What the macro `recovery` shows of hallucination rates: over all replies, cells are single languages
    and models; None without any.
    """
    grid = {mode: cells for mode, cells in grids(rows).items() if mode[2] == ALL and mode[0] != PLANTED}
    found = []
    for mode in sorted(grid, key=_stand):
        title, calibrated = (
            ESTIMATORS.get(mode[0], (mode[0], ""))[0],
            CALIBRATIONS.get(mode[1], (mode[1], ""))[0],
        )
        cells = {
            f"{language(lang)}, {model}": grid[mode][lang, model]
            for lang, model in sorted(grid[mode])
            if lang != ALL
        }
        found.append(held_against(title, calibrated.lower(), cells))
    return pictured(
        [one for one in found if one], second="Calibrated on", join="on", dot="language and model"
    )


def pictured(
    estimators: list[dict], *, second: str, join: str, dot: str, is_open: bool = False
) -> dict | None:
    """The estimators on axes that all share, from zero unless they are open below; None where there is none.

    `second`: what stands beside an estimator's name, and `join` the word between them. `dot`: what a dot is
    of.
    """
    told = [point[end] for one in estimators for point in one["points"] for end in ("estimated", "planted")]
    low = max(0.0, 0.1 * ((min(told) - 1e-9) // 0.1)) if is_open and told else 0.0
    said = {"second": second, "join": join, "dot": dot}
    return {"estimators": estimators, "low": low, "high": _end(told), **said} if estimators else None


def held_against(title: str, beside: str, cells: Mapping[str, Spot]) -> dict | None:
    """An estimator over its cells by name; None where nothing was planted in them.

    Errors are shares: `bias` the mean of estimated − planted, `error` the mean of its absolute value, `held`
    the share of intervals that hold the planted value; None over nothing.
    """
    known = {where: spot for where, spot in cells.items() if spot.planted is not None}
    points = [_point(where, spot) for where, spot in known.items() if spot.value is not None]
    if not known:
        return None
    gaps = [point["estimated"] - point["planted"] for point in points]
    ranged = [point for point in points if point["low"] is not None and point["high"] is not None]
    held = [point["low"] <= point["planted"] <= point["high"] for point in ranged]
    return {
        "title": title,
        "beside": beside,
        "points": points,
        "n": len(known),
        "n_untold": len(known) - len(points),
        "bias": sum(gaps) / len(gaps) if gaps else None,
        "error": sum(map(abs, gaps)) / len(gaps) if gaps else None,
        "held": sum(held) / len(held) if held else None,
    }


def _point(where: str, spot: Spot) -> dict:
    return {
        "where": where,
        "planted": spot.planted,
        "estimated": spot.value,
        "low": spot.low,
        "high": spot.high,
    }


def _end(values: list[float]) -> float:
    """The end of both axes: tenths that hold nine in ten of the values; points beyond stand at the edge."""
    ordered = sorted(values)
    end = ordered[min(len(ordered) - 1, int(0.97 * len(ordered)))] if ordered else 1.0
    return min(1.0, max(0.1, 0.1 * -(-end // 0.1)))
