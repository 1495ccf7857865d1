"""One board's page: its tables as views, its flags, its audit in plain words, its accounts."""

from dataclasses import dataclass, replace

import polars as pl

from truerate.site import audit
from truerate.site.accounts import accounts, topics
from truerate.site.measures import label, measure
from truerate.site.panels import panels
from truerate.site.tables import Board, Tables
from truerate.site.views import View

SCORES = ("accuracy", "unparsed_rate")
DETAILS = (
    "accuracy_parsed",
    "accuracy_one_side",
    "macro_f1",
    "precision",
    "recall",
    "f1",
    "precision_right",
    "recall_right",
    "f1_right",
    "tpr",
    "tnr",
)
LEADING = View("recognition", SCORES, switch="variant", across=("task", "scheme"), lacking=("pattern",))
COMPLEMENT = View("recognition", ("tpr",), having=("pattern",))  # one minus the failure rate, which is shown
HEADS = {"labels": "Labeller", "dataset": "Texts"}  # what the subjects of a table are, where they are no models


@dataclass(frozen=True)
class Section:
    """One or more tables of the page under a heading, with the sentence before them; the heading is also the anchor.

    `is_row`: its tables are narrow and stand side by side.
    """

    heading: str
    lead: str
    views: tuple[View, ...]
    is_row: bool = False


SECTIONS = (
    Section(
        "Recognition",
        "Each model reads a text and says whether it contains hallucination; of a pair, both sides are asked.",
        (replace(LEADING, extra=DETAILS),),
    ),
    Section(
        "Missed hallucinations by pattern",
        "Of the hallucinated texts with a readable verdict, the share passed as right, by the pattern of the text. Darker is worse.",
        tuple(
            View("failures", (metric,), switch="variant", across=("task",), form="heat")
            for metric in ("failure_rate", "recognition_failure_rate")
        ),
    ),
    Section(
        "Candidates",
        "How the models fare as writers of hallucinated candidates. Darker is more.",
        (
            View(
                "candidates",
                ("candidate_failure_rate",),
                switch="scheme",
                across=("task",),
                having=("pattern",),
                lacking=("reason",),
                form="heat",
            ),
            View("candidates", ("length_rule_broken_rate",), across=("task", "scheme"), form="heat"),
        ),
    ),
    Section(
        "Refinement",
        "Texts that a model flagged are rewritten by it with knowledge and judged again.",
        (View("refinement", ("flagged_rate_before", "flagged_rate_after"), across=("task",), n_whiskers=2),),
    ),
    Section(
        "Filtering",
        "A judge picks the more plausible of two candidates, in both orders.",
        (View("filtering", ("filter_disagreement_rate", "filter_first_position_rate", "filter_unparsed_rate"), by=("task",), head="Task"),),
    ),
    Section(
        "The labelled texts",
        "How many there are, and what is known of their labels.",
        (
            View("dataset", ("n_samples", "hallucinated_rate"), by=("task", "scheme"), head="Texts", title="By task", n_whiskers=0),
            View(
                "labels",
                ("fleiss_kappa", "percent_agreement", "n_annotators_passed"),
                by=("task", "unit"),
                head="Labels of",
                title="Agreement of the labellers",
                n_whiskers=0,
            ),
            View("labels", ("probe_rate",), across=("task",), head="Labeller", title="Probes that labellers got right", n_whiskers=0),
            View("dataset", ("n_by_pattern",), across=("scheme",), by=("task", "pattern"), head="Pattern", title="Hallucinated texts"),
        ),
        is_row=True,
    ),
)


def context(tables: Tables, board: Board) -> dict:
    """What board.md.j2 shows of one board."""
    rows = tables.rows_of(board.name)
    rows += missed(rows)
    checked = audit.audit_rows(board, rows)
    flagged = flags(tables, board)
    return {
        "board": board,
        "card": board.track_card,
        "stand": stand(board, rows),
        "sections": [found for section in SECTIONS if (found := _filled(section, rows, flagged))],
        "n_models": len(asked(rows)),
        "others": others(rows),
        "flags": flagged,
        "audit": block(audit.VIEW, checked),
        "findings": audit.findings(tables, checked),
        "topics": topics(tables, board),
        "accounts": accounts(board),
        "inputs": sorted({row["provenance"] for row in rows if row["provenance"]}),
        "n_rows": tables.rows.filter(pl.col("board") == board.name).height,
    }


