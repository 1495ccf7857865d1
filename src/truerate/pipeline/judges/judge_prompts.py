"""A detector answers as a judge would: what a prompt about a response in a dialogue asks, and the reply to
it.

Read are the headings that HalluDial's prompts hold: `#Knowledge#:`, `#Conversation#:` and `#Response#:` (or
`#Response 1#:` and `#Response 2#:`), each with fenced text below it, and the cue at the end. A cue that wants
a reason is answered with verdict, quoted segments and a reason that is composed; one that asks which of two
responses is hallucinated with the name of one; any other with Yes or No alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from truerate.core.errors import TruerateError

GIVEN = ("Knowledge", "Conversation")
ONE, TWO = ("Response",), ("Response 1", "Response 2")  # headings of what is judged
VERDICT, LOCATED, COMPARED = "Is It Hallucinated", "Judgement And Reason", "Hallucinated One"  # cues
ASKED_OF = {VERDICT: ONE, LOCATED: ONE, COMPARED: TWO}
EVEN = "Neither: both seem as likely to be hallucinated."
NOTHING = "No. The response is not said to go beyond the knowledge and the conversation."
_FIELD = re.compile(
    r"^#([A-Z][A-Za-z ]*\d?)#:[ \t]*\n<(data-[0-9a-f]{8})>\n(.*?)\n?</\2>", re.MULTILINE | re.DOTALL
)
_CUE = re.compile(r"^#([A-Z][A-Za-z ]*)#:\s*\Z", re.MULTILINE)


class Asked(NamedTuple):
    """What a prompt asks about a response: verdict, or also where and why; `other`: a second response."""

    knowledge: str
    conversation: str
    response: str
    wants_reason: bool
    other: str | None = None


def asked(messages: Sequence[Mapping[str, Any]]) -> Asked:
    """Return what the last question of a conversation asks; a reminder repeats the question before it. Raises
    TruerateError if no message holds the fields, or the cue is another.
    """
    texts = [text for text in map(_text, messages) if text is not None]
    fields = next(
        (fields_of_text for text in reversed(texts) if _is_whole(fields_of_text := _fields(text))), None
    )
    if fields is None:
        raise TruerateError(
            f"reading the prompt: no message of the user holds {_named(*GIVEN, *ONE)} (or {_named(*TWO)}); "
            "allowed: judging prompts"
        )
    cue = next((at_end[1] for text in reversed(texts) if (at_end := _CUE.search(text))), "")
    judged = ASKED_OF.get(cue)
    if judged is None or not set(judged) <= set(fields):
        raise TruerateError(f"reading the prompt: its cue is {cue!r}; allowed: {', '.join(ASKED_OF)}")
    knowledge, conversation = (fields[name] for name in GIVEN)
    response, *others = (fields[name] for name in judged)
    return Asked(knowledge, conversation, response, cue == LOCATED, next(iter(others), None))


def reply(question: Asked, *, is_hallucinated: bool, reason: str) -> str:
    """The reply in the form that the prompt wants; `reason` says why it is hallucinated, and quotes where."""
    if not question.wants_reason:
        return "Yes" if is_hallucinated else "No"
    return f"Yes. {reason}".strip() if is_hallucinated else NOTHING


def choice(first: float, second: float) -> str:
    """Reply to which of two responses is hallucinated: the likelier one; none where both are as likely."""
    return EVEN if first == second else TWO[second > first]


def _is_whole(fields: Mapping[str, str]) -> bool:
    """Return whether a message holds what is known, and what is judged by it."""
    return set(fields) >= {*GIVEN, *ONE} or set(fields) >= {*GIVEN, *TWO}


def _named(*names: str) -> str:
    return ", ".join(f"#{name}#" for name in names)


def _fields(text: str) -> dict[str, str]:
    """The fenced texts of a message by their headings; of a name that stands twice, the last."""
    return {name: body for name, _, body in _FIELD.findall(text)}


def _text(message: Mapping[str, Any]) -> str | None:
    """Return what the user says in a message, its parts of text joined; None of any other role."""
    if message.get("role") != "user":
        return None
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
