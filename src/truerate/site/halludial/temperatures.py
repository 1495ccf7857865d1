"""Hallucination rates over the temperature, as lines: one picture per responder, planted rates too."""

from dataclasses import replace

from truerate.site.charts import Axis, apart, frame, in_percent, numbered, percent, ticks
from truerate.site.halludial.rows import (
    CALIBRATION,
    ESTIMATOR,
    PLANTED,
    Mode,
    is_rate,
    mode_of,
    mode_order,
    title_of,
)
from truerate.site.tables import Board

KEY = "temperature"
OF = {"unit": "turn", "history": "gold"}  # what the lines are of: single responses to people's own history
WIDTH, HEIGHT, EDGE, RIGHT = (
    260.0,
    190.0,
    30.0,
    22.0,
)  # of a picture, and what stands left and right of its frame
INSET = 9.0  # from the frame to the first and the last temperature
APART = 2.4  # by which the dots of two lines at one temperature stand apart, so that intervals can be told
LABEL = {"width": 1.0, "height": 10.0}  # labels stand in one column behind the lines' ends
Points = dict[float, dict]  # rows by temperature
Lines = dict[tuple[str, str], Points]  # by subject and kind


def temperature_lines(rows: list[dict], board: Board) -> dict | None:
    """Return a picture per responder with a rate at two temperatures or more, on shared axes; else None."""
    estimates = _estimates(rows)
    truth = {
        key: points for lines in estimates.values() for key, points in lines.items() if key[1] == PLANTED
    }
    shown: dict[tuple[str, str], dict[Mode, Points]] = {}
    for mode, lines in estimates.items():
        for key, points in lines.items():
            if key[1] != PLANTED and len(points) > 1:
                shown.setdefault(key, {})[mode] = points
    if not shown:
        return None
    drawn = [points for lines in (*shown.values(), truth) for points in lines.values()]
    temperatures = sorted({temperature for points in drawn for temperature in points})
    marks = ticks(max(row["value"] for points in drawn for row in points.values()))
    across = Axis(temperatures[0], temperatures[-1], EDGE + INSET, WIDTH - RIGHT - INSET)
    up = Axis(0, marks[-1], HEIGHT - EDGE, 8)
    ticks_across = [(value, f"{value:g}") for value in temperatures]
    present = {mode for lines in shown.values() for mode in lines}
    modes = {mode: title_of(mode, board) for mode in estimates if mode in present}
    return {
        "pictures": [
            _picture(name, lines, truth.get((name, PLANTED)), axes=(across, up), modes=modes)
            for name in numbered(shown)
            for key, lines in shown.items()
            if key[0] == name
        ],
        "names": list(modes.values()),
        **frame((WIDTH, HEIGHT), across, up, across_ticks=ticks_across, up_ticks=in_percent(marks)),
        "frame": (EDGE, up.end, WIDTH - RIGHT - EDGE, up.start - up.end),  # wider than the axis by INSET
        "has_planted": bool(truth),
        "models": list(numbered(shown)),
    }


def _estimates(rows: list[dict]) -> dict[Mode, Lines]:
    """Rates of OF by how they were estimated, then by subject and kind, then by temperature."""
    estimates: dict[Mode, Lines] = {}
    for row in rows:
        slice_ = row["slice"]
        of = {key: value for key, value in slice_.items() if key not in (ESTIMATOR, CALIBRATION, KEY)}
        if is_rate(row) and row["value"] is not None and KEY in slice_ and of == OF:
            lines = estimates.setdefault(mode_of(row), {})
            lines.setdefault((row["subject"], row["kind"]), {})[float(slice_[KEY])] = row
    return dict(sorted(estimates.items(), key=lambda entry: mode_order(entry[0])))


def _picture(
    name: str,
    lines: dict[Mode, Points],
    planted: Points | None,
    *,
    axes: tuple[Axis, Axis],
    modes: dict[Mode, str],
) -> dict:
    """One responder: its lines in the order of `modes`, each by its number, the last with intervals."""
    ordered = [(number, mode) for number, mode in enumerate(modes, 1) if mode in lines]
    drawn = [
        _line(
            number,
            lines[mode],
            axes=_moved(axes, k - (len(ordered) - 1) / 2),
            has_ranges=number == len(modes),
        )
        for k, (number, mode) in enumerate(ordered)
    ]
    heights = apart([(0, line["dots"][-1]["y"]) for line in drawn], **LABEL)
    words = "; ".join(f"{modes[mode]}: {_described(lines[mode])}" for _, mode in ordered)
    return {
        "title": name,
        "planted": _path(planted, axes) if planted else "",
        "lines": [line | {"label_y": y} for line, y in zip(drawn, heights, strict=True)],
        "description": f"{name}: share of responses hallucinated, by temperature. {words}.",
    }


def _moved(axes: tuple[Axis, Axis], steps: float) -> tuple[Axis, Axis]:
    """The axes with temperatures moved sideways by some steps of APART."""
    across, up = axes
    return replace(across, start=across.start + steps * APART, end=across.end + steps * APART), up


def _line(number: int, points: Points, *, axes: tuple[Axis, Axis], has_ranges: bool) -> dict:
    dots = [_dot(temperature, points[temperature], axes, has_ranges) for temperature in sorted(points)]
    return {"number": number, "dots": dots, "path": _path(points, axes)}


def _dot(temperature: float, row: dict, axes: tuple[Axis, Axis], has_ranges: bool) -> dict:
    across, up = axes
    return {
        "x": across.at(temperature),
        "y": up.at(row["value"]),
        "range": up.ends(row["low"], row["high"]) if has_ranges else None,
        "description": f"{row['subject']} at {temperature:g}: {percent(row['value'])}",
    }


def _path(points: Points, axes: tuple[Axis, Axis]) -> str:
    """The corners of a line, `x,y x,y`."""
    across, up = axes
    return " ".join(f"{across.at(value)},{up.at(points[value]['value'])}" for value in sorted(points))


def _described(points: Points) -> str:
    return ", ".join(f"{percent(points[value]['value'])} at {value:g}" for value in sorted(points))
