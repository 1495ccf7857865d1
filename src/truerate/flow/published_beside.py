"""Published figures beside a committed result: what was printed elsewhere, as printed, and whether the rows give it.

`published.csv` in the result's folder: metric, subject, slice (as in scores.csv), printed (the figure as it stands
there, shares in per cent), source. It is read where it is there, and never written by a build.
"""

import re
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core.errors import SourceError
from truerate.flow.result_files import MAX_BYTES, Result

PUBLISHED = "published.csv"
COLUMNS = ("metric", "subject", "slice", "printed", "source")
_FIGURE = re.compile(r"-?\d{1,9}(\.\d{1,6})?")


class Verdict(StrEnum):
    """What a figure of ours says of a published one."""

    REPRODUCED = "reproduced"  # equal to every digit that was printed
    DIFFERS = "differs"
    NOT_MEASURED = "not measured here"


class Beside(NamedTuple):
    """One published figure and ours, both in the unit in which it was printed."""

    metric: str
    subject: str
    slice: str
    printed: str
    source: str
    ours: float | None
    verdict: Verdict


def beside(result: Result, folder: Path) -> tuple[Beside, ...]:
    """The published figures of a result's folder beside its scores, in their order; none without the file.

    Raises SourceError, one line, for a file that cannot be read, of other columns, or with a figure that is none.
    """
    path = folder / PUBLISHED
    where = f"result {folder.name!r}: {PUBLISHED}"
    if not path.exists():
        return ()
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
        raise SourceError(f"{where} is a link, no file, or too large")
    try:
        lines = pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        raise SourceError(f"{where}: {str(error).splitlines()[0][:200]}") from None
    if lines.columns != list(COLUMNS):
        raise SourceError(f"{where} has other columns; allowed: {', '.join(COLUMNS)}")
    lines = lines.fill_null("")
    if lines.select("metric", "subject", "slice", "source").is_duplicated().any():
        raise SourceError(f"{where} says a figure twice; one line for each metric, subject, slice and source")
    if unknown := set(lines["metric"]) - set(result.card.records):
        raise SourceError(f"{where} holds metric {min(unknown)[:80]!r}, of which card.json has no record")
    if wrong := [one for one in lines["printed"] if not _FIGURE.fullmatch(one)]:
        raise SourceError(f"{where} holds {wrong[0][:80]!r}, which is no figure such as 42.5")
    key = ("metric", "subject", "slice")
    ours = {row[:3]: row[3] for row in result.scores.select(*key, "value").iter_rows()}
    return tuple(
        _compared(row, ours.get((row["metric"], row["subject"], row["slice"])), result)
        for row in lines.to_dicts()
    )


def _compared(row: dict[str, str], value: float | None, result: Result) -> Beside:
    if value is None:
        return Beside(**row, ours=None, verdict=Verdict.NOT_MEASURED)
    is_share = result.card.records[row["metric"]].unit == "share"
    ours = value * 100 if is_share else value
    is_equal = is_printed_as(ours, row["printed"], slack=1e-4 if is_share else 1e-6)
    return Beside(**row, ours=ours, verdict=Verdict.REPRODUCED if is_equal else Verdict.DIFFERS)


def is_printed_as(value: float, printed: str, *, slack: float = 0.0) -> bool:
    """Whether a value gives a printed figure at its digits, whichever way a half is rounded. `slack` is what the
    value itself may have lost, as scores.csv keeps six digits.
    """
    exponent = Decimal(printed).as_tuple().exponent
    half = 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)
    return abs(value - float(printed)) <= half + slack


def tally(found: tuple[Beside, ...]) -> str:
    """How many were reproduced, in words: `46 of 46 published figures reproduced`; empty where none is published.

    Where nothing of it is measured here no share is told, as nothing could be reproduced.
    """
    if not found:
        return ""
    n = sum(one.verdict is Verdict.REPRODUCED for one in found)
    unmeasured = sum(one.verdict is Verdict.NOT_MEASURED for one in found)
    if unmeasured == len(found):
        return f"{len(found)} published figures, none of them measured here"
    more = f", {unmeasured} not measured here" if unmeasured else ""
    return f"{n} of {len(found)} published figures reproduced to the digits printed{more}"
