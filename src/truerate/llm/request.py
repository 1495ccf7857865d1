"""What a step asks of a model, what it gets back, and what asking would cost."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from truerate.llm.structured import Form
from truerate.llm.thought import split_thought
from truerate.llm.transport.verdict import FILTER, THOUGHT_ONLY


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt to one model.

    `model`: an alias of params.yaml; `messages`: `{"role", "content"}`; `params`: decoding settings with
    `max_tokens`. Equal requests are asked once; `sample_index` separates repeats and is not sent (a
    deterministic endpoint needs another `seed`). `keeps_cut`: a reply at its token limit is kept. `form`: the
    stated form, sent as JSON schema to `structured` models.
    """

    model: str
    messages: tuple[dict[str, Any], ...]
    params: dict[str, Any] = field(default_factory=dict)
    sample_index: int = 0
    keeps_cut: bool = False
    form: Form | None = None


# Not frozen: making a frozen one would take 2 of the 20 µs that a stored reply costs.
@dataclass(slots=True, unsafe_hash=True)
class Reply:
    """What came of one request.

    `status`: `ok` (a text) or `dead` (`reason` of `policy.REASONS`, empty `text`). Token counts are the
    endpoint's or None; `cost_usd` by the prices in params. `is_stored`: not called in this run. `thought`:
    reasoning cut from the text. `served`: another model's name that answered, with fingerprint. `retrieved`:
    texts of the server's search or tools (`retrieved.written`).
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
    """The reply of a stored text without its thought; dead if nothing else is left (`thought_only`)."""
    if finish == FILTER:  # an earlier build kept such replies
        return Reply(key, "dead", "", finish, FILTER, n_in, n_out, cost_usd, is_stored)
    answer, thought = split_thought(text)
    if thought is not None and not answer:
        return Reply(key, "dead", "", finish, THOUGHT_ONLY, n_in, n_out, cost_usd, is_stored, thought)
    return Reply(key, "ok", answer, finish, None, n_in, n_out, cost_usd, is_stored, thought)


def as_asked(reply: Reply, request: Request, *, keeps_cut: bool, is_structured: bool) -> Reply:
    """A stored reply as its request wants it: dead (`length`) if it was cut and cut ones are not kept; the
    JSON of a stated form as plain text. A complete object was not cut: servers pad with blanks.
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
    """The cost of a list of requests: new calls, stored answers, bounds of tokens (prompt + completion) and
    money. High is a bound per attempt (`budget.bound`); low the expected prompt plus the mean completion so
    far.
    """

    n_calls: int
    n_stored: int
    tokens_low: int
    tokens_high: int
    usd_low: float
    usd_high: float
