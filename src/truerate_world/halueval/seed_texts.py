"""Dialogues on knowledge paths, news stories with highlights, instructions, and probes for labellers."""

from truerate_world.distractors import wrong_value
from truerate_world.draws import draw, order, pick, shuffled
from truerate_world.halueval.models.claim_checker import PATTERNS, Checker
from truerate_world.writer import Fact, facts_of

N_HIGHLIGHTS = 3


def conversation(checker: Checker, index: int) -> tuple[list[dict], dict]:
    """Return a conversation along a path as OpenDialKG logs it, and its rating."""
    world, writer, key = checker.world, checker.writer, (checker.world.seed, "dialogue", index)
    subject = order(len(world.entities), world.seed, "speakers")[index % len(world.entities)]
    facts = shuffled(facts_of(checker.world, subject), *key, "facts")
    asked = next(fact for fact in facts if fact.value[0] == "e")
    first, *others = [fact for fact in facts if fact != asked]
    is_further = draw(*key, "is further") < 0.7
    further = pick(facts_of(world, asked.value[1]), *key, "further") if is_further else others[0]
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


def story(checker: Checker, index: int) -> str:
    """Return a news story of two or three entities in CNN/DailyMail's format with highlights."""
    world, key = checker.world, (checker.world.seed, "story", index)
    main = order(len(world.entities), world.seed, "reporters")[index % len(world.entities)]
    facts = shuffled(facts_of(checker.world, main), *key, "own")
    # one fact stays untold, so that something true can be added
    facts.remove(next((fact for fact in facts if fact.value[0] != "e"), facts[-1]))
    others = _linked(checker, main, facts)[:2]
    sides = [shuffled(facts_of(checker.world, other), *key, other)[:3] for other in others]
    blocks = [checker.writer.tell(block, *key, "block", n) for n, block in enumerate([facts, *sides])]
    press = shuffled(checker.lexicon.words.talk["press"], *key, "press")
    paragraphs = [" ".join([*block, press[number]]) for number, block in enumerate(blocks)]
    kept = [facts[0], *(side[0] for side in sides), *facts[1:]][:N_HIGHLIGHTS]
    highlights = checker.writer.tell(shuffled(kept, *key, "kept"), *key, "highlights", compound=0.0)
    return "\n\n".join([*paragraphs, *(f"@highlight\n\n{line}" for line in highlights)]) + "\n"


def instruction(checker: Checker, index: int) -> dict:
    """An instruction as in Alpaca, different for every index, with a true output."""
    world, words = checker.world, checker.lexicon.words
    n = len(world.entities)
    subjects = order(n, world.seed, "subjects")
    subject, lap = subjects[index % n], index // n
    asks = [(ask, "") for relation in world.entities[subject].facts for ask in words.relations[relation].asks]
    singles = shuffled([*words.queries, *asks], world.seed, "forms", subject)
    about = [subject]
    if lap < len(singles):
        form = singles[lap]
    else:
        form = words.pair_queries[lap % len(words.pair_queries)]
        about.append(subjects[(index + 1 + lap // len(words.pair_queries)) % n])
    names = dict(zip("xy", map(checker.lexicon.name, about), strict=False))
    asked = checker.questions.resolve(form[0].format(**names), {})
    first = [Fact(*step) for step in asked.steps] if asked else []
    others = [shuffled(facts_of(world, entity), world.seed, "output", index) for entity in about]
    facts = list(dict.fromkeys([*first, *(fact for facts in others for fact in facts[: 4 // len(about)])]))[
        :4
    ]
    text = " ".join(checker.writer.tell(facts, world.seed, "output", index))
    return {"instruction": form[0].format(**names), "input": form[1].format(**names), "output": text}


def probe(checker: Checker, index: int) -> dict:
    """A general answer with a known label: three sentences, in every other probe one of them hallucinated."""
    world, writer, key = checker.world, checker.writer, (checker.world.seed, "probe", index)
    forms = checker.lexicon.words.probe_queries
    subject = order(len(world.entities), world.seed, "probed")[index % len(world.entities)]
    sentences = writer.tell(shuffled(facts_of(checker.world, subject), *key)[:3], *key, compound=0.0)
    spans = []
    if index % 2:
        label = PATTERNS["general"][index // 2 % 3]
        where = int(draw(*key, "where") * 2)  # not the last one, whose subject a pronoun may follow
        sentences[where] = _false(checker, subject, label, *key)
        rest = facts_of(world, subject)[: len(sentences) - where - 1]
        sentences[where + 1 :] = writer.tell(rest, *key, "rest", compound=0.0)
        spans = [sentences[where]]
    query = forms[index % len(forms)][0].format(x=checker.lexicon.name(subject))
    label = {"hallucination": "yes" if spans else "no", "hallucination_spans": spans}
    return {"query": query, "response": " ".join(sentences), **label}


def _false(checker: Checker, subject: int, label: str, *key: object) -> str:
    """A sentence of a label about (or far from) an entity."""
    if label == "unverifiable":
        return checker.writer.vague("unverifiable", subject, *key)
    if label == "irrelevant":
        others = [index for index in range(len(checker.world.entities)) if index != subject]
        stranger = pick(others, *key, "stranger")
        return checker.writer.sentence(facts_of(checker.world, stranger)[0], *key, "irrelevant")
    fact = facts_of(checker.world, subject)[-1]
    wrong = wrong_value(checker.world, fact.value, fact.relation, *key)
    return checker.writer.sentence(fact._replace(value=wrong), *key, "non-factual")


def _linked(checker: Checker, main: int, facts: list[Fact]) -> list[int]:
    """Entities that the facts lead to, and those that these lead to."""
    first = [fact.value[1] for fact in facts if fact.value[0] == "e"]
    facts = [fact for entity in first for fact in facts_of(checker.world, entity)]
    second = [fact.value[1] for fact in facts if fact.value[0] == "e"]
    return [entity for entity in dict.fromkeys(first + second) if entity != main]


def _chat(sender: str, message: str) -> dict:
    return {"type": "chat", "sender": sender, "message": message}


def _walk(checker: Checker, facts: list[Fact], *key: object) -> dict:
    """A path through the graph with its triples and their text."""
    lexicon = checker.lexicon
    triples = [
        [lexicon.name(fact.subject), fact.relation.replace("_", " "), lexicon.text(fact.value, fact.relation)]
        for fact in facts
    ]
    aside = checker.writer.aside(facts[0].subject, facts[:1], *key)
    text = " ".join([*checker.writer.tell(facts, *key), aside])
    metadata = {"path": [round(draw(*key, "score"), 3), triples, text]}
    action = {"type": "action", "action_id": "kgwalk/choose_path"}
    return action | {"metadata": metadata, "sender": "assistant"}
