"""One board's page: its tables as views, its flags, its audit in plain words, its accounts."""

import polars as pl

import truerate.site.audit as audit
from truerate.core.metric import FEW
from truerate.site.charts.flow import flow
from truerate.site.downloads.citation import bibtex_of_board
from truerate.site.layout import Page, Rows, Section, by_words, laid_out
from truerate.site.measures import thousands
from truerate.site.panels import panels
from truerate.site.paper import paper_lines
from truerate.site.permalinks import addressed
from truerate.site.registry import page_of
from truerate.site.reply_counts import accounts, topics
from truerate.site.tables import Board, Tables
from truerate.site.views import View
from truerate.site.vocabulary import Vocabulary


def context(tables: Tables, board: Board) -> dict:
    """Return what board.md.j2 shows of one board."""
    page, rows = page_and_rows(tables, board)
    checked = audit.audit_rows(board, rows)
    flagged = flags(tables, board)
    n_models = len(page.models_asked(rows))
    sections = []
    for section in page.sections:
        lead = _lead(section, page, board, has_models=n_models > 0)
        sections += [filled] if (filled := _filled(section, rows, board, flagged, lead)) else []
    headings = {section["heading"] for section in sections}
    note = page.one_label_note
    topics_of_board = topics(tables, board)
    parts = {
        "topics": topics_of_board,
        "how-its-texts-are-made": board.steps,
        "samples": board.samples.height,
        "models": n_models,
    }
    there = [name for name, part in parts.items() if part]
    elsewhere = {
        other.name: tables.rows_of(other.name) for other in tables.boards if other.track != board.track
    }
    of_board = tables.rows_of(board.name)
    inputs = sorted({row["provenance"] for row in rows if row["provenance"]})
    return {
        "board": board,
        "card": board.track_card,
        "caveats": _caveats(page, board),
        "scripts": page.scripts,
        "figures": summary_figures(page, board, rows),
        "sections": sections,
        "n_models": n_models,
        "others": others(rows, page, board.vocabulary),
        "flags": flagged,
        "audit": block(audit.VIEW, checked, board.vocabulary),
        "one_label_note": note if note and note[1] in headings else None,
        "findings": audit.findings(tables, checked, board.vocabulary),
        "topics": topics_of_board,
        "paper": paper_lines(board.track, of_board, headings=headings, there=there, elsewhere=elsewhere),
        "accounts": accounts(board),
        "idle": [*board.idle, *thin_subjects(board, rows)],
        "flow": flow(board.steps),
        "inputs": inputs,
        "bibtex": bibtex_of_board(
            board.name, board.title, board.source_card, provenance=inputs, track=board.track_card
        ),
        "n_rows": tables.rows.filter(pl.col("board") == board.name).height,
    }


def page_and_rows(tables: Tables, board: Board) -> tuple[Page, Rows]:
    """Return how a board is laid out, and its rows as its pages read them: found once, as six pages ask."""
    if id(board) not in tables.laid_out:
        page = page_of(board.track)
        rows = addressed(page.derive(tables.rows_of(board.name), board), board, page.record_filters)
        tables.laid_out[id(board)] = board, laid_out(page, rows, board.vocabulary), rows
    _, page, rows = tables.laid_out[id(board)]
    return page, [dict(row) for row in rows]


def block(view: View, rows: list[dict], vocabulary: Vocabulary) -> dict:
    """Return a view with its panels, and the measure of a heat table's colour if there is one."""
    measure = vocabulary.measures[view.metrics[0]] if view.form == "heat" and len(view.metrics) == 1 else None
    return {"measure": measure, "view": view, "panels": panels(rows, view, vocabulary)}


def thin_subjects(board: Board, rows: Rows) -> list[str]:
    """Return a sentence per leading table about subjects measured on at most FEW of its texts."""
    ranks = board.track_card.ranks
    tables: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        is_ranked = row["metric"] == ranks.metric and row["kind"] in ("model", "baseline")
        if is_ranked and ranks.slice.items() <= row["slice"].items():
            where = " ".join(f"{key} {value}" for key, value in row["slice"].items())
            tables.setdefault(where, []).append((row["n"], row["subject"]))
    label, lines = board.vocabulary.measures[ranks.metric].label if tables else "", []
    for where, subjects in tables.items():
        most = max(subjects)[0]
        thin = ", ".join(f"{subject} {n:,}" for n, subject in sorted(subjects) if n <= FEW * most)
        if most and thin:
            lines.append(f"{label} ({where}) rests on {most:,} texts, but of {thin}")
    return lines


