"""Where in a reply its answer stands: behind the heading that the prompt ended with (the cue), and before the
headings of a next example that a model writes for itself.

A heading is a name between hashes, asterisks, backticks, underscores or brackets, or bare at a line's start,
with a colon (also `：`), a dash or an equals sign, or alone on its line. Spelling of `Judgement` is free.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

# The headings that prompts give material under; a reply that writes one has gone on to another example.
GIVEN = (
    "Document", "Question", "Summary", "Answer", "Response", "Knowledge", "Dialogue History", "User Query",
    "True Response", "Right Answer", "Right Summary", "Answer 1", "Answer 2", "Response 1", "Response 2",
    "Summary 1", "Summary 2", "Passage", "Claims", "Evidence", "Sentences", "Example", "Context", "Human", "User",
    "Instruction", "Input",
)  # fmt: skip
OPENS = (
    "Document",
    "Question",
    "Knowledge",
    "Dialogue History",
    "User Query",
)  # with which an example begins
_OPEN = r"[ \t>*_`#\-–—•\[(【（「＃＊]{0,12}"
_SHUT = r"[ \t*_`#\])】）」＃＊]{0,12}"
_COLON = r"[ \t]*(?:[:：=]|->|=>|→|[-–—](?=[ \t]))"


class Heading(NamedTuple):
    """A heading that was found: where it begins, where what it heads begins, and whether marks (hashes,
    asterisks …) set it off from the words around it.
    """

    start: int
    end: int
    is_marked: bool
    name: str


def last_before_next(
    text: str, *cue: str, given: Sequence[str] = GIVEN
) -> tuple[str, tuple[str, ...]] | None:
    """What follows the last cue (of one or more names) before the next example's headings, and what was cut;
    None without a cue.

    Where a reply opens by repeating what it was given, the reading begins behind that; a cue behind the same
    heading again is the next example's.
    """
    begins = find(text, *OPENS, is_anywhere=False)
    again = next(
        (one.start for one in begins[1:] if one.name.casefold() == begins[0].name.casefold()), len(text)
    )
    cues = [one for one in find(text[:again], *cue) if not _is_quoted(text, one)]
    if not cues:
        return None
    stop = _next_example(text, given, behind=cues[0].end)
    within = [one for one in cues if one.start < stop] or cues[:1]
    value = text[within[-1].end : stop]
    cuts = ("heading", "next-example") if text[stop:].strip() else ("heading",)
    return value.strip(), cuts


def is_behind(text: str, cue: str, words: re.Pattern[str]) -> bool:
    """Whether a cue stands behind something, told by words that are looked for in what its line holds before it."""
    return any(words.search(text[: one.start].rpartition("\n")[2]) for one in find(text, cue))


def _is_quoted(text: str, cue: Heading) -> bool:
    """Whether a cue stands in a quotation that begins with it, within a line: it is spoken of."""
    before = text[
        : cue.start + len(text[cue.start : cue.end]) - len(text[cue.start : cue.end].lstrip('"“„«'))
    ]
    line = before.rpartition("\n")[2].rstrip()
    return line[-1:] in tuple('"“„«') and bool(re.search(r"\w", line))


def with_marks(heading: str, value: str) -> str:
    """What a heading heads, with the emphasis that opened in the heading and closes behind (`Answer: **the Weser**`,
    `**Answer: the Weser**`), so that it can be taken off as a pair.
    """
    line = value.partition("\n")[0]
    mark = next((one for one in ("**", "__", "`", "*", "_") if one in heading), None)
    return f"{mark}{value}" if mark and line.count(mark) % 2 and "``" not in line else value


def before_next(text: str, given: Sequence[str] = GIVEN) -> tuple[str, tuple[str, ...]]:
    """A reply without cue up to the next example's headings; whole where it begins with one."""
    stop = _next_example(text, given, behind=0)
    if not text[:stop].strip(" \t\n#*_`>-"):
        return text.strip(), ()
    return text[:stop].strip(), (("next-example",) if text[stop:].strip() else ())


def find(text: str, *names: str, is_anywhere: bool = True) -> list[Heading]:
    """The headings of one or more names in their order: at line starts in any form, and within lines
    (`is_anywhere`) where hashes set them off or a colon follows.
    """
    found: dict[int, Heading] = {}
    plain = tuple(_plain(name) for name in names)
    for pattern in (_at_line(plain), _in_line(plain)) if is_anywhere else (_at_line(plain),):
        for one in pattern.finditer(text):
            marks = one["open"] + one["shut"]
            heading = Heading(
                one.start(), one.end(), any(sign in marks for sign in "#*`[【＃＊_"), one["name"]
            )
            found.setdefault(one.end(), heading)
    return sorted(found.values())


def _next_example(text: str, given: Sequence[str], *, behind: int) -> int:
    """Where the first heading of material stands behind a place; the text's end without one. Bare names count
    at a line's start and with a colon alone.
    """
    found = _material(tuple(given)).search(text, behind)
    return found.start() if found else len(text)


def _plain(name: str) -> str:
    return name.strip("#*: \t：")


def _spelled(*names: str) -> str:
    """Names as a pattern, the longest first: any blank space between words, both spellings of Judgement."""
    some = [r"[ \t_]+".join(re.escape(word) for word in name.split()) for name in names]
    return re.sub(r"(?i)judge?ment", "Judge?ment", "|".join(sorted(some, key=len, reverse=True)))


@lru_cache(maxsize=256)
def _at_line(names: tuple[str, ...]) -> re.Pattern[str]:
    """At the start of a line: a colon behind it, or nothing else on the line."""
    return re.compile(
        rf"^(?P<open>{_OPEN})(?P<name>{_spelled(*names)})(?:[ \t]*\([^()\n]{{0,20}}\))?(?P<shut>{_SHUT})(?:{_COLON}[ \t*_`]*|"
        rf"[ \t]*$\n?|(?<=[\]】])[ \t]+(?=\S))",
        re.MULTILINE | re.IGNORECASE,
    )


@lru_cache(maxsize=256)
def _in_line(names: tuple[str, ...]) -> re.Pattern[str]:
    """Within a line: a colon behind it, or hashes on both sides."""
    return re.compile(
        rf"(?<!\w)(?P<open>[#*_`\[【＃＊]{{0,6}}[ \t]?)(?P<name>{_spelled(*names)})(?P<shut>{_SHUT})"
        rf"(?:(?<=[#＃]){_COLON}?|{_COLON})[ \t*_`]*",
        re.IGNORECASE,
    )


@lru_cache(maxsize=64)
def _material(names: tuple[str, ...]) -> re.Pattern[str]:
    """Headings of material at a line's start: between hashes or emphasis, or bare with a colon."""
    return re.compile(
        rf"^{_OPEN}(?:{_spelled(*names)}|Example\s+\d+)(?:[ \t]*#{{1,3}}[ \t*_`]*[:：]?|"
        rf"[ \t]*\*\*[ \t]*[:：]?|{_SHUT}[:：])"
        rf"|^{_OPEN}Example[ \t]+\d+[ \t*_`#]*$|^[ \t]*#{{1,6}}[ \t]+(?:{_spelled(*names)})[ \t#]*:?[ \t]*$",
        re.MULTILINE | re.IGNORECASE,
    )
