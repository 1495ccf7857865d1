"""Facts by the number of their sentence: lines `[1] fact`, with `[1] none` for a sentence without one.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), a colon or dash behind them, other
words for none (`nothing`), a list below a mark that stands alone or above which the sentence is said again, ranges
(the fact is the first sentence's, all count as covered), several entries on one line, JSON and tables. Nothing is
guessed: an entry of a number that no sentence has, a line that may be the rest of a fact or one without its number,
and a fact that breaks off are counted as malformed and are no facts. Numbers that count facts and not sentences
(from 1 upwards past the last sentence) and numbers from nought make the reply unreadable.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import normalise
from truerate.llm.replies import marks
from truerate.llm.replies.cutting import unwrapped
from truerate.llm.replies.fact_data import NOUNS, of_json, of_table
from truerate.llm.replies.fact_words import LABEL, OPEN, Told, is_cut, stated
from truerate.llm.replies.marks import Entry, Line
from truerate.llm.replies.normalizing import unwrapped_lines
from truerate.llm.replies.nothing import says_nothing
from truerate.llm.replies.reading import Parsed, joined, nothing

# A line that means to be an entry: of a list, of a table, or with a number in whatever marks, also behind a
# word (`Sentence 2: …`).
_ENTRY = lazy(
    r"[-+–—]\s*[^-+–—*_=\s].*|\*\s+\S.*|[•·‣◦|>]\s*\S.*|[\"'`“„«*_]*(?:[\[{【［〔①-⓿]|[(（]\s*\d).*"
    r"|[\"'`“„«*_#]*\d{1,4}(?:[ *_]*[\])}.:：、|】］）〕]| *\t| +[-–—] ).*|[*_]*\w+ +#?\d{1,4}[*_]*[).:：、][\s*_]*[^\s*_].*"
)
# What only frames entries: a fence of code or of data, a tag alone, a rule, a heading, a line in bold, one
# that ends with a colon.
_FRAME = lazy(
    r"(?:```|~~~).*|</?[\w-]+>|[-*_=#]{3,}|#{1,6}\s.*|\*\*[^*]+\*\*|__[^_]+__|[^\[\](){}|]*[:：][*_]*"
)
_BARE = lazy(
    r"[\W_]+|[\[(（【][^\d\[\](){}]*[\])）】][.:!]?"
)  # marks alone, or words in brackets with no number and nothing behind
# An entry that speaks of the work itself, which no fact does: `- Done!`, `1. Facts`, `Step 1: I read the
# text.`
_CHATTY = lazy(
    r"(?:[-+–—*•·‣◦|>]\s*|\d{1,3}[.):]\s*|(?:step|part|note)\s*\d*\s*[.):]\s*)+"
    r"(?:(?:i|i['’]\w+|we|here|below|let me|let us|hope)\b.*|(?:done|ok|okay|sure|(?:atomic )?facts?|end|finished|certainly|of course)\W*)",
    re.IGNORECASE,
)
# Headings behind which a reply begins anew, and those behind which it speaks of what it wrote.
_ANEW = lazy(
    r"[\W_]*(?:(?:(?:final|corrected|revised|updated|improved|complete|full)\b[\w ]{0,40}|(?:atomic )?facts|output|"
    r"answer|results?|list)\W*|.{0,40}\bfacts\W*#+\W*)"
    r"|.*\b(?:final|corrected|revised|updated|improved) (?:\w+ )?(?:answers?|facts|list|version|output)\s*[:：][*_]*",
    re.IGNORECASE,
)
_REMARKS = lazy(
    r"[\W_]*(?:notes?|explanations?|reasoning|rationale|comments?|justification|remarks?|summary|analysis)[\W_]*[:：]?[\W_]*",
    re.IGNORECASE,
)
_GIVEN = lazy(r"^[ \t>*_\-]*#{1,3}(?!\s*facts)[^#\n]{1,80}?#{1,3}[ \t*_]*[:：]", re.MULTILINE | re.IGNORECASE)
# `[1-1]`, `[2-1]`: numbers of facts within sentences, or ranges that are none
_NO_RANGE = lazy(r"^\W{0,6}(\d{1,3})\s*[-–]\s*(\d{1,3})\W", re.MULTILINE)


class Facts(NamedTuple):
    """What a fact writer's reply holds: (sentence from 0, fact) in its order, sentences without a line, and
    lines that may have been meant as facts and could not be read.
    """

    facts: tuple[tuple[int, str], ...]
    missed: tuple[int, ...]
    n_malformed: int


_TABBED = lazy(r"^[ \t]*(\d{1,3})\t", re.MULTILINE)  # a number in a column of its own


def read_facts(text: str, sentences: Sequence[str]) -> Parsed:
    """`Facts` of a reply about these sentences, or None with `empty`, `thought_only` or `absent`; the cuts say
    what was read loosely.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    answer = unwrapped_lines(_TABBED.sub(r"[\1] ", answer))
    found = of_json(answer, len(sentences))
    if found is None and not marks.is_json_like(answer):
        found = of_table(answer, len(sentences)) or _of_lines(_latest(answer, len(sentences)), sentences)
    if found is None or not found[0]:
        return Parsed(None, "absent", cuts)
    told, n_malformed = found
    missed = set(range(1, len(sentences) + 1)) - {number for one in told for number in one.numbers}
    facts = tuple((one.numbers[0] - 1, one.text) for one in told if one.text is not None)
    value = Facts(facts, tuple(number - 1 for number in sorted(missed)), n_malformed)
    return Parsed(value, None, joined(cuts, *(one.cuts for one in told)))


