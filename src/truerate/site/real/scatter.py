"""Score against responding: a high score is worth little where most questions were not answered."""

from truerate.site.charts import Axis, apart, ticks
from truerate.site.real.results import RealBoard
from truerate.site.safety import plain

SIZE = (460, 300)
FRAME = (46, 12, 396, 240)  # left, top, width, height


def scatter(board: RealBoard) -> dict | None:
    """What real/scatter.html.j2 draws; None where the board has no share of replies that respond, or it is the
    headline.
    """
    found = [
        other_metric
        for other_metric in board.other_metrics
        if "respond" in other_metric.name and other_metric.unit == "share"
    ]
    if not found or board.headline.unit != "share":
        return None
    left, top, width, height = FRAME
    asked = board.overall(found[0].name)
    pairs = [(one, asked[one.subject]) for one in board.ranked if one.subject in asked]
    pairs = [(one, other) for one, other in pairs if one.value is not None and other.value is not None]
    if len(pairs) < 2:  # noqa: PLR2004 - a picture of one point says nothing
        return None
    highest = ticks(min(1.0, max(one.high or one.value or 0.0 for one, _ in pairs)))
    across, up = Axis(0.0, 1.0, left, left + width), Axis(0.0, highest[-1], top + height, top)
    places = [(across.at(other.value or 0.0), up.at(one.value or 0.0)) for one, other in pairs]
    labels = apart(places, width=110, height=12)
    return {
        "size": SIZE,
        "frame": FRAME,
        "across": [(across.at(value), f"{100 * value:.0f}") for value in (0, 0.25, 0.5, 0.75, 1)],
        "up": [(up.at(value), f"{100 * value:.0f}") for value in highest],
        "names": (found[0].label, board.headline.label),
        "points": [
            {
                "x": x,
                "y": y,
                "label_y": label,
                "subject": one.subject,
                "low": up.at(one.low) if one.low is not None else y,
                "high": up.at(one.high) if one.high is not None else y,
            }
            for (one, _), (x, y), label in zip(pairs, places, labels, strict=True)
        ],
        "told": plain(
            "; ".join(
                f"{one.subject}: {found[0].label.lower()} {found[0].text(other.value)}, "
                f"{board.headline.label.lower()} {board.headline.text(one.value)}"
                for one, other in pairs
            )
        ),
        "file": f"{board.name}-responding",
    }
