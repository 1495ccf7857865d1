"""Planted error rates by model and language: probabilities in [0, 1], per sentence of a reply."""

from dataclasses import dataclass
from functools import cache

from truerate_world.data import beside
from truerate_world.draws import draw, pick_by_rate
from truerate_world.mfava.lang import LANGUAGES

_DATA = beside(__file__)

TYPES = ("entity", "relation", "contradictory", "unverifiable", "invented", "subjective")
NEAR = _DATA["near"]
CEILING = 0.6  # of all types together


@dataclass(frozen=True)
class Profile:
    """What else a model does, whatever the language.

    Of a reply: `repeats` itself, `dont_know`s, is `cut`, or comes in the `wrong_language`; `lengths` are the
    fewest and most sentences. Of a tagged passage: an `unclosed` tag, `altered` text outside the tags,
    `nothing` inserted, or the task refused (`refuses`). Of a translation: a `dropped`, a `doubled` tag, or
    two of them `swapped`. `beyond`: that a query asks for what its reference does not say. `misjudged`: that
    the wrong answer is given to whether it does.
    """

    repeats: float
    dont_know: float
    cut: float
    wrong_language: float
    lengths: tuple[int, int] = (3, 5)
    unclosed: float = 0.01
    altered: float = 0.01
    nothing: float = 0.01
    refuses: float = 0.005
    dropped: float = 0.03
    doubled: float = 0.02
    swapped: float = 0.02
    beyond: float = 0.25
    misjudged: float = 0.05


PROFILES = {name: Profile(**rates) for name, rates in _DATA["profiles"].items()}


@cache
def rates(model: str, code: str) -> dict[str, float]:
    """That a sentence of a reply is a hallucination, by type; the rest is true."""
    whole = _DATA["base"][model] * _DATA["language"][code] * _DATA["home"][model].get(code, 1.0)
    shares = zip(TYPES, _DATA["taste"][model], strict=True)
    return {kind: round(min(CEILING, whole) * share, 6) for kind, share in shares}


def drawn_type(model: str, code: str, *key: object) -> str | None:
    """Which type of hallucination a sentence will be, None for a true one."""
    return pick_by_rate(rates(model, code), *key, "type")


def flaw(model: str, code: str, *key: object) -> str | None:
    """How a reply as a whole fails (None for most); languages with less scale `wrong_language` up."""
    profile = PROFILES[model]
    flaws = {name: getattr(profile, name) for name in ("repeats", "dont_know", "cut")}
    flaws["wrong_language"] = profile.wrong_language * _DATA["language"][code]
    return pick_by_rate(flaws, *key, "flaw")


def other_language(code: str, *key: object) -> str:
    """The language that a reply slips into: mostly English."""
    return "en" if code != "en" else LANGUAGES[1 + int(draw(*key, "slip") * 2)]
