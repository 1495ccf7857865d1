"""The answers of RAGTruth with their labels and what the models were given, in both layouts.

FaithJudge's repository holds a part of the test split, `eval_data/ragtruth_{qa,summary,data2txt}.jsonl`: one line per
source (`source_id`, `source`, `responses`); a response has `response`, `model`, `labels` and nothing else. A source is
a text (summary), a question with passages (qa), or the data of a business (data2txt).
"""

import json
from collections.abc import Mapping, Sequence
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
    asked = (
        f"Write an objective overview of the local business {name}."
        if name
        else "Write an objective overview of this local business."
    )
    return asked, clean(json.dumps(business, ensure_ascii=False, indent=1))


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
    return [
        _label(Row(entry, index), answer.values["response"])
        for index, entry in enumerate(answer.items("labels"), 1)
    ]


def keep_answer(
    collection: Collection, item: dict, answer: Row, labels: list[dict], *, unit: str, **more: object
) -> None:
    """An answer (`response`, `model`) with its labels (`labels_of`) as a gold sample, hallucinated where one
    stands.

    What is right but not in the given text (`implicit_true`) is marked as RAGTruth marks it, so it counts as
    hallucinated: what is measured is faithfulness to the text. `rule_evident` counts neither such labels nor
    those of a null that was read as "no" (`due_to_null`).
    """
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
        n_labels=len(labels),
        n_implicit_true=sum(label["is_implicit"] for label in labels),
        n_due_to_null=sum(label["is_null"] for label in labels),
        **more,
    )
    collection.counts.update(
        n_labels=len(labels), n_implicit_true=sum(label["is_implicit"] for label in labels)
    )


def _label(label: Row, published: str) -> dict:
    """One label: its span in the cleaned response, type, remark. Its text must stand at its place."""
    start, end, marked = label.integer("start"), label.integer("end"), label.get("text")
    kind = label.label("label_type", TYPES)
    ((left, right),) = in_cleaned(published, [(start, end)])
    if published[start:end] != marked:
        raise BadRow(
            Reason.CONTRADICTION, f"label {label.number}: its text is not what stands at {start}–{end}"
        )
    flags = {"is_implicit": _flag(label, "implicit_true"), "is_null": _flag(label, "due_to_null")}
    return {"start": left, "end": right, "type": kind, "meta": label.optional_text("meta"), **flags}


def _flag(label: Row, field: str) -> bool:
    value = label.values.get(field)
    if value is not None and not isinstance(value, bool):
        raise BadRow(
            Reason.WRONG_TYPE,
            f"label {label.number}: field {field!r} must be true, false or null, not {str(value)[:40]!r}",
        )
    return bool(value)


# ---- the part that FaithJudge's repository holds -------------------------------------------------------------
def slice_files(folder: Path) -> list[str]:
    """Which of the slice's files a folder holds."""
    files = [f"{FOLDER}/ragtruth_{part}.jsonl" for part in TASKS]
    return [file for file in files if (folder / file).is_file()]


def read_slice(collection: Collection, files: Sequence[str], **more: object) -> None:
    """Every response of these files as a gold sample; `more` are attributes of all of them."""
    for file in files:
        part = part_of(file)
        collection.read(file, json_lines, partial(_keep_source, collection, file, part, more))


def part_of(file: str) -> str:
    """The part that a file holds, by its name: `qa`, `summary` or `data2txt`."""
    return Path(file).stem.removeprefix("ragtruth_")


def identity_of(row: Row) -> str:
    """A source's id as text: a whole number in these files, text in the verdicts on them."""
    return str(row.integer("source_id"))


def given_of(part: str, row: Row) -> Given:
    """What the models were given, out of a line of a part's file."""
    if part == "summary":
        return Given(TASKS[part], "", row.text("source"))
    info = Row(row.get("source"), row.number)
    question, text = question_and_passages(info) if part == "qa" else asked_for_overview(info.values)
    return Given(TASKS[part], question, text)


def _keep_source(collection: Collection, file: str, part: str, more: dict[str, object], row: Row) -> None:
    """A source with its answers; one that cannot be kept costs its source no other."""
    source_id, given = identity_of(row), given_of(part, row)
    answers = row.items("responses")
    collection.once("the source", part, source_id, row=row)
    item = item_of(collection, source_id, given)
    for entry in answers:
        with collection.part(file, row, text=str(entry)):
            answer = Row(entry, row.number)
            labels = labels_of(answer)
            collection.once("the response", part, source_id, answer.text("model"), row=answer)
            keep_answer(collection, item, answer, labels, unit=source_id, **more)
