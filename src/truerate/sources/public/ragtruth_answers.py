"""The answers of RAGTruth with their labels and what the models were given, in both layouts.

FaithJudge's repository holds a part of the test split, `eval_data/ragtruth_{qa,summary,data2txt}.jsonl`: one line per
source (`source_id`, `source`, `responses`); a response has `response`, `model`, `labels` and nothing else. A source is
a text (summary), a question with passages (qa), or the data of a business (data2txt).
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truerate.core.text import clean
from truerate.sources.collection import Collection
from truerate.sources.cuts import json_lines
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import in_cleaned, joined

TYPES = ("Evident Conflict", "Subtle Conflict", "Evident Baseless Info", "Subtle Baseless Info")
FOLDER = "eval_data"
TASKS = {"qa": "qa", "summary": "summarization", "data2txt": "general"}
TEXTS = "not stated (of the text's publisher)"


class Given(NamedTuple):
    """What the models were given under one `source_id`: its task, the question, the text, and whose text it is."""

    task: str
    question: str
    text: str
    origin: str | None = None


def question_and_passages(info: Row) -> tuple[str, str]:
    """The question and the passages of a question to be answered."""
    return info.text("question"), info.text("passages")


def asked_for_overview(business: Mapping[str, object]) -> tuple[str, str]:
    """What is asked about a business in data, and the data as text: the prompt's first lines are not kept."""
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
    """An answer (`response`, `model`) with its labels (`labels_of`) as a gold sample, hallucinated where one
    stands.

    What is right but not in the given text (`implicit_true`) is marked as RAGTruth marks it, so it counts as
    hallucinated: what is measured is faithfulness to the text. `rule_evident` counts neither such labels nor
    those of a null that was read as "no" (`due_to_null`).
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


# ---- the part that FaithJudge's repository holds -------------------------------------------------------------
def slice_files(folder: Path) -> dict[str, str]:
    """Which of the slice's files a folder holds, each with its part: `qa`, `summary` or `data2txt`."""
    files = {f"{FOLDER}/ragtruth_{part}.jsonl": part for part in TASKS}
    return {file: part for file, part in files.items() if (folder / file).is_file()}


def read_slice(collection: Collection) -> None:
    """Every response of these files as a gold sample."""
    for file, part in slice_files(collection.folder).items():
        collection.read(file, json_lines, partial(_keep_source, collection, file, part))


def given_of(part: str, row: Row) -> Given:
    """What the models were given, out of a line of a part's file."""
    if part == "summary":
        return Given(TASKS[part], "", row.text("source"))
    info = row.row("source")
    return Given(
        TASKS[part], *(question_and_passages(info) if part == "qa" else asked_for_overview(info.values))
    )


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
