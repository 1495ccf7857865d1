"""The figures of a board, as places in units of the picture: the forest plot, score against responding, and
the places by judge. The templates in site/templates/real draw them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truerate.results.board import RealBoard, RealScore
from truerate.site.charts import Axis, apart, shortened, ticks
from truerate.site.measures import day_in_words
from truerate.site.safety import plain

ROW, HEAD, FOOT = 17, 18, 32  # of a forest plot: height of a line, above the first, below the last
PLACE, ABOVE, BELOW = 20, 44, 12  # of places by judge: the same
NAMES, STEP = 168.0, 84.0  # width of the names on either side, and from judge to judge
WIDE, WIDE_FRAME = (900, 340), (46, 12, 836, 280)  # of the headline against another number: the same
SIZE, FRAME = (460, 300), (46, 12, 396, 240)  # of score against responding; left, top, width, height


@dataclass(frozen=True)
class Sizes:
    """Widths of a picture: in all, of the names, and of the numbers behind the plot."""

    width: int
    names: int
    numbers: int = 98


EDGE, TITLE, SOURCE = (
    16,
    34,
    26,
)  # of a figure on its own: margin, height of the title, of the line that names the source

# Of the small one a unit is about a pixel of a phone of 390, so that its words are as large as on the desk.
SMALL, WHOLE = Sizes(362, 150, 88), Sizes(900, 262)
SUFFIX = {SMALL: "-small", WHOLE: ""}


def forest(
    board: RealBoard, scores: Sequence[RealScore], sizes: Sizes = WHOLE, *, span: str = "interval"
) -> dict:
    """The forest plot of some lines of a board's headline: a line per subject with its interval (or what else
    `span` names) and rank range.

    The lines that may be the best stand on a shaded band. An interval that spans the scale is hatched. The axis
    of shares begins at 0, so that lengths can be compared.
    """
    shown = [score for score in scores if score.value is not None]
    end, measure = sizes.width - sizes.numbers, board.headline
    axis, marks = _axis(measure.unit, shown, sizes.names + 6, end - 6)
    rows = []
    for number, score in enumerate(shown):
        top = HEAD + ROW * number
        has_interval = score.low is not None and score.high is not None
        rows.append({
            "score": score,
            "top": top,
            "middle": top + ROW / 2,
            "name": shortened(score.subject, int(sizes.names / 6.5)),
            "is_top": board.is_best(score),
            "is_judges_own": score.subject in board.judges_own,
            "at": axis.at(score.value or 0.0),
            "low": axis.at(score.low) if score.low is not None else None,
            "high": axis.at(score.high) if score.high is not None else None,
            "has_interval": has_interval,
            "is_open": board.spans_scale(score),
            "value": measure.text(score.value),
            "interval": board.ends(score) if has_interval else "",
        })  # fmt: skip
    floor = HEAD + ROW * len(rows)
    return {
        "width": sizes.width, "height": floor + FOOT, "floor": floor, "head": HEAD, "row": ROW,
        "start": sizes.names, "end": end, "rank_at": sizes.width - 4, "value_at": end + 46,
        "ticks": [(axis.at(value), measure.text(value).removesuffix(".0")) for value in marks],
        "rows": rows, "measure": measure, "span": span, "description": _described(board, shown, span),
        "file": f"{board.name}-forest{SUFFIX[sizes]}",
    }  # fmt: skip


def standalone(board: RealBoard) -> dict:
    """Return what real/figure.svg.j2 draws: the forest plot of all lines with title and source, for other pages."""
    drawn, card, title = forest(board, board.ranked), board.card, str(board.card["title"])
    units = f"n up to {card['n_units']:,}" if card["n_units"] else ""
    parts = (title, day_in_words(str(card.get("dated") or "")), units, str(card["set"]["name"]), "truerate")
    return {
        "forest": drawn,
        "size": (drawn["width"] + 2 * EDGE, drawn["height"] + TITLE + SOURCE),
        "title": title,
        "shown": shortened(title, 110),
        "source": shortened(" · ".join(dict.fromkeys(filter(None, parts))), 190),
    }


def _axis(unit: str, shown: Sequence[RealScore], start: float, end: float) -> tuple[Axis, list[float]]:
    """Shares from 0 to a round end beyond every interval; other numbers from the least to the greatest."""
    values = [value for score in shown for value in (score.low, score.value, score.high) if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if unit == "share" and low >= 0:
        marks = ticks(min(1.0, high))
        return Axis(0.0, max(marks), start, end), marks
    high = high if high > low else low + 1.0
    return Axis(low, high, start, end), [low, (low + high) / 2, high]


def _described(board: RealBoard, shown: Sequence[RealScore], span: str) -> str:
    """A forest plot in words, for those who do not see it."""
    text = board.headline.text
    lines = [
        f"{score.subject} {text(score.value)}"
        + (f", {span} {text(score.low)} to {text(score.high)}" if score.low is not None else "")
        + (f", rank {score.rank.replace('–', ' to ')}" if score.rank else "")
        + (", of the judge's own maker" if score.subject in board.judges_own else "")
        for score in shown
    ]
    unit = " in per cent" if board.headline.unit == "share" else ""
    return plain(f"{board.headline.label}{unit}, {len(shown)} lines. {'; '.join(lines)}.")


def responding(board: RealBoard) -> dict | None:
    """Score against responding: a high score is worth little where most questions were not answered. None
    where the board has no share of replies that respond, or it is the headline.
    """
    shares = [measure for measure in board.other_metrics if measure.unit == "share"]
    rates = [measure for measure in shares if "respond" in measure.name]
    if not rates or board.headline.unit != "share":
        return None
    rate, (left, top, width, height) = rates[0], FRAME
    by_subject = board.overall(rate.name)
    pairs = [(score, by_subject[score.subject]) for score in board.ranked if score.subject in by_subject]
    pairs = [(score, other) for score, other in pairs if score.value is not None and other.value is not None]
    if len(pairs) < 2:  # a picture of one point says nothing
        return None
    highest = ticks(min(1.0, max(score.high or score.value or 0.0 for score, _ in pairs)))
    across, up = Axis(0.0, 1.0, left, left + width), Axis(0.0, highest[-1], top + height, top)
    points = [(across.at(other.value or 0.0), up.at(score.value or 0.0)) for score, other in pairs]
    labels = apart(points, width=110, height=12)
    description = "; ".join(
        f"{score.subject}: {rate.label.lower()} {rate.text(other.value)}, "
        f"{board.headline.label.lower()} {board.headline.text(score.value)}"
        for score, other in pairs
    )
    return {
        "size": SIZE,
        "frame": FRAME,
        "across": [(across.at(value), f"{100 * value:.0f}") for value in (0, 0.25, 0.5, 0.75, 1)],
        "up": [(up.at(value), f"{100 * value:.0f}") for value in highest],
        "names": (f"{rate.label}, %", f"{board.headline.label}, %"),
        "points": [
            _point(x, y, score, up, label_y=label, subject=score.subject)
            for (score, _), (x, y), label in zip(pairs, points, labels, strict=True)
        ],
        "description": plain(description),
        "file": f"{board.name}-responding",
        "is_wide": False,
    }


def against(
    board: RealBoard,
    points: Sequence[tuple[float, RealScore, str, bool]],
    ends: tuple[float, float],
    marks: Sequence[tuple[float, str]],
    name: str,
) -> dict:
    """The headline against another number of each subject: (number, score, kind, whether it is named) each, the
    numbers on an axis between `ends` with `marks`.
    """
    (left, top, width, height), measure = WIDE_FRAME, board.headline
    unit = ", %" if measure.unit == "share" else ""
    highest = ticks(min(1.0, max(score.high or score.value or 0.0 for _, score, _, _ in points)))
    across, up = Axis(*ends, left, left + width), Axis(0.0, highest[-1], top + height, top)
    positions = [(across.at(x), up.at(score.value or 0.0)) for x, score, _, _ in points]
    named = [xy for xy, (_, _, _, is_named) in zip(positions, points, strict=True) if is_named]
    label_of = dict(zip(named, apart(named, width=150, height=12), strict=True))
    words = "; ".join(f"{score.subject} {measure.text(score.value)}" for _, score, _, _ in points)
    return {
        "size": WIDE,
        "frame": WIDE_FRAME,
        "across": [(across.at(value), text) for value, text in marks],
        "up": [(up.at(value), f"{100 * value:.0f}") for value in highest],
        "names": (name, f"{measure.label}{unit}"),
        "points": [
            _point(
                x, y, score, up, label_y=label_of.get((x, y), y), subject=shortened(score.subject, 30) if is_named else "",
                title=f"{score.subject}: {measure.text(score.value)}", is_closed=kind == "closed",
            )
            for (x, y), (_, score, kind, is_named) in zip(positions, points, strict=True)
        ],
        "description": plain(f"{measure.label} by {name.lower()}: {words}"),
        "file": f"{board.name}-{name.split()[0].lower()}", "is_wide": True,
    }  # fmt: skip


def _point(
    x: float,
    y: float,
    score: RealScore,
    up: Axis,
    *,
    label_y: float,
    subject: str,
    title: str = "",
    is_closed: bool = False,
) -> dict:
    """A point as scatter.html.j2 draws it, with its interval; `subject` is written beside it, empty: not."""
    return {
        "x": x, "y": y, "label_y": label_y, "subject": subject, "title": title, "is_closed": is_closed,
        "low": y if score.low is None else up.at(score.low),
        "high": y if score.high is None else up.at(score.high),
    }  # fmt: skip


def places(board: RealBoard, columns: Mapping[str, Mapping[str, RealScore]]) -> dict:
    """Return a column of places per judge, best on top; of equals the one that leads by name first."""
    sign = 1 if board.headline.is_lower_better else -1
    names = [model.subject for model in board.models]
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    heads, words = [], []
    for number, (judge, scores) in enumerate(columns.items()):
        order = sorted(scores, key=lambda name: (sign * (scores[name].value or 0.0), name))
        heads.append((judge, NAMES + STEP * (number + 0.5)))
        words.append(f"{judge}: {', '.join(order)}")
        measured = [name for name in order if name in points and scores[name].value is not None]
        for position, name in enumerate(measured):
            points[name].append((heads[-1][1], ABOVE + PLACE * (position + 0.5)))
    return {
        "size": (2 * NAMES + STEP * len(columns), ABOVE + PLACE * len(names) + BELOW),
        "heads": heads,
        "lines": [
            {"name": name, "points": line, "is_first": not number}
            for number, (name, line) in enumerate(points.items())
            if len(line) > 1
        ],
        "description": "; ".join(words),
        "file": f"{board.name}-judges",
    }
