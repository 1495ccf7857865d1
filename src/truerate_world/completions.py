"""Chat Completions bodies: what a request may hold, and how a reply is wrapped."""

import re
from collections.abc import Sequence

import orjson

from truerate_world.thinking import EFFORTS

ROLES = ("system", "developer", "user", "assistant", "tool")
_WORD_AND_GAP = re.compile(r"\s*\S+")


class BadRequest(Exception):
    """A body that is no chat completion request: status, message, parameter and code of the error."""

    def __init__(self, message: str, param: str | None = None, *, status: int = 400, code: str | None = None):
        super().__init__(message)
        self.message, self.param, self.status, self.code = message, param, status, code


def check_request(body: bytes, models: Sequence[str]) -> dict:
    """Return the parts of a request that decide the reply; raises BadRequest with the wrong field."""
    try:
        record = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is not JSON: {error}") from None
    if not isinstance(record, dict) or not isinstance(record.get("model"), str):
        raise BadRequest("you must provide a model parameter", "model")
    if record["model"] not in models:
        message = f"The model {record['model']!r} does not exist; models: {', '.join(models)}"
        raise BadRequest(message, "model", status=404, code="model_not_found")
    if record.get("stream"):
        raise BadRequest("streaming is not offered; leave out 'stream'", "stream")
    if record.get("n") not in (None, 1):
        raise BadRequest("one choice per call is offered; leave out 'n'", "n")
    return {
        "model": record["model"],
        "messages": _messages(record.get("messages")),
        "temperature": _number(record, "temperature", 0, 2, default=1.0),
        "seed": _integer(record, "seed"),
        "effort": _one_of(record, "reasoning_effort", tuple(EFFORTS)),
        "max_tokens": _integer(record, "max_completion_tokens", at_least=1)
        or _integer(record, "max_tokens", at_least=1),
    }


def completion_of(request: dict, text: str, digest: str, finish: str | None = None) -> dict:
    """Return a chat completion; tokens are words, a reply longer than `max_tokens` is cut and says so."""
    limit = request["max_tokens"]
    n_prompt = sum(len(message["content"].split()) for message in request["messages"])
    n_text = len(text.split())
    is_cut = limit is not None and n_text > limit
    if is_cut:
        text, n_text = "".join(_WORD_AND_GAP.findall(text)[:limit]), limit
    message = {"role": "assistant", "content": text, "refusal": None}
    finish_reason = "length" if is_cut else finish or "stop"
    return {
        "id": f"chatcmpl-{digest}",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": n_prompt, "completion_tokens": n_text, "total_tokens": n_prompt + n_text},
    }


def _messages(value: object) -> list[dict]:
    """Messages with plain text contents; text parts are joined."""
    if not isinstance(value, list) or not value:
        raise BadRequest("'messages' must be a list of at least one message", "messages")
    messages = []
    for index, message in enumerate(value):
        where = f"messages[{index}]"
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise BadRequest(f"'{where}.role' must be one of {', '.join(ROLES)}", where)
        content = message.get("content")
        if isinstance(content, list):
            texts = [part.get("text") if isinstance(part, dict) else None for part in content]
            content = "".join(texts) if all(isinstance(text, str) for text in texts) else content
        if not isinstance(content, str):
            raise BadRequest(f"'{where}.content' must be text or a list of text parts", where)
        messages.append({"role": message["role"], "content": content})
    return messages


def _number(record: dict, name: str, low: float, high: float, *, default: float) -> float:
    value = record.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise BadRequest(f"{name!r} must be a number from {low} to {high}", name)
    return float(value)


def _one_of(record: dict, name: str, values: Sequence[str]) -> str | None:
    if (value := record.get(name)) not in (None, *values):
        raise BadRequest(f"{name!r} must be one of {', '.join(values)}", name)
    return value


def _integer(record: dict, name: str, *, at_least: int | None = None) -> int | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or (at_least is not None and value < at_least):
        bound = f" from {at_least}" if at_least is not None else ""
        raise BadRequest(f"{name!r} must be a whole number{bound}", name)
    return value
