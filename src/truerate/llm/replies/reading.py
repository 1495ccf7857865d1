"""What every reader of replies gives back: a value or the reason why there is none, and what was cut off."""

from dataclasses import dataclass
from typing import Any

# Why a reply is unparsed:
#   empty         nothing in it, or nothing behind its heading
#   thought_only  nothing but thought in it
#   too-long      longer than any answer that is asked for (`cutting.MAX_CHARS`)
#   absent        no value, or no heading where one is needed
#   ambiguous     more than one value, one that is taken back, or one that is left open
#   malformed     a form that does not hold (a cut word, tags that do not close or are unknown)
#   altered       a text outside the tags that differs from the one that was to be tagged
#   several       more than one text where one was asked for
#   refusal       the model declined
#   no-answer     an acknowledgement alone
#   unchanged     the text that was to be changed, as it was
#   right-restated  the right text where a wrong one was asked for
REASONS = (
    "empty", "thought_only", "too-long", "absent", "ambiguous", "malformed", "altered", "several", "refusal",
    "no-answer", "unchanged", "right-restated",
)  # fmt: skip
# What was cut off before the value was read. Each reader names what it cut; rows and scores count these.
CUTS = (
    "thought", "too-long", "special-token", "next-turn", "fence", "quotes", "tags", "heading", "next-example", "preamble",
    "explanation", "json", "alternatives", "echo", "table", "list", "mark", "sign", "range", "below", "one-line",
    "label", "other-none", "other-word", "citation", "continued",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, or None and one of REASONS; `cuts` are the kinds of CUTS that were taken off, in order, each
    once.
    """

    value: Any
    reason: str | None = None
    cuts: tuple[str, ...] = ()


def nothing(cuts: tuple[str, ...]) -> Parsed:
    """Return what is read where nothing is left of a reply once it is opened: why, from what was cut off."""
    why = next((kind for kind in ("too-long", "thought") if kind in cuts), "empty")
    return Parsed(None, "thought_only" if why == "thought" else why, cuts)


def cut(result: Parsed, *asked_for: str) -> dict[str, str | None]:
    """The attribute of a row that says what was cut from its reply, but for kinds that the prompt asked for;
    empty where nothing was.
    """
    kinds = sorted(set(result.cuts) - set(asked_for))
    return {"cut": "+".join(kinds)} if kinds else {}


def joined(*cuts: tuple[str, ...]) -> tuple[str, ...]:
    """Several lists of cuts as one: each kind once, where it first stood."""
    return tuple(dict.fromkeys(kind for some in cuts for kind in some))
