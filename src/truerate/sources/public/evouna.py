"""EVOUNA (Wang et al. 2023): answers of five systems to open questions, of which people said whether they are right.

`EVOUNA/{NQ,TQ}.json`, JSON lists of questions with `answer_<system>`, `judge_<system>` (people) and `improper`,
the publishers' mark of a question that has no answer to be held to.
"""

import json
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.quotes import bare, bare_answers
from truerate.core.schemas import pairs
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_list
from truerate.sources.public.unit_labels import WRONG, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row

PARTS = {"NQ": "nq", "TQ": "tq"}
FOLDERS = ("EVOUNA/", "")
ANSWER, JUDGE = "answer_", "judge_"
SYSTEMS = {"fid": "FiD", "gpt35": "GPT-3.5", "chatgpt": "ChatGPT-3.5", "gpt4": "GPT-4", "newbing": "New Bing"}
NO_LABEL = (None, "nan")  # as the files say that there is none; the text would pass for true
CARD = published_card("evouna")
SET = PublicSet(
    repository="wangcunxiang/QA-Eval",
    holds={"Natural Questions": ("EVOUNA/NQ.json", "NQ.json"), "TriviaQA": ("EVOUNA/TQ.json", "TQ.json")},
    labelled_by="people (whether each answer is right)",
)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each answer that people judged as a gold sample of an item of task `qa`; a wrong one is hallucinated.

    `part`: nq (Natural Questions) or tq (TriviaQA). `right_answer` holds the golden answers as published,
    joined by `/`, which also stands inside of some. Improper questions are rejects. Answers without a label
    are; an empty one with a label is kept, and counted. The same question twice is one group.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    directory = next(
        (folder for folder in FOLDERS for part in PARTS if collection.has(f"{folder}{part}.json")), None
    )
    if directory is None:
        raise SourceError(
            f"source {name!r}: no EVOUNA/NQ.json or EVOUNA/TQ.json in {str(folder)!r}; name the repository's folder"
        )
    for file, part in PARTS.items():
        if collection.has(f"{directory}{file}.json"):
            path = f"{directory}{file}.json"
            collection.read(path, json_list, partial(_keep, collection, path, part))
    return collection.tables()


def _keep(collection: Collection, file: str, part: str, row: Row) -> None:
    """A question with the answers to it; one that cannot be kept costs its question no other."""
    question, golden = row.text("question"), row.optional_text("golden_answer")
    if not isinstance(row.get("improper"), bool):
        raise BadRow(Reason.WRONG_TYPE, "field 'improper' must be true or false")
    if row.values["improper"]:
        raise BadRow(Reason.IMPROPER, f"the question is marked as improper: {question}")
    # the published files ask a question twice, with other answers: only a row that says the same anew is left out
    collection.once(
        "the question", part, question, json.dumps(row.values, sort_keys=True, default=str), row=row
    )
    item = collection.item(
        "qa",
        group=("question", " ".join(question.casefold().split())),
        question=question,
        right_answer=golden,
        is_shared=True,
    )
    for system in (key.removeprefix(JUDGE) for key in row.values if key.startswith(JUDGE)):
        with collection.part(file, row, text=f"{system}: {row.values.get(ANSWER + system)}"):
            _keep_answer(collection, item, part, system, row)


def _keep_answer(collection: Collection, item: dict, part: str, system: str, row: Row) -> None:
    verdict = row.values[JUDGE + system]
    if verdict in NO_LABEL:
        raise BadRow(Reason.UNLABELLED, f"no label of the answer of {system!r}")
    if not isinstance(verdict, bool):
        raise BadRow(
            Reason.UNKNOWN_LABEL, f"the label of {system!r} is {str(verdict)[:40]!r}; allowed: true, false"
        )
    answer = row.optional_text(ANSWER + system) or ""
    collection.sample(
        item,
        answer,
        is_hallucinated=not verdict,
        label_source="gold",
        generator=SYSTEMS.get(system, system),
        part=part,
        unit=f"{part}-{row.number}",
    )
    collection.counts["n_empty_answers"] += not answer.strip()


def labels(tables: Tables) -> list[dict]:
    """Whether people called each answer right, and whether a golden answer stands in it by the set's own rule."""
    golden = dict(tables.items.select("item_id", "right_answer").iter_rows())
    rows = []
    for sample in tables.samples.to_dicts():
        attributes = attributes_of(sample)
        unit = Unit(
            sample["generator"], attributes["unit"], sample["group_id"], pairs(task=attributes["part"])
        )
        wrong = sample["is_hallucinated"]
        rows.append(label_row(unit, "right", yes_or_no(not wrong), of=WRONG, gives=float(wrong)))
        rows.append(
            label_row(unit, "holds golden", yes_or_no(holds_any(sample["text"], golden[sample["item_id"]])))
        )
    return rows


def holds_any(answer: str, golden: str | None) -> bool:
    """Whether a golden answer stands in an answer as EVOUNA's own `lexical_match.py` tells: one of which nothing is left
    bare stands in every answer, unlike in the track's match of words. An empty answer holds none.
    """
    bare_answer_text = bare(answer)
    return bool(answer.strip()) and any(
        bare_answer in bare_answer_text for bare_answer in bare_answers(golden or "")
    )
