"""The heat map of a board's headline by the values of one slice key: a number, a tint and an interval per cell."""

from truerate.site.real.results import RealBoard, RealScore

N_TINTS = 10
FEW = 2  # values of a key from which a map is worth drawing
MANY = 16  # values of a key that fit a page


def maps(board: RealBoard) -> list[dict]:
    """A map per slice key: subjects down in the order of the board, values across."""
    wide = {key: values for key, values in board.slice_keys.items() if FEW <= len(values) <= MANY}
    return [_map(board, key, values) for key, values in wide.items()]


def _map(board: RealBoard, key: str, values: list[str]) -> dict:
    cells = {
        (score.subject, score.slice[0][1]): score
        for score in board.scores
        if score.metric == board.headline.name and len(score.slice) == 1 and score.slice[0][0] == key
    }
    known = [cell.value for cell in cells.values() if cell.value is not None] or [0.0]
    ends = (min(known), max(known))
    lines = [
        (one, [_cell(board, cells.get((one.subject, value)), ends) for value in values])
        for one in board.ranked
    ]
    return {"key": key, "values": values, "lines": lines, "ends": ends}


def _cell(board: RealBoard, one: RealScore | None, ends: tuple[float, float]) -> dict | None:
    """A cell with its tint, darker where worse; None where nothing was measured."""
    if one is None or one.value is None:
        return None
    low, high = ends
    share = (one.value - low) / (high - low) if high > low else 0.0
    share = share if board.headline.is_lower_better else 1 - share
    return {
        "score": one,
        "tint": min(N_TINTS - 1, int(share * N_TINTS)),
        "is_open": board.spans_scale(one),
        "text": board.headline.text(one.value),
        "interval": f"{board.headline.text(one.low)}–{board.headline.text(one.high)}"
        if one.low is not None and one.high is not None
        else "",
    }