# ---- lines --------------------------------------------------------------------------------------------------


def _latest(text: str, n: int) -> str:
    """The part of a reply that counts: what follows the last heading behind which it begins anew, where that
    speaks of every sentence that stood before it (the prompt's own heading: always), up to a next example.
    """
    given = next(
        (one for one in _GIVEN.finditer(text) if _covered(text[: one.start()].splitlines(), n)), None
    )
    lines = (text[: given.start()] if given else text).splitlines()
    for place in range(len(lines) - 1, 0, -1):
        if not _ANEW.fullmatch(lines[place].strip()):
            continue
        is_cue = bool(re.search(r"#\s*facts\s*#", lines[place], re.IGNORECASE))
        before, after = (_covered(part, n) for part in (lines[:place], lines[place + 1 :]))
        if after and (is_cue or before <= after):
            lines = lines[place + 1 :]
            break
    return "\n".join(lines)


def _covered(lines: Sequence[str], n: int) -> set[int]:
    """The numbers of sentences that lines begin with."""
    entries = [line.entry for line in marks.lines_of("\n".join(lines), NOUNS) if line.entry]
    return {number for entry in entries for number in entry.numbers if 1 <= number <= n}


def _of_lines(text: str, sentences: Sequence[str]) -> tuple[list[Told], int] | None:
    """What the lines say, and how many could not be read; None where the numbers cannot be those of sentences."""
    n, lines = len(sentences), _uncounted(marks.lines_of(text, NOUNS))
    entries = [line.entry for line in lines if line.entry]
    if any(0 in entry.numbers for entry in entries) or any(
        int(a) >= int(b) for a, b in _NO_RANGE.findall(text)
    ):
        return None
    counted = [entry.numbers for entry in entries if entry.text]
    is_count = len(counted) > max(n, 1) and counted == [(place,) for place in range(1, len(counted) + 1)]
    if is_count or (n == 1 and not entries):
        return _all_of_one(lines) if n == 1 else None
    told: list[Told] = []
    n_malformed, place, last = 0, 0, max((at for at, line in enumerate(lines) if line.entry), default=0)
    waiting: list[tuple[int, str]] = []  # lines that are no entries: judged when it is known what was missed
    while place < len(lines):
        line = lines[place]
        if line.entry is None:
            waiting.append((place, line.text))
            place += 1
            continue
        below = _below(lines, place)
        follows = next((one.entry for one in lines[place + 1 :] if one.text), None)
        if not line.entry.text and follows and follows.text and follows.numbers == line.entry.numbers:
            place += 1  # a heading: the entries below it have the mark again
            continue
        found, n_used, n_bad = _entry(line.entry, below, sentences)
        told, n_malformed, place = told + found, n_malformed + n_bad, place + 1 + n_used
    if told and (final := told[-1]).text is not None and is_cut(final.text, sentences[final.numbers[0] - 1]):
        told, n_malformed = told[:-1], n_malformed + 1
    covered = {number for one in told for number in one.numbers}
    is_whole = covered >= set(range(1, n + 1))
    if (
        end := next((at for at, one in waiting if at > last and _REMARKS.fullmatch(one)), None)
    ) is not None and is_whole:
        waiting = [one for one in waiting if one[0] < end]
    for at, one in waiting:
        above = lines[at - 1] if at else Line("", None)
        n_malformed += _is_malformed(one, above, is_between=at < last, is_whole=is_whole)
    return told, n_malformed


