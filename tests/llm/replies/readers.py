"""The reader of each corpus, as a function of a row: the value it gives, and its reason where it gives none."""

from collections.abc import Callable
from typing import Any

from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.choices import choice
from truerate.llm.replies.located import located_verdict
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.texts.candidates import written
from truerate.llm.replies.texts.induced import induced_reply
from truerate.llm.replies.texts.refinements import refined
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.replies.texts.responses import one_response
from truerate.llm.replies.texts.restating import restates
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


def located(row: Row) -> Parsed:
    """The verdict, the segments in words, and how many quotations stand nowhere."""
    told = row["context"]
    cue = told.get("cue", "Annotation")
    found = located_verdict(row["text"], told["response"], cue, knowledge=told["knowledge"])
    if found.value is None:
        return Parsed(None, found.reason, found.cuts)
    segments = [told["response"][start:end] for start, end in found.segments]
    value = {"verdict": found.value, "segments": segments, "missed": found.n_not_located}
    return Parsed(value, None, found.cuts)


def response(row: Row) -> Parsed:
    return one_response(row["text"], row["context"]["cue"])


def induced(row: Row) -> Parsed:
    """The text, the segments as they are named, the rationale, and how many segments stand nowhere in the text."""
    found = induced_reply(row["text"], row["context"]["cue"])
    if found.value is None:
        return Parsed(None, found.reason, found.cuts)
    value = {"text": found.text, "segments": list(found.segments_quoted), "rationale": found.rationale}
    return Parsed(value | {"missed": found.n_not_located}, None, found.cuts)


def accuracy(row: Row) -> Parsed:
    return accurate(row["text"], "Evaluation Is")


READERS: dict[str, Callable[[Row], Parsed]] = {
    "verdicts": verdict,
    "chains": verdict,
    "choices": chosen,
    "candidates": candidate,
    "refinements": refinement,
    "refusals": refusal,
    "located": located,
    "responses": response,
    "induced": induced,
    "accuracies": accuracy,
}
