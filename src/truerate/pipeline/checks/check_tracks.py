"""Whether the tracks that boards run hold what the contract says, and whether their parts fit together.

The first stage asks, so that a gap of a new track ends a build in one line before anything is made.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args

from truerate.config.layout import Layout
from truerate.config.names import no_tokens, tracks_to_mark
from truerate.core.card import Card, Ranked, Section, Words
from truerate.core.errors import TruerateError, listed, meant
from truerate.core.metric import Direction, Interval, Metric, Unit
from truerate.core.mistakes import mistakes
from truerate.core.schemas import schema
from truerate.pipeline.dataset_tables import BESIDE, DATASET, SOURCE

SHARED_TABLE = "audit"  # of the records that every board may carry; no track writes into it
NEAR = 0.85  # how much alike two names of tables are before one is held for a slip of the other
WORDS = {"unit": get_args(Unit), "direction": get_args(Direction), "interval": get_args(Interval)}
# What stands in the fields of a card that are no texts: their kind, and the kind of what they hold.
OF_CARD: dict[str, tuple[type, type]] = {
    "tasks": (Mapping, str),
    "steps": (tuple, Section),
    "caveats": (tuple, str),
    "judged_caveats": (tuple, str),
    "attributes": (frozenset, str),
    "forms": (tuple, str),
}
WHOLE: dict[str, type] = {
    "ranks": Ranked,
    "words": Words,
    "is_audited": bool,
    "takes_errata": bool,
}  # fields of a card that are records of their own


def check_tracks(at: Layout) -> Iterator[str]:
    """A line for each track that lacks a part, each board that its track refuses, and each setting beyond its track."""
    from truerate.pipeline.tracks import load_track, protocol_of

    used = dict.fromkeys(board.track for board in at.p.boards.values())
    faults = [line for track in used for line in mistakes(f"track {track!r}", load_track, track)]
    if faults:
        yield from faults
        return
    for board in at.p.boards:
        yield from mistakes(f"track {at.p.board(board).track!r}", _whole_track, at, board)
        if check := protocol_of(at, board).faults:
            yield from check(at, board)
        yield from _reference(at, board)
    for name in at.p.detectors:
        yield from _unmarked(f"detectors.{name}.tracks", tracks_to_mark(at.p, name))


def _reference(at: Layout, board: str) -> Iterator[str]:
    """A line where a board gives other references than the lead, and no detector of its track marks words."""
    from truerate.pipeline.tracks import protocol_of

    own = at.p.board(board)
    if own.reference != "lead" and not protocol_of(at, board).marks_tokens:
        yield (
            f"boards.{board}.reference is {own.reference!r}, and detectors of track {own.track!r} mark no words; "
            "take it away, or set it to lead"
        )


def _whole_track(at: Layout, board: str) -> None:
    """Raise TruerateError where the parts of a board's track do not fit together."""
    from truerate.pipeline.tracks import card_of, metrics_of, records_of

    name, card = at.p.board(board).track, card_of(at, board)
    _refuse(name, _faults_of_card(card))
    _check_graph(at, board)
    _refuse(name, _faults_of_metrics(name, metrics_of(at, board)))
    records = records_of(at, board)
    if card.ranks.metric not in records:
        what = f"its card ranks {card.ranks.metric!r}, which has no record"
        raise TruerateError(f"track {name!r}: {what}; recorded: {listed(records)}")


def _refuse(track: str, faults: Iterator[str]) -> None:
    """Raise TruerateError with the first of the faults of a track."""
    if fault := next(faults, None):
        raise TruerateError(f"track {track!r}: {fault}")


def _faults_of_card(card: Card) -> Iterator[str]:
    """What in a card is not of its kind; a frozen class does not look at what it is given."""
    for field in fields(Card):
        value = getattr(card, field.name)
        kind, held = OF_CARD.get(field.name, (str, object))
        kind = WHOLE.get(field.name, kind)
        if field.name == "asked" and value is None:
            continue
        if not isinstance(value, kind):
            yield f"`{field.name}` of its card is a {type(value).__name__}; it must be a {kind.__name__}"
        elif not value and field.name not in (
            "caveats",
            "judged_caveats",
            "attributes",
            "forms",
            "is_audited",
            "takes_errata",
        ):
            yield f"`{field.name}` of its card is empty"
        elif strange := [part for part in _parts(value) if not isinstance(part, held)]:
            yield f"`{field.name}` of its card holds {strange[0]!r}; it must hold {held.__name__}"


def _parts(value: object) -> tuple[object, ...]:
    """What a field of a card holds; of a mapping the keys and the values."""
    if isinstance(value, Mapping):
        return (*value, *value.values())
    return tuple(value) if isinstance(value, tuple | frozenset) else ()


