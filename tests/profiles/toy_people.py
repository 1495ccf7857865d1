"""People who label the tasks of a toy build: they mostly agree, and err by chance."""

from collections.abc import Mapping
from typing import Any

from tests.profiles.answering import chance


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


BY_TRACK = {"halueval": of_general}
