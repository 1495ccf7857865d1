"""HalluDial (Luo et al. 2024): responses in dialogues on given knowledge, each with a verdict, a reason and
the place.

Files and fields are as the README of its repository documents them: `<scenario>/<scenario>_train.json` and
`_test.json`, JSON lists (also JSON Lines and Parquet), with `dialogue_id`, `knowledge`, `dialogue_history`,
`turn`, `response` and `target`: Yes (hallucinated) or No, then the rationale. The spans of a hallucinated
response are the strings that the rationale quotes of it (`core.spans.quotes`). Assumed, not documented: a
dialogue of one number and one opening turn is the same in both scenarios, and so on one side of the split.
"""

import re
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.spans.quotes import located
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, json_rows, parquet_rows
from truerate.sources.downloads import matching
from truerate.sources.raw.dialogue import PERSON, Openings, parted
from truerate.sources.rows import BadRow, Reason, Row, span

SCENARIOS = ("spontaneous", "induced")
SPLITS = ("train", "test")
# the verdict: a word that ends there or stands before another sentence; neither a part of one ("No mention
# …") nor one of two ("Yes and no")
_TARGET = re.compile(
    r"[\s*]*(yes|no)(?![\w'’/|\\-])(?!\s*,?\s*(?:(?:and|or|but)\s+)?(?:yes|no)\b)"
    r"(?=\W*\Z|\s*[^\w\s]|\s+(?:(?-i:[A-Z])|(?:it|the|this|that|there|because|since|as)\b|hallucinat))"
    r"[\s.,:;!*]*",
    re.IGNORECASE,
)


@reads("halludial", parts=SCENARIOS)
def read(collection: Collection, part: str | None = None) -> None:
    """Read each response as a published sample of an item of task `dialogue`; attributes `scenario` and
    `published_split` (by the file's path), `dialogue`, `turn`. `part` names the one scenario to read, else
    both are.
    """
    name, folder = collection.name, collection.folder
    files = [file for file in _files(folder) if part is None or _word_in(file, SCENARIOS) == part]
    if not files and part is None and list(folder.glob("*.py")):
        advice = "name a folder that holds the files which the script would fetch"
        problem = f"{str(folder)!r} holds a script and no data: {advice}"
        raise SourceError(f"source {name!r}: {problem} (spontaneous/spontaneous_train.json, …)")
    of_part = f" of part {part!r}" if part else ""
    collection.refuse_none(files, f"none of HalluDial's files{of_part}", "spontaneous_train.json", "…")
    openings = Openings()
    for file in files:
        attributes = {"scenario": _word_in(file, SCENARIOS), "published_split": _word_in(file, SPLITS)}
        cut = parquet_rows if file.endswith(SUFFIX) else json_rows
        collection.read(file, cut, partial(_keep, collection, openings, attributes))
    if openings.n_shared:
        collection.counts["n_dialogues_of_one_number"] = openings.n_shared


def _files(folder: Path) -> list[str]:
    """The data files at any depth; those that name a scenario, where there are such."""
    files = matching(folder, *(f"**/*{suffix}" for suffix in (SUFFIX, ".json", ".jsonl")))
    files = [file for file in files if Path(file).name != "source.json"]
    return [file for file in files if _word_in(file, SCENARIOS)] or files


def _word_in(file: str, allowed: tuple[str, ...]) -> str | None:
    """The word of these that a path holds; the last, where several do."""
    return next((word for word in reversed(re.split(r"[/_.\-]", file)) if word in allowed), None)


def _keep(collection: Collection, openings: Openings, attributes: dict, row: Row) -> None:
    knowledge, response = row.text("knowledge"), row.text("response")
    number, turn = row.integer("dialogue_id"), row.integer("turn")
    if turn < 0:
        raise BadRow(Reason.OUT_OF_RANGE, f"field 'turn' is {turn}: turns are numbered from 0")
    history, question = parted(row.text("dialogue_history"), "dialogue_history")
    target = row.text("target")
    verdict = _TARGET.match(target)
    if verdict is None:
        raise BadRow(Reason.UNKNOWN_LABEL, f"field 'target' begins with {target[:20]!r}: neither Yes nor No")
    dialogue = openings.name(number, history.partition("\n")[0] or f"[{PERSON}]: {question}")
    item = collection.item(
        "dialogue",
        group=("dialogue", dialogue),
        history=history,
        question=question,
        document_ids=[collection.document(knowledge)],
        dialogue=dialogue,
        turn=turn,
        is_shared=True,
    )
    is_hallucinated, rationale = verdict[1].lower() == "yes", target[verdict.end() :].strip() or None
    spans = _spans(collection, rationale, response, knowledge) if is_hallucinated else []
    about = {"label_source": "published", "rationale": rationale, "spans": spans, **attributes}
    collection.sample(item, response, is_hallucinated=is_hallucinated, **about)
    collection.counts[f"n_{attributes['scenario'] or 'unnamed'}"] += 1


def _spans(collection: Collection, rationale: str | None, response: str, knowledge: str) -> list[dict]:
    """The segments of a response that the reason for its label quotes, which are counted."""
    quotes = located(rationale or "", response, knowledge=knowledge)
    collection.counts["n_located" if quotes.segments else "n_without_place"] += 1
    if quotes.n_not_located:
        collection.counts["n_quotations_not_located"] += quotes.n_not_located
    return [span(start, end) for start, end in quotes.segments]
