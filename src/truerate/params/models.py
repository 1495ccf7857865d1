"""Who can be asked: endpoints, models, and how requests are made."""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from truerate.keys import digest
from truerate.params.blocks import Block, Names, Size, Word

OPENAI = "https://api.openai.com/v1"


class Endpoint(Block):
    """An OpenAI-compatible server. `base_url` null with no `launch` means OpenAI's own address."""

    base_url: Annotated[str, Field(pattern=r"^https?://[^/\s]")] | None = None
    api_key_env: Word | None = None
    launch: Word | None = None
    health: str = "/health"
    code: tuple[str, ...] = ()
    concurrency: Size = 16
    linger_s: Annotated[float, Field(ge=0)] = 3.0
    start_s: Annotated[float, Field(gt=0)] = 300.0
    is_simulated: bool = False
    rpm: Size | None = None

    @model_validator(mode="after")
    def _launch_or_address(self) -> "Endpoint":
        if self.launch and self.base_url:
            raise ValueError("name `launch` or `base_url`, not both")
        if self.launch and "{port}" not in self.launch:
            raise ValueError("`launch` must hold {port}")
        return self


    @property
    def address(self) -> str:
        """Where it is asked, as dead letters remember it: host and path, or what is launched; no free port, no user, no password."""
        if self.launch:
            return f"launch {digest(launch=self.launch)}"
        parts = urlsplit(self.base_url or OPENAI)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


class Model(Block):
    """A model that can be asked. `price` is USD per million prompt and completion tokens.

    `accept_length`: a reply that ends at its limit of tokens is kept (mFAVA counts it as cut); without, it is dead for that reason.
    `size_b` (parameters in billions), `languages` (codes that its makers say it speaks), `is_open` (open weights), `retrieval` (it looks
    things up before it answers) and `cutoff` (ISO 8601, the end of its knowledge) are for analyses and cards alone.
    """

    endpoint: str
    model: str
    family: str | None = None
    identity: str | None = None
    price: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]] = (0.0, 0.0)
    params: dict[str, float | int | str | bool] = {}
    extra_body: dict[str, object] = {}
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    drop: tuple[str, ...] = ()
    accept_length: bool = False
    size_b: Annotated[float, Field(gt=0)] | None = None
    languages: Names = ()
    is_open: bool | None = None
    retrieval: bool = False
    cutoff: Annotated[str, Field(pattern=r"^\d{4}(-\d{2}){0,2}$")] | None = None

    def content(self) -> dict[str, object]:
        """What of this entry decides a row of a reply, its cost included: all but where it is asked and what is said about it."""
        return self.model_dump(mode="json", exclude={"endpoint", "family", "size_b", "languages", "is_open", "retrieval", "cutoff"})


def shared_identity(models: Mapping[str, Model], endpoints: Mapping[str, Endpoint]) -> tuple[str, str] | None:
    """Two aliases on two endpoints whose replies would be found under one identity, so that one's were taken for the other's; None without.

    The identity is that of `Layout.identity`: the declared one or the model's name, with the code and command of an endpoint that has code.
    """
    seen: dict[tuple, str] = {}
    for alias, model in models.items():
        endpoint = endpoints[model.endpoint]
        name = (model.identity or model.model, (endpoint.launch, endpoint.code) if endpoint.code else None)
        other = seen.setdefault(name, alias)
        if models[other].endpoint != model.endpoint:
            return other, alias
    return None


class Llm(Block):
    """How models are asked."""

    max_attempts: Size
    timeout_s: Annotated[float, Field(gt=0)]
    backoff_s: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]
    budget_usd: Annotated[float, Field(ge=0)] | None
    budget_tokens: Annotated[int, Field(ge=0)] | None
    lease_s: Annotated[float, Field(gt=0)]
    prompts_dir: Word | None
