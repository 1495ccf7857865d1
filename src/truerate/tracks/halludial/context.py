"""What is asked about: a turn of a dialogue with its knowledge and the turns before it; which dialogues a
board takes, and on which side of its splits a text stands.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from truerate.core.keys import draw, split_of
from truerate.core.text import words
from truerate.llm.generation import facts
from truerate.tracks.halludial.settings import Settings

USER, ASSISTANT = "User", "Assistant"
_SPEAKER = re.compile(r"^\[(Human|User|Assistant)\]:[ \t]*", re.MULTILINE)


class Turn(NamedTuple):
    """What one speaker (USER, ASSISTANT) said, on one line."""

    speaker: str
    text: str

    @property
    def line(self) -> str:
        """The turn as conversations show it."""
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True)
class Context:
    """One item: a turn that is answered. `turns`: all before the response; `dialogue`, `turn`: what the
    source calls its dialogue, and which of the assistant's turns is answered, from 0 (None: it stands alone).
    `side`: that of its dialogue where its source has one (None: `side_of`).
    """

    item_id: str
    group_id: str
    lang: str
    knowledge: str
    question: str
    right_answer: str | None
    turns: tuple[Turn, ...]
    dialogue: str | None = None
    turn: int | None = None
    side: str | None = None

    @property
    def history(self) -> str:
        """All turns up to the one that is answered, a line each."""
        return "\n".join(turn.line for turn in self.turns)

    @property
    def n_answered(self) -> int:
        """The assistant's turns before the one that is answered."""
        return sum(turn.speaker == ASSISTANT for turn in self.turns)

    @property
    def of_turn(self) -> dict[str, str | None]:
        """The attributes of rows that say which turn of which dialogue they are about."""
        return {"dialogue": self.dialogue, "turn": None if self.turn is None else str(self.turn)}


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """Return every item by its id; the texts of its documents are joined by blank lines in their order."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    by_item = {}
    for row in items.iter_rows(named=True):
        row_facts = facts(row)
        last = one_line(_SPEAKER.sub("", row["question"], count=1))
        by_item[row["item_id"]] = Context(
            **{name: row[name] for name in ("item_id", "group_id", "lang", "question", "right_answer")},
            knowledge="\n\n".join(texts[name] for name in row["document_ids"] if name in texts),
            turns=(*earlier_turns(row["history"]), *([Turn(USER, last)] if last else [])),
            dialogue=row_facts.get("dialogue"),
            turn=int(row_facts["turn"]) if row_facts.get("turn", "").isdecimal() else None,
        )
    return by_item


def earlier_turns(history: str) -> tuple[Turn, ...]:
    """Return the turns of a history whose lines begin with `[Human]:` or `[Assistant]:`; what stands before
    the first of them is a user's turn. Empty turns are none.
    """
    opening, *rest = _SPEAKER.split(history)
    speakers = [USER] + [ASSISTANT if name == ASSISTANT else USER for name in rest[::2]]
    spoken = zip(speakers, (opening, *rest[1::2]), strict=True)
    return tuple(Turn(speaker, one_line(text)) for speaker, text in spoken if text.strip())


def one_line(text: str) -> str:
    """Return a text with every run of blank space as one space."""
    return " ".join(text.split())


def conversation(context: Context, max_words: int) -> tuple[str, bool]:
    """Return the turns that a prompt shows, a line each, and whether earlier ones were left out: the latest
    of at most `max_words` words together; the last turn always stands whole.
    """
    kept: list[str] = []
    n_words = 0
    for turn in reversed(context.turns):
        n_words += len(words(turn.text))
        if kept and n_words > max_words:
            break
        kept.append(turn.line)
    return "\n".join(reversed(kept)), len(kept) < len(context.turns)


# ---- dialogues ---------------------------------------------------------------------------------------------


def chosen(turns: Iterable[Context], n: int | None, seed: int) -> list[Context]:
    """Return all turns of the first `n` dialogues (groups; null: of all) in a seeded order, by id."""
    groups: dict[str, list[Context]] = {}
    for context in turns:
        groups.setdefault(context.group_id, []).append(context)
    drawn = sorted(groups, key=lambda name: (draw(seed, name), name))[:n]
    return sorted((turn for name in drawn for turn in groups[name]), key=lambda turn: turn.item_id)


def dialogues(turns: Iterable[Context]) -> list[list[Context]]:
    """Return the turns of every dialogue in their order. A turn that stands alone is a dialogue of its own,
    as is one of a number that its dialogue already has: two histories under one name are two dialogues.
    """
    groups: dict[tuple[str, ...], list[Context]] = {}
    for context in sorted(turns, key=lambda turn: (turn.group_id, turn.turn or 0, turn.item_id)):
        name: tuple[str, ...] = (context.group_id, context.dialogue or "")
        if context.turn is None or any(context.turn == other.turn for other in groups.get(name, ())):
            name = (*name, context.item_id)
        groups.setdefault(name, []).append(context)
    return [groups[name] for name in sorted(groups)]


def with_own(context: Context, responses: Mapping[int, str]) -> Context:
    """Return the context with a model's responses in place of the assistant's earlier turns, by number."""
    turns: list[Turn] = []
    number = 0
    for turn in context.turns:
        if turn.speaker == ASSISTANT:
            turn, number = Turn(ASSISTANT, responses.get(number, turn.text)), number + 1
        turns.append(turn)
    return replace(context, turns=tuple(turns))


# ---- the two splits: by dialogue, which is that of the rows (`Sample.split`), and by text, as published ----


def side_of(group_id: str, settings: Settings) -> str:
    """Return `train` or `test` of a dialogue, and of all its texts."""
    return split_of(group_id, train=settings.split.train)


def side_by_sample(sample_id: str, settings: Settings) -> str:
    """Return `train` or `test` of one text, whatever else its context holds (HalluDial section 2.3)."""
    return "train" if draw("sample-split", sample_id) < settings.split.train else "test"
