"""HaluEval's published files (Li et al. 2023): labelled answers to general queries, and pairs of right and
hallucinated texts.

A folder may hold any of them: the general part, the files of unfiltered candidates, and the three released data sets, at
the top or where a clone has them. Where it holds none of these names, its Parquet files are read, as the Hub has them: what
each is, its columns tell.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from truerate.core import keys
from truerate.core.errors import SourceError, listed
from truerate.core.text import find_span
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines
from truerate.sources.parquet import SUFFIX, columns_of, parquet_rows
from truerate.sources.public.unit_labels import Tables, Unit, label_row, yes_or_no
from truerate.sources.raw.dialogue import parted
from truerate.sources.rows import BadRow, Reason, Row, texts

GENERATOR = "chatgpt"
GENERAL_FILES = ("general.jsonl", "general_data.json")
CANDIDATE_FILES = {
    "qa_candidates_one_turn.jsonl": "one-pass",
    "qa_candidates_multi_turn.jsonl": "conversational",
}
IN_CLONE = "data"  # the folder of a clone that holds the released files
SCHEMES = {"one": "one-pass", "multi": "conversational"}
CANDIDATES = (
    "generation/{task}/*{turns}-turn_data.json"  # of a clone, by the task and how they were asked for
)
TASKS = ("qa", "dialogue", "summarization")
QA_FILE, DIALOGUE_FILE, SUMMARIZATION_FILE = "qa_data.json", "dialogue_data.json", "summarization_data.json"
COLUMNS = {  # the columns by which a Parquet file is known → the released file that it holds
    GENERAL_FILES[1]: ("user_query", "chatgpt_response", "hallucination"),
    QA_FILE: ("knowledge", "question", "right_answer", "hallucinated_answer"),
    DIALOGUE_FILE: ("knowledge", "dialogue_history", "right_response", "hallucinated_response"),
    SUMMARIZATION_FILE: ("document", "right_summary", "hallucinated_summary"),
}
CARD = published_card("halueval")
SET = PublicSet(
    repository="RUCAIBox/HaluEval",
    holds={
        "general replies": (f"{IN_CLONE}/{GENERAL_FILES[1]}", *GENERAL_FILES, "general/*.parquet"),
        "unfiltered QA candidates": (CANDIDATES.format(task="qa", turns=""), *CANDIDATE_FILES),
        "unfiltered dialogue candidates": (CANDIDATES.format(task="dialogue", turns=""),),
        "unfiltered summaries": (CANDIDATES.format(task="summarization", turns=""),),
        "QA": (f"{IN_CLONE}/{QA_FILE}", QA_FILE, "qa/*.parquet"),
        "dialogue": (f"{IN_CLONE}/{DIALOGUE_FILE}", DIALOGUE_FILE, "dialogue/*.parquet"),
        "summarization": (f"{IN_CLONE}/{SUMMARIZATION_FILE}", SUMMARIZATION_FILE, "summarization/*.parquet"),
    },
    labelled_by="people (general replies); by how they were written (the others)",
    unproven=("unfiltered dialogue candidates", "unfiltered summaries", "QA", "dialogue", "summarization"),
)
GENERAL_ALONE = (
    "The general replies alone: the folder held data/general_data.json and no file of pairs. Where such files are there, whole or "
    "in part, their tasks and ways of asking have scores of their own beside these."
)
WIKIPEDIA = "CC BY-SA 4.0"


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Every published file that the folder holds, else every Parquet file. Of the two names of the general
    part the first found is read.

    Raises TruerateError where there is neither, and for a Parquet file of other columns.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    keepers = _keepers(collection)
    present = _present(collection)
    parquet = [] if present else _parquet_files(folder)
    if not present and not parquet:
        raise SourceError(
            f"source {name!r}: none of HaluEval's files in {str(folder)!r}; looked for: {', '.join(keepers)}"
        )
    if present and all(Path(file).name in GENERAL_FILES for file in present):
        collection.card.setdefault("caveats", [GENERAL_ALONE])
    for file, keep in present.items():
        collection.read(file, json_lines, keep)
    for file in parquet:
        collection.read(
            file, parquet_rows, keepers[_released_file(folder / file, where=f"source {name!r}: {file}")]
        )
    return collection.tables()


Keep = Callable[[Row], None]


def _keepers(collection: Collection) -> dict[str, Keep]:
    """What keeps the rows of a file, by its name at the top of the folder."""
    return {
        **{
            file: lambda row: keep_answer(collection, row, query="user_query", response="chatgpt_response")
            for file in GENERAL_FILES
        },
        **{
            file: lambda row, scheme=scheme: _keep_qa(collection, row, scheme=scheme)
            for file, scheme in CANDIDATE_FILES.items()
        },
        QA_FILE: lambda row: _keep_qa(collection, row, stage="filtered"),
        DIALOGUE_FILE: lambda row: _keep_dialogue(collection, row, stage="filtered"),
        SUMMARIZATION_FILE: lambda row: _keep_summary(collection, row, stage="filtered"),
    }


def _present(collection: Collection) -> dict[str, Keep]:
    """The files that are there, at the top or in a clone's folder, each with what keeps its rows."""
    keepers: dict[str, Keep] = {}
    for file, keep in _keepers(collection).items():
        is_read = file == GENERAL_FILES[1] and GENERAL_FILES[0] in keepers
        places = [] if is_read else [path for path in (file, f"{IN_CLONE}/{file}") if collection.has(path)]
        keepers |= {places[0]: keep} if places else {}
    by_task = dict(zip(TASKS, (_keep_qa, _keep_dialogue, _keep_summary), strict=True))
    for task, keep_pair in by_task.items():
        for turns, scheme in SCHEMES.items():
            for file in matching(collection.folder, CANDIDATES.format(task=task, turns=turns)):
                keepers[file] = partial(keep_pair, collection, scheme=scheme)
    return keepers


