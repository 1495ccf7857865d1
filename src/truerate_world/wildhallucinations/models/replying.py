"""Long replies to a question about one entity: facts, inventions, repetitions, abstentions."""

import re
from functools import lru_cache
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.distractors import wrong_value
from truerate_world.domains import Value
from truerate_world.draws import draw, pick, shuffled
from truerate_world.encyclopedia import World
from truerate_world.manners import Answer
from truerate_world.wildhallucinations.models.behaviour_profile import Profile, p_false, profile_of
from truerate_world.wildhallucinations.models.pages import values_on_pages
from truerate_world.wildhallucinations.models.planted import is_known, names_in, planted_as
from truerate_world.writer import Fact, LanguageTools, facts_of, language_tools

_DATA = beside(__file__)

FEWEST = 4  # sentences of a reply
ENOUGH = 4  # facts from which nobody looks for more about what an entity's facts name
NOBODY = -1  # stands for an entity where a name means none, or nobody knows which
_ASKING = re.compile(
    r"\byou (?:know|tell me|have heard) about\s+(.+?)(?:\s+in (?:a|one) paragraph)?\s*[?.!]",
    re.IGNORECASE | re.DOTALL,
)

ABSTENTIONS = _DATA["abstentions"]
POLITE = _DATA["polite"]
TITLED = _DATA["titled"]


class Sentence(NamedTuple):
    """One sentence of a reply: its kind (true, false, invented, repeated …) and its text."""

    kind: str
    text: str


class Spoken(NamedTuple):
    """A reply and what was planted in it."""

    text: str
    is_abstention: bool
    kinds: tuple[str, ...] = ()

    @property
    def truth(self) -> dict:
        """What was planted, as a mapping."""
        return {"is_abstention": self.is_abstention, "kinds": list(self.kinds)}


def asked_name(message: str) -> str | None:
    """The name in a bare question what one knows about something; None where nothing of the kind is asked."""
    match = _ASKING.search(message)
    return match[1].strip(" \"'“”‘’*_") if match else None


def abstentions(name: str) -> list[str]:
    """Everything that a model says of a name where it would rather not answer."""
    return [form.format(x=name) for form in ABSTENTIONS]


def subject_of(world: World, message: str) -> int | None:
    """Return the entity of a bare question; NOBODY if its name means none; None if it is none."""
    name = asked_name(message)
    if not name:
        return None
    whole = planted_as(world, name)
    nameds = [whole] if whole else names_in(world, name)
    return nameds[0].entity if nameds and nameds[0].entity is not None else NOBODY


