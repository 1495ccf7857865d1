"""How simulated models talk about entities, cut texts into facts and judge claims: planted rates, each a
probability in [0, 1].
"""

from dataclasses import dataclass, replace

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


def _talk(
    name: str, false: tuple[float, float], abstention: float, length: tuple[int, int], **more: float
) -> Profile:
    """The profile of a model that knows what COVERAGE says it knows."""
    usual = {"invented": 0.01, "repeated": 0.10, "titled": 0.10, "vague": 0.25, "polite": 0.06}
    return Profile(COVERAGE[name], abstention, false, length=length, **{**usual, **more})


PROFILES = {
    "sim-quill": _talk("sim-quill", (0.05, 0.30), 0.40, (4, 9), tpr=0.93, fpr=0.05),
    "sim-aster": _talk("sim-aster", (0.04, 0.20), 0.55, (4, 9), tpr=0.94, fpr=0.04, slips=0.01),
    "sim-birch": _talk("sim-birch", (0.08, 0.30), 0.30, (5, 10), tpr=0.88, fpr=0.08, invented=0.02),
    "sim-cedar": _talk(
        "sim-cedar",
        (0.13, 0.40),
        0.10,
        (5, 10),
        tpr=0.80,
        fpr=0.12,
        invented=0.03,
        repeated=0.30,
        titled=0.25,
    ),
    "sim-dogwood": _talk(
        "sim-dogwood", (0.10, 0.30), 0.85, (4, 7), tpr=0.70, fpr=0.10, invented=0.02, vague=0.35
    ),
    "sim-elm": _talk(
        "sim-elm",
        (0.20, 0.50),
        0.05,
        (5, 10),
        tpr=0.60,
        fpr=0.25,
        invented=0.05,
        repeated=0.40,
        titled=0.35,
        unparsed=0.05,
    ),
}


def profile_of(model: str) -> Profile:
    """The profile of a model. With retrieval it knows most of what it did not, and is wrong less often: not
    never.
    """
    own = PROFILES[base(model)]
    if not model.endswith(SEARCH):
        return own
    low, high = (1 - 0.3 * (1 - p) for p in own.coverage)
    known, unknown = own.false
    return replace(
        own, coverage=(low, high), abstention=own.abstention / 2, false=(0.7 * known, 0.6 * unknown)
    )


def p_false(found: Profile, *, is_known: bool, is_rare: bool) -> float:
    """That a sentence about an entity is false."""
    rate = found.false[0 if is_known else 1]
    return min(_MOST, rate * RARER) if is_rare else rate
