"""The part of RAGTruth's test split that FaithJudge's repository holds: `eval_data/ragtruth_{qa,summary,data2txt}.jsonl`.

One line per source (`source_id`, `source`, `responses`); a response has `response`, `model`, `labels` and nothing
of what RAGTruth's own files say besides. A source is a text (summary), a question with passages (qa), or the
data of a business (data2txt).
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from truerate.sources.collection import Collection
from truerate.sources.cuts import json_lines
from truerate.sources.public.ragtruth_answers import (
    Given,
    asked_for_overview,
    item_of,
    keep_answer,
    labels_of,
    question_and_passages,
)
from truerate.sources.rows import Row

FOLDER = "eval_data"
TASKS = {"qa": "qa", "summary": "summarization", "data2txt": "general"}


def slice_files(folder: Path) -> list[str]:
    """Which of the slice's files a folder holds."""
    files = [f"{FOLDER}/ragtruth_{part}.jsonl" for part in TASKS]
    return [file for file in files if (folder / file).is_file()]


def read_slice(collection: Collection, files: Sequence[str], **more: object) -> None:
    """Every response of these files as a gold sample; `more` are attributes of all of them."""
    for file in files:
        part = part_of(file)
        collection.read(file, json_lines, partial(_keep, collection, file, part, more))


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


def _keep(collection: Collection, file: str, part: str, more: dict[str, object], row: Row) -> None:
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
