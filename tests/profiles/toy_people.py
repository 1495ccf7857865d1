"""People who label the tasks of a toy build: they mostly agree, and err by chance."""

from collections.abc import Mapping
from typing import Any

from tests.profiles.answering import chance
from truerate.tracks.wildhallucinations.replies import allowed


def of_general(task: Mapping[str, Any], name: str) -> list[dict]:
    """A verdict on a response to a general query, its first sentence marked where it is hallucinated."""
    is_yes = _agreed(task["response"], name)
    spans = [{"text": task["response"].split(". ")[0], "type": "non-factual"}] if is_yes else []
    return [
        {
            "task_id": task["task_id"],
            "annotator": name,
            "hallucination": "yes" if is_yes else "no",
            "spans": spans,
        }
    ]


def _agreed(text: str, name: str) -> bool:
    """Of most texts all say the same."""
    return bool(chance(text) % 2) != (chance(text, name) % 10 == 0)


def of_facts(task: Mapping[str, Any], name: str) -> list[dict]:
    """Whether facts are supported, what kind of error stands behind a verdict, and whether an entity is one thing."""
    draw, told = chance(task["text"], task["kind"]), {"task_id": task["task_id"], "labeller": name}
    if task["kind"] == "entity":
        return [told | {"label": {"unambiguous": draw % 5 > 0, "relevant": 1, "pages": 2}}]
    if task["kind"] == "review":
        kinds = allowed(bool(task.get("retrieved")))
        return [told | {"label": kinds[draw % len(kinds)]}]
    return [told | {"label": "unsupported" if _agreed(task["text"], name) else "supported"}]


def of_spans(task: Mapping[str, Any], name: str) -> list[dict]:
    """The inserted spans, now and then one less, and how likely each is to fool a reader."""
    spans = [{key: span[key] for key in ("start", "end", "type")} for span in task["spans"]]
    kept = [span for span in spans if chance(task["text"], name, str(span["start"])) % 8]
    if task.get("rate_plausibility"):
        kept = [
            span | {"plausibility": 1 + chance(task["text"], name, str(span["start"])) % 5} for span in kept
        ]
    return [{"task_id": task["task_id"], "annotator": name, "spans": kept}]


def of_dialogues(task: Mapping[str, Any], name: str) -> list[dict]:
    """Whether a response is hallucinated, its first sentence marked; whether a judgement is accurate."""
    told, is_yes = {"task_id": task["task_id"], "annotator": name}, _agreed(task["response"], name)
    if task["kind"] == "meta":
        return [told | {"accurate": "yes" if is_yes else "no"}]
    first = {"start": 0, "end": task["response"].find(".") + 1 or len(task["response"])}
    return [told | {"hallucination": "yes" if is_yes else "no", "spans": [first] if is_yes else []}]


BY_TRACK = {
    "halueval": of_general,
    "wildhallucinations": of_facts,
    "mfava": of_spans,
    "halludial": of_dialogues,
}