def _caveats(page: Page, board: Board) -> tuple[str, ...]:
    """Return what must not be read into a board; caveats of judges only where judges' verdicts count."""
    card = board.track_card
    return card.caveats if page.is_labelled(board) else card.caveats + card.judged_caveats


def _lead(section: Section, page: Page, board: Board, *, has_models: bool) -> str:
    """Return the sentence before a section, for boards without models and with people's verdicts too."""
    if not has_models and section.lead_unasked:
        return section.lead_unasked
    return section.lead_labelled if section.lead_labelled and page.is_labelled(board) else section.lead


def _filled(section: Section, rows: Rows, board: Board, flagged: dict[str, str], lead: str) -> dict | None:
    """Return a section with its part, non-empty tables and flags; None where all are empty."""
    blocks, folded = [], section.views[len(section.views) - section.n_folded :]
    for view in section.views:
        if (filled := block(view, rows, board.vocabulary))["panels"]:
            blocks.append(filled | {"is_folded": view in folded})
    part = section.part.make(rows, board) if section.part else None
    lines = [line for filled in blocks for panel in filled["panels"] for line in panel.lines]
    if not (blocks or part):
        return None
    met = {line.subject for line in lines if line.kind == "model"} | set((part or {}).get("models", ()))
    return {
        "heading": section.heading,
        "short": section.short,
        "lead": lead,
        "layout": "tr-row" if section.is_row else "tr-flow" if section.is_flow else "tr-stack",
        "has_flags": section.has_flags,
        "template": section.part.template if section.part else "",
        "made": part,
        "blocks": blocks,
        "flags": {name: why for name, why in flagged.items() if name in met and section.has_flags},
    }


def others(rows: Rows, page: Page, vocabulary: Vocabulary) -> list[tuple[str, dict]]:
    """Return plain tables of the rows that no section shows: one per table, metric and set of slice keys."""
    shown = [view for section in page.sections for view in section.views] + [audit.VIEW, *page.hidden]
    rows_by_table: dict[tuple[str, str, tuple[str, ...]], list[dict]] = {}
    for row in rows:
        is_measured = row["kind"] != "planted" and row["table"] != "audit"
        if is_measured and not any(view.takes(row) for view in shown):
            key = (row["table"], row["metric"], tuple(sorted({*row["slice"]} - {"task"})))
            rows_by_table.setdefault(key, []).append(row)
    return [
        _other(*key, some, vocabulary, head=page.heads.get(key[0], "Model"))
        for key, some in rows_by_table.items()
    ]


def _other(
    table: str, metric: str, keys: tuple[str, ...], rows: Rows, vocabulary: Vocabulary, *, head: str
) -> tuple[str, dict]:
    across = ("task",) if any("task" in row["slice"] for row in rows) else ()
    by = f", {by_words(keys, vocabulary).replace('By', 'by', 1)}" if keys else ""
    view = View(table, (metric,), across=across, down=keys, head=head, n_whiskers=0)
    name = f"{vocabulary.label(table)}: {vocabulary.measures[metric].label.lower()}{by}"
    return name, block(view, rows, vocabulary)


def flags(tables: Tables, board: Board) -> dict[str, str]:
    """Return subjects of the family of a model that built or judged the data set, with a sentence each."""
    reasons = dict(page_of(board.track).flags(tables.rows_of(board.name), board))
    for subject in sorted(tables.models):
        family = tables.family(subject)
        roles = board.roles.items() if family else ()
        shared = [f"{role} ({alias})" for role, alias in roles if tables.family(alias) == family]
        if shared:
            reasons[subject] = f"same family ({family}) as the {' and the '.join(shared)}"
    return reasons


def summary_figures(page: Page, board: Board, rows: Rows) -> list[tuple[str, str, str]]:
    """Return counts of a board: texts, hallucinated ones, its track's figures, models, baselines."""
    n = board.samples.height
    texts, wrong = page.labelled_words
    share = f"{100 * (board.samples['is_hallucinated'].sum() / n):.0f} % {wrong}" if n else ""
    n_models, (word, note) = len(page.models_asked(rows)), page.baseline_words
    figures = [(texts, n, share), *page.figures(rows, board)]
    figures.append(("Models", n_models, "" if n_models else "asked so far"))
    figures.append((word, len(page.baselines_met(rows)), note))
    return [
        (name, value if isinstance(value, str) else thousands(value), note)
        for name, value, note in figures
        if value or name == "Models"
    ]
