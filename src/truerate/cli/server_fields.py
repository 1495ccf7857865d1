"""What a server makes of the fields of a request, tried by tiny ones: `truerate doctor --ask MODEL`.

A field can be refused, passed over in silence, or taken: servers of one protocol differ in it, and a setting
that is passed over makes numbers that are not what params.yaml says.
"""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from truerate.cli.command import WORDS
from truerate.config.layout import Layout
from truerate.config.models import Endpoint
from truerate.core.errors import EndpointError, SettingsError
from truerate.core.retry import Backoff, may_pass, seconds_asked
from truerate.core.text import clean
from truerate.llm.structured import verdict
from truerate.llm.thought import split_thought
from truerate.llm.transport.failures import OTHER_LIMIT, api_key
from truerate.llm.transport.verdict import is_cut

TIMEOUT_S = 120
BACKOFF = Backoff(tries=3, first=0.5, largest=4.0, longest=30.0)
PLAIN_PROMPT = "Does 17 follow 16? Reply with one word, Yes or No."
COUNT = "Count from 1 to 40 in figures, with a comma after each."  # what takes more than a few tokens
LONG = 20_000  # words of a prompt that few servers take
FEW, LIMIT = (
    3,
    "max_tokens",
)  # the least limit that is tried, and where it stands below unless that is refused
# What is sent beside a prompt; by which prompt stands in PROMPTS where it is not PLAIN_PROMPT.
FIELDS: dict[str, dict[str, Any]] = {
    LIMIT: {LIMIT: FEW},
    OTHER_LIMIT: {OTHER_LIMIT: FEW},
    "temperature, top_p, seed": {"temperature": 1.0, "top_p": 0.9, "seed": 1, LIMIT: 8},
    "temperature 0": {"temperature": 0.0, LIMIT: 8},  # a model may take the one and refuse the other
    "frequency_penalty": {"frequency_penalty": 0.5, LIMIT: 8},
    "stop": {"stop": [","], LIMIT: 24},
    "logprobs": {"logprobs": True, LIMIT: FEW},
    # the very form that builds send, `strict` among it: a server may take a looser one and refuse this
    "response_format": {"response_format": verdict().sent(), LIMIT: 256},
    "reasoning_effort": {"reasoning_effort": "low", LIMIT: 8},
    "a system message": {LIMIT: 8},
}
USER = {"role": "user", "content": PLAIN_PROMPT}
PROMPTS: dict[str, list[dict[str, str]]] = {
    LIMIT: [{"role": "user", "content": COUNT}],
    OTHER_LIMIT: [{"role": "user", "content": COUNT}],
    "stop": [{"role": "user", "content": COUNT}],
    "a system message": [{"role": "system", "content": "You judge statements."}, USER],
}


@dataclass(frozen=True)
class Answer:
    """What came of one request: `state` is `ok`, `refused`, `passed over`, `no answer` where the reply holds
    no content though it was not cut, or `not told` where it was cut before it could show; `shown` is what
    shows it.
    """

    what: str
    state: str
    shown: str


def tried(config: Layout, alias: str) -> list[Answer]:
    """Return what the server of a model makes of each of FIELDS, of a model's name that it cannot know, and
    of a prompt of LONG words: a dozen requests of a few tokens each, the last with a long prompt. A server
    that refuses `max_tokens` and takes `max_completion_tokens` is asked the rest with this one.

    Raises TruerateError for an unknown model or a key that is not set, and EndpointError where no server
    answers, or it turns every request away (`turned_away` of words.yaml).
    """
    from truerate.llm.transport.launch import launched

    model = config.p.model(alias)
    endpoint = config.p.endpoints[model.endpoint]
    if endpoint.api != "openai":
        what = (
            f"endpoints.{model.endpoint}.api is {endpoint.api!r}: fields are tried in OpenAI's protocol alone"
        )
        raise SettingsError(f"{what}; `truerate probe {alias}` asks the model and reads its replies")
    api_key(model.endpoint, endpoint)  # raises where it is not set: every field would be called refused
    launching = launched(config, model.endpoint) if endpoint.launch else nullcontext(endpoint.url)
    with launching as url:
        answers = [_field(url, endpoint, model.model, name, FIELDS[name]) for name in (LIMIT, OTHER_LIMIT)]
        _raise_if_turned_away(answers, alias, endpoint)
        limit = OTHER_LIMIT if [answer.state == "refused" for answer in answers] == [True, False] else LIMIT
        for what, fields in FIELDS.items():
            if what not in (LIMIT, OTHER_LIMIT):
                sent = {limit if name == LIMIT else name: value for name, value in fields.items()}
                answers.append(_field(url, endpoint, model.model, what, sent))
        other = _asked(url, endpoint, "no-such-model", {limit: FEW})
        answers.append(_of_refusal("another model's name", other, "answered by whatever is loaded"))
        many = [{"role": "user", "content": "word " * LONG}]
        long = _asked(url, endpoint, model.model, {limit: FEW}, messages=many)
        return [*answers, _of_long(long)]