def missed(rows: list[dict]) -> list[dict]:
    """Planted failure rates by pattern, one minus the planted TPR: the closed world names only the latter."""
    planted = [row for row in rows if row["kind"] == "planted" and COMPLEMENT.takes(row) and row["value"] is not None]
    return [row | {"table": "failures", "metric": "failure_rate", "value": 1 - row["value"], "low": None, "high": None} for row in planted]


def asked(rows: list[dict]) -> set[str]:
    """The models whose recognition is measured."""
    return {row["subject"] for row in rows if row["table"] == "recognition" and row["kind"] == "model"}


def block(view: View, rows: list[dict]) -> dict:
    """A view with its panels, and the measure that a heat table's colour means."""
    return {"measure": measure(view.metrics[0]) if view.form == "heat" else None, "view": view, "panels": panels(rows, view)}


def _filled(section: Section, rows: list[dict], flagged: dict[str, str]) -> dict | None:
    """A section with those of its tables that have rows, and the flags of its subjects; None without a table."""
    blocks = [found for view in section.views if (found := block(view, rows))["panels"]]
    lines = [line for found in blocks for panel in found["panels"] for line in panel.lines]
    met = {line.subject for line in lines if line.kind == "model"}
    return (
        {
            "heading": section.heading,
            "lead": section.lead,
            "is_row": section.is_row,
            "blocks": blocks,
            "flags": {subject: why for subject, why in flagged.items() if subject in met},
        }
        if blocks
        else None
    )


def others(rows: list[dict]) -> list[tuple[str, dict]]:
    """Whatever no section shows, so that a new track's rows are seen from the first day.

    One plain table per table, metric and set of slice keys: tasks across, one line per subject and value of the other keys.
    """
    placed = [view for section in SECTIONS for view in section.views] + [audit.VIEW, COMPLEMENT]
    found: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["kind"] != "planted" and row["table"] != "audit" and not any(view.takes(row) for view in placed):
            found.setdefault((row["table"], row["metric"], tuple(sorted({*row["slice"]} - {"task"}))), []).append(row)
    return [_other(*key, some) for key, some in found.items()]


def _other(table: str, metric: str, keys: tuple[str, ...], rows: list[dict]) -> tuple[str, dict]:
    across = ("task",) if any("task" in row["slice"] for row in rows) else ()
    words = [label(key).lower() for key in keys]
    by = f", by {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if keys else ""
    view = View(table, (metric,), across=across, down=keys, head=HEADS.get(table, "Model"), n_whiskers=0)
    return f"{label(table)}: {measure(metric).label.lower()}{by}", block(view, rows)


def flags(tables: Tables, board: Board) -> dict[str, str]:
    """Subjects of the same family as a model that built or judged the data set, each with the sentence that says so."""
    found = {}
    for subject in sorted(tables.models):
        family = tables.family(subject)
        shared = [f"{role} ({alias})" for role, alias in board.roles.items() if family and tables.family(alias) == family]
        if shared:
            found[subject] = f"same family ({family}) as the {' and the '.join(shared)}"
    return found


def stand(board: Board, rows: list[dict]) -> list[tuple[str, str, str]]:
    """The board in a few figures: how many texts, how many of them hallucinated, how many models and baselines."""
    n = board.samples.height
    share = f"{100 * board.samples['is_hallucinated'].mean():.0f} % hallucinated" if n else ""
    baselines = {row["subject"] for row in rows if row["kind"] == "baseline" and row["table"] == "recognition"}
    figures = [("Labelled texts", n, share), ("Items", board.items.height, "")]
    figures += [("Models", len(asked(rows)), "" if asked(rows) else "asked so far"), ("Baselines", len(baselines), "need no model call")]
    return [(name, f"{value:,}".replace(",", "\u2009"), note) for name, value, note in figures if value or name == "Models"]
