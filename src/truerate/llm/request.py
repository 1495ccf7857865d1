"""What a step asks of a model, what it gets back, and what asking would cost."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from truerate.llm.structured import Form
from truerate.llm.thought import said
from truerate.llm.transport.ends import FILTER
from truerate.llm.transport.verdict import THOUGHT_ONLY


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt to one model.

    `model` is an alias of `models` in params.yaml, `messages` are `{"role", "content"}`, `params` the
    decoding settings with `max_tokens`. Equal requests are asked once; `sample_index` tells repeated samples
    of one prompt apart. It is not sent: an endpoint that is deterministic needs another `seed` in `params` to
    give another reply.

    `keeps_cut`: a reply that ends at its limit of tokens is kept, not dead. `form`: the stated form of the
    reply, sent as its JSON schema to models of which params ask for `structured` output.
    """

    model: str
    messages: tuple[dict[str, Any], ...]
    params: dict[str, Any] = field(default_factory=dict)
    sample_index: int = 0
    keeps_cut: bool = False
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request.

    `status` is `ok` (a text) or `dead` (none will come: `reason` of `policy.REASONS`, empty `text`). Token
    counts are the endpoint's own, None where it gave none; `cost_usd` is by the prices in params, 0 without
    a count. `is_stored`: no call was made for it in this run. `thought`: what the model thought before it
    answered, cut from its text; None where there was none. `served`: the name of the model that says it
    answered, with its fingerprint, where it is another than the one asked; None where it is the same or not
    told. `retrieved`: what it was given by a search or tool of its server (`retrieved.written`); None where that is
    not told.
    """

    key: str
    status: Literal["ok", "dead"]
    text: str
    finish_reason: str | None
    reason: str | None
    n_tokens_in: int | None
    n_tokens_out: int | None
    cost_usd: float
    is_stored: bool
    thought: str | None = None
    served: str | None = None
    retrieved: str | None = None


def answered(
    key: str,
    text: str,
    finish: str | None,
    n_in: int | None,
    n_out: int | None,
    *,
    cost_usd: float = 0.0,
    is_stored: bool = True,
) -> Reply:
    """The reply of a stored text. Thought is cut from it here and nowhere else; one that holds nothing else
    is dead: `thought_only`.
    """
    if finish == FILTER:  # an earlier build kept such replies
        return Reply(key, "dead", "", finish, FILTER, n_in, n_out, cost_usd, is_stored)
    answer, thought = said(text)
    if thought is not None and not answer:
        return Reply(key, "dead", "", finish, THOUGHT_ONLY, n_in, n_out, cost_usd, is_stored, thought)
    return Reply(key, "ok", answer, finish, None, n_in, n_out, cost_usd, is_stored, thought)


def as_asked(reply: Reply, request: Request, *, keeps_cut: bool, is_structured: bool) -> Reply:
    """A stored reply as its request wants it: one that ends at its limit of tokens is dead (`length`) where
    such are not kept, the JSON of a stated form is written as the plain text that it stands for. An object that
    is whole was not cut: servers fill the limit with blank space behind it.
    """
    if reply.status != "ok":
        return reply
    if is_structured and request.form and (plain := request.form.plain(reply.text)) != reply.text:
        return replace(reply, text=plain, finish_reason="stop")
    if reply.finish_reason == "length" and not keeps_cut:
        return replace(reply, status="dead", text="", reason="length")
    return reply


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a list of requests would cost: new calls, answers already stored, and the bounds of tokens (prompt
    + completion) and money.

    High is a true upper bound per attempt (`budget.bound`); low is the expected prompt plus the completions
    seen so far of this model.
    """

    n_calls: int
    n_stored: int
    tokens_low: int
    tokens_high: int
    usd_low: float
    usd_high: float
