"""Answers about names in chats: lists, kinds, number of referents, and domain.

Each function takes the fields of a prompt; None if the prompt lacks a field.
"""

import re
from dataclasses import dataclass

from truerate.core.text import name_key
from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.manners import Answer, Worded, word_of
from truerate_world.wildhallucinations.models import wording
from truerate_world.wildhallucinations.models.planted import (
    AMBIGUOUS,
    PAPER_DOMAIN,
    Named,
    domain_of,
    names_in,
    planted_as,
)

_CUES = {"verify": "Kind", "disambiguate": "Referents", "domain": "Domain"}
KINDS = ("entity", "private person", "no entity")
REFERENTS = ("one", "several")
DOMAINS = (
    *dict.fromkeys(PAPER_DOMAIN.values()),
    *sorted({referent.domain for referents in AMBIGUOUS.values() for referent in referents}),
)
_ORDERS = re.compile(r"ignore all earlier|list mode|new instruction|proper nouns", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]\w+")
_OUTSIDE = "miscellaneous"  # a domain that is none
_UNDECIDED = "undecided"  # the manner of a reply without a list or word


@dataclass(frozen=True)
class Profile:
    """How often a model errs; probabilities in [0, 1].

    Of names: each is `missed`, its `possessive` ending kept, a common word listed as a `spurious` one, the
    list `malformed`, an order in the message `obeyed`. Of answers: the wrong word about a kind (`misjudged`),
    about the number of things (`miscounted`), about the domain (`misplaced`), a word outside the list
    (`outside`), or none that can be read (`unsure`).
    """

    missed: float
    possessive: float
    spurious: float
    malformed: float
    obeyed: float
    misjudged: float
    miscounted: float
    misplaced: float
    outside: float
    unsure: float


_DATA = beside(__file__)
PROFILES = {model: Profile(**rates) for model, rates in _DATA["models"].items()}


def extracted(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """The names of a message, as it spells them, one per line."""
    message = fields.get("User Message")
    if not message:
        return None
    profile, key, names = PROFILES[model], (model, "extract", message, sample), names_in(world, message)
    texts = _listed(message, names, profile, *key)
    truth = {"n_names": len({name_key(name.surface) for name in names}), "n_listed": len(texts)}
    if _ORDERS.search(message) and draw(*key, "obeys") < profile.obeyed:
        return Worded("none", []).answer("extract", **truth, is_obeyed=True)
    if texts and draw(*key, "malformed") < profile.malformed:
        text = pick(_DATA["answering"], *key, "answers")
        return Worded(text, None, _UNDECIDED).answer("extract", **truth, is_malformed=True)
    return wording.names(model, texts, message, sample).answer("extract", **truth)


def _listed(message: str, names: list[Named], profile: Profile, *key: object) -> list[str]:
    """The names that the model sees, each once, and perhaps a word that is none."""
    texts: dict[str, str] = {}
    for name in names:
        if draw(*key, name_key(name.surface), "missed") >= profile.missed:
            texts.setdefault(name_key(name.surface), _spelled(message, name.surface, profile, *key))
    in_names = {word for name in names for word in name.surface.split()}
    words = [word for word in _WORD.findall(message) if word not in in_names]
    if words and draw(*key, "spurious") < profile.spurious:
        texts.setdefault(name_key(word := pick(words, *key, "spurious")), word)
    return list(texts.values())


def _spelled(message: str, surface: str, profile: Profile, *key: object) -> str:
    """A name, with its possessive ending where it has one and the model keeps it."""
    possessive = re.search(rf"{re.escape(surface)}(['’]s)(?!\w)", message)
    is_kept = possessive and draw(*key, surface, "possessive") < profile.possessive
    return surface + possessive[1] if is_kept else surface


def verified(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """Return which of KINDS a name is; invented things pass for entities."""
    if not (name := fields.get("Name")):
        return None
    named = planted_as(world, name)
    right = "no entity" if named is None else "private person" if named.kind == "private" else "entity"
    key = (model, "verify", name_key(name), fields.get("User Message", ""), sample)
    return _answered("verify", right, KINDS, PROFILES[model].misjudged, PROFILES[model], *key)


def referents(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """Whether a name means one thing or several."""
    if not (name := fields.get("Name")):
        return None
    named = planted_as(world, name)
    right = "several" if named and named.kind == "ambiguous" else "one"
    key = (model, "referents", name_key(name), sample)
    return _answered("disambiguate", right, REFERENTS, PROFILES[model].miscounted, PROFILES[model], *key)


def domain(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """The domain of what a name means; of what means nothing, whichever it sounds like."""
    if not (name := fields.get("Name")):
        return None
    right = domain_of(world, name) or pick(DOMAINS, "sounds like", name_key(name))
    key = (model, "domain", name_key(name), fields.get("User Message", ""), sample)
    if draw(*key, "outside") < PROFILES[model].outside:
        return Worded(_OUTSIDE, None, _UNDECIDED).answer("domain", right=right, said=None)
    return _answered("domain", right, DOMAINS, PROFILES[model].misplaced, PROFILES[model], *key)


def _answered(
    purpose: str, right: str, words: tuple[str, ...], error: float, profile: Profile, *key: object
) -> Answer:
    """The right word, another one, or a sentence that holds no answer."""
    if draw(*key, "unsure") < profile.unsure:
        worded = Worded("That is hard to say.", None, _UNDECIDED)
    else:
        is_wrong = draw(*key, "errs") < error
        word = pick([word for word in words if word != right], *key, "other") if is_wrong else right
        others = [other for other in words if other != word]
        worded = word_of(key[0], word, _CUES[purpose], others, purpose, *key)
    return worded.answer(purpose, right=right, said=worded.read)
