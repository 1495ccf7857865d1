"""Manners: the forms in which simulated models word their replies, planted per model, drawn per prompt.

A manner never changes the content: `read` of a `Worded` is what a careful person reads in the text, or None.
What is worded alike in all protocols stands here, the rest in their folders.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.draws import draw, pick, pick_by_rate, pick_weighted
from truerate_world.models import COVERAGE, base

_DATA = beside(__file__)

PLAIN = "plain"
READABLE = _DATA["readable"]
UNREADABLE = _DATA["unreadable"]
LENGTH = "length"  # why a reply ended that was cut
REFUSALS = _DATA["refusals"]
TOKENS = ("<|eot_id|>", "<|im_end|>", "</s>", "<|endoftext|>")
_THOUGHTS = _DATA["thoughts"]
_OPEN = ("<think>\n{t}", "<think>{t}", "<thinking>\n{t}")
_WORD = re.compile(r"\s*\S+")
_WORDS = _DATA["words"]


@dataclass(frozen=True)
class Answer:
    """A reply: recognised task (or `unrecognised`), text, planted truth, and `length` if it was cut."""

    task: str
    text: str
    truth: dict = field(default_factory=dict)
    finish: str | None = None


@dataclass(frozen=True)
class Manners:
    """Manners of a model; numbers are probabilities in [0, 1].

    `readable`: names of READABLE, the rest is plain; `unreadable`: weights of the ways in which a verdict is
    missing; `unfinished`: rate of other replies that are a thought never closed; `yes_no`: words of other
    languages; `about`: text of its card.
    """

    readable: Mapping[str, float] = field(default_factory=dict)
    unreadable: Mapping[str, float] = field(default_factory=lambda: {"undecided": 1.0})
    unfinished: float = 0.0
    yes_no: Sequence[tuple[str, str]] = (("Ja", "Nein"),)
    about: str = "answers plainly"


MANNERS = {model: Manners(**manners) for model, manners in _DATA["models"].items()}
assert set(MANNERS) == set(COVERAGE)


class Worded(NamedTuple):
    """A worded reply: text, what a careful person reads in it (None: nothing), manner, why it was cut."""

    text: str
    read: object = None
    manner: str = PLAIN
    finish: str | None = None

    @property
    def truth(self) -> dict:
        """What was planted in the wording."""
        return {"manner": self.manner, "read": self.read}

    def answer(self, task: str, /, **truth: object) -> Answer:
        """The answer to a task, with what was planted in it and in its wording."""
        return Answer(task, self.text, truth | self.truth, self.finish)


def manners_of(model: str) -> Manners:
    """The manners of a model; one with retrieval has those of the same without."""
    return MANNERS[base(model)]


def drawn(model: str, allowed: Collection[str], *key: object) -> str:
    """The manner of a readable reply; PLAIN if it is not `allowed` to a reply of this kind."""
    manner = pick_by_rate(manners_of(model).readable, model, "manner", *key)
    return manner if manner in allowed else PLAIN


def drawn_unreadable(model: str, allowed: Collection[str], *key: object) -> str:
    """In which way a reply holds no verdict, of those that its kind can have."""
    weights = {name: rate for name, rate in manners_of(model).unreadable.items() if name in allowed and rate}
    return pick_weighted(weights or {"undecided": 1.0}, model, "unreadable", *key)


def unread_after(model: str, unparsed: float, reask: int, allowed: Collection[str]) -> float:
    """Return the share of verdicts never read after `reask` retries, from the share of single replies.

    A thought that is never closed is not asked for a second time; all other replies are drawn anew.
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


def thoughtful(answer: str, thought: str, *key: object) -> str:
    """An answer behind its thought."""
    return pick(_THOUGHTS, *key, "thought form").format(t=thought, a=answer)


def unfinished(thought: str, *key: object) -> Worded:
    """A thought that is never closed: whatever it holds is no answer."""
    text = pick(_OPEN, *key, "thought form").format(t=thought)
    return Worded(text, None, "unfinished", LENGTH)


def refused(texts: Sequence[str], *key: object) -> Worded:
    """A refusal in one of these texts."""
    return Worded(pick(texts, *key, "words of refusal"), None, "refusal")


def cut_in(text: str, *key: object) -> str:
    """The first words of a text, between a quarter and three quarters of them, at least one."""
    words = _WORD.findall(text)
    return "".join(words[: max(1, int(len(words) * (0.25 + 0.5 * draw(*key, "cut"))))])


def around(
    text: str, read: object, manner: str, *key: object, thought: str, following: str = "", behind: str = ""
) -> Worded | None:
    """A text as it stands, behind a thought, or before a token, a `following` example or more text.
    None for the manners whose form depends on the kind of reply.
    """
    if manner == PLAIN:
        return Worded(text, read)
    if manner == "thought":
        return Worded(thoughtful(text, thought, *key), read, manner)
    if manner == "token":
        return Worded(text + pick(TOKENS, *key, "token"), read, manner)
    if manner == "running-on" and following:
        return Worded(f"{text}\n\n{following}", read, manner)
    if manner == "cut-behind":
        return Worded(f"{text.rstrip('.')}. {cut_in(behind, *key)}", read, manner, LENGTH)
    return None


def word_text(
    model: str,
    text: str,
    forms: Mapping[str, Sequence[str]],
    *key: object,
    thought: str,
    cue: str,
    following: str = "",
    marks: str = "",
    others: Sequence[str] = (),
) -> Worded:
    """A whole text in one of `forms`, in a manner of `around`, or in one of `others` (left to the caller).

    Marks around the whole must differ from those in it: a text with one of `marks` gets none.
    """
    if is_unfinished(model, *key):
        return unfinished(thought, *key)
    allowed = [*forms, "thought", "token", *others, *["running-on"] * bool(following)]
    manner = drawn(model, allowed, *key)
    if manner in ("json", "quotes", "markdown") and set(text) & set(marks):
        manner = PLAIN
    if reply := around(text, text, manner, *key, thought=thought, following=following):
        return reply
    if manner in others:
        return Worded(text, text, manner)
    noun = cue.split()[-1]
    form = pick(forms[manner], *key, "form")
    return Worded(form.format(t=text, cue=cue, noun=noun, key=noun.lower()), text, manner)


def word_of(model: str, word: str, cue: str, others: Sequence[str], *key: object) -> Worded:
    """One word of a list, as a model words it; `others` are those that it thinks of and does not say."""
    if is_unfinished(model, *key):
        return unfinished(f"It may be {word}, or is it {pick(others, *key, 'other')}", *key)
    manner = drawn(model, (*_WORDS, "thought", "token"), *key)
    thought = f"At first it looks like {pick(others, *key, 'other')}. But no: {word} fits better."
    if reply := around(word, word, manner, *key, thought=thought):
        return reply
    form = pick(_WORDS[manner], *key, "form")
    return Worded(form.format(v=word, cue=cue, key=cue.lower().replace(" ", "_")), word, manner)
