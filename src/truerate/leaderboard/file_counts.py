"""Printed figures of a paper held against counts of its public files: the opening tags, articles and queries that a
reader counted on its way are in the card of its source.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from truerate.core.claims import FileCounts
from truerate.core.languages import LANGUAGES
from truerate.leaderboard.consistency import printed_in

REPRODUCED, DIFFERS, UNCHECKED = "reproduced", "differs", "cannot be checked"
Counts = Mapping[str, int]  # of a card, by name and language
CODES = {language.name: code for code, language in LANGUAGES.items()} | {code: code for code in LANGUAGES}


def check_counts(
    published: pl.DataFrame, claims: Sequence[FileCounts], cards: Mapping[str, tuple[str, Counts]]
) -> Iterator[dict[str, Any]]:
    """Yield a ledger line per printed figure that is a count of public files, for each board of them: reproduced
    where they are equal, else differs, with the gap in per cent and the rows that were counted.

    `cards`: by board the reader of its source, and the counts that this left. A figure of a language that the files
    do not hold has no line here; one over all languages cannot be checked where they hold fewer than it.
    """
    for claim in claims:
        part = published.filter(
            pl.col("metric").is_in(list(claim.by)), source=claim.source, table=claim.table
        )
        for board, (reader, counts) in cards.items():
            for row in part.to_dicts() if reader == claim.reader else ():
                lang = CODES.get(row["slice"])
                tagged, rows = (_of(counts, name, lang) for name in (claim.by[row["metric"]], claim.rows))
                if tagged and rows:
                    yield _line(claim, board, row, tagged, rows, is_whole=lang is None)


def _of(counts: Counts, name: str, lang: str | None) -> dict[str, int]:
    """Return the counts whose names begin so, of a language, or of all (None)."""
    return {
        key: n
        for key, n in counts.items()
        if key.startswith(name) and key.rpartition("_")[2] in ((lang,) if lang else LANGUAGES)
    }


def _line(
    claim: FileCounts, board: str, row: Mapping, tagged: Counts, rows: Counts, *, is_whole: bool
) -> dict[str, Any]:
    printed, ours, n_rows = row["value"], sum(tagged.values()), sum(rows.values())
    n_langs = len({key.rpartition("_")[2] for key in tagged})
    counted = f"counted in {n_rows:,} rows of public files"
    if is_whole:
        counted += f", {n_langs} languages"
    if is_whole and n_langs < claim.n_langs:
        verdict, reason = UNCHECKED, f"{counted}; the figure is of {claim.n_langs}"
    elif ours == printed:
        verdict, reason = REPRODUCED, counted
    else:
        gap = 100 * (ours - printed) / printed
        verdict, reason = DIFFERS, f"{abs(gap):.1f} % {'above' if gap > 0 else 'below'}, {counted}"
    if claim.note and verdict != REPRODUCED:
        reason += f"; {claim.note}"
    line = {
        "board": board,
        "quantity": f"{row['metric']} · {row['slice']}",
        "published": printed,
        "ours": ours,
    }
    line |= {"low": None, "high": None, "verdict": verdict, "reason": reason}
    return line | {"source": printed_in(claim.source, claim.table)}
