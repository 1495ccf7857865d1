"""Stated forms of replies: the JSON schema that a server with structured output is handed, and the plain text
that its JSON stands for.

A form says in a schema what a prompt says in words, so its plain text is what the prompt asked for, and is
read by the same reader as a reply of a model without structured output.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from truerate.core.lenient import loads

_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Form:
    """A form of replies: name, JSON schema, and `write`, which gives an object's plain text or raises
    LookupError, TypeError or ValueError for one that breaks the schema.
    """

    name: str
    schema: Mapping[str, Any]
    write: Callable[[Mapping[str, Any]], str] = field(compare=False)

    def sent(self) -> dict[str, Any]:
        """Return what a request carries as `response_format`."""
        schema = {"name": self.name, "strict": True, "schema": dict(self.schema)}
        return {"type": "json_schema", "json_schema": schema}

    def plain(self, text: str) -> str:
        """The plain text of a reply that is an object of this form; any other reply as it is."""
        fenced = _FENCE.match(text.strip())
        try:
            value = loads((fenced[1] if fenced else text).encode("utf-8", "replace"))
            return self.write(value) if isinstance(value, dict) else text
        except (LookupError, TypeError, ValueError, RecursionError):
            return text


def verdict() -> Form:
    """Yes or No: `{"verdict": "Yes"}`."""
    return Form("verdict", _object(verdict=_one_of(("Yes", "No"))), lambda value: _word(value["verdict"]))


def reasoned_verdict(cue: str) -> Form:
    """A chain of thought and then Yes or No, written as a last line `#cue#: Yes`."""
    schema = _object(reasoning={"type": "string"}, verdict=_one_of(("Yes", "No")))
    return Form(
        "reasoned_verdict", schema, lambda value: f"{value['reasoning']}\n#{cue}#: {_word(value['verdict'])}"
    )


def choice(names: Sequence[str]) -> Form:
    """One of the names: `{"choice": "Answer 2"}`."""
    return Form("choice", _object(choice=_one_of(names)), lambda value: _word(value["choice"]))


def numbered_verdicts(words: Sequence[str]) -> Form:
    """One of the words for each numbered claim, written as lines `[1] word`."""
    claim = _object(claim={"type": "integer"}, verdict=_one_of(words))
    schema = _object(verdicts={"type": "array", "items": claim})
    return Form(
        "numbered_verdicts",
        schema,
        lambda value: "\n".join(
            f"[{int(line['claim'])}] {_word(line['verdict'])}" for line in value["verdicts"]
        ),
    )


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with these keys and no other, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(words: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


def _word(value: object) -> str:
    """A word of a schema's list. Raises TypeError where it is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} in place of a word")
    return value
