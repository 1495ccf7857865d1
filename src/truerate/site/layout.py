"""The layout of a track's boards: by the page.yaml of its folder, else a section per table of their rows."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data
from truerate.core.metric import read_metrics
from truerate.core.schemas import NO_ANSWERS
from truerate.site.permalinks import LABELLED
from truerate.site.tables import Board
from truerate.site.views import View
from truerate.site.vocabulary import Vocabulary

Rows = list[dict]
Figure = tuple[str, int | str, str]  # what is counted or named, how many or which, a note
MANY = 8  # measures times tasks from which tasks are panels, and no longer column groups
AUDIT = "audit"  # the table that every page shows in a section of its own
PLANTED = "planted"  # the kind of rows that stand beside others


@dataclass(frozen=True)
class Part:
    """What a page shows besides tables: `make` computes it from a board's rows (None: nothing is shown), and
    the macro `show` of `template` (under site/templates, a track's own in `<track>/`) turns it into HTML.
    """

    template: str
    make: Callable[[Rows, Board], dict | None]


@dataclass(frozen=True)
class Section:
    """One or more tables of a board's page under a heading, with the sentence before them; the heading is
    also the anchor.

    `short`: the heading among the links at the head of the page, where it is long. `lead_unasked`: the
    sentence while no model has been asked, where it is another one; `lead_labelled` where people's labels are
    the verdicts (`Page.is_labelled`). `is_row`: its tables are narrow and stand in columns; `is_flow`: side
    by side where there is room. `has_flags`: whether a model of the family that made the texts is flagged
    here. `n_folded`: how many of its last tables fold away. `part`: what stands before the tables.
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
    """What the pages show of a track's boards; one without sections shows every table (`laid_out`).

    Of page.yaml: `leading`: the ranked table of the home page; where there is an `opening`, it is shown in
    its place. `detectors`: the table of the detectors page. `judging`: the tables whose subjects judge texts,
    so that each has a page of its own, with their measures in order: the first two are drawn, and none named
    means all. `counted`: the table whose subjects are the board's models (None: any), and `baselines` the one
    whose other subjects are its baselines, called by the words of `baseline_words`. `labelled_words`: what
    its labelled texts are called, and what they are called that are hallucinated. `heads`: what a line is in
    tables that no section shows, where it is no model. `beyond`: what a board's page holds beyond its leading
    table, and `beyond_variants` where that table has several panels, with `{n}` for their number.
    `one_label_note`: where all labelled texts have the same label, a sentence and the heading of the section
    that it leads to. `hidden`: rows that no page shows. `more`: metrics that stand under *More figures*
    alone. `scripts`, `record_scripts`: files of site/assets that its parts, and its records in the sample
    browser, need. `is_released_so`: whether a release, too, holds the verdicts on the `targets` alone.

    Of the registry, functions: `records`: the records of the sample browser and the index over them, of a
    board and their greatest number; None where a text has a label and verdicts. `targets`: the ids of what
    they show verdicts of, computed without any verdict, and where digests stand for the texts, so that a
    board's others need not be read; None for all. `record_filters`: the filters of those records that a slice
    may name. `derive`: the rows with what follows from them. `figures`: counts in the head. `flags`: subjects
    that the board's own rows flag, each with the sentence that says why. `is_labelled`: whether people's
    labels are a board's verdicts, so that its sections say so.
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
    more: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    record_scripts: tuple[str, ...] = ()
    is_released_so: bool = False
    records: Callable[[Board, int], tuple[list[dict], dict]] | None = None
    targets: Callable[[Board, int], Collection[str]] | None = None
    record_filters: tuple[str, ...] = LABELLED
    derive: Callable[[Rows, Board], Rows] = lambda rows, _: rows
    figures: Callable[[Rows, Board], list[Figure]] = lambda *_: []
    flags: Callable[[Rows, Board], Mapping[str, str]] = lambda *_: {}
    is_labelled: Callable[[Board], bool] = lambda _: False

    def models_asked(self, rows: Rows) -> set[str]:
        """The models that the board measures."""
        return self._subjects(rows, "model", self.counted)

    def baselines_met(self, rows: Rows) -> set[str]:
        """The baselines that the board measures beside them."""
        return self._subjects(rows, "baseline", self.baselines)

    @staticmethod
    def _subjects(rows: Rows, kind: str, table: str | None) -> set[str]:
        of_kind = [row for row in rows if row["kind"] == kind]
        return {row["subject"] for row in of_kind if row["table"] == (table or row["table"])}


def read_page(path: Path, *, parts: Mapping[str, Part], functions: Mapping[str, Any]) -> Page:
    """Return the page of a page.yaml, whose keys are fields of `Page`, `Section` and `View`; raises
    TruerateError.

    `parts`: by the names in the file. A metric of the metrics.yaml beside it that no view names becomes an
    extra column of the first ranked table in which its rows may stand, so that a new one need not be named
    twice.
    """

    def of_values(values: dict[str, Any]) -> Page:
        views = {name: _view(values.pop(name)) for name in ("leading", "detectors") if name in values}
        hidden = tuple(map(_view, values.pop("hidden", ())))
        sections = tuple(_section(section, parts) for section in values.pop("sections"))
        opening = parts[values.pop("opening")] if "opening" in values else None
        values["judging"] = {table: tuple(metrics) for table, metrics in values["judging"].items()}
        fields = {**_with_tuples(values), **views, **functions}
        page = Page(**fields, hidden=hidden, sections=sections, opening=opening)
        return _with_unnamed(page, path.with_name("metrics.yaml"))

    return read_data(path, of_values)


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _view(values: Mapping[str, Any]) -> View:
    return View(**_with_tuples(values) | {"only": tuple(values.get("only", {}).items())})


def _section(values: dict[str, Any], parts: Mapping[str, Part]) -> Section:
    views = tuple(map(_view, values.pop("views", ())))
    part = parts[values.pop("part")] if "part" in values else None
    return Section(**values, views=views, part=part)


def _with_unnamed(page: Page, metrics: Path) -> Page:
    """Return the page with metrics that no view names as extra columns of their first ranked table."""
    shown = [view for section in page.sections for view in section.views]
    views = [*shown, *page.hidden, *filter(None, (page.leading, page.detectors))]
    named = {*page.more, *(metric for view in views for metric in (*view.metrics, *view.extra))}
    whole = {view.table for view in views if not view.metrics}
    unnamed: dict[str, list[str]] = {}
    for record in read_metrics(metrics):
        if record.name not in named and record.table not in whole and not record.name.endswith(NO_ANSWERS):
            unnamed.setdefault(record.table, []).append(record.name)
    first = {view.table: view for view in reversed(shown) if view.form == "board" and not view.is_bare}

    def filled(view: View) -> View:
        more = unnamed.get(view.table, ()) if view is first.get(view.table) else ()
        return replace(view, extra=(*view.extra, *more)) if more else view

    sections = (replace(section, views=tuple(map(filled, section.views))) for section in page.sections)
    return replace(page, sections=tuple(sections)) if unnamed else page


def laid_out(page: Page, rows: Rows, vocabulary: Vocabulary) -> Page:
    """Return the page, or one with a section per table, the first ranked one leading, if it has none."""
    if page.sections:
        return page
    sections = [_section_of_table(table, some, vocabulary) for table, some in by_table(rows).items()]
    views = [view for section in sections for view in section.views]
    leading_rows = [row for row in rows if row["is_leading"] is not None]
    ranked = [view for view in views if any(map(view.takes, leading_rows))]
    leading = next(iter([*ranked, *views]), None)
    sections.sort(key=lambda section: leading not in section.views)
    changes = {"leading": leading, "baselines": leading.table if leading else None}
    return replace(page, sections=tuple(sections), beyond="All its tables, labels, audit", **changes)


def by_table(rows: Rows) -> dict[str, Rows]:
    """The measured rows by their table, in the order in which they come; the audit is left out."""
    tables: dict[str, Rows] = {}
    for row in rows:
        if row["kind"] != PLANTED and row["table"] != AUDIT:
            tables.setdefault(row["table"], []).append(row)
    return tables


def _section_of_table(table: str, rows: Rows, vocabulary: Vocabulary) -> Section:
    """A table under its name: one view per set of slice keys, so that no line mixes parts with wholes."""
    by_keys: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        by_keys.setdefault(tuple(sorted(row["slice"])), []).append(row)
    all_keys = {key for keys in by_keys for key in keys}
    views = tuple(
        _view_of_rows(table, keys, some, all_keys, by_words(keys, vocabulary) if len(by_keys) > 1 else "")
        for keys, some in by_keys.items()
    )
    names = list(dict.fromkeys(vocabulary.measures[row["metric"]].label for row in rows))
    lead = f"What was measured: {', '.join(names)}." if len(names) <= MANY else f"{len(names)} measures."
    return Section(vocabulary.label(table), lead, views)


def _view_of_rows(table: str, keys: tuple[str, ...], rows: Rows, all_keys: set[str], title: str) -> View:
    """Rows with exactly these keys: a column per measure, tasks across or as panels, all else down."""
    metrics = tuple(dict.fromkeys(row["metric"] for row in rows))
    tasks = {row["slice"]["task"] for row in rows if "task" in row["slice"]}
    is_across = bool(tasks) and len(tasks) * len(metrics) <= MANY
    return View(
        table,
        metrics,
        switch="task" if tasks and not is_across else None,
        across=("task",) if is_across else (),
        down=tuple(key for key in keys if key != "task"),
        having=keys,
        lacking=tuple(sorted(all_keys - set(keys))),
        head="Model" if any(row["kind"] == "model" for row in rows) else "Subject",
        title=title,
    )


def by_words(keys: tuple[str, ...], vocabulary: Vocabulary) -> str:
    """Return what a table is split by, `By pattern and scheme`; `Over all` where it is not split."""
    words = ["language" if key == "lang" else vocabulary.label(key).lower() for key in keys]
    return f"By {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else "Over all"