def _uncounted(lines: list[Line]) -> list[Line]:
    """Lines without a count of the facts behind their marks: one that every entry has, and that goes on
    (`[1] 1. …`, `[1] 2. …`).
    """
    inner = [re.match(r"\(?(\d{1,2})[.)]\s+(?=\S)", line.entry.text) for line in lines if line.entry]
    counts = [int(one[1]) for one in inner if one]
    n_facts = sum(1 for line in lines if line.entry and line.entry.text and not says_nothing(line.entry.text))
    if len(counts) < max(2, n_facts) or max(counts) < 2 or counts[0] != 1:
        return lines
    if any(here not in (1, before + 1) for before, here in pairwise(counts)):
        return lines
    ends = iter([one.end() if one else 0 for one in inner])
    return [
        Line(line.text, line.entry._replace(text=line.entry.text[next(ends) :], is_exact=False))
        if line.entry
        else line
        for line in lines
    ]


def _all_of_one(lines: Sequence[Line]) -> tuple[list[Told], int]:
    """A list of facts whose marks count them, or bullets: all of the one sentence that there is."""
    told = []
    for line in lines:
        item = line.entry.text if line.entry else marks.item_of(line.text)
        if item and not _CHATTY.fullmatch(line.text):
            told += stated((1,), item, ("mark",))
    n_other = sum(1 for line in lines if not line.entry and _is_below_fact(line.text)) if told else 0
    return told, n_other


def _is_below_fact(text: str) -> bool:
    return bool(text) and text[0].islower() and marks.item_of(text) is None


def _below(lines: Sequence[Line], place: int) -> list[str]:
    """The lines under an entry, up to the next one."""
    end = next((at for at in range(place + 1, len(lines)) if lines[at].entry), len(lines))
    return [line.text for line in lines[place + 1 : end]]


def _entry(entry: Entry, below: Sequence[str], sentences: Sequence[str]) -> tuple[list[Told], int, int]:
    """What an entry says with the lines below it, how many of these it used, and how many things could not be
    read.
    """
    n = len(sentences)
    numbers = entry.numbers
    is_known = all(1 <= number <= n for number in numbers)
    cuts = _entry_cuts(entry)
    if is_known and _is_above(entry.text, sentences[numbers[0] - 1]):
        items, n_used = _listed(below, has_echo=bool(entry.text))
        if items:
            told = [one for item in items for one in stated(numbers, item, joined(cuts, ("below",)))]
            return told, n_used, len(items) - len(told)
    if not entry.text:
        # a mark above nothing: a heading where it is a word's, else something lost
        return [], 0, int(entry.form != "worded")
    if not is_known:
        return [], 0, 0 if _CHATTY.fullmatch(entry.text) else 1
    if _breaks_off(entry.text, below):
        return [], _until_blank(below), 1
    parts = [(part, one) for part, words in _in_line(entry, n) for one in _by_semicolons(words)]
    told = [
        one
        for part, words in parts
        for one in stated(part, words, cuts if len(parts) == 1 else joined(cuts, ("one-line",)))
    ]
    return told, 0, len(parts) - len(told)


def _entry_cuts(entry: Entry) -> tuple[str, ...]:
    """How loosely an entry's mark was read."""
    found = ["range"] if len(entry.numbers) > 1 else [] if entry.is_exact or entry.has_sign else ["mark"]
    return (*found, "sign") if entry.has_sign else tuple(found)


