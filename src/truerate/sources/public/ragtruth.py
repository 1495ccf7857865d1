"""RAGTruth (Niu et al. 2024): replies of six models to given passages, with the words that people marked as
hallucinated.

Two files, joined by `source_id`: `source_info.jsonl` (what the models were given: a text to summarize, a
question with passages, or the data of a business) and `response.jsonl` (what they wrote, with `labels`), as
the README of its repository documents them, in the folder or in its `dataset/`. Files of its first release
lack `implicit_true`, which is then false.

Where neither is there, the part of its test split that FaithJudge's repository holds is read: one line per
source (`source_id`, `source`, `responses`) of `eval_data/ragtruth_{qa,summary,data2txt}.jsonl`; a response
has `response`, `model`, `labels` and nothing else.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SourceError
from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines, named
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import in_cleaned, joined

SOURCES, RESPONSES = "source_info.jsonl", "response.jsonl"
PLACES = ("", "dataset/")
TASKS = {"QA": "qa", "Summary": "summarization", "Data2txt": "general"}
SPLITS = ("train", "test")
TYPES = ("Evident Conflict", "Subtle Conflict", "Evident Baseless Info", "Subtle Baseless Info")
FOLDER = "eval_data"
TASK_OF_PART = {"qa": "qa", "summary": "summarization", "data2txt": "general"}
TEXTS = "not stated (of the text's publisher)"
CITATION = published_card("ragtruth")["citation"]
# by the folder of each layout, what was read on made-up files alone
UNPROVEN = {"ParticleMedia__RAGTruth": (f"its own {SOURCES} and {RESPONSES}",)}
UNTRIED = " Read by the format that its publishers document; this reader was not tried on the original files."
SLICE = " The part of its test split that the repository vectara/FaithJudge holds."


class Given(NamedTuple):
    """What the models were given under one `source_id`: its task, the question, the text, and whose text it
    is.
    """

    task: str
    question: str
    text: str
    origin: str | None = None


def asked_for_overview(business: Mapping[str, object]) -> tuple[str, str]:
    """The question about a business in data, and the data as text, without the prompt's first lines."""
    name = Row(business, 1).optional_text("name")
    which = f"the local business {name}" if name else "this local business"
    data = clean(json.dumps(business, ensure_ascii=False, indent=1))
    return f"Write an objective overview of {which}.", data


def item_of(collection: Collection, source_id: str, given: Given) -> dict:
    """The item that all answers to one source share."""
    return collection.item(
        given.task,
        group=("source", source_id),
        question=given.question,
        document_ids=[collection.document(given.text, licence=TEXTS)],
        source_id=source_id,
        origin=given.origin,
        is_shared=True,
    )


def labels_of(answer: Row) -> list[dict]:
    """The labels of an answer, checked against its `response`; raises BadRow where one does not fit."""
    answer.text("response")
    return [_label(label, answer.values["response"]) for label in answer.rows("labels")]


def keep_answer(
    collection: Collection, item: dict, answer: Row, labels: list[dict], *, unit: str, **more: object
) -> None:
    """Keep an answer (`response`, `model`) with its labels (`labels_of`) as a gold sample, hallucinated if it
    has any.

    What is right but not in the given text (`implicit_true`) counts as hallucinated, as in RAGTruth:
    faithfulness to the text is measured. `rule_evident` counts neither such labels nor those of a null read
    as "no" (`due_to_null`).
    """
    counts = {"n_labels": len(labels), "n_implicit_true": sum(label["is_implicit"] for label in labels)}
    collection.sample(
        item,
        answer.text("response"),
        is_hallucinated=bool(labels),
        label_source="gold",
        generator=answer.text("model"),
        spans=joined(labels),
        rationale="\n".join(label["meta"] for label in labels if label["meta"]) or None,
        unit=unit,
        rule_evident=any(not (label["is_implicit"] or label["is_null"]) for label in labels),
        n_due_to_null=sum(label["is_null"] for label in labels),
        **counts,
        **more,
    )
    collection.counts.update(counts)


def _label(label: Row, published: str) -> dict:
    """One label: its span in the cleaned response, type, remark. Its text must stand at its place."""
    start, end, marked = label.integer("start"), label.integer("end"), label.get("text")
    kind = label.label("label_type", TYPES)
    ((left, right),) = in_cleaned(published, [(start, end)])
    if published[start:end] != marked:
        problem = f"label {label.number}: its text is not what stands at {start}–{end}"
        raise BadRow(Reason.CONTRADICTION, problem)
    flags = {"is_implicit": bool(label.flag("implicit_true")), "is_null": bool(label.flag("due_to_null"))}
    return {"start": left, "end": right, "type": kind, "meta": label.optional_text("meta"), **flags}


