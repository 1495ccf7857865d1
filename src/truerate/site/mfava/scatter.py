"""Pictures of the analyses: rates by language or model against a fact, and cells against reply length."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.metric import ABSENT
from truerate.site.charts import Axis, Ticks, apart, frame, in_percent, numbered, percent, ticks
from truerate.site.mfava.heatmap import ALL, PREFERRED, RATE
from truerate.site.tables import Board
from truerate.site.vocabulary import Vocabulary, language

LENGTH = "tokens_per_reply"
WIDTH, HEIGHT, EDGE = 252.0, 190.0, 30.0  # of a picture, and of what stands left of and below its frame
LETTER, LINE = 4.8, 9.0  # width of a letter and height of a line of a name beside a dot
FAR = 9.0  # from its dot a name says nothing: it is left out, and stands in the words alone
TICKS = (1, 2, 5)  # round steps, times a power of ten
N_TICKS = 5


class Picture(NamedTuple):
    """What a picture is called, what stands across, and whether its axis is logarithmic."""

    title: str
    across: str
    is_logarithmic: bool = False


PICTURES = {
    "rate-against-common-crawl": Picture("Common Crawl", "share of Common Crawl, % (log)", True),
    "rate-against-wikipedia-articles": Picture("Wikipedia", "articles of its Wikipedia (log)", True),
    "rate-against-supported-languages": Picture("Supported languages", "languages that a model supports"),
}
OF_LENGTH = Picture("Length", "tokens per reply")


class Point(NamedTuple):
    """A dot: who it is, what stands beside it, and where it stands."""

    name: str
    label: str
    x: float
    y: float


def scatters(rows: list[dict], board: Board) -> dict | None:
    """Return what scatter.html.j2 shows: a picture per analysis that has two points or more; None where none
    has.
    """
    pictures = [
        _picture(picture, mode, points, board.vocabulary)
        for picture, (mode, points) in (
            *((picture, _of_analysis(rows, subject)) for subject, picture in PICTURES.items()),
            (OF_LENGTH, _of_cells(rows)),
        )
        if len(points) > 1
    ]
    names = _numbers(rows) if pictures and pictures[-1]["title"] == OF_LENGTH.title else {}
    return {"pictures": pictures, "names": list(names)} if pictures else None


def _mode(row: dict) -> tuple[str, str]:
    return row["slice"].get("estimator", "raw"), row["slice"].get("calibration") or ""


def _best(rows: Sequence[dict]) -> tuple[tuple[str, str], list[dict]]:
    """The best founded estimate among rows, and its rows."""
    order = {mode: k for k, mode in enumerate(PREFERRED)}
    mode = min({_mode(row) for row in rows}, key=lambda mode: (order.get(mode, len(order)), mode))
    return mode, [row for row in rows if _mode(row) == mode]


def _of_analysis(rows: list[dict], subject: str) -> tuple[tuple[str, str], list[Point]]:
    points = [row for row in rows if row["table"] == "points" and row["subject"] == subject]
    if not points:
        return ("", ""), []
    mode, points = _best(points)
    at: dict[str, dict[str, float]] = {}
    for row in points:
        at.setdefault(row["slice"]["point"], {})[row["metric"]] = row["value"]
    return mode, [
        Point(language(name), name, pair["point_x"], pair["point_y"]) for name, pair in sorted(at.items())
    ]


def _of_cells(rows: list[dict]) -> tuple[tuple[str, str], list[Point]]:
    lengths = {
        (row["subject"], row["slice"]["lang"]): row["value"]
        for row in rows
        if row["metric"] == LENGTH and "lang" in row["slice"]
    }
    rates = [row for row in rows if _is_cell(row) and (row["subject"], row["slice"].get("lang")) in lengths]
    if not rates:
        return ("", ""), []
    (mode, rates), numbers = _best(rates), _numbers(rows)
    points = []
    for row in rates:
        model, lang = row["subject"], row["slice"]["lang"]
        name = f"{model}, {language(lang)}"
        points.append(Point(name, str(numbers[model]), lengths[model, lang], row["value"]))
    return mode, points


def _is_cell(row: dict) -> bool:
    """Return whether a row is the rate of one model in one language over all its replies."""
    where = row["slice"]
    return (
        row["metric"] == RATE
        and row["kind"] == "model"
        and row["value"] is not None
        and where.get("lang") != ALL
        and where.get("replies") == ALL
    )


def _numbers(rows: list[dict]) -> dict[str, int]:
    return numbered({(row["subject"], row["kind"]) for row in rows if _is_cell(row)})


def _picture(picture: Picture, mode: tuple[str, str], points: list[Point], vocabulary: Vocabulary) -> dict:
    """One picture: its dots, ticks and frame, and all of it in a sentence."""
    across, across_ticks = _across([point.x for point in points], is_logarithmic=picture.is_logarithmic)
    up_ticks = ticks(max(point.y for point in points))
    up = Axis(0, up_ticks[-1], HEIGHT - EDGE, 6)
    scaled = [math.log10(point.x) if picture.is_logarithmic else point.x for point in points]
    positions = [(across.at(x), up.at(point.y)) for x, point in zip(scaled, points, strict=True)]
    width = LETTER * max(len(point.label) for point in points) + 4
    heights = apart(positions, width=width, height=LINE)
    by = ", ".join(
        vocabulary.value(key, value)
        for key, value in zip(("estimator", "calibration"), mode, strict=True)
        if value
    )
    described = [f"{point.name}: {_plain(point.x)}, {percent(point.y)}" for point in points]
    return {
        "title": picture.title,
        "axis": picture.across,
        "by": by,
        **frame((WIDTH, HEIGHT), across, up, across_ticks=across_ticks, up_ticks=in_percent(up_ticks)),
        "dots": [
            {
                "x": x,
                "y": y,
                "description": words,
                "label": point.label if height - y <= FAR else "",
                "label_y": height,
                "is_left": x + width > WIDTH,
            }
            for (x, y), point, height, words in zip(positions, points, heights, described, strict=True)
        ],
        "description": f"Hallucinated share ({by}) against {picture.across}, {len(points)} points. "
        f"{'; '.join(described)}.",
    }


def _across(values: Sequence[float], *, is_logarithmic: bool) -> tuple[Axis, Ticks]:
    """The axis of what stands across, with its ticks: powers of ten, or round steps from 0."""
    if is_logarithmic:
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        axis = Axis(low, max(high, low + 1), EDGE, WIDTH - 6)
        powers = range(low, max(high, low + 1) + 1)
        return axis, [(power, _plain(10.0**power)) for power in powers]
    step = _step(max(values))
    n = max(1, math.ceil(max(values) / step - 1e-9))
    axis = Axis(0, n * step, EDGE, WIDTH - 6)
    return axis, [(k * step, _plain(k * step)) for k in range(n + 1)]


def _step(high: float) -> float:
    """The smallest round step of which at most N_TICKS reach `high`."""
    power = 10.0 ** math.floor(math.log10(high / N_TICKS)) if high > 0 else 1.0
    return next((k * power for k in TICKS if k * power * N_TICKS >= high), 10 * power)


def _plain(value: float | None) -> str:
    """A number with three digits that count, thousands and millions as letters."""
    if value is None:
        return ABSENT
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