def _check_graph(at: Layout, board: str) -> None:
    """Raise TruerateError if the graph of a board's track is out of order, names an unknown setting or table,
    lacks the function of a step, or lacks what a plan needs.
    """
    from truerate.pipeline import graph
    from truerate.pipeline.tracks import protocol_of

    name, track = at.p.board(board).track, protocol_of(at, board)
    graph.in_order(name, track.graph)
    for step in track.graph:
        graph.jobs(at, board, step)
        if not callable(track.step_functions.get(step.name)):
            raise TruerateError(
                f"track {name!r}: step {step.name!r} of its graph has no function among its `step_functions`"
            )
    if track.graph and not callable(protocol_of(at, board).assumed):
        raise TruerateError(
            f"track {name!r}: its protocol must have `assumed`, what a plan takes a missing reply to say"
        )
    _refuse(name, _unknown_tables(track))


def _unknown_tables(track: Any) -> Iterator[str]:
    """Names of tables and steps that do not exist, in what steps give, what is exported in slices, and what is scored."""
    for step in track.graph:
        if lost := [table for table in step.beside if table not in BESIDE]:
            yield f"step {step.name!r} of its graph gives {lost[0]!r} beside replies; allowed: {listed(BESIDE)}"
    steps = [step.name for step in track.graph]
    if lost := [table for table in track.queried if table not in SOURCE]:
        yield f"`queried` of its protocol names {lost[0]!r}{meant(lost[0], SOURCE)}; allowed: {listed(SOURCE)}"
    if lost := [name for name in track.sliced if name not in steps]:
        yield f"`sliced` of its protocol names {lost[0]!r}{meant(lost[0], steps)}; allowed: {listed(steps)}"
    if lost := [table for table in track.scored if table not in DATASET]:
        yield f"`scored` of its protocol names {lost[0]!r}{meant(lost[0], DATASET)}; allowed: {listed(DATASET)}"
    yield from _unknown_columns("scored_columns", track.scored_columns)
    yield from _unknown_columns("labelled_columns", track.labelled_columns)


def _unknown_columns(place: str, columns_of: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Tables of a data set and columns that there are none of, in a mapping of a track's protocol."""
    for table, columns in columns_of.items():
        if table not in DATASET:
            yield f"`{place}` of its protocol names {table!r}; allowed: {listed(DATASET)}"
        elif lost := [name for name in columns if name not in (known := schema(DATASET[table]))]:
            what = f"column {lost[0]!r} of {table!r}{meant(lost[0], known)}"
            yield f"`{place}` of its protocol names {what}; allowed: {listed(known)}"


def _faults_of_metrics(track: str, records: Iterable[object]) -> Iterator[str]:
    """The faults in a track's metric records: a wrong type, an unknown word, a table that no page has."""
    tables = _tables_shown(track)
    for record in records:
        if not isinstance(record, Metric):
            yield f"its metrics hold {record!r}; it must hold Metrics of core/metric.py"
            continue
        for key, allowed in WORDS.items():
            if (value := getattr(record, key)) not in allowed:
                words = ", ".join(map(repr, allowed))
                yield f"metric {record.name!r}: {key} {value!r} is not known{meant(value, allowed)}; allowed: {words}"
        if fault := _fault_of_table(record.table, tables):
            yield f"metric {record.name!r}: table {record.table!r} {fault}"


def _fault_of_table(table: object, shown: frozenset[str]) -> str:
    """Why a record cannot stand in a table; empty where it can. A table that no page lays out is shown as it is."""
    if not (isinstance(table, str) and re.fullmatch(r"[a-z][a-z0-9_-]*", table)):
        return "is no name; it must be a word of small letters, digits, '_' and '-', a letter first"
    if table == SHARED_TABLE:
        return "is that of the shortcut audit, which every board has; name another"
    near = meant(table, shown, cutoff=NEAR) if table not in shown else ""
    return f"is none of its pages{near}; there: {listed(shown)}" if near else ""


def _tables_shown(track: str) -> frozenset[str]:
    """The tables that a track's own page lays out; none where it has no page of its own."""
    from truerate.site.registry import page_of

    return frozenset(view.table for section in page_of(track).sections for view in section.views)


def _unmarked(place: str, tracks: Iterable[str]) -> Iterator[str]:
    """A line for each of these tracks whose texts have no tokens to mark."""
    from truerate.pipeline.tracks import load_track, marking_tracks

    for track in tracks:
        try:
            marks_tokens = load_track(track).marks_tokens
        except TruerateError as error:
            yield f"{place}: {error}"
            continue
        if not marks_tokens:
            yield no_tokens(place, track, marking_tracks())
