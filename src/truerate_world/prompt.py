"""Parsing of a prompt: its headings, last example, cue, and instruction; fenced blocks are data."""

import re
from dataclasses import dataclass, field, replace

_FENCE = re.compile(r"<data-([0-9a-f]{8})>\n(.*?)\n?</data-\1>", re.DOTALL)
_MARK = re.compile("\x00(\\d+)\x00")
_HEADING = re.compile(
    r"^[ \t]*(?:\*\*)?#{1,3}[ \t]*([A-Za-z][A-Za-z0-9 ]*?)[ \t]*#{1,3}[ \t]*:(?:\*\*)?[ \t]*", re.MULTILINE
)
_TEACHING = re.compile(r"reply with the single word understood\W*$", re.IGNORECASE)
_STEP_BY_STEP = re.compile(r"step[ -]by[ -]step", re.IGNORECASE)

HEADED, BARE, TEACHING, UNREAD = "headed", "bare", "teaching", "unread"  # how a prompt asks


@dataclass(frozen=True)
class Asked:
    """A parsed prompt: its form, cue, fields of the last example, and instruction. `form`: HEADED (headings,
    the last one an empty cue), BARE (one `message`), TEACHING or UNREAD; `is_reminded`: the last message is a
    cue alone after an unreadable reply; cue and fields are those of the question before it.
    """

    form: str
    cue: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    message: str = ""
    instruction: str = ""
    is_conversation: bool = False
    is_step_by_step: bool = False
    is_reminded: bool = False


def read(messages: list[dict]) -> Asked:
    """What the messages say; form UNREAD where nothing is understood."""
    users = [message["content"] for message in messages if message["role"] == "user"]
    if not users:
        return Asked(UNREAD)
    text, texts = _set_aside(users[-1].replace("\x00", ""))
    if _TEACHING.search(text):
        return Asked(TEACHING, is_conversation=True)
    headings = list(_HEADING.finditer(text))
    if not headings or _restore(text[headings[-1].end() :], texts).strip():
        return Asked(BARE, message=users[-1].strip()) if len(users) == 1 else Asked(UNREAD)
    cue = headings[-1][1]
    fields, start = _last_example(text, headings, cue, texts)
    if not fields and len(users) > 1 and messages[-2]["role"] == "assistant":
        before = read(messages[:-2])
        if before.form == HEADED:
            return replace(before, is_reminded=True)
    others = [message["content"] for message in messages if message["content"] is not users[-1]]
    return Asked(
        HEADED,
        cue,
        fields,
        instruction="\n".join(message["content"] for message in messages if message["role"] != "user"),
        is_conversation=len(users) > 1,
        is_step_by_step=any(
            "step" in part.lower() and _STEP_BY_STEP.search(part) for part in (text[:start], *others)
        ),
    )


def _set_aside(text: str) -> tuple[str, list[str]]:
    """The text with every fenced block replaced by a mark, and the blocks' contents."""
    texts: list[str] = []

    def keep(match: re.Match) -> str:
        texts.append(match[2])
        return f"\x00{len(texts) - 1}\x00"

    return (_FENCE.sub(keep, text), texts) if "<data-" in text else (text, texts)


def _restore(text: str, texts: list[str]) -> str:
    """The first fenced block where there is one, else the text itself."""
    match = _MARK.search(text)
    return texts[int(match[1])] if match else text.strip()


def _last_example(text: str, headings: list[re.Match], cue: str, texts: list[str]) -> tuple[dict, int]:
    """Return the fields before the cue, back to an earlier example, and where they begin."""
    fields: dict[str, str] = {}
    start = headings[-1].start()
    for heading, following in zip(reversed(headings[:-1]), reversed(headings[1:]), strict=True):
        name = heading[1]
        if name == cue or name in fields:
            break
        start = heading.start()
        fields[name] = _restore(text[heading.end() : following.start()], texts)
    return fields, start
