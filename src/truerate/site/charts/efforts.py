"""Accuracy against the tokens of a verdict, a dot per model and effort."""

from math import ceil, floor, log2

from truerate.site.charts import Axis, apart, frame, in_percent, percent
from truerate.site.tables import Board

COSTS, HITS = "tokens_per_verdict", "accuracy_at_cost"
EFFORT, VARIANT, LEADING = "effort", "variant", ("plain", "zero-shot")
WIDTH, HEIGHT, EDGE, RIGHT = 260.0, 200.0, 30.0, 18.0
LABEL = {"width": 13.0, "height": 9.5}  # of a number beside a dot
N_TICKS = 6  # of the axis of tokens, at most, beside the first
Both = dict[str, dict]  # the rows of both measures


def efforts(rows: list[dict], board: Board) -> dict | None:
    """Return a picture per task or scenario, in its leading variant, with a numbered dot per model that says its
    effort; None where fewer than two do.
    """
    parts = _parts(rows)
    costs = {name: both[COSTS]["value"] for points in parts.values() for name, both in points.items()}
    names = sorted(costs, key=lambda name: (costs[name], name))
    if len(names) < 2:
        return None
    numbers = {name: number for number, name in enumerate(names, 1)}
    tokens = [both[COSTS]["value"] for points in parts.values() for both in points.values()]
    low, high = floor(log2(max(1.0, min(tokens)))), ceil(log2(max(2.0, *tokens)))
    across = Axis(low, max(high, low + 1), EDGE + 8, WIDTH - RIGHT)
    up = Axis(0, 1, HEIGHT - EDGE, 6)
    marks = [
        (power, f"{2**power:,}".replace(",", "\u2009"))
        for power in range(low, high + 1, ceil((high - low) / N_TICKS))
    ]
    return {
        "pictures": [
            _picture(board.vocabulary.value(*part), points, numbers, (across, up))
            for part, points in parts.items()
        ],
        "names": [f"{name}: {_effort(name, parts)}" for name in names],
        **frame((WIDTH, HEIGHT), across, up, across_ticks=marks, up_ticks=in_percent((0, 0.5, 1))),
        "frame": (EDGE, up.end, WIDTH - RIGHT - EDGE, up.start - up.end),  # wider than the axis
    }


def _parts(rows: list[dict]) -> dict[tuple[str, str], dict[str, Both]]:
    """Return the rows of models with an effort and both measures, by task or scenario, then by model."""
    parts: dict[tuple[str, str], dict[str, Both]] = {}
    for row in rows:
        slice_ = row["slice"]
        where = [(key, value) for key, value in slice_.items() if key not in (VARIANT, EFFORT)]
        is_shown = row["metric"] in (COSTS, HITS) and row["value"] is not None and EFFORT in slice_
        if is_shown and row["kind"] == "model" and slice_.get(VARIANT) in LEADING and len(where) == 1:
            parts.setdefault(where[0], {}).setdefault(row["subject"], {})[row["metric"]] = row
    whole = {
        part: {name: both for name, both in points.items() if len(both) == 2}
        for part, points in parts.items()
    }
    return {part: points for part, points in sorted(whole.items()) if points}


def _effort(name: str, parts: dict[tuple[str, str], dict[str, Both]]) -> str:
    return next(points[name][COSTS]["slice"][EFFORT] for points in parts.values() if name in points)


def _picture(title: str, points: dict[str, Both], numbers: dict[str, int], axes: tuple[Axis, Axis]) -> dict:
    across, up = axes
    dots = []
    for name, both in sorted(points.items()):
        costs, hits = both[COSTS], both[HITS]
        words = f"{name}: {percent(hits['value'])} right for {costs['value']:.0f} tokens"
        x, y = across.at(log2(max(1.0, costs["value"]))), up.at(hits["value"])
        dots.append(
            {
                "number": numbers[name],
                "x": x,
                "y": y,
                "range": up.ends(hits["low"], hits["high"]),
                "description": words,
            }
        )
    heights = apart([(dot["x"], dot["y"]) for dot in dots], **LABEL)
    return {
        "title": title,
        "dots": [dot | {"label_y": y} for dot, y in zip(dots, heights, strict=True)],
        "description": f"{title}: accuracy by tokens of a verdict. {'; '.join(dot['description'] for dot in dots)}.",
    }
