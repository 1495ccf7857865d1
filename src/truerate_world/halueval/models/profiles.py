"""How the simulated models write and judge candidates: planted strengths and weaknesses. Every number is a
probability in [0, 1] unless said otherwise.
"""

from dataclasses import dataclass, field

from truerate_world.halueval.models.claim_checker import PATTERNS
from truerate_world.manners import manners_of
from truerate_world.models import COVERAGE

NAMED_AGAIN = 1 / 3  # of the right answers that are said again: in a sentence around them
VARIANTS = ("plain", "knowledge", "chain-of-thought")


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
    task.
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

    def p_yes(self, task: str, variant: str, *, is_hallucinated: bool, pattern: str | None) -> float:
        """That a judgement with a verdict says *hallucinated*. A pattern that is not known counts as the mean
        of the task's.
        """
        shift = self.shifts.get(variant, (0.0, 0.0))
        if not is_hallucinated:
            return _bounded(self.fpr[task] + shift[1])
        rates = [
            self.tpr[task, name] for name in ((pattern,) if (task, pattern) in self.tpr else PATTERNS[task])
        ]
        return _bounded(sum(rates) / len(rates) + shift[0])

    def failures(self, task: str, pattern: str) -> dict[str, float]:
        """That a candidate of a pattern is none, by what it is: `refusal`, `named_again` (the right answer in a
        sentence around it), `restated` (the right text itself), or a thought that is `unfinished`.
        """
        answered = 1 - self.refusal
        again = answered * self.restating[task, pattern]
        named_again = again * NAMED_AGAIN if task == "qa" else 0.0
        unfinished = (answered - named_again) * manners_of(self.name).unfinished
        restated = (again - named_again) * (1 - manners_of(self.name).unfinished)
        return {
            "refusal": self.refusal,
            "named_again": named_again,
            "restated": restated,
            "unfinished": unfinished,
        }

    def failure(self, task: str, pattern: str) -> float:
        """That a candidate of a pattern is none, for whichever reason."""
        return sum(self.failures(task, pattern).values())

    def too_long(self, task: str, pattern: str) -> float:
        """That a candidate that can be read breaks the rule of length: the right text again, in a sentence or
        not, keeps to it; a refusal or a thought that is cut is no candidate.
        """
        found = self.failures(task, pattern)
        came = 1 - found["refusal"] - found["unfinished"]
        return (came - found["named_again"] - found["restated"]) / came * self.verbosity


def _bounded(p: float) -> float:
    return round(min(0.99, max(0.01, p)), 6)


def _by_pattern(**rates: tuple[float, ...]) -> dict[tuple[str, str], float]:
    """Rates in the order of `PATTERNS`, keyed by task and pattern."""
    return {
        (task, pattern): rate
        for task, found in rates.items()
        for pattern, rate in zip(PATTERNS[task], found, strict=True)
    }


def _general(non_factual: float, unverifiable: float, irrelevant: float) -> dict[str, float]:
    return {"non-factual": non_factual, "unverifiable": unverifiable, "irrelevant": irrelevant}


def _tasks(qa: float, dialogue: float, summarization: float, general: float = 0.0) -> dict[str, float]:
    return {"qa": qa, "dialogue": dialogue, "summarization": summarization, "general": general}


_TASTE = {
    "qa": {"comprehension": 0.3, "factualness": 0.4, "specificity": 0.1, "inference": 0.2},
    "dialogue": {"extrinsic-soft": 0.5, "extrinsic-hard": 0.2, "extrinsic-grouped": 0.3},
    "summarization": {"factual": 0.2, "non-factual": 0.5, "intrinsic": 0.3},
}

