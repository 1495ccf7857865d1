"""What an answer of an endpoint means for its request, and the reasons why there is none."""

import re
from dataclasses import dataclass
from typing import Literal

from truerate.core.text import clean

Action = Literal["keep", "retry", "dead", "fatal"]
# Retried, at most `llm.max_attempts` times; the last one then names the dead letter (`unreachable` stops the
# run instead).
RETRIED = (
    "rate_limited", "server_error", "not_ready", "timeout", "connection", "unreachable",
    "bad_http", "bad_json", "html", "not_a_completion", "no_choices", "empty",
)  # fmt: skip
DEAD = (
    "refusal", "content_filter", "context_length", "prompt_cut", "length", "rejected", "too_large", "unstorable",
)  # fmt: skip
FATAL = ("unauthorised", "forbidden", "wrong_model", "quota")
# a reply in which nothing but thought stands, or that was cut before anything else: no answer, though nothing
# is to be asked again
THOUGHT_ONLY = "thought_only"
REASONS = (*RETRIED, *DEAD, *FATAL, THOUGHT_ONLY)
# What a single request brings upon itself, as an outcome of its row; every other reason of a dead letter is a
# fault of the endpoint.
OUTCOMES = ("refusal", "content_filter", "context_length", "prompt_cut", "length", "empty", THOUGHT_ONLY)
FAULTS = tuple(reason for reason in (*RETRIED, *DEAD) if reason not in OUTCOMES)
_SECRET = re.compile(r"\b(?:sk|pk)-[A-Za-z0-9_\-*.]{6,}|\bBearer \S+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with an answer, and what it brought.

    `delay`: seconds that the server asks to wait; `resets_at`: epoch seconds when its limit resets.
    `is_charged`: it may cost something without usage. `is_answered`: there was a completion. `served`: the
    model that says it answered. `n_cached`: prompt tokens from a cache, beside or within `n_in`.
    """

    action: Action
    reason: str = ""
    detail: str = ""
    delay: float | None = None
    resets_at: float | None = None
    text: str = ""
    finish: str | None = None
    n_in: int | None = None
    n_out: int | None = None
    n_cached: int = 0
    extra: bytes | None = None
    is_charged: bool = False
    is_answered: bool = False
    served: str | None = None


def short(words: str) -> str:
    """At most 200 characters on one line, anything that looks like a key removed."""
    return _SECRET.sub("[key]", " ".join(clean(words).split()))[:200]
