"""The simulated models at work on names in chats: they list them, say what each is, how many things it may
mean, and its domain.

Each function takes the fields of a prompt and gives (purpose, text, truth, why it was cut), None where the
prompt lacks what it needs.
"""

import re
from dataclasses import dataclass

from truerate.core.text import name_key
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.manners import PLAIN, word_of
from truerate_world.wildhallucinations.models import wording
from truerate_world.wildhallucinations.models.planted import (
    AMBIGUOUS,
    PAPER_DOMAIN,
    Named,
    domain_of,
    names_in,
    planted_as,
)

Reply = tuple[str, str, dict, str | None]  # purpose, text, truth, and why it ended where it was cut
_CUES = {"verify": "Kind", "disambiguate": "Referents", "domain": "Domain"}
KINDS = ("entity", "private person", "no entity")
REFERENTS = ("one", "several")
DOMAINS = (
    *dict.fromkeys(PAPER_DOMAIN.values()),
    *sorted({referent.domain for referents in AMBIGUOUS.values() for referent in referents}),
)
_ORDERS = re.compile(r"ignore all earlier|list mode|new instruction|proper nouns", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]\w+")
_ANSWERING = (  # what a model says that answers the message in place of listing its names
    "I am happy to tell you more about that. What would you like to know?",
    "That is a good question. Let me look it up for you.",
)
_OUTSIDE = "miscellaneous"  # a domain that is none


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


PROFILES = {
    "sim-quill": Profile(0.003, 0.05, 0.02, 0.003, 0.0, 0.003, 0.005, 0.03, 0.002, 0.002),
    "sim-aster": Profile(0.005, 0.03, 0.02, 0.005, 0.02, 0.005, 0.01, 0.02, 0.005, 0.004),
    "sim-birch": Profile(0.03, 0.10, 0.05, 0.02, 0.10, 0.03, 0.04, 0.06, 0.01, 0.01),
    "sim-cedar": Profile(0.05, 0.15, 0.12, 0.03, 0.25, 0.06, 0.08, 0.10, 0.02, 0.02),
    "sim-dogwood": Profile(0.08, 0.10, 0.04, 0.04, 0.20, 0.05, 0.12, 0.08, 0.02, 0.04),
    "sim-elm": Profile(0.12, 0.25, 0.20, 0.08, 0.50, 0.12, 0.20, 0.20, 0.05, 0.06),
}


def extracted(world: World, model: str, fields: dict[str, str], sample: int) -> Reply | None:
    """The names of a message, as it spells them, one per line."""
    message = fields.get("User Message")
    if not message:
        return None
    profile, key = PROFILES[model], (model, "extract", message, sample)
    texts = _listed(message, names_in(world, message), profile, *key)
    truth = {
        "n_names": len({name_key(name.surface) for name in names_in(world, message)}),
        "n_listed": len(texts),
    }
    if _ORDERS.search(message) and draw(*key, "obeys") < profile.obeyed:
        return "extract", "none", truth | {"is_obeyed": True, "manner": PLAIN, "read": []}, None
    if texts and draw(*key, "malformed") < profile.malformed:
        text = pick(_ANSWERING, *key, "answers")
        return "extract", text, truth | {"is_malformed": True, "manner": "undecided", "read": None}, None
    worded = wording.names(model, texts, message, sample)
    return "extract", worded.text, truth | worded.truth, worded.finish


def _listed(message: str, names: list[Named], profile: Profile, *key: object) -> list[str]:
    """The names that the model sees, each once, and perhaps a word that is none."""
    texts_by_name: dict[str, str] = {}
    for name in names:
        if draw(*key, name_key(name.surface), "missed") >= profile.missed:
            texts_by_name.setdefault(name_key(name.surface), _spelled(message, name.surface, profile, *key))
    texts = {word for name in names for word in name.surface.split()}
    words = [word for word in _WORD.findall(message) if word not in texts]
    if words and draw(*key, "spurious") < profile.spurious:
        texts_by_name.setdefault(name_key(word := pick(words, *key, "spurious")), word)
    return list(texts_by_name.values())


def _spelled(message: str, surface: str, profile: Profile, *key: object) -> str:
    """A name, with its possessive ending where it has one and the model keeps it."""
    ending = re.search(rf"{re.escape(surface)}(['’]s)(?!\w)", message)
    return (
        surface + ending[1] if ending and draw(*key, surface, "possessive") < profile.possessive else surface
    )


def verified(world: World, model: str, fields: dict[str, str], sample: int) -> Reply | None:
    """Which of KINDS a name is; things that users make up pass for entities: that no page tells of them shows
    later.
    """
    if not (name := fields.get("Name")):
        return None
    named = planted_as(world, name)
    right = "no entity" if named is None else "private person" if named.kind == "private" else "entity"
    key = (model, "verify", name_key(name), fields.get("User Message", ""), sample)
    return _answered("verify", right, KINDS, PROFILES[model].misjudged, PROFILES[model], *key)


def referents(world: World, model: str, fields: dict[str, str], sample: int) -> Reply | None:
    """Whether a name means one thing or several."""
    if not (name := fields.get("Name")):
        return None
    named = planted_as(world, name)
    right = "several" if named and named.kind == "ambiguous" else "one"
    return _answered(
        "disambiguate",
        right,
        REFERENTS,
        PROFILES[model].miscounted,
        PROFILES[model],
        model,
        "referents",
        name_key(name),
        sample,
    )


def domain(world: World, model: str, fields: dict[str, str], sample: int) -> Reply | None:
    """The domain of what a name means; of what means nothing, whichever it sounds like."""
    if not (name := fields.get("Name")):
        return None
    right = domain_of(world, name) or pick(DOMAINS, "sounds like", name_key(name))
    key = (model, "domain", name_key(name), fields.get("User Message", ""), sample)
    if draw(*key, "outside") < PROFILES[model].outside:
        return "domain", _OUTSIDE, {"right": right, "said": None, "manner": "undecided", "read": None}, None
    return _answered("domain", right, DOMAINS, PROFILES[model].misplaced, PROFILES[model], *key)


def _answered(
    purpose: str, right: str, words: tuple[str, ...], error: float, profile: Profile, *key: object
) -> Reply:
    """The right word, another one, or a sentence that holds no answer."""
    if draw(*key, "unsure") < profile.unsure:
        truth = {"right": right, "said": None, "manner": "undecided", "read": None}
        return purpose, "That is hard to say.", truth, None
    answer = (
        pick([word for word in words if word != right], *key, "other")
        if draw(*key, "errs") < error
        else right
    )
    others = [word for word in words if word != answer]
    worded = word_of(key[0], answer, _CUES[purpose], others, purpose, *key)
    return purpose, worded.text, {"right": right, "said": worded.read} | worded.truth, worded.finish
