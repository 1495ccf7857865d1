"""Answers of the models about the wiki: prompts in headings, or a bare question about an entity."""

import re
from collections.abc import Callable

from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.manners import REFUSALS, Answer, refused, word_of
from truerate_world.mfava.models import entity_table, realiser, silver, translator, wild, wording
from truerate_world.mfava.models.planted import PROFILES, TYPES
from truerate_world.mfava.models.reader import Reader, reader
from truerate_world.mfava.models.translator import code_of
from truerate_world.prompt import BARE, Asked

_NUMBER = re.compile(r"\b(\d{1,2})\b")
N_QUERIES = 2


def answer(world: World, model: str, asked: Asked, sample: int) -> Answer | None:
    """Return the reply to a prompt or question of the wiki; None if it is neither."""
    if asked.form == BARE:
        return _queried(world, model, asked.message, sample)
    handler = CUES.get(asked.cue)
    reader_ = reader(entity_table.build(world.seed))
    return handler(reader_, model, asked.fields, asked.instruction, sample) if handler else None


def guess(world: World, model: str, asked: Asked, sample: int) -> Answer | None:
    """The reply to a bare message that names one of the wiki's entities, in whichever words."""
    return _queried(world, model, asked.message, sample, is_named=True)


def _queried(world: World, model: str, query: str, sample: int, *, is_named: bool = False) -> Answer | None:
    reader_ = reader(entity_table.build(world.seed))
    asked = reader_.named(query) if is_named else reader_.asked(query)
    if asked is None:
        return None
    spoken = wild.reply(reader_.table, model, asked, " ".join(query.split()), sample)
    truth = {"lang": asked.code, "spans": spoken.spans, "flaw": spoken.flaw}
    return Answer("answer", spoken.text, truth, "length" if spoken.is_cut else None)


def _write(
    reader: Reader, model: str, fields: dict[str, str], instruction: str, sample: int
) -> Answer | None:
    """A passage in the language that is asked for, from what the reference says in whichever."""
    code, facts = code_of(fields.get("Language", "")), _facts(reader, fields.get("Reference", ""))
    if code is None or not facts:
        return None
    question = reader.asked(fields.get("Question", ""))
    subject = question.subject if question else facts[0].subject
    key = (model, "write", code, fields.get("Question", ""), subject, sample)
    written = silver.passage(reader.table, subject, facts, question.relation if question else None, *key)
    if not written:
        return None
    text = realiser.write(reader.table, code, written)
    return wording.passage(model, text, "Passage", *key).answer("write", lang=code, spans=[])


def _insert(
    reader: Reader, model: str, fields: dict[str, str], instruction: str, sample: int
) -> Answer | None:
    """The passage with insertions of one type more."""
    code, kind = code_of(fields.get("Language", "")), fields.get("Type", "").strip().lower()
    marked = fields.get("Passage", "")
    if code is None or kind not in TYPES or not marked:
        return None
    subject = reader.entity(fields.get("Subject", ""), code)
    claims = reader.read(marked, code)
    if subject is None and not claims:
        return None
    subject = claims[0].statement.subject if subject is None else subject
    facts = _facts(reader, fields["Reference"]) if fields.get("Reference") else []
    key, truth = (model, "insert", kind, marked, sample), {"lang": code, "type": kind}
    if draw(*key, "refuses") < PROFILES[model].refuses:
        return refused(REFUSALS, *key).answer("insert", **truth, fault="refused")
    inserted = silver.inserted(reader, model, code, kind, marked, subject, facts, *key)
    worded = wording.tagged(model, inserted.text, "Tagged Passage", *key)
    return worded.answer("insert", **truth, n=inserted.n, fault=inserted.fault)


def _translate(
    reader: Reader, model: str, fields: dict[str, str], instruction: str, sample: int
) -> Answer | None:
    """The text in the target language."""
    source, target = (code_of(fields.get(f"{which} Language", "")) for which in ("Source", "Target"))
    text = fields.get("Text", "")
    if source is None or target is None or not text:
        return None
    key = (model, "translate", source, target, text, sample)
    translated = translator.translated(reader, model, text, source, target, *key)
    worded = wording.passage(model, translated.text, "Translation", *key)
    return worded.answer("translate", lang=target, fault=translated.fault)


def _query(
    reader: Reader, model: str, fields: dict[str, str], instruction: str, sample: int
) -> Answer | None:
    """Numbered questions about the title; some ask for what the reference does not say."""
    code = code_of(fields.get("Language", ""))
    subject = reader.entity(fields.get("Title", ""), code) if code else None
    if subject is None:
        return None
    facts = _facts(reader, fields.get("Reference", ""))
    stated = {fact.relation for fact in facts if fact.subject == subject}
    number, left = _NUMBER.search(instruction), list(reader.table.entities[subject].facts)
    lines, key = [], (model, "query", code, subject, sample)
    for index in range(min(int(number[1]) if number else N_QUERIES, len(left))):
        is_beyond = draw(*key, index, "beyond") < PROFILES[model].beyond
        fitting = [relation for relation in left if (relation not in stated) == is_beyond] or left
        relation = pick(fitting, *key, index)
        left.remove(relation)
        question = realiser.question(reader.table, code, subject, relation, *key, index)
        lines.append(f"{index + 1}. {question}")
    return Answer("query", "\n".join(lines), {"lang": code})


def _check(
    reader: Reader, model: str, fields: dict[str, str], instruction: str, sample: int
) -> Answer | None:
    """Whether the reference says what a question asks for; now and then the wrong word."""
    question = reader.asked(fields.get("Question", ""))
    if question is None:
        return None
    facts = _facts(reader, fields.get("Reference", ""))
    is_answered = (question.subject, question.relation) in {(fact.subject, fact.relation) for fact in facts}
    is_wrong = draw(model, "check", fields["Question"], sample) < PROFILES[model].misjudged
    word, other = ("Yes", "No") if is_answered != is_wrong else ("No", "Yes")
    worded = word_of(model, word, "Answerable", [other], "check", fields["Question"], sample)
    return worded.answer("check", is_answered=is_answered, is_wrong=is_wrong)


def _facts(reader: Reader, reference: str) -> list[realiser.Statement]:
    """What a reference says, in whichever language it is."""
    code = reader.language(reference)
    return [claim.statement for claim in reader.read(reference, code)] if code else []


CUES: dict[str, Callable[..., Answer | None]] = {  # the cue at the end of a prompt -> who answers it
    "Passage": _write,
    "Tagged Passage": _insert,
    "Translation": _translate,
    "Queries": _query,
    "Answerable": _check,
}
