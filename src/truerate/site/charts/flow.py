"""The flow of a track's protocol as a picture: a line per step, an arc from each step that it reads."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from truerate.site.safety import plain

ROW, TOP, BOX = 34, 6, 24  # height of a line, what is free above the first, height of a box
LEFT, WIDTH = 96, 960  # where boxes begin; the width of the picture
NAME = 128  # width of a box
FITS, LINE = 112, 13  # characters that fit beside it; from a line of text to the next
SOURCE = {"name": "source", "role": "", "does": "items, documents and texts as their publisher gives them"}
SCORED = {
    "name": "score",
    "role": "",
    "does": "labels and judgements become scores with intervals, scores become ranks",
}


def flow(steps: Sequence[Mapping]) -> dict | None:
    """Return the steps of a track as protocol.html.j2 draws them; None where a track has none."""
    if not steps:
        return None
    lines = [SOURCE, *steps, SCORED]
    number = {line["name"]: k for k, line in enumerate(lines)}
    is_read = {name for step in steps for name in step["reads"]}
    pairs = [(number[name], number[step["name"]]) for step in steps for name in step["reads"] or ["source"]]
    pairs += [(number[step["name"]], len(lines) - 1) for step in steps if step["name"] not in is_read]
    return {
        "width": WIDTH,
        "height": TOP * 2 + ROW * len(lines),
        "left": LEFT,
        "name": NAME,
        "box": BOX,
        "rows": [
            line | {"top": TOP + ROW * k, "middle": _middle(k), "texts": _texts(line["does"], k)}
            for k, line in enumerate(lines)
        ],
        "arcs": [_arc(first, last) for first, last in sorted(set(pairs))],
        "description": plain("; ".join(_described(line) for line in lines)),
    }


def _texts(does: str, number: int) -> list[tuple[float, str]]:
    """Return what a step does as lines of text, each with its place, around the middle of its box."""
    lines = wrap(does, FITS)
    first = _middle(number) + 4 - LINE * (len(lines) - 1) / 2
    return [(first + LINE * k, text) for k, text in enumerate(lines)]


def _middle(number: int) -> float:
    return TOP + ROW * number + BOX / 2


def _described(line: Mapping) -> str:
    reads = f", from {' and '.join(line['reads'])}" if line.get("reads") else ""
    return f"{line['name']}{reads}: {line['does']}"


def _arc(first: int, last: int) -> str:
    """Return the path from the left edge of a box to that of a later one, farther out past more lines."""
    out = max(6, LEFT - 14 - 15 * (last - first))
    start, end = _middle(first) + 4, _middle(last) - 3
    return f"M{LEFT} {start} C{out} {start} {out} {end} {LEFT - 5} {end}"