def _is_above(text: str, sentence: str) -> bool:
    """Whether a list below an entry holds its facts: nothing stands behind the mark, a label, or the sentence."""
    return (
        not text
        or text.endswith((":", "："))
        or bool(LABEL.fullmatch(text))
        or normalise(text) == normalise(sentence)
    )


def _listed(below: Sequence[str], *, has_echo: bool) -> tuple[list[str], int]:
    """The entries of the list below a mark, and how many lines it takes: bullets, else the lines right below
    (not where the sentence itself stands above them). What lies between bullets and frames them is left.
    """
    bullets = [place for place, line in enumerate(below) if line and marks.item_of(line) is not None]
    if bullets:
        between = [
            line for place, line in enumerate(below) if place < bullets[-1] and place not in bullets and line
        ]
        if all(_FRAME.fullmatch(line) or _BARE.fullmatch(line) or LABEL.fullmatch(line) for line in between):
            return [marks.item_of(below[place]) or "" for place in bullets], bullets[-1] + 1
        return [], 0
    n_plain = _until_blank(below)
    plain = [line for line in below[:n_plain] if not LABEL.fullmatch(line)]
    is_list = plain and all(line[-1] in ".!?。！？" or says_nothing(line) for line in plain)
    return (plain, n_plain) if is_list and not has_echo else ([], 0)


def _until_blank(below: Sequence[str]) -> int:
    return next((place for place, line in enumerate(below) if not line), len(below))


def _breaks_off(text: str, below: Sequence[str]) -> bool:
    """Whether a fact goes on in the line right below: it ends in the middle, and that line is no list's."""
    follows = below[0] if below else ""
    is_plain = bool(follows) and not (
        _ENTRY.fullmatch(follows) or _FRAME.fullmatch(follows) or _BARE.fullmatch(follows)
    )
    is_ended = text[-1:] in '.!?。！？)"”'
    return is_plain and not is_ended and (follows[0].islower() or bool(OPEN.search(text)))


def _in_line(entry: Entry, n: int) -> list[tuple[tuple[int, ...], str]]:
    """The entries that stand on one line: further marks of the same kind behind the end of a sentence, their
    numbers never falling.
    """
    if entry.form != "square":
        return [(entry.numbers, entry.text)]
    found: list[tuple[tuple[int, ...], str]] = []
    numbers, start = entry.numbers, 0
    for mark in re.finditer(
        r"(?:(?<=[.!?。;,)])|(?<=none))\s+\[(\d{1,4})\]:?\s+(?=[^\s\[.])", entry.text, re.IGNORECASE
    ):
        if numbers[-1] <= int(mark[1]) <= n:
            found.append((numbers, entry.text[start : mark.start()].rstrip(";, ")))
            numbers, start = (int(mark[1]),), mark.end()
    return [*found, (numbers, entry.text[start:])]


def _by_semicolons(words: str) -> list[str]:
    """The facts that semicolons part on a line: each a sentence of its own, or each with the same first word."""
    parts = re.split(r";\s+", words)
    firsts = {part.split()[0].casefold() if part.split() else "" for part in parts}
    is_each = all(part[-1:] in ".!?" for part in parts) or (
        len(firsts) == 1 and all(len(part.split()) > 2 for part in parts)
    )
    return parts if is_each else [words]


def _is_malformed(line: str, above: Line, *, is_between: bool, is_whole: bool) -> bool:
    """Whether a line that is no fact may have been meant as one, or as the rest of one; `above` is the line
    right above it.

    So a numbered line or a list entry in another form, and words right below a fact: between facts, or where
    they go on in small letters or that fact breaks off; where a sentence has no line (not `is_whole`) any
    words. What frames the facts is not.
    """
    if (
        not line
        or _BARE.fullmatch(line)
        or _CHATTY.fullmatch(line)
        or _FRAME.fullmatch(line)
        and not _ENTRY.fullmatch(line)
    ):
        return False
    is_below = above.entry is not None and bool(above.entry.text)
    is_rest = is_below and (is_between or line[0].islower() or bool(OPEN.search(above.text)))
    return not is_whole or is_rest or bool(_ENTRY.fullmatch(line))
