"""Rankings of a shared task's teams, as its organisers publish them in Markdown, as lines of `published.csv`.

A heading per language (`## AR`), and below it a table whose columns are told by their names: `IoU`, `ρ`, `Team name`,
and a first one without a name that holds the rank. Baselines stand without a rank, in italics. Two files hold the same
figures in two orders of lines and columns.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from truerate.core.errors import SourceError

METRICS = {"IoU": "iou", "ρ": "spearman"}
SHARES = frozenset({"iou"})  # told in per cent in published.csv
TEAM = "Team name"
BASELINES = {"mark all": "mark-all", "mark none": "mark-none", "neural": "neural"}
_HEADING = re.compile(r"##\s+([A-Za-z]{2,3})\s*")
_BASELINE = re.compile(r"_Baseline \((.+)\)_")
_RULE = re.compile(r":?-+:?")


class Ranked(NamedTuple):
    """One line of a ranking: a team with its rank, or a baseline without one. Figures as printed, by metric."""

    lang: str
    rank: int | None
    name: str
    figures: Mapping[str, str]


def parse_rankings(text: str, where: str) -> tuple[Ranked, ...]:
    """Teams and baselines of every language, in order. Raises SourceError for a table that is not such a ranking."""
    lang, columns, found = "", [], []
    for number, line in enumerate(text.splitlines(), 1):
        if heading := _HEADING.fullmatch(line.strip()):
            lang, columns = heading[1].lower(), []
        elif line.lstrip().startswith("|") and lang:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not columns:
                columns = _columns(cells, f"{where}: line {number}")
            elif not all(_RULE.fullmatch(cell) for cell in cells):
                found.append(_ranked(lang, columns, cells, f"{where}: line {number}"))
    if not found:
        raise SourceError(f"{where} holds no table of teams below a heading such as '## AR'")
    names = [(one.lang, one.name) for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SourceError(f"{where} ranks {twice[1][:80]!r} twice in {twice[0]!r}")
    return tuple(found)


def _columns(cells: Sequence[str], where: str) -> list[str]:
    wanted = {"", TEAM, *METRICS}
    if set(cells) != wanted or len(cells) != len(wanted):
        raise SourceError(
            f"{where}: a table without the columns {TEAM}, {', '.join(METRICS)} and one of ranks"
        )
    return list(cells)


def _ranked(lang: str, columns: Sequence[str], cells: Sequence[str], where: str) -> Ranked:
    if len(cells) != len(columns):
        raise SourceError(f"{where} has {len(cells)} cells, its table {len(columns)} columns")
    row = dict(zip(columns, cells, strict=True))
    figures = {metric: row[column] for column, metric in METRICS.items()}
    if wrong := next((figure for figure in figures.values() if not _is_figure(figure)), None):
        raise SourceError(f"{where} holds {wrong[:80]!r}, which is no figure such as 0.42")
    if not row[""]:
        baseline = _BASELINE.fullmatch(row[TEAM])
        if baseline is None or baseline[1] not in BASELINES:
            raise SourceError(f"{where} ranks {row[TEAM][:80]!r} nowhere; baselines: {', '.join(BASELINES)}")
        return Ranked(lang, None, BASELINES[baseline[1]], figures)
    if not row[""].isdecimal() or not row[TEAM]:
        raise SourceError(f"{where} holds a rank or a team that is none")
    return Ranked(lang, int(row[""]), row[TEAM], figures)


def _is_figure(text: str) -> bool:
    try:
        return Decimal(text).is_finite() and abs(Decimal(text)) <= 1
    except InvalidOperation:
        return False


def published_lines(
    ranked: Sequence[Ranked], *, slice: str, source: str, note: str, first: int
) -> list[dict[str, str]]:
    """Lines of `published.csv`: per language the baselines and the `first` teams; `slice` holds `{lang}`."""
    return [
        {
            "metric": metric,
            "subject": one.name,
            "slice": slice.format(lang=one.lang),
            "printed": _in_per_cent(printed) if metric in SHARES else printed,
            "source": source,
            "note": note
            if one.rank is None
            else f"Rank {one.rank} of {_n_teams(ranked, one.lang)} teams. {note}",
        }
        for one in ranked
        if one.rank is None or one.rank <= first
        for metric, printed in one.figures.items()
    ]


def _in_per_cent(printed: str) -> str:
    """A share of 1 in per cent, at the digits that were printed: `0.0466667` is `4.66667`, and `0` stays `0`."""
    value = Decimal(printed)
    return f"{value.scaleb(2):f}" if value else "0"


def _n_teams(ranked: Sequence[Ranked], lang: str) -> int:
    return sum(one.lang == lang and one.rank is not None for one in ranked)
