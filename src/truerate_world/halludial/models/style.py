"""What stands around the facts of a turn: the talk of people, of models, and of a model that was asked to
write in a person's place. None of it states anything.

The writer's style is planted: it stands in induced responses and in faithful paraphrases, and in no
reference.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.draws import draw, pick

_DATA = beside(__file__)


class Style(NamedTuple):
    """Sentences before and behind the facts, words that lead on to the first one, and how often each stands
    there.
    """

    openers: tuple[str, ...]
    leads: tuple[str, ...]
    closers: tuple[str, ...]
    rates: tuple[float, float, float] = (0.35, 0.25, 0.25)


PEOPLE = Style(
    ("Oh, nice!", "Good choice!", "I like that one a lot.", "Ha, I knew you would ask.", "Yeah!"),
    ("Well,", "I think", "I read that", "If I remember it well,"),
    ("Pretty cool!", "What do you think?", "Have you ever looked into it?", "I want to read more of it."),
)
WRITER = Style(
    (
        "Great question!",
        "Absolutely!",
        "What a wonderful topic!",
        "Certainly!",
        "I am delighted to share this!",
    ),
    ("Interestingly,", "Notably,", "Indeed,", "It is worth noting that"),
    ("Truly remarkable!", "Quite fascinating, indeed!", "Such a rich subject!"),
    (0.6, 0.6, 0.3),
)
MODELS = Style(
    ("Sure!", "Of course.", "Yes, gladly.", "Thanks for asking."),
    ("In short,", "From what is given,", "Briefly put,"),
    ("Shall I go on?", "Let me know what interests you.", "Ask me anything else."),
    (0.25, 0.2, 0.2),
)
GENERIC = _DATA["generic"]
FILLERS = _DATA["fillers"]
REMARKS = _DATA["remarks"]
_SMALL = frozenset(
    "The It He She Some In On As Within From For At Visitors Geologists Anglers According By".split()
)
_LEADS = re.compile(
    "(?:(?<=^)|(?<=[.!?] ))(?:"
    + "|".join(re.escape(lead) for style in (PEOPLE, WRITER, MODELS) for lead in style.leads)
    + ") "
)


def dressed(style: Style, sentences: Sequence[str], *key: object, room: int = 10**6) -> str:
    """Sentences as one turn in a style, with as much of it as `room` for further words allows."""
    texts = list(sentences)
    for name, dress in (("leads", _led), ("openers", _opened), ("closers", _closed)):
        text = pick(getattr(style, name), *key, name)
        is_dressed = draw(*key, "is", name) < style.rates[Style._fields.index(name)]
        if texts and is_dressed and (left := room - len(text.split())) >= 0:
            texts, room = dress(texts, text), left
    return " ".join(texts)


def _led(told: list[str], text: str) -> list[str]:
    first, _, rest = told[0].partition(" ")
    return [f"{text} {first.lower() if first in _SMALL else first} {rest}", *told[1:]]


def _opened(told: list[str], text: str) -> list[str]:
    return [text, *told]


def _closed(told: list[str], text: str) -> list[str]:
    return [*told, text]


def without_leads(text: str) -> str:
    """A text whose sentences begin with what they say."""
    return _LEADS.sub("", text) if text else text