# ---- the set's own files ----------------------------------------------------------------------------------
@reads("ragtruth", unproven=UNPROVEN)
def read(collection: Collection) -> None:
    """Read each response as a gold sample (`keep_answer`); tasks `qa`, `summarization`, and `general` for
    data to text.

    The attribute `n_implicit_true` counts labels that are right in the world but not in the given text,
    `n_labels` all. Labels that share a character are one span of both their types. Raises TruerateError where
    a file is absent.
    """
    folder, files = collection.folder, (SOURCES, RESPONSES)
    directory = next((path for path in PLACES for file in files if named(folder, path + file)), None)
    slices = slice_files(folder) if directory is None else {}
    if collection.card["citation"] == CITATION:
        collection.card["citation"] += SLICE if slices else UNTRIED
    for file, part in slices.items():
        collection.read(file, json_lines, partial(_keep_source, collection, file, part))
    if slices:
        return
    if absent := [file for file in files if not collection.has((directory or "") + file)]:
        problem = f"no {' and no '.join(absent)} in {str(folder)!r}"
        raise SourceError(f"source {collection.name!r}: {problem}; RAGTruth is both files: put them there")
    sources: dict[str, Given] = {}
    collection.read(f"{directory}{SOURCES}", json_lines, partial(_book, collection, sources))
    collection.read(f"{directory}{RESPONSES}", json_lines, partial(_keep, collection, sources))


def _book(collection: Collection, sources: dict[str, Given], row: Row) -> None:
    """Note what was given under its id: task, question (none of a summary), text."""
    identity, task = row.text("source_id"), row.choice("task_type", tuple(TASKS))
    if task == "Summary":
        question, text = "", row.text("source_info")
    elif task == "QA":
        info = row.row("source_info")
        question, text = info.text("question"), info.text("passages")
    else:
        question, text = asked_for_overview(row.row("source_info").values)
    collection.once("the source", identity, row=row)
    sources[identity] = Given(TASKS[task], question, text, row.optional_text("source"))


def _keep(collection: Collection, sources: dict[str, Given], row: Row) -> None:
    source_id, split = row.text("source_id"), row.choice("split", SPLITS)
    if source_id not in sources:
        problem = f"field 'source_id' is {source_id[:40]!r}; no source of that id was read"
        raise BadRow(Reason.UNRESOLVED, problem)
    labels, identity = labels_of(row), row.text("id")
    collection.once("the response", identity, row=row)
    item = item_of(collection, source_id, sources[source_id])
    more = {"published_split": split, "quality": row.optional_text("quality"), "id": identity}
    keep_answer(collection, item, row, labels, unit=source_id, **more)


# ---- the part that FaithJudge's repository holds -----------------------------------------------------------
def slice_files(folder: Path) -> dict[str, str]:
    """The files of the part that a folder holds, each with its part: `qa`, `summary` or `data2txt`."""
    files = {f"{FOLDER}/ragtruth_{part}.jsonl": part for part in TASK_OF_PART}
    return {file: part for file, part in files.items() if (folder / file).is_file()}


def given_of(part: str, row: Row) -> Given:
    """Return what the models were given, out of a line of a part's file."""
    if part == "summary":
        return Given(TASK_OF_PART[part], "", row.text("source"))
    info, task = row.row("source"), TASK_OF_PART[part]
    if part == "qa":
        return Given(task, info.text("question"), info.text("passages"))
    return Given(task, *asked_for_overview(info.values))


def _keep_source(collection: Collection, file: str, part: str, row: Row) -> None:
    """A source with its answers; one that cannot be kept costs its source no other."""
    source_id, given = str(row.integer("source_id")), given_of(part, row)
    answers = row.items("responses")
    collection.once("the source", part, source_id, row=row)
    item = item_of(collection, source_id, given)
    for entry in answers:
        with collection.part(file, row, text=str(entry)):
            answer = Row(entry, row.number)
            labels = labels_of(answer)
            collection.once("the response", part, source_id, answer.text("model"), row=answer)
            keep_answer(collection, item, answer, labels, unit=source_id)
