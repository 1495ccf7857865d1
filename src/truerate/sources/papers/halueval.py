"""HaluEval's published files (Li et al. 2023): labelled answers to general queries, pairs of right and
hallucinated texts.

A folder may hold the general part, the files of unfiltered candidates, and the three released data sets, at
the top or where a clone has them; else its Parquet files are read, as the Hub has them, known by their
columns.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from truerate.core import keys
from truerate.core.errors import SourceError, listed
from truerate.core.text import find_span
from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, columns_of, json_lines, parquet_rows
from truerate.sources.public.unit_labels import Tables, Unit, label_row, yes_or_no
from truerate.sources.raw.dialogue import parted
from truerate.sources.rows import BadRow, Reason, Row, span, texts

GENERATOR = "chatgpt"
GENERAL_FILES = ("general.jsonl", "general_data.json")
SCHEMES = {"one": "one-pass", "multi": "conversational"}
CANDIDATE_FILES = {f"qa_candidates_{turns}_turn.jsonl": scheme for turns, scheme in SCHEMES.items()}
IN_CLONE = "data"  # the folder of a clone that holds the released files
CANDIDATES = "generation/{task}/*{turns}-turn_data.json"  # of a clone
RELEASED = ("qa_data.json", "dialogue_data.json", "summarization_data.json")
COLUMNS = {  # of a released file, by which a Parquet file is known
    GENERAL_FILES[1]: ("user_query", "chatgpt_response", "hallucination"),
    RELEASED[0]: ("knowledge", "question", "right_answer", "hallucinated_answer"),
    RELEASED[1]: ("knowledge", "dialogue_history", "right_response", "hallucinated_response"),
    RELEASED[2]: ("document", "right_summary", "hallucinated_summary"),
}
SET = public_set("halueval")
GENERAL_ALONE = (
    "The general replies alone: the folder held data/general_data.json and no file of pairs. Where such "
    "files are there, whole or in part, their tasks and ways of asking have scores of their own beside these."
)
WIKIPEDIA = "CC BY-SA 4.0"
Keep = Callable[[Row], None]


@reads("halueval")
def read(collection: Collection) -> None:
    """Read every published file that the folder holds (the general part under one of its names), else every
    Parquet file.

    Raises TruerateError where there is neither, and for a Parquet file of other columns.
    """
    keepers = _keepers(collection)
    present = _present(collection, keepers)
    parquet = [] if present else matching(collection.folder, f"**/*{SUFFIX}")
    collection.refuse_none(present or parquet, "none of HaluEval's files", *keepers)
    if present and all(Path(file).name in GENERAL_FILES for file in present):
        collection.card.setdefault("caveats", [GENERAL_ALONE])
    for file, keep in present.items():
        collection.read(file, json_lines, keep)
    for file in parquet:
        collection.read(file, parquet_rows, keepers[_released_file(collection, file)])


def _keepers(collection: Collection) -> dict[str, Keep]:
    """What keeps the rows of a file, by its name at the top of the folder."""
    keep_general: Keep = partial(keep_answer, collection, "user_query", "chatgpt_response")
    keepers = dict.fromkeys(GENERAL_FILES, keep_general)
    for file, scheme in CANDIDATE_FILES.items():
        keepers[file] = partial(_keep_qa, collection, {"scheme": scheme})
    for file, keep in zip(RELEASED, (_keep_qa, _keep_dialogue, _keep_summary), strict=True):
        keepers[file] = partial(keep, collection, {"stage": "filtered"})
    return keepers


def _present(collection: Collection, keepers: dict[str, Keep]) -> dict[str, Keep]:
    """The files that are there, at the top or in a clone's folder, each with what keeps its rows."""
    present: dict[str, Keep] = {}
    for file, keep in keepers.items():
        paths = collection.present(file, f"{IN_CLONE}/{file}")
        if paths and not (file == GENERAL_FILES[1] and GENERAL_FILES[0] in present):
            present[paths[0]] = keep
    by_task = {"qa": _keep_qa, "dialogue": _keep_dialogue, "summarization": _keep_summary}
    for task, keep_pair in by_task.items():
        for turns, scheme in SCHEMES.items():
            for file in matching(collection.folder, CANDIDATES.format(task=task, turns=turns)):
                present[file] = partial(keep_pair, collection, {"scheme": scheme})
    return present


