"""Facts by the number of their sentence: lines `[1] fact`, with `[1] none` for a sentence without one.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), other words for none (`fact_data.says_nothing`), a list
below a mark that stands alone or above which the sentence is said again, ranges (the fact is the first sentence's, all
count as covered), several entries on one line, JSON and tables. Nothing is guessed: an entry of a number that no sentence
has, a line that may be the rest of a fact or one without its number, and a fact that breaks off are counted as malformed
and are no facts. Numbers that count facts and not sentences (from 1 upwards past the last sentence) and numbers from
nought make the reply unreadable.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import normalise
from truerate.llm.replies import marks
from truerate.llm.replies.cutting import quotes, unwrapped
from truerate.llm.replies.fact_data import NOUNS, Told, of_json, of_table, says_nothing
from truerate.llm.replies.marks import Entry, Line
from truerate.llm.replies.matching import has, match, phrases, words_of
from truerate.llm.replies.reading import Parsed, joined, nothing

_LABEL = lazy(r"(?:atomic |extracted )?facts?(?: \d{1,2})?\s*[:：]\s*", re.IGNORECASE)
_CITED = lazy(r"(?: ?\[\d{1,3}\]){1,9}(?=[.!?]?\Z)")
_INNER = lazy(r"(?<=[.!?。;,]) +(?=\[\d{1,3}\]:? [^\s\[.])|(?<=none) +(?=\[\d{1,3}\] )", re.IGNORECASE)
_COUNT = lazy(r"\(?(\d{1,2})[.)] (?=\S)")
# within a fact: marks of further entries, tags, a second sentence that breaks off
_SEVERAL = lazy(r"[.!?;] \(?\d{1,3}[.)] (?=[A-Z])|\[\d{1,3}\] |</[a-z]|\w{2}[.!?] [A-Z][^.!?]*\w\Z")
_NO_RANGE = lazy(r"\W{0,6}(\d{1,3}) ?[-–] ?(\d{1,3})(?=[\W])")
# a line that means to be an entry, of a list, a table or with a number in whatever marks
_MEANT = lazy(
    r"[\"'`“„«#> ]*(?:[-+–—*•·‣◦|] ?\S|[\[{【［〔①-⓿]|[(（] ?\d|\d{1,4} ?[\])}.:：、|】］）〕] ?\S"
    r"|\d{1,4} [-–—](?: |$)|\w+ #?\d{1,4} ?[).:：、] ?\S)"
)
_HEADING = lazy(r"[ >*_]*#{1,3}([^#\n]{1,80}?)#{1,3}[ *_]*[:：]")
_ENDS = ".!?。！？…)\"”'»"


MAX_LISTED = 500  # lines of a list of facts
MAX_HEADING = 200  # characters of a line above a list that are looked at


class Facts(NamedTuple):
    """What a fact writer's reply holds: (sentence from 0, fact) in its order, sentences without a line, and
    lines that may have been meant as facts and could not be read.
    """

    facts: tuple[tuple[int, str], ...]
    missed: tuple[int, ...]
    n_malformed: int


def read_facts(text: str, sentences: Sequence[str]) -> Parsed:
    """`Facts` of a reply about these sentences, or None with `empty`, `thought_only` or `absent`; the cuts say
    what was read loosely.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    if answer.count("\n") > MAX_LISTED:
        return Parsed(None, "absent", cuts)
    answer, n = marks.level(answer), len(sentences)
    value = marks.json_of(answer)
    if value is not None or marks.is_json_like(answer):
        content = of_json(value, n)
    else:
        content = of_table(answer) or _of_lines(_latest(marks.lines_of(answer, NOUNS), n), sentences)
    facts: list[tuple[int, str]] = []
    covered: set[int] = set()
    n_malformed = 0
    is_only = sum(1 for element in content or () if element.text and not says_nothing(element.text)) == 1
    for element in content or ():
        is_known = element.text is not None and all(1 <= number <= n for number in element.numbers)
        stated = (
            _stated(element.text or "", sentences[element.numbers[0] - 1], is_only=is_only)
            if is_known
            else None
        )
        if stated is None:
            n_malformed += 1
            continue
        covered |= set(element.numbers)
        cuts = joined(cuts, element.cuts, stated[1])
        facts += [(element.numbers[0] - 1, stated[0])] if stated[0] else []
    if not covered:
        return Parsed(None, "absent", cuts)
    missed = tuple(position for position in range(n) if position + 1 not in covered)
    return Parsed(Facts(tuple(facts), missed, n_malformed), None, cuts)


