"""Thinking at a stated effort (`reasoning_effort` of a request): a verdict is thought over in so many steps; a wrong
one is mended at the effort's rate, a right one spoiled at SPOILS. The thought says the first verdict, the answer the last.
"""

from dataclasses import replace
from typing import NamedTuple

from truerate_world.draws import draw, pick
from truerate_world.manners import Answer
from truerate_world.prompt import Asked


class Effort(NamedTuple):
    """How many sentences a thought has before its verdict, and that a wrong verdict is mended behind it."""

    n_steps: int
    mends: float


EFFORTS = {"low": Effort(2, 0.1), "medium": Effort(8, 0.3), "high": Effort(24, 0.5)}
SPOILS = 0.02
JUDGED = ("recognition", "detect")  # tasks whose answer is a verdict alone
_STEPS = (
    "I compare the names.",
    "I compare the years.",
    "The first half is told in the source.",
    "The second half has to be looked at once more.",
    "Nothing else is claimed here.",
)


def settled(p_yes: float, effort: str | None, *, is_hallucinated: bool) -> float:
    """That a verdict is Yes once it is thought over, from what it is before."""
    if effort is None:
        return p_yes
    yes, no = (SPOILS, EFFORTS[effort].mends) if is_hallucinated else (EFFORTS[effort].mends, SPOILS)
    return round(p_yes * (1 - yes) + (1 - p_yes) * no, 6)


def thought_over(answer: Answer, effort: str, asked: Asked, *key: object) -> Answer:
    """An answer with its thought before it; one that is no verdict, or holds none, as it is."""
    first = answer.truth.get("verdict")
    if answer.task not in JUDGED or first is None:
        return answer
    truth = answer.truth
    is_hallucinated = (
        truth["is_hallucinated"] if "is_hallucinated" in truth else truth["finding"].is_hallucinated
    )
    steps, mends = EFFORTS[effort]
    is_turned = draw(*key, effort, "turned") < (SPOILS if (first == "Yes") == is_hallucinated else mends)
    last = ("No" if first == "Yes" else "Yes") if is_turned else first
    thought = " ".join(pick(_STEPS, *key, effort, number) for number in range(steps))
    line = f"#Your Judgement#: {last}" if asked.is_step_by_step else last
    text = f"<think>\n{thought}\nSo the answer is {first}.\n</think>\n\n{line}"
    return replace(
        answer, text=text, truth=truth | {"thought": first, "verdict": last, "read": last}, finish=None
    )