PROFILES = {
    model.name: model
    for model in (
        Model(
            "sim-quill",
            coverage=COVERAGE["sim-quill"],
            abstention=0.25,
            hallucination=_general(0.05, 0.03, 0.02),
            restating=_by_pattern(
                qa=(0.03, 0.02, 0.06, 0.04), dialogue=(0.03, 0.02, 0.03), summarization=(0.05, 0.03, 0.04)
            ),
            refusal=0.01,
            malformed=0.04,
            verbosity=0.03,
            tpr=_by_pattern(
                qa=(0.80, 0.86, 0.72, 0.75),
                dialogue=(0.74, 0.92, 0.83),
                summarization=(0.68, 0.82, 0.78),
                general=(0.72, 0.80, 0.85),
            ),
            fpr=_tasks(0.12, 0.14, 0.10, 0.08),
            shifts={"knowledge": (0.10, -0.06), "chain-of-thought": (0.03, -0.02)},
            contrast=_tasks(0.82, 0.84, 0.78),
            unparsed=0.01,
            filtering=0.85,
            position_bias=0.10,
            refining=_tasks(0.85, 0.80, 0.78, 0.70),
            taste=_TASTE,
        ),
        Model(
            "sim-aster",
            coverage=COVERAGE["sim-aster"],
            abstention=0.30,
            hallucination=_general(0.03, 0.02, 0.01),
            restating=_by_pattern(
                qa=(0.04, 0.03, 0.10, 0.06), dialogue=(0.05, 0.02, 0.04), summarization=(0.08, 0.04, 0.05)
            ),
            refusal=0.02,
            malformed=0.03,
            verbosity=0.05,
            tpr=_by_pattern(
                qa=(0.84, 0.90, 0.70, 0.80),
                dialogue=(0.78, 0.95, 0.88),
                summarization=(0.66, 0.88, 0.84),
                general=(0.74, 0.84, 0.88),
            ),
            fpr=_tasks(0.08, 0.10, 0.07, 0.05),
            shifts={"knowledge": (0.08, -0.05), "chain-of-thought": (0.03, -0.02)},
            contrast=_tasks(0.88, 0.90, 0.84),
            unparsed=0.01,
            filtering=0.88,
            position_bias=0.06,
            refining=_tasks(0.90, 0.86, 0.84, 0.78),
            taste=_TASTE,
        ),
        Model(
            "sim-birch",
            coverage=COVERAGE["sim-birch"],
            abstention=0.15,
            hallucination=_general(0.12, 0.07, 0.04),
            restating=_by_pattern(
                qa=(0.07, 0.05, 0.15, 0.09), dialogue=(0.08, 0.04, 0.06), summarization=(0.12, 0.07, 0.08)
            ),
            refusal=0.03,
            malformed=0.08,
            verbosity=0.15,
            tpr=_by_pattern(
                qa=(0.66, 0.74, 0.50, 0.60),
                dialogue=(0.58, 0.82, 0.70),
                summarization=(0.46, 0.66, 0.60),
                general=(0.50, 0.62, 0.66),
            ),
            fpr=_tasks(0.14, 0.18, 0.12, 0.08),
            shifts={"knowledge": (0.14, -0.06), "chain-of-thought": (-0.02, 0.01)},
            contrast=_tasks(0.70, 0.76, 0.66),
            unparsed=0.02,
            filtering=0.75,
            position_bias=0.15,
            refining=_tasks(0.75, 0.70, 0.66, 0.60),
            taste=_TASTE,
        ),
        Model(
            "sim-cedar",
            coverage=COVERAGE["sim-cedar"],
            abstention=0.05,
            hallucination=_general(0.20, 0.10, 0.06),
            restating=_by_pattern(
                qa=(0.10, 0.08, 0.20, 0.12), dialogue=(0.12, 0.05, 0.09), summarization=(0.16, 0.10, 0.12)
            ),
            refusal=0.01,
            malformed=0.15,
            verbosity=0.35,
            tpr=_by_pattern(
                qa=(0.80, 0.82, 0.74, 0.78),
                dialogue=(0.80, 0.90, 0.84),
                summarization=(0.72, 0.80, 0.76),
                general=(0.70, 0.74, 0.78),
            ),
            fpr=_tasks(0.42, 0.45, 0.38, 0.30),
            shifts={"knowledge": (0.06, -0.16), "chain-of-thought": (-0.04, -0.10)},
            contrast=_tasks(0.66, 0.70, 0.62),
            unparsed=0.04,
            filtering=0.68,
            position_bias=0.22,
            refining=_tasks(0.66, 0.60, 0.55, 0.50),
            taste=_TASTE,
        ),
        Model(
            "sim-dogwood",
            coverage=COVERAGE["sim-dogwood"],
            abstention=0.50,
            hallucination=_general(0.15, 0.12, 0.05),
            restating=_by_pattern(
                qa=(0.14, 0.10, 0.24, 0.16), dialogue=(0.15, 0.08, 0.12), summarization=(0.20, 0.12, 0.15)
            ),
            refusal=0.08,
            malformed=0.12,
            verbosity=0.10,
            tpr=_by_pattern(
                qa=(0.34, 0.44, 0.22, 0.30),
                dialogue=(0.36, 0.58, 0.46),
                summarization=(0.22, 0.36, 0.30),
                general=(0.24, 0.34, 0.40),
            ),
            fpr=_tasks(0.10, 0.13, 0.07, 0.04),
            shifts={"knowledge": (0.22, -0.03), "chain-of-thought": (0.10, 0.03)},
            contrast=_tasks(0.58, 0.62, 0.54),
            unparsed=0.06,
            filtering=0.62,
            position_bias=0.28,
            refining=_tasks(0.55, 0.50, 0.45, 0.40),
            taste=_TASTE,
        ),
        Model(
            "sim-elm",
            coverage=COVERAGE["sim-elm"],
            abstention=0.02,
            hallucination=_general(0.30, 0.15, 0.10),
            restating=_by_pattern(
                qa=(0.20, 0.16, 0.30, 0.22), dialogue=(0.20, 0.12, 0.16), summarization=(0.26, 0.18, 0.20)
            ),
            refusal=0.04,
            malformed=0.25,
            verbosity=0.50,
            tpr=_by_pattern(
                qa=(0.52, 0.56, 0.48, 0.50),
                dialogue=(0.55, 0.64, 0.60),
                summarization=(0.50, 0.56, 0.52),
                general=(0.48, 0.50, 0.54),
            ),
            fpr=_tasks(0.46, 0.48, 0.44, 0.42),
            shifts={"knowledge": (0.10, -0.10), "chain-of-thought": (0.02, 0.02)},
            contrast=_tasks(0.51, 0.53, 0.50),
            unparsed=0.10,
            filtering=0.54,
            position_bias=0.40,
            refining=_tasks(0.40, 0.36, 0.30, 0.28),
            taste=_TASTE,
        ),
    )
}


def planted(model: str) -> dict:
    """All planted numbers of a model: rates by (task, pattern), by task and overall, as its fields name them."""
    known = PROFILES[model]
    return {
        "tpr": {
            (task, pattern, variant): known.p_yes(task, variant, is_hallucinated=True, pattern=pattern)
            for task, pattern in known.tpr
            for variant in VARIANTS
        },
        "fpr": {
            (task, variant): known.p_yes(task, variant, is_hallucinated=False, pattern=None)
            for task in known.fpr
            for variant in VARIANTS
        },
        "unparsed_rate": known.unparsed,
        "candidate_failure_rate": {key: known.failure(*key) for key in known.restating},
        "verbosity": known.verbosity,
        "malformed": known.malformed,
        "contrast": known.contrast,
        "filtering": known.filtering,
        "position_bias": known.position_bias,
        "refining": known.refining,
        "hallucination": known.hallucination,
        "coverage": known.coverage,
        "abstention": known.abstention,
    }
