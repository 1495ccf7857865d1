"""Manners: how a simulated model wraps what it has to say. Planted per model in one table, drawn per prompt.

A manner never changes what is said: `read` of a `Worded` is what a careful person reads in the text, whatever
stands around it, and None where nobody could. What a verdict, a candidate or a list looks like in a manner is
told by the protocols' folders; what is the same for all of them stands here.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.draws import draw, pick, pick_weighted
from truerate_world.models import COVERAGE, base

_DATA = beside(__file__)

PLAIN = "plain"
READABLE = _DATA["readable"]
UNREADABLE = _DATA["unreadable"]
LENGTH = "length"  # why a reply ended that was cut


@dataclass(frozen=True)
class Manners:
    """The manners of a model; all numbers are probabilities in [0, 1].

    `readable`: that a reply is worded so, by name of READABLE; the rest is plain. A name that a kind of reply
    cannot have counts as plain there. `unreadable`: weights of the ways in which a verdict or choice is not
    given; how often that is stands in the model's profile. `unfinished`: that a reply of any other kind is a
    thought that is never closed. `yes_no`: the words of other languages that it knows. `about`: how its
    card says all this.
    """

    readable: Mapping[str, float] = field(default_factory=dict)
    unreadable: Mapping[str, float] = field(default_factory=lambda: {"undecided": 1.0})
    unfinished: float = 0.0
    yes_no: Sequence[tuple[str, str]] = (("Ja", "Nein"),)
    about: str = "answers plainly"


MANNERS = {model: Manners(**manners) for model, manners in _DATA["models"].items()}
assert set(MANNERS) == set(COVERAGE)


class Worded(NamedTuple):
    """A reply as it is worded: its text, the manner, what a careful person reads in it (None: nothing), and
    why it ended where that was not its own will.
    """

    text: str
    read: object = None
    manner: str = PLAIN
    finish: str | None = None

    @property
    def truth(self) -> dict:
        """What was planted in the wording."""
        return {"manner": self.manner, "read": self.read}


def manners_of(model: str) -> Manners:
    """The manners of a model; one with retrieval has those of the same without."""
    return MANNERS[base(model)]


def drawn(model: str, allowed: Collection[str], *key: object) -> str:
    """The manner of a readable reply, of those that its kind can have; PLAIN for the rest."""
    left = draw(model, "manner", *key)
    for name, rate in manners_of(model).readable.items():
        left -= rate
        if left < 0:
            return name if name in allowed else PLAIN
    return PLAIN


def drawn_unreadable(model: str, allowed: Collection[str], *key: object) -> str:
    """In which way a reply holds no verdict, of those that its kind can have."""
    weights = {name: rate for name, rate in manners_of(model).unreadable.items() if name in allowed and rate}
    return pick_weighted(weights or {"undecided": 1.0}, model, "unreadable", *key)


def unread_after(model: str, unparsed: float, reask: int, allowed: Collection[str]) -> float:
    """The share of questions whose verdict or choice is never given, where an unread reply is asked for `reask`
    times more: a thought that is never closed is no reply to ask again of, all others are drawn anew.
    `unparsed`: the share of single replies; `allowed`: the ways that this kind of reply can have.
    """
    weights = {name: rate for name, rate in manners_of(model).unreadable.items() if name in allowed}
    unfinished = weights.get("unfinished", 0.0) / (sum(weights.values()) or 1.0)
    share = unparsed
    for _ in range(reask):
        share = unparsed * (unfinished + (1 - unfinished) * share)
    return share


def is_unfinished(model: str, *key: object) -> bool:
    """Whether a reply that is no verdict is a thought which is never closed."""
    return draw(model, "unfinished", *key) < manners_of(model).unfinished


# ---- what is worded alike in all protocols -----------------------------------------------------------------

_THOUGHTS = _DATA["thoughts"]
_OPEN = ("<think>\n{t}", "<think>{t}", "<thinking>\n{t}")
REFUSALS = _DATA["refusals"]
TOKENS = ("<|eot_id|>", "<|im_end|>", "</s>", "<|endoftext|>")
_WORD = re.compile(r"\s*\S+")


def thoughtful(answer: str, thought: str, *key: object) -> str:
    """An answer behind its thought."""
    return pick(_THOUGHTS, *key, "thought form").format(t=thought, a=answer)


def unfinished(thought: str, *key: object) -> Worded:
    """A thought that is never closed: whatever it holds is no answer."""
    text = pick(_OPEN, *key, "thought form").format(t=thought)
    return Worded(text, None, "unfinished", LENGTH)


def cut_in(text: str, *key: object) -> str:
    """The first words of a text, between a quarter and three quarters of them, at least one."""
    found = _WORD.findall(text)
    return "".join(found[: max(1, int(len(found) * (0.25 + 0.5 * draw(*key, "cut"))))])


# ---- a word of a closed list -------------------------------------------------------------------------------

_OF_WORDS = ("markdown", "preamble", "thought", "json", "label", "quotes", "token")
_WORDS = _DATA["words"]


def word_of(model: str, said: str, cue: str, others: Sequence[str], *key: object) -> Worded:
    """One word of a list, as a model words it; `others` are those that it thinks of and does not say."""
    if is_unfinished(model, *key):
        return unfinished(f"It may be {said}, or is it {pick(others, *key, 'other')}", *key)
    manner = drawn(model, _OF_WORDS, *key)
    if manner == "thought":
        other = pick(others, *key, "other")
        text = thoughtful(said, f"At first it looks like {other}. But no: {said} fits better.", *key)
    elif manner == "token":
        text = said + pick(TOKENS, *key, "token")
    elif manner == PLAIN:
        text = said
    else:
        form = pick(_WORDS[manner], *key, "form")
        text = form.format(v=said, cue=cue, key=cue.lower().replace(" ", "_"))
    return Worded(text, said, manner)
