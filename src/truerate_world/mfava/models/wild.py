"""Replies in the wild: a query alone, and a reply with natural hallucinations at planted rates."""

from typing import NamedTuple

from truerate_world.draws import draw, shuffled
from truerate_world.mfava.lang import load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.entity_table import EntityTable
from truerate_world.mfava.models.forms import Name
from truerate_world.mfava.models.planted import NEAR, PROFILES, drawn_type, flaw, other_language
from truerate_world.mfava.models.reader import Asked
from truerate_world.mfava.models.realiser import Statement

N_LEAD = 3  # facts that a lead tells of its subject
P_LATE = 0.7  # that a fact beyond the lead comes after those of the lead, which are better known
P_RECALLED = 0.4  # that a fact comes in the words of the encyclopedia, which a model has read
N_REPEATED = 5  # times that a stuck reply repeats its sentence


class Spoken(NamedTuple):
    """A reply, what is false in it, how it went wrong as a whole, and whether it broke off."""

    text: str
    spans: list[dict]
    flaw: str | None = None

    @property
    def is_cut(self) -> bool:
        """Whether the reply ends in the middle of a sentence."""
        return self.flaw == "cut"


def reply(table: EntityTable, model: str, asked: Asked, query: str, sample: int) -> Spoken:
    """What a model says to a query; another `sample`, another reply."""
    key, code = (table.seed, model, "wild", query, sample), asked.code
    wrong = flaw(model, code, *key)
    if wrong == "dont_know":
        refusal = Statement(Name("refusal", "", int(draw(*key, "refusal") * 30)), asked.subject)
        return Spoken(realiser.write(table, code, [refusal]), [], wrong)
    statements = _sentences(table, model, asked, *key)
    if wrong == "cut":
        return _cut(table, asked, statements, *key)
    if wrong == "wrong_language":
        code = other_language(code, *key)
    repeated = statements[-1:] * N_REPEATED if wrong == "repeats" else []
    return Spoken(*realiser.composed(table, code, statements + repeated), wrong)


def _sentences(table: EntityTable, model: str, asked: Asked, *key: object) -> list[Statement]:
    """Return the sentences of a reply: the fact asked for, then others; some turned false."""
    subject, facts = asked.subject, list(table.entities[asked.subject].facts)
    is_late = {relation for relation in facts[N_LEAD:] if draw(*key, "late", relation) < P_LATE}
    relations = sorted(shuffled(facts, *key, "order"), key=is_late.__contains__)
    if asked.relation is not None:
        relations = [asked.relation, *(relation for relation in relations if relation != asked.relation)]
    low, high = PROFILES[model].lengths
    n = low + int(draw(*key, "length") * (high - low + 1))
    reference = realiser.reference(table, subject)
    left = [_recalled(table, subject, relation, *key) for relation in relations]
    left += [fact.in_next_form() for fact in left]
    statements: list[Statement] = []
    for turn in range(n):
        kind = drawn_type(model, asked.code, *key, turn)
        if kind not in (None, "entity", "relation"):
            insertions = (
                realiser.insertion(table, kind, "natural", subject, reference, *key, turn, index)
                for index in range(20)
            )
            statements.append(next(new for new in insertions if new not in statements))
        elif left:
            fact = left.pop(0)
            if kind == "relation" and fact.name.kind == "told":  # such words no encyclopedia uses
                fact = realiser.fact(table, fact.subject, fact.relation, *key, turn)
            statements.append(mistold(table, fact, kind, "natural", *key, turn))
    return statements


def _recalled(table: EntityTable, subject: int, relation: str, *key: object) -> Statement:
    """A true fact of a reply: worded as encyclopedias do, or otherwise."""
    if draw(*key, "recalled", relation) < P_RECALLED:
        return realiser.reference_fact(table, subject, relation, *key)
    return realiser.fact(table, subject, relation, *key)


def mistold(table: EntityTable, right: Statement, kind: str | None, shelf: str, *key: object) -> Statement:
    """A fact as it is (`kind` None), with a wrong value (entity), or in wrong words (relation)."""
    if kind == "relation":
        return right._replace(name=right.name._replace(is_wrong=True))
    if kind == "entity":
        reference = realiser.reference(table, right.subject)
        near = [fact.value for fact in reference if fact.relation and fact.subject != right.subject]
        wrong = realiser.wrong_value(table, right.subject, right.relation, near, NEAR[shelf], *key)
        return right._replace(value=wrong)
    return right


def _cut(table: EntityTable, asked: Asked, statements: list[Statement], *key: object) -> Spoken:
    """A reply whose last sentence, a true one, breaks off between a third and three quarters of it."""
    text, spans = realiser.composed(table, asked.code, statements)
    relations = [statement.relation for statement in statements]
    # if possible a relation that was not stated yet
    relation = min(table.entities[asked.subject].facts, key=relations.count)
    fact = realiser.fact(table, asked.subject, relation, *key).in_next_form()
    last = realiser.line(table, asked.code, fact).text
    end = max(2, int(len(last) * (0.35 + 0.4 * draw(*key, "where"))))
    return Spoken(f"{text}{load(asked.code).join}{last[:end].rstrip()}", spans, "cut")
