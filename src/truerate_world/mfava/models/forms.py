"""Sentence forms of a language: templates cut at their holes, to write with offsets and to read back. A form
is named by kind, shelf (a relation, or a list of insertions) and position; equal names mean the same
sentence.
"""

import re
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

from truerate_world.mfava.lang import DOMAINS, load

# phrases of each type: in training passages, by silver writers, in the wild
SHELVES = {"training": 8, "written": 8, "natural": 5}
INSERTED = ("contradictory", "unverifiable", "invented", "subjective")
STATING = ("told", "said")
SUBJECT = "\0"  # where the subject's name stands in `before` and `after`
_BRACKET = re.compile(r"\[([^|\[\]]*)\|([^|\[\]]*)\]")
_HOLE = re.compile(r"\{([svw])\}")


class Name(NamedTuple):
    """Which form: kind, shelf and number. `is_wrong`: with the wrong words in its bracket."""

    kind: str
    shelf: str = ""
    number: int = 0
    is_wrong: bool = False


class Form(NamedTuple):
    """A template without bracket: (hole, text) pieces; `words`: the bracket's; `before`, `after`: around
    its value (`after` is None without a hole for one).
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
    return 1 + max(name.number for name in forms(code, domain) if (name.kind, name.shelf) == (kind, shelf))


@cache
def listed(code: str, domain: str, *, asking: bool = False) -> tuple[Form, ...]:
    """The forms that a sentence about an entity of a domain can have; with `asking` its questions."""
    return tuple(form for form in forms(code, domain).values() if (form.name.kind == "ask") == asking)


def _templates(words: SimpleNamespace, domain: str):
    """Every template for a domain with its name; a bracket gives two, the right one first."""
    for relation in DOMAINS[domain]:
        phrases = words.relations[relation]
        for kind, texts in (("told", phrases.references), ("ask", phrases.asks)):
            yield from ((Name(kind, relation, number), text) for number, text in enumerate(texts))
        for number, text in enumerate(phrases.answers):
            yield from ((Name("said", relation, number, is_wrong), text) for is_wrong in (False, True))
    yield Name("lead"), words.leads[domain]
    general = [("filler", "", words.fillers), ("refusal", "", words.refusals)]
    general += [(kind, shelf, getattr(of, shelf)) for kind, of in words.inserts.items() for shelf in SHELVES]
    for kind, shelf, texts in general:
        for number, text in enumerate(texts):
            yield Name(kind, shelf, number), _general(words, text, domain)


def _general(words: SimpleNamespace, text: str, domain: str) -> str:
    """A template that fits every domain, for one: the name with its article, a capital first."""
    text = text.replace("{s}", words.called.get(domain, "{s}"))
    return text[0].upper() + text[1:]


def _form(name: Name, text: str) -> Form:
    bracket = _BRACKET.search(text)
    if bracket is None:
        return Form(name, pieces := _pieces(text), None, *_around(pieces))
    before, inside = _pieces(text[: bracket.start()]), _pieces(bracket[2 if name.is_wrong else 1])
    pieces = before + inside + _pieces(text[bracket.end() :])
    return Form(name, pieces, (len(before), len(before) + len(inside)), *_around(pieces))


def _pieces(text: str) -> tuple[tuple[str, str], ...]:
    parts = _HOLE.split(text)
    return tuple((part, "") if index % 2 else ("", part) for index, part in enumerate(parts) if part)


def _around(pieces: tuple[tuple[str, str], ...]) -> tuple[str, str | None]:
    shown = [SUBJECT if hole == "s" else text for hole, text in pieces]
    index = next((index for index, (hole, _) in enumerate(pieces) if hole in ("v", "w")), None)
    if index is None:
        return "".join(shown), None
    return "".join(shown[:index]), "".join(shown[index + 1 :])
