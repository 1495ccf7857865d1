"""The simulated models at work on the wiki: what is asked of them in headings, or in a bare question about
one of its entities.
"""

import re
from collections.abc import Callable

from truerate_world.answer import Answer
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.manners import Worded, word_of
from truerate_world.mfava.models import entity_table, realiser, silver, translator, wild, wording
from truerate_world.mfava.models.planted import PROFILES, TYPES
from truerate_world.mfava.models.reader import Reader, reader
from truerate_world.mfava.models.translator import code_of
from truerate_world.prompt import BARE, Asked

_NUMBER = re.compile(r"\b(\d{1,2})\b")
N_QUERIES = 2


def answer(world: World, model: str, asked: Asked, sample: int) -> Answer | None:
    """The reply to a prompt with the wiki's headings, or to a question in one of its languages; None where it
    is neither.
    """
    if asked.form == BARE:
        return _queried(world, model, asked.message, sample)
    handler = CUES.get(asked.cue)
    text_reader = reader(entity_table.build(world.seed))
    return handler(text_reader, model, asked.fields, asked.instruction, sample) if handler else None


def guess(world: World, model: str, asked: Asked, sample: int) -> Answer | None:
    """The reply to a bare message that names one of the wiki's entities, in whichever words."""
    return _queried(world, model, asked.message, sample, is_named=True)


def _queried(world: World, model: str, query: str, sample: int, *, is_named: bool = False) -> Answer | None:
    text_reader = reader(entity_table.build(world.seed))
    asked = text_reader.named(query) if is_named else text_reader.asked(query)
    if asked is None:
        return None
    spoken = wild.reply(text_reader.table, model, asked, " ".join(query.split()), sample)
    truth = {"lang": asked.code, "spans": spoken.spans, "flaw": spoken.flaw}
    return Answer("answer", spoken.text, truth, "length" if spoken.is_cut else None)


def _write(text_reader: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Answer | None:
    """A passage in the language that is asked for, from what the reference says in whichever."""
    code, facts = code_of(fields.get("Language", "")), _facts(text_reader, fields.get("Reference", ""))
    if code is None or not facts:
        return None
    question = text_reader.asked(fields.get("Question", ""))
    subject = question.subject if question else facts[0].subject
    first = question.relation if question else None
    key = (model, "write", code, fields.get("Question", ""), subject, sample)
    written = silver.passage(
        text_reader.table,
        subject,
        facts,
        first,
        model,
        "write",
        code,
        fields.get("Question", ""),
        subject,
        sample,
    )
    if not written:
        return None
    text = realiser.write(text_reader.table, code, written)
    return _answered("write", wording.passage(model, text, "Passage", *key), {"lang": code, "spans": []})


def _answered(task: str, worded: Worded, truth: dict) -> Answer:
    """An answer as it is worded, with what was planted in it and in its wording."""
    return Answer(task, worded.text, truth | worded.truth, worded.finish)


def _insert(text_reader: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Answer | None:
    """The passage with insertions of one type more."""
    code, kind, marked = (
        code_of(fields.get("Language", "")),
        fields.get("Type", "").strip().lower(),
        fields.get("Passage", ""),
    )
    if code is None or kind not in TYPES or not marked:
        return None
    subject = text_reader.entity(fields.get("Subject", ""), code)
    claims = text_reader.read(marked, code)
    if subject is None and not claims:
        return None
    subject = claims[0].said.subject if subject is None else subject
    facts = _facts(text_reader, fields["Reference"]) if fields.get("Reference") else []
    key = (model, "insert", kind, marked, sample)
    if draw(*key, "refuses") < PROFILES[model].refuses:
        return _answered("insert", wording.declined(*key), {"lang": code, "type": kind, "fault": "refused"})
    inserted = silver.inserted(text_reader, model, code, kind, marked, subject, facts, *key)
    worded = wording.tagged(model, inserted.text, "Tagged Passage", *key)
    return _answered("insert", worded, {"lang": code, "type": kind, "n": inserted.n, "fault": inserted.fault})


def _translate(
    text_reader: Reader, model: str, fields: dict[str, str], said: str, sample: int
) -> Answer | None:
    """The text in the target language."""
    source, target = (code_of(fields.get(f"{which} Language", "")) for which in ("Source", "Target"))
    text = fields.get("Text", "")
    if source is None or target is None or not text:
        return None
    key = (model, "translate", source, target, text, sample)
    translated = translator.translated(text_reader, model, text, source, target, *key)
    worded = wording.passage(model, translated.text, "Translation", *key)
    return _answered("translate", worded, {"lang": target, "fault": translated.fault})


def _query(text_reader: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Answer | None:
    """Numbered questions about the title; some ask for what the reference does not say."""
    code = code_of(fields.get("Language", ""))
    subject = text_reader.entity(fields.get("Title", ""), code) if code else None
    if subject is None:
        return None
    texts = {
        one.relation for one in _facts(text_reader, fields.get("Reference", "")) if one.subject == subject
    }
    number = _NUMBER.search(said)
    left, lines, key = (
        list(text_reader.table.entities[subject].facts),
        [],
        (model, "query", code, subject, sample),
    )
    for index in range(min(int(number[1]) if number else N_QUERIES, len(left))):
        is_beyond = draw(*key, index, "beyond") < PROFILES[model].beyond
        fitting = [text for text in left if (text not in texts) == is_beyond] or left
        relation = pick(fitting, *key, index)
        left.remove(relation)
        lines.append(
            f"{index + 1}. {realiser.question(text_reader.table, code, subject, relation, *key, index)}"
        )
    return Answer("query", "\n".join(lines), {"lang": code})


def _check(text_reader: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Answer | None:
    """Whether the reference says what a question asks for; now and then the wrong word."""
    question = text_reader.asked(fields.get("Question", ""))
    if question is None:
        return None
    is_answered = (question.subject, question.relation) in {
        (one.subject, one.relation) for one in _facts(text_reader, fields.get("Reference", ""))
    }
    is_wrong = draw(model, "check", fields["Question"], sample) < PROFILES[model].misjudged
    said, other = ("Yes", "No") if is_answered != is_wrong else ("No", "Yes")
    worded = word_of(model, said, "Answerable", [other], "check", fields["Question"], sample)
    return _answered("check", worded, {"is_answered": is_answered, "is_wrong": is_wrong})


def _facts(text_reader: Reader, reference: str) -> list[realiser.Said]:
    """What a reference says, in whichever language it is."""
    code = text_reader.language(reference)
    return [claim.said for claim in text_reader.read(reference, code)] if code else []


CUES: dict[str, Callable[..., Answer | None]] = {  # the cue at the end of a prompt -> who answers it
    "Passage": _write,
    "Tagged Passage": _insert,
    "Translation": _translate,
    "Queries": _query,
    "Answerable": _check,
}
