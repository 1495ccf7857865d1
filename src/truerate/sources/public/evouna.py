"""EVOUNA (Wang et al. 2023): answers of five systems to open questions, which people called right or wrong.

`EVOUNA/{NQ,TQ}.json` are JSON lists of questions with `answer_<system>`, `judge_<system>` (people) and
`improper`, the publishers' mark of a question without an answer.
"""

import json
from functools import partial

from truerate.core.schemas import pairs
from truerate.core.spans.quotes import bare, bare_answers
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_list
from truerate.sources.downloads import public_set
from truerate.sources.public.unit_labels import WRONG, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row

PARTS = {"NQ": "nq", "TQ": "tq"}
FOLDERS = ("EVOUNA/", "")
ANSWER, JUDGE = "answer_", "judge_"
SYSTEMS = {"fid": "FiD", "gpt35": "GPT-3.5", "chatgpt": "ChatGPT-3.5", "gpt4": "GPT-4", "newbing": "New Bing"}
NO_LABEL = (None, "nan")  # as the files say that there is none; the text would pass for true
SET = public_set("evouna")


@reads("evouna")
def read(collection: Collection) -> None:
    """Read each answer that people judged as a gold sample of an item of task `qa`; a wrong one is
    hallucinated.

    `part`: nq (Natural Questions) or tq (TriviaQA). `right_answer` holds the golden answers as published,
    joined by `/`, which also stands inside of some. Improper questions and answers without a label are
    rejects; an empty answer with one is kept, and counted. The same question twice is one group.
    """
    by_folder = [{f"{folder}{file}.json": part for file, part in PARTS.items()} for folder in FOLDERS]
    present = next((files for files in by_folder if collection.present(*files)), {})
    collection.refuse_none(present, "no file of EVOUNA", *by_folder[0])
    for file in collection.present(*present):
        collection.read(file, json_list, partial(_keep, collection, file, present[file]))


def _keep(collection: Collection, file: str, part: str, row: Row) -> None:
    """A question with the answers to it; one that cannot be kept costs its question no other."""
    question, golden = row.text("question"), row.optional_text("golden_answer")
    if row.truth("improper"):
        raise BadRow(Reason.IMPROPER, f"the question is marked as improper: {question}")
    # the published files ask a question twice, with other answers: only a row that says the same anew is left
    # out
    content = json.dumps(row.values, sort_keys=True, default=str)
    collection.once("the question", part, question, content, row=row)
    group = ("question", " ".join(question.casefold().split()))
    item = collection.item("qa", group=group, question=question, right_answer=golden, is_shared=True)
    for system in (key.removeprefix(JUDGE) for key in row.values if key.startswith(JUDGE)):
        with collection.part(file, row, text=f"{system}: {row.values.get(ANSWER + system)}"):
            _keep_answer(collection, item, part, system, row)


def _keep_answer(collection: Collection, item: dict, part: str, system: str, row: Row) -> None:
    verdict = row.values[JUDGE + system]
    if verdict in NO_LABEL:
        raise BadRow(Reason.UNLABELLED, f"no label of the answer of {system!r}")
    if not isinstance(verdict, bool):
        problem = f"the label of {system!r} is {str(verdict)[:40]!r}; allowed: true, false"
        raise BadRow(Reason.UNKNOWN_LABEL, problem)
    answer = row.optional_text(ANSWER + system) or ""
    about = {"generator": SYSTEMS.get(system, system), "part": part, "unit": f"{part}-{row.number}"}
    collection.sample(item, answer, is_hallucinated=not verdict, label_source="gold", **about)
    collection.counts["n_empty_answers"] += not answer.strip()


def labels(tables: Tables) -> list[dict]:
    """Return whether people called each answer right, and whether a golden answer stands in it by the set's
    own rule.
    """
    golden = dict(tables.items.select("item_id", "right_answer").iter_rows())
    rows = []
    for sample in tables.samples.to_dicts():
        attributes, wrong = attributes_of(sample), sample["is_hallucinated"]
        where = pairs(task=attributes["part"])
        unit = Unit(sample["generator"], attributes["unit"], sample["group_id"], where)
        is_held = holds_any(sample["text"], golden[sample["item_id"]])
        rows.append(label_row(unit, "right", yes_or_no(not wrong), of=WRONG, gives=float(wrong)))
        rows.append(label_row(unit, "holds golden", yes_or_no(is_held)))
    return rows


def holds_any(answer: str, golden: str | None) -> bool:
    """Return whether a golden answer stands in an answer by EVOUNA's own `lexical_match.py`: one of which
    nothing is left bare stands in every answer, unlike in the track's match of words. An empty answer holds
    none.
    """
    plain = bare(answer)
    return bool(answer.strip()) and any(text in plain for text in bare_answers(golden or ""))
