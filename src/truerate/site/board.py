"""One board's page: its tables as views, its flags, its audit in plain words, its accounts."""

import polars as pl

import truerate.site.audit as audit
from truerate.site.measures import label, measure
from truerate.site.panels import panels
from truerate.site.reply_counts import accounts, topics
from truerate.site.sections import Page, Rows, Section, page_of
from truerate.site.tables import Board, Tables
from truerate.site.views import View

HEADS = {  # what the subjects of a table are, where they are no models
    "labels": "Labeller",
    "dataset": "Texts",
    "detection": "Detector",
    "mushroom": "Detector",
    "spans": "Texts",
    "rejected": "Step",
    "analyses": "Analysis",
}


def context(tables: Tables, board: Board) -> dict:
    """What board.md.j2 shows of one board."""
    page = page_of(board.track)
    rows = page.rows(tables.rows_of(board.name), board)
    checked = audit.audit_rows(board, rows)
    flagged = flags(tables, board)
    return {
        "board": board,
        "card": board.track_card,
        "stand": stand(page, board, rows),
        "sections": [found for section in page.sections if (found := _filled(section, rows, board, flagged))],
        "n_models": len(page.asked(rows)),
        "others": others(rows, page),
        "flags": flagged,
        "audit": block(audit.VIEW, checked),
        "findings": audit.findings(tables, checked),
        "topics": topics(tables, board),
        "accounts": accounts(board),
        "inputs": sorted({row["provenance"] for row in rows if row["provenance"]}),
        "n_rows": tables.rows.filter(pl.col("board") == board.name).height,
    }


def block(view: View, rows: list[dict]) -> dict:
    """A view with its panels, and the measure that a heat table's colour means where it is one and the same."""
    told = measure(view.metrics[0]) if view.form == "heat" and len(view.metrics) == 1 else None
    return {"measure": told, "view": view, "panels": panels(rows, view)}


def _filled(section: Section, rows: Rows, board: Board, flagged: dict[str, str]) -> dict | None:
    """A section with its part, those of its tables that have rows, and the flags of its subjects; None where
    all are empty.
    """
    blocks = [found | {"is_folded": view in section.views[len(section.views) - section.n_folded :]}
              for view in section.views if (found := block(view, rows))["panels"]]  # fmt: skip
    made = section.make(rows, board) if section.make else None
    lines = [line for found in blocks for panel in found["panels"] for line in panel.lines]
    met = {line.subject for line in lines if line.kind == "model"} | set((made or {}).get("models", ()))
    return (
        {
            "heading": section.heading,
            "short": section.short,
            "lead": section.lead,
            "layout": "tr-row" if section.is_row else "tr-flow" if section.is_flow else "tr-stack",
            "has_flags": section.has_flags,
            "part": section.part,
            "made": made,
            "blocks": blocks,
            "flags": {
                subject: why for subject, why in flagged.items() if subject in met and section.has_flags
            },
        }
        if blocks or made
        else None
    )


def others(rows: Rows, page: Page) -> list[tuple[str, dict]]:
    """Whatever no section shows, so that a new track's rows are seen from the first day.

    One plain table per table, metric and set of slice keys: tasks across, one line per subject and value of
    the other keys.
    """
    placed = [view for section in page.sections for view in section.views] + [audit.VIEW, *page.hidden]
    found: dict[tuple, list[dict]] = {}
    for row in rows:
        if (
            row["kind"] != "planted"
            and row["table"] != "audit"
            and not any(view.takes(row) for view in placed)
        ):
            found.setdefault(
                (row["table"], row["metric"], tuple(sorted({*row["slice"]} - {"task"}))), []
            ).append(row)
    return [_other(*key, some) for key, some in found.items()]  # type: ignore[call-arg]


def _other(table: str, metric: str, keys: tuple[str, ...], rows: list[dict]) -> tuple[str, dict]:
    across = ("task",) if any("task" in row["slice"] for row in rows) else ()
    words = ["language" if key == "lang" else label(key).lower() for key in keys]
    by = f", by {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if keys else ""
    view = View(table, (metric,), across=across, down=keys, head=HEADS.get(table, "Model"), n_whiskers=0)
    return f"{label(table)}: {measure(metric).label.lower()}{by}", block(view, rows)


def flags(tables: Tables, board: Board) -> dict[str, str]:
    """Subjects of the same family as a model that built or judged the data set, each with the sentence that
    says so.
    """
    found = {}
    for subject in sorted(tables.models):
        family = tables.family(subject)
        shared = [
            f"{role} ({alias})"
            for role, alias in board.roles.items()
            if family and tables.family(alias) == family
        ]
        if shared:
            found[subject] = f"same family ({family}) as the {' and the '.join(shared)}"
    return found


def stand(page: Page, board: Board, rows: Rows) -> list[tuple[str, str, str]]:
    """The board in a few figures: how many texts, how many of them hallucinated, what else its track counts,
    models, baselines.
    """
    n = board.samples.height
    texts, wrong = page.labelled_said
    share = f"{100 * board.samples['is_hallucinated'].mean():.0f} % {wrong}" if n else ""  # type: ignore[str-bytes-safe]
    baselines = {row["subject"] for row in rows if row["kind"] == "baseline" and row["table"] == page.rules}
    asked, (named, note) = page.asked(rows), page.rules_said
    figures = [(texts, n, share), *page.figures(rows, board)]
    figures += [("Models", len(asked), "" if asked else "asked so far"), (named, len(baselines), note)]
    return [(name, _figure(value), note) for name, value, note in figures if value or name == "Models"]


def _figure(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:,}".replace(",", "\u2009")
