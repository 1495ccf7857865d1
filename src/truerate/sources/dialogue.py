"""Dialogues as items hold them: the last turn of a person is the question, the turns before it are the
history, one a line.
"""

import re
from collections.abc import Sequence

from truerate.sources.rows import BadRow, Reason

PERSON, SYSTEM = "Human", "Assistant"
_TURN = re.compile(rf"\[({PERSON}|{SYSTEM})\]:")


def parted(told: str, field: str) -> tuple[str, str]:
    """History and question of a dialogue that is one text with `[Human]:` and `[Assistant]:` before its turns.

    Raises BadRow (`no-exchange`) where it does not end with a person's turn.
    """
    speakers, turns = _TURN.findall(told), [" ".join(turn.split()) for turn in _TURN.split(told)[2::2]]
    if not speakers or speakers[-1] != PERSON:
        raise BadRow(Reason.NO_EXCHANGE, f"field {field!r} does not end with a turn of [{PERSON}]")
    return _lines(speakers[:-1], turns[:-1]), turns[-1]


def taken_in_turns(turns: Sequence[str]) -> tuple[str, str]:
    """History and question of a dialogue whose turns are a list, a person's last; of no turns, two empty texts."""
    plain = [" ".join(turn.split()) for turn in turns]
    if not plain:
        return "", ""
    speakers = [PERSON if (len(plain) - place) % 2 else SYSTEM for place in range(len(plain))]
    return _lines(speakers[:-1], plain[:-1]), plain[-1]


def _lines(speakers: Sequence[str], turns: Sequence[str]) -> str:
    return "\n".join(f"[{speaker}]: {turn}" for speaker, turn in zip(speakers, turns, strict=True))
