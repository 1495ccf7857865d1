"""The reproduction ledger: each published number beside ours, and whether it was reproduced."""

from collections.abc import Mapping

from markupsafe import Markup

from truerate.site.measures import ABSENT, label, named, short
from truerate.site.tables import Tables

FIELDS = ("board", "quantity", "published", "ours", "low", "high", "verdict", "reason", "source")


def context(tables: Tables) -> dict:
    """What ledger.md.j2 shows: the lines, how many there are of each verdict, and whether one is about a simulated board."""
    lines = [{name: line.get(name) for name in FIELDS} | _said(line) for line in tables.ledger]
    verdicts = [line["verdict"] or "" for line in lines]
    simulated = {board.name for board in tables.boards if board.is_simulated}
    return {
        "lines": lines,
        "tally": [(label(verdict), str(verdicts.count(verdict)), "") for verdict in sorted(set(verdicts), key=_place)],
        "is_simulated": any(line["board"] in simulated for line in lines),
    }


def _place(verdict: str) -> tuple[bool, str]:
    return (verdict != "reproduced", verdict)


def _said(line: Mapping) -> dict[str, object]:
    """The quantity in words, where it stands, and its numbers as printed: as many digits as the source needs, a dash for none."""
    parts = [named(part) for part in str(line.get("quantity") or "").split(" · ")]
    paper, _, table = str(line.get("source") or "").partition(" ")
    where = " · ".join(filter(None, (f"{short(paper)} {table}".strip(), line.get("board"))))
    return {
        "title": " · ".join(parts),
        "where": where,
        "figures": {name: _number(line.get(name)) for name in ("published", "ours", "low", "high")},
    }


def _number(value: object) -> object:
    if value is None:
        return ABSENT
    if isinstance(value, int | float):
        return Markup(f"{value:,.0f}".replace(",", "\u2009") if value == int(value) and abs(value) >= 1000 else f"{value:.6g}")
    return value
