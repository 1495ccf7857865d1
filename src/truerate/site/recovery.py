"""Planted rates against estimated ones: what each estimator makes of the closed world, as pictures and as errors."""

from truerate.site.heat import ALL, CALIBRATIONS, ESTIMATORS, PLANTED, Mode, Spot, _stand, grids
from truerate.site.languages import language
from truerate.site.tables import Board


def recovery(rows: list[dict], board: Board) -> dict | None:
    """What the macro `recovery` shows: per estimator a picture of its cells and its errors over them; None where nothing was planted.

    Over all replies; cells are single languages and models. Errors are shares: `bias` the mean of estimated − planted, `error` the mean of
    its absolute value, `held` the share of intervals that hold the planted value; None over nothing.
    """
    grid = {mode: cells for mode, cells in grids(rows).items() if mode[2] == ALL and mode[0] != PLANTED}
    found = [one for mode in sorted(grid, key=_stand) if (one := _estimator(mode, grid[mode]))]
    told = [point["estimated"] for one in found for point in one["points"]] + [point["planted"] for one in found for point in one["points"]]
    return {"estimators": found, "high": _end(told)} if found else None


def _estimator(mode: Mode, cells: dict[tuple[str, str], Spot]) -> dict | None:
    known = {key: spot for key, spot in cells.items() if key[0] != ALL and spot.planted is not None}
    points = [_point(key, spot) for key, spot in sorted(known.items()) if spot.value is not None]
    if not known:
        return None
    gaps = [point["estimated"] - point["planted"] for point in points]
    ranged = [point for point in points if point["low"] is not None and point["high"] is not None]
    held = [point["low"] <= point["planted"] <= point["high"] for point in ranged]
    title, calibrated = ESTIMATORS.get(mode[0], (mode[0], ""))[0], CALIBRATIONS.get(mode[1], (mode[1], ""))[0]
    return {
        "title": title,
        "calibrated": calibrated.lower(),
        "points": points,
        "n": len(known),
        "n_untold": len(known) - len(points),
        "bias": sum(gaps) / len(gaps) if gaps else None,
        "error": sum(map(abs, gaps)) / len(gaps) if gaps else None,
        "held": sum(held) / len(held) if held else None,
    }


def _point(key: tuple[str, str], spot: Spot) -> dict:
    return {"where": f"{language(key[0])}, {key[1]}", "planted": spot.planted, "estimated": spot.value, "low": spot.low, "high": spot.high}


def _end(values: list[float]) -> float:
    """The end of both axes: tenths that hold nine in ten of the values; points beyond stand at the edge."""
    ordered = sorted(values)
    end = ordered[min(len(ordered) - 1, int(0.97 * len(ordered)))] if ordered else 1.0
    return min(1.0, max(0.1, 0.1 * -(-end // 0.1)))