def _released_file(collection: Collection, file: str) -> str:
    """The released file whose rows a Parquet file holds, by its columns."""
    where = f"source {collection.name!r}: {file}"
    try:
        columns = columns_of(collection.folder / file)
    except BadRow as bad:
        raise SourceError(f"{where}: {bad.detail}; put a sound file there") from None
    released = next((name for name, needed in COLUMNS.items() if set(needed) <= set(columns)), None)
    if released is None:
        allowed = "; or ".join(", ".join(needed) for needed in COLUMNS.values())
        advice = "name another `config`, or take the file away"
        raise SourceError(f"{where}: its columns are {listed(columns)}; allowed: {allowed}; {advice}")
    return released


def keep_answer(
    collection: Collection, query: str, response: str, row: Row, *, is_probe: bool = False
) -> None:
    """Keep a query and its answer as a gold sample; marked parts that the answer lacks are its rationale."""
    question, text = row.text(query), row.text(response)
    is_hallucinated = row.label("hallucination", ("yes", "no")) == "yes"
    marks = texts(row.values.get("hallucination_spans") or [], "field 'hallucination_spans'")
    marked = [part for part in marks if part]
    if marked and not is_hallucinated:
        problem = "field 'hallucination_spans' marks parts of an answer without hallucination"
        raise BadRow(Reason.CONTRADICTION, problem)
    places = {part: find_span(text, part) for part in marked}
    remarks = [part for part, bounds in places.items() if bounds is None]
    probe = True if is_probe else None
    about = {"group": ("query", question), "is_shared": True, "is_probe": probe}
    item = collection.item("general", question=question, **about)
    collection.sample(
        item,
        text,
        is_hallucinated=is_hallucinated,
        label_source="gold",
        generator=None if is_probe else GENERATOR,
        spans=[span(*bounds) for bounds in sorted({bounds for bounds in places.values() if bounds})],
        rationale="\n".join(remarks) or None,
        is_probe=probe,
    )
    counts = {"n_spans": len(marked), "n_spans_verbatim": len(marked) - len(remarks)}
    collection.counts.update(counts, n_hallucinated=int(is_hallucinated))


def _keep_qa(collection: Collection, attributes: dict[str, str], row: Row) -> None:
    """A QA pair; its group is the question, whichever file it stands in."""
    knowledge, question = row.text("knowledge"), row.text("question")
    about = {"question": question, "group": ("question", question)}
    document = {"text": knowledge, "licence": WIKIPEDIA, "is_wikipedia": True}
    _keep_pair(collection, "qa", row, ("right_answer", "hallucinated_answer"), document, about, attributes)


def _keep_dialogue(collection: Collection, attributes: dict[str, str], row: Row) -> None:
    """A dialogue pair: the last human turn is the question, what stands before it the history."""
    knowledge, turns = row.text("knowledge"), row.text("dialogue_history")
    history, question = parted(turns, "dialogue_history")
    about = {"history": history, "question": question, "group": ("knowledge", knowledge)}
    fields = ("right_response", "hallucinated_response")
    _keep_pair(collection, "dialogue", row, fields, {"text": knowledge}, about, attributes)


def _keep_summary(collection: Collection, attributes: dict[str, str], row: Row) -> None:
    """A pair of summaries of one document."""
    document = row.text("document")
    fields, about = ("right_summary", "hallucinated_summary"), {"group": ("document", document)}
    _keep_pair(collection, "summarization", row, fields, {"text": document}, about, attributes)


def _keep_pair(
    collection: Collection,
    task: str,
    row: Row,
    fields: tuple[str, str],
    document: dict,
    about: dict,
    attributes: dict[str, str],
) -> None:
    """Keep the right and the hallucinated text, which must differ, as published samples of one pair."""
    right, hallucinated = map(row.text, fields)
    if right == hallucinated:
        raise BadRow(Reason.CONTRADICTION, f"fields {fields[0]!r} and {fields[1]!r} hold the same text")
    documents = [collection.document(**document)]
    item = collection.item(task, right_answer=right, document_ids=documents, is_shared=True, **about)
    pair_id = keys.content_id(item["item_id"], sorted(attributes.items()), hallucinated)
    more = {"label_source": "published", "pair_id": pair_id, **attributes}
    collection.sample(item, right, is_hallucinated=False, side="right", **more)
    wrong = {"is_hallucinated": True, "side": "hallucinated", "generator": GENERATOR}
    collection.sample(item, hallucinated, **wrong, **more)


def labels(tables: Tables) -> list[dict]:
    """Whether people called each general reply hallucinated; pairs have no label of people."""
    rows = tables.samples.filter(task="general").to_dicts()
    units = (Unit("ChatGPT", row["sample_id"], row["group_id"], []) for row in rows)
    labels = (yes_or_no(row["is_hallucinated"]) for row in rows)
    return [label_row(unit, "hallucinated", label) for unit, label in zip(units, labels, strict=True)]
