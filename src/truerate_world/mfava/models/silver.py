"""A silver writer: a passage from a reference, and tagged insertions into it, type after type."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.draws import draw, pick, pick_by_rate, shuffled
from truerate_world.mfava.lang import load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.entity_table import EntityTable
from truerate_world.mfava.models.forms import INSERTED, STATING
from truerate_world.mfava.models.planted import PROFILES
from truerate_world.mfava.models.reader import Reader, sentences
from truerate_world.mfava.models.realiser import Span, Statement
from truerate_world.mfava.models.wild import mistold

MAX_WORDS = 3  # that an insertion may replace
P_COPIED = 0.6  # that a passage leaves a fact in the words of its reference,
P_TURNED = 0.25  # or tells it as another reference would; else it says it in words of its own
P_SECOND = 0.1  # that an insertion step adds two
_TAGGED = re.compile(r"<(\w+)>.*?</\1>", re.DOTALL)


class Inserted(NamedTuple):
    """A tagged passage, how many insertions it gained, and the fault that was planted in it."""

    text: str
    n: int
    fault: str | None = None


def passage(
    table: EntityTable,
    subject: int,
    reference: Sequence[Statement],
    first: str | None,
    *key: object,
    forms: Sequence[int] = range(12),
    turns: bool = True,
) -> list[Statement]:
    """Return three to five sentences from a reference: first of its subject, then of others.

    `first`: the relation that was asked for, answered in the writer's words; `forms`: those that such words
    may have; without `turns` no fact is worded as another reference would.
    """
    facts = {(fact.subject, fact.relation): fact for fact in reference if fact.name.kind in STATING}
    mine = [name for name in facts if name[0] == subject]
    mine.sort(key=lambda name: (name[1] != first, draw(*key, *name)))
    others = shuffled([name for name in facts if name[0] != subject], *key, "others")
    n = 3 + int(draw(*key, "length") * 3)
    return [
        _reworded(table, facts[name], name == (subject, first), *key, forms=forms, turns=turns)
        for name in (mine + others)[:n]
    ]


def _reworded(
    table: EntityTable, fact: Statement, is_answer: bool, *key: object, forms: Sequence[int], turns: bool
) -> Statement:
    """Return a fact in the reference's words, in those of another reference, or in others."""
    left = draw(*key, "copied", fact.subject, fact.relation)
    if fact.name.kind == "told" and not is_answer:
        if left < P_COPIED:
            return fact
        if left < P_COPIED + P_TURNED:
            return fact.in_next_form() if turns else fact
    return realiser.fact(table, fact.subject, fact.relation, *key, forms=forms)


def inserted(
    reader: Reader,
    model: str,
    code: str,
    kind: str,
    marked: str,
    subject: int,
    reference: Sequence[Statement],
    *key: object,
) -> Inserted:
    """Return a passage with one or two more insertions of a type outside its tags, or a planted fault."""
    rates = {name: getattr(PROFILES[model], name) for name in ("unclosed", "altered", "nothing")}
    fault = pick_by_rate(rates, *key, "fault")
    if fault == "nothing":
        return Inserted(marked, 0, fault)
    n = 2 if draw(*key, "second") < P_SECOND else 1
    if kind in INSERTED:
        new = [
            realiser.insertion(reader.table, kind, "written", subject, reference, *key, turn)
            for turn in range(n)
        ]
        text, number = _added(reader, code, kind, marked, new, *key)
    else:
        text, number = _replaced(reader, code, kind, marked, n, *key)
    if fault == "unclosed" and number:
        text = text[: (end := text.rfind(f"</{kind}>"))] + text[end + len(kind) + 3 :]
    return Inserted(_altered(text, code) if fault == "altered" else text, number, fault)


def _replaced(reader: Reader, code: str, kind: str, marked: str, n: int, *key: object) -> tuple[str, int]:
    """Up to `n` true sentences of the passage mistold, the old words kept in the tag as deleted."""
    table, tagged, wrongs = reader.table, _spans_of_tags(marked), {}
    for claim in reader.read(marked, code):
        fact = claim.statement
        if fact.name.kind not in STATING or _overlaps((claim.start, claim.end), tagged):
            continue
        if reader.false_in(claim) or (kind != "entity" and claim.words is None):
            continue
        wrong = mistold(table, fact, kind, "written", *key, fact.subject, fact.relation)
        if _is_short(reader, code, kind, fact) and _is_short(reader, code, kind, wrong):
            wrongs[claim] = wrong
    # claims with words of a relation come last: a wrong relation needs them
    ordered = sorted(shuffled(list(wrongs), *key, "which"), key=lambda claim: claim.words is not None)
    chosen = sorted(ordered[:n], key=lambda claim: -claim.start)
    for claim in chosen:
        text = realiser.marked(table, code, claim.statement, wrongs[claim])
        marked = marked[: claim.start] + text + marked[claim.end :]
    return marked, len(chosen)


def _is_short(reader: Reader, code: str, kind: str, statement: Statement) -> bool:
    """Whether the replaced or replacing words are at most three (four characters without spaces)."""
    line = realiser.line(reader.table, code, statement)
    text = line.text[slice(*(line.value if kind == "entity" else line.words))]
    if load(code).join:
        return len(text.split()) <= MAX_WORDS
    return sum(-(-len(part) // 4) for part in text.split("·")) + text.count("·") <= MAX_WORDS


def _added(
    reader: Reader, code: str, kind: str, marked: str, new: Sequence[Statement], *key: object
) -> tuple[str, int]:
    """Sentences of a type put between sentences of the passage, each once; none stands before the first."""
    tagged = _spans_of_tags(marked)
    ends = sorted({_outside(end, tagged) for _, end in sentences(marked, code)}) or [len(marked)]
    lines = dict.fromkeys(realiser.line(reader.table, code, statement).text for statement in new)
    texts = [text for text in lines if text not in marked]
    indices = sorted((pick(ends, *key, "place", turn) for turn in range(len(texts))), reverse=True)
    for text, index in zip(texts, indices, strict=True):
        marked = f"{marked[:index]}{load(code).join}<{kind}>{text}</{kind}>{marked[index:]}"
    return marked, len(texts)


def _spans_of_tags(marked: str) -> list[Span]:
    return [match.span() for match in _TAGGED.finditer(marked)]


def _outside(end: int, tagged: Sequence[Span]) -> int:
    """The end of a sentence, or of the tag in which it lies."""
    return next((last for start, last in tagged if start < end <= last), end)


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _altered(marked: str, code: str) -> str:
    """Return the passage with a word cut outside tags; with an ellipsis where all is tagged."""
    tagged = _spans_of_tags(marked)
    for start, end in sentences(marked, code):
        if not _overlaps((start, end), tagged):
            body = marked[start : end - 1]
            kept = body.rsplit(" ", 1)[0] if " " in body else body[:-2]
            return marked[:start] + kept + marked[end - 1 :]
    return f"{marked}…"
