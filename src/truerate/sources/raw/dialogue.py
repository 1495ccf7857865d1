"""Dialogues as items hold them: the last turn of a person is the question, the turns before it are the
history, one a line. A turn is named by its dialogue and the number of the answered turn among the
assistant's, from 0.
"""

import re
from collections.abc import Sequence

from truerate.sources.collection import Collection
from truerate.sources.rows import BadRow, Reason

PERSON, SYSTEM = "Human", "Assistant"
_TURN = re.compile(rf"\[({PERSON}|{SYSTEM})\]:")
CORPORA = {  # what dialogues and knowledge of a corpus may be used under
    "cmu": "Carnegie Mellon University notice (CMU DoG)",
    "topicalchat": "CDLA-Sharing-1.0 (Topical-Chat)",
    "wow": "CC BY-SA 4.0 (Wikipedia)",
}


def parted(text: str, field: str) -> tuple[str, str]:
    """History and question of a dialogue that is one text with `[Human]:` and `[Assistant]:` before its
    turns; raises BadRow (`no-exchange`) where it does not end with a person's turn.
    """
    speakers, turns = _TURN.findall(text), [" ".join(turn.split()) for turn in _TURN.split(text)[2::2]]
    if not speakers or speakers[-1] != PERSON:
        raise BadRow(Reason.NO_EXCHANGE, f"field {field!r} does not end with a turn of [{PERSON}]")
    return _lines(speakers[:-1], turns[:-1]), turns[-1]


def taken_in_turns(turns: Sequence[str]) -> tuple[str, str]:
    """History and question of a list of turns that ends with a person's; two empty texts of none."""
    plain = [" ".join(turn.split()) for turn in turns]
    if not plain:
        return "", ""
    speakers = [PERSON if (len(plain) - index) % 2 else SYSTEM for index in range(len(plain))]
    return _lines(speakers[:-1], plain[:-1]), plain[-1]


def turn_answered(turns: Sequence[str]) -> int:
    """The number, from 0, of a response among the assistant's turns, which alternate with a person's."""
    return len(turns) // 2


def item_on(collection: Collection, knowledge: str, before: str | None, *, licence: str, corpus: str) -> dict:
    """The item that all responses to one turn on one piece of knowledge of a corpus share."""
    return collection.item(
        "dialogue",
        group=("knowledge", knowledge),
        question=taken_in_turns([before] if before else [])[1],
        document_ids=[collection.document(knowledge, licence=licence, is_wikipedia=corpus == "wow")],
        corpus=corpus,
        is_shared=True,
    )


class Openings:
    """The dialogues of a source by published name and opening turn: one name may stand for two."""

    def __init__(self) -> None:
        self._by_name: dict[object, list[str]] = {}

    def name(self, published: object, opening: str | None) -> str:
        """The dialogue that opens so: its published name, `3/2` for the second of name 3."""
        openings = self._by_name.setdefault(published, [])
        plain = None if opening is None else " ".join(opening.split())
        if plain is not None and plain not in openings:
            openings.append(plain)
        index = openings.index(plain) if plain is not None else 0
        return f"{published}/{index + 1}" if index else f"{published}"

    @property
    def n_shared(self) -> int:
        """How many published names stand for more than one dialogue."""
        return sum(len(openings) > 1 for openings in self._by_name.values())


def _lines(speakers: Sequence[str], turns: Sequence[str]) -> str:
    return "\n".join(f"[{speaker}]: {turn}" for speaker, turn in zip(speakers, turns, strict=True))
