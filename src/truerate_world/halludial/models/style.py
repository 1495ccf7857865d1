"""The words around the facts of a turn, which state nothing: of people, of models, and of a writer.

The writer's style is planted in induced responses and in faithful paraphrases, and in no reference.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.draws import draw, pick

_DATA = beside(__file__)


class Style(NamedTuple):
    """Sentences before and behind the facts, words before the first one, and how often each occurs."""

    openers: tuple[str, ...]
    leads: tuple[str, ...]
    closers: tuple[str, ...]
    rates: tuple[float, float, float] = (0.35, 0.25, 0.25)


STYLES = {name: Style(**style) for name, style in _DATA["styles"].items()}
PEOPLE, WRITER, MODELS = STYLES["people"], STYLES["writer"], STYLES["models"]
GENERIC = _DATA["generic"]
FILLERS = _DATA["fillers"]
REMARKS = _DATA["remarks"]
_ANY_LEAD = "|".join(re.escape(lead) for style in STYLES.values() for lead in style.leads)
_LEADS = re.compile(rf"(?:(?<=^)|(?<=[.!?] ))(?:{_ANY_LEAD}) ")


def dressed(style: Style, sentences: Sequence[str], *key: object, room: int = 10**6) -> str:
    """Sentences as one turn in a style, with as much of it as `room` for further words allows."""
    texts = list(sentences)
    for name in ("leads", "openers", "closers"):
        text, rate = pick(getattr(style, name), *key, name), style.rates[Style._fields.index(name)]
        if texts and draw(*key, "is", name) < rate and (left := room - len(text.split())) >= 0:
            texts, room = _with_words(texts, text, name), left
    return " ".join(texts)


def _with_words(sentences: list[str], text: str, name: str) -> list[str]:
    if name == "openers":
        return [text, *sentences]
    if name == "closers":
        return [*sentences, text]
    first, _, rest = sentences[0].partition(" ")
    return [f"{text} {first.lower() if first in _DATA['small'] else first} {rest}", *sentences[1:]]


def without_leads(text: str) -> str:
    """A text whose sentences begin with what they say."""
    return _LEADS.sub("", text) if text else text