def _stated(text: str, sentence: str, *, is_only: bool) -> tuple[str, tuple[str, ...]] | None:
    """The fact that words state, empty where they say that there is none, and how loosely; None where they break off,
    hold marks of further entries, or nothing. A number first is a part of the fact where the sentence holds
    it, or no other fact is there to count.
    """
    label = _LABEL.match(text)
    if label and label.end() == len(text):
        return None
    words = text[label.end() :] if label else text
    cuts: tuple[str, ...] = ("label",) if words != text else ()
    if says_nothing(words):
        return "", cuts if words.rstrip(".").casefold() == "none" else (*cuts, "other-none")
    bare, more = quotes(words)
    uncited = _CITED.sub("", bare).strip()
    cuts = joined(cuts, more, ("citation",) if uncited != bare else ())
    last = uncited.rpartition(" ")[2].casefold()
    is_open = last in (*phrases("DANGLING"), *phrases("OPENS_CLAUSE")) or uncited[-1:] in ",،、|"
    is_broken = (
        is_open
        or (_COUNT.match(uncited) and not is_only and not _has_number(uncited, sentence))
        or _SEVERAL.search(uncited)
        or uncited.casefold() in ("not", "no", "none")
        or uncited.count("(") > uncited.count(")")
    )
    return None if is_broken or not any(map(str.isalpha, uncited)) else (uncited, cuts)


# ---- lines --------------------------------------------------------------------------------------------------


def _latest(lines: list[Line], n: int) -> list[Line]:
    """The lines that count: up to a next example, from the last heading behind which the list begins anew and speaks of
    every sentence that stood before it (the prompt's own heading: always).
    """
    first = next((position for position, line in enumerate(lines) if line.entry), len(lines))
    heads = [
        (position, match[1].strip().casefold())
        for position, line in enumerate(lines)
        if (match := _HEADING.match(line.text))
    ]
    end = next((position for position, name in heads if position > first and name != "facts"), len(lines))
    lines = lines[:end]
    cues = {position for position, name in heads if name == "facts"}
    for position in range(len(lines) - 1, 0, -1):
        above = "" if lines[position - 1].entry else lines[position - 1].text
        text = (
            ""
            if lines[position].entry
            else f"{above[-MAX_HEADING:]} {lines[position].text[:MAX_HEADING]}".strip()
        )
        is_cue = position in cues
        names = words_of(text)
        is_short = text.startswith(("#", "*")) and len(names) < 6
        is_head = is_cue or (has("ANEW", names) and (text.rstrip("*_ ").endswith((":", "：")) or is_short))
        before, after = (
            (_covered(part, n) for part in (lines[:position], lines[position + 1 :]))
            if is_head
            else (set(), set())
        )
        if after and (is_cue or before <= after):
            return lines[position + 1 :]
    return lines


def _covered(lines: Sequence[Line], n: int) -> set[int]:
    return {number for line in lines if line.entry for number in line.entry.numbers if 1 <= number <= n}


def _of_lines(lines: list[Line], sentences: Sequence[str]) -> list[Told] | None:
    """What the lines say, a line that may mean a fact and cannot be read as None; None where the numbers cannot be those
    of sentences.
    """
    n, places = len(sentences), [position for position, line in enumerate(lines) if line.entry]
    entries = [line.entry for line in lines if line.entry]
    spans = [match for line in lines if (match := _NO_RANGE.match(line.text))]
    if any(0 in entry.numbers for entry in entries) or any(int(span[1]) >= int(span[2]) for span in spans):
        return None
    counted = [entry.numbers for entry in entries]
    if (len(counted) > n and counted == [(position,) for position in range(1, len(counted) + 1)]) or (
        n == 1 and not entries
    ):
        return _all_of_one(lines) if n == 1 else None
    content = [Told((0,), None) for line in lines[: places[0] if places else 0] if _is_meant(line.text)]
    for position, end in zip(places, [*places[1:], len(lines)], strict=False):
        entry, below = lines[position].entry, [line.text for line in lines[position + 1 : end]]
        assert entry is not None
        following = lines[end].entry if end < len(lines) else None
        is_heading = following and following.text and following.numbers == entry.numbers
        if (
            not entry.text
            and (is_heading or entry.form == "worded")
            and all(_is_frame(line) and not says_nothing(line) for line in below if line)
        ):
            continue  # the entries below it have the mark again
        content += _entry(entry, below, sentences, is_plain=not any(entry.text for entry in entries))
    if (
        content
        and (last := content[-1]).text
        and 1 <= last.numbers[0] <= n
        and _is_cut(last.text, sentences[last.numbers[0] - 1])
    ):
        content[-1] = Told(last.numbers, None)
    return _uncounted(content)


