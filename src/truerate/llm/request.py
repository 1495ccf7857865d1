"""What a step asks of a model, what it gets back, and what asking would cost."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt to one model.

    `model` is an alias of `models` in params.yaml, `messages` are `{"role", "content"}`, `params` the decoding settings with `max_tokens`.
    Equal requests are asked once; `sample_index` tells repeated samples of one prompt apart. It is not sent: an endpoint that is
    deterministic needs another `seed` in `params` to give another reply.
    """

    model: str
    messages: tuple[dict, ...]
    params: dict = field(default_factory=dict)
    sample_index: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request.

    `status` is `ok` (a text) or `dead` (none will come: `reason` of `policy.REASONS`, empty `text`). Token counts are the endpoint's own,
    None where it gave none; `cost_usd` is by the prices in params, 0 without a count. `is_stored`: no call was made for it in this run.
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a list of requests would cost: new calls, answers already stored, and the bounds of tokens (prompt + completion) and money.

    High is a true upper bound per attempt (`budget.bound`); low is the expected prompt plus the completions seen so far of this model.
    """

    n_calls: int
    n_stored: int
    tokens_low: int
    tokens_high: int
    usd_low: float
    usd_high: float
