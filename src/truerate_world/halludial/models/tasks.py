"""Which task a prompt of the protocol asks for, by its cue, and what it is about."""

import re
import unicodedata
from dataclasses import dataclass, field

from truerate_world import prompt
from truerate_world.data import beside
from truerate_world.halludial.models.temperature import temperature

_DATA = beside(__file__)

CUES = _DATA["cues"]
MAX_WORDS, SLACK = 80, 6  # of a response, and over the right one, where the prompt says nothing of it
_AT_MOST = re.compile(r"at most (\d+) words", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """A prompt that was understood: task, cue, the fields of the last example, and how it is asked."""

    task: str
    cue: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    instruction: str = ""
    temperature: float = 0.0

    @property
    def knowledge(self) -> str:
        """The knowledge that is given."""
        return self.fields.get("Knowledge", "")

    @property
    def conversation(self) -> str:
        """The turns before the response, one a line, a person's last."""
        return self.fields.get("Conversation", "")

    @property
    def response(self) -> str:
        """The response that is judged."""
        return self.fields.get("Response", "")

    @property
    def right(self) -> str:
        """The right response, where the prompt shows it."""
        return self.fields.get("Correct Response", "") or self.fields.get("Reference Response", "")

    def limit(self, otherwise: int) -> int:
        """The largest number of words that the instruction names, `otherwise` where it names none."""
        named = _AT_MOST.search(self.instruction)
        return int(named[1]) if named else otherwise

    def key(self, *fields: str) -> tuple[str, ...]:
        """The parts that draws are keyed by: task, knowledge, conversation and further fields."""
        given = (self.fields.get(name, "") for name in ("Knowledge", "Conversation", *fields))
        return (self.task, *map(normalized, given))


def understood(asked: prompt.Asked) -> Asked | None:
    """Return the task of a prompt; None if it is not of the protocol or has no fields."""
    task = CUES.get(asked.cue)
    if task is None or not asked.fields:
        return None
    return Asked(task, asked.cue, asked.fields, asked.instruction, temperature())


def normalized(text: str) -> str:
    """A text by its words alone: compatibility forms, case and spacing are one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
