"""Requests on their way: what is known of one before it is sent, the outcome of its claim, and its end."""

from dataclasses import dataclass, field, replace
from enum import Enum

from truerate.llm.keys import Target
from truerate.llm.request import Request
from truerate.llm.store.budget import Charge, bound, contents, price
from truerate.llm.store.responses import DeadLetter, StoredReply, is_final
from truerate.llm.transport.verdict import Verdict, is_cut, n_words

MORE_IN, MORE_OUT = 2_000_000, 200_000  # tokens that a server may count beyond ten times our bounds


class Claim(Enum):
    """What becomes of a request that is to be sent, where it is not answered already."""

    MINE = "fits"  # send it
    BUSY = "busy"  # another process sends it
    FULL = "full"  # as many are under way as may be, or as are this process's part of them
    WAIT = "later"  # what is under way may use up the budget
    STOP = "never"  # it could pass the budget


Outcome = StoredReply | DeadLetter | Claim | None  # of a claim; None where nothing was claimed


@dataclass(slots=True, eq=False)
class Job:
    """One request that is not answered yet, with the upper bounds of its cost."""

    key: bytes
    target: Target
    request: Request
    n_in: int = 0
    n_out: int = 0
    usd: float = 0.0
    attempts: int = 0
    delay: float = 0.0
    factor: float = 1.0

    def __post_init__(self) -> None:
        self.n_in, self.n_out = bound(self.target, self.request)
        self.pay(self.target.factor)

    def pay(self, factor: float) -> None:
        """Bound the cost at so much of the price: a batch's, or 1 online."""
        self.factor = factor
        self.usd = self.price(self.n_in, self.n_out)

    def price(self, n_in: float, n_out: float) -> float:
        """USD of so many prompt and completion tokens, as the request is asked."""
        return self.factor * price(self.target, n_in, n_out)

    @property
    def keeps_cut(self) -> bool:
        """Whether a reply that ends at its limit of tokens is kept."""
        return self.target.keeps_cut(self.request)

    def is_settled_by(self, answer: StoredReply | DeadLetter) -> bool:
        """Return whether a stored answer stands for this request."""
        texts = contents(self.request)
        return is_final(answer, self.target.address, keeps_cut=self.keeps_cut, contents=texts)

    def read_whole(self, verdict: Verdict) -> Verdict:
        """The verdict on a kept reply; dead if the server counted fewer prompt tokens, cached included, than
        words.
        """
        texts = contents(self.request)
        if verdict.action != "keep" or not is_cut(texts, verdict.n_in):
            return verdict
        n_in = (verdict.n_in or 0) + verdict.n_cached
        if not is_cut(texts, n_in):
            return replace(verdict, n_in=n_in)
        what = (
            f"the server counted {n_in:,} prompt tokens for {n_words(texts):,} words: it read a part of them"
        )
        return replace(verdict, action="dead", reason="prompt_cut", detail=what)

    def counted(self, verdict: Verdict) -> Verdict:
        """A verdict without token counts far beyond our bounds, which would use up a budget."""
        is_in = (verdict.n_in or 0) <= 10 * self.n_in + MORE_IN
        is_out = (verdict.n_out or 0) <= 10 * self.n_out + MORE_OUT
        if is_in and is_out:
            return verdict
        return replace(verdict, n_in=verdict.n_in if is_in else None, n_out=verdict.n_out if is_out else None)

    def charge(self, kind: str, n_in: int | None, n_out: int | None) -> Charge:
        """The charge of one call by the endpoint's own count, or by the bound where it gave none."""
        if n_in is None or n_out is None:
            kind, n_in, n_out = "uncounted" if kind == "reply" else kind, self.n_in, self.n_out
        return Charge(kind, self.target.identity, self.n_in, n_in, n_out, self.price(n_in, n_out))

    def lost(self) -> Charge:
        """The charge of a call that was sent and brought no answer."""
        return Charge("lost", self.target.identity, self.n_in, self.n_in, self.n_out, self.usd)


@dataclass(slots=True, eq=False)
class Settled:
    """The end of one claim: a reply, a dead letter, or neither."""

    job: Job
    answer: StoredReply | DeadLetter | None = None
    extra: bytes | None = None
    charges: list[Charge] = field(default_factory=list)
