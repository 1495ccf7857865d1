"""HotpotQA-style questions: two hops or a comparison, with supporting paragraphs among distracting ones."""

from collections.abc import Iterator

from truerate_world.domains import RELATIONS
from truerate_world.draws import draw, pick, shuffled
from truerate_world.halueval.models.claim_checker import Checker
from truerate_world.parser import with_relation
from truerate_world.writer import facts_of

N_DISTRACTORS = 2
COMPARED = 0.25  # share of comparing questions
DECADES = 0.25  # share of questions for a year that ask for its decade instead


def article(checker: Checker, entity: int) -> list[str]:
    """The encyclopedia's sentences about an entity, always the same: its facts, and names of others."""
    facts, writer = facts_of(checker.world, entity), checker.writer
    return [*writer.tell(facts, "article", entity), writer.aside(entity, facts, "article", entity)]


def questions(checker: Checker, n: int) -> list[str]:
    """`n` different questions that this language can answer."""
    hops, pairs = _bridges(checker), _comparisons(checker)
    record: dict[str, None] = {}
    while len(record) < n:
        source = pairs if draw(checker.world.seed, "compared", len(record)) < COMPARED else hops
        record[next(source)] = None
    return list(record)


def hotpot(checker: Checker, index: int, question: str) -> dict:
    """A question as a row of HotpotQA; the answer stands in a drawn short form."""
    asked = checker.questions.resolve(question, {})
    seed = checker.world.seed
    title = checker.lexicon.name
    subjects = list(dict.fromkeys(asked.subjects))
    entities = subjects + _distractors(checker, subjects, index)
    context = [[title(entity), article(checker, entity)] for entity in entities]
    words = checker.lexicon.words
    kind = words.category_kinds[asked.right[1].split("/")[0]] if asked.right[0] == "c" else ""
    return {
        "_id": f"world{seed:04d}{checker.lexicon.code}{index:06d}",
        "question": question,
        "answer": checker.writer.answer(asked.right, asked.relation, seed, "right answer", index, kind=kind),
        "type": "comparison" if asked.kind == "compare" else "bridge",
        "level": pick(("easy", "medium", "hard"), seed, "level", index),
        "supporting_facts": [[title(step[0]), _sentence(checker, *step)] for step in asked.steps],
        "context": shuffled(context, seed, "context", index),
    }


def _bridges(checker: Checker) -> Iterator[str]:
    """Two-hop questions without end, every hop pair once before any in other words."""
    world = checker.world
    hops = [
        (entity.index, first, relation)
        for entity in world.entities
        for first, middle in entity.facts.items()
        if middle[0] == "e"
        for relation, value in world.entities[middle[1]].facts.items()
        if value != ("e", entity.index)
    ]
    lap = 0
    while True:
        for subject, first, relation in shuffled(hops, world.seed, "hops", lap):
            key = (world.seed, "bridge", subject, first, relation, lap)
            is_decade = RELATIONS[relation].is_year and draw(*key, "decade") < DECADES
            yield checker.questions.bridge(subject, first, relation, *key, decade=is_decade)
        lap += 1


def _comparisons(checker: Checker) -> Iterator[str]:
    """Comparing questions without end, about two entities of one domain whose values differ."""
    world = checker.world
    compared = [relation for relation, phrases in checker.lexicon.phrases.items() if phrases.compares]
    relations = [(relation, domain) for relation in compared for domain in sorted(with_relation(relation))]
    index = 0
    while True:
        key = (world.seed, "comparison", index)
        index += 1
        relation, domain = pick(relations, *key, "relation")
        a, b = pick(world.by_domain[domain], *key, "a"), pick(world.by_domain[domain], *key, "b")
        if world.fact(a, relation) != world.fact(b, relation):
            yield checker.questions.compare(a, b, relation, *key)


def _distractors(checker: Checker, subjects: list[int], index: int) -> list[int]:
    """Entities of the answer's domain and of the first one's that the question is not about."""
    world = checker.world
    distractors: list[int] = []
    for number in range(N_DISTRACTORS):
        mates = world.by_domain[world.entities[subjects[-1 - number % len(subjects)]].domain]
        left = [mate for mate in mates if mate not in subjects and mate not in distractors]
        distractors.append(pick(left, world.seed, "distractor", index, number))
    return distractors


def _sentence(checker: Checker, subject: int, relation: str, value: tuple) -> int:
    """In which sentence of its article a fact stands."""
    sentences = article(checker, subject)
    claims = checker.parser.read(" ".join(sentences)).claims
    return next(claim.sentence for claim in claims if (claim.subject, claim.relation) == (subject, relation))
