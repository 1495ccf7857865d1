"""The reproduction ledger: each published number beside ours, and whether it was reproduced, differs or
cannot be checked, and why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas import Score, frame, pairs

KEY = ("source", "table", "model", "metric", "slice")
COLUMNS = (*KEY, "value", "note")
REPRODUCED, DIFFERS, UNCHECKED = "reproduced", "differs", "cannot be checked"
# A printed total whose printed parts must sum to it: source, table, metric of the total, how the names of its
# parts begin.
Total = tuple[str, str, str, str]
EVEN = 1e-6  # sums of printed decimals that differ by less are equal


@dataclass(frozen=True)
class Claim:
    """That a score of ours measures what a published row printed. `scale` turns the printed number into ours
    (.01 for percent).
    """

    published: tuple[str, str, str, str, str]  # source, table, model, metric, slice
    board: str
    metric: str
    subject: str
    slice: Mapping[str, str]
    scale: float = 0.01


def load_published(path: str | Path) -> pl.DataFrame:
    """Published results as a frame: `source, table, model, metric, slice, note` as text, `value` as number.
    `table` is no number.

    Raises TruerateError where the file is missing or lacks a column.
    """
    try:
        rows = pl.read_csv(path, infer_schema=False)
        return rows.select(*COLUMNS).with_columns(pl.col("value").cast(pl.Float64))
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).splitlines()[0]
        raise TruerateError(
            f"reading published results {str(path)!r}: {first}; needed columns: {', '.join(COLUMNS)}"
        ) from None


def ledger(
    published: pl.DataFrame,
    scores: pl.DataFrame,
    claims: Sequence[Claim],
    *,
    tolerance: float,
    reasons: Mapping[tuple[str, str], str],
) -> list[dict]:
    """One line per published row: `board, quantity, published, ours, low, high, verdict, reason, source`;
    None where there is nothing.

    `published`: as from `load_published`, only the rows that are to be listed; `scores`: schemas.Score.
    Reproduced: the printed value lies in our interval, or within `tolerance` (in our unit) of our value. A
    row that no claim names, or whose score is not there, cannot be checked; `reasons` says why by (source,
    table).
    """
    claimed = {claim.published: claim for claim in claims}
    ours = {
        (s["board"], s["metric"], s["subject"], _key(s["slice"])): s
        for s in scores.to_dicts()
        if s["method"] == "estimator"
    }
    lines = []
    for row in published.to_dicts():
        claim = claimed.get(tuple(row[name] for name in KEY))
        score = (
            ours.get((claim.board, claim.metric, claim.subject, _key(pairs(**claim.slice))))
            if claim
            else None
        )
        lines.append(_line(row, claim, score, tolerance=tolerance, reasons=reasons))
    return lines


def _key(slice_: list[dict[str, str]]) -> tuple:
    return tuple((one["key"], one["value"]) for one in slice_)


def _line(
    row: dict,
    claim: Claim | None,
    score: dict | None,
    *,
    tolerance: float,
    reasons: Mapping[tuple[str, str], str],
) -> dict:
    named = {
        "board": claim.board if claim else None,
        "quantity": " · ".join(
            row[name] for name in ("model", "metric", "slice") if row[name] not in (None, "-")
        ),
        "published": row["value"] * (claim.scale if claim else 1),
        "source": f"{row['source']} Table {row['table']}",
    }
    if claim is None or score is None or score["value"] is None:
        why = "the row of ours that measures this is not built" if claim else "no row of ours measures this"
        reason = reasons.get((row["source"], row["table"]), why)
        return named | {"ours": None, "low": None, "high": None, "verdict": UNCHECKED, "reason": reason}
    verdict, reason = judge(
        named["published"], score["value"], (score["low"], score["high"]), tolerance=tolerance
    )
    return (
        named
        | {name: score[name] for name in ("low", "high")}
        | {"ours": score["value"], "verdict": verdict, "reason": reason}
    )


def judge(
    published: float, ours: float, interval: tuple[float | None, float | None], *, tolerance: float
) -> tuple[str, str]:
    """The verdict on a published number and its reason."""
    gap, (low, high) = ours - published, interval
    if abs(gap) <= tolerance:
        return REPRODUCED, f"within {tolerance:g}"
    if low is not None and high is not None and low <= published <= high:
        return REPRODUCED, "inside our interval"
    return DIFFERS, f"ours is {abs(gap):.4g} {'above' if gap > 0 else 'below'}"


def check_totals(published: pl.DataFrame, totals: Sequence[Total]) -> list[dict]:
    """Ledger lines of printed totals against the sum of their printed parts, as `ledger` gives them."""
    lines = []
    for source, table, metric, begins in totals:
        part = published.filter(pl.col("source") == source, pl.col("table") == table)
        for total in part.filter(pl.col("metric") == metric).to_dicts():
            pieces = part.filter(
                pl.col("metric").str.starts_with(begins),
                pl.col("metric") != metric,
                pl.col("slice") == total["slice"],
                pl.col("model") == total["model"],
            )
            found = pieces["value"].sum()
            verdict, reason = judge(total["value"], found, (None, None), tolerance=EVEN)
            reason = (
                f"sum of {pieces.height} printed parts"
                if verdict == REPRODUCED
                else f"the printed parts: {reason}"
            )
            line = {
                "board": None,
                "quantity": f"{metric} · {total['slice']}",
                "published": total["value"],
                "ours": found,
            }
            lines.append(
                line
                | {
                    "low": None,
                    "high": None,
                    "verdict": verdict,
                    "reason": reason,
                    "source": f"{source} Table {table}",
                }
            )
    return lines


def ledger_of(
    files: Sequence[str | Path], totals: Sequence[Total], reasons: Mapping[tuple[str, str], str]
) -> list[dict]:
    """The ledger of published tables: totals against their printed parts first, then every other row with why
    it cannot be checked: `reasons`, by source and table.
    """
    summed = pl.DataFrame([one[:3] for one in totals], schema=["source", "table", "metric"], orient="row")
    lines = []
    for published in map(load_published, files):
        rest = published.join(summed, on=summed.columns, how="anti", maintain_order="left")
        lines += check_totals(published, totals) + ledger(
            rest, frame(Score), (), tolerance=0, reasons=reasons
        )
    return lines
