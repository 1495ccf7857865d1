"""Hallucinated versions of facts: one gives way to a wrong or unsupported one of the same form."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from truerate_world.distractors import far_values, is_same_type, near_values
from truerate_world.domains import Value
from truerate_world.draws import draw, pick, shuffled
from truerate_world.halludial.models.claims import CONTRADICTS, SUBTLE, Checker, Context
from truerate_world.writer import Fact, facts_of

VAGUE = 0.08  # of the blatant claims that nothing holds: one that no source could settle
AT_HAND = 0.4  # of the subtle contradictions: a value that the given texts name of something else
VAGUE_KINDS = ("unverifiable", "invented")


class Draft(NamedTuple):
    """The content of a response: facts, or a claim that no source could settle, in order."""

    facts: tuple[Fact, ...]
    vague: tuple[str, int] | None = None

    def sentences(self, checker: Checker, *key: object, compound: float = 0.35) -> list[str]:
        """The sentences that say it."""
        vague = [checker.writer.vague(*self.vague, *key)] if self.vague else []
        return [*checker.writer.tell(self.facts, *key, compound=compound), *vague]


def mistaken(
    checker: Checker, given: Context, facts: Sequence[Fact], *key: object, kind: str, level: str
) -> Draft | None:
    """The facts with one of them replaced by a mistake of a kind and level; None where there is none."""
    for index in shuffled(range(len(facts)), *key, "place"):
        fact, others = facts[index], [*facts[:index], *facts[index + 1 :]]
        if kind == CONTRADICTS:
            options = list(_contradicting(checker, given, fact, level, *key))
        else:
            if level != SUBTLE and draw(*key, "vague") < VAGUE:
                return Draft(tuple(others), (pick(VAGUE_KINDS, *key, "vague kind"), fact.subject))
            options = _unsupported(checker, given, fact, level, *key)
        if options:
            wrong = pick(options, *key, "mistake", index)
            return Draft((*facts[:index], wrong, *facts[index + 1 :]))
    return None


def _contradicting(checker: Checker, given: Context, fact: Fact, level: str, *key: object) -> Iterator[Fact]:
    """The fact with wrong values: near or named ones, or far ones that nothing names."""
    right, relation = fact.value, fact.relation
    if level == SUBTLE:
        named = [value for value in given.named if is_same_type(checker.world, right, value)]
        is_at_hand = draw(*key, "at hand") < AT_HAND and right[0] in "ec"
        values = sorted(named, key=str) if is_at_hand and len(named) > 1 else []
        values = values or near_values(checker.world, right, relation, *key)
    else:
        far = far_values(checker.world, right, relation, *key)
        values = [value for value in far if value not in given.named]
    taken = given.right(fact.subject, relation)
    yield from (fact._replace(value=value) for value in values if value != right and value not in taken)


def _unsupported(checker: Checker, given: Context, fact: Fact, level: str, *key: object) -> list[Fact]:
    """Facts of the same entity that nothing of what is given states, true of the world or not."""
    true = facts_of(checker.world, fact.subject)
    missing = [fact for fact in true if not given.right(fact.subject, fact.relation)]
    if level == SUBTLE:
        return missing
    return [fact._replace(value=_wrong(checker, fact, *key)) for fact in missing]


def _wrong(checker: Checker, fact: Fact, *key: object) -> Value:
    right = (checker.world, fact.value, fact.relation, *key)
    return pick(far_values(*right) or near_values(*right), *key, "wrong", fact.relation)
