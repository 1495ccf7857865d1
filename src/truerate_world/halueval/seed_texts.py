"""Dialogues on knowledge paths, news stories with highlights, general instructions, and screening probes for
labellers.
"""

from truerate_world.distractors import wrong_value
from truerate_world.draws import draw, order, pick, shuffled
from truerate_world.halueval.models.claim_checker import PATTERNS, Checker
from truerate_world.writer import Fact

N_HIGHLIGHTS = 3


def conversation(checker: Checker, place: int) -> tuple[list[dict], dict]:
    """A conversation as OpenDialKG logs it, and its rating: a greeting, a reply, a question, and the answer
    along a path.
    """
    world, writer, key = checker.world, checker.writer, (checker.world.seed, "dialogue", place)
    subject = order(len(world.entities), world.seed, "speakers")[place % len(world.entities)]
    facts = shuffled(_facts(checker, subject), *key, "facts")
    asked = next(fact for fact in facts if fact.value[0] == "e")
    first, *others = [fact for fact in facts if fact != asked]
    further = (
        pick(_facts(checker, asked.value[1]), *key, "further")
        if draw(*key, "is further") < 0.7
        else others[0]
    )
    texts = [writer.talk("opening", *key)] if draw(*key, "opening") < 0.3 else []
    ended = [writer.talk("closing", *key)] if draw(*key, "closing") < 0.3 else []
    words = writer.tell([asked, further], *key, "answer")
    messages = [
        _chat("user", writer.talk("greeting", *key, about=subject)),
        _walk(checker, [first], *key, "first walk"),
        _chat("assistant", " ".join(writer.tell([first], *key, "first"))),
        _chat("user", writer.ask(asked.relation, subject, *key)),
        _walk(checker, [asked, further, *(fact for fact in others if fact != further)][:4], *key, "walk"),
        _chat("assistant", " ".join([*texts, *words, *ended])),
    ]
    return messages, {"usability": 5, "knowledge": 5, "fluency": 5}


def story(checker: Checker, place: int) -> str:
    """A news story of two or three entities in the format of CNN/DailyMail; its highlights say facts of it in
    other words.
    """
    world, key = checker.world, (checker.world.seed, "story", place)
    main = order(len(world.entities), world.seed, "reporters")[place % len(world.entities)]
    facts = shuffled(_facts(checker, main), *key, "own")
    facts.remove(
        next((fact for fact in facts if fact.value[0] != "e"), facts[-1])
    )  # untold, so that something true can be added
    others = _linked(checker, main, facts)[:2]
    sides = [shuffled(_facts(checker, other), *key, other)[:3] for other in others]
    blocks = [
        checker.writer.tell(block, *key, "block", number) for number, block in enumerate([facts, *sides])
    ]
    press = shuffled(checker.lexicon.words.talk["press"], *key, "press")
    paragraphs = [" ".join([*block, press[number]]) for number, block in enumerate(blocks)]
    kept = [facts[0], *(side[0] for side in sides), *facts[1:]][:N_HIGHLIGHTS]
    highlights = checker.writer.tell(shuffled(kept, *key, "kept"), *key, "highlights", compound=0.0)
    return "\n\n".join([*paragraphs, *(f"@highlight\n\n{line}" for line in highlights)]) + "\n"


def instruction(checker: Checker, place: int) -> dict:
    """An instruction as in Alpaca, different for every place, with a true output."""
    world, words = checker.world, checker.lexicon.words
    n = len(world.entities)
    subjects = order(n, world.seed, "subjects")
    subject, lap = subjects[place % n], place // n
    asks = [(ask, "") for relation in world.entities[subject].facts for ask in words.relations[relation].asks]
    singles = shuffled([*words.queries, *asks], world.seed, "forms", subject)
    about = [subject]
    if lap < len(singles):
        form = singles[lap]
    else:
        form = words.pair_queries[lap % len(words.pair_queries)]
        about.append(subjects[(place + 1 + lap // len(words.pair_queries)) % n])
    names = dict(zip("xy", map(checker.lexicon.name, about), strict=False))
    asked = checker.questions.resolve(form[0].format(**names), {})
    first = [Fact(*step) for step in asked.steps] if asked else []
    others = [
        fact
        for index in about
        for fact in shuffled(_facts(checker, index), world.seed, "output", place)[: 4 // len(about)]
    ]
    facts = list(dict.fromkeys(first + others))[:4]
    text = " ".join(checker.writer.tell(facts, world.seed, "output", place))
    return {"instruction": form[0].format(**names), "input": form[1].format(**names), "output": text}


def probe(checker: Checker, place: int) -> dict:
    """A general answer with a known label: three sentences, in every other probe one of them hallucinated."""
    world, writer, key = checker.world, checker.writer, (checker.world.seed, "probe", place)
    forms = checker.lexicon.words.probe_queries
    subject = order(len(world.entities), world.seed, "probed")[place % len(world.entities)]
    sentences = writer.tell(shuffled(_facts(checker, subject), *key)[:3], *key, compound=0.0)
    spans = []
    if place % 2:
        label = PATTERNS["general"][place // 2 % 3]
        where = int(draw(*key, "where") * 2)  # not the last one, whose subject a pronoun may follow
        sentences[where] = _false(checker, subject, label, *key)
        sentences[where + 1 :] = writer.tell(
            _facts(checker, subject)[: len(sentences) - where - 1], *key, "rest", compound=0.0
        )
        spans = [sentences[where]]
    query = forms[place % len(forms)][0].format(x=checker.lexicon.name(subject))
    return {
        "query": query,
        "response": " ".join(sentences),
        "hallucination": "yes" if spans else "no",
        "hallucination_spans": spans,
    }


def _false(checker: Checker, subject: int, label: str, *key: object) -> str:
    """A sentence of a label about (or far from) an entity."""
    if label == "unverifiable":
        return checker.writer.vague("unverifiable", subject, *key)
    if label == "irrelevant":
        stranger = pick(
            [index for index in range(len(checker.world.entities)) if index != subject], *key, "stranger"
        )
        return checker.writer.one(_facts(checker, stranger)[0], *key, "irrelevant")
    fact = _facts(checker, subject)[-1]
    return checker.writer.one(
        fact._replace(value=wrong_value(checker.world, fact.value, fact.relation, *key)), *key, "non-factual"
    )


def _facts(checker: Checker, entity: int) -> list[Fact]:
    return [Fact(entity, relation, value) for relation, value in checker.world.entities[entity].facts.items()]


def _linked(checker: Checker, main: int, facts: list[Fact]) -> list[int]:
    """Entities that the facts lead to, and those that these lead to."""
    first = [fact.value[1] for fact in facts if fact.value[0] == "e"]
    second = [fact.value[1] for one in first for fact in _facts(checker, one) if fact.value[0] == "e"]
    return [one for one in dict.fromkeys(first + second) if one != main]


def _chat(sender: str, message: str) -> dict:
    return {"type": "chat", "sender": sender, "message": message}


def _walk(checker: Checker, facts: list[Fact], *key: object) -> dict:
    """A path through the graph with its triples and their text."""
    lexicon = checker.lexicon
    triples = [
        [lexicon.name(fact.subject), fact.relation.replace("_", " "), lexicon.text(fact.value, fact.relation)]
        for fact in facts
    ]
    text = " ".join(
        [*checker.writer.tell(facts, *key), checker.writer.aside(facts[0].subject, facts[:1], *key)]
    )
    return {
        "type": "action",
        "action_id": "kgwalk/choose_path",
        "metadata": {"path": [round(draw(*key, "score"), 3), triples, text]},
        "sender": "assistant",
    }