def _all_of_one(lines: list[Line]) -> list[Told]:
    """A list of facts whose marks count them, or bullets: all of the one sentence that there is."""
    content: list[Told] = []
    for above, line in zip([Line("", None), *lines], lines, strict=False):
        item = line.entry.text if line.entry else marks.item_of(line.text)
        if item and not _is_remark(item):
            content.append(Told((1,), item, ("mark",)))
        elif line.text in tuple(marks.BULLETS) or (line.entry and not item):
            content.append(Told((1,), None))
        elif content and above.text and line.text and not _is_frame(line.text) and not _is_remark(line.text):
            content[-1:] = (
                [Told((1,), None)] if above.text[-1] not in _ENDS else [content[-1], Told((1,), None)]
            )
    return content


def _uncounted(content: list[Told]) -> list[Told]:
    """Facts without a count of them behind their marks, one that every fact has and that goes on (`[1] 1. …`, `[1] 2. …`)."""
    facts = [element.text for element in content if element.text and not says_nothing(element.text)]
    counts = [int(match[1]) for text in facts if (match := _COUNT.match(text))]
    is_run = len(counts) > 1 and counts[0] == 1 and all(b in (1, a + 1) for a, b in pairwise(counts))
    if not is_run or len(counts) < len(facts) or max(counts) < 2:
        return content
    return [
        element._replace(text=_COUNT.sub("", element.text)) if element.text else element
        for element in content
    ]


def _entry(entry: Entry, below: list[str], sentences: Sequence[str], *, is_plain: bool) -> list[Told]:
    """What an entry says with the lines below it; with `is_plain` these may be its facts without any mark."""
    cuts: tuple[str, ...] = (
        ("range",) if len(entry.numbers) > 1 else () if entry.is_exact or entry.has_sign else ("mark",)
    )
    cuts += ("sign",) if entry.has_sign else ()
    expected = sentences[entry.numbers[0] - 1] if entry.numbers[0] <= len(sentences) else ""
    text, end = entry.text, 0
    while (
        text and end < len(below) and below[end] and not _is_meant(below[end]) and not _is_remark(below[end])
    ):
        goes_on = below[end][0].islower() and text[-1] not in ".!?。！？…"
        is_end = text[-1] in _ENDS + ":：" or says_nothing(text) or below[end][0].isupper()
        if is_end and not goes_on:
            break
        text, end = f"{text} {below[end]}", end + 1
    is_echo = bool(text) and normalise(text) == normalise(expected)
    if not text or is_echo or text[-1] in ":：":
        items, rest = _listed(below[end:], expected, is_plain=is_plain and not is_echo)
        if items:
            content = [
                element
                for item in items
                for element in _in_line(entry._replace(text=item), (*cuts, "below"), len(sentences))
            ]
            return content + [Told((0,), None) for line in rest if _is_meant(line)]
    if (
        not text
        or (is_echo and any(map(_is_item, below[end:])))
        or (below[end:] and _is_item(below[end], is_bare=True))
    ):
        return [Told((0,), None)]
    is_followed = (
        end < len(below) and below[end] and any(map(str.isalnum, below[end])) and not _is_remark(below[end])
    )
    is_followed = is_followed and not _is_frame(below[end])
    lost = [Told((0,), None) for line in below[end + bool(is_followed) :] if _is_meant(line)]
    if is_followed and not (text[-1] in _ENDS or says_nothing(text)) and not _is_meant(below[end]):
        return [Told(entry.numbers, None), *lost]  # the rest of a fact, or one without its number
    content = _in_line(entry._replace(text=text), cuts, len(sentences))
    if len(entry.numbers) == 1 and entry.numbers[0] > len(sentences) and _is_remark(text):
        content = []
    return (
        content + ([Told((0,), None)] if is_followed and _is_meant(below[end], is_plain=True) else []) + lost
    )


def _has_number(line: str, sentence: str) -> bool:
    """Whether a line begins with a number that is no mark, but stands in the sentence (`1. FC Köln`)."""
    match = _COUNT.match(line)
    return match is not None and match[0] in sentence


