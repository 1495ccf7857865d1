"""Planted strengths and weaknesses of the models; numbers are probabilities in [0, 1]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from truerate_world.data import beside
from truerate_world.draws import draw
from truerate_world.halludial.models.claims import BLATANT, SIGHTS, SUBTLE, Finding
from truerate_world.thinking import settled

AT_ZERO = 0.4  # share of the rate at temperature 1 that is left at temperature 0
CEILING = 0.9  # of a rate of hallucination
HARDNESS = (0.6, 1.4)  # by how much the entity that a turn is about lowers or raises every model's rate
NATURAL = {SUBTLE: 0.85, BLATANT: 0.15}  # how visible a hallucination of a response is
INDUCED = {SUBTLE: 0.05, BLATANT: 0.95}  # and one that was asked for
SEEN_WITH_REFERENCE = 0.7  # of what a judge misses, the share that it sees with the reference in view
ALARMED_WITH_REFERENCE = 0.4  # of its false alarms, the share that is left then
LOCATED_SHIFT = (0.04, -0.02)  # what three examples and the task to give a reason add to (tpr, fpr)


@dataclass(frozen=True)
class Failures:
    """How what was to be written fails. Of a response: it is `too_long`, `empty`, a `refusal`, or `generic`.
    Of an induced one: it is `induced_too_long`, `restated` (the right one again), its segment stands nowhere
    (`unlocated`) or is not given (`unsaid`), or it is refused (`declined`).
    """

    too_long: float = 0.03
    empty: float = 0.01
    refusal: float = 0.01
    generic: float = 0.04
    induced_too_long: float = 0.04
    restated: float = 0.03
    unlocated: float = 0.03
    unsaid: float = 0.01
    declined: float = 0.01
    matched_too_long: float = 0.03


@dataclass(frozen=True)
class Model:
    """What a simulated model can and cannot do.

    `hallucination`: that a response at temperature 1 is hallucinated, on entities of medium hardness.
    `contradicting`: the share of these that contradict what is given. `spread`: by how much (a factor) the
    rate grows after an own earlier falsehood. `telling`: that a response tells a second fact. `tpr`: that a
    response is called hallucinated, by how its most visible part is one; `fpr`: that a faithful one is.
    `locating`: that the segments it names are the right ones. `comparing`: that of two responses the
    hallucinated one is named, by how visible that is; `position_bias`: that the first one is, whatever they
    say. `confirming`: that an accurate evaluation is called so; `objecting`: that an inaccurate one is.
    `unparsed`: that a verdict, a choice or an accuracy cannot be read.

    Subtle parts, which most natural hallucinations are, are seen far less often than blatant ones, so that
    judges do as in the paper: what follows from its Table 8 is a TPR of .46 on spontaneous responses against
    .76 on induced ones for GPT-4-0125, .12 against .55 for GPT-3.5.
    """

    name: str
    hallucination: float
    contradicting: float
    spread: float
    telling: float
    tpr: Mapping[tuple[str, str], float]
    fpr: float
    locating: float
    comparing: Mapping[str, float]
    position_bias: float
    confirming: float
    objecting: float
    unparsed: float
    failures: Failures = field(default_factory=Failures)
    effort: str | None = None

    def rate(self, temperature: float, subject: int | None = None, *, is_strayed: bool = False) -> float:
        """That a response hallucinates: it rises with the temperature, with the hardness of its entity, and
        after a falsehood of the conversation before.
        """
        heat = AT_ZERO + (1 - AT_ZERO) * temperature
        hard = 1.0 if subject is None else HARDNESS[0] + (HARDNESS[1] - HARDNESS[0]) * draw("hard", subject)
        return min(CEILING, self.hallucination * heat * hard * (self.spread if is_strayed else 1.0))

    def p_yes(self, finding: Finding, *, variant: str = "zero-shot", has_reference: bool = False) -> float:
        """That a judgement with a verdict says *hallucinated*."""
        if self.effort and variant == "zero-shot" and not has_reference:
            before = replace(self, effort=None).p_yes(finding)
            return settled(before, self.effort, is_hallucinated=finding.is_hallucinated)
        tpr_more, fpr_more = (0.0, 0.0) if variant == "zero-shot" else LOCATED_SHIFT
        if finding.sight is None:
            alarm = self.fpr * ALARMED_WITH_REFERENCE if has_reference else self.fpr + fpr_more
            return _bounded(alarm)
        value = self.tpr[finding.sight]
        return _bounded(value + (1 - value) * SEEN_WITH_REFERENCE if has_reference else value + tpr_more)

    def p_named(self, finding: Finding) -> float:
        """That of two responses this hallucinated one is named, where no bias decides."""
        return self.comparing[finding.sight[1] if finding.sight else SUBTLE]

    def p_accurate(self, is_accurate: bool) -> float:
        """That an evaluation is called accurate."""
        return self.confirming if is_accurate else 1 - self.objecting


def _bounded(p: float) -> float:
    return round(min(0.99, max(0.01, p)), 6)


def _model(name: str, tpr: Mapping[str, Sequence[float]], failures: Mapping[str, float], **rates) -> Model:
    """A model of `profiles.yaml`: each kind of hallucination gives its blatant and its subtle rate."""
    by_sight = {(kind, level): tpr[kind][(BLATANT, SUBTLE).index(level)] for kind, level in SIGHTS}
    return Model(name, tpr=by_sight, failures=Failures(**failures), **rates)


PROFILES = {
    name: _model(name, **{"failures": {}} | rates) for name, rates in beside(__file__)["models"].items()
}
