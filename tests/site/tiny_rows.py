"""A leaderboard row of the tiny tables."""

from truerate.core.schemas import pairs


def leaderboard_row(
    board, provenance, table, subject, kind, metric, value, *, interval=(None, None), ranks=None, n, where
):
    """One row as the leaderboard step writes it; `where` is its slice, `interval` its ends, `ranks` the range it may hold."""
    return {
        "board": board,
        "table": table,
        "subject": subject,
        "kind": kind,
        "metric": metric,
        "slice": pairs(**where),
        "rank_low": ranks and ranks[0],
        "rank_high": ranks and ranks[1],
        "is_leading": ranks and ranks[0] == 1 and kind == "model",
        "value": value,
        "low": interval[0],
        "high": interval[1],
        "n": n,
        "provenance": provenance,
    }