def _listed(below: list[str], expected: str, *, is_plain: bool) -> tuple[list[str], list[str]]:
    """The entries of the list below a mark: its bullets, else the lines right below, each a sentence; and what is left."""
    bullets = [position for position, line in enumerate(below) if marks.item_of(line) is not None]
    if len(bullets) == 1 and _COUNT.match(below[bullets[0]]):
        return [], below  # a mark of a list of one, or the beginning of the fact: `1. FC Köln`
    if bullets:
        items = [
            below[bullet] if _has_number(below[bullet], expected) else marks.item_of(below[bullet]) or ""
            for bullet in bullets
        ]
        between = [
            line
            for position, line in enumerate(below)
            if line and position not in bullets and position < bullets[-1]
        ]
        rest = [line for line in between if not _is_frame(line)] + below[bullets[-1] + 1 : bullets[-1] + 2]
        is_list = all(_is_frame(line) for line in between) and not (
            rest and rest[-1] and not _is_remark(rest[-1])
        )
        return (items, []) if is_list else (items[:0], below)
    end = next((position for position, line in enumerate(below) if not line), len(below))
    lines = [line for line in below[:end] if not _LABEL.fullmatch(line)]
    is_list = (
        is_plain
        and bool(lines)
        and all((line[-1] in ".!?。！？" and line[0].isalnum()) or says_nothing(line) for line in lines)
        and not any(line[0].islower() for line in lines[1:])
    )
    return (lines, below[end:]) if is_list else ([], below)


def _is_item(line: str, *, is_bare: bool = False) -> bool:
    return line in tuple(marks.BULLETS) or (not is_bare and marks.item_of(line) is not None)


def _in_line(entry: Entry, cuts: tuple[str, ...], n: int) -> list[Told]:
    """The entries that stand on one line: further marks of the same kind behind the end of a sentence, their
    numbers never falling; and facts that semicolons part, each a sentence or each with the same first word.
    """
    content: list[Told] = []
    numbers = entry.numbers
    inside = _INNER.split(entry.text) if entry.form == "square" else [entry.text]
    if len(inside) > marks.MAX_RANGE:
        return [Told(numbers, None)]
    for at, part in enumerate(inside):
        inner = marks.entry_of(part, ()) if at else None
        if inner and not numbers[-1] <= inner.numbers[-1] <= n:
            return [Told(entry.numbers, None)]
        numbers, words = (inner.numbers, inner.text) if inner else (numbers, part)
        parts = words.rstrip(";, ").split("; ")
        firsts = {part.split()[0].casefold() for part in parts if part.split()}
        is_each = all(part[-1:] in ".!?" for part in parts) or (
            len(firsts) == 1 and all(len(part.split()) > 2 for part in parts)
        )
        several = ("one-line",) if at or (len(parts) > 1 and is_each) else ()
        content += [
            Told(numbers, part, cuts + several) for part in (parts if is_each else [words.rstrip(";, ")])
        ]
    return content


def _is_meant(line: str, *, is_plain: bool = False) -> bool:
    """Whether a line may mean to be an entry: by its mark, with `is_plain` any line with words."""
    if line.lstrip(" >*_`-").startswith(("[?", "(?", "【?")):
        return True  # of a sentence whose number is not given
    is_framed = not any(map(str.isalnum, line)) or _is_frame(line) or _is_remark(line)
    return not is_framed and (is_plain or _MEANT.match(line) is not None)


def _is_frame(line: str) -> bool:
    """Whether a line only frames entries: marks alone, a heading, words in brackets, an announcement, a fence, a tag."""
    bare = line.strip(" *_`~")
    if (
        not any(map(str.isalnum, bare))
        or (line[:3] in ("```", "~~~"))
        or re.fullmatch(r"</?[\w-]{1,40}>", bare)
    ):
        return True
    if line.startswith(("**", "__", "# ", "## ", "### ", "#### ")) or (
        bare[-1] in ":：" and not any(map(str.isdigit, bare))
    ):
        return True
    if (entry := marks.entry_of(line, NOUNS)) is not None and entry.form == "worded" and not entry.text:
        return True
    is_aside = bare[0] in "[(（【" and bare.rstrip(".:! ")[-1:] in "])）】"
    return is_aside and not any(map(str.isdigit, bare))


def _is_remark(line: str) -> bool:
    """Whether a line, behind its mark, speaks of the work itself, which no fact does: `- Done!`, `I hope this helps.`"""
    names = [name for name in words_of(line[:MAX_HEADING]) if name[0].isalnum()]
    start = 1 if names and names[0].isdigit() else 2 if names[:1] == ["step"] else 0
    return match("remarks", names[start:]) is not None or " ".join(names[start:]) in phrases("REMARK_ALONE")


def _is_cut(fact: str, sentence: str) -> bool:
    """Whether the last fact of a reply ends within a word of its sentence: the reply was cut off."""
    last = re.search(r"\w+\Z", fact)
    sentence_words = re.findall(r"\w+", sentence.casefold())
    word = last[0].casefold() if last else ""
    return (
        bool(word)
        and word not in sentence_words
        and any(
            element.startswith(word) and len(element) > len(word) + 2 * word.isalpha()
            for element in sentence_words
        )
    )
