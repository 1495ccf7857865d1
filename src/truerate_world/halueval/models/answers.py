"""Free answers to general queries: known facts, hallucinations and abstentions."""

from typing import NamedTuple

from truerate_world.distractors import wrong_value
from truerate_world.draws import draw, pick, pick_by_rate, shuffled
from truerate_world.halueval.models.claim_checker import Checker
from truerate_world.halueval.models.profiles import Model
from truerate_world.writer import Fact, facts_of

N_SENTENCES = 3
IGNORANCE = 3.0  # false sentences are this much more frequent about an entity that the model does not know


class Spoken(NamedTuple):
    """A free answer, and the planted label of each of its sentences (None: true, or without content)."""

    text: str
    labels: tuple[str | None, ...]
    is_abstention: bool = False


def knows(checker: Checker, model: Model, entity: int) -> bool:
    """Whether a model knows an entity: the more popular it is, the likelier; the same in every sample."""
    low, high = model.coverage
    return draw(model.name, "knows", entity) < low + (high - low) * checker.world.entities[entity].popularity


def answer(checker: Checker, model: Model, query: str, seed: int) -> Spoken | None:
    """A reply to a query about entities of the world; None where it names none."""
    subjects = list(dict.fromkeys(checker.parser.read(query).mentioned))[:2]
    if not subjects:
        return None
    unknown = next((index for index in subjects if not knows(checker, model, index)), None)
    if unknown is not None and draw(model.name, "abstains", unknown) < model.abstention:
        text = checker.writer.talk("abstention", model.name, unknown, seed, about=unknown)
        return Spoken(text, (None,), True)
    key = (model.name, "general", query, seed)
    sentences, labels, before = [], [], None
    if draw(*key, "opening") < 0.3:
        sentences.append(checker.writer.talk("opening", *key))
        labels.append(None)
    for index, fact in enumerate(_chosen(checker, query, subjects, *key)):
        label = _label(model, fact.subject == unknown, *key, index)
        text, before = _sentence(checker, fact, label, subjects, before, *key, index)
        sentences.append(text)
        labels.append(label)
    return Spoken(" ".join(sentences), tuple(labels))


def _chosen(checker: Checker, query: str, subjects: list[int], *key: object) -> list[Fact]:
    """True facts to tell: what the query asks for first, then others of its entities."""
    asked = checker.questions.resolve(query, {})
    facts = [Fact(*step) for step in asked.steps] if asked and asked.kind == "one" else []
    n_each = N_SENTENCES if len(subjects) == 1 else 2
    for subject in subjects:
        others = shuffled(facts_of(checker.world, subject), *key, subject)
        facts += [fact for fact in others if fact not in facts][: n_each - len(facts) % n_each]
    return facts


def _label(model: Model, is_unknown: bool, *key: object) -> str | None:
    """Which kind of hallucination a sentence will be, None for a true one."""
    rates = model.hallucination
    if is_unknown:
        rates = rates | {"non-factual": rates["non-factual"] * IGNORANCE}
    return pick_by_rate(rates, *key, "label")


def _sentence(
    checker: Checker, fact: Fact, label: str | None, subjects: list[int], before: int | None, *key: object
) -> tuple[str, int]:
    """A sentence of a label and the entity it is about."""
    writer, world = checker.writer, checker.world
    if label == "unverifiable":
        return writer.vague("unverifiable", fact.subject, *key), fact.subject
    if label == "irrelevant":
        domain = world.by_domain[pick(list(world.by_domain), *key, "domain")]
        stranger = pick([index for index in domain if index not in subjects], *key, "stranger")
        relation = pick(list(world.entities[stranger].facts), *key, "relation")
        return writer.sentence(
            Fact(stranger, relation, world.entities[stranger].facts[relation]), *key
        ), stranger
    if label == "non-factual":
        fact = fact._replace(value=wrong_value(world, fact.value, fact.relation, *key))
    return writer.sentence(fact, *key, after=before), fact.subject
