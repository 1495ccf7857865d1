"""A page per detector: what it finds and flags, the calibration of its probabilities, and its boards."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truerate.core.metric import Metric
from truerate.site.board import page_and_rows
from truerate.site.charts.curves import Curve
from truerate.site.charts.two_series import NARROW, WHOLE, Sizes, drawn, reliability, side_by_side, thresholds
from truerate.site.layout import Page, by_words
from truerate.site.measures import Measure
from truerate.site.panels import panels
from truerate.site.safety import slug
from truerate.site.tables import Board, CommittedBoard, Tables
from truerate.site.views import Cell, Panel, View

BIN = "bin"  # rows of a bin of p are drawn, not listed
BESIDE = ("planted", "published")  # kinds of rows that stand beside what was measured
N_SHOWN = 8  # measures in a table before the others are asked for
Rows = list[dict]
MODEL = "model"  # the key of a slice that is one subject's replies
HELD = (
    Measure("tpr", "TPR", "Share of the hallucinated that it finds.", "detectors", direction="up"),
    Measure("tnr", "TNR", "Share of the others that it passes.", "detectors", direction="up"),
)


@dataclass(frozen=True)
class Judged:
    """Who judges on a board: its rows of judges by subject, `judging` as its page has it."""

    board: Board
    judging: Mapping[str, Sequence[str]]
    rows: Mapping[str, Rows]


def judged_on(tables: Tables) -> list[Judged]:
    """The rows of judges of every board, read once for all pages."""
    judges = []
    for board in tables.boards:
        page, rows = page_and_rows(tables, board)
        by_subject: dict[str, Rows] = {}
        for row in judging_rows(page, rows):
            if row["kind"] != "published":
                by_subject.setdefault(row["subject"], []).append(row)
        judges.append(Judged(board, page.judging, by_subject))
    return judges


def detectors_of(judged: Sequence[Judged], real: Sequence[CommittedBoard] = ()) -> dict[str, str]:
    """Return subjects that judge texts and judges of real boards, with the file name of their pages."""
    entries = [entry for board in judged for entry in board.rows.items()]
    built = {name for name, rows in entries if any(row["kind"] not in BESIDE for row in rows)}
    return addresses(built | {error.judge for board in real for error in board.judge_errors})


def addresses(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name, no two alike, in order of the names."""
    by_name: dict[str, str] = {}
    for name in sorted(names):
        base, n = str(slug(name)), 1
        while (address := base if n == 1 else f"{base}-{n}") in by_name.values():
            n += 1
        by_name[name] = address
    return by_name


def judging_rows(page: Page, rows: Rows) -> Rows:
    """The rows of a board's tables of judges."""
    judging = [row for row in rows if row["table"] in page.judging]
    return [row for row in judging if not any(view.takes(row) for view in page.hidden)]


def context(tables: Tables, judged: Sequence[Judged], name: str) -> dict:
    """Return what one_detector.md.j2 shows of a detector."""
    boards = [_on(tables, entry, name) for entry in judged]
    shown = [board for board in boards if board["blocks"]]
    real = [block for board in tables.real if (block := on_real(board, name))]
    flags = [entry["board"].is_simulated for entry in shown]
    rules = {doc["name"]: doc["doc"] for doc in reversed(tables.detector_docs)}
    return {
        "name": name,
        "doc": rules.get(name, ""),
        "card": tables.models.get(name),
        "boards": shown,
        "real": real,
        "uses": uses(tables, judged, name),
        "is_simulated": any(flags),
        "is_whole": all(flags) and not real,
    }


def uses(tables: Tables, judged: Sequence[Judged], name: str) -> list[tuple[str, str, str]]:
    """Return where a detector is used: (title of the board, its page, for what), boards of the build first."""
    lines = []
    for entry in judged:
        board = entry.board
        rates = [f"its counts make the {board.ranks}"] if board.detector.get("member") == name else []
        roles = [f"{role} of the data set" for role, who in sorted(board.roles.items()) if who == name]
        compared = ["held against labels"] if name in entry.rows else []
        if what := [*rates, *roles, *compared]:
            lines.append((board.title, f"boards/{board.name}.html", "; ".join(what)))
    for real in tables.real:
        if any(entry.subject == name and entry.kind == "baseline" for entry in real.ranked):
            lines.append((str(real.card["title"]), f"real/{real.name}.html", "a row of its own"))
        if any(entry.judge == name for entry in real.judge_errors):
            page = f"real/{real.name}.html#judges"
            lines.append((str(real.card["title"]), page, "the board as it would stand by this judge"))
    return lines


def on_real(board: CommittedBoard, name: str) -> dict | None:
    """Return a real board's figures of one of its judges, slices first; None where there are none."""
    errors = [error for error in board.judge_errors if error.judge == name]
    if not errors:
        return None
    of_models = [error for error in errors if any(key == MODEL for key, _ in error.where)]
    of_slices = [error for error in errors if error not in of_models]
    titled = (("By slice and rule of the labels", of_slices), ("By whose replies it judged", of_models))
    parts = []
    for number, (title, some) in enumerate(titled):
        if some:
            file = f"{board.name}-{number}"
            narrow = _of_errors(some, file=f"{file}-small", sizes=NARROW)
            figure = _of_errors(some, file=file)
            parts.append({"title": title, "held": some, "figure": figure, "narrow": narrow})
    return {"board": board, "parts": parts}


