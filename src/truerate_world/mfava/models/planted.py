"""What is planted in the simulated models of the wiki: how often, by model and language, a reply, a passage
or a translation goes wrong.

Every number is a probability in [0, 1]. Rates of hallucination are per sentence of a reply.
"""

from dataclasses import dataclass
from functools import cache

from truerate_world.data import beside
from truerate_world.draws import draw
from truerate_world.mfava.lang import LANGUAGES

_DATA = beside(__file__)

TYPES = ("entity", "relation", "contradictory", "unverifiable", "invented", "subjective")
NEAR = _DATA["near"]
CEILING = 0.6  # of all types together

_BASE = _DATA["base"]
_LANGUAGE = _DATA["language"]
# languages that a model is better (or worse) at than its others, so that no one order of models holds
# everywhere
_HOME = {
    ("sim-birch", "fr"): 0.6,
    ("sim-birch", "de"): 0.75,
    ("sim-cedar", "tr"): 0.6,
    ("sim-dogwood", "zh"): 0.45,
    ("sim-dogwood", "en"): 1.25,
    ("sim-elm", "ar"): 0.75,
    ("sim-aster", "zh"): 1.5,
}
_TASTE = _DATA["taste"]


@dataclass(frozen=True)
class Profile:
    """What else a model does, whatever the language.

    Of a reply: `repeats` itself, `dont_know`s, is `cut`, or comes in the `wrong_language`; `lengths` are the
    fewest and most sentences. Of a tagged passage: an `unclosed` tag, `altered` text outside the tags,
    `nothing` inserted, or the task refused (`refuses`). Of a translation: a `dropped`, a `doubled` tag, or two
    of them `swapped`. `beyond`:
    that a query asks for what its reference does not say. `misjudged`: that the wrong answer is given to
    whether it does.
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


PROFILES = {
    "sim-quill": Profile(0.01, 0.03, 0.01, 0.01),
    "sim-aster": Profile(0.01, 0.05, 0.01, 0.005, (3, 6)),
    "sim-birch": Profile(0.03, 0.03, 0.03, 0.01, (2, 5)),
    "sim-cedar": Profile(0.05, 0.01, 0.02, 0.03, (4, 8)),
    "sim-dogwood": Profile(0.02, 0.09, 0.02, 0.02, (2, 4)),
    "sim-elm": Profile(0.08, 0.01, 0.06, 0.06, (3, 7)),
}


@cache
def rates(model: str, code: str) -> dict[str, float]:
    """That a sentence of a reply is a hallucination, by type; the rest is true."""
    whole = min(CEILING, _BASE[model] * _LANGUAGE[code] * _HOME.get((model, code), 1.0))
    return {kind: round(whole * share, 6) for kind, share in zip(TYPES, _TASTE[model], strict=True)}


def drawn_type(model: str, code: str, *key: object) -> str | None:
    """Which type of hallucination a sentence will be, None for a true one."""
    left = draw(*key, "type")
    for kind, rate in rates(model, code).items():
        left -= rate
        if left < 0:
            return kind
    return None


def flaw(model: str, code: str, *key: object) -> str | None:
    """How a reply as a whole goes wrong: repeats, dont_know, cut or wrong_language; None for most. Languages
    with less scale it up.
    """
    profile, left = PROFILES[model], draw(*key, "flaw")
    for name in ("repeats", "dont_know", "cut", "wrong_language"):
        left -= getattr(profile, name) * (_LANGUAGE[code] if name == "wrong_language" else 1.0)
        if left < 0:
            return name
    return None


def other_language(code: str, *key: object) -> str:
    """The language that a reply slips into: mostly English."""
    if code != "en":
        return "en"
    return LANGUAGES[1 + int(draw(*key, "slip") * 2)]
