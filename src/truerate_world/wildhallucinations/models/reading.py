"""Parsing of replies, facts and passages: the statements of each sentence, and their truth."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate.core.text import sentences
from truerate_world.domains import Value
from truerate_world.encyclopedia import World
from truerate_world.parser import FACT, Claim
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.replying import TITLED
from truerate_world.writer import LanguageTools, language_tools

TITLE, INVENTED, VAGUE = "title", "invented", "vague"  # kinds of what is stated, beside Claim's `fact`
Votes = Mapping[tuple[int, str], Sequence[Value]]
_NUMBERED = re.compile(r"^\[(\d+)\] ?(.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^\(\d+\) ", re.MULTILINE)


class Stated(NamedTuple):
    """One statement: its kind (fact, title, invented), subject, and a fact's relation and value."""

    kind: str
    subject: int
    relation: str = ""
    value: Value | None = None

    def is_true(self, world: World) -> bool:
        """Whether it is so in the world; what no source has is not, a title is."""
        is_fact = self.kind == FACT and world.fact(self.subject, self.relation) == self.value
        return self.kind == TITLE or is_fact


def numbered(text: str) -> list[tuple[int, str]]:
    """The lines `[1] …` of a text."""
    return [(int(match[1]), match[2].strip()) for match in _NUMBERED.finditer(text)]


def blocks(text: str) -> list[str]:
    """The parts of a text that begin with `(1)`, `(2)`, … at the start of a line."""
    return [part.strip() for part in _BLOCK.split(text)[1:]]


def stated_by(world: World, parts: Sequence[str], about: int | None = None) -> list[list[Stated]]:
    """Return the statements of each sentence; opinions and asides state nothing.
    Pronouns stand for the subject of the sentence before; at the start for `about`.
    """
    tools = language_tools(world)
    opening = [] if about is None or about < 0 else [_greeting(tools, about)]
    lines = [*opening, *(" ".join(part.split()) for part in parts)]
    reading = tools.parser.read("\n".join(lines))
    owner = [index for index, line in enumerate(lines) for _ in tools.parser.read(line).sentences]
    statements: list[list[Stated]] = [[] for _ in lines]
    for claim in reading.claims:
        if (stated := _stated(claim)) is not None:
            statements[owner[claim.sentence]].append(stated)
    for index in {owner[index] for index in reading.unread}:
        name = _titled(lines[index])
        named = planted_as(world, name) if name is not None else None
        if named and named.entity is not None:
            statements[index].append(Stated(TITLE, named.entity))
    return statements[len(opening) :]


def stated_in(world: World, text: str, about: int | None = None) -> list[Stated]:
    """What a text states, in order."""
    parts = [part for line in text.splitlines() for part in sentences(line)]
    return [stated for stateds in stated_by(world, parts, about) for stated in stateds]


def _greeting(tools: LanguageTools, about: int) -> str:
    """A sentence that states nothing and names somebody, so that a pronoun after it has an owner."""
    return tools.lexicon.words.talk["greeting"][-1].format(x=tools.lexicon.name(about))


def _stated(claim: Claim) -> Stated | None:
    if claim.kind == FACT:
        return Stated(FACT, claim.subject, claim.relation, claim.value)
    return Stated(INVENTED, claim.subject, claim.kind) if claim.kind != "subjective" else None


@lru_cache(maxsize=1)
def _titles() -> tuple[re.Pattern, ...]:
    return tuple(
        re.compile(re.escape(form).replace(r"\{x\}", "(.+)", 1).replace(r"\{x\}", r"\1")) for form in TITLED
    )


def _titled(sentence: str) -> str | None:
    """The name in a sentence that only says that something is called what it is called."""
    whole = sentence.rstrip(".") + "."
    return next((match[1] for form in _titles() if (match := form.fullmatch(whole))), None)


def fact_is_true(world: World, entity: int, fact_text: str) -> bool | None:
    """Whether all that a fact states is so in the world; None where it states nothing that can be read."""
    stateds = stated_in(world, fact_text, entity)
    return all(stated.is_true(world) for stated in stateds) if stateds else None


def votes(world: World, passages: Sequence[tuple[str, int | None]]) -> dict[tuple[int, str], list[Value]]:
    """Return the values that passages state by subject and relation, one per passage and value."""
    record: dict[tuple[int, str], list[Value]] = {}
    for text, about in passages:
        statements = stated_in(world, text, about)
        facts = {tuple(stated[1:]) for stated in statements if stated.kind == FACT}
        for subject, relation, value in sorted(facts, key=str):
            record.setdefault((subject, relation), []).append(value)
    return record


def is_supported(stated: Stated, values_by_fact: Votes) -> bool:
    """Whether passages state a thing and not more of them deny it; a title is supported."""
    if stated.kind == TITLE:
        return True
    is_fact = stated.kind == FACT
    values = values_by_fact.get((stated.subject, stated.relation), ()) if is_fact else ()
    n_for = sum(value == stated.value for value in values)
    return n_for > 0 and 2 * n_for >= len(values)
