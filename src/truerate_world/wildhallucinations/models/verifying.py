"""Facts of sentences in plain words, and verdicts on claims, with planted errors.
A verdict follows from the passages, never from the world; orders that stand in a page are not obeyed.
"""

from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.manners import Answer, Worded
from truerate_world.wildhallucinations.models import reading, wording
from truerate_world.wildhallucinations.models.behaviour_profile import profile_of
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.reading import Stated, stated_in, votes
from truerate_world.writer import language_tools

UNDECIDED = "hard to say"  # in place of a verdict


def written(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """Return the facts of numbered sentences, one per line; some missed, merged or malformed."""
    parts = reading.numbered(fields.get("Sentences", ""))
    if not parts:
        return None
    profile, missed, malformed = profile_of(model), [], []
    lines: list[tuple[int, str | None]] = []
    named = planted_as(world, fields.get("Subject", ""))
    about = named.entity if named else None
    statements = reading.stated_by(world, [text for _, text in parts], about)
    for (number, text), stated in zip(parts, statements, strict=True):
        key = (model, "write facts", text, sample)
        if stated and draw(*key, "missed") < profile.missed:
            missed.append(number)
            continue
        facts = [plain(world, model, statement, text) for statement in stated]
        if len(facts) > 1 and draw(*key, "merged") < profile.merged:
            tail = facts[1].removeprefix(language_tools(world).lexicon.name(stated[1].subject)).strip()
            facts = [f"{facts[0].rstrip('.')} and {tail}", *facts[2:]]
        for index, fact in enumerate(facts):
            is_malformed = draw(*key, "malformed", index) < profile.malformed
            (malformed if is_malformed else lines).append((number, fact))
        if not facts:
            lines.append((number, None))
    worded = wording.facts(model, lines, malformed, fields["Sentences"], sample)
    return worded.answer("write_facts", missed=missed, n_malformed=len(malformed))


def plain(world: World, model: str, stated: Stated, sentence: str = "") -> str:
    """Return a fact in plain words, the same for the same fact; an invention keeps its words."""
    tools = language_tools(world)
    name, key = tools.lexicon.name(stated.subject), (model, "plain", stated.subject, stated.relation)
    if stated.kind == reading.TITLE:
        return f"{name} is known as {name}."
    if stated.kind == reading.INVENTED:
        phrases = tools.lexicon.words.vague[stated.relation]
        in_sentence = [phrase for phrase in phrases if phrase in sentence]
        return f"{name} {in_sentence[0] if in_sentence else pick(phrases, *key)}."
    says = pick(tools.lexicon.words.relations[stated.relation].says, *key)
    return f"{name} {says.format(v=tools.lexicon.text(stated.value, stated.relation))}."


def verified(world: World, model: str, fields: dict[str, str], sample: int) -> Answer | None:
    """Return a verdict per numbered claim by what the passages state; some turned, some unread."""
    claims = reading.numbered(fields.get("Claims", ""))
    if not claims:
        return None
    subjects = [planted_as(world, name.strip()) for name in fields.get("Subject", "").split(";")]
    about = subjects[0].entity if len(subjects) == 1 and subjects[0] else None
    passages = reading.blocks(fields.get("Passages", ""))
    record = votes(world, [_passage(world, text, about) for text in passages])
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
        return Worded(UNDECIDED, [], "undecided").answer("verify_facts", supported=truth)
    worded = wording.verdicts(model, lines, dict(claims), fields.get("Passages", ""), *claims, sample)
    return worded.answer("verify_facts", supported=truth)


def _passage(world: World, text: str, about: int | None) -> tuple[str, int | None]:
    """A passage without the name and title before it, and the entity of that name."""
    name, mark, rest = text.partition(": ")
    named = planted_as(world, name) if mark else None
    if rest.startswith("“"):
        rest = rest.partition("” ")[2] or rest
    return (rest, named.entity) if named else (text, about)


def holds_by(world: World, claim: str, values_by_fact: reading.Votes, about: int | None = None) -> bool:
    """Whether all that a claim states is supported; a claim that states nothing is not."""
    statements = stated_in(world, claim, about)
    return bool(statements) and all(reading.is_supported(stated, values_by_fact) for stated in statements)


def verdict_of(model: str, claim: str, *, holds: bool, is_batch: bool, sample: int = 0) -> bool | None:
    """Whether a model calls a claim supported, None where it gives no verdict. Equal claims err together."""
    profile, key = profile_of(model), (model, "verify", claim, sample)
    if draw(*key, "unparsed", is_batch) < profile.unparsed:
        return None
    is_hallucinated = draw(*key) < (profile.fpr if holds else profile.tpr)
    if is_batch and draw(*key, "slip") < profile.slips:
        is_hallucinated = not is_hallucinated
    return not is_hallucinated
