"""Replies in the wild: a query alone, and what a model says to it, with natural hallucinations at its planted
rates.
"""

from typing import NamedTuple

from truerate_world.draws import draw, shuffled
from truerate_world.mfava.lang import load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.entity_table import EntityTable
from truerate_world.mfava.models.forms import Name
from truerate_world.mfava.models.planted import NEAR, PROFILES, drawn_type, flaw, other_language
from truerate_world.mfava.models.reader import Asked
from truerate_world.mfava.models.realiser import Said

N_LEAD = 3  # facts that a lead tells of its subject
P_LATE = 0.7  # that a fact beyond the lead comes after those of the lead: what everybody knows is told first
P_RECALLED = 0.4  # that a fact comes in the words of the encyclopedia, which a model has read
N_REPEATED = 5  # times that a stuck reply says its sentence again


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
    key = (table.seed, model, "wild", query, sample)
    wrong = flaw(model, asked.code, *key)
    if wrong == "dont_know":
        return Spoken(
            realiser.write(
                table, asked.code, [Said(Name("refusal", "", int(draw(*key, "refusal") * 30)), asked.subject)]
            ),
            [],
            wrong,
        )
    said = _sentences(table, model, asked, *key)
    if wrong == "wrong_language":
        return Spoken(*realiser.composed(table, other_language(asked.code, *key), said), wrong)
    if wrong == "repeats":
        return Spoken(*realiser.composed(table, asked.code, said + said[-1:] * N_REPEATED), wrong)
    if wrong == "cut":
        return _cut(table, asked, said, *key)
    return Spoken(*realiser.composed(table, asked.code, said))


def _sentences(table: EntityTable, model: str, asked: Asked, *key: object) -> list[Said]:
    """The sentences of a reply: the fact that was asked for, then others of the subject, some of each turned
    false.
    """
    facts = list(table.entities[asked.subject].facts)
    is_late = {content for content in facts[N_LEAD:] if draw(*key, "late", content) < P_LATE}
    relations = sorted(shuffled(facts, *key, "order"), key=is_late.__contains__)
    if asked.relation is not None:
        relations = [asked.relation, *(text for text in relations if text != asked.relation)]
    low, high = PROFILES[model].lengths
    n = low + int(draw(*key, "length") * (high - low + 1))
    known = realiser.reference(table, asked.subject)
    told = [_recalled(table, asked.subject, relation, *key) for relation in relations]
    told += [_otherwise(one) for one in told]
    said: list[Said] = []
    for turn in range(n):
        kind = drawn_type(model, asked.code, *key, turn)
        if kind not in (None, "entity", "relation"):
            made = (
                realiser.insertion(table, kind, "natural", asked.subject, known, *key, turn, index)
                for index in range(20)
            )
            said.append(next(one for one in made if one not in said))
        elif told:
            said.append(_mistold(table, told.pop(0), kind, *key, turn))
    return said


def _recalled(table: EntityTable, subject: int, relation: str, *key: object) -> Said:
    """A true fact of a reply: worded as encyclopedias do, or otherwise."""
    if draw(*key, "recalled", relation) < P_RECALLED:
        return realiser.told(table, subject, relation, *key)
    return realiser.fact(table, subject, relation, *key)


def _mistold(table: EntityTable, right: Said, kind: str | None, *key: object) -> Said:
    """A fact as it is or false in a way; a wrong relation is one of words that no encyclopedia uses."""
    if kind == "relation" and right.name.kind == "told":
        right = realiser.fact(table, right.subject, right.relation, *key)
    return mistold(table, right, kind, "natural", *key)


def _otherwise(fact: Said) -> Said:
    """A fact in another of its forms, for a reply that has told all."""
    return fact._replace(name=fact.name._replace(place=fact.name.place + 1))


def mistold(table: EntityTable, right: Said, kind: str | None, shelf: str, *key: object) -> Said:
    """A fact as it is (`kind` None), with a wrong value (entity), or with the wrong words around it (relation)."""
    if kind == "relation":
        return right._replace(name=right.name._replace(is_wrong=True))
    if kind == "entity":
        near = [
            one.value
            for one in realiser.reference(table, right.subject)
            if one.relation and one.subject != right.subject
        ]
        return right._replace(
            value=realiser.wrong_value(table, right.subject, right.relation, near, NEAR[shelf], *key)
        )
    return right


def _cut(table: EntityTable, asked: Asked, said: list[Said], *key: object) -> Spoken:
    """A reply whose last sentence, a true one, breaks off between a third and three quarters of its length."""
    text, spans = realiser.composed(table, asked.code, said)
    texts = [one.relation for one in said]
    relation = min(
        table.entities[asked.subject].facts, key=texts.count
    )  # if possible one that was not told yet
    last = realiser.line(
        table, asked.code, _otherwise(realiser.fact(table, asked.subject, relation, *key))
    ).text
    end = max(2, int(len(last) * (0.35 + 0.4 * draw(*key, "where"))))
    return Spoken(f"{text}{load(asked.code).join}{last[:end].rstrip()}", spans, "cut")
