"""Whether the parts of the tracks that boards run fit together. The first stage asks, so that a gap of a new
track ends a build in one line before anything is made. Kinds of values are held by the records themselves
(core/card.py, core/metric.py).
"""

import re
from collections.abc import Iterable, Iterator

from truerate.config.layout import Layout
from truerate.config.names import no_tokens, tracks_to_mark
from truerate.core.errors import TruerateError, listed, meant, mistakes
from truerate.core.metric import Metric
from truerate.core.schemas import schema
from truerate.pipeline import graph
from truerate.pipeline.dataset_tables import BESIDE, DATASET, SOURCE
from truerate.tracks.protocol import Protocol

SHARED_TABLE = "audit"  # of the records that every board may carry; no track writes into it
NEAR = 0.85  # similarity of two table names from which one is taken for a slip of the other


def check_tracks(config: Layout) -> Iterator[str]:
    """A line for each track that lacks a part, board that its track refuses, and setting beyond its track."""
    from truerate.pipeline.tracks import load_track, marking_tracks, protocol_of

    used = dict.fromkeys(board.track for board in config.p.boards.values())
    faults = [line for track in used for line in mistakes(f"track {track!r}", load_track, track)]
    if faults:
        yield from faults
        return
    for name, board in config.p.boards.items():
        track = protocol_of(config, name)
        yield from mistakes(f"track {board.track!r}", _check_parts, config, name)
        yield from track.faults(config, name) if track.faults else ()
        if board.reference != "lead" and not track.marks_tokens:
            yield (
                f"boards.{name}.reference is {board.reference!r}, and detectors of track {board.track!r} "
                "mark no words; "
                "take it away, or set it to lead"
            )
    for name in config.p.detectors:
        setting = f"detectors.{name}.tracks"
        for marked in tracks_to_mark(config.p, name):
            try:
                if not load_track(marked).marks_tokens:
                    yield no_tokens(setting, marked, marking_tracks())
            except TruerateError as error:
                yield f"{setting}: {error}"


def _check_parts(config: Layout, board: str) -> None:
    """Raise TruerateError with the first fault of a board's track: graph, tables, metric records, card."""
    from truerate.pipeline.tracks import card_of, metrics_of, protocol_of, records_of

    name, track = config.p.board(board).track, protocol_of(config, board)
    graph.in_order(name, track.graph)
    for step in track.graph:
        graph.jobs(config, board, step)
    if fault := next(_faults(name, track, metrics_of(config, board)), None):
        raise TruerateError(f"track {name!r}: {fault}")
    records, ranked = records_of(config, board), card_of(config, board).ranks.metric
    if ranked not in records:
        what = f"its card ranks {ranked!r}, which has no record"
        raise TruerateError(f"track {name!r}: {what}; recorded: {listed(records)}")


def _faults(name: str, track: Protocol, records: Iterable[Metric]) -> Iterator[str]:
    """The faults of a protocol: absent functions and tables, metrics in a table that no page has."""
    from truerate.site.registry import page_of

    steps = [step.name for step in track.graph]
    for step in track.graph:
        if not callable(track.step_functions.get(step.name)):
            yield f"step {step.name!r} of its graph has no function among its `step_functions`"
        if lost := [table for table in step.beside if table not in BESIDE]:
            yield (
                f"step {step.name!r} of its graph gives {lost[0]!r} beside replies; allowed: {listed(BESIDE)}"
            )
    if steps and not callable(track.assumed):
        yield "its protocol must have `assumed`, what a plan takes a missing reply to say"
    for part, allowed in {"queried": SOURCE, "sliced": steps, "scored": DATASET}.items():
        if lost := [value for value in getattr(track, part) if value not in allowed]:
            yield (
                f"`{part}` of its protocol names {lost[0]!r}{meant(lost[0], allowed)}; allowed: "
                f"{listed(allowed)}"
            )
    for part in ("scored_columns", "labelled_columns"):
        for table, columns in getattr(track, part).items():
            if table not in DATASET:
                yield f"`{part}` of its protocol names {table!r}; allowed: {listed(DATASET)}"
            elif lost := [column for column in columns if column not in (allowed := schema(DATASET[table]))]:
                what = f"column {lost[0]!r} of {table!r}{meant(lost[0], allowed)}"
                yield f"`{part}` of its protocol names {what}; allowed: {listed(allowed)}"
    tables = frozenset(view.table for section in page_of(name).sections for view in section.views)
    for record in records:
        if fault := _fault_of_table(record.table, tables):
            yield f"metric {record.name!r}: table {record.table!r} {fault}"


def _fault_of_table(table: str, shown: frozenset[str]) -> str:
    """Return why a record cannot stand in a table, or empty. A table that no page lays out is shown as it is."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", table):
        return "is no name; it must be a word of small letters, digits, '_' and '-', a letter first"
    if table == SHARED_TABLE:
        return "is that of the shortcut audit, which every board has; name another"
    near = meant(table, shown, cutoff=NEAR) if table not in shown else ""
    return f"is none of its pages{near}; there: {listed(shown)}" if near else ""
