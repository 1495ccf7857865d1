"""Leaderboard rows as panels of cells, described by `View`; no metric or slice key is known by name."""

import math
from collections.abc import Sequence

from truerate.core.schemas import NO_ANSWERS, unanswered
from truerate.site.views import EVERY, WHOLE, Cell, Column, Line, Panel, View
from truerate.site.vocabulary import Vocabulary


def panels(rows: Sequence[dict], view: View, vocabulary: Vocabulary) -> list[Panel]:
    """The panels of a view over one board's rows (`slice` as dict), in the protocol's order; none where
    nothing fits.

    A row without the switch's key belongs to every panel if its subject never has that key (a baseline), else
    to a panel of its own ("All"): it is the whole of which the panels are parts.
    """
    rows = [row for row in rows if view.takes(row)]
    flags = unanswered(rows)
    rows = [row | {"is_unanswered": flag} for row, flag in zip(rows, flags, strict=True)]
    rows = [row for row in rows if not row["metric"].endswith(NO_ANSWERS)]
    if not rows:
        return []
    split = {row["subject"] for row in rows if view.switch in row["slice"]}
    parts: dict[str, list[dict]] = {}
    everywhere = [row for row in rows if row["subject"] not in split]
    for row in rows:
        if row["subject"] in split:
            parts.setdefault(row["slice"].get(view.switch, EVERY), []).append(row)
    names = sorted(parts, key=lambda name: (name != EVERY, vocabulary.sort_key(name))) or [EVERY]
    whole = WHOLE if len(names) > 1 else ""
    titles = [vocabulary.value(view.switch, name) if name else whole for name in names]
    return [
        _panel(name, parts.get(name, []) + everywhere, view, vocabulary, title=title)
        for name, title in zip(names, titles, strict=True)
    ]


def _panel(name: str, rows: list[dict], view: View, vocabulary: Vocabulary, *, title: str) -> Panel:
    planted = {_address(row, view): row["value"] for row in rows if row["kind"] == "planted"}
    measured = [row for row in rows if row["kind"] != "planted"]
    subjects = {row["subject"] for row in measured}
    others = [row for row in rows if row["kind"] == "planted" and row["subject"] not in subjects]
    rows = measured + others
    by_column = _by_column(rows, view)
    columns = _columns(by_column, view, vocabulary)
    whiskers = {column.key for column in columns if column.has_whisker} or {column.key for column in columns}
    is_turned = view.form == "heat" and all(column.measure.direction == "up" for column in columns)
    drawn = [row for key in whiskers for row in by_column[key] if _is_share(row, vocabulary)]
    # intervals of small parts would leave one tint to all
    names = ("value",) if is_turned else ("low", "high", "value")
    ends = [row[name] for row in drawn for name in names if row[name] is not None]
    low, high = _axis(ends, is_open=view.form == "board" or is_turned)
    best = {column.key: _best(by_column[column.key], column) for column in columns}
    lines = [
        _line(key, line_rows, view, vocabulary, columns=columns, best=best, planted=planted)
        for key, line_rows in _lines(rows, view).items()
    ]
    return Panel(
        name=name,
        title=title,
        columns=tuple(columns),
        groups=_groups(columns),
        lines=tuple(_ordered(lines, view, vocabulary)),
        head=view.head,
        has_kinds=view.has_kinds,
        low=low,
        high=high,
        is_bare=view.is_bare,
        is_described=bool(view.notes),
        is_turned=is_turned,
        has_planted=any(cell and cell.planted is not None for line in lines for cell in line.cells),
    )


def _is_share(row: dict, vocabulary: Vocabulary) -> bool:
    return row["value"] is not None and vocabulary.measures[row["metric"]].unit == "share"


def _column_key(row: dict, view: View) -> tuple:
    """The values of the group, the metric and whatever of the slice no key of the view takes."""
    taken = {view.switch, *view.across, *view.by, *view.down, *(key for key, _ in view.only)}
    rest = tuple(sorted((key, value) for key, value in row["slice"].items() if key not in taken))
    return (tuple(row["slice"].get(key, EVERY) for key in view.across), row["metric"], rest)