def _parquet_files(folder: Path) -> list[str]:
    """The Parquet files at any depth, hidden ones left out."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob(f"*{SUFFIX}"))
    return sorted(name for name in names if not any(piece.startswith(".") for piece in name.split("/")))


def _released_file(path: Path, *, where: str) -> str:
    """The released file whose rows a Parquet file holds, by its columns."""
    try:
        columns = columns_of(path)
    except BadRow as bad:
        raise SourceError(f"{where}: {bad.detail}; put a sound file there") from None
    released = next((file for file, needed in COLUMNS.items() if set(needed) <= set(columns)), None)
    if released is None:
        allowed = "; or ".join(", ".join(needed) for needed in COLUMNS.values())
        raise SourceError(
            f"{where}: its columns are {listed(columns)}; allowed: {allowed}; name another `config`, or take the file away"
        )
    return released


def keep_answer(
    collection: Collection, row: Row, *, query: str, response: str, is_probe: bool = False
) -> None:
    """A query and its answer as a gold sample; marked parts that the answer lacks become the rationale."""
    question, text = row.text(query), row.text(response)
    is_hallucinated = row.label("hallucination", ("yes", "no")) == "yes"
    marked = [
        part
        for part in texts(row.values.get("hallucination_spans") or [], "field 'hallucination_spans'")
        if part
    ]
    if marked and not is_hallucinated:
        raise BadRow(
            Reason.CONTRADICTION, "field 'hallucination_spans' marks parts of an answer without hallucination"
        )
    places = {part: find_span(text, part) for part in marked}
    remarks = [part for part, bounds in places.items() if bounds is None]
    spans = sorted({bounds for bounds in places.values() if bounds})
    probe = True if is_probe else None
    item = collection.item(
        "general", question=question, group=("query", question), is_shared=True, is_probe=probe
    )
    collection.sample(
        item,
        text,
        is_hallucinated=is_hallucinated,
        label_source="gold",
        generator=None if is_probe else GENERATOR,
        spans=[{"start": start, "end": end, "type": None, "p": None} for start, end in spans],
        rationale="\n".join(remarks) or None,
        is_probe=probe,
    )
    collection.counts.update(
        n_spans=len(marked), n_spans_verbatim=len(marked) - len(remarks), n_hallucinated=int(is_hallucinated)
    )


def _keep_qa(collection: Collection, row: Row, **attributes: str) -> None:
    """A QA pair; its group is the question, whichever file it stands in."""
    knowledge, question = row.text("knowledge"), row.text("question")
    sides = _sides(row, "right_answer", "hallucinated_answer")
    item = collection.item(
        "qa",
        question=question,
        right_answer=sides[0],
        document_ids=[collection.document(knowledge, licence=WIKIPEDIA, is_wikipedia=True)],
        group=("question", question),
        is_shared=True,
    )
    _keep_pair(collection, item, sides, attributes)


def _keep_dialogue(collection: Collection, row: Row, **attributes: str) -> None:
    """A dialogue pair: the last human turn is the question, what stands before it the history."""
    knowledge, turns = row.text("knowledge"), row.text("dialogue_history")
    sides = _sides(row, "right_response", "hallucinated_response")
    history, question = parted(turns, "dialogue_history")
    item = collection.item(
        "dialogue",
        history=history,
        question=question,
        right_answer=sides[0],
        document_ids=[collection.document(knowledge)],
        group=("knowledge", knowledge),
        is_shared=True,
    )
    _keep_pair(collection, item, sides, attributes)


def _keep_summary(collection: Collection, row: Row, **attributes: str) -> None:
    """A pair of summaries of one document."""
    document = row.text("document")
    sides = _sides(row, "right_summary", "hallucinated_summary")
    document_id = collection.document(document)
    item = collection.item(
        "summarization",
        right_answer=sides[0],
        document_ids=[document_id],
        group=("document", document),
        is_shared=True,
    )
    _keep_pair(collection, item, sides, attributes)


def _sides(row: Row, right: str, hallucinated: str) -> tuple[str, str]:
    """The two texts of a pair, which must differ."""
    sides = row.text(right), row.text(hallucinated)
    if sides[0] == sides[1]:
        raise BadRow(Reason.CONTRADICTION, f"fields {right!r} and {hallucinated!r} hold the same text")
    return sides


def _keep_pair(
    collection: Collection, item: dict, sides: tuple[str, str], attributes: dict[str, str]
) -> None:
    """Both sides as published samples of one pair: scheme (or stage) and side stand in the attributes."""
    pair_id = keys.content_id(item["item_id"], sorted(attributes.items()), sides[1])
    for side, text in zip(("right", "hallucinated"), sides, strict=True):
        collection.sample(
            item,
            text,
            is_hallucinated=side == "hallucinated",
            label_source="published",
            pair_id=pair_id,
            generator=GENERATOR if side == "hallucinated" else None,
            side=side,
            **attributes,
        )


def labels(tables: Tables) -> list[dict]:
    """Whether people called each general reply hallucinated; the pairs are labelled by how they were written."""
    return [
        label_row(
            Unit("ChatGPT", row["sample_id"], row["group_id"], []),
            "hallucinated",
            yes_or_no(row["is_hallucinated"]),
        )
        for row in tables.samples.filter(task="general").to_dicts()
    ]
