"""What a request may cost at most, what it did cost, and what is left.

The upper bound of a prompt's tokens is its UTF-8 bytes + 16 per message + 16: no byte-level tokenizer makes
more tokens than bytes, and 16 cover a chat template's marks. Tools are not counted, the schema of a stated
form is. A completion is bounded by the request's own limit, which holds reasoning too. Prices are USD per
million tokens.
"""

import sqlite3
from dataclasses import dataclass
from typing import Literal

import orjson

from truerate.config import Llm
from truerate.llm.keys import LIMITS, Target
from truerate.llm.request import Request

PER_MESSAGE = 16
# USD and tokens that are spent, and that requests under way may still cost; TOTAL: sums may be beyond 64 bits
SPENT = "SELECT TOTAL(usd), CAST(TOTAL(n_in) + TOTAL(n_out) AS INTEGER) FROM ledger"
RESERVED = "SELECT TOTAL(usd), CAST(TOTAL(n_in) + TOTAL(n_out) AS INTEGER) FROM lease"


@dataclass(frozen=True, slots=True)
class Charge:
    """The real or assumed cost of one call. Kinds: `reply` (kept, counted) · `uncounted` (kept, at the bound)
    · `waste` (answered, not kept) · `lost` (sent, no answer: at the bound).
    """

    kind: str
    identity: str
    n_bytes: int
    n_in: int
    n_out: int
    usd: float


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The limits of params, over all runs of the store. None: no limit."""

    usd: float | None
    tokens: int | None

    @classmethod
    def of(cls, llm: Llm) -> "BudgetLimits":
        """The limits that params set."""
        return cls(llm.budget_usd, llm.budget_tokens)

    def would_pass(self, usd: float, tokens: int) -> bool:
        """Return whether these sums are more than allowed."""
        is_dear = self.usd is not None and usd > self.usd + 1e-12
        return is_dear or (self.tokens is not None and tokens > self.tokens)


class Budget:
    """What is left within the limits, as one transaction sees it."""

    def __init__(self, link: sqlite3.Connection, limits: BudgetLimits):
        self.limits = limits
        self.is_set = limits != BudgetLimits(None, None)
        if self.is_set:
            self.spent: tuple[float, int] = link.execute(SPENT).fetchone()
            self.reserved: tuple[float, int] = link.execute(RESERVED).fetchone()

    def reserve(self, usd: float, tokens: int) -> Literal["fits", "later", "never"]:
        """Reserve an upper bound: `later` while calls under way may use up the budget, `never` if it is
        spent.
        """
        if not self.is_set:
            return "fits"
        if self.limits.would_pass(self.spent[0] + usd, self.spent[1] + tokens):
            return "never"
        reserved = (self.reserved[0] + usd, self.reserved[1] + tokens)
        if self.limits.would_pass(self.spent[0] + reserved[0], self.spent[1] + reserved[1]):
            return "later"
        self.reserved = reserved
        return "fits"


def bound(target: Target, request: Request) -> tuple[int, int]:
    """The most tokens that a request's prompt and completion can have."""
    n_bytes = sum(
        len(content) if content.isascii() else len(content.encode("utf-8", "replace"))
        for content in contents(request)
    )
    params = target.params(request.params)
    if request.form and target.structured:  # servers put the schema into the prompt
        n_bytes += len(orjson.dumps(request.form.sent()))
    n_out = next(params[name] for name in LIMITS if name in params)
    return n_bytes + PER_MESSAGE * (len(request.messages) + 1), n_out


def contents(request: Request) -> list[str]:
    """The texts of a request's messages."""
    return [message["content"] for message in request.messages]


def price(target: Target, n_in: float, n_out: float) -> float:
    """USD of so many prompt and completion tokens."""
    return (n_in * target.price[0] + n_out * target.price[1]) / 1e6


def book(link: sqlite3.Connection, charges: list[Charge], day: str) -> None:
    """Add charges to the ledger, one row per day, kind and model identity."""
    link.executemany(
        "INSERT INTO ledger VALUES (?, ?, ?, 1, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET calls = calls + 1, n_bytes = n_bytes + excluded.n_bytes,"
        " n_in = n_in + excluded.n_in, n_out = n_out + excluded.n_out, usd = usd + excluded.usd",
        [(day, c.kind, c.identity, c.n_bytes, c.n_in, c.n_out, c.usd) for c in charges],
    )
