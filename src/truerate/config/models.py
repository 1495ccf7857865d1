"""Who can be asked: endpoints, models, and how requests are made."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from truerate.config.blocks import (
    Block,
    Codes,
    Cut,
    Few,
    Number,
    Pause,
    Seconds,
    Size,
    Variable,
    Whole,
    Word,
    like,
    sendable,
)
from truerate.core.keys import digest

# A decoding setting of a model; lists and mappings for such as `stop` or `reasoning`.
Setting = float | int | str | bool | list[object] | dict[str, object]
Price = Annotated[Number, Field(ge=0, le=10**6)]

ADDRESSES = {  # by protocol
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
}


# What a request says itself: an extra that said it again would ask something else under the same key.
_OWN = frozenset({"model", "messages", "stream", "n", "max_tokens", "max_completion_tokens"})
_KEY_OPTION = re.compile(
    r"--?[\w-]*(?:api[-_]?key|token|secret|password)(?:[= ]+)(?![\"']?[${])\S", re.IGNORECASE
)


class Batch(Block):
    """How an endpoint's batch API is used: requests go up as files and are answered within hours, at
    `price_factor` of the price.

    `poll_s`: between two looks at a batch. `deadline_h`: a batch that has not ended by then is cancelled, and
    what it left open is asked online. `rounds`: batches in which a request may stay without an answer before
    it is asked online. `max_requests`, `max_mb`: of one file, whose rest goes into further ones. `window`:
    the time that the server is given, in its own words.
    """

    price_factor: Annotated[Number, Field(gt=0, le=1)] = 0.5
    poll_s: Pause = 60.0
    deadline_h: Annotated[Number, Field(ge=0, le=1000)] = 26.0
    rounds: Few = 2
    max_requests: Size = 50_000
    max_mb: Annotated[Number, Field(gt=0, le=2000)] = 190.0
    window: Word = "24h"


class Endpoint(Block):
    """A server; default: that of who made its protocol (`api`), OpenAI's. `timeout_s`: of one attempt, null: `llm`'s. `batch`:
    true or the settings of its batch API.
    """

    base_url: (
        Annotated[str, like(r"https?://[^/\s]\S*", "an address that begins with http:// or https://")] | None
    ) = None
    api_key_env: Variable | None = None
    launch: Word | None = None
    health: Annotated[str, like(r"/\S*", "a path such as /health")] = "/health"
    code: tuple[Word, ...] = ()
    concurrency: Annotated[Whole, Field(ge=1, le=10**4)] = 16
    linger_s: Pause = 3.0
    start_s: Seconds = 300.0
    timeout_s: Seconds | None = None
    is_simulated: bool = False
    rpm: Size | None = None
    batch: Batch | None = None
    api: Literal["openai", "anthropic", "gemini"] = "openai"

    @field_validator("batch", mode="before")
    @classmethod
    def _in_short(cls, batch: object) -> object:
        return {True: {}, False: None}[batch] if isinstance(batch, bool) else batch

    @field_validator("base_url")
    @classmethod
    def _is_bare(cls, url: str | None) -> str | None:
        try:
            parts = urlsplit(url or "")
        except ValueError:  # no address at all, which is said where addresses are checked
            return url
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError(
                "must hold no user, password, `?` or `#`: a key is named by its variable as `api_key_env`"
            )
        return url

    @field_validator("launch")
    @classmethod
    def _holds_no_key(cls, command: str | None) -> str | None:
        if command and _KEY_OPTION.search(command):
            raise ValueError("holds a literal key: let the server read it from a variable of the environment")
        return command

    @model_validator(mode="after")
    def _launch_or_address(self) -> "Endpoint":
        if self.launch and self.base_url:
            raise ValueError("name `launch` or `base_url`, not both")
        if self.launch and "{port}" not in self.launch:
            raise ValueError("`launch` must hold {port}")
        return self

    @property
    def url(self) -> str:
        """The base of its address, by default that of who made its protocol."""
        return self.base_url or ADDRESSES[self.api]

    @property
    def address(self) -> str:
        """Where it is asked, as dead letters store it: host and path, or the launch command's digest."""
        if self.launch:
            return f"launch {digest(launch=self.launch)}"
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")  # as servers call them, least first


def _is_effort(value: int | str) -> int | str:
    if value not in EFFORTS if isinstance(value, str) else value < 0:
        raise ValueError(f"must be one of {', '.join(EFFORTS)}, or a budget of tokens from 0")
    return value


