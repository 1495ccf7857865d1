"""What a reply says, read strictly: a value, or None with the reason why there is none. Never a guess.

Every reader looks at the model's own reply alone. A cue is the heading a prompt ends with (`Your Judgement`
or `#Your Judgement#:`): where a reply repeats it, what follows its last occurrence is the answer, and what
stands before is thinking.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# Why a reply is unparsed: nothing in it · no answer or heading in it · more than one answer · tags that do
# not close or are unknown · text outside the tags that differs from the text that was to be tagged.
REASONS = ("empty", "absent", "ambiguous", "malformed", "altered")
_ANY_HEADING = re.compile(r"^[ \t>*_\-]*#{1,3}[^#\n]{1,80}?#{1,3}[ \t*_]*[:：]", re.MULTILINE)
_FENCE = re.compile(r"\A<data-([0-9a-f]{8})>\n(.*)\n</data-\1>\Z", re.DOTALL)
_TAG = re.compile(r"<(/?)([A-Za-z_-]+)>")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, or None and one of REASONS."""

    value: Any
    reason: str | None = None


def yes_no(text: str, cue: str | None = None) -> Parsed:
    """True for Yes, False for No. The words count with a capital or in capitals, or alone in small letters;
    both is ambiguous.
    """
    answer = _answer(text, cue)
    if not answer:
        return Parsed(None, "empty")
    if (alone := answer.strip(" \t\n.!*_`'\"").casefold()) in ("yes", "no"):
        return Parsed(alone == "yes")
    said = {word.casefold() == "yes" for word in re.findall(r"\b(?:Yes|YES|No|NO)\b", answer)}
    return _only(said)


def choice(text: str, names: Sequence[str], cue: str | None = None) -> Parsed:
    """The one of `names` that the answer holds, whatever its case; also its last word alone (`2` for `Answer
    2`).
    """
    answer = _answer(text, cue)
    if not answer:
        return Parsed(None, "empty")
    alone = answer.strip(" \t\n.!*_`'\"#()").casefold()
    short = [name for name in names if name.split()[-1].casefold() == alone]
    if len(short) == 1:
        return Parsed(short[0])
    return _only(
        {name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", answer, re.IGNORECASE)}
    )


def _only(found: set[Any]) -> Parsed:
    """The one thing found; none is absent, several are ambiguous."""
    if len(found) == 1:
        return Parsed(found.pop())
    return Parsed(None, "ambiguous" if found else "absent")


def after_heading(text: str, heading: str, *, is_optional: bool = False) -> Parsed:
    """What follows the last such heading, up to the next heading; fences and outer blank space go.

    With `is_optional` a reply without the heading is the value as a whole, up to any other heading in it.
    """
    value = _after(text, heading)
    if value is None and is_optional:
        value = text
    if value is None:
        return Parsed(None, "absent" if text.strip() else "empty")
    if following := _ANY_HEADING.search(value):
        value = value[: following.start()]
    value = value.strip()
    if fenced := _FENCE.match(value):
        value = fenced[2].strip()
    return Parsed(value) if value else Parsed(None, "empty")


def tagged(text: str, names: Sequence[str], *, original: str | None = None) -> Parsed:
    """Text with `<name>…</name>` marks as `(plain text, [{"start", "end", "type"}])`, offsets in code points
    of the plain text.

    Marks do not nest and every one of them is of `names`. With `original` the plain text must equal it, outer
    blank space apart.
    """
    if not text.strip():
        return Parsed(None, "empty")
    plain, place = "", 0
    spans: list[dict[str, Any]] = []
    opened: tuple[str, int] | None = None
    for tag in _TAG.finditer(text):
        is_end, name = bool(tag[1]), tag[2]
        if name not in names or is_end != (opened is not None) or (opened and opened[0] != name):
            return Parsed(None, "malformed")
        plain += text[place : tag.start()]
        place = tag.end()
        if opened:
            spans.append({"start": opened[1], "end": len(plain), "type": name})
        opened = None if is_end else (name, len(plain))
    if opened:
        return Parsed(None, "malformed")
    plain += text[place:]
    if original is None:
        return Parsed((plain, spans))
    if plain.strip() != original.strip():
        return Parsed(None, "altered")
    shift = len(original) - len(original.lstrip()) - (len(plain) - len(plain.lstrip()))
    return Parsed(
        (original, [{**span, "start": span["start"] + shift, "end": span["end"] + shift} for span in spans])
    )


def _answer(text: str, cue: str | None) -> str:
    """The part of a reply that answers: what follows the last cue, else the whole."""
    found = _after(text, cue) if cue else None
    return (text if found is None else found).strip()


def _after(text: str, heading: str) -> str | None:
    """What follows the last line start with that heading, None where there is none."""
    found = list(_heading(heading.strip("#*: \t：")).finditer(text))
    return text[found[-1].end() :] if found else None


@lru_cache(maxsize=256)
def _heading(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^[ \t>*_\-]*#{{1,3}}[ \t]*{re.escape(name)}[ \t]*#{{1,3}}[ \t*_]*[:：][ \t*_]*",
        re.MULTILINE | re.IGNORECASE,
    )
