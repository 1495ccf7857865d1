"""What a model says of a response: whether it hallucinates, where and why, which of two does, and whether an
evaluation is accurate.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.halludial.models.claims import BLATANT, CONTRADICTS, Checker, Finding, Place
from truerate_world.halludial.models.profiles import Model
from truerate_world.halludial.models.tasks import Asked, levelled

_DATA = beside(__file__)

_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_YES = re.compile(r"\W*(yes|ja|oui|evet|sí|是|نعم)\b", re.IGNORECASE)
_UNHELD = _DATA["unheld"]
_AGAINST = _DATA["against"]
_SOUND = _DATA["sound"]


class Judged(NamedTuple):
    """A verdict with the segments it names and its reason, and whether these segments are the right ones
    (None where there are none to name).
    """

    is_yes: bool
    segments: tuple[str, ...] = ()
    why: str = ""
    is_located: bool | None = None


def truth_of(checker: Checker, asked: Asked, field: str = "Response") -> Finding:
    """The truth about a response that a prompt shows."""
    return checker.finding(asked.fields.get(field, ""), asked.knowledge, asked.conversation)


def verdict(checker: Checker, model: Model, asked: Asked, *key: object) -> Judged:
    """Whether a response hallucinates, and where, and why; with the reference in view where it is shown."""
    finding = truth_of(checker, asked)
    variant = "zero-shot" if asked.task == "detect" else "three-shot"
    p = model.p_yes(finding, variant=variant, has_reference="Reference Response" in asked.fields)
    if draw(*key) >= p:
        return Judged(False, (), pick(_SOUND, *key, "why"))
    is_located = draw(*key, "located") < model.locating if finding.flaws else None
    places = finding.places if is_located else _others(asked.response, finding, *key)
    segments = tuple(asked.response[start:end] for start, end in places)
    return Judged(True, segments, _why(checker, finding if is_located else Finding(), *key), is_located)


def _others(response: str, finding: Finding, *key: object) -> tuple[Place, ...]:
    """A segment that is not hallucinated: a faithful claim, else the first or the last words."""
    taken = finding.places
    free = [place for place in finding.sound if not _overlaps(place, taken)]
    if not free:
        half = len(response) // 2
        starts = [(0, response.find(" ", half)), (response.find(" ", half) + 1, len(response.rstrip(".!? ")))]
        free = [place for place in starts if place[0] < place[1] and not _overlaps(place, taken)]
    return (pick(free, *key, "segment"),) if free else ((0, len(response.split(" ")[0])),)


def _why(checker: Checker, finding: Finding, *key: object) -> str:
    """The reason for calling a segment hallucinated."""
    flaw = finding.flaws[0] if finding.flaws else None
    if flaw and flaw.kind == CONTRADICTS and flaw.claim and flaw.right:
        right = checker.lexicon.text(flaw.right, flaw.claim.relation)
        return pick(_AGAINST, *key, "why").format(right=right)
    return pick(_UNHELD, *key, "why")


def flawed_of(findings: Sequence[Finding], texts: Sequence[str]) -> int:
    """Which of two responses (1 or 2) is hallucinated: the more visibly so, where both or neither is a drawn
    one.
    """
    ranks = [
        (one.is_hallucinated, one.sight is not None and one.sight[1] == BLATANT, draw("tie", levelled(text)))
        for one, text in zip(findings, texts, strict=True)
    ]
    return 2 if ranks[1] > ranks[0] else 1


def compared(checker: Checker, model: Model, asked: Asked, *key: object) -> tuple[int, int, bool]:
    """Which of two responses a model names, which one is hallucinated, and whether its bias for the first one
    decided. The draws are the same in both orders.
    """
    texts = [asked.fields.get(f"Response {n}", "") for n in (1, 2)]
    found = [truth_of(checker, asked, f"Response {n}") for n in (1, 2)]
    flawed = flawed_of(found, texts)
    pair = (*key, *sorted(map(levelled, texts)))
    if draw(*pair, "bias") < model.position_bias:
        return 1, flawed, True
    return (flawed if draw(*pair) < model.p_named(found[flawed - 1]) else 3 - flawed), flawed, False


def is_accurate(checker: Checker, asked: Asked) -> bool:
    """Whether an evaluation is right: in its verdict, and, of a hallucinated response, in a segment that it
    quotes (where it quotes any).
    """
    finding, content = truth_of(checker, asked), asked.fields.get("Evaluation", "")
    is_yes = bool(_YES.match(content))
    if is_yes != finding.is_hallucinated:
        return False
    quoted = [place for text in _QUOTED.findall(content) if (place := _place(text, asked.response))]
    return not is_yes or not quoted or any(_overlaps(place, finding.places) for place in quoted)


def _place(quoted: str, text: str) -> Place | None:
    start = text.lower().find(quoted.lower())
    return (start, start + len(quoted)) if start >= 0 else None


def _overlaps(place: Place, others: Sequence[Place]) -> bool:
    return any(place[0] < end and start < place[1] for start, end in others)
