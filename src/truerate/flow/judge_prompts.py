"""A detector answers as a judge would: what a prompt about a response in a dialogue asks, and the reply to
it.

Read are the headings that HalluDial's prompts hold: `#Knowledge#:`, `#Conversation#:` and `#Response#:`, each
with fenced text below it, and the cue at the end. A cue that wants a reason is answered with verdict, quoted
segments and a reason that is composed; any other with Yes or No alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from truerate.core.errors import TruerateError

FIELDS = ("Knowledge", "Conversation", "Response")
VERDICT, LOCATED = "Is It Hallucinated", "Judgement And Reason"  # cues
NOTHING = "No. The response is not said to go beyond the knowledge and the conversation."
_FIELD = re.compile(
    r"^#([A-Z][A-Za-z ]*)#:[ \t]*\n<(data-[0-9a-f]{8})>\n(.*?)\n?</\2>", re.MULTILINE | re.DOTALL
)
_CUE = re.compile(r"^#([A-Z][A-Za-z ]*)#:\s*\Z", re.MULTILINE)


class Asked(NamedTuple):
    """What a prompt wants to know of a response, and whether where and why, too."""

    knowledge: str
    conversation: str
    response: str
    wants_reason: bool


def asked(messages: Sequence[Mapping[str, Any]]) -> Asked:
    """What the last question of a conversation asks; a reminder after an unread reply asks what came before
    it.

    Raises TruerateError where no message holds the fields, or the cue is another.
    """
    told = [text for text in map(_text, messages) if text is not None]
    fields = next((found for text in reversed(told) if set(found := _fields(text)) >= set(FIELDS)), None)
    if fields is None:
        names = ", ".join(f"#{name}#" for name in FIELDS)
        raise TruerateError(
            f"reading the prompt: no message of the user holds {names}; allowed: judging prompts"
        )
    cue = next((at_end[1] for text in reversed(told) if (at_end := _CUE.search(text))), "")
    if cue not in (VERDICT, LOCATED):
        raise TruerateError(f"reading the prompt: its cue is {cue!r}; allowed: {VERDICT}, {LOCATED}")
    return Asked(*(fields[name] for name in FIELDS), wants_reason=cue == LOCATED)


def reply(question: Asked, *, is_hallucinated: bool, reason: str) -> str:
    """The reply in the form that the prompt wants; `reason` says why it is hallucinated, and quotes where."""
    if not question.wants_reason:
        return "Yes" if is_hallucinated else "No"
    return f"Yes. {reason}".strip() if is_hallucinated else NOTHING


def _fields(text: str) -> dict[str, str]:
    """The fenced texts of a message by their headings; of a name that stands twice, the last."""
    return {name: body for name, _, body in _FIELD.findall(text)}


def _text(message: Mapping[str, Any]) -> str | None:
    """What the user says in a message, its parts of text joined; None of any other role."""
    if message.get("role") != "user":
        return None
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
