"""How the boards of a track are laid out: data in a module per track (`<track>/page.py`), found by the
track's name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from truerate.site.tables import Board
from truerate.site.views import View

Rows = list[dict]
Figure = tuple[str, int | str, str]  # what is counted or named, how many or which, a note


def as_they_are(rows: Rows, board: Board) -> Rows:
    """The rows, with nothing added."""
    return rows


def no_figures(rows: Rows, board: Board) -> list[Figure]:
    """Nothing beyond what every board shows."""
    return []


@dataclass(frozen=True)
class Section:
    """One or more tables of a board's page under a heading, with the sentence before them; the heading is
    also the anchor.

    `short`: the heading among the links at the head of the page, where it is long. `is_row`: its tables are
    narrow and stand in columns; `is_flow`: side by side where there is room. `has_flags`: whether a model of
    the family that made the texts is flagged here. `n_folded`: how many of its last tables fold away. `part`:
    the macro of parts.html.j2 that shows what `make` finds in the rows (None: nothing), before the tables.
    """

    heading: str
    lead: str
    views: tuple[View, ...] = ()
    is_row: bool = False
    is_flow: bool = False
    has_flags: bool = True
    n_folded: int = 0
    part: str = ""
    short: str = ""
    make: Callable[[Rows, Board], dict | None] | None = None


@dataclass(frozen=True)
class Page:
    """What the pages show of a track's boards; an empty one shows every table as it is.

    `leading`: the ranked table of the home page; where there is an `opening` (as a section's `make`), it is
    shown in its place. `detectors`: the table of the detectors page. `counted`: the table whose subjects are
    the board's models and `rules` the one whose other subjects are its baselines, called by the words of
    `rules_said`. `labelled_said`: what its labelled texts are called, and what they are called that are
    hallucinated. `beyond`: what a board's page holds beyond its leading table. `hidden`: rows that no page
    shows. `records`: its records in the sample browser and the index over them, of a board and their greatest
    number; None where a text has a label and verdicts. `derive`: the rows with what follows from them.
    `figures`: counts in the head.
    """

    sections: tuple[Section, ...] = ()
    leading: View | None = None
    opening: Callable[[Rows, Board], dict | None] | None = None
    detectors: View | None = None
    counted: str = "recognition"
    rules: str = "recognition"
    rules_said: tuple[str, str] = ("Baselines", "need no model call")
    hidden: tuple[View, ...] = ()
    labelled_said: tuple[str, str] = ("Labelled texts", "hallucinated")
    beyond: str = ""
    records: Callable[[Board, int], tuple[list[dict], dict]] | None = None
    derive: Callable[[Rows, Board], Rows] = as_they_are
    figures: Callable[[Rows, Board], list[Figure]] = no_figures

    def rows(self, rows: Rows, board: Board) -> Rows:
        """A board's rows as its pages read them."""
        return self.derive(rows, board)

    def asked(self, rows: Rows) -> set[str]:
        """The models that the board measures."""
        return {row["subject"] for row in rows if row["table"] == self.counted and row["kind"] == "model"}


def page_of(track: str) -> Page:
    """The layout of a track's boards; an empty one where no module describes it."""
    name = f"truerate.site.{track}.page"
    try:
        return import_module(name).PAGE
    except ModuleNotFoundError as error:
        if error.name not in (name, name.rpartition(".")[0]):
            raise
        return Page()
