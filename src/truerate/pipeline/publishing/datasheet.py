"""The datasheet of a board's data set: the questions of Gebru et al. 2021 (datasheet.yaml), answered by what the build knows and by
what its author said (`hub.datasheets` of params.yaml).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

import polars as pl

from truerate.config.layout import Layout
from truerate.core.data_files import read_data
from truerate.core.schemas import Count, Document, Item, Judgement, Reject, Sample, Score, load, scan
from truerate.hub.card import agreement_rows, audit_rows, count_rows, statistics_rows
from truerate.hub.markdown import filled
from truerate.hub.release import BoardFacts
from truerate.pipeline.publishing.board_facts import board_facts, source_card
from truerate.pipeline.publishing.site_tables import judgement_files
from truerate.sources.tables import BY_TASK

QUESTIONS: Sequence[Mapping] = read_data(Path(__file__).with_suffix(".yaml"), list)
SAMPLE = ("sample_id", "task", "lang", "split", "label_source", "is_hallucinated", "group_id")
UNSTATED = "Not said by the author."
N_LINES = 12  # of one list; more are counted
Facts = Mapping[str, object]


class Answer(NamedTuple):
    """One question with its answers: what the build knows, and what the author said."""

    question: str
    lines: tuple[str, ...]
    author: str | None


class Section(NamedTuple):
    """A section of a datasheet: its name and its questions with answers."""

    name: str
    answers: tuple[Answer, ...]


def author_questions() -> dict[str, str]:
    """Return the questions that only an author can answer, by their key in params.yaml, in order."""
    return {
        each["author"]: each["ask"] for part in QUESTIONS for each in part["questions"] if "author" in each
    }


def unanswered(config: Layout, board: str) -> list[str]:
    """Return the keys of the questions that the author of a board has left open."""
    authored = config.p.hub.datasheets.get(board, {})
    return [key for key in author_questions() if not authored.get(key)]


def datasheet(config: Layout, board: str, facts: BoardFacts) -> list[Section]:
    """Return the sections of a board's datasheet, as plain text that nobody vouches for: escape it.

    `facts`: what its card says. A question that neither the build nor the author answers is *not said by the
    author*; no answer is invented.
    """
    answers, authored = facts_of(config, board, facts), config.p.hub.datasheets.get(board, {})
    return [
        Section(
            part["section"], tuple(_answer(question, answers, authored) for question in part["questions"])
        )
        for part in QUESTIONS
    ]


def datasheets(config: Layout) -> dict[str, list[Section]]:
    """Return the datasheet of every declared board, from its built tables."""
    return {name: datasheet(config, name, _facts(config, name)) for name in config.p.boards}


def _facts(config: Layout, board: str) -> BoardFacts:
    tables = {
        "samples": scan(Sample, [config.labels(board, "samples")]),
        "items": scan(Item, [config.dataset(board, "items")]),
        "judgements": scan(Judgement, judgement_files(config, board)),
        "counts": scan(Count, [config.dataset(board, "counts")]),
        "scores": scan(Score, [config.scores(board, "scores")]),
    }
    return board_facts(config, board, card=source_card(config, config.p.board(board).source), tables=tables)


def datasheet_file(title: str, sections: Sequence[Section]) -> str:
    """Return DATASHEET.md of a board's release; every value in it is escaped."""
    return filled("datasheet.md.j2", {"title": title, "sections": sections, "not_said": UNSTATED})


def rai_fields(sections: Sequence[Section]) -> dict[str, list[str]]:
    """Return the texts of Croissant's RAI fields, by name: each question that fills one (`rai` in
    datasheet.yaml) with its answers.
    """
    fields: dict[str, list[str]] = {}
    for part, section in zip(QUESTIONS, sections, strict=True):
        for question, answer in zip(part["questions"], section.answers, strict=True):
            author = [f"The author: {answer.author}"] if answer.author else []
            text = " ".join([answer.question, *(answer.lines + tuple(author) or (UNSTATED,))])
            for name in question.get("rai", ()):
                fields.setdefault(name, []).append(text)
    return fields


