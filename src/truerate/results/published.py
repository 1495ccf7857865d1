"""Published figures beside a committed result: what was printed elsewhere, as printed, and whether the rows
give it.

`published.csv` in the result's folder: metric, subject, slice (as in scores.csv), printed (the figure as it
stands there, shares in per cent; `>60` and `<5` where it says no more), source, and `note` where something is
to be told. The metric is one of the result's scores, or a quantity of its labels
(`metrics.label_quantities`), whose slice says which question and label. It is read where it is there, and
never written by a build.
"""

import re
from collections import Counter
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core.errors import SourceError
from truerate.core.metric import Metric
from truerate.metrics.label_quantities import RECORDS, quantity, unasked
from truerate.results.files import Result, read_csv_lines, refuse, refuse_no_file, refuse_no_names
from truerate.results.labels import load_labels

PUBLISHED = "published.csv"
COLUMNS = ("metric", "subject", "slice", "printed", "source")
ONE_UNMEASURED = "1 published figure, not measured here"
NOTE = "note"  # a column that may stand behind them
MORE, LESS = ">", "<"  # before a figure that says no more than a bound
EXACT = 1e-9  # what a quantity made of labels may lose on the way
_FIGURE = re.compile(rf"[{MORE}{LESS}]?-?\d{{1,9}}(\.\d{{1,17}})?")


class Verdict(StrEnum):
    """What a figure of ours says of a published one."""

    REPRODUCED = "reproduced"  # equal to every digit that was printed
    DIFFERS = "differs"
    CONSISTENT = "consistent"  # within the bound that was printed
    INCONSISTENT = "inconsistent"
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
    note: str = ""


def records_of(result: Result) -> dict[str, Metric]:
    """Return what a published figure may be of, by name: the result's metrics, and quantities of labels."""
    return {**RECORDS, **result.card.records}


def beside(result: Result, folder: Path) -> tuple[Beside, ...]:
    """The published figures of a result's folder beside its scores, in their order; none without the file.

    Raises SourceError, one line, for a file that cannot be read, of other columns, or with a figure that is
    none.
    """
    path, where = folder / PUBLISHED, f"result {folder.name!r}: {PUBLISHED}"
    if not path.exists():
        return ()
    lines = _lines(path, where)
    records, labels = records_of(result), load_labels(folder, result)
    unknown = min(set(lines["metric"]) - set(records), default="")
    why = f"of which card.json has no record; quantities of labels: {', '.join(RECORDS)}"
    refuse(unknown != "", f"{where} holds metric {unknown[:80]!r}, {why}")
    cells = result.scores.select("metric", "subject", "slice", "value").iter_rows()
    scores = {tuple(key): value for *key, value in cells}
    figures = []
    for row in lines.to_dicts():
        metric, slack = row["metric"], EXACT
        if metric in result.card.records:
            value, slack = scores.get((metric, row["subject"], row["slice"])), 1e-6
        else:
            pairs = [part.partition("=")[::2] for part in row["slice"].split(";") if part]
            if wrong_slice := unasked(metric, [key for key, _ in pairs]):
                raise SourceError(f"{where}: slice {row['slice'][:80]!r} of {metric} {wrong_slice}")
            value = None if labels is None else quantity(metric, labels, row["subject"], dict(pairs))
        figures.append(_compared(row, value, records[metric], slack))
    return tuple(figures)


def _lines(path: Path, where: str) -> pl.DataFrame:
    """The lines of the file, as text."""
    refuse_no_file(path, where)
    lines = read_csv_lines(path, where, infer_schema=False)
    is_form = lines.columns in (list(COLUMNS), [*COLUMNS, NOTE])
    refuse(not is_form, f"{where} has other columns; allowed: {', '.join(COLUMNS)}, and {NOTE}")
    lines = lines.fill_null("")
    is_double = lines.select("metric", "subject", "slice", "source").is_duplicated().any()
    refuse(is_double, f"{where} says a figure twice; one line for each metric, subject, slice and source")
    refuse_no_names(lines, where)
    if wrong := [text for text in lines["printed"] if not _FIGURE.fullmatch(text)]:
        raise SourceError(f"{where} holds {wrong[0][:80]!r}, which is no figure such as 42.5")
    return lines


def _compared(row: dict[str, str], value: float | None, record: Metric, slack: float) -> Beside:
    """A published figure beside ours; `slack` is what the value, in its own unit, may have lost."""
    if value is None:
        return Beside(**row, ours=None, verdict=Verdict.NOT_MEASURED)
    scale = 100 if record.unit == "share" else 1
    ours, printed = value * scale, row["printed"]
    if printed[0] in (MORE, LESS):
        is_met = ours > float(printed[1:]) if printed[0] == MORE else ours < float(printed[1:])
        return Beside(**row, ours=ours, verdict=Verdict.CONSISTENT if is_met else Verdict.INCONSISTENT)
    is_equal = is_printed_as(ours, printed, slack=slack * scale)
    return Beside(**row, ours=ours, verdict=Verdict.REPRODUCED if is_equal else Verdict.DIFFERS)


def is_printed_as(value: float, printed: str, *, slack: float = 0.0) -> bool:
    """Return whether a value gives a printed figure at its digits, whichever way a half is rounded. `slack`
    is what the value itself may have lost, as scores.csv keeps six digits.
    """
    exponent = Decimal(printed).as_tuple().exponent
    half = 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)
    return abs(value - float(printed)) <= half + slack


def tally(figures: tuple[Beside, ...]) -> str:
    """Return how many were reproduced, in words: `46 of 46 published figures reproduced`; empty where none is
    published, and without a share where nothing of it is measured here, as nothing could be reproduced.
    """
    n, by_verdict = len(figures), Counter(figure.verdict for figure in figures)
    bounds = [(by_verdict[verdict], verdict) for verdict in (Verdict.CONSISTENT, Verdict.INCONSISTENT)]
    unmeasured = by_verdict[Verdict.NOT_MEASURED]
    if not figures:
        return ""
    if unmeasured == n:
        return f"{n} published figures, none of them measured here" if n > 1 else ONE_UNMEASURED
    more = "".join(f", {count} {verdict} with the bound printed" for count, verdict in bounds if count)
    more += f", {unmeasured} not measured here" if unmeasured else ""
    if unmeasured + sum(count for count, _ in bounds) == n:
        return f"{n} published figure{'s' * (n > 1)}{more}"
    return f"{by_verdict[Verdict.REPRODUCED]} of {n} published figures reproduced to the digits printed{more}"
