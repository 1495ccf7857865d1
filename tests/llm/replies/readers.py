"""The reader of each corpus, as a function of a row: the value it gives, and its reason where it gives none."""

from collections.abc import Callable
from typing import Any

from truerate.llm.replies.candidates import refined, written
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.refusals import is_refusal
from truerate.llm.replies.restating import restates
from truerate.llm.replies.verdicts import yes_no

CUE = "Your Judgement"
NOUNS = {"qa": "Answer", "dialogue": "Response", "summarization": "Summary"}
Row = dict[str, Any]


def verdict(row: Row) -> Parsed:
    return yes_no(row["text"], CUE, asks="hallucination")


def chosen(row: Row) -> Parsed:
    told = row["context"]
    return choice(row["text"], told["names"], told["cue"], asks=told["asks"])


def candidate(row: Row) -> Parsed:
    told = row["context"]
    found = written(row["text"], NOUNS[told["task"]], needs_heading=told.get("mode") == "model")
    if found.value is not None and restates(found.value, told["right"], told["question"]):
        return Parsed(None, "right-restated", found.cuts)
    return found


def refinement(row: Row) -> Parsed:
    return refined(row["text"], NOUNS[row["context"]["task"]], row["context"]["original"])


def refusal(row: Row) -> Parsed:
    return Parsed(is_refusal(row["text"]) or None)


READERS: dict[str, Callable[[Row], Parsed]] = {
    "verdicts": verdict,
    "chains": verdict,
    "choices": chosen,
    "candidates": candidate,
    "refinements": refinement,
    "refusals": refusal,
}