def _answer(question: Mapping, answers: Facts, authored: Mapping) -> Answer:
    lines: list[str] = []
    for given in question.get("lines", ()):
        whole = list(_lines(given, answers))
        more = [f"… and {len(whole) - N_LINES} more, in the tables."] if len(whole) > N_LINES else []
        lines += [*whole[:N_LINES], *more]
    return Answer(question["ask"], tuple(lines), authored.get(question.get("author")))


def _lines(entry: str | Mapping, answers: Facts) -> Iterator[str]:
    """The lines that one entry of `lines` gives, as the head of datasheet.yaml says."""
    given = str(entry["say"]) if isinstance(entry, Mapping) else entry
    if isinstance(entry, Mapping) and (
        not answers[entry["if"]] if "if" in entry else answers[entry["unless"]]
    ):
        return
    names = [name for _, name, _, _ in Formatter().parse(given) if name]
    if any(answers[name] in (None, "", []) for name in names):
        return
    lists = {name: value for name in names if isinstance(value := answers[name], list)}
    for entries in zip(*lists.values(), strict=True) if lists else [()]:
        yield given.format(**{**answers, **dict(zip(lists, entries, strict=True))})


# ---- what the build knows ----------------------------------------------------------------------------------
def facts_of(config: Layout, board: str, facts: BoardFacts) -> dict[str, object]:
    """Return what the build knows of a board by the names that datasheet.yaml uses: texts, numbers and lists
    of lines. None, an empty text and an empty list are not known.
    """
    return {
        **_of_card(facts),
        **_of_tables(config, board),
        **_of_settings(config, board, facts),
        "rejects": _rejects(config, board),
        "n_paths": len(config.p.hub.allow_paths),
        "n_emails": len(config.p.hub.allow_emails),
        "hub_licence": config.p.hub.licence,
    }


def _of_card(facts: BoardFacts) -> Facts:
    """What the cards of source and track say, and what was measured on the set."""
    source: Mapping[str, Any] = facts.source
    track = facts.track
    files = [
        f"{file['file']}, {file['n_rows']} rows, SHA-256 {file['sha256']}"
        for file in source.get("files") or ()
    ]
    labelled_by = source.get("labelled_by")
    judged = () if facts.is_judged_by_people else track.judged_caveats
    return {
        "board": facts.board,
        "summary": track.summary,
        "paper": track.citation.rstrip("."),
        "ranks": track.ranks.what,
        "steps": [f"{step.name}. {step.text}" for step in track.steps] if facts.models else [],
        "models": [
            f"{role.replace('_', ' ').capitalize()}: {model}." for role, model in facts.models.items()
        ],
        "simulated": facts.is_simulated,
        "languages": ", ".join(facts.languages),
        "statistics": [_measured(row) for row in statistics_rows(facts)],
        "agreement": [_measured(row) for row in agreement_rows(facts)],
        "audit": [_audited(row) for row in audit_rows(facts.audit)],
        "findings": [f"Reaches the threshold of the audit: {line}." for line in facts.findings],
        "caveats": [*track.caveats, *judged, *filter(None, [source.get("note")])],
        "counts": [_counted(row) for row in count_rows(facts.counts)],
        "source": source.get("name") or facts.board,
        "source_url": source.get("url") or "no address stated",
        "repository": source.get("repository"),
        "revision": source.get("revision"),
        "files": files,
        "licence": source.get("licence") or "nothing",
        "redistribution": source.get("redistribution") or "not stated",
        "by_task": [
            f"{task}, {rights['name']}: {rights['licence']}; to pass on: {rights['redistribution']}"
            for task, rights in source.get(BY_TASK, {}).items()
        ],
        "labelled_by": f"The source's labels are by {labelled_by}." if labelled_by else "",
    }


