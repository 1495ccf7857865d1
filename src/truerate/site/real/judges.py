"""Another judge of the same replies: the board as each judge would rank it, and how far two judges agree."""

from truerate.site.measures import signed
from truerate.site.real.results import RealBoard, RealScore, Swap

PEOPLE, HERE = "people", "the board"  # what leads a board: people's labels, or its own judge
ROW, HEAD, FOOT = 20, 44, 12  # height of a rank, above the first, below the last
NAMES, STEP = 168.0, 84.0  # width of the names on either side, and from judge to judge


def swapped(board: RealBoard) -> dict | None:
    """What real/judges.html.j2 shows; None where one judge alone read the replies."""
    if not board.swaps:
        return None
    lead = PEOPLE if board.card["labelled_by"] else str(board.card["judge"] or HERE)
    columns = {lead: board.overall(board.headline.name)} | board.judges()
    against = [swap for swap in board.swaps if not swap.order.first]
    return {
        "lead": lead,
        "columns": list(columns),
        "lines": [
            (model, [_cell(board, name, found.get(model.subject)) for name, found in columns.items()])
            for model in board.models
        ],
        "against": against,
        "others": [swap for swap in board.swaps if swap.order.first],
        "told": told([one for one in against if not one.order.key], lead),
        "picture": places(board, columns) if len(columns) > 2 else None,
        "firm": [swap for swap in board.swaps if swap.order.apart and not swap.order.first],
    }


def _cell(board: RealBoard, judge: str, one: RealScore | None) -> dict | None:
    """A rate with its rank range and the slice that its rows stand in; None where nothing was judged."""
    if one is None or one.value is None:
        return None
    return {
        "score": one,
        "text": board.measures[one.metric].text(one.value),
        "rank": one.rank or "–",
        "where": f"judge={judge}" if one.slice else "",
    }


def told(against: list[Swap], lead: str) -> str:
    """In one sentence how far the order by other judges is that of what leads."""
    taus = [(one.order.tau, one.order.second) for one in against if one.order.tau is not None]
    if not taus:
        return "No other judge orders the subjects."
    (low, worst), (high, best) = min(taus), max(taus)
    if len(taus) == 1:
        return f"Against the order by {lead}, Kendall’s τ of {best} is {signed(high)}."
    return (
        f"Against the order by {lead}, Kendall’s τ of {len(taus)} other judges lies between {signed(low)} ({worst}) "
        f"and {signed(high)} ({best})."
    )


def places(board: RealBoard, columns: dict[str, dict[str, RealScore]]) -> dict:
    """Where the picture of places draws each subject: a column per judge, best on top; of equals the one that leads
    by name first.
    """
    names = [model.subject for model in board.models]
    sign = 1 if board.headline.is_lower_better else -1
    at: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for number, found in enumerate(columns.values()):
        known = [name for name in names if name in found and found[name].value is not None]
        ordered = sorted(known, key=lambda name: (sign * (found[name].value or 0.0), name))
        for place, name in enumerate(ordered):
            at[name].append((NAMES + STEP * (number + 0.5), HEAD + ROW * (place + 0.5)))
    return {
        "size": (2 * NAMES + STEP * len(columns), HEAD + ROW * len(names) + FOOT),
        "heads": [(name, NAMES + STEP * (number + 0.5)) for number, name in enumerate(columns)],
        "lines": [
            {"name": name, "points": points, "is_first": not place}
            for place, (name, points) in enumerate(at.items())
            if len(points) > 1
        ],
        "told": "; ".join(
            f"{judge}: {', '.join(sorted(found, key=lambda name: (sign * (found[name].value or 0.0), name)))}"
            for judge, found in columns.items()
        ),
        "file": f"{board.name}-judges",
    }
