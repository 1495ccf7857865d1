"""Requests and replies of the protocols that endpoints speak (`apis.yaml`), from and to OpenAI's, in which all is
judged and stored.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson

from truerate.core.data_files import read_data
from truerate.core.lenient import loads

SYSTEM = "system"


class Api:
    """One protocol."""

    def __init__(self, spec: Mapping[str, Any]):
        self.spec = spec
        self.is_translated = "request" in spec

    @classmethod
    @cache
    def of(cls, name: str) -> "Api":
        """The protocol of this name."""
        return cls(read_data(Path(__file__).with_name("apis.yaml"), dict)[name])

    def headers(self, key: str) -> dict[str, str]:
        """The headers that hold the key, where it is not a bearer's."""
        headers: dict[str, str] = filled(self.spec.get("headers", {}), key=key)
        return headers

    def path(self, model: str) -> str:
        """Where a request to a model goes."""
        path: str = filled(self.spec["path"], model=quote(model, safe="/"))
        return path

    def body(self, body: bytes) -> bytes:
        """A request of ours as this protocol has it."""
        if not self.is_translated:
            return body
        asked = loads(body)
        assert isinstance(asked, dict)  # ours
        return orjson.dumps(self._request(asked))

    def _request(self, asked: dict[str, Any]) -> dict[str, Any]:
        spec = self.spec["request"]
        messages = asked.pop("messages")
        system = "\n\n".join(message["content"] for message in messages if message["role"] == SYSTEM)
        form, of_system = spec["messages"], spec["system"]
        turns = [message for message in messages if message["role"] != SYSTEM]
        request: dict[str, Any] = {
            form["field"]: [
                {
                    "role": form["roles"].get(turn["role"], turn["role"]),
                    **_texts(form["texts"], turn["content"]),
                }
                for turn in turns
            ]
        }
        if system:
            name = of_system["texts"]
            request[of_system["field"]] = _texts(name, system) if name else system
        settings = request if spec["settings"] is None else request.setdefault(spec["settings"], {})
        names = spec["names"]
        for name, value in asked.items():
            if name in spec["left_out"] or value is None:
                continue
            if name in spec["lists"] and not isinstance(value, list):
                value = [value]
            # what has no name here is an extra of the protocol itself, at its own level
            target, name = (settings, names[name]) if name in names else (request, name)
            before = target.get(name)
            is_merged = isinstance(before, dict) and isinstance(value, dict)
            target[name] = before | value if is_merged else value
        return request

    def reply(self, body: bytes) -> bytes:
        """A reply of this protocol as OpenAI's; what is none stays as it is."""
        if not self.is_translated:
            return body
        try:
            value = loads(body)
            return orjson.dumps(self.completion(value))
        except (ValueError, TypeError, RecursionError):
            return body

    def completion(self, value: object) -> object:
        """The JSON of a reply as OpenAI's; what is none stays as it is."""
        if not self.is_translated or not isinstance(value, dict) or value.get("error"):
            return value
        spec = self.spec["reply"]
        parts, finish = at(value, spec["parts"]), at(value, spec["finish"])
        usage = {
            "prompt_tokens": _total(value, spec["prompt"]),
            "completion_tokens": _total(value, spec["completion"]),
            "prompt_tokens_details": {"cached_tokens": _total(value, spec["cached"])},
        }
        completion: dict[str, Any] = {"model": at(value, spec["model"]), "usage": usage, "choices": []}
        if blocked := at(value, spec["blocked"]):
            return completion | {"prompt_filter_results": [{"filtered": True, "reason": blocked}]}
        if parts is None and finish is None:
            return value
        texts: list[str] = []
        thoughts: list[str] = []
        for part in parts if isinstance(parts, list) else []:
            mark = part.get(spec["thought"]) if isinstance(part, dict) else None
            if isinstance(mark, str):
                thoughts.append(mark)
            elif isinstance(part, dict) and isinstance(text := part.get("text"), str):
                (thoughts if mark else texts).append(text)
        message = {"role": "assistant", "content": "".join(texts)}
        if thoughts:
            message["reasoning_content"] = "".join(thoughts)
        return completion | {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def _texts(name: str, text: str) -> dict[str, Any]:
    """A text under its field: in parts, or as it is."""
    return {name: [{"text": text}] if name == "parts" else text}


def _total(value: object, paths: list[str]) -> int | None:
    """The sum of counts, None where there is none."""
    counts = [
        count for path in paths if isinstance(count := at(value, path), int) and not isinstance(count, bool)
    ]
    return sum(counts) if counts else None


def at(value: object, path: str | None) -> Any:
    """The value at a path with dots (numbers count in lists), None where there is nothing."""
    for name in path.split(".") if path else ():
        if isinstance(value, list):
            value = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value if path else None


def filled(template: Any, **values: Any) -> Any:
    """A template with its `$name`s filled in; one that stands alone takes a value of any kind."""
    if isinstance(template, dict):
        return {name: filled(inner, **values) for name, inner in template.items()}
    if not isinstance(template, str):
        return template
    for name, value in values.items():
        if template == f"${name}":
            return value
        if f"${name}" in template:
            template = template.replace(f"${name}", str(value))
    return template
