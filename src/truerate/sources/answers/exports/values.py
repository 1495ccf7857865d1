"""What values mean in files that other tools write: texts, passages, labels and scores."""

import ast
import json
import math
import re
from typing import Any

from truerate.sources.answers.reading import says_by_itself

_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
LONGEST = 1_000_000  # characters of a cell that is taken apart as a list
PARTIAL = ("p", "partial")  # the third grade of Inspect, half of a right answer
GOOD = {"c": 1.0, "i": 0.0} | dict.fromkeys(PARTIAL, 0.5)  # as Inspect's value_to_float has them
NUMBERS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


def text_of(value: Any) -> str:
    """The text of an answer or a question as tools nest it: a text, a message with its content, parts of a
    content (thoughts left out), the last message of a list; "" for none, other values as JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in ("content", "text", "output", "message", "messages", "choices", "answer", "response"):
            if value.get(name) is not None:
                return text_of(value[name])
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        if any("role" in part or "message" in part for part in value):
            return text_of(value[-1])
        if all("text" in part or "type" in part for part in value):
            return "".join(text_of(part.get("text")) for part in value if part.get("type", "text") == "text")
    if isinstance(value, list) and len(value) == 1:
        return text_of(value[0])
    return json.dumps(value, ensure_ascii=False, default=str) if value not in ([], {}) else ""


def message_of(value: Any, *roles: str) -> str:
    """The last message of one of the roles in a list of messages or an object that holds one; else the text."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if isinstance(messages, list):
        by_role = [m for m in messages if isinstance(m, dict) and (m.get("role") or m.get("type")) in roles]
        if by_role:
            return text_of(by_role[-1].get("content"))
    return text_of(value)


def decoded(value: Any) -> Any:
    """A text that is an object or a list, as JSON or as Python writes it, as what it holds; any other value as
    it is.
    """
    if isinstance(value, str) and value[:1] in ("[", "{") and len(value) <= LONGEST:
        for read in (json.loads, ast.literal_eval):
            try:
                return read(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
    return value


def passages_of(value: Any) -> list[str] | None:
    """The passages of a reference: of a text, a list of texts or of objects with one, or a list that was
    written as JSON or as Python writes it (with commas or, as numpy does, without). None for none.
    """
    if (
        isinstance(value, str)
        and value.strip()[:1] == "["
        and value.strip()[-1:] == "]"
        and len(value) <= LONGEST
    ):
        value = _written_list(value.strip())
    parts = value if isinstance(value, list) else [value]
    texts = [
        next((part[n] for n in ("page_content", "content", "text", "body") if n in part), None)
        if isinstance(part, dict)
        else part
        for part in parts
    ]
    return [text if isinstance(text, str) else str(text) for text in texts if text not in (None, "")] or None


def _written_list(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    rest = _LITERAL.sub("", text[1:-1])
    if re.fullmatch(r"(?:[\s,]|None)*", rest):
        try:
            return [ast.literal_eval(literal.replace("\n", "\\n")) for literal in _LITERAL.findall(text)]
        except (ValueError, SyntaxError):
            return text
    return text


def score_of(value: Any) -> tuple[float | None, str]:
    """A score as number, and its direction as the value itself states it: `good` (1: right, faithful), `bad`
    (1: hallucinated), or "" where it is a number, true or false. None for nothing that is a score.
    """
    if isinstance(value, bool | int | float):
        return (float(value) if math.isfinite(value) else None), ""
    if isinstance(value, list) and len(value) == 1:
        return score_of(value[0])
    if not isinstance(value, str):
        return None, ""
    if (is_bad := says_by_itself(value)) is not None:
        return float(is_bad), "bad"
    word = value.strip().lower()
    for words, direction in ((GOOD, "good"), (NUMBERS, "")):
        if word in words:
            return words[word], direction
    try:
        number = float(word)
    except ValueError:
        return None, ""
    return (number if math.isfinite(number) else None), ""


def is_partial(value: Any) -> bool:
    """Return whether a grade says that an answer is neither right nor wrong, but half of it."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return isinstance(value, str) and value.strip().lower() in PARTIAL
