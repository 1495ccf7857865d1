"""The simulated models at work on the wiki: what is asked of them in headings, or in a bare question about
one of its entities.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from truerate_world.draws import draw, pick
from truerate_world.mfava import entity_table, realiser, silver, translator, wild
from truerate_world.mfava.planted import HABITS, TYPES
from truerate_world.mfava.reader import Reader, reader
from truerate_world.mfava.translator import code_of
from truerate_world.prompt import Asked

_NUMBER = re.compile(r"\b(\d{1,2})\b")
N_QUERIES = 2


class Reply(NamedTuple):
    """What a model says: the purpose it recognised, its text, what was planted in it, and `length` where it
    broke off.
    """

    task: str
    text: str
    truth: dict
    finish: str | None = None


def asked_for(seed: int, model: str, asked: Asked, said: str, sample: int) -> Reply | None:
    """The reply to a prompt with headings (`said`: its instruction); None where it is not understood."""
    handler = _HANDLERS.get(asked.purpose)
    return handler(reader(entity_table.build(seed)), model, asked.fields, said, sample) if handler else None


def queried(seed: int, model: str, query: str, sample: int, *, is_named: bool = False) -> Reply | None:
    """The reply to a bare query; None where it is no question of the wiki's languages (with `is_named`: names
    none of its entities).
    """
    known = reader(entity_table.build(seed))
    found = known.named(query) if is_named else known.asked(query)
    if found is None:
        return None
    spoken = wild.reply(known.atlas, model, found, " ".join(query.split()), sample)
    truth = {"lang": found.code, "spans": spoken.spans, "flaw": spoken.flaw}
    return Reply("answer", spoken.text, truth, "length" if spoken.is_cut else None)


def _write(known: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Reply | None:
    """A passage in the language that is asked for, from what the reference says in whichever."""
    code, facts = code_of(fields.get("Language", "")), _facts(known, fields.get("Reference", ""))
    if code is None or not facts:
        return None
    question = known.asked(fields.get("Question", ""))
    subject = question.subject if question else facts[0].subject
    first = question.relation if question else None
    written = silver.passage(
        known.atlas, subject, facts, first, model, "write", code, fields.get("Question", ""), subject, sample
    )
    return (
        Reply("write", realiser.write(known.atlas, code, written), {"lang": code, "spans": []})
        if written
        else None
    )


def _insert(known: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Reply | None:
    """The passage with insertions of one type more."""
    code, kind, marked = (
        code_of(fields.get("Language", "")),
        fields.get("Type", "").strip().lower(),
        fields.get("Passage", ""),
    )
    if code is None or kind not in TYPES or not marked:
        return None
    subject = known.entity(fields.get("Subject", ""), code)
    claims = known.read(marked, code)
    if subject is None and not claims:
        return None
    subject = claims[0].said.subject if subject is None else subject
    facts = _facts(known, fields["Reference"]) if fields.get("Reference") else []
    made = silver.inserted(
        known, model, code, kind, marked, subject, facts, model, "insert", kind, marked, sample
    )
    return Reply("insert", made.text, {"lang": code, "type": kind, "n": made.n, "fault": made.fault})


def _translate(known: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Reply | None:
    """The text in the target language."""
    source, target = (code_of(fields.get(f"{which} Language", "")) for which in ("Source", "Target"))
    text = fields.get("Text", "")
    if source is None or target is None or not text:
        return None
    made = translator.translated(
        known, model, text, source, target, model, "translate", source, target, text, sample
    )
    return Reply("translate", made.text, {"lang": target, "fault": made.fault})


def _query(known: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Reply | None:
    """Numbered questions about the title; some ask for what the reference does not say."""
    code = code_of(fields.get("Language", ""))
    subject = known.entity(fields.get("Title", ""), code) if code else None
    if subject is None:
        return None
    told = {one.relation for one in _facts(known, fields.get("Reference", "")) if one.subject == subject}
    number = _NUMBER.search(said)
    left, lines, key = list(known.atlas.entities[subject].facts), [], (model, "query", code, subject, sample)
    for place in range(min(int(number[1]) if number else N_QUERIES, len(left))):
        is_beyond = draw(*key, place, "beyond") < HABITS[model].beyond
        fitting = [one for one in left if (one not in told) == is_beyond] or left
        relation = pick(fitting, *key, place)
        left.remove(relation)
        lines.append(f"{place + 1}. {realiser.question(known.atlas, code, subject, relation, *key, place)}")
    return Reply("query", "\n".join(lines), {"lang": code})


def _check(known: Reader, model: str, fields: dict[str, str], said: str, sample: int) -> Reply | None:
    """Whether the reference says what a question asks for; now and then the wrong word."""
    question = known.asked(fields.get("Question", ""))
    if question is None:
        return None
    is_answered = (question.subject, question.relation) in {
        (one.subject, one.relation) for one in _facts(known, fields.get("Reference", ""))
    }
    is_wrong = draw(model, "check", fields["Question"], sample) < HABITS[model].misjudged
    return Reply(
        "check",
        "Yes" if is_answered != is_wrong else "No",
        {"is_answered": is_answered, "is_wrong": is_wrong},
    )


def _facts(known: Reader, reference: str) -> list[realiser.Said]:
    """What a reference says, in whichever language it is."""
    code = known.language(reference)
    return [claim.said for claim in known.read(reference, code)] if code else []


_HANDLERS: dict[str, Callable[..., Reply | None]] = {
    "write": _write,
    "insert": _insert,
    "translate": _translate,
    "query": _query,
    "check": _check,
}
