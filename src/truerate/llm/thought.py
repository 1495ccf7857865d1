"""What a model thought before it answered, where its server leaves that in the reply: cut off, and kept
beside the answer.
"""

import re
from typing import NamedTuple

# A tag in backticks is spoken of, not used.
_TAG = re.compile(r"(?<!`)<(/?)think(?:ing)?(?:\s[^<>]{0,200})?>(?!`)", re.IGNORECASE)


class Said(NamedTuple):
    """A reply in two parts. `thought` is None where the reply holds none."""

    answer: str
    thought: str | None


def said(text: str) -> Said:
    """The answer of a reply, and the thought that stood in it.

    Thought is: each `<think>…</think>`, nested or not; all that stands before a closing tag that nothing
    opened (servers put the opening one into the prompt); all that follows an opening tag which nothing closes
    (the reply was cut while it thought). Where opening tags are more than closing ones and one of these is
    the last, all before it is thought. What is left, blank space at its ends removed where something was cut,
    is the answer; it may be empty.
    """
    tags = list(_TAG.finditer(text)) if "hink" in text.casefold() else []
    if not tags:
        return Said(text, None)
    if (
        tags[-1][1] and sum(1 if tag[1] else -1 for tag in tags) < 0
    ):  # an opening tag too many, as where a server repeats its template's
        return Said(text[tags[-1].end() :].strip(), _joined([_TAG.sub("\n", text[: tags[-1].start()])]))
    answers: list[str] = []
    thoughts: list[str] = []
    depth = place = 0
    for tag in tags:
        is_end, part, place = bool(tag[1]), text[place : tag.start()], tag.end()
        if is_end and not depth:
            thoughts += [*answers, part]  # nothing opened it: whatever came before was thought too
            answers = []
        else:
            (thoughts if depth else answers).append(part)
        depth = max(0, depth + (-1 if is_end else 1))
    (thoughts if depth else answers).append(text[place:])
    return Said("".join(answers).strip(), _joined(thoughts))


def _joined(parts: list[str]) -> str:
    return "\n".join(line.strip() for part in parts for line in part.splitlines() if line.strip())
