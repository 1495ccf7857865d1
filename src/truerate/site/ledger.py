"""The reproduction ledger: published numbers beside ours; long tables without a difference fold away."""

from collections.abc import Mapping
from itertools import zip_longest

from markupsafe import Markup

from truerate.site.measures import ABSENT, thousands
from truerate.site.tables import Tables
from truerate.site.vocabulary import Vocabulary, language

FIELDS = ("board", "quantity", "published", "ours", "low", "high", "verdict", "reason", "source")
UNCHECKED, CONSISTENT, INCONSISTENT = "cannot be checked", "consistent", "inconsistent"
MANY = 8  # numbers of one printed table with one verdict and reason from which they fold into one of ours
COUNT = 1000  # from here on a printed number is taken for a count
WIDE = 12  # columns of numbers above which a table is turned
VERDICTS = ("reproduced", "differs", CONSISTENT, INCONSISTENT, "inferred", UNCHECKED)
STD = "_std"  # of a metric's name: the ± beside its value


def context(tables: Tables) -> dict:
    """Return what ledger.md.j2 shows: lines, folded lines, counts by verdict, and whether a board is
    simulated.
    """
    words = tables.vocabulary
    lines = [{name: line.get(name) for name in FIELDS} | _in_words(line, words) for line in tables.ledger]
    by_place: dict[tuple[str, str, str], list[dict]] = {}
    for line in lines:
        by_place.setdefault((line["where"], line["verdict"], line["reason"]), []).append(line)
    settled = {key: part for key, part in by_place.items() if key[1] in (UNCHECKED, CONSISTENT)}
    long = {key: part for key, part in settled.items() if len(part) > MANY and _is_grid(part)}
    verdicts = [line["verdict"] or "" for line in lines]
    simulated = {board.name for board in tables.boards if board.is_simulated}
    return {
        "lines": [line for line in lines if (line["where"], line["verdict"], line["reason"]) not in long],
        "folded": [_grid(*key, part, words) for key, part in long.items()],
        "tally": [
            (words.label(verdict), thousands(verdicts.count(verdict)), "")
            for verdict in sorted(set(verdicts), key=_verdict_order)
        ],
        "is_simulated": any(line["board"] in simulated for line in lines),
        "is_inferred": "inferred" in verdicts,
        "real": [board for board in tables.real if board.published],
    }


def _verdict_order(verdict: str) -> tuple[int, str]:
    """First what a number of ours says, then what a paper's say of one another."""
    return (VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS), verdict)


def _in_words(line: Mapping, vocabulary: Vocabulary) -> dict[str, object]:
    """Return the quantity in words, its place, and its numbers with as many digits as the source needs."""
    paper, _, table = str(line.get("source") or "").replace("Table Fig", "Figure ").partition(" ")
    parts = [vocabulary.quantity(part, paper) for part in str(line.get("quantity") or "").split(" · ")]
    where = " · ".join(filter(None, (f"{vocabulary.subject(paper)} {table}".strip(), line.get("board"))))
    return {
        "title": " · ".join(parts),
        "paper": paper,
        "where": where,
        "figures": {name: _number(line.get(name)) for name in ("published", "ours", "low", "high")},
    }


def _is_grid(lines: list[dict]) -> bool:
    """Return whether each line is of a place of its own in a table: its last part down, the others across."""
    names = {line["quantity"] for line in lines}
    return len(names) == len(lines) and all(" · " in str(name) for name in names)


def _apart(cells: dict[tuple[str, str], float]) -> tuple[dict, dict]:
    """Return values and the standard deviations printed beside them; one without a value stays a cell."""
    deviations = {key: (key[0].removesuffix(STD), key[1]) for key in cells if key[0].endswith(STD)}
    spread = {key: cells[deviation] for deviation, key in deviations.items()}
    values = {key: value for key, value in cells.items() if deviations.get(key) not in cells}
    return values, spread


def _cells(lines: list[dict]) -> dict[tuple[str, str], float]:
    """Published numbers by what stands across and what stands down.

    Down is the last part of a quantity, or its first where there would be more columns than a screen holds or
    a single line, and fewer so: a table of many models and some metrics has its models down. Numbers with a ±
    beside them stay as they are.
    """
    names = [str(line["quantity"]) for line in lines]
    by_last = [name.rpartition(" · ")[::2] for name in names]
    by_first = [name.partition(" · ")[::-2] for name in names]
    n_last, n_first = (len({over for over, _ in places}) for places in (by_last, by_first))
    has_spread = any(over.endswith(STD) for over, _ in by_last)
    is_long = n_last > WIDE or len({of for _, of in by_last}) == 1
    places = by_first if n_first < n_last and is_long and not has_spread else by_last
    return {key: line["published"] for key, line in zip(places, lines, strict=True)}


def _grid(where: str, verdict: str, reason: str, lines: list[dict], vocabulary: Vocabulary) -> dict:
    """Printed numbers as the table that they came from (`_cells`); ± beside a value."""
    cells, spread = _apart(_cells(lines))
    paper = lines[0]["paper"]
    across, down = (list(dict.fromkeys(key[index] for key in cells)) for index in (0, 1))
    parts = [over.split(" · ") for over in across]
    by_index = list(zip_longest(*parts, fillvalue=""))
    varied = [index for index, names in enumerate(by_index) if len(set(names)) > 1]
    heads = [
        " · ".join(vocabulary.quantity(part[index], paper) for index in varied or [0] if index < len(part))
        for part in parts
    ]
    columns = [[cells.get((over, of)) for of in down] for over in across]
    beside = [[spread.get((over, of)) for of in down] for over in across]
    shown = zip(*map(_aligned, columns), strict=True)
    spreads = zip(*(_aligned(column, absent=None) for column in beside), strict=True)
    rows = [
        (language(vocabulary.quantity(of, paper)), list(zip(*line, strict=True)))
        for of, *line in zip(down, zip(*columns, strict=True), shown, spreads, strict=True)
    ]
    shared = [part for index, part in enumerate(parts[0]) if index not in varied]
    same = " · ".join(vocabulary.quantity(part, paper) for part in shared)
    grid = {"where": where, "verdict": verdict, "reason": reason, "n": len(lines)}
    return grid | {"heads": heads, "rows": rows, "same": same}


def _aligned(column: list[float | None], absent: str | None = ABSENT) -> list:
    """Return a column's numbers with as many decimals as its longest; counts stand as they are."""
    shown = [absent if value is None else _number(value) for value in column]
    numbers = [value for value in column if value is not None]
    if any(abs(value) >= COUNT for value in numbers):
        return shown
    n = max((len(f"{value:.6g}".partition(".")[2]) for value in numbers), default=0)
    return [
        text if value is None else Markup(f"{value:.{n}f}") for text, value in zip(shown, column, strict=True)
    ]


def _number(value: object) -> object:
    if value is None:
        return ABSENT
    if isinstance(value, int | float):
        return Markup(thousands(int(value)) if value == int(value) and abs(value) >= 1000 else f"{value:.6g}")
    return value
