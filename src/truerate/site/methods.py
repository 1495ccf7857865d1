"""The methods page: definitions as the code's own docstrings say them, and each track's steps and caveats."""

import re
from collections.abc import Mapping, Sequence

import polars as pl
from markupsafe import Markup

from truerate.site.measures import Measure
from truerate.site.safety import inert
from truerate.site.tables import Tables

EVERY_TRACK = "All tracks"


def context(tables: Tables) -> dict:
    """What methods.md.j2 shows: measures met in the rows, functions by module, one card per track."""
    cards = {board.track: board.track_card for board in tables.boards}
    return {
        "measures": measures_met(tables),
        "modules": by_module(tables.metric_docs),
        "cards": cards,
    }


def measures_met(tables: Tables) -> dict[str, list[Measure]]:
    """The measures that stand on a page, by the title of their track and under `All tracks`, in the order of their
    records.
    """
    by_title: dict[str, dict[str, Measure]] = {}
    for board in tables.boards:
        rows = tables.rows.filter(pl.col("board") == board.name)
        met = {*rows["metric"], *board.audit["metric"]}
        for measure in board.measures.values():
            if measure.name in met:
                title = board.track_card.title if measure.track else EVERY_TRACK
                by_title.setdefault(title, {})[measure.name] = measure
    shared = by_title.pop(EVERY_TRACK, {})
    return {
        title: list(by_name.values())
        for title, by_name in (by_title | {EVERY_TRACK: shared}).items()
        if by_name
    }


def by_module(docs: Sequence[Mapping]) -> dict[str, list[Mapping]]:
    """Docstrings by module, both in alphabetical order."""
    modules: dict[str, list[Mapping]] = {}
    for doc in sorted(docs, key=lambda doc: (doc["module"], doc["name"])):
        modules.setdefault(doc["module"].rsplit(".", 1)[-1], []).append(doc)
    return modules


def prose(doc: str | None) -> Markup:
    """A docstring as inert HTML: paragraphs at blank lines, code between backticks, indented blocks and lists
    line by line.
    """
    paragraphs = [part for part in re.split(r"\n\s*\n", (doc or "").strip()) if part.strip()]
    return Markup("").join(_paragraph(part) for part in paragraphs)


def _paragraph(part: str) -> Markup:
    is_block = all(line.startswith((" ", "\t")) for line in part.split("\n") if line.strip())
    if is_block:
        return Markup('<pre class="tr-formula">') + inert(part) + Markup("</pre>")
    pieces = re.split(r"`+([^`]+)`+", " ".join(part.split()))
    return (
        Markup("<p>")
        + Markup("").join(_code(piece) if i % 2 else inert(piece) for i, piece in enumerate(pieces))
        + Markup("</p>")
    )


def _code(piece: str) -> Markup:
    return Markup("<code>") + inert(piece) + Markup("</code>")
