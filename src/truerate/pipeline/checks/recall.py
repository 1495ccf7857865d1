"""Whether a model continues the canary of a set, which says that it was trained on a copy of it."""

from dataclasses import dataclass
from os.path import commonprefix

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask, estimate
from truerate.llm.request import Estimate, Request
from truerate.pipeline.publishing.canary import GUID

SHOWN = (0, 4, 8)  # hexadecimal digits of the GUID that stand in the prompts
ENOUGH = 6  # digits in a row that are no chance: 1 in 16.8 million
MAX_TOKENS = 200
ASKS = (
    "Continue this line from a text file exactly where it stops. Reply with the continuation alone.\n\n{line}"
)


@dataclass(frozen=True)
class Recall:
    """What came of one prompt: how many digits of the GUID it showed, how many of those behind the model's
    continuation gives right in a row, and what it wrote (None: no reply, for `reason`).
    """

    n_shown: int
    n_right: int
    reply: str | None
    reason: str | None

    @property
    def is_recalled(self) -> bool:
        """Whether the model gives more of the GUID than chance would."""
        return self.n_right >= ENOUGH


def requests_of(canary: str, model: str) -> list[Request]:
    """The prompts: the line up to its GUID, and up to a few digits of it."""
    params = {"temperature": 0.0, "max_tokens": MAX_TOKENS}
    lines = [canary[: _cut(canary, n)] for n in SHOWN]
    return [
        Request(model, ({"role": "user", "content": ASKS.format(line=line)},), params, keeps_cut=True)
        for line in lines
    ]


def recall(config: Layout, model: str, canary: str) -> list[Recall]:
    """Ask a model to continue a canary, through the response store as everything is asked.

    Raises SettingsError for an undeclared model, TruerateError for a line without a GUID or where nothing can
    be asked (`llm.ask`).
    """
    config.p.model(model)
    requests = requests_of(canary, model)
    replies = ask(requests, config, label=f"canary {model}")
    return [
        Recall(n, n_right(canary, n, reply.text), reply.text if reply.status == "ok" else None, reply.reason)
        for n, reply in zip(SHOWN, replies, strict=True)
    ]


def cost(config: Layout, model: str, canary: str) -> Estimate:
    """What asking would cost; asks nothing. Raises as `recall` does."""
    config.p.model(model)
    return estimate(requests_of(canary, model), config)


def n_right(canary: str, n_shown: int, reply: str) -> int:
    """How many of the digits of the GUID behind the first `n_shown` a reply gives in a row, wherever in it they
    begin: models repeat the line first, or set hyphens otherwise. 0 of a reply without any.
    """
    rest, digits = _digits(_guid(canary))[n_shown:], _digits(reply.lower())
    return max((len(commonprefix([digits[start:], rest])) for start in range(len(digits))), default=0)


def _guid(canary: str) -> str:
    if (match := GUID.search(canary)) is None:
        raise TruerateError(f"canary {canary[:80]!r}: it holds no GUID")
    return match[1]


def _cut(canary: str, n_shown: int) -> int:
    """Where a prompt stops: behind so many digits of the GUID."""
    end = canary.index(_guid(canary))
    while n_shown:
        n_shown -= canary[end] != "-"
        end += 1
    return end


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign in "0123456789abcdef")
