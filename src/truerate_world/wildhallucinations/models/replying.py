"""Long replies to a question about one entity: what a simulated model knows, makes up, repeats, and where it
would rather not answer.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.distractors import wrong_value
from truerate_world.domains import Value
from truerate_world.draws import draw, pick, shuffled
from truerate_world.encyclopedia import World
from truerate_world.language_tools import language_tools
from truerate_world.wildhallucinations.models.behaviour_profile import Profile, p_false, profile_of
from truerate_world.wildhallucinations.models.pages import told
from truerate_world.wildhallucinations.models.planted import is_known, names_in, planted_as
from truerate_world.writer import Fact

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
    """One sentence of a reply: what it was meant to be (true, false, invented, repeated, titled, vague,
    polite), and its text.
    """

    kind: str
    text: str


class Said(NamedTuple):
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
    """The entity that a bare question is about; NOBODY where its name means none; None where it asks for
    nothing of the kind.
    """
    name = asked_name(message)
    if not name:
        return None
    whole = planted_as(world, name)
    nameds = [whole] if whole else names_in(world, name)
    return nameds[0].entity if nameds and nameds[0].entity is not None else NOBODY


def replied(world: World, model: str, fields: dict[str, str], sample: int) -> tuple[str, str, dict] | None:
    """The reply to a bare question about an entity."""
    message = fields.get("User Query", "")
    entity = subject_of(world, message)
    if entity is None:
        return None
    said = said_of(world, model, entity, sample, name=asked_name(message) or "")
    return "generate", said.text, said.truth | {"entity": entity}


@lru_cache(maxsize=20_000)
def said_of(world: World, model: str, entity: int, sample: int, *, name: str = "") -> Said:
    """What a model says of an entity; a name that means nothing (`entity` NOBODY) is declined or answered
    with opinions alone.
    """
    tools, profile = language_tools(world), profile_of(model)
    if entity == NOBODY:
        return _said_of_nobody(tools, model, profile, name, sample)
    name = tools.lexicon.name(entity)
    if not knows(world, model, entity) and draw(model, "web abstains", entity) < profile.abstention:
        return Said(pick(abstentions(name), model, "abstention", entity, sample), True)
    sentences = _sentences(tools, model, profile, entity, sample)
    return Said(
        " ".join(phrase.text for phrase in sentences), False, tuple(sentence.kind for sentence in sentences)
    )


def knows(world: World, model: str, entity: int) -> bool:
    """Whether a model knows an entity: the more popular it is, the likelier; the same in every sample."""
    low, high = profile_of(model).coverage
    return draw(model, "knows", entity) < low + (high - low) * world.entities[entity].popularity


def _said_of_nobody(known, model: str, profile: Profile, name: str, sample: int) -> Said:
    key = (model, "nobody", name.casefold(), sample)
    if draw(*key) < 0.5 + profile.abstention / 2:
        return Said(pick(abstentions(name), *key), True)
    phrases = known.lexicon.words.vague["invented"]
    texts = tuple(f"{name[:1].upper()}{name[1:]} {phrase}." for phrase in shuffled(phrases, *key)[:3])
    return Said(" ".join(texts), False, ("invented",) * len(texts))


def _sentences(known, model: str, profile: Profile, entity: int, sample: int) -> list[Sentence]:
    """The sentences of a reply in their order: facts alone or two in one, then what else the model likes to
    say, in between.
    """
    key = (model, "web reply", entity, sample)
    low, high = profile.length
    n = low + int(draw(*key, "length") * (high - low + 1))
    facts = _facts(known.world, entity, n + 2, *key)
    labelled = [_spoiled(known.world, model, profile, fact, *key, index) for index, fact in enumerate(facts)]
    sentences = _told(known, labelled, n, *key)
    extras = _extras(known, profile, entity, labelled, *key)
    for position, extra in enumerate(extras):
        sentences.insert(pick(_gaps(known, sentences), *key, "place", position), extra)
    return sentences[:high]


def _gaps(known, said: list[Sentence]) -> list[int]:
    """Where a sentence may be put in: after the first, and not before one whose pronoun looks back at what
    stands before it.
    """
    pronouns = {form.lower() for form in known.lexicon.words.pronouns.values()}
    heads = [
        sentence.text.lower()
        .split(", ")[-1 if sentence.text.startswith(known.lexicon.words.leads) else 0]
        .split()[0]
        for sentence in said
    ]
    return [index for index in range(1, len(said)) if heads[index] not in pronouns] + [len(said)]


def _facts(world: World, entity: int, n: int, *key: object) -> list[Fact]:
    """True facts to tell: the entity's own in a drawn order, then some about what these name, more of them
    where there are few.
    """
    chosen = shuffled(
        [Fact(entity, relation, value) for relation, value in world.entities[entity].facts.items()],
        *key,
        "own",
    )
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


def _spoiled(world: World, model: str, profile: Profile, fact: Fact, *key: object) -> tuple[str, Fact]:
    """What a sentence will be, and the fact that it tells."""
    rate = p_false(
        profile,
        is_known=knows(world, model, fact.subject),
        is_rare=not is_known(world.entities[fact.subject]),
    )
    left = draw(*key, "label")
    if left < rate:
        return "false", fact._replace(value=_wrong(world, fact, *key))
    return ("invented", fact) if left < rate + profile.invented else ("true", fact)


def _wrong(world: World, fact: Fact, *key: object) -> Value:
    """A wrong value: in half of the cases one that an old or wrong page has, where there is one, for models
    have read the web too.
    """
    if draw(*key, "misled") < 0.5:
        pages = told(world, fact.subject)
        if read := [
            record[fact.relation] for record in (pages.stale, pages.contradicted) if fact.relation in record
        ]:
            return read[0]
    return wrong_value(world, fact.value, fact.relation, *key)


def _told(known, labelled: list[tuple[str, Fact]], n: int, *key: object) -> list[Sentence]:
    """At most `n` sentences with the facts; neighbours on one subject are joined in half of the cases, as
    long as enough are left.
    """
    sentences: list[Sentence] = []
    before, index = None, 0
    spare = 2 * (
        len(labelled) - FEWEST
    )  # facts before which two may be joined without falling below the fewest sentences
    while index < len(labelled) and len(sentences) < n:
        kind, fact = labelled[index]
        mate = labelled[index + 1] if index + 1 < len(labelled) else None
        mine = (*key, "told", index)
        if kind == "invented":
            sentences.append(Sentence(kind, known.writer.vague("invented", fact.subject, *mine)))
        elif (
            mate
            and mate[0] != "invented"
            and mate[1].subject == fact.subject
            and index < spare
            and draw(*mine, "join") < 0.5
        ):
            sentences.append(
                Sentence(f"{kind}+{mate[0]}", known.writer.two(fact, mate[1], *mine, after=before))
            )
            index += 1
        else:
            sentences.append(Sentence(kind, known.writer.one(fact, *mine, after=before)))
        before, index = fact.subject, index + 1
    return sentences


def _extras(
    known, profile: Profile, entity: int, labelled: list[tuple[str, Fact]], *key: object
) -> list[Sentence]:
    """Sentences besides: a fact said again, the name for its own sake, an opinion, politeness."""
    name, extras = known.lexicon.name(entity), []
    if draw(*key, "repeats") < profile.repeated:
        facts = [fact for kind, fact in labelled[: len(labelled) // 2] if kind != "invented"]
        extras += (
            [Sentence("repeated", known.writer.one(pick(facts, *key, "again"), *key, "said again"))]
            if facts
            else []
        )
    if draw(*key, "titles") < profile.titled:
        extras.append(Sentence("titled", pick(TITLED, *key, "title").format(x=name)))
    if draw(*key, "opines") < profile.vague:
        extras.append(Sentence("vague", known.writer.vague("subjective", entity, *key, "opinion")))
    if draw(*key, "polite") < profile.polite:
        extras.append(Sentence("polite", pick(POLITE, *key, "politeness")))
    return extras
