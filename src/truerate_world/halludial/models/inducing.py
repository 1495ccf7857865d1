"""Responses that are written to hallucinate, and faithful paraphrases by the same hand."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from truerate.core.text import words
from truerate_world.draws import draw, pick, pick_weighted
from truerate_world.halludial.models import claims
from truerate_world.halludial.models.claims import OTHER, Checker, Context, Finding
from truerate_world.halludial.models.mistakes import Draft, mistaken
from truerate_world.halludial.models.profiles import INDUCED, Model
from truerate_world.halludial.models.responding import lengthened
from truerate_world.halludial.models.style import WRITER, dressed
from truerate_world.halludial.models.tasks import SLACK, Asked
from truerate_world.writer import Fact

TRIES = 6
KINDS = {"factuality": claims.CONTRADICTS, "faithfulness": claims.UNVERIFIABLE}


class Written(NamedTuple):
    """A text, its outcome (`written`, `bland` or a failure), and the segment and reason with it."""

    text: str
    outcome: str
    segment: str = ""
    rationale: str = ""
    finding: Finding = Finding()


def induced(checker: Checker, model: Model, asked: Asked, *key: object) -> Written:
    """A hallucinated response in the place of the right one, of the kind that is named."""
    names = ("restated", "unlocated", "unsaid", "declined")
    rates = {"too_long": model.failures.induced_too_long}
    rates |= {name: getattr(model.failures, name) for name in names}
    outcome = pick_weighted({**rates, "written": 1 - sum(rates.values())}, *key, "outcome")
    if outcome == "declined":
        return Written("", outcome)
    named = asked.fields.get("Kind", "").strip().lower()
    restated = asked.right if outcome == "restated" else None
    text = restated or _text(checker, asked, KINDS.get(named, claims.CONTRADICTS), *key)
    if text is None:
        return Written(asked.right, "bland", asked.right, "It is said otherwise.")
    limit = len(words(asked.right)) + asked.limit(SLACK)
    if outcome == "too_long":
        text = lengthened(text, limit, *key)
    finding = checker.finding(text, asked.knowledge, asked.conversation)
    segment = _segment(text, finding, outcome, *key)
    return Written(text, outcome, segment, rationale(checker, finding, asked), finding)


def matched(checker: Checker, model: Model, asked: Asked, *key: object) -> Written:
    """The right response in the writer's own words and style."""
    facts = checker.facts_of(asked.right)
    limit = len(words(asked.right)) + asked.limit(SLACK)
    text = _fitting(checker, [Draft(tuple(facts))], limit, *key) if facts else asked.right
    outcome = "too_long" if draw(*key, "outcome") < model.failures.matched_too_long else "written"
    text = lengthened(text, limit, *key) if outcome == "too_long" else text
    return Written(text, outcome, finding=checker.finding(text, asked.knowledge, asked.conversation))


def rationale(checker: Checker, finding: Finding, asked: Asked) -> str:
    """Why the first hallucinated part is one."""
    if not finding.flaws:
        return "It is not what was meant to be said."
    flaw = finding.flaws[0]
    if flaw.right is not None and flaw.claim is not None:
        right = checker.lexicon.text(flaw.right, flaw.claim.relation)
        return f"What is given says {right} there."
    return "Neither the knowledge nor the conversation says so."


def _text(checker: Checker, asked: Asked, kind: str, *key: object) -> str | None:
    """A text whose most visible mistake is of a kind, at most so much longer than the right one."""
    given = checker.context(asked.knowledge, asked.conversation)
    facts = checker.facts_of(asked.right) or list(given.knowledge[:1])
    level = pick_weighted(INDUCED, *key, "level")
    drafts = list(_drafts(checker, given, facts, *key, kind=kind, level=level))
    limit = len(words(asked.right)) + asked.limit(SLACK)
    return _fitting(checker, drafts, limit, *key) if drafts else None


def _drafts(
    checker: Checker, given: Context, facts: Sequence[Fact], *key: object, kind: str, level: str
) -> Iterator[Draft]:
    """Yield drafts of the kind and level, then of another level, then of the other kind."""
    for way in product((kind, OTHER[kind]), (level, OTHER[level])):
        if draft := mistaken(checker, given, facts, *key, kind=way[0], level=way[1]):
            yield draft


def _fitting(checker: Checker, drafts: Sequence[Draft], limit: int, *key: object) -> str:
    """Return the first draft that keeps to the limit, else the shortest without style."""
    plain = []
    for draft in drafts:
        for attempt in range(TRIES):
            texts = draft.sentences(checker, *key, attempt, compound=0.35 if attempt < 2 else 0.8)
            room = limit - sum(len(words(sentence)) for sentence in texts)
            if room >= 0:
                return dressed(WRITER, texts, *key, attempt, room=room)
            plain.append(" ".join(texts))
    return min(plain, key=lambda text: len(words(text)))


def _segment(text: str, finding: Finding, outcome: str, *key: object) -> str:
    """The hallucinated segment that is quoted, or what is quoted instead of it."""
    if outcome == "unsaid":
        return ""
    if outcome == "unlocated" or not finding.flaws:
        texts = ("the claim about its origin", "a made-up detail", "what is said of the third one")
        return pick(texts, *key, "seg")
    start, end = finding.flaws[0].span
    return text[start:end]