def _raise_if_turned_away(answers: Sequence[Answer], alias: str, endpoint: Endpoint) -> None:
    """Raise EndpointError where all requests were refused for one reason that is no field of them."""
    statuses = {answer.shown.split(" ", 1)[0] if answer.state == "refused" else "" for answer in answers}
    for status, advice in WORDS["turned_away"].items():
        if statuses == {str(status)}:
            key = (
                endpoint.api_key_env
                or "`api_key_env` of its endpoint to the name of a variable that holds one"
            )
            raise EndpointError(
                f"asking the server of {alias!r}: {answers[0].shown}; {advice.format(key=key, alias=alias)}"
            )


def _field(url: str, endpoint: Endpoint, model: str, what: str, fields: Mapping[str, Any]) -> Answer:
    reply = _asked(url, endpoint, model, fields, messages=PROMPTS.get(what, [USER]))
    if isinstance(reply, str):
        return Answer(what, "refused", reply)
    choice, usage = reply["choices"][0], reply.get("usage") or {}
    message, end = choice["message"], choice.get("finish_reason")
    answer, thought = split_thought(str(message.get("content") or ""))
    text = " ".join(answer.split())
    served = f", as {reply['model']!r}" if reply.get("model") else ""
    apart = next((name for name in ("reasoning_content", "reasoning") if message.get(name)), None)
    thinks = ", thought apart" if apart else ", thought in the text" if thought is not None else ""
    shown = (
        f"{usage.get('prompt_tokens')} + {usage.get('completion_tokens')} tokens, "
        f"{end}{served}{thinks}: {text[:40]!r}"
    )
    if not text and end == "length" and what in ("stop", "response_format"):
        return Answer(what, "not told", clean(shown))
    if not text and end != "length" and not message.get("tool_calls"):
        where = (
            f"the server puts the answer into {apart!r}: turn its reasoning parser off"
            if apart
            else "no text"
        )
        return Answer(what, "no answer", clean(f"content is empty: {where} ({shown})"))
    is_taken = {
        LIMIT: _is_cut(text, usage, end),
        OTHER_LIMIT: _is_cut(text, usage, end),
        "stop": "," not in text,
        "logprobs": bool(choice.get("logprobs")),
        "response_format": text.startswith("{"),
    }.get(what, True)
    return Answer(what, "ok" if is_taken else "passed over", clean(shown))


def _is_cut(text: str, usage: Mapping[str, Any], end: object) -> bool:
    """Return whether a reply to COUNT keeps to FEW tokens, by the server's count where it has one; twice as
    many may be another way to count.
    """
    n_out = usage.get("completion_tokens")
    return n_out <= 2 * FEW if isinstance(n_out, int) else end == "length" or len(text) < 8 * FEW


def _of_refusal(what: str, reply: dict[str, Any] | str, otherwise: str) -> Answer:
    """Of a request that a server had better refuse."""
    return Answer(what, "refused", reply) if isinstance(reply, str) else Answer(what, "ok", otherwise)


def _of_long(reply: dict[str, Any] | str) -> Answer:
    """Of a prompt of LONG words, each a token at least: a server that counts fewer has cut it in silence, and
    what it answers then is an answer to another question.
    """
    n_in = None if isinstance(reply, str) else (reply.get("usage") or {}).get("prompt_tokens")
    what = f"a prompt of {LONG:,} words"
    if isinstance(n_in, int) and is_cut(["word " * LONG], n_in):
        return Answer(
            what, "passed over", f"cut to {n_in:,} tokens in silence: give the server a larger context"
        )
    return _of_refusal(what, reply, "taken")


def _asked(
    url: str,
    endpoint: Endpoint,
    model: str,
    fields: Mapping[str, Any],
    messages: Sequence[Mapping[str, str]] = (USER,),
) -> dict[str, Any] | str:
    """The completion, or in a line why there is none; a fault that passes (a rate limit, a broken gateway)
    says nothing of a field, and is asked past. Raises EndpointError where nobody answers.
    """
    key = os.environ.get(endpoint.api_key_env or "", "")
    body = json.dumps({"model": model, "messages": list(messages), **fields}).encode()
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", body, headers)
    try:
        with _opened(request) as answer:
            reply = json.loads(answer.read())
            reply["choices"][0]["message"].get("content")
            return reply
    except urllib.error.HTTPError as error:
        line = f"{error.code} {error.read(400).decode('utf-8', 'replace')}"
        return clean(" ".join((line.replace(key, "…") if key else line).split()))
    except (ValueError, LookupError, AttributeError, TypeError):
        return "its answer is no completion"
    except OSError as error:
        why = getattr(error, "reason", None) or error
        raise EndpointError(
            f"asking {url}: {why}; start the server or correct the `base_url` of its endpoint"
        ) from None


def _opened(request: urllib.request.Request) -> Any:
    """The answer to a request, asked again while what comes may pass. Raises HTTPError for the last of them,
    and OSError where nobody answers.
    """
    tried = 0
    while True:
        tried += 1
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            asked = seconds_asked(error.headers.get("retry-after"))
            if not may_pass(error.code) or BACKOFF.is_spent(tried) or BACKOFF.is_too_long(asked):
                raise
            time.sleep(BACKOFF.wait(tried, asked))
