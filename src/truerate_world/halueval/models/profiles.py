"""Planted strengths and weaknesses of the models; numbers are probabilities in [0, 1]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from truerate_world.data import beside
from truerate_world.halueval.models.claim_checker import PATTERNS
from truerate_world.manners import manners_of
from truerate_world.models import COVERAGE
from truerate_world.thinking import settled

_DATA = beside(__file__)
NAMED_AGAIN = 1 / 3  # of the right answers that are said again: in a sentence around them


@dataclass(frozen=True)
class Model:
    """What a simulated model can and cannot do.

    `coverage`: share of entities it knows, for the least and the most popular. `abstention`: that it declines
    where it does not know. `hallucination`: rates of false, unsettled and off-topic sentences in free
    answers. `taste`: weights of the patterns it picks itself. `restating`: that a candidate only repeats the
    right text, by task and pattern. `refusal`, `malformed`: that a candidate is a refusal, or names no
    pattern where it should. `verbosity`: that a candidate breaks the rule of length. `tpr`: that a
    hallucinated text is called so, by task and pattern; `fpr`: that a right one is, by task. `shifts`: what a
    variant adds to (tpr, fpr). `contrast`: that of two texts the hallucinated one is named. `unparsed`: that
    a judgement gives no verdict. `filtering`: that of two candidates the more plausible is picked;
    `position_bias`: that the first is, whatever they say. `refining`: that a rewritten text is right, by
    task. `effort`: at which its verdicts are thought over.
    """

    name: str
    coverage: tuple[float, float]
    abstention: float
    hallucination: dict[str, float]
    restating: dict[tuple[str, str], float]
    refusal: float
    malformed: float
    verbosity: float
    tpr: dict[tuple[str, str], float]
    fpr: dict[str, float]
    shifts: dict[str, tuple[float, float]]
    contrast: dict[str, float]
    unparsed: float
    filtering: float
    position_bias: float
    refining: dict[str, float]
    taste: dict[str, dict[str, float]] = field(default_factory=dict)
    effort: str | None = None

    def p_yes(self, task: str, variant: str, *, is_hallucinated: bool, pattern: str | None) -> float:
        """Probability that a readable judgement is Yes; an unknown pattern counts as the mean."""
        shift = self.shifts.get(variant, (0.0, 0.0))
        if not is_hallucinated:
            return settled(_bounded(self.fpr[task] + shift[1]), self.effort, is_hallucinated=False)
        patterns = (pattern,) if (task, pattern) in self.tpr else PATTERNS[task]
        rates = [self.tpr[task, name] for name in patterns]
        return settled(_bounded(sum(rates) / len(rates) + shift[0]), self.effort, is_hallucinated=True)

    def failures(self, task: str, pattern: str) -> dict[str, float]:
        """Probability of each way in which a candidate of a pattern is none."""
        answered = 1 - self.refusal
        rate = answered * self.restating[task, pattern]
        named_again = rate * NAMED_AGAIN if task == "qa" else 0.0
        unfinished = (answered - named_again) * manners_of(self.name).unfinished
        restated = (rate - named_again) * (1 - manners_of(self.name).unfinished)
        rates = {"refusal": self.refusal, "named_again": named_again}
        return rates | {"restated": restated, "unfinished": unfinished}

    def failure(self, task: str, pattern: str) -> float:
        """That a candidate of a pattern is none, for whichever reason."""
        return sum(self.failures(task, pattern).values())

    def too_long(self, task: str, pattern: str) -> float:
        """Probability that a readable candidate breaks the rule of length."""
        values_by_name = self.failures(task, pattern)
        came = 1 - values_by_name["refusal"] - values_by_name["unfinished"]
        return (came - values_by_name["named_again"] - values_by_name["restated"]) / came * self.verbosity


def _bounded(p: float) -> float:
    return round(min(0.99, max(0.01, p)), 6)


def _by_pattern(rates: Mapping[str, Sequence[float]]) -> dict[tuple[str, str], float]:
    """Rates in the order of `PATTERNS`, keyed by task and pattern."""
    return {
        (task, pattern): rate
        for task, by_pattern in rates.items()
        for pattern, rate in zip(PATTERNS[task], by_pattern, strict=True)
    }


PROFILES = {
    name: Model(
        name,
        COVERAGE[name],
        taste=_DATA["taste"],
        **rates | {"restating": _by_pattern(rates["restating"]), "tpr": _by_pattern(rates["tpr"])},
    )
    for name, rates in _DATA["models"].items()
}
