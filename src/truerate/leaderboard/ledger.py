"""The reproduction ledger: each published number beside ours, and whether it was reproduced, differs or
cannot be checked, and why.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from truerate.core.errors import TruerateError

KEY = ("source", "table", "model", "metric", "slice")
COLUMNS = (*KEY, "value", "note")
REPRODUCED, DIFFERS, UNCHECKED = "reproduced", "differs", "cannot be checked"
# Printed totals whose printed parts must sum to them: (source, table, metric of the total, how the names of
# its parts begin).
TOTALS = (
    ("helma", "5", "n_samples", "n_samples_type"),
    ("helma", "7", "n_failed", "n_failed_type"),
    ("mfava", "2", "gold_spans_Total", "gold_spans_"),
    ("wildhallucinations", "7", "evaluator_error_total", "evaluator_error_"),
)
EVEN = 1e-6  # sums of printed decimals that differ by less are equal
# Why a table cannot be checked from what is public, by (source, table).
REASONS = {
    (
        "helma",
        "5",
    ): "counts of the paper's own sampling; the candidates before filtering are not public as a whole",
    (
        "helma",
        "6",
    ): "needs the models of 2023 on the released pairs, asked with the paper's prompts; ours are our own words",
    ("helma", "7"): "needs the outputs behind the printed failures, which are not public",
    (
        "helma",
        "9",
    ): "needs the models of 2023 with the paper's prompts for knowledge, chain of thought and contrast",
    ("mfava", "1"): "needs the paper's raters; ours rate other passages",
    ("mfava", "2"): "counts of the paper's annotators; the parts are summed above",
    ("mfava", "3"): "needs the paper's 8B backbones trained on its translations; ours learn from other texts",
    ("mfava", "4"): "counts of the paper's silver set as a whole; the public files hold a part of it",
    ("mfava", "10"): "needs the paper's trained detector; its weights are not public",
    ("mfava", "Fig4"): "needs the paper's replies and trained detector; its weights are not public",
    (
        "wildhallucinations",
        "4",
    ): "needs the paper's replies, which are not public; models are asked about other entities in other words",
    ("wildhallucinations", "5"): "needs the paper's replies, facts and verdicts, which are not public",
    (
        "wildhallucinations",
        "6",
    ): "needs the paper's replies; 5,891 common entities are more than Claude 3 Haiku's 72.59 % of 7,919 allow",
    ("wildhallucinations", "7"): "needs the paper's review of facts; the parts are summed above",
    (
        "wildhallucinations",
        "8",
    ): "needs the paper's review of facts; the printed shares sum to 97.48 %, 116 of 119 facts",
}


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


def unchecked(published: pl.DataFrame, reasons: Mapping[tuple[str, str], str]) -> list[dict]:
    """One line per published row that no score of ours is held against: `board, quantity, published, ours, low,
    high, verdict, reason, source`; None where there is nothing.

    `published`: as from `load_published`, only the rows that are to be listed; `reasons` says why by (source,
    table).
    """
    lines = []
    for row in published.to_dicts():
        named = [row[name] for name in ("model", "metric", "slice") if row[name] not in (None, "-")]
        reason = reasons.get((row["source"], row["table"]), "no row of ours measures this")
        line = {"board": None, "quantity": " · ".join(named), "published": row["value"], "ours": None}
        line |= {"low": None, "high": None, "verdict": UNCHECKED, "reason": reason}
        lines.append(line | {"source": f"{row['source']} Table {row['table']}"})
    return lines


def judge(
    published: float, ours: float, interval: tuple[float | None, float | None], *, tolerance: float
) -> tuple[str, str]:
    """The verdict on a published number and its reason: reproduced within `tolerance`, or inside our interval."""
    gap, (low, high) = ours - published, interval
    if abs(gap) <= tolerance:
        return REPRODUCED, f"within {tolerance:g}"
    if low is not None and high is not None and low <= published <= high:
        return REPRODUCED, "inside our interval"
    return DIFFERS, f"ours is {abs(gap):.4g} {'above' if gap > 0 else 'below'}"


def check_totals(published: pl.DataFrame) -> list[dict]:
    """Ledger lines of printed totals against the sum of their printed parts, as `ledger` gives them (TOTALS)."""
    lines = []
    for source, table, metric, begins in TOTALS:
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


def ledger_of(files: Sequence[str | Path]) -> list[dict]:
    """The ledger of published tables: totals against their printed parts first, then every other row with why
    it cannot be checked.
    """
    totals = pl.DataFrame([one[:3] for one in TOTALS], schema=["source", "table", "metric"], orient="row")
    lines = []
    for published in map(load_published, files):
        rest = published.join(totals, on=totals.columns, how="anti", maintain_order="left")
        lines += check_totals(published) + unchecked(rest, REASONS)
    return lines
