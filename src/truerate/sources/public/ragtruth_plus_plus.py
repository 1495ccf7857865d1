"""RAGTruth++ (Blue Guardrails 2025): replies of RAGTruth that were labelled anew, by their card two CSV files.

`messages.csv` holds the messages of conversations: what a model was given (`role` user), and its reply (assistant), whose
`meta` is JSON with `model` and `original_id`, the response's id in RAGTruth. `hallucination_spans.csv` holds the spans
that were marked anew. Where RAGTruth's own files, or the part of them that FaithJudge's repository holds, lie in the same
folder, the first labels stand beside: as `rule=first`, and of each new span whether a first one touches it.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from truerate.core.schemas import pairs
from truerate.core.text import clean
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import csv_records, json_lines, parse, readable
from truerate.sources.downloads import public_set
from truerate.sources.public.ragtruth import (
    PLACES,
    RESPONSES,
    SOURCES,
    TASK_OF_PART,
    TASKS,
    TEXTS,
    labels_of,
    slice_files,
)
from truerate.sources.public.unit_labels import FIRST, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import in_cleaned, joined

MESSAGES, SPANS = "messages.csv", "hallucination_spans.csv"
MESSAGE = ("stable_id", "meta", "role", "position", "text", "message_thread_stable_id")
SPAN = ("start_pos", "end_pos", "span_text", "label", "message_stable_id")
ROLES = ("user", "assistant")
TOUCHED = "touched"  # the attribute that says of each new span whether a first one touches it: `yes no`
SET = public_set("ragtruth_plus_plus")


class Before(NamedTuple):
    """What RAGTruth has of a reply: its source and task, and the spans that were marked first."""

    source_id: str
    task: str
    spans: list[tuple[int, int]]


@reads("ragtruth_plus_plus", unproven={"blue-guardrails__ragtruth-plus-plus": tuple(SET.holds)})
def read(collection: Collection) -> None:
    """Read each reply as a gold sample, hallucinated where a span was marked anew; a reply without its first labels is a
    reject where there are any.
    """
    collection.refuse_none(
        collection.has(MESSAGES) and collection.has(SPANS), "not both files of RAGTruth++", MESSAGES, SPANS
    )
    before = first_labels(collection)
    marked: dict[str, list[Row]] = defaultdict(list)
    collection.read(SPANS, partial(csv_records, columns=SPAN), lambda row: _mark(collection, marked, row))
    cut = partial(csv_records, columns=MESSAGE)
    # what was asked may stand behind its reply
    messages = (values for _, values in readable(cut((collection.folder / MESSAGES).read_bytes())))
    prompts = {
        str(row["message_thread_stable_id"]): clean(row["text"])
        for row in messages
        if row and row["role"] == "user"
    }
    collection.read(MESSAGES, cut, lambda row: _keep(collection, marked, prompts, before, row))


def first_labels(collection: Collection) -> dict[tuple[str, str], Before] | None:
    """What RAGTruth's files in the folder say of replies, by model and words; None where there are none. Of words that a
    model wrote about several sources nothing is known.
    """
    by_reply: dict[tuple[str, str], Before | None] = {}

    def book(row: Row, source_id: str, task: str) -> None:
        key = row.text("model"), row.text("response")
        spans = [(label["start"], label["end"]) for label in labels_of(row)]
        by_reply[key] = None if key in by_reply else Before(source_id, task, spans)

    def book_source(part: str, row: Row) -> None:
        for answer in row.rows("responses"):
            book(answer, str(row.integer("source_id")), TASK_OF_PART[part])

    directory = next((path for path in PLACES if collection.has(path + RESPONSES)), None)
    parts = slice_files(collection.folder) if directory is None else {}
    if directory is None and not parts:
        return None
    if directory is not None:
        tasks = _tasks(collection, directory)
        responses = directory + RESPONSES
        collection.read(
            responses,
            json_lines,
            lambda row: book(row, of := row.text("source_id"), tasks.get(of, "general")),
        )
    for file, part in parts.items():
        collection.read(file, json_lines, partial(book_source, part))
    return {key: value for key, value in by_reply.items() if value is not None}


def _tasks(collection: Collection, directory: str) -> dict[str, str]:
    """The task of each source, where the file that says so is there."""
    path = collection.folder / (directory + SOURCES)
    rows = readable(json_lines(path.read_bytes())) if path.is_file() else ()
    named = (values for _, values in rows if isinstance(values, dict))
    return {str(row.get("source_id")): TASKS.get(str(row.get("task_type")), "general") for row in named}


def _mark(collection: Collection, marked: dict[str, list[Row]], row: Row) -> None:
    collection.once_said("the span", row, but=())
    marked[row.text("message_stable_id")].append(row)


def _keep(
    collection: Collection,
    marked: dict[str, list[Row]],
    prompts: dict[str, str],
    before: dict[tuple[str, str], Before] | None,
    row: Row,
) -> None:
    """Keep a reply with what was marked in it anew, and what was first."""
    if row.choice("role", ROLES) != "assistant":
        return
    identity, text = row.text("stable_id"), row.text("text")
    thread, meta = row.text("message_thread_stable_id"), Row(parse(row.text("meta")), row.number)
    if thread not in prompts:
        raise BadRow(Reason.UNRESOLVED, f"no message of the user stands in the thread {thread[:40]!r}")
    model, prompt = meta.text("model"), prompts[thread]
    spans = _spans(marked.get(identity, ()), row.values["text"])
    collection.once("the message", identity, row=row)
    first = None if before is None else before.get((model, text))
    if before is not None and first is None:
        raise BadRow(Reason.UNLABELLED, f"RAGTruth's files here have no reply of {model!r} in these words")
    task, group = (first.task, ("source", first.source_id)) if first else ("general", ("prompt", prompt))
    document = collection.document(prompt, licence=TEXTS)
    item = collection.item(task, group=group, document_ids=[document], is_shared=True)
    about: dict[str, object] = {"unit": first.source_id if first else item["group_id"]}
    if first:
        new = [(span["start"], span["end"]) for span in spans]
        touched = [any(start < right and left < end for left, right in first.spans) for start, end in new]
        about |= {f"rule_{FIRST}": bool(first.spans), TOUCHED: " ".join(map(yes_or_no, touched)) or None}
    collection.sample(
        item,
        text,
        is_hallucinated=bool(spans),
        label_source="gold",
        generator=model,
        spans=joined(spans),
        id=identity,
        **about,
    )
    collection.counts["n_spans"] += len(spans)


def _spans(rows: Iterable[Row], published: str) -> list[dict]:
    """The spans of a reply in the cleaned text, in their order; raises BadRow where one's words are not there."""
    spans = []
    for row in rows:
        start, end = row.integer("start_pos"), row.integer("end_pos")
        ((left, right),) = in_cleaned(published, [(start, end)])
        if published[start:end].strip() != row.text("span_text").strip():
            raise BadRow(Reason.CONTRADICTION, f"a span's words are not what stands at {start}–{end}")
        spans.append({"start": left, "end": right, "type": row.text("label")})
    return sorted(spans, key=lambda span: (span["start"], span["end"]))


def labels(tables: Tables) -> list[dict]:
    """Return of each new span whether the first labels touch it."""
    rows = []
    for sample in tables.samples.to_dicts():
        attributes = attributes_of(sample)
        unit = Unit(sample["generator"], attributes["unit"], sample["group_id"], pairs(task=sample["task"]))
        for index, answer in enumerate(attributes.get(TOUCHED, "").split()):
            rows.append(label_row(unit, FIRST, answer, part=str(index)))
    return rows
