"""Judgements of a model: of a response, of two responses, and of an evaluation."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.halludial.models.claims import BLATANT, CONTRADICTS, Checker, Finding, Span
from truerate_world.halludial.models.profiles import Model
from truerate_world.halludial.models.tasks import Asked, normalized

_DATA = beside(__file__)

_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_YES = re.compile(r"\W*(yes|ja|oui|evet|sí|是|نعم)\b", re.IGNORECASE)
_UNSUPPORTED = _DATA["unsupported"]
_AGAINST = _DATA["against"]
_SOUND = _DATA["sound"]


class Judged(NamedTuple):
    """A verdict, its segments and reason; `is_located` is None if there is no segment to name."""

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
    spans = finding.spans if is_located else _others(asked.response, finding, *key)
    segments = tuple(asked.response[start:end] for start, end in spans)
    return Judged(True, segments, _why(checker, finding if is_located else Finding(), *key), is_located)


def _others(response: str, finding: Finding, *key: object) -> tuple[Span, ...]:
    """A segment that is not hallucinated: a faithful claim, else the first or the last words."""
    free = [span for span in finding.sound if not _overlaps(span, finding.spans)]
    if not free:
        middle = response.find(" ", len(response) // 2)
        halves = [(0, middle), (middle + 1, len(response.rstrip(".!? ")))]
        free = [half for half in halves if half[0] < half[1] and not _overlaps(half, finding.spans)]
    return (pick(free, *key, "segment"),) if free else ((0, len(response.split(" ")[0])),)


def _why(checker: Checker, finding: Finding, *key: object) -> str:
    """The reason for calling a segment hallucinated."""
    flaw = finding.flaws[0] if finding.flaws else None
    if flaw and flaw.kind == CONTRADICTS and flaw.claim and flaw.right:
        right = checker.lexicon.text(flaw.right, flaw.claim.relation)
        return pick(_AGAINST, *key, "why").format(right=right)
    return pick(_UNSUPPORTED, *key, "why")


def flawed_of(findings: Sequence[Finding], texts: Sequence[str]) -> int:
    """Which of two responses (1 or 2) is hallucinated, or more visibly so; ties are drawn."""
    is_blatant = [finding.sight is not None and finding.sight[1] == BLATANT for finding in findings]
    ranks = [
        (findings[index].is_hallucinated, is_blatant[index], draw("tie", normalized(texts[index])))
        for index in (0, 1)
    ]
    return 2 if ranks[1] > ranks[0] else 1


def compared(checker: Checker, model: Model, asked: Asked, *key: object) -> tuple[int, int, bool]:
    """The response that a model names, the hallucinated one, and whether position bias decided."""
    texts = [asked.fields.get(f"Response {n}", "") for n in (1, 2)]
    findings = [truth_of(checker, asked, f"Response {n}") for n in (1, 2)]
    flawed = flawed_of(findings, texts)
    pair = (*key, *sorted(map(normalized, texts)))
    if draw(*pair, "bias") < model.position_bias:
        return 1, flawed, True
    return (flawed if draw(*pair) < model.p_named(findings[flawed - 1]) else 3 - flawed), flawed, False


def is_accurate(checker: Checker, asked: Asked) -> bool:
    """Whether an evaluation's verdict is right, and one of the segments that it quotes is."""
    finding, content = truth_of(checker, asked), asked.fields.get("Evaluation", "")
    is_yes = bool(_YES.match(content))
    if is_yes != finding.is_hallucinated:
        return False
    spans = [span for text in _QUOTED.findall(content) if (span := _span(text, asked.response))]
    return not is_yes or not spans or any(_overlaps(span, finding.spans) for span in spans)


def _span(quoted: str, text: str) -> Span | None:
    start = text.lower().find(quoted.lower())
    return (start, start + len(quoted)) if start >= 0 else None


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
