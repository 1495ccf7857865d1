"""A page for boards that no module describes: every table of their rows, laid out by its metrics and slice keys."""

from dataclasses import replace

from truerate.site.layout import Page, Rows, Section
from truerate.site.views import View
from truerate.site.vocabulary import Vocabulary

MANY = 8  # measures times tasks from which tasks are panels, and no longer column groups
AUDIT = "audit"  # the table that every page shows in a section of its own
PLANTED = "planted"  # the kind of rows that stand beside others


def laid_out(page: Page, rows: Rows, vocabulary: Vocabulary) -> Page:
    """The page as it is where it has sections; else with a section per table of the rows.

    The first table that ranks, else the first of all, leads: it stands first, and its baselines are the
    board's.
    """
    if page.sections:
        return page
    sections = [_section(table, some, vocabulary) for table, some in by_table(rows).items()]
    views = [view for section in sections for view in section.views]
    ranked = [
        view for view in views if any(view.takes(row) and row["is_leading"] is not None for row in rows)
    ]
    leading = next(iter([*ranked, *views]), None)
    sections.sort(key=lambda section: leading not in section.views)
    return replace(
        page,
        sections=tuple(sections),
        leading=leading,
        baselines=leading.table if leading else None,
        beyond="All its tables, labels, audit",
    )


def by_table(rows: Rows) -> dict[str, Rows]:
    """The measured rows by their table, in the order in which they come; the audit is left out."""
    found: dict[str, Rows] = {}
    for row in rows:
        if row["kind"] != PLANTED and row["table"] != AUDIT:
            found.setdefault(row["table"], []).append(row)
    return found


def _section(table: str, rows: Rows, vocabulary: Vocabulary) -> Section:
    """A table under its name: one view per set of slice keys, so that no line mixes parts with wholes."""
    by_keys: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        by_keys.setdefault(tuple(sorted(row["slice"])), []).append(row)
    all_keys = {key for keys in by_keys for key in keys}
    views = tuple(
        _view(table, keys, some, all_keys, by_words(keys, vocabulary) if len(by_keys) > 1 else "")
        for keys, some in by_keys.items()
    )
    names = list(dict.fromkeys(vocabulary.measures[row["metric"]].label for row in rows))
    lead = f"What was measured: {', '.join(names)}." if len(names) <= MANY else f"{len(names)} measures."
    return Section(vocabulary.label(table), lead, views)


def _view(table: str, keys: tuple[str, ...], rows: Rows, all_keys: set[str], title: str) -> View:
    """The rows that hold exactly these keys: a column per measure, tasks across or as panels, all else down."""
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
    """What a table is split by, `By pattern and scheme`; `Over all` where it is not split."""
    words = ["language" if key == "lang" else vocabulary.label(key).lower() for key in keys]
    return f"By {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else "Over all"