def _of_errors(errors: Sequence[Any], *, file: str, sizes: Sizes = WHOLE) -> dict | None:
    lines = []
    for error in errors:
        shares = zip((error.tpr, error.tnr), HELD, strict=True)
        cells = [
            Cell({"value": share.value, "low": share.low, "high": share.high}, measure)
            for share, measure in shares
        ]
        lines.append((error.where[0][1] if error.where else error.name, (), cells))
    return drawn(HELD, lines, file=file, sizes=sizes)


def _on(tables: Tables, judged: Judged, name: str) -> dict:
    """Return what a board says of a detector: tables with figures, by slices, and its curves."""
    board = judged.board
    blocks = blocks_of(board, judged.judging, judged.rows.get(name, []))
    curves = [curve for curve in tables.curves if (curve.board, curve.subject) == (board.name, name)]
    return {
        "board": board,
        "blocks": [block for block in blocks if block["is_first"]],
        "more": [block for block in blocks if not block["is_first"]],
        "curves": [_drawn(curve, board) for curve in curves],
        "is_rate": board.detector.get("member") == name,
    }


def blocks_of(board: Board, judging: Mapping[str, Sequence[str]], rows: Rows) -> list[dict]:
    """Return a detector's rows as panels by table and slice keys; the simplest two splits first."""
    by_keys: dict[tuple[str, tuple[str, ...]], Rows] = {}
    for row in rows:
        if BIN not in row["slice"]:
            by_keys.setdefault((row["table"], tuple(sorted(row["slice"]))), []).append(row)
    order = list(judging)
    blocks, n_of_table = [], dict.fromkeys(order, 0)
    for table, keys in sorted(by_keys, key=lambda key: (order.index(key[0]), len(key[1]), key)):
        some = by_keys[table, keys]
        if any(row["kind"] not in BESIDE and row["value"] is not None for row in some):
            block = _block(board, table, keys, some, judging[table])
            blocks.append(block | {"is_first": n_of_table[table] < 2})
            n_of_table[table] += 1
    return blocks


def _block(board: Board, table: str, keys: tuple[str, ...], rows: Rows, wanted: Sequence[str]) -> dict:
    """One table of a detector under its split: keys of one value are said once."""
    values = {key: sorted({row["slice"][key] for row in rows}) for key in keys}
    varied = [key for key in keys if len(values[key]) > 1]
    switch = min(varied, key=lambda key: (len(values[key]), key)) if len(varied) > 1 else None
    by = tuple(key for key in varied if key != switch)
    met = list(dict.fromkeys(row["metric"] for row in rows))
    metrics = [name for name in wanted if name in met]
    rest = [name for name in met if name not in metrics]
    if not metrics:
        metrics, rest = rest[:N_SHOWN], rest[N_SHOWN:]
    only = tuple((key, values[key][0]) for key in keys if key not in varied)
    keyed = {"switch": switch, "by": by, "only": only, "having": keys}
    view = View(table, tuple(metrics), tuple(rest), n_whiskers=0, head=_head(by, board), **keyed)
    words = board.vocabulary
    shown = [_named(panel) for panel in panels(rows, view, words)]
    file = f"{board.name}-{table}-{'-'.join(keys) or 'all'}"
    return {
        "title": f"{words.label(table)}: {by_words((*by, *([switch] if switch else [])), words).lower()}",
        "note": "; ".join(f"{words.label(key).lower()}: {words.value(key, value)}" for key, value in only),
        "anchor": file,
        "view": view,
        "panels": [
            {
                "panel": panel,
                "figure": side_by_side(panel, metrics, file=f"{file}-{panel.name}"),
                "narrow": side_by_side(panel, metrics, file=f"{file}-{panel.name}-small", sizes=NARROW),
            }
            for panel in shown
        ],
    }


def _head(by: Sequence[str], board: Board) -> str:
    words = ["language" if key == "lang" else board.vocabulary.label(key).lower() for key in by]
    text = ", ".join(words) or "detector"
    return text[:1].upper() + text[1:]


def _named(panel: Panel) -> Panel:
    """A panel whose lines do not say again whose page it is."""
    notes = [tuple(note for note in line.notes if note != line.subject) for line in panel.lines]
    lines = (replace(line, notes=kept) for line, kept in zip(panel.lines, notes, strict=True))
    return replace(panel, lines=tuple(lines), has_kinds=False)


def _drawn(curve: Curve, board: Board) -> dict:
    """A curve with its pictures, its thresholds as lines, and its slice in words."""
    words = board.vocabulary
    file = "-".join((board.name, *(value for _, value in curve.where)))
    parts = [f"{words.label(key).lower()}: {words.value(key, value)}" for key, value in curve.where]
    return {
        "curve": curve,
        "where": ", ".join(parts) or "everything",
        "reliability": reliability(curve, file=f"{file}-reliability"),
        "thresholds": thresholds(curve, file=f"{file}-thresholds"),
        "text": Metric("", "", "", "", unit="share").text,
    }
