"""Real boards on the home page: one figure each, who may be first, and what is not known."""

from collections.abc import Sequence

from truerate.site.real.forest import CARD, ON_HOME, SMALL, forest
from truerate.site.real.results import RealBoard

JUDGED = "judge error unknown"
RULES = "Simple rules alone, which ask no model: what a judge of these texts has to beat."


def cards(boards: Sequence[RealBoard]) -> list[dict]:
    """What the home page shows of each real board: those of models before those of simple rules alone, those with
    the most subjects first.
    """
    order = sorted(
        boards,
        key=lambda board: (not has_models(board), -len(board.models), -board.card["n_units"], board.name),
    )
    return [_card(board) for board in order]


def has_models(board: RealBoard) -> bool:
    """Whether models or systems stand on a board, and not simple rules alone."""
    return any(one.kind == "model" for one in board.ranked)


def _card(board: RealBoard) -> dict:
    first = [model for model in board.models if model.is_first]
    return {
        "board": board,
        "forest": forest(board, board.models[:ON_HOME], CARD),
        "narrow": forest(board, board.models[:ON_HOME], SMALL),
        "first": sentence(first, len(board.models)) if has_models(board) else RULES,
        "size": size(board),
        "n_more": max(0, len(board.models) - ON_HOME),
        "what": measured_by(board),
    }


def size(board: RealBoard) -> str:
    """How many models or rules stand on a board, and on how much: `46 models, 511 replies each`."""
    n, kind = len(board.models), "model" if has_models(board) else "rule"
    most, least = (pick((model.n for model in board.models), default=0) for pick in (max, min))
    units = units_in_words(board, most)
    bound = "" if most == least else "up to "
    return f"{n} {kind}{'' if n == 1 else 's'}, {bound}{most:,} {units} each"


def units_in_words(board: RealBoard, n: int) -> str:
    """What a board's units are called, of n of them: `reply`, `replies`."""
    word = str(board.card["unit"])
    return word if n == 1 else f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def sentence(first: Sequence, n: int) -> str:
    """Who may be first, in words."""
    if not first:
        return "Nothing is ranked."
    if len(first) == 1:
        return f"{first[0].subject} is first on its own."
    test = f"by this test (corrected for {n * (n - 1) // 2:,} pairs)"
    if len(first) == n:
        return f"None of the {n} is told apart from the first {test}."
    return f"{len(first)} of {n} may be first: not told apart {test}."


def measured_by(board: RealBoard) -> list[tuple[str, bool]]:
    """Who labelled or judged, each with whether it is a warning."""
    found = []
    if board.card["labelled_by"]:
        found.append((f"labelled by {board.card['labelled_by']}", False))
    if board.is_judged:
        found.append((f"judged by {board.card['judge']}", False))
        if not board.card["labelled_by"]:
            found.append((JUDGED, True))
    if board.judges_own:
        found.append((f"{len(board.judges_own)} of {len(board.models)} are of the judge’s own maker ⚑", True))
    return found
