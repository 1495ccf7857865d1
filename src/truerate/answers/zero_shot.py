"""A declared model as the judge of answers: asked zero-shot, its replies kept in the store."""

from collections.abc import Sequence
from pathlib import Path

from truerate.answers.reading import Answer
from truerate.answers.verdicts import JUDGE, AnswerVerdict
from truerate.config.layout import Layout
from truerate.llm.prompts import render
from truerate.llm.request import Estimate, Request

PROMPTS = Path(__file__).parent / "prompts"
ROOM, PROMPT, CUE = "own_answers", "judge", "Yes or No"
DECODING = {"temperature": 0.0, "max_tokens": 64}


def requests_of(answers: Sequence[Answer], alias: str) -> list[Request]:
    """What is asked about each answer; its texts are fenced."""
    return [
        Request(
            alias,
            tuple(
                render(
                    ROOM,
                    PROMPT,
                    str(PROMPTS),
                    answer=answer.text,
                    reference=answer.reference,
                    question=answer.question,
                )
            ),
            dict(DECODING),
            keeps_cut=True,
        )
        for answer in answers
    ]


def judged(answers: Sequence[Answer], alias: str, at: Layout) -> list[AnswerVerdict]:
    """What the model says of each answer; one whose reply is dead or cannot be read has no verdict, with why."""
    from truerate.llm.ask import ask
    from truerate.llm.replies.verdicts import yes_no

    verdicts = []
    for reply in ask(requests_of(answers, alias), at, label=f"{JUDGE}{alias}"):
        if reply.status != "ok":
            verdicts.append(AnswerVerdict(None, reason=f"no reply: {reply.reason}"))
            continue
        reading = yes_no(reply.text, CUE, asks="hallucination")
        verdicts.append(
            AnswerVerdict(
                reading.value, reason=None if reading.value is not None else f"unparsed: {reading.reason}"
            )
        )
    return verdicts


def would_cost(answers: Sequence[Answer], alias: str, at: Layout) -> Estimate:
    """Calls, tokens and money of the answers that have a reference; asks nothing."""
    from truerate.llm.ask import estimate

    return estimate(requests_of([answer for answer in answers if answer.reference], alias), at)
