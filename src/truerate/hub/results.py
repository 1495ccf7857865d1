"""What a card says of who did how well: the board's ranked rows on the slice that leads."""

from collections.abc import Mapping, Sequence

import polars as pl
from markupsafe import Markup

from truerate.core.schemas import unpaired
from truerate.hub.release import BoardFacts

KINDS = ("model", "baseline")
N_ROWS = 60  # of a card; boards with more say how many are left out


def result_rows(facts: BoardFacts) -> dict | None:
    """The metric that the track ranks with its rows, best rank first: where (task …), subject, kind, figure with
    interval, rank range, n, and what was planted where the board is simulated. None where nothing of it was measured.

    The rows are those of the slice that leads; where a track ranks by task, those of each task.
    """
    ranked = facts.track.ranks
    if facts.rows.is_empty() or ranked.metric not in facts.metrics:
        return None
    rows = _leading(facts.rows.to_dicts(), ranked.metric, ranked.slice)
    shown = sorted((row for row in rows if row["kind"] in KINDS), key=_order)
    planted = [_planted_beside(row, facts.rows) for row in shown]
    if not shown:
        return None
    return {
        "metric": facts.metrics[ranked.metric],
        "what": ranked.what,
        "rows": [_row(row, beside) for row, beside in zip(shown[:N_ROWS], planted, strict=False)],
        "n_more": max(0, len(shown) - N_ROWS),
        "is_planted": any(value is not None for value in planted),
    }


def _leading(rows: Sequence[dict], metric: str, wanted: Mapping[str, str]) -> list[dict]:
    """The measured rows of a metric on the leading slice, with its further values as `where`."""
    sliced = [
        (row, unpaired(row["slice"])) for row in rows if row["metric"] == metric and row["value"] is not None
    ]
    leading = [(row, keys) for row, keys in sliced if wanted.items() <= keys.items()]
    fewest = min((len(keys) for row, keys in leading if row["kind"] in KINDS), default=0)
    return [
        row | {"where": ", ".join(value for key, value in keys.items() if key not in wanted)}
        for row, keys in leading
        if len(keys) == fewest
    ]


def _planted_beside(row: dict, rows: pl.DataFrame) -> float | None:
    """The planted value of a subject's metric on the largest part of the row's slice; None if there is none."""
    candidates = [
        (len(planted["slice"]), planted["value"])
        for planted in rows.filter(kind="planted", metric=row["metric"], subject=row["subject"]).to_dicts()
        if all(pair in row["slice"] for pair in planted["slice"])
    ]
    return max(candidates)[1] if candidates else None


def _order(row: dict) -> tuple:
    """By place, models before baselines, then by rank range and name."""
    return (
        row["where"],
        KINDS.index(row["kind"]),
        row["rank_low"] or 10**6,
        row["rank_high"] or 10**6,
        row["subject"],
    )


def _row(row: dict, planted: float | None) -> dict:
    has_interval = row["low"] is not None and row["high"] is not None
    interval = f" ({row['low']:.3f} to {row['high']:.3f})" if has_interval else ""
    low, high = row["rank_low"], row["rank_high"]
    rank = None if low is None else Markup(low if low == high else f"{low} to {high}")
    return {
        "where": row["where"] or None,
        "subject": row["subject"],
        "kind": row["kind"],
        "figure": Markup(f"{row['value']:.3f}{interval}"),
        "rank": rank,
        "n": row["n"],
        "planted": None if planted is None else Markup(f"{planted:.3f}"),
    }
