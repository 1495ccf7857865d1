"""RAGTruth (Niu et al. 2024): replies of six models to given passages, with the words that people marked as
hallucinated.

Two files, joined by `source_id`: `source_info.jsonl` (what the models were given) and `response.jsonl` (what
they wrote, with `labels`), as the README of its repository documents them. Files of its first release lack
`implicit_true`; where it is absent it is taken as false.
"""

import json
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.text import clean
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.rows import BadRow, Reason, Row, json_lines
from truerate.sources.tagged import in_cleaned

SOURCES, RESPONSES = "source_info.jsonl", "response.jsonl"
TASKS = {"QA": "qa", "Summary": "summarization", "Data2txt": "general"}
TYPES = ("Evident Conflict", "Subtle Conflict", "Evident Baseless Info", "Subtle Baseless Info")
SPLITS = ("train", "test")
TEXTS = "not stated (of the text's publisher)"
CARD = {
    "name": "RAGTruth",
    "citation": "C. Niu, Y. Wu, J. Zhu, S. Xu, K. Shum, R. Zhong, J. Song, T. Zhang. RAGTruth: A Hallucination Corpus for Developing "
    "Trustworthy Retrieval-Augmented Language Models. ACL 2024. Texts: MS MARCO, CNN/Daily Mail, recent news, Yelp, under their own terms. "
    "Read by the format that its publishers document; this reader was not tried on the original files.",
    "licence": "MIT (annotations)",
    "redistribution": "ids-only",
    "url": "https://github.com/ParticleMedia/RAGTruth",
    "lang": "en",
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each response as a gold sample, hallucinated where a label stands; tasks `qa`, `summarization`, and
    `general` for data to text.

    What is right but not in the given text (`implicit_true`) is marked as RAGTruth marks it, so it counts as
    hallucinated: what is measured is faithfulness to the text. The attribute `n_implicit_true` says how many
    of a sample's labels are such, `n_labels` how many it has in all. Labels that share a character are one
    span of both their types.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    absent = [file for file in (SOURCES, RESPONSES) if not collection.has(file)]
    if absent:
        raise SourceError(
            f"source {name!r}: no {' and no '.join(absent)} in {str(folder)!r}; RAGTruth is both files: put them there"
        )
    sources: dict[str, dict] = {}
    collection.read(SOURCES, json_lines, partial(_book, collection, sources))
    collection.read(RESPONSES, json_lines, partial(_keep, collection, sources))
    return collection.tables()


def _book(collection: Collection, sources: dict[str, dict], row: Row) -> None:
    """Note what was given under its id: task, question, text."""
    identity, task = row.text("source_id"), row.choice("task_type", tuple(TASKS))
    question, given = _given(task, row)
    collection.once("the source", identity, row=row)
    sources[identity] = {
        "task": TASKS[task],
        "question": question,
        "given": given,
        "origin": row.optional_text("source"),
    }


def _given(task: str, row: Row) -> tuple[str, str]:
    """Question and text: of a summary no question, of data the prompt's first lines are not kept, for the
    data stand in it again.
    """
    if task == "Summary":
        return "", row.text("source_info")
    info = Row(row.get("source_info"), row.number)
    if task == "QA":
        return info.text("question"), info.text("passages")
    name = info.optional_text("name")
    asked = (
        f"Write an objective overview of the local business {name}."
        if name
        else "Write an objective overview of this local business."
    )
    return asked, clean(json.dumps(info.values, ensure_ascii=False, indent=1))


def _keep(collection: Collection, sources: dict[str, dict], row: Row) -> None:
    source_id, model, split = row.text("source_id"), row.text("model"), row.choice("split", SPLITS)
    if source_id not in sources:
        raise BadRow(
            Reason.UNRESOLVED, f"field 'source_id' is {source_id[:40]!r}; no source of that id was read"
        )
    response = row.text("response")
    labels = [
        _label(Row(entry, index), row.values["response"])
        for index, entry in enumerate(row.items("labels"), 1)
    ]
    collection.once("the response", row.text("id"), row=row)
    given = sources[source_id]
    item = collection.item(
        given["task"],
        group=("source", source_id),
        question=given["question"],
        document_ids=[collection.document(given["given"], licence=TEXTS)],
        source_id=source_id,
        origin=given["origin"],
        is_shared=True,
    )
    collection.sample(
        item,
        response,
        is_hallucinated=bool(labels),
        label_source="gold",
        generator=model,
        spans=_joined(labels),
        rationale="\n".join(label["meta"] for label in labels if label["meta"]) or None,
        id=row.text("id"),
        published_split=split,
        quality=row.optional_text("quality"),
        n_labels=len(labels),
        n_implicit_true=sum(label["is_implicit"] for label in labels),
        n_due_to_null=sum(label["is_null"] for label in labels),
    )
    collection.counts.update(
        n_labels=len(labels), n_implicit_true=sum(label["is_implicit"] for label in labels)
    )


def _label(label: Row, published: str) -> dict:
    """One label: its span in the cleaned response, type, and the annotator's remark. Its text must be what
    stands there.
    """
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


def _joined(labels: list[dict]) -> list[dict]:
    """Spans in order; those that overlap as one, of both types."""
    runs: list[dict] = []
    for label in sorted(labels, key=lambda one: (one["start"], one["end"])):
        if runs and label["start"] < runs[-1]["end"]:
            kinds = dict.fromkeys([*runs[-1]["type"].split("; "), label["type"]])
            runs[-1] |= {"end": max(runs[-1]["end"], label["end"]), "type": "; ".join(kinds)}
        else:
            runs.append({"start": label["start"], "end": label["end"], "type": label["type"], "p": None})
    return runs
