"""RAGTruth (Niu et al. 2024): replies of six models to given passages, with the words that people marked as
hallucinated.

Two files, joined by `source_id`: `source_info.jsonl` (what the models were given) and `response.jsonl` (what
they wrote, with `labels`), as the README of its repository documents them, in the folder or in its `dataset/`.
Files of its first release lack `implicit_true`; where it is absent it is taken as false. Where neither is there,
the slice of its test split that FaithJudge's repository holds is read (`ragtruth_answers`).
"""

from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection
from truerate.sources.cuts import json_lines, named
from truerate.sources.public.ragtruth_answers import (
    Given,
    asked_for_overview,
    item_of,
    keep_answer,
    labels_of,
    question_and_passages,
    read_slice,
    slice_files,
)
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tables import SourceTables

SOURCES, RESPONSES = "source_info.jsonl", "response.jsonl"
PLACES = ("", "dataset/")
TASKS = {"QA": "qa", "Summary": "summarization", "Data2txt": "general"}
SPLITS = ("train", "test")
CARD = published_card("ragtruth")
# by the folder of each layout, what was read on made-up files alone
UNPROVEN = {"ParticleMedia__RAGTruth": (f"its own {SOURCES} and {RESPONSES}",)}
UNTRIED = " Read by the format that its publishers document; this reader was not tried on the original files."
SLICE = " The part of its test split that the repository vectara/FaithJudge holds."


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each response as a gold sample (`ragtruth_answers.keep_answer`); tasks `qa`, `summarization`, and
    `general` for data to text.

    The attribute `n_implicit_true` says how many of a sample's labels are right in the world but not in the
    given text, `n_labels` how many it has in all. Labels that share a character are one span of both their
    types. Raises TruerateError where one of the two files is absent and no slice is there.
    """
    files = (SOURCES, RESPONSES)
    directory = next((path for path in PLACES for file in files if named(folder, path + file)), None)
    is_slice = directory is None and bool(slice_files(folder))
    card = CARD | {"citation": CARD["citation"] + (SLICE if is_slice else UNTRIED)}
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=card)
    if is_slice:
        read_slice(collection)
        return collection.tables()
    absent = [file for file in files if not collection.has((directory or "") + file)]
    if absent:
        raise SourceError(
            f"source {name!r}: no {' and no '.join(absent)} in {str(folder)!r}; RAGTruth is both files: put them there"
        )
    sources: dict[str, Given] = {}
    collection.read(f"{directory}{SOURCES}", json_lines, partial(_book, collection, sources))
    collection.read(f"{directory}{RESPONSES}", json_lines, partial(_keep, collection, sources))
    return collection.tables()


def _book(collection: Collection, sources: dict[str, Given], row: Row) -> None:
    """Note what was given under its id: task, question, text; a summary has no question, and of data the prompt's
    first lines are dropped.
    """
    identity, task = row.text("source_id"), row.choice("task_type", tuple(TASKS))
    if task == "Summary":
        question, text = "", row.text("source_info")
    elif task == "QA":
        question, text = question_and_passages(row.row("source_info"))
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
