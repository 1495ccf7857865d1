"""Responses to a conversation: which facts a model tells, and where it goes wrong."""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.text import words
from truerate_world.draws import draw, pick, pick_weighted
from truerate_world.halludial.models import claims
from truerate_world.halludial.models.claims import OTHER, Checker, Context, Finding
from truerate_world.halludial.models.mistakes import Draft, mistaken
from truerate_world.halludial.models.profiles import NATURAL, Model
from truerate_world.halludial.models.style import FILLERS, GENERIC, MODELS, dressed
from truerate_world.halludial.models.tasks import MAX_WORDS, Asked
from truerate_world.writer import Fact

RECALLING = 0.1  # that a response also repeats what the conversation already says
TRIES = 4


class Spoken(NamedTuple):
    """A response and its outcome: `written`, `too_long`, `generic`, `empty` or `refusal`."""

    text: str
    outcome: str
    finding: Finding = Finding()


def response(checker: Checker, model: Model, asked: Asked, *key: object) -> Spoken:
    """Return the next turn; one draw decides at all temperatures, so a higher one only adds."""
    given = checker.context(asked.knowledge, asked.conversation)
    warm = (*key, asked.temperature)
    outcome = _outcome(model, *warm)
    if outcome in ("empty", "refusal"):
        return Spoken("", outcome)
    facts = _chosen(checker, model, asked, given, *key)
    if outcome == "generic" or not facts:
        return Spoken(pick(GENERIC, *warm, "generic"), "generic")
    rate = model.rate(asked.temperature, facts[0].subject, is_strayed=given.is_strayed)
    drafts = [Draft(tuple(facts))]
    if draw(*key, "hallucinates") < rate:
        drafts = list(_mistakes(checker, model, given, facts, *warm)) or drafts
    text = dressed(MODELS, drafts[0].sentences(checker, *warm), *warm)
    if outcome == "too_long":
        text = lengthened(text, asked.limit(MAX_WORDS), *warm)
    return Spoken(text, outcome, checker.finding(text, asked.knowledge, asked.conversation))


def lengthened(text: str, limit: int, *key: object) -> str:
    """The text with further sentences that state nothing, until it has more words than allowed."""
    start = int(draw(*key, "filler") * len(FILLERS))
    turn = 0
    while len(words(text)) <= limit:
        text = f"{text} {FILLERS[(start + turn) % len(FILLERS)]}"
        turn += 1
    return text


def _outcome(model: Model, *key: object) -> str:
    failures = model.failures
    rates = {name: getattr(failures, name) for name in ("empty", "refusal", "generic", "too_long")}
    return pick_weighted({**rates, "written": 1 - sum(rates.values())}, *key, "outcome")


def _chosen(checker: Checker, model: Model, asked: Asked, context: Context, *key: object) -> list[Fact]:
    """The facts to tell: what is asked for first, another one of the knowledge, at times one told before."""
    wanted = checker.asked_for(asked.conversation)
    given = sorted(context.knowledge, key=lambda fact: (fact[:2] != wanted, draw(*key, "order", fact)))
    chosen = given[: 1 + (draw(*key, "second") < model.telling)]
    before = [Fact(*name, values[-1]) for name, values in context.history.items()]
    before = [fact for fact in before if fact[:2] not in [given[:2] for given in context.knowledge]]
    if chosen and before and draw(*key, "recall") < RECALLING:
        chosen.append(pick(before, *key, "recalled"))
    return chosen


def _mistakes(
    checker: Checker, model: Model, given: Context, facts: Sequence[Fact], *key: object
) -> list[Draft]:
    """A mistake of the drawn kind and level, or where there is none of the others."""
    first = claims.CONTRADICTS if draw(*key, "kind") < model.contradicting else claims.UNVERIFIABLE
    level = pick_weighted(NATURAL, *key, "level")
    ways = [(first, level), (OTHER[first], level), (OTHER[first], OTHER[level])]
    drafts = (mistaken(checker, given, facts, *key, kind=kind, level=level) for kind, level in ways)
    return [draft for draft in drafts if draft]
