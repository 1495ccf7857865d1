"""The reproduction ledger: each published number beside ours, and whether it was reproduced, differs or
cannot be checked, and why; and published numbers beside one another, whether they are consistent.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import polars as pl

from truerate.core.claims import Claim, FileCounts
from truerate.core.errors import TruerateError
from truerate.leaderboard.consistency import Total, check_claims, check_totals, printed_in
from truerate.leaderboard.file_counts import UNCHECKED, Counts, check_counts

KEY = ("source", "table", "model", "metric", "slice")
COLUMNS = (*KEY, "value", "note")


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
    """One line per published row that no score of ours is held against: `board, quantity, published, ours,
    low, high, verdict, reason, source`; None where there is nothing.

    `published`: as from `load_published`, only the rows that are to be listed; `reasons` says why by (source,
    table).
    """
    lines = []
    for row in published.to_dicts():
        parts = [row[name] for name in ("model", "metric", "slice") if row[name] not in (None, "-")]
        reason = reasons.get((row["source"], row["table"]), "no row of ours measures this")
        line = {"board": None, "quantity": " · ".join(parts), "published": row["value"], "ours": None}
        line |= {"low": None, "high": None, "verdict": UNCHECKED, "reason": reason}
        lines.append(line | {"source": printed_in(row["source"], row["table"])})
    return lines


def ledger_of(
    files: Sequence[str | Path],
    totals: Sequence[Total],
    reasons: Mapping[tuple[str, str], str],
    claims: Sequence[Claim] = (),
    counted: Sequence[FileCounts] = (),
    cards: Mapping[str, tuple[str, Counts]] = MappingProxyType({}),
) -> list[dict]:
    """The ledger of published tables: totals against their printed parts first, then what else the papers'
    figures say of one another (`claims`), then those that are counts of public files (`counted`, by the cards of
    their boards: `check_counts`), then every other row that is no total with why it cannot be checked: `reasons`, by
    source and table.
    """
    summed = pl.DataFrame(
        [total[:3] for total in totals],
        schema=dict.fromkeys(("source", "table", "metric"), pl.String),
        orient="row",
    )
    lines = []
    for published in map(load_published, files):
        rest = published.join(summed, on=summed.columns, how="anti", maintain_order="left")
        lines += check_totals(published, totals) + check_claims(published, claims)
        of_files = list(check_counts(published, counted, cards))
        lines += of_files
        places = {(line["source"], line["quantity"]) for line in of_files}
        others = unchecked(rest, reasons)
        lines += [line for line in others if (line["source"], line["quantity"]) not in places]
    return lines
