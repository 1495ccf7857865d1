"""A silver writer at work: a passage from a reference, and insertions of one type after the other into it, in
their tags.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.draws import draw, pick, shuffled
from truerate_world.mfava.lang import load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.entity_table import EntityTable
from truerate_world.mfava.models.forms import INSERTED, STATING
from truerate_world.mfava.models.planted import PROFILES
from truerate_world.mfava.models.reader import Claim, Reader, sentences
from truerate_world.mfava.models.realiser import Said
from truerate_world.mfava.models.wild import mistold

MAX_WORDS = 3  # that an insertion may replace
P_COPIED = 0.6  # that a passage leaves a fact in the words of its reference,
P_TURNED = 0.25  # or tells it as another reference would; else it says it in words of its own
P_SECOND = 0.1  # that an insertion step makes two
_TAGGED = re.compile(r"<(\w+)>.*?</\1>", re.DOTALL)


class Inserted(NamedTuple):
    """A tagged passage, how many insertions it gained, and the fault that was planted in it."""

    text: str
    n: int
    fault: str | None = None


def passage(
    table: EntityTable,
    subject: int,
    known: Sequence[Said],
    first: str | None,
    *key: object,
    forms: Sequence[int] = range(12),
    turns: bool = True,
) -> list[Said]:
    """Three to five sentences that say what a reference says of its subject and then of others, most of them
    in its words.

    `first`: the relation that was asked for; it is answered in words of the writer's own. `forms`: those that
    such words may have. Without `turns` no fact is told as another reference would: those that would be stay
    in the words of theirs.
    """
    facts = {(one.subject, one.relation): one for one in known if one.name.kind in STATING}
    own = [one for one in facts if one[0] == subject]
    own.sort(key=lambda one: (one[1] != first, draw(*key, *one)))
    others = shuffled([one for one in facts if one[0] != subject], *key, "others")
    n = 3 + int(draw(*key, "length") * 3)
    said = ((facts[one], one[1] == first and one[0] == subject) for one in (own + others)[:n])
    return [_reworded(table, one, is_answer, *key, forms=forms, turns=turns) for one, is_answer in said]


def _reworded(
    table: EntityTable, known: Said, is_answer: bool, *key: object, forms: Sequence[int], turns: bool
) -> Said:
    """A fact of a reference as a passage has it: in the reference's words, in those of another reference, or
    in other words than either.
    """
    left = draw(*key, "copied", known.subject, known.relation)
    if known.name.kind == "told" and not is_answer:
        if left < P_COPIED:
            return known
        if left < P_COPIED + P_TURNED:
            return known._replace(name=known.name._replace(place=known.name.place + 1)) if turns else known
    return realiser.fact(table, known.subject, known.relation, *key, forms=forms)


def inserted(
    reader: Reader,
    model: str,
    code: str,
    kind: str,
    marked: str,
    subject: int,
    known: Sequence[Said],
    *key: object,
) -> Inserted:
    """A tagged passage with one or two more insertions of a type, outside the tags that are there; now and
    then with a planted fault.
    """
    profile, left = PROFILES[model], draw(*key, "fault")
    fault = None
    for name in ("unclosed", "altered", "nothing"):
        left -= getattr(profile, name)
        if left < 0:
            fault = name
            break
    if fault == "nothing":
        return Inserted(marked, 0, fault)
    n = 2 if draw(*key, "second") < P_SECOND else 1
    if kind in INSERTED:
        said = [
            realiser.insertion(reader.table, kind, "written", subject, known, *key, turn) for turn in range(n)
        ]
        text, number = _added(reader, code, kind, marked, said, *key)
    else:
        text, number = _replaced(reader, code, kind, marked, n, *key)
    if fault == "unclosed" and number:
        text = text[: (at := text.rfind(f"</{kind}>"))] + text[at + len(kind) + 3 :]
    if fault == "altered":
        text = _altered(text, code)
    return Inserted(text, number, fault)


def _replaced(reader: Reader, code: str, kind: str, marked: str, n: int, *key: object) -> tuple[str, int]:
    """Up to `n` true sentences of the passage mistold, the old words kept in the tag as deleted."""
    taken = [match.span() for match in _TAGGED.finditer(marked)]
    claims = [
        one for one in reader.read(marked, code) if one.said.name.kind in STATING and not _within(one, taken)
    ]
    right = [
        one for one in claims if not reader.false_in(one) and (kind == "entity" or one.words is not None)
    ]
    wrongs = {
        one: mistold(reader.table, one.said, kind, "written", *key, one.said.subject, one.said.relation)
        for one in right
    }
    short = [
        one
        for one in right
        if _is_short(reader, code, kind, one.said) and _is_short(reader, code, kind, wrongs[one])
    ]
    rephrased_last = sorted(
        shuffled(short, *key, "which"), key=lambda one: one.words is not None
    )  # a wrong relation needs such words
    chosen = sorted(rephrased_last[:n], key=lambda one: -one.start)
    for claim in chosen:
        wrong = wrongs[claim]
        marked = (
            marked[: claim.start]
            + realiser.marked(reader.table, code, claim.said, wrong)
            + marked[claim.end :]
        )
    return marked, len(chosen)


def _is_short(reader: Reader, code: str, kind: str, said: Said) -> bool:
    """Whether what is replaced, or put in its place, is no more than three words.

    A script without spaces has about four characters to a word, and the mark between two names counts as one.
    """
    made = realiser.line(reader.table, code, said)
    text = made.text[slice(*(made.value if kind == "entity" else made.words))]
    if load(code).join:
        return len(text.split()) <= MAX_WORDS
    return sum(-(-len(part) // 4) for part in text.split("·")) + text.count("·") <= MAX_WORDS


def _added(
    reader: Reader, code: str, kind: str, marked: str, said: Sequence[Said], *key: object
) -> tuple[str, int]:
    """Sentences of a type put between sentences of the passage, each once; none stands before the first."""
    taken = [match.span() for match in _TAGGED.finditer(marked)]
    ends = sorted({_outside(end, taken) for _, end in sentences(marked, code)}) or [len(marked)]
    lines = dict.fromkeys(realiser.line(reader.table, code, one).text for one in said)
    new = [text for text in lines if text not in marked]
    places = sorted((pick(ends, *key, "place", turn) for turn in range(len(new))), reverse=True)
    for text, index in zip(new, places, strict=True):
        marked = f"{marked[:index]}{load(code).join}<{kind}>{text}</{kind}>{marked[index:]}"
    return marked, len(new)


def _outside(end: int, taken: Sequence[tuple[int, int]]) -> int:
    """The end of a sentence, or of the tag in which it lies."""
    return next((last for start, last in taken if start < end <= last), end)


def _within(claim: Claim, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < claim.end and claim.start < end for start, end in taken)


def _altered(marked: str, code: str) -> str:
    """The passage without the last word (of scripts without spaces, the last two characters) of its first
    sentence outside tags; where all of it is tagged, with an ellipsis more.
    """
    taken = [match.span() for match in _TAGGED.finditer(marked)]
    for start, end in sentences(marked, code):
        if not any(begin < end and start < last for begin, last in taken):
            body = marked[start : end - 1]
            kept = body.rsplit(" ", 1)[0] if " " in body else body[:-2]
            return marked[:start] + kept + marked[end - 1 :]
    return f"{marked}…"
