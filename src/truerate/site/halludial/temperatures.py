"""Hallucination rates over the temperature at which models respond, as lines: one picture per estimate."""

from dataclasses import replace

from truerate.site.charts import Axis, apart, numbered, percent, ticks
from truerate.site.halludial.rates import (
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
    """What lines.html.j2 shows: a picture per estimate in which a rate is known at two temperatures or more;
    None where there is none.
    """
    estimates = _estimates(rows)
    truth = {
        key: points for lines in estimates.values() for key, points in lines.items() if key[1] == PLANTED
    }
    shown = {
        mode: {key: points for key, points in lines.items() if key[1] != PLANTED and len(points) > 1}
        for mode, lines in estimates.items()
    }
    shown = {mode: lines for mode, lines in shown.items() if lines}
    if not shown:
        return None
    drawn = [points for lines in (*shown.values(), truth) for points in lines.values()]
    temperatures = sorted({temperature for points in drawn for temperature in points})
    marks = ticks(max(row["value"] for points in drawn for row in points.values()))
    across = Axis(temperatures[0], temperatures[-1], EDGE + INSET, WIDTH - RIGHT - INSET)
    up = Axis(0, marks[-1], HEIGHT - EDGE, 8)
    subjects = numbered(key for lines in shown.values() for key in lines)
    return {
        "pictures": [
            _picture(mode, lines, truth, axes=(across, up), subjects=subjects, board=board)
            for mode, lines in shown.items()
        ],
        "names": list(subjects),
        "size": (WIDTH, HEIGHT),
        "frame": (EDGE, up.end, WIDTH - RIGHT - EDGE, up.start - up.end),
        "across": [(across.at(value), f"{value:g}") for value in temperatures],
        "up": [(up.at(share), f"{100 * share:g}") for share in marks],
        "has_planted": bool(truth),
        "models": list(subjects),
    }


def _estimates(rows: list[dict]) -> dict[Mode, Lines]:
    """Rates of OF by how they were estimated, then by subject and kind, then by temperature."""
    found: dict[Mode, Lines] = {}
    for row in rows:
        held = row["slice"]
        place = {key: value for key, value in held.items() if key not in (ESTIMATOR, CALIBRATION, KEY)}
        if is_rate(row) and row["value"] is not None and KEY in held and place == OF:
            lines = found.setdefault(mode_of(row), {})
            lines.setdefault((row["subject"], row["kind"]), {})[float(held[KEY])] = row
    return dict(sorted(found.items(), key=lambda one: mode_order(one[0])))


def _picture(
    mode: Mode,
    lines: Lines,
    truth: Lines,
    *,
    axes: tuple[Axis, Axis],
    subjects: dict[str, int],
    board: Board,
) -> dict:
    title = title_of(mode, board)
    ordered = sorted(lines, key=lambda key: subjects[key[0]])
    drawn = [
        _line(
            subjects[name],
            lines[name, kind],
            truth.get((name, PLANTED)),
            axes=_moved(axes, k - (len(ordered) - 1) / 2),
        )
        for k, (name, kind) in enumerate(ordered)
    ]
    heights = apart([(0, line["dots"][-1]["y"]) for line in drawn], **LABEL)
    told = "; ".join(f"{name}: {_told(lines[name, kind])}" for name, kind in ordered)
    return {
        "title": title,
        "lines": [line | {"label_y": y} for line, y in zip(drawn, heights, strict=True)],
        "told": f"{title}: share of responses hallucinated, by temperature. {told}.",
    }


def _moved(axes: tuple[Axis, Axis], steps: float) -> tuple[Axis, Axis]:
    """The axes with temperatures moved sideways by some steps of APART."""
    across, up = axes
    return replace(across, start=across.start + steps * APART, end=across.end + steps * APART), up


def _line(number: int, points: Points, planted: Points | None, *, axes: tuple[Axis, Axis]) -> dict:
    dots = [_dot(temperature, points[temperature], axes) for temperature in sorted(points)]
    return {
        "number": number,
        "dots": dots,
        "path": _path(points, axes),
        "planted": _path(planted, axes) if planted else "",
    }


def _dot(temperature: float, row: dict, axes: tuple[Axis, Axis]) -> dict:
    across, up = axes
    has_range = row["low"] is not None and row["high"] is not None
    return {
        "x": across.at(temperature),
        "y": up.at(row["value"]),
        "range": (up.at(row["low"]), up.at(row["high"])) if has_range else None,
        "told": f"{row['subject']} at {temperature:g}: {percent(row['value'])}",
    }


def _path(points: Points, axes: tuple[Axis, Axis]) -> str:
    """The corners of a line, `x,y x,y`."""
    across, up = axes
    return " ".join(f"{across.at(value)},{up.at(points[value]['value'])}" for value in sorted(points))


def _told(points: Points) -> str:
    return ", ".join(f"{percent(points[value]['value'])} at {value:g}" for value in sorted(points))
