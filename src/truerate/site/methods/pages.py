"""What the methods pages show: the index, a page per protocol and one per subject of functions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from markupsafe import Markup
from pydantic.dataclasses import dataclass as record

from truerate.core.data_files import RECORD, read_data
from truerate.core.errors import TruerateError
from truerate.site.measures import SHARED, Measure
from truerate.site.methods.briefs import brief
from truerate.site.safety import slug
from truerate.site.tables import Board, Fill, Tables

SUBJECTS = "subjects.yaml"
SHARED_TITLE = "Measures of every board"
_HEADING = re.compile(r"^## (.+?) \{ #([\w-]+) \}$", re.M)


@record(frozen=True, config=RECORD)
class Subject:
    """What a reader looks for: a heading in the words of the field, and the modules that compute it."""

    title: str
    about: str
    modules: tuple[str, ...]


@dataclass(frozen=True)
class Protocol:
    """The methods of one track: its board's card, the prose by hand, and the measures met in its rows."""

    track: str
    board: Board
    prose: Markup
    measures: Sequence[Measure]

    @property
    def sections(self) -> list[tuple[str, str]]:
        """The headings of the prose with their anchors."""
        return _HEADING.findall(self.prose)


def read_subjects(path: Path) -> dict[str, Subject]:
    """Return the subjects of a file by name, in order. Raises TruerateError for an unknown key."""
    return read_data(path, lambda values: {name: Subject(**fields) for name, fields in values.items()})


def pages(tables: Tables, fill: Fill, folder: Path) -> dict[str, str]:
    """Return methods.md, a page per protocol (`methods-<track>.md`), one of the measures that boards share, and
    one per subject of functions, by path.
    """
    by_subject = docs_by_subject(tables.metric_docs, read_subjects(folder / SUBJECTS))
    protocols = _protocols(tables, folder)
    shared = _measures_met(tables, "")
    index = {"intro": _prose(folder), "protocols": protocols, "shared": shared, "subjects": by_subject}
    files = {"methods.md": fill("methods/index.md.j2", ".", brief=brief, **index)}
    for protocol in protocols:
        files[f"methods-{slug(protocol.track)}.md"] = fill("methods/protocol.md.j2", ".", one=protocol)
    if shared:
        values = {"title": SHARED_TITLE, "about": "", "measures": shared, "docs": []}
        files[f"methods-{SHARED}.md"] = fill("methods/subject.md.j2", ".", **values)
    for name, (subject, docs) in by_subject.items():
        values = {"title": subject.title, "about": subject.about, "measures": [], "docs": docs}
        files[f"methods-{slug(name)}.md"] = fill("methods/subject.md.j2", ".", **values)
    return files


def docs_by_subject(
    docs: Sequence[Mapping], subjects: Mapping[str, Subject]
) -> dict[str, tuple[Subject, list[Mapping]]]:
    """Return each subject that has functions with their docs: modules in the subject's order, in each the
    functions in that of the code.

    Raises TruerateError for a module that no subject names, or two do.
    """
    named = [module for subject in subjects.values() for module in subject.modules]
    for module in dict.fromkeys([*(doc["module"] for doc in docs), *named]):
        if (n := named.count(module)) != 1:
            raise TruerateError(
                f"{SUBJECTS} of the site: module {module!r} of truerate.metrics stands under {n} subjects; "
                "name it under one"
            )
    by_subject = {
        name: (subject, [doc for module in subject.modules for doc in docs if doc["module"] == module])
        for name, subject in subjects.items()
    }
    return {name: (subject, some) for name, (subject, some) in by_subject.items() if some}


def _protocols(tables: Tables, folder: Path) -> list[Protocol]:
    """Return the protocols of the boards, in their order."""
    boards = {board.track: board for board in reversed(tables.boards)}
    return [
        Protocol(track, boards[track], _prose(folder, f"_{slug(track)}"), _measures_met(tables, track))
        for track in dict.fromkeys(board.track for board in tables.boards)
    ]


def _prose(folder: Path, track: str = "") -> Markup:
    """Return the prose by hand on all protocols or on one (`_halueval`); empty where there is none."""
    path = folder / "pages" / f"_methods{track}.md"
    return Markup(path.read_text("utf-8")) if path.is_file() else Markup("")


def _measures_met(tables: Tables, track: str) -> list[Measure]:
    """Return the measures of a track (`""`: those that boards share) that stand on a page, in record order."""
    met: dict[str, Measure] = {}
    for board in tables.boards:
        rows = tables.rows.filter(pl.col("board") == board.name)
        names = {*rows["metric"], *board.audit["metric"]}
        shown = [measure for measure in board.measures.values() if measure.name in names]
        met |= {measure.name: measure for measure in shown if measure.track == track}
    return list(met.values())