class Model(Block):
    """A model that can be asked. `price` is USD per million prompt and completion tokens.

    `params`: decoding settings above those of the tracks. `has_system`: its chat template takes a system
    message; else that is put before the first user message. `structured`: json_schema requests the server's
    structured output for stated forms. `accept_length`: replies that end at their token limit are kept (true)
    or dead (false); null: by purpose (`llm.cut`). `effort`: how much the entry lets its model think, a word
    of EFFORTS or a budget of tokens; it is said here and asked for in `params` or `extra_body`, and without
    it `params.reasoning_effort` says it. Entries of one model at several efforts are compared. `size_b`
    (billions of parameters), `languages`, `is_open` (weights), `retrieval`, `cutoff` (ISO 8601) and `about`
    are for analyses and cards alone. `base`: the model that this one is without its search, so that both are
    compared entity by entity.
    """

    endpoint: Word
    model: Word
    family: Word | None = None
    identity: Word | None = None
    price: tuple[Price, Price] = (0.0, 0.0)
    params: Annotated[dict[Word, Setting], AfterValidator(sendable)] = {}
    extra_body: Annotated[dict[Word, object], AfterValidator(sendable)] = {}
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    drop: tuple[Word, ...] = ()
    has_system: bool = True
    accept_length: bool | None = None
    structured: Literal["json_schema"] | None = None
    effort: Annotated[Whole | Word, AfterValidator(_is_effort)] | None = None
    size_b: Annotated[Number, Field(gt=0, le=10**6)] | None = None
    languages: Codes = ()
    is_open: bool | None = None
    retrieval: bool = False
    base: Word | None = None
    about: str | None = None
    cutoff: (
        Annotated[
            str,
            like(
                r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?",
                "a date such as 2024, 2024-05 or 2024-05-31, in quotes",
            ),
        ]
        | None
    ) = None

    @property
    def stated_effort(self) -> int | str | None:
        """How much it thinks; None where nothing says it."""
        asked = self.params.get("reasoning_effort")
        return self.effort if self.effort is not None else asked if asked in EFFORTS else None

    @property
    def effort_order(self) -> tuple[bool, int]:
        """The place of the effort among others, least first: budgets by their tokens, then words."""
        effort = self.stated_effort
        return (True, EFFORTS.index(effort)) if isinstance(effort, str) else (False, effort or 0)

    @field_validator("extra_body")
    @classmethod
    def _adds_only(cls, extra: dict[str, object]) -> dict[str, object]:
        if reserved := sorted(extra.keys() & _OWN):
            raise ValueError(
                f"{', '.join(reserved)} cannot stand here: every request has its own; settings of decoding "
                "go into `params`"
            )
        return extra

    @field_validator("params")
    @classmethod
    def _counts_are_whole(cls, params: dict[str, Setting]) -> dict[str, Setting]:
        for name in ("max_tokens", "max_completion_tokens"):
            value = params.get(name, 1)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**7:
                raise ValueError(f"{name} must be a whole number, 1 to {10**7:,}")
        return params

    def takes(self, setting: str) -> bool:
        """Return whether requests say this setting of decoding as a track has it: neither left out nor
        replaced.
        """
        return setting not in self.drop and setting not in self.params

    def content(self) -> dict[str, object]:
        """The values that decide a reply's row and cost: not where it is asked or what is said of it."""
        return self.model_dump(
            mode="json",
            exclude={"endpoint", "family", "size_b", "languages", "is_open", "retrieval", "base", "cutoff"},
        )


def shared_identity(models: Mapping[str, Model], endpoints: Mapping[str, Endpoint]) -> tuple[str, str] | None:
    """Two aliases on two endpoints of one identity (`Layout.identity`), whose replies would mix, or None."""
    alias_by_identity: dict[tuple[object, ...], str] = {}
    for alias, model in models.items():
        endpoint = endpoints[model.endpoint]
        name = (model.identity or model.model, (endpoint.launch, endpoint.code) if endpoint.code else None)
        other = alias_by_identity.setdefault(name, alias)
        if models[other].endpoint != model.endpoint:
            return other, alias
    return None


class Llm(Block):
    """How models are asked.

    `outage_s`: the run ends when an endpoint fails or refuses for longer. `reask`: how often an unreadable
    reply is re-asked (0 or 1). `cut`: treatment of replies that end at their token limit, by purpose, above
    the track's.
    """

    max_attempts: Annotated[Whole, Field(ge=1, le=100)]
    timeout_s: Seconds
    backoff_s: tuple[Pause, Pause]
    outage_s: Pause = 600.0
    budget_usd: Annotated[Number, Field(ge=0)] | None
    budget_tokens: Annotated[Whole, Field(ge=0, lt=2**63)] | None
    lease_s: Annotated[Number, Field(ge=0.1, le=86400)]
    prompts_dir: Word | None
    reask: Annotated[Whole, Field(ge=0, le=1)] = 1
    cut: dict[Word, Cut] = {}

    @model_validator(mode="after")
    def _first_below_largest(self) -> "Llm":
        if self.backoff_s[0] > self.backoff_s[1]:
            raise ValueError(f"backoff_s is {list(self.backoff_s)}; name the first ceiling, then the largest")
        return self
