"""Simulated models at work on facts: sentences cut into facts in plain words, and claims held against
passages, with planted errors.

A verdict follows from what the passages say, never from the world, so a broken retriever really lowers the
score; orders that stand in a page are not heeded.
"""

from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.language_tools import language_tools
from truerate_world.wildhallucinations.models import wording
from truerate_world.wildhallucinations.models.behaviour_profile import profile_of
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.reading import (
    INVENTED,
    TITLE,
    Stated,
    blocks,
    is_supported,
    numbered,
    stated_by,
    stated_in,
    votes,
)

UNDECIDED = "hard to say"  # in place of a verdict

Reply = tuple[str, str, dict, str | None]  # purpose, text, truth, and why it ended where it was cut


# ---- facts -------------------------------------------------------------------------------------------------


def written(world: World, model: str, fields: dict[str, str], sample: int) -> Reply | None:
    """The facts of numbered sentences, one per line; a missed sentence, a merged or a malformed line where
    its profile draws one.
    """
    parts = numbered(fields.get("Sentences", ""))
    if not parts:
        return None
    profile, missed, malformed = profile_of(model), [], []
    lines: list[tuple[int, str | None]] = []
    named = planted_as(world, fields.get("Subject", ""))
    found = stated_by(world, [text for _, text in parts], named.entity if named else None)
    for (number, text), stated in zip(parts, found, strict=True):
        key = (model, "write facts", text, sample)
        if stated and draw(*key, "missed") < profile.missed:
            missed.append(number)
            continue
        facts = [plain(world, model, one, text) for one in stated]
        if len(facts) > 1 and draw(*key, "merged") < profile.merged:
            facts = [f"{facts[0].rstrip('.')} and {_tail(world, stated[1], facts[1])}", *facts[2:]]
        for index, fact in enumerate(facts):
            is_malformed = draw(*key, "malformed", index) < profile.malformed
            (malformed if is_malformed else lines).append((number, fact))
        if not facts:
            lines.append((number, None))
    worded = wording.facts(model, lines, malformed, fields["Sentences"], sample)
    truth = {"missed": missed, "n_malformed": len(malformed)}
    return "write_facts", worded.text, truth | worded.truth, worded.finish


def plain(world: World, model: str, stated: Stated, sentence: str = "") -> str:
    """A fact in plain words: the entity's name, and the same words for the same fact whenever this model
    writes it.

    What is invented keeps the words of its `sentence`.
    """
    tools = language_tools(world)
    name, key = tools.lexicon.name(stated.subject), (model, "plain", stated.subject, stated.relation)
    if stated.kind == TITLE:
        return f"{name} is known as {name}."
    if stated.kind == INVENTED:
        phrases = tools.lexicon.words.vague[stated.relation]
        return f"{name} {next((one for one in phrases if one in sentence), None) or pick(phrases, *key)}."
    says = pick(tools.lexicon.words.relations[stated.relation].says, *key)
    return f"{name} {says.format(v=tools.lexicon.text(stated.value, stated.relation))}."


def _tail(world: World, stated: Stated, fact: str) -> str:
    return fact.removeprefix(language_tools(world).lexicon.name(stated.subject)).strip()


# ---- verdicts ----------------------------------------------------------------------------------------------


def verified(world: World, model: str, fields: dict[str, str], sample: int) -> Reply | None:
    """A verdict for each numbered claim by what the passages state, turned where the model's profile draws it;
    some lines cannot be read.

    A reply is never empty: of a single claim that gets no verdict that is said.
    """
    claims = numbered(fields.get("Claims", ""))
    if not claims:
        return None
    subjects = [planted_as(world, name.strip()) for name in fields.get("Subject", "").split(";")]
    about = subjects[0].entity if len(subjects) == 1 and subjects[0] else None
    record = votes(world, [_passage(world, text, about) for text in blocks(fields.get("Passages", ""))])
    lines: list[tuple[int, bool | str]] = []
    truth = {}
    for number, claim in claims:
        holds = holds_by(world, claim, record, about)
        verdict = verdict_of(model, claim, holds=holds, is_batch=len(claims) > 1, sample=sample)
        truth[number] = holds
        if verdict is not None:
            lines.append((number, verdict))
        elif draw(model, "how unparsed", claim) < 0.5:
            lines.append((number, UNDECIDED))
    if not lines:
        return "verify_facts", UNDECIDED, {"supported": truth, "manner": "undecided", "read": []}, None
    worded = wording.verdicts(model, lines, dict(claims), fields.get("Passages", ""), *claims, sample)
    return "verify_facts", worded.text, {"supported": truth} | worded.truth, worded.finish


def _passage(world: World, text: str, about: int | None) -> tuple[str, int | None]:
    """A passage without the name that it was found for and the title of its page, and whom that name means."""
    name, mark, rest = text.partition(": ")
    named = planted_as(world, name) if mark else None
    if rest.startswith("“"):
        rest = rest.partition("” ")[2] or rest
    return (rest, named.entity) if named else (text, about)


def holds_by(world: World, claim: str, said: dict, about: int | None = None) -> bool:
    """Whether all that a claim states is supported; a claim that states nothing is not."""
    stateds = stated_in(world, claim, about)
    return bool(stateds) and all(is_supported(stated, said) for stated in stateds)


def verdict_of(model: str, claim: str, *, holds: bool, is_batch: bool, sample: int = 0) -> bool | None:
    """Whether a model calls a claim supported, None where it gives no verdict. Equal claims err together."""
    profile, key = profile_of(model), (model, "verify", claim, sample)
    if draw(*key, "unparsed", is_batch) < profile.unparsed:
        return None
    is_hallucinated = draw(*key) < (profile.fpr if holds else profile.tpr)
    if is_batch and draw(*key, "slip") < profile.slips:
        is_hallucinated = not is_hallucinated
    return not is_hallucinated
