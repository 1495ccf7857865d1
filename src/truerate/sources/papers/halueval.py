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
from truerate.core.schemas import pairs
from truerate.core.text import clean, find_span
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, columns_of, json_lines, json_list, parquet_rows
from truerate.sources.downloads import matching, public_set
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
    """Return what keeps the rows of a file, by its name at the top of the folder."""
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
    """Return whether people called each general reply hallucinated; pairs have no label of people."""
    rows = tables.samples.filter(task="general").to_dicts()
    units = (Unit("ChatGPT", row["sample_id"], row["group_id"], []) for row in rows)
    labels = (yes_or_no(row["is_hallucinated"]) for row in rows)
    return [label_row(unit, "hallucinated", label) for unit, label in zip(units, labels, strict=True)]


# ---- HaluEval 2.0 (Li et al. 2024): facts labelled by people and judged by ChatGPT --------------------------
PEOPLE, MODEL = "annotation/human_annotation", "annotation/model_prediction"
JUDGE = "chatgpt"
DECIDED = f"{JUDGE}, unknown as false"  # the same judge, whose undecided verdicts count against the fact
TRUTHS = {"true": True, "false": False}
UNKNOWN = "unknown"
SET_2 = public_set("halueval2")

Verdicts = dict[tuple[str, str], Row]  # the judge's row of a reply, by domain and id


@reads("halueval2")
def read_halueval2(collection: Collection) -> None:
    """Read replies as samples of task `entity`, their facts as samples of task `fact`, hallucinated where
    people call them false, and the judge's verdicts as judgements.

    Replies without people's labels are rejects (`unlabelled`). The judge stands twice: with `unknown` as
    null, and as false. A reply without the judge's row keeps people's labels.
    """
    files, verdicts = matching(collection.folder, f"{PEOPLE}/*.json"), Verdicts()
    collection.refuse_none(files, "none of HaluEval 2.0's files", f"{PEOPLE}/*.json")
    for file in matching(collection.folder, f"{MODEL}/*.json"):
        collection.read(file, json_list, partial(_book_judged, collection, verdicts, Path(file).stem))
    for file in files:
        collection.read(file, json_list, partial(_keep_reply, collection, verdicts, Path(file).stem))


def _book_judged(collection: Collection, verdicts: Verdicts, domain: str, row: Row) -> None:
    """Note the judge's row of a reply; its lists must fit."""
    identity = clean(str(row.get("id")))
    _words(row, "chatgpt_judge", row.texts("chatgpt_fact"), (*TRUTHS, UNKNOWN))
    collection.once("the judge's reply", domain, identity, row=row)
    verdicts[domain, identity] = row


def _keep_reply(collection: Collection, verdicts: Verdicts, domain: str, row: Row) -> None:
    identity, query, reply = clean(str(row.get("id"))), row.text("user_query"), row.text("chatgpt_response")
    facts = row.texts("chatgpt_fact")
    if facts and not row.items("human_judge"):
        raise BadRow(Reason.UNLABELLED, "field 'human_judge' is empty: people did not label this reply")
    truths = [TRUTHS[word] for word in _words(row, "human_judge", facts, tuple(TRUTHS))]
    judged = verdicts.get((domain, identity))
    if judged is not None and judged.texts("chatgpt_fact") != facts:
        raise BadRow(Reason.CONFLICT, f"the facts of reply {identity[:40]!r} are others in {MODEL}")
    collection.once("the reply", domain, identity, row=row)
    about = {"group": ("query", query), "domain": domain, "id": identity}
    item = collection.item("entity", question=query, is_shared=True, **about)
    pairs_of_all = zip(facts, truths, strict=True)
    labelled = [(fact, not is_true, {"label": str(is_true).lower()}) for fact, is_true in pairs_of_all]
    samples = collection.reply(item, reply, labelled, generator=JUDGE)
    if judged is not None:
        words = _words(judged, "chatgpt_judge", facts, (*TRUTHS, UNKNOWN))
        for sample, word, is_true in zip(samples, words, truths, strict=True):
            _judge(collection, sample["sample_id"], word, is_true=is_true)


def _judge(collection: Collection, target_id: str, word: str, *, is_true: bool) -> None:
    """What the judge says of a fact, as it is and with `unknown` as false; counted beside people's label."""
    is_false = None if word == UNKNOWN else not TRUTHS[word]
    for judge, verdict in ((JUDGE, is_false), (DECIDED, is_false is not False)):
        reason = UNKNOWN if verdict is None else None
        collection.judgement(target_id, judge, verdict, reason=reason, attributes=pairs(word=word))
    collection.counts[f"n_people_{str(is_true).lower()}_judge_{word}"] += 1


def _words(row: Row, field: str, facts: list[str], allowed: tuple[str, ...]) -> list[str]:
    """The first word of each verdict, one a fact: `false, [corrected fact]: …` is `false`."""
    verdicts = (clean(str(value)).strip().lower() for value in row.items(field))
    words = [verdict.partition(",")[0].partition(" ")[0] for verdict in verdicts]
    if len(facts) != len(words):
        raise BadRow(Reason.CONTRADICTION, f"field {field!r} has {len(words)} entries for {len(facts)} facts")
    for word in words:
        if word not in allowed:
            problem = f"field {field!r} holds {word[:40]!r}; allowed: {', '.join(allowed)}"
            raise BadRow(Reason.UNKNOWN_LABEL, problem)
    return words