def _of_tables(config: Layout, board: str) -> Facts:
    """What the tables hold, by task, split and label."""
    source = config.p.board(board).source
    samples = load(Sample, config.labels(board, "samples"), columns=SAMPLE)
    items = (
        scan(Item, [config.dataset(board, "items")]).select("task", "document_ids", "right_answer").collect()
    )
    documents = [config.source(source, "documents"), config.dataset(board, "documents")]
    ids = scan(Document, documents).select(pl.col("document_id").n_unique()).collect().item()
    judges = (
        scan(Judgement, [config.labels(board, "judgements")]).select(pl.col("judge").n_unique()).collect()
    )
    n_bare, n_open = (items["document_ids"].list.len() == 0).sum(), items["right_answer"].null_count()
    by_label = samples.group_by("task", "label_source", maintain_order=True).agg(
        pl.len(), pl.col("is_hallucinated").sum()
    )
    by_split = samples.group_by("task", "split").len().sort("task", "split")
    return {
        "n_items": items.height,
        "items": [f"{task}: {n}" for task, n in items.group_by("task").len().sort("task").iter_rows()],
        "n_samples": samples.height,
        "n_documents": ids,
        "n_bare": int(n_bare) or None,
        "n_no_answer": n_open or None,
        "n_annotators": judges.item() or None,
        "labels": [
            f"{task}, {source} labels: {n} texts, {n_hallucinated} of them hallucinated."
            for task, source, n, n_hallucinated in by_label.sort("task", "label_source").iter_rows()
        ],
        "splits": [f"{task}, {split}: {n} texts." for task, split, n in by_split.iter_rows()],
        "leak": _leak(samples),
    }


def _of_settings(config: Layout, board: str, facts: BoardFacts) -> Facts:
    """What params.yaml says of a board: sizes, seeds, the models that it asks."""
    p, size = config.p, config.p.size_of(board)
    aliases = {*facts.counts["model"]} if facts.counts.height else set()
    sizes = [f"{key} {n}" for key, n in size.model_dump().items() if isinstance(n, int)]
    return {
        "sizes": ", ".join(sizes),
        "seed": p.seed,
        "seeds": ", ".join(map(str, getattr(size, "seeds", ()))),
        "asked": ", ".join(sorted(p.model(alias).model for alias in aliases & set(p.models))),
        "errata": p.source(p.board(board).source).errata,
    }


def _leak(samples: pl.DataFrame) -> str:
    """How many groups have texts on both sides of the split; empty where there is one side."""
    sides = samples.group_by("group_id", maintain_order=True).agg(pl.col("split").n_unique())["split"]
    n_both = int((sides > 1).sum())
    is_split = samples["split"].n_unique() > 1
    return f"{n_both or 'No'} groups, of {len(sides)}, have texts in more than one split." if is_split else ""


def _rejects(config: Layout, board: str) -> list[str]:
    """What was left out where: a line per file or step, with its reasons, the most frequent first."""
    source = config.p.board(board).source
    paths = [
        config.source(source, "rejects"),
        config.dataset(board, "rejects"),
        config.labels(board, "rejects"),
    ]
    counted = scan(Reject, paths).group_by("where", "reason").len().sort("where", "reason").collect()
    ordered = counted.sort("where", "len", "reason", descending=[False, True, False])
    return [
        f"{where}: " + ", ".join(f"{reason} {n}" for reason, n in zip(reasons, numbers, strict=True)) + "."
        for where, reasons, numbers in ordered.group_by("where", maintain_order=True).all().iter_rows()
    ]


def _measured(row: Mapping) -> str:
    """A row of the card's tables of measures, in words."""
    where = f" ({row['where']})" if row["where"] else ""
    over = (
        f", over {row['n']}" if "(" in row["value"] else ""
    )  # a count, or a mean of all, is over what it counts
    return f"{row['metric']}{where}: {row['value']}{over}."


def _audited(row: Mapping) -> str:
    """A row of the card's shortcut audit, in words."""
    shown = [f"{name} {row[name]}" for name in ("balanced", "pairs", "auroc") if row[name]]
    return f"Shortcut audit, {row['where']}, {row['shortcut']}: {', '.join(shown)}."


def _counted(row: Mapping) -> str:
    """A row of the card's account of replies, in words."""
    shown = f"{row['n_in']} asked, {row['n_ok']} usable, {row['n_dead']} without a reply, "
    return f"{row['step']}: {shown}{row['n_abstained']} abstained, {row['n_unparsed']} unreadable."
