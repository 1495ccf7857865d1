"""Where in a reply its answer stands: behind the heading that the prompt ended with (the cue), and before the
headings of a next example that a model writes for itself.

A heading is a name between hashes, asterisks, backticks, underscores or brackets, or bare at a line's start,
with a colon (also `：`), a dash or an equals sign, or alone on its line. Spelling of `Judgement` is free.
"""

import re
from collections.abc import Iterator, Sequence
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
_BEFORE = frozenset(" \t>*_`#-–—•[(【（「＃＊")  # marks before a name, at most _MOST of them
_BEHIND = " \t*_`#])】）」＃＊"  # marks behind it
_MOST = 12
_COLONS = (":", "：", "=", "->", "=>", "→")


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
    """Return what follows the last cue (of one or more names) before the next example's headings, and what
    was cut; None without a cue.

    Where a reply opens by repeating what it was given, the reading begins behind that; a cue behind the same
    heading again is the next example's.
    """
    begins = find(text, *OPENS, is_anywhere=False)
    restart = next(
        (begin.start for begin in begins[1:] if begin.name.casefold() == begins[0].name.casefold()), len(text)
    )
    cues = heads(text[:restart], *cue)
    if not cues:
        return None
    stop = _next_example(text, given, behind=cues[0].end)
    within = [cue for cue in cues if cue.start < stop] or cues[:1]
    cuts = ("heading", "next-example") if text[stop:].strip() else ("heading",)
    return text[within[-1].end : stop].strip(), cuts


def heads(text: str, *cue: str) -> list[Heading]:
    """The cues (of one or more names) that head something: those that a quotation speaks of do not."""
    return [heading for heading in find(text, *cue) if not _is_quoted(text, heading)]


def _is_quoted(text: str, cue: Heading) -> bool:
    """Return whether a cue stands in a quotation that begins with it, within a line: it is spoken of."""
    heading = text[cue.start : cue.end]
    at = cue.start + len(heading) - len(heading.lstrip('"“„«'))
    line = text[max(0, at - 200) : at].rpartition("\n")[2].rstrip()
    return line[-1:] in tuple('"“„«') and any(map(str.isalnum, line))


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
    headings: list[Heading] = []
    for name in _named(tuple(name.strip("#*: \t：") for name in names)).finditer(text):
        start, is_first = _opening(text, name.start(), is_anywhere=is_anywhere)
        if not is_first and not is_anywhere:
            continue
        before = text[start : name.start()]
        shut, end = _closing(text, name.end(), is_first=is_first)
        if end is None:
            continue
        is_marked = any(sign in before + shut for sign in "#*`[【＃＊_")
        if headings and start < headings[-1].end:
            start = name.start()
        headings.append(Heading(start, end, is_marked, name[0]))
    return headings


def _opening(text: str, at: int, *, is_anywhere: bool) -> tuple[int, bool]:
    """Return where the marks before a name begin, and whether they begin its line."""
    start = at
    while start and at - start < _MOST and text[start - 1] in _BEFORE:
        start -= 1
    if not start or text[start - 1] == "\n":
        return start, True
    while start < at and text[start] in " \t>-–—•(（「":
        start += 1
    return start, False


def _closing(text: str, at: int, *, is_first: bool) -> tuple[str, int | None]:
    """The marks behind a name, and where what it heads begins; None where it heads nothing."""
    behind = text[at : at + 60]
    if is_first and behind.lstrip(" \t").startswith("("):
        aside, shut, rest = behind.partition(")")
        if shut and len(aside.strip()) <= 21 and "\n" not in aside:
            at, behind = at + len(aside) + 1, rest
    inside = behind[:_MOST].lstrip(_BEHIND)
    marks = behind[: len(behind[:_MOST]) - len(inside)]
    rest = behind[len(marks) :]
    colon = next((colon for colon in _COLONS if rest.startswith(colon)), "")
    if not colon and rest[:1] in "-–—" and rest[1:2] in (" ", "\t"):
        colon = rest[:1]
    if colon:
        end = at + len(marks) + len(colon)
        return marks, _skipped(text, end, " \t*_`")
    if is_first and (not rest or rest.startswith("\n")):
        return marks, min(at + len(marks) + 1, len(text))
    is_shut = marks.rstrip()[-1:] in tuple("]】") and marks[-1:] in " \t" if is_first and marks else False
    return (
        (marks, at + len(marks))
        if is_shut or (marks and marks.rstrip(" \t*_`")[-1:] in tuple("#＃"))
        else (marks, None)
    )


def _skipped(text: str, at: int, signs: str) -> int:
    while at < len(text) and text[at] in signs:
        at += 1
    return at


def _next_example(text: str, given: Sequence[str], *, behind: int) -> int:
    """Return where the first heading of material stands behind a place; the text's end without one. Bare
    names count at a line's start and with a colon alone.
    """
    return next((item.start for item in _material(text, tuple(given), behind)), len(text))


def _material(text: str, given: tuple[str, ...], behind: int) -> Iterator[Heading]:
    """Headings of material at a line's start: between hashes or emphasis, or bare with a colon; `Example 2`
    alone, too.
    """
    for name in _named((*given, "Example")).finditer(text, behind):
        start, is_first = _opening(text, name.start(), is_anywhere=False)
        if not is_first or start < behind or text[max(0, start - 5) : start].casefold().endswith(" the\n"):
            continue
        end = name.end()
        is_numbered = name[0].casefold() == "example" and text[end : end + 4].strip()[:1].isdecimal()
        if is_numbered:
            end = _skipped(text, _skipped(text, end, " \t"), "0123456789")
        marks, rest = _split_marks(text[end : end + 30])
        if not is_numbered and name[0].casefold() == "example" and "Example" not in given:
            continue
        is_alone = not rest or rest.startswith("\n")
        is_titled = is_alone and (is_numbered or "#" in text[start : name.start()])
        if rest[:1] in (":", "：") or "#" in marks or "**" in marks or is_titled:
            yield Heading(start, end, True, name[0])


def _split_marks(behind: str) -> tuple[str, str]:
    rest = behind.lstrip(_BEHIND)
    return behind[: len(behind) - len(rest)], rest


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    """One of some names, the longest first: any blank space between words, both spellings of Judgement."""
    some = [r"[ \t_]+".join(re.escape(word) for word in name.split()) for name in names]
    spelled = re.sub(r"(?i)judge?ment", "Judge?ment", "|".join(sorted(some, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{spelled})(?![^\W_])", re.IGNORECASE)
