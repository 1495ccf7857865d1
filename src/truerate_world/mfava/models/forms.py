"""Sentence forms of a language: its templates cut at their holes, for writing with exact offsets and for
reading back.

A form is named by its kind (`told`, `said`, `ask`, `lead`, `filler`, `refusal`, or a type of insertion), its
shelf (a relation, or which list of insertions it stands in) and its place there; the same name means the same
sentence in every language.
"""

import re
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

from truerate_world.mfava.lang import DOMAINS, load

SHELVES = {
    "taught": 8,
    "written": 8,
    "natural": 5,
}  # phrases of each type: in training passages, by silver writers, in the wild
INSERTED = ("contradictory", "unverifiable", "invented", "subjective")
STATING = ("told", "said")
SUBJECT = "\0"  # where the subject's name stands in `before` and `after`
_BRACKET = re.compile(r"\[([^|\[\]]*)\|([^|\[\]]*)\]")
_HOLE = re.compile(r"\{([svw])\}")


class Name(NamedTuple):
    """Which form: kind, shelf and place. `is_wrong`: with the wrong words in its bracket."""

    kind: str
    shelf: str = ""
    place: int = 0
    is_wrong: bool = False


class Form(NamedTuple):
    """A template about an entity of one domain, without bracket: holes and texts in turn; `words` are the
    pieces that were the bracket's.

    `before` and `after` are what stands around its value (`after` None where it has no hole for one).
    """

    name: Name
    pieces: tuple[tuple[str, str], ...]  # (hole or "", text or "")
    words: tuple[int, int] | None
    before: str
    after: str | None


@cache
def forms(code: str, domain: str) -> dict[Name, Form]:
    """All forms of a language for the entities of a domain, those that state a fact first."""
    return {form.name: form for form in (_form(name, text) for name, text in _templates(load(code), domain))}


@cache
def count(code: str, domain: str, kind: str, shelf: str = "") -> int:
    """How many forms of a kind stand on a shelf."""
    return 1 + max(name.place for name in forms(code, domain) if (name.kind, name.shelf) == (kind, shelf))


@cache
def listed(code: str, domain: str, *, asking: bool = False) -> tuple[Form, ...]:
    """The forms that a sentence about an entity of a domain can have; with `asking` its questions."""
    return tuple(form for form in forms(code, domain).values() if (form.name.kind == "ask") == asking)


def _templates(words: SimpleNamespace, domain: str):
    """Every template for a domain with its name; a bracket gives two, the right one first."""
    for relation in DOMAINS[domain]:
        phrases = words.relations[relation]
        for kind, shown in (("told", phrases.told), ("ask", phrases.asks)):
            yield from ((Name(kind, relation, position), text) for position, text in enumerate(shown))
        for place, text in enumerate(phrases.said):
            yield from ((Name("said", relation, place, is_wrong), text) for is_wrong in (False, True))
    yield Name("lead"), words.leads[domain]
    for kind, shown in (("filler", words.fillers), ("refusal", words.refusals)):
        yield from (
            (Name(kind, "", offset), _general(words, text, domain)) for offset, text in enumerate(shown)
        )
    for kind, lists in words.inserts.items():
        for shelf in SHELVES:
            yield from (
                (Name(kind, shelf, index), _general(words, text, domain))
                for index, text in enumerate(getattr(lists, shelf))
            )


def _general(words: SimpleNamespace, text: str, domain: str) -> str:
    """A template that fits every domain, for one: the name with its article, a capital first."""
    text = text.replace("{s}", words.called.get(domain, "{s}"))
    return text[0].upper() + text[1:]


def _form(name: Name, text: str) -> Form:
    bracket = _BRACKET.search(text)
    if bracket is None:
        return Form(name, pieces := _pieces(text), None, *_around(pieces))
    before, inside, after = (
        _pieces(text[: bracket.start()]),
        _pieces(bracket[2 if name.is_wrong else 1]),
        _pieces(text[bracket.end() :]),
    )
    pieces = before + inside + after
    return Form(name, pieces, (len(before), len(before) + len(inside)), *_around(pieces))


def _pieces(text: str) -> tuple[tuple[str, str], ...]:
    parts = _HOLE.split(text)
    return tuple((part, "") if index % 2 else ("", part) for index, part in enumerate(parts) if part)


def _around(pieces: tuple[tuple[str, str], ...]) -> tuple[str, str | None]:
    shown = [SUBJECT if hole == "s" else text for hole, text in pieces]
    position = next((index for index, (hole, _) in enumerate(pieces) if hole in ("v", "w")), None)
    return (
        ("".join(shown), None)
        if position is None
        else ("".join(shown[:position]), "".join(shown[position + 1 :]))
    )
