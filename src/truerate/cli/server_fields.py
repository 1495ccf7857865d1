"""What a server makes of the fields of a request, tried by tiny ones: `truerate doctor --ask MODEL`.

A field can be refused, passed over in silence, or taken: servers of one protocol differ in it, and a setting
that is passed over makes numbers that are not what params.yaml says.
"""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from truerate.config.layout import Layout
from truerate.config.models import OPENAI, Endpoint
from truerate.core.errors import EndpointError
from truerate.core.text import clean
from truerate.llm.structured import verdict

TIMEOUT_S = 120
SAID = "Does 17 follow 16? Reply with one word, Yes or No."
LONG = 20_000  # words of a prompt that few servers take
FIELDS: dict[str, dict[str, Any]] = {
    "max_tokens": {"max_tokens": 3},
    "max_completion_tokens": {"max_completion_tokens": 3},
    "temperature, top_p, seed": {"temperature": 1.0, "top_p": 0.9, "seed": 1, "max_tokens": 8},
    "frequency_penalty": {"frequency_penalty": 0.5, "max_tokens": 8},
    "stop": {"stop": ["."], "max_tokens": 8},
    "logprobs": {"logprobs": True, "max_tokens": 3},
    # the very form that builds send, `strict` among it: a server may take a looser one and refuse this
    "response_format": {"response_format": verdict().sent(), "max_tokens": 24},
    "reasoning_effort": {"reasoning_effort": "low", "max_tokens": 8},
}


@dataclass(frozen=True)
class Answer:
    """What came of one request: `state` is `ok`, `refused` or `passed over`; `told` is what shows it."""

    what: str
    state: str
    told: str


def tried(at: Layout, alias: str) -> list[Answer]:
    """What the server of a model makes of each of FIELDS, of a model's name that it cannot know, and of a
    prompt of LONG words: ten requests of a few tokens each, and a long one.

    Raises TruerateError for an unknown model or a key that is not set, and EndpointError where no server
    answers.
    """
    from truerate.llm.transport.failures import api_key
    from truerate.llm.transport.launch import launched

    model = at.p.model(alias)
    endpoint = at.p.endpoints[model.endpoint]
    api_key(model.endpoint, endpoint)  # raises where it is not set: every field would be called refused
    held = launched(at, model.endpoint) if endpoint.launch else nullcontext(endpoint.base_url or OPENAI)
    with held as url:
        found = [_field(url, endpoint, model.model, what, fields) for what, fields in FIELDS.items()]
        other = _asked(url, endpoint, "no-such-model", {"max_tokens": 3})
        found.append(_of_refusal("another model's name", other, "answered by whatever is loaded"))
        long = _asked(url, endpoint, model.model, {"max_tokens": 3}, said="word " * LONG)
        return [*found, _of_refusal(f"a prompt of {LONG:,} words", long, "taken")]


def _field(url: str, endpoint: Endpoint, model: str, what: str, fields: Mapping[str, Any]) -> Answer:
    reply = _asked(url, endpoint, model, fields)
    if isinstance(reply, str):
        return Answer(what, "refused", reply)
    choice, usage = reply["choices"][0], reply.get("usage") or {}
    text = " ".join(str(choice["message"].get("content") or "").split())
    served = f", as {reply['model']!r}" if reply.get("model") else ""
    told = (
        f"{usage.get('prompt_tokens')} + {usage.get('completion_tokens')} tokens, "
        f"{choice.get('finish_reason')}{served}: {text[:40]!r}"
    )
    is_taken = {
        "logprobs": bool(choice.get("logprobs")),
        "response_format": text.lstrip().startswith("{"),
    }.get(what, True)
    return Answer(what, "ok" if is_taken else "passed over", clean(told))


def _of_refusal(what: str, reply: dict[str, Any] | str, otherwise: str) -> Answer:
    """Of a request that a server had better refuse."""
    return Answer(what, "refused", reply) if isinstance(reply, str) else Answer(what, "ok", otherwise)


def _asked(
    url: str, endpoint: Endpoint, model: str, fields: Mapping[str, Any], said: str = SAID
) -> dict[str, Any] | str:
    """The completion, or in a line why there is none. Raises EndpointError where nobody answers."""
    key = os.environ.get(endpoint.api_key_env or "", "")
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": said}], **fields}).encode()
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            reply = json.loads(answer.read())
            reply["choices"][0]["message"].get("content")
            return reply
    except urllib.error.HTTPError as error:
        told = f"{error.code} {error.read(400).decode('utf-8', 'replace')}"
        return clean(" ".join((told.replace(key, "…") if key else told).split()))
    except (ValueError, LookupError, AttributeError, TypeError):
        return "its answer is no completion"
    except OSError as error:
        why = getattr(error, "reason", None) or error
        raise EndpointError(
            f"asking {url}: {why}; start the server or correct the `base_url` of its endpoint"
        ) from None
