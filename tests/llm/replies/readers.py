"""The reader of each corpus, as a function of a row: the value it gives, and its reason where it gives none."""

from collections.abc import Callable
from typing import Any

from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.choices import choice
from truerate.llm.replies.located import located_verdict
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.texts.candidates import refined, restates, written
from truerate.llm.replies.texts.induced import induced_reply
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.replies.texts.responses import one_response
from truerate.llm.replies.verdicts import yes_no

CUE = "Your Judgement"
NOUNS = {"qa": "Answer", "dialogue": "Response", "summarization": "Summary"}
Row = dict[str, Any]


def verdict(row: Row) -> Parsed:
    return yes_no(row["text"], CUE, asks="hallucination")


def chosen(row: Row) -> Parsed:
    context = row["context"]
    return choice(row["text"], context["names"], context["cue"], asks=context["asks"])


def candidate(row: Row) -> Parsed:
    context = row["context"]
    parsed = written(row["text"], NOUNS[context["task"]], needs_heading=context.get("mode") == "model")
    if parsed.value is not None and restates(parsed.value, context["right"], context["question"]):
        return Parsed(None, "right-restated", parsed.cuts)
    return parsed


def refinement(row: Row) -> Parsed:
    return refined(row["text"], NOUNS[row["context"]["task"]], row["context"]["original"])


def refusal(row: Row) -> Parsed:
    return Parsed(is_refusal(row["text"]) or None)


def located(row: Row) -> Parsed:
    """The verdict, the segments in words, and how many quotations stand nowhere."""
    context = row["context"]
    cue = context.get("cue", "Annotation")
    parsed = located_verdict(row["text"], context["response"], cue, knowledge=context["knowledge"])
    if parsed.value is None:
        return Parsed(None, parsed.reason, parsed.cuts)
    segments = [context["response"][start:end] for start, end in parsed.segments]
    value = {"verdict": parsed.value, "segments": segments, "missed": parsed.n_not_located}
    return Parsed(value, None, parsed.cuts)


def response(row: Row) -> Parsed:
    return one_response(row["text"], row["context"]["cue"])


def induced(row: Row) -> Parsed:
    """The text, the segments as they are named, the rationale, and how many segments stand nowhere in the text."""
    parsed = induced_reply(row["text"], row["context"]["cue"])
    if parsed.value is None:
        return Parsed(None, parsed.reason, parsed.cuts)
    value = {"text": parsed.text, "segments": list(parsed.segments_quoted), "rationale": parsed.rationale}
    return Parsed(value | {"missed": parsed.n_not_located}, None, parsed.cuts)


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
