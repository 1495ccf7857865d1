"""Where a request goes, the bytes it is known by, and the body that is sent."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import orjson

from truerate.config.layout import Layout
from truerate.core import text
from truerate.core.errors import SettingsError, listed
from truerate.llm.request import Reply, Request, as_asked

VERSION = 1
CONTROLS = "".join(map(chr, (*range(9), 11, 12, *range(14, 32), 127)))
LIMITS = ("max_tokens", "max_completion_tokens")
SYSTEM, USER = "system", "user"
FLOATS = frozenset({"temperature", "top_p", "frequency_penalty", "presence_penalty", "repetition_penalty"})
# What may decide a reply. The address, key, timeout, headers and concurrency of an endpoint do not.
PARAMS = FLOATS | {
    "n", "stop", "seed", "response_format", "logprobs", "top_logprobs", "tools", "tool_choice", *LIMITS,
    # how long a thinking model may think, by the names that servers give it
    "reasoning_effort", "reasoning", "reasoning_budget", "thinking", "thinking_budget", "verbosity", "chat_template_kwargs",
}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A declared model for requests. `address`: where it is asked, without the free port of a launched
    server. `factor`: of the price where it is asked in batches.
    """

    alias: str
    endpoint: str
    model: str
    identity: str
    address: str
    price: tuple[float, float]
    override: dict[str, Any]
    extra_body: dict[str, Any]
    drop: frozenset[str]
    limit_field: str
    accept_length: bool | None
    structured: str | None = None
    has_system: bool = True
    factor: float = 1.0
    _merged: dict[tuple[tuple[str, Any], ...], dict[str, Any]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(cls, config: Layout, alias: str) -> "Target":
        """The target of an alias; raises TruerateError where it is not declared."""
        model = config.p.model(alias)
        batch = config.p.endpoints[model.endpoint].batch
        return cls(
            alias=alias,
            endpoint=model.endpoint,
            model=model.model,
            identity=config.identity(alias),
            address=config.p.endpoints[model.endpoint].address,
            price=model.price,
            override=dict(model.params),
            extra_body=dict(model.extra_body),
            drop=frozenset(model.drop),
            limit_field=model.max_tokens_field,
            accept_length=model.accept_length,
            structured=model.structured,
            has_system=model.has_system,
            factor=batch.price_factor if batch else 1.0,
        )

    def params(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The settings to send: those asked under the model's own, without `drop`, the limit renamed."""
        try:
            setting = tuple(asked.items())
            if (sent := self._merged.get(setting)) is not None:
                return sent
        except TypeError:  # a list or mapping among the values: nothing to remember it by
            return self._merge(asked)
        return self._merged.setdefault(setting, self._merge(asked))

    def _merge(self, asked: dict[str, Any]) -> dict[str, Any]:
        sent = {**asked, **self.override}
        limits = [sent.pop(name) for name in LIMITS if name in sent]
        if not limits:
            raise SettingsError(
                f"asking model {self.alias!r}: no `max_tokens`, so its cost has no bound; set it in params.yaml"
            )
        if unknown := sent.keys() - PARAMS:
            hint = f"others go into models.{self.alias}.extra_body"
            raise SettingsError(
                f"asking model {self.alias!r}: {listed(unknown)} cannot be sent; allowed: {listed(PARAMS)}; {hint}"
            )
        if sent.get("n", 1) != 1:
            raise SettingsError(
                f"asking model {self.alias!r}: n = {sent['n']!r}; allowed: 1 (ask again under another sample_index)"
            )
        sent = {
            name: self._number(name, value) if name in FLOATS else value
            for name, value in sent.items()
            if name not in self.drop
        }
        sent[self.limit_field] = limits[-1]
        return sent

    @property
    def own_limit(self) -> str | None:
        """The model's own setting that limits its replies: its name under `params`; None if it has none."""
        return next((name for name in reversed(LIMITS) if name in self.override), None)

    def keeps_cut(self, request: Request) -> bool:
        """Return whether a reply that ends at its token limit is kept: as the model says, else the request."""
        return request.keeps_cut if self.accept_length is None else self.accept_length

    def as_asked(self, reply: Reply, request: Request) -> Reply:
        """A stored reply as its request wants it (`request.as_asked`)."""
        return as_asked(
            reply, request, keeps_cut=self.keeps_cut(request), is_structured=self.structured is not None
        )

    def _number(self, name: str, value: object) -> float:
        try:
            return float(value)  # type: ignore[arg-type]  # what is no number raises TypeError here
        except (TypeError, ValueError):
            raise SettingsError(
                f"asking model {self.alias!r}: {name} is {value!r}; it must be a number"
            ) from None

    def payload(self, request: Request) -> bytes:
        """The request as sorted JSON: what is hashed, stored and, with the model's name, sent."""
        params = self.params(request.params)
        if request.form and self.structured:
            params = {**params, "response_format": request.form.sent()}
        whole = {
            "v": VERSION,
            "identity": self.identity,
            "messages": _clean(request.messages if self.has_system else without_system(request.messages)),
            "params": {**params, "extra_body": self.extra_body} if self.extra_body else params,
            "sample_index": request.sample_index,
        }
        return orjson.dumps(whole, option=orjson.OPT_SORT_KEYS)

    def key(self, request: Request) -> bytes:
        """The 32 bytes that a request is stored under."""
        return hashlib.sha256(self.payload(request)).digest()

    def body(self, payload: bytes) -> bytes:
        """The HTTP body of a payload."""
        request = orjson.loads(payload)
        extra = request["params"].pop("extra_body", {})
        return orjson.dumps(
            {"model": self.model, "messages": request["messages"], **request["params"], **extra}
        )


def without_system(messages: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
    """The messages with each system message put before the next user message, or turned into one."""
    merged: list[dict[str, Any]] = []
    instruction = ""
    for message in messages:
        if message["role"] == SYSTEM:
            instruction = f"{instruction}{message['content']}\n\n"
            continue
        if instruction and message["role"] == USER:
            message, instruction = {**message, "content": instruction + message["content"]}, ""
        merged.append(message)
    return (*merged, {"role": USER, "content": instruction.rstrip()}) if instruction else tuple(merged)


def _clean(messages: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...] | list[dict[str, Any]]:
    """The messages without characters that `text.clean` removes."""
    for message in messages:
        if not _is_plain(message["content"]):
            return [{**message, "content": text.clean(message["content"])} for message in messages]
    return messages


def _is_plain(content: str) -> bool:
    """False for every text that `text.clean` changes, and for few others; 1 µs per KB, for every request."""
    if not content.isascii():
        return content.replace("\n", "").isprintable()
    for mark in CONTROLS:  # 28 searches for one byte each are a third of one search for any of them
        if mark in content:
            return False
    return True
