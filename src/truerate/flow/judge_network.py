"""A published detector as a judge behind an address: it marks tokens, and verdict, segments and reason are
composed of its marks, as within a build.

A judge that was fitted decides as it learned to (`decision.json` beside its network); any other token
detector decides by one half.
"""

import re
from pathlib import Path

import polars as pl

from truerate.core.schemas import SPANS, read_json
from truerate.flow.judge_prompts import Asked, reply
from truerate.flow.judge_server import Judge, refuse_own

NETWORK = "network"  # the part of a fitted detector's folder that holds its weights
TURN = re.compile(r"^(User|Assistant): ?", re.MULTILINE)
SPEAKERS = {
    "User": "[Human]: ",
    "Assistant": "[Assistant]: ",
}  # as the turns of sources begin, which detectors learn from


def network_judge(weights: str) -> tuple[Judge, str]:
    """A judge by the weights in a folder or of a repository at a revision (`org/name@v1.0`), and what names
    these weights wherever they lie.

    Raises TruerateError, one line, for weights of this build, of no revision, or that are no token detector.
    """
    from truerate.detectors.judges.cells import DECISION
    from truerate.detectors.judges.decision import Decision
    from truerate.detectors.judges.tiny import NOTHING, judged
    from truerate.detectors.tokens.networks import readings
    from truerate.detectors.tokens.pretrained import TokenDetector
    from truerate.detectors.weights import identity_of

    refuse_own(weights)
    name, _, revision = (weights, "", "") if Path(weights).is_dir() else weights.partition("@")
    inner, learned = Path(name) / NETWORK, Path(name) / DECISION
    place = str(inner) if inner.is_dir() else name
    network = TokenDetector.from_pretrained(place, revision=revision or None).network
    decision = Decision(**read_json(learned)) if learned.is_file() else Decision()

    def judge(question: Asked) -> str:
        if not question.response.strip():  # says nothing, so nothing of it is made up
            return reply(question, is_hallucinated=False, reason="")
        read = dict(readings(network, passage_of(question), network.backbone))
        told = {"knowledge": question.knowledge, "conversation": question.conversation}
        said = judged(question.response, read.get("", NOTHING), decision, **told)
        return reply(question, is_hallucinated=bool(said.verdict), reason=said.rationale or "")

    return judge, identity_of(name if learned.is_file() else place, revision or None)


def passage_of(question: Asked) -> pl.DataFrame:
    """The response as detectors get it, in one row, with knowledge and conversation as its reference."""
    from truerate.detectors.judges.conversations import reference_of

    history, answered = turns_of(question.conversation)
    names = dict.fromkeys(("target_id", "item_id", "group_id", "lang", "task"), "")
    row = names | {"text": question.response, "spans": []}
    row |= {"reference": reference_of(question.knowledge, history, answered)}
    return pl.DataFrame([row], schema_overrides={"spans": SPANS})


def turns_of(conversation: str) -> tuple[str, str]:
    """The turns before the one that is answered, as sources write them, and that one, which is a person's
    last.
    """
    lines = TURN.sub(lambda turn: SPEAKERS[turn[1]], conversation).splitlines()
    last = max(
        (place for place, line in enumerate(lines) if line.startswith(tuple(SPEAKERS.values()))), default=-1
    )
    if last < 0 or not lines[last].startswith(SPEAKERS["User"]):
        return "\n".join(lines), ""
    answered = "\n".join([lines[last].removeprefix(SPEAKERS["User"]), *lines[last + 1 :]])
    return "\n".join(lines[:last]), answered
