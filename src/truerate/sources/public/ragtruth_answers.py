"""What both layouts of RAGTruth have in common: the answers with their labels, and what the models were given."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from truerate.core.text import clean
from truerate.sources.collection import Collection
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import in_cleaned, joined

TYPES = ("Evident Conflict", "Subtle Conflict", "Evident Baseless Info", "Subtle Baseless Info")
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
