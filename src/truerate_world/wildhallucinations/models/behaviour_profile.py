"""Planted rates of replies, facts and verdicts: probabilities in [0, 1]."""

from dataclasses import dataclass, replace

from truerate_world.data import beside
from truerate_world.models import COVERAGE, SEARCH, base


@dataclass(frozen=True)
class Profile:
    """What a model does on the web's tasks.

    Replies. `coverage`: share of entities it knows, for the least and the most popular. `abstention`: that it
    declines where it does not know. `false`: that a sentence is false, about entities it knows and others;
    for rare ones it is RARER times that. `invented`: that one states what no source has. `repeated`,
    `titled`, `vague`: that a reply says a fact again, that the entity is called what it is called, that there
    is an opinion. `polite`: that it holds words that look like an abstention and are none. `length`: fewest
    and most sentences.

    Facts. `missed`: that a sentence gets no line; `merged`: that two facts stay in one line; `malformed`:
    that a line cannot be read.

    Verdicts. `tpr`: that a claim is called not supported where the passages do not support it; `fpr`: where
    they do. `slips`: that a verdict is turned where several claims are judged at once. `unparsed`: that a
    claim gets no verdict.
    """

    coverage: tuple[float, float]
    abstention: float
    false: tuple[float, float]
    invented: float
    repeated: float
    titled: float
    vague: float
    polite: float
    length: tuple[int, int]
    missed: float = 0.02
    merged: float = 0.03
    malformed: float = 0.02
    tpr: float = 0.90
    fpr: float = 0.06
    slips: float = 0.02
    unparsed: float = 0.01


RARER = 1.5
_MOST = 0.9  # the highest rate of false sentences


_DATA = beside(__file__)
PROFILES = {
    name: Profile(COVERAGE[name], **_DATA["usual"] | rates) for name, rates in _DATA["models"].items()
}


def profile_of(model: str) -> Profile:
    """Return a model's profile; with retrieval it knows more and errs less."""
    profile = PROFILES[base(model)]
    if not model.endswith(SEARCH):
        return profile
    low, high = (1 - 0.3 * (1 - p) for p in profile.coverage)
    false = (0.7 * profile.false[0], 0.6 * profile.false[1])
    return replace(profile, coverage=(low, high), abstention=profile.abstention / 2, false=false)


def p_false(profile: Profile, *, is_known: bool, is_rare: bool) -> float:
    """That a sentence about an entity is false."""
    rate = profile.false[0 if is_known else 1]
    return min(_MOST, rate * RARER) if is_rare else rate