def _line_key(row: dict, view: View) -> tuple:
    return (row["subject"], row["kind"], *(row["slice"].get(key, EVERY) for key in (*view.by, *view.down)))


def _address(row: dict, view: View) -> tuple:
    """Return where a planted value belongs: subject, keys of the line, column; not its kind."""
    subject, _, *keys = _line_key(row, view)
    return (subject, *keys, _column_key(row, view))


def _by_column(rows: list[dict], view: View) -> dict[tuple, list[dict]]:
    by_key: dict[tuple, list[dict]] = {}
    for row in rows:
        by_key.setdefault(_column_key(row, view), []).append(row)
    return by_key


def _columns(by_key: dict[tuple, list[dict]], view: View, vocabulary: Vocabulary) -> list[Column]:
    order = {name: index for index, name in enumerate((*view.metrics, *view.extra))}

    def position(key: tuple) -> tuple:
        group, metric, rest = key
        groups = [_whole_first(value, vocabulary) for value in group]
        values = [vocabulary.sort_key(value) for _, value in rest]
        return groups, order.get(metric, len(order)), metric, values

    keys = sorted(by_key, key=position)
    is_one_metric = len({metric for _, metric, _ in keys}) == 1
    is_single = len(view.metrics) == 1 or (view.form == "heat" and is_one_metric)
    firsts = [not i or keys[i - 1][0] != key[0] for i, key in enumerate(keys)]
    return [
        _column(key, by_key[key], view, vocabulary, is_first=is_first, is_single=is_single)
        for key, is_first in zip(keys, firsts, strict=True)
    ]


def _column(
    key: tuple, rows: list[dict], view: View, vocabulary: Vocabulary, *, is_first: bool, is_single: bool
) -> Column:
    values, metric, rest = key
    measure = vocabulary.measures[metric]
    group = _phrase(view.across, values, vocabulary)
    is_alone = is_single and (view.form == "heat" or bool(view.across))  # the title says the metric
    words = [vocabulary.value(key, value) for key, value in rest] or ([group or WHOLE] if is_alone else [])
    full = " ".join((metric, *(f"{key}={value}" for key, value in rest)))
    name = view.headings.get(metric, measure.label)
    parts = words if is_alone else [name, *(word.lower() for word in words)]
    heading = view.headings.get(full) or ", ".join(parts)
    is_ranked = view.form == "board" and any(row["rank_low"] is not None for row in rows)
    drawn = view.metrics[: view.n_whiskers] if view.metrics else (metric,)
    has_whisker = view.form == "board" and measure.unit == "share" and metric in drawn
    return Column(key, group, measure, heading, metric in view.extra, is_ranked, is_first, has_whisker)


def _groups(columns: list[Column]) -> tuple[tuple[str, int, int], ...]:
    """Return neighbouring columns of one group with their widths; none where headings repeat the groups."""
    if all(column.heading == (column.group or WHOLE) for column in columns):
        return ()
    widths: dict[str, list[int]] = {}
    for column in columns:
        shown, whole = widths.setdefault(column.group, [0, 0])
        width = 1 + column.is_ranked
        widths[column.group] = [shown + (0 if column.is_extra else width), whole + width]
    return tuple((group, shown, whole) for group, (shown, whole) in widths.items())


def _phrase(keys: Sequence[str], values: Sequence[str], vocabulary: Vocabulary) -> str:
    """Slice values in words, one phrase: `QA, one-pass`; names of languages keep their capital."""
    pairs = [(key, value) for key, value in zip(keys, values, strict=True) if value]
    words = [vocabulary.value(key, value) for key, value in pairs]
    small = [index and key != "lang" for index, (key, _) in enumerate(pairs)]
    return ", ".join(word.lower() if is_small else word for word, is_small in zip(words, small, strict=True))


