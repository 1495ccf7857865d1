"""Models and names at their most awkward: other scripts, replies of 28 facts, styles of refusal."""

from collections.abc import Callable, Collection
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial

from truerate_world import lexicon as lexicons
from truerate_world import prompt, simulated_model
from truerate_world.data import beside
from truerate_world.draws import draw, pick, shuffled
from truerate_world.encyclopedia import World
from truerate_world.manners import Answer
from truerate_world.wildhallucinations.models import replying
from truerate_world.wildhallucinations.models.behaviour_profile import profile_of
from truerate_world.wildhallucinations.models.pages import Page, shown_pages
from truerate_world.wildhallucinations.models.planted import is_known
from truerate_world.wildhallucinations.models.replying import NOBODY, Spoken
from truerate_world.wildhallucinations.models.writing import paragraphs
from truerate_world.writer import Fact, facts_of, language_tools

_DATA = beside(__file__)

N_FACTS = 28  # of a long reply (the paper's Table 4: 29.6 a reply in the mean)
FOREIGN = 1 / 6  # of the rare entities
_LATIN = "abcdefghijklmnopqrstuvwxyz"
# letters for letters, each once, so that different names stay different
SCRIPTS = _DATA["scripts"]
REFUSALS = _DATA["refusals"]


@lru_cache(maxsize=4)
def with_other_scripts(world: World) -> World:
    """The world with some of its rare entities called in letters of other scripts, in every language."""
    return replace(
        world, lexicons={code: _rewritten(world, lexicon) for code, lexicon in world.lexicons.items()}
    )


def foreign(world: World) -> dict[int, str]:
    """The entities that are called in another script, by index, and which."""
    rare = [
        entity.index
        for entity in world.entities
        if not is_known(entity) and draw(world.seed, "script", entity.index) < FOREIGN
    ]
    return {index: pick(tuple(SCRIPTS), world.seed, "which script", index) for index in rare}


def _rewritten(world: World, lexicon: lexicons.Lexicon) -> lexicons.Lexicon:
    names, scripts = list(lexicon.names), foreign(world)
    for index, script in scripts.items():
        names[index] = tuple(_transcribed(name, SCRIPTS[script]) for name in names[index])
    vocabulary = copy(lexicon)
    vocabulary.names, vocabulary._scans = names, {}
    vocabulary._lexicon = lexicons._lexicon(lexicon.words, names)
    return vocabulary


def _transcribed(name: str, letters: str) -> str:
    table = str.maketrans(dict(zip(_LATIN, letters, strict=True)))
    return " ".join(
        word.lower().translate(table).capitalize() if word[:1].isupper() else word.translate(table)
        for word in name.split()
    )


def saying(breaks: Collection[str]) -> Callable[..., Spoken]:
    """What stands for `replying.spoken_of` where the models are broken so."""
    return partial(_spoken, frozenset(breaks))


def answering(breaks: Collection[str]) -> Callable[..., Answer]:
    """What stands for `simulated_model.reply` where the models are broken so."""
    spoken_of = saying(breaks)

    def reply(world: World, model: str, messages: list[dict], **record) -> Answer:
        """As simulated_model.reply."""
        asked = prompt.read(messages)
        entity = replying.subject_of(world, asked.message) if asked.form == prompt.BARE else None
        if entity is None:
            return simulated_model.reply(world, model, messages, **record)
        sample = record.get("seed") or 0 if record.get("temperature", 0.0) > 0 else 0
        spoken = spoken_of(world, model, entity, sample, name=replying.asked_name(asked.message) or "")
        return Answer("generate", spoken.text, spoken.truth | {"entity": entity})

    return reply


@lru_cache(maxsize=20_000)
def _spoken(
    breaks: frozenset[str], world: World, model: str, entity: int, sample: int, *, name: str = ""
) -> Spoken:
    spoken = replying.spoken_of(world, model, entity, sample, name=name)
    if spoken.is_abstention and "refusals" in breaks:
        called = name if entity == NOBODY else world.lexicon().name(entity)
        return Spoken(pick(REFUSALS, model, "refusal", called, sample).format(x=called), True)
    if not spoken.is_abstention and entity != NOBODY and "long-replies" in breaks:
        return _long(world, model, entity, sample)
    return spoken


def _long(world: World, model: str, entity: int, sample: int) -> Spoken:
    """Return a reply of N_FACTS sentences; some false or invented as the profile has it."""
    profile, writer, texts, kinds = profile_of(model), language_tools(world).writer, [], []
    key = (model, "long reply", entity, sample)
    for index, true in enumerate(far_facts(world, entity, *key)):
        kind, fact = replying.spoiled(world, model, profile, true, *key, index)
        is_invented = kind == "invented"
        text = writer.vague(kind, fact.subject, *key, index) if is_invented else None
        texts.append(text or writer.sentence(fact, *key, index))
        kinds.append(kind)
    return Spoken(" ".join(texts), False, tuple(kinds))


def far_facts(world: World, entity: int, *key: object) -> list[Fact]:
    """N_FACTS true facts: of the entity, of those its facts name and that are like it, and so on."""
    around, facts = [entity], []
    for index in around:  # which grows
        true = facts_of(world, index)
        facts += true
        if len(facts) >= N_FACTS:
            break
        named = [int(fact.value[1]) for fact in true if fact.value[0] == "e"]
        around += [other for other in (*named, *sorted(world.near[index])) if other not in around]
    return shuffled(facts[:N_FACTS], *key, "order")


def long_paragraphs(world: World, page: Page) -> list[str]:
    """Return a page's paragraphs where replies are long: an entity's first page tells all."""
    texts = paragraphs(world, page)
    if page.entity is None or page is not _first(world, page.entity):
        return texts
    writer, key = language_tools(world).writer, (world.seed, "long page", page.key)
    facts = far_facts(world, page.entity)
    return [*texts, *(writer.sentence(fact, *key, index) for index, fact in enumerate(facts))]


def _first(world: World, entity: int) -> Page | None:
    kinds = ("encyclopedia", "news", "blog", "fan")
    return next((page for page in shown_pages(world, entity) if page.kind in kinds), None)
