"""A published detector as a judge behind an address: it marks tokens or words, and verdict, segments and
reason are composed of its marks, as within a build; a decoder writes its reason itself.

A judge that was fitted decides as it learned to (`decision.json` beside its network); any other token
detector decides by one half.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from truerate.core.schemas import SPANS, read_json
from truerate.pipeline.judges.judge_prompts import Asked, choice, reply
from truerate.pipeline.judges.judge_server import Judge, refuse_own

if TYPE_CHECKING:
    from truerate.detectors.judges.judged import Judged

Says = Callable[[Asked], "Judged"]
TOO_LONG = "The response is too long to be judged."  # no verdict, for whoever reads it
NETWORK = "network"  # the part of a fitted detector's folder that holds its weights
TURN = re.compile(r"^(User|Assistant): ?", re.MULTILINE)
SPEAKERS = {
    "User": "[Human]: ",
    "Assistant": "[Assistant]: ",
}  # as the turns of sources begin, which detectors learn from


def network_judge(weights: str) -> tuple[Judge, str]:
    """A judge by the weights of a folder or of a repository at a revision (`org/name@v1.0`), and their
    identity. Raises TruerateError for weights of this build, without a revision, or of no token detector.
    """
    from truerate.detectors.fetched import identity_of
    from truerate.detectors.judges.trees import fetched, is_marker

    refuse_own(weights)
    name, _, revision = (weights, "", "") if Path(weights).is_dir() else weights.partition("@")
    trees = Path(name) if is_marker(Path(name)) else None
    if revision:
        trees = fetched(name, revision)
    shape = Path(name) / NETWORK / "network.json"
    if trees:  # its words are marked by trees
        from truerate.detectors.judges.trees import Marker

        marker = Marker.load(trees)
        says, weights_path = (lambda question: marker.judge(passage_of(question))[0]), name
    elif shape.is_file() and "labels" not in read_json(shape):  # token detectors name labels: this one writes
        says, weights_path = _by_decoder(Path(name)), name
    else:
        says, weights_path = _by_network(name, revision)
    return partial(_answer, says), identity_of(weights_path, revision or None)


def _answer(says: Says, question: Asked) -> str:
    """The reply to a question by what a judge says of a response, of two the likelier one. A blank response
    says nothing, so nothing of it is made up.
    """
    from truerate.detectors.judges.judged import Judged

    def judged_of(response: str) -> Judged:
        return (
            says(question._replace(response=response)) if response.strip() else Judged(False, 0.0, [], None)
        )

    if question.other is not None:
        first, second = judged_of(question.response).p, judged_of(question.other).p
        return TOO_LONG if first is None or second is None else choice(first, second)
    judged = judged_of(question.response)
    if judged.verdict is None:
        return TOO_LONG
    return reply(question, is_hallucinated=judged.verdict, reason=judged.rationale or "")


def _by_network(name: str, revision: str) -> tuple[Says, str]:
    """A judge whose tokens are marked by a network, and the place that names it."""
    from truerate.detectors.judges.decision import Decision
    from truerate.detectors.judges.judged import DECISION, judged_all, load_decision
    from truerate.detectors.tokens.pretrained import TokenDetector
    from truerate.detectors.tokens.train import readings

    inner, decision_file = Path(name) / NETWORK, Path(name) / DECISION
    weights = str(inner) if inner.is_dir() else name
    network = TokenDetector.from_pretrained(weights, revision=revision or None).network
    decision = load_decision(Path(name)) if decision_file.is_file() else Decision()

    def says(question: Asked) -> "Judged":
        passage = passage_of(question)
        return judged_all(passage, dict(readings(network, passage, network.backbone)), decision)[0]

    return says, name if decision_file.is_file() else weights


def _by_decoder(folder: Path) -> Says:
    """A judge that writes: it was fitted in a folder."""
    from truerate.detectors.judges import causal
    from truerate.detectors.judges.decoder import load
    from truerate.detectors.judges.judged import load_decision
    from truerate.detectors.training.processes import device

    network, decision = load(folder / NETWORK, device=device()), load_decision(folder)
    return lambda question: causal.judged_all(network, passage_of(question), decision, batch_tokens=1)[0]


def passage_of(question: Asked) -> pl.DataFrame:
    """The response as detectors get it, in one row, with knowledge and conversation as its reference."""
    from truerate.detectors.judges.judged import reference_of

    history, answered = turns_of(question.conversation)
    names = dict.fromkeys(("target_id", "item_id", "group_id", "lang", "task"), "")
    row = names | {"text": question.response, "spans": [], "knowledge": question.knowledge}
    row |= {"history": history, "question": answered}
    row |= {"reference": reference_of(question.knowledge, history, answered)}
    return pl.DataFrame([row], schema_overrides={"spans": SPANS})


def turns_of(conversation: str) -> tuple[str, str]:
    """The turns before the last, as sources write them, and the last one, which is a person's."""
    lines = TURN.sub(lambda turn: SPEAKERS[turn[1]], conversation).splitlines()
    last = max(
        (index for index, line in enumerate(lines) if line.startswith(tuple(SPEAKERS.values()))), default=-1
    )
    if last < 0 or not lines[last].startswith(SPEAKERS["User"]):
        return "\n".join(lines), ""
    answered = "\n".join([lines[last].removeprefix(SPEAKERS["User"]), *lines[last + 1 :]])
    return "\n".join(lines[:last]), answered