def replied(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """The reply to a bare question about an entity."""
    message = fields.get("User Query", "")
    entity = subject_of(world, message)
    if entity is None:
        return None
    spoken = spoken_of(world, model, entity, sample, name=asked_name(message) or "")
    return Answer("generate", spoken.text, spoken.truth | {"entity": entity})


@lru_cache(maxsize=20_000)
def spoken_of(world: World, model: str, entity: int, sample: int, *, name: str = "") -> Spoken:
    """Return a model's reply about an entity; NOBODY is declined or answered with opinions."""
    tools, profile = language_tools(world), profile_of(model)
    if entity == NOBODY:
        return _spoken_of_nobody(tools, model, profile, name, sample)
    name = tools.lexicon.name(entity)
    if not knows(world, model, entity) and draw(model, "web abstains", entity) < profile.abstention:
        return Spoken(pick(abstentions(name), model, "abstention", entity, sample), True)
    sentences = _sentences(tools, model, profile, entity, sample)
    kinds = tuple(sentence.kind for sentence in sentences)
    return Spoken(" ".join(sentence.text for sentence in sentences), False, kinds)


def knows(world: World, model: str, entity: int) -> bool:
    """Whether a model knows an entity: the more popular it is, the likelier; the same in every sample."""
    low, high = profile_of(model).coverage
    return draw(model, "knows", entity) < low + (high - low) * world.entities[entity].popularity


def _spoken_of_nobody(tools: LanguageTools, model: str, profile: Profile, name: str, sample: int) -> Spoken:
    key = (model, "nobody", name.casefold(), sample)
    if draw(*key) < 0.5 + profile.abstention / 2:
        return Spoken(pick(abstentions(name), *key), True)
    phrases = tools.lexicon.words.vague["invented"]
    texts = tuple(f"{name[:1].upper()}{name[1:]} {phrase}." for phrase in shuffled(phrases, *key)[:3])
    return Spoken(" ".join(texts), False, ("invented",) * len(texts))


def _sentences(
    tools: LanguageTools, model: str, profile: Profile, entity: int, sample: int
) -> list[Sentence]:
    """Return the sentences of a reply: facts, one or two a sentence, and extras between them."""
    key = (model, "web reply", entity, sample)
    low, high = profile.length
    n = low + int(draw(*key, "length") * (high - low + 1))
    facts = _facts(tools.world, entity, n + 2, *key)
    labelled = [spoiled(tools.world, model, profile, fact, *key, index) for index, fact in enumerate(facts)]
    sentences = _written(tools, labelled, n, *key)
    for index, extra in enumerate(_extras(tools, profile, entity, labelled, *key)):
        sentences.insert(pick(_gaps(tools, sentences), *key, "place", index), extra)
    return sentences[:high]


def _gaps(tools: LanguageTools, sentences: list[Sentence]) -> list[int]:
    """Return where a sentence may be inserted: not first, and not before a pronoun."""
    words = tools.lexicon.words
    pronouns = {form.lower() for form in words.pronouns.values()}
    bodies = [text.lower().split(", ")[-1 if text.startswith(words.leads) else 0] for _, text in sentences]
    n = len(sentences)
    return [index for index in range(1, n) if bodies[index].split()[0] not in pronouns] + [n]


def _facts(world: World, entity: int, n: int, *key: object) -> list[Fact]:
    """Return true facts: the entity's in drawn order, then some of the entities these name."""
    chosen = shuffled(facts_of(world, entity), *key, "own")
    for turn, share in enumerate((0.1, 1.0)):
        for fact in [fact for fact in chosen if fact.subject == entity and fact.value[0] == "e"]:
            other = world.entities[int(fact.value[1])]
            mine = {fact.relation for fact in chosen if fact.subject == other.index}
            left = [relation for relation in other.facts if relation not in mine]
            is_wanted = len(chosen) < (n if turn == 0 else min(n, ENOUGH))
            if left and is_wanted and draw(*key, "goes on", turn, fact.relation) < share:
                relation = pick(left, *key, "of", turn, fact.relation)
                chosen.insert(chosen.index(fact) + 1, Fact(other.index, relation, other.facts[relation]))
    return chosen[:n]


def spoiled(world: World, model: str, profile: Profile, fact: Fact, *key: object) -> tuple[str, Fact]:
    """What a sentence will be, and the fact that it tells."""
    is_rare = not is_known(world.entities[fact.subject])
    rate = p_false(profile, is_known=knows(world, model, fact.subject), is_rare=is_rare)
    left = draw(*key, "label")
    if left < rate:
        return "false", fact._replace(value=_wrong(world, fact, *key))
    return ("invented", fact) if left < rate + profile.invented else ("true", fact)


def _wrong(world: World, fact: Fact, *key: object) -> Value:
    """Return a wrong value: half of the time one of an old or wrong page, if there is one."""
    if draw(*key, "misled") < 0.5:
        pages = values_on_pages(world, fact.subject)
        for values in (pages.stale, pages.contradicted):
            if fact.relation in values:
                return values[fact.relation]
    return wrong_value(world, fact.value, fact.relation, *key)


def _written(tools: LanguageTools, labelled: list[tuple[str, Fact]], n: int, *key: object) -> list[Sentence]:
    """Return at most `n` sentences; half of the neighbours on one subject are joined."""
    sentences: list[Sentence] = []
    before, index = None, 0
    # facts before which two may be joined without falling below the fewest sentences
    spare, writer = 2 * (len(labelled) - FEWEST), tools.writer
    while index < len(labelled) and len(sentences) < n:
        kind, fact = labelled[index]
        mate = labelled[index + 1] if index + 1 < len(labelled) else None
        mine = (*key, "told", index)
        is_pair = mate and mate[0] != "invented" and mate[1].subject == fact.subject and index < spare
        if kind == "invented":
            text = writer.vague("invented", fact.subject, *mine)
        elif is_pair and draw(*mine, "join") < 0.5:
            kind, text = f"{kind}+{mate[0]}", writer.joined(fact, mate[1], *mine, after=before)
            index += 1
        else:
            text = writer.sentence(fact, *mine, after=before)
        sentences.append(Sentence(kind, text))
        before, index = fact.subject, index + 1
    return sentences


def _extras(
    tools: LanguageTools, profile: Profile, entity: int, labelled: list[tuple[str, Fact]], *key: object
) -> list[Sentence]:
    """Sentences besides: a fact said again, the name for its own sake, an opinion, politeness."""
    name, writer, extras = tools.lexicon.name(entity), tools.writer, []
    facts = [fact for kind, fact in labelled[: len(labelled) // 2] if kind != "invented"]
    if facts and draw(*key, "repeats") < profile.repeated:
        text = writer.sentence(pick(facts, *key, "again"), *key, "said again")
        extras.append(Sentence("repeated", text))
    if draw(*key, "titles") < profile.titled:
        extras.append(Sentence("titled", pick(TITLED, *key, "title").format(x=name)))
    if draw(*key, "opines") < profile.vague:
        extras.append(Sentence("vague", writer.vague("subjective", entity, *key, "opinion")))
    if draw(*key, "polite") < profile.polite:
        extras.append(Sentence("polite", pick(POLITE, *key, "politeness")))
    return extras
