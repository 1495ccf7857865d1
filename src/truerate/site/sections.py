"""How the boards of a track are laid out: data in a module per track (`<track>/page.py`), found by the
track's name.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from truerate.site.permalinks import LABELLED
from truerate.site.tables import Board
from truerate.site.views import View

Rows = list[dict]
Figure = tuple[str, int | str, str]  # what is counted or named, how many or which, a note


def as_they_are(rows: Rows, board: Board) -> Rows:
    """The rows, with nothing added."""
    return rows


def no_flags(rows: Rows, board: Board) -> dict[str, str]:
    """No subject is flagged beyond those of which every board's page knows."""
    return {}


def by_a_verifier(board: Board) -> bool:
    """No board has people's labels in the place of a verifier's verdicts."""
    return False


def no_figures(rows: Rows, board: Board) -> list[Figure]:
    """Nothing beyond what every board shows."""
    return []


@dataclass(frozen=True)
class Part:
    """What a page shows besides tables: `make` finds it in a board's rows (None: nothing is shown), and the
    macro `show` of `template` (under site/templates, a track's own in `<track>/`) makes HTML of it.
    """

    template: str
    make: Callable[[Rows, Board], dict | None]


@dataclass(frozen=True)
class Section:
    """One or more tables of a board's page under a heading, with the sentence before them; the heading is
    also the anchor.

    `short`: the heading among the links at the head of the page, where it is long. `lead_unasked`: the
    sentence while no model has been asked, where it is another one; `lead_labelled` where people's labels are the verdicts
    (`Page.is_labelled`). `is_row`: its tables are narrow and stand
    in columns; `is_flow`: side by side where there is room. `has_flags`: whether a model of the family that
    made the texts is flagged here. `n_folded`: how many of its last tables fold away. `part`: what stands
    before the tables.
    """

    heading: str
    lead: str
    views: tuple[View, ...] = ()
    is_row: bool = False
    is_flow: bool = False
    has_flags: bool = True
    n_folded: int = 0
    short: str = ""
    lead_unasked: str = ""
    lead_labelled: str = ""
    part: Part | None = None


@dataclass(frozen=True)
class Page:
    """What the pages show of a track's boards; one without sections shows every table (`generic.laid_out`).

    `leading`: the ranked table of the home page; where there is an `opening`, it is shown in its place.
    `detectors`: the table of the detectors page. `judging`: the tables whose subjects judge texts, so that each has
    a page of its own, with their measures in order: the first two are drawn, and none named means all.
    `counted`: the table whose subjects are the board's models
    (None: any), and `baselines` the one whose other subjects are its baselines, called by the words of
    `baseline_words`. `labelled_words`: what its labelled texts are called, and what they are called that are
    hallucinated. `heads`: what a line is in tables that no section shows, where it is no model. `beyond`:
    what a board's page holds beyond its leading table, and `beyond_variants` where that table has several
    panels, with `{n}` for their number. `one_label_note`: where all labelled texts have the same label, a
    sentence and the heading of the section that it leads to. `hidden`: rows that no page shows. `scripts`,
    `record_scripts`: files of site/assets that its parts, and its records in the sample browser, need.
    `records`: those records and the index over them, of a board and their greatest number; None where a text
    has a label and verdicts. `targets`: the ids of what they show verdicts of, told without any verdict, and where
    digests stand for the texts, so that a board's others need not be read; None for all. `is_released_so`: whether a
    release, too, holds the verdicts on these alone. `record_filters`: the
    filters of those records that a slice may name. `derive`: the rows with what follows from them. `figures`:
    counts in the head.
    `flags`: subjects that the board's own rows flag, each with the sentence that says why.
    `is_labelled`: whether people's labels are a board's verdicts, so that its sections say so.
    """

    sections: tuple[Section, ...] = ()
    leading: View | None = None
    opening: Part | None = None
    detectors: View | None = None
    judging: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"detectors": ()})
    counted: str | None = None
    baselines: str | None = None
    baseline_words: tuple[str, str] = ("Baselines", "need no model call")
    labelled_words: tuple[str, str] = ("Labelled texts", "hallucinated")
    heads: Mapping[str, str] = field(default_factory=dict)
    beyond: str = "Labels, shortcut audit, topics"
    beyond_variants: str = ""
    one_label_note: tuple[str, str] | None = None
    hidden: tuple[View, ...] = ()
    scripts: tuple[str, ...] = ()
    record_scripts: tuple[str, ...] = ()
    records: Callable[[Board, int], tuple[list[dict], dict]] | None = None
    targets: Callable[[Board, int], Collection[str]] | None = None
    is_released_so: bool = False
    record_filters: tuple[str, ...] = LABELLED
    derive: Callable[[Rows, Board], Rows] = as_they_are
    figures: Callable[[Rows, Board], list[Figure]] = no_figures
    flags: Callable[[Rows, Board], Mapping[str, str]] = no_flags
    is_labelled: Callable[[Board], bool] = by_a_verifier

    def rows(self, rows: Rows, board: Board) -> Rows:
        """A board's rows as its pages read them."""
        return self.derive(rows, board)

    def models_asked(self, rows: Rows) -> set[str]:
        """The models that the board measures."""
        return {
            row["subject"]
            for row in rows
            if row["kind"] == "model" and row["table"] == (self.counted or row["table"])
        }

    def baselines_met(self, rows: Rows) -> set[str]:
        """The baselines that the board measures beside them."""
        return {
            row["subject"]
            for row in rows
            if row["kind"] == "baseline" and row["table"] == (self.baselines or row["table"])
        }


def page_of(track: str) -> Page:
    """The layout of a track's boards; an empty one where no module `<track>/page.py` describes it."""
    name = f"truerate.site.{track}.page"
    try:
        return import_module(name).PAGE
    except ModuleNotFoundError as error:
        if error.name not in (name, name.rpartition(".")[0]):
            raise
        return Page()