def _whole_first(value: str, vocabulary: Vocabulary) -> tuple:
    """The sort key of a group's or line's value: the whole before its parts."""
    return (value != EVERY, vocabulary.sort_key(value))


def _lines(rows: list[dict], view: View) -> dict[tuple, list[dict]]:
    lines: dict[tuple, list[dict]] = {}
    for row in rows:
        lines.setdefault(_line_key(row, view), []).append(row)
    return lines


def _line(
    key: tuple,
    rows: list[dict],
    view: View,
    vocabulary: Vocabulary,
    *,
    columns: list,
    best: dict,
    planted: dict,
) -> Line:
    subject, kind, *keys = key
    by_column = {_column_key(row, view): row for row in rows}
    cells = []
    for column in columns:
        row = by_column.get(column.key)
        if row is None:
            cells.append(None)
            continue
        truth = planted.get((subject, *keys, column.key)) if kind != "planted" else None
        is_rival = kind == "model" and view.has_kinds and row["value"] is not None
        is_best, is_top = (
            is_rival and row["value"] == best[column.key],
            kind == "model" and bool(row["is_leading"]),
        )
        cells.append(Cell(row, column.measure, truth, is_best, is_top, row["is_unanswered"]))
    name, notes = _line_name(subject, kind, keys, view, vocabulary)
    more = dict.fromkeys(row["note"] for row in rows if row.get("note"))
    if not any(column.is_ranked for column in columns) and rows and all(row["is_unanswered"] for row in rows):
        more |= {"no answers": None}  # where there are ranks it stands in their place
    return Line(subject, kind, tuple(keys), tuple(cells), name, (*notes, *more))


def _line_name(
    subject: str, kind: str, keys: list[str], view: View, vocabulary: Vocabulary
) -> tuple[str, tuple[str, ...]]:
    """Return a line's name and notes: the last of its naming values, the others below; else the subject."""
    pairs = zip((*view.by, *view.down), keys, strict=True)
    words = [vocabulary.value(key, value) for key, value in pairs if value]
    if not view.by or not words:
        name = subject if view.has_kinds else vocabulary.subject(subject)
        return name, tuple(filter(None, (view.notes.get(subject), *words)))
    return words[-1], (*words[:-1], *([subject] if kind == "model" else []))


def _best(rows: list[dict], column: Column) -> float | None:
    """The best value among models; None where the measure has no direction or there is no rival."""
    models = [row["value"] for row in rows if row["kind"] == "model" and row["value"] is not None]
    if not column.measure.direction or len(set(models)) < 2:
        return None
    return max(models) if column.measure.direction == "up" else min(models)


def _axis(ends: list[float], *, is_open: bool) -> tuple[float, float]:
    """Return the shared axis: tenths that hold every range, from zero unless open below; else the whole."""
    if not ends:
        return 0.0, 1.0
    least = max(min(ends), -1)
    low = math.floor(10 * least) / 10 if is_open or least < 0 else 0.0
    high = math.ceil(10 * min(max(ends), 1)) / 10
    return (low, high) if high > low else (max(low - 0.1, min(low, 0.0)), low + 0.1)


def _ordered(lines: list[Line], view: View, vocabulary: Vocabulary) -> list[Line]:
    """Return lines best first, blanks last, then by name; in heat tables models stand first."""

    def key(line: Line) -> tuple:
        """Return what lines are sorted by: smaller stands first."""
        cell = next((cell for cell in line.cells if cell), None)
        first = line.cells[0] if line.cells else None
        value = first.row["value"] if first else None
        sign = 1 if cell and cell.measure.direction == "down" else -1
        has_best = view.form != "heat" and (cell is None or cell.measure.direction is not None)
        is_beside = not has_best and line.kind != "model"
        parts = tuple(_whole_first(part, vocabulary) for part in line.keys)
        return is_beside, parts, value is None, sign * value if value is not None else 0, line.subject

    return sorted(lines, key=key)
