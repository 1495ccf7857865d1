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
from typing import Any, NamedTuple

from truerate.core.text import normalise
from truerate.llm.replies import marks
from truerate.llm.replies.cutting import emphasis, opened, quotes
from truerate.llm.replies.marks import Entry, Line
from truerate.llm.replies.nothing import says_nothing
from truerate.llm.replies.reading import Parsed, joined

NOUNS = ("sentence", "sentences", "sent", "satz", "phrase", "frase", "s", "no", "nr", "number", "zeile", "句", "句子", "第")
# A line that means to be an entry: of a list, of a table, or with a number in whatever marks, also behind a
# word (`Sentence 2: …`).
_ENTRY = re.compile(
    r"[-+–—]\s*[^-+–—*_=\s].*|\*\s+\S.*|[•·‣◦|>]\s*\S.*|[\"'`“„«*_]*(?:[\[{【［〔①-⓿]|[(（]\s*\d).*"
    r"|[\"'`“„«*_#]*\d{1,4}(?:[ *_]*[\])}.:：、|】］）〕]| *\t| +[-–—] ).*|[*_]*\w+ +#?\d{1,4}[*_]*[).:：、][\s*_]*[^\s*_].*"
)
# What only frames entries: a fence of code or of data, a tag alone, a rule, a heading, a line in bold, one
# that ends with a colon.
_FRAME = re.compile(
    r"(?:```|~~~).*|</?[\w-]+>|[-*_=#]{3,}|#{1,6}\s.*|\*\*[^*]+\*\*|__[^_]+__|[^\[\](){}|]*[:：][*_]*"
)
_BARE = re.compile(
    r"[\W_]+|[\[(（【][^\d\[\](){}]*[\])）】][.:!]?"
)  # marks alone, or words in brackets with no number and nothing behind
# An entry that speaks of the work itself, which no fact does: `- Done!`, `1. Facts`, `Step 1: I read the
# text.`
_CHATTY = re.compile(
    r"(?:[-+–—*•·‣◦|>]\s*|\d{1,3}[.):]\s*|(?:step|part|note)\s*\d*\s*[.):]\s*)+"
    r"(?:(?:i|i['’]\w+|we|here|below|let me|let us|hope)\b.*|(?:done|ok|okay|sure|(?:atomic )?facts?|end|finished|certainly|of course)\W*)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:[,،、]|\b(?:a|an|the|of|in|on|at|to|by|for|from|with|and|or|is|was|as))$", re.IGNORECASE
)  # a fact that goes on
_CITED = re.compile(r"(?:\s*\[\d{1,3}\])+(?=\s*[.!?]?\Z)")
_LABEL = re.compile(r"[*_]*(?:atomic |extracted )?facts?(?:\s+\d{1,2})?[*_]*\s*[:：]\s*[*_]*\s*", re.IGNORECASE)
# Headings behind which a reply begins anew, and those behind which it speaks of what it wrote.
_ANEW = re.compile(
    r"[\W_]*(?:(?:(?:final|corrected|revised|updated|improved|complete|full)\b[\w ]{0,40}|(?:atomic )?facts|output|"
    r"answer|results?|list)\W*|.{0,40}\bfacts\W*#+\W*)",
    re.IGNORECASE,
)
_REMARKS = re.compile(
    r"[\W_]*(?:notes?|explanations?|reasoning|rationale|comments?|justification|remarks?|summary|analysis)[\W_]*[:：]?[\W_]*",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"^[ \t>*_\-]*#{1,3}(?!\s*facts)[^#\n]{1,80}?#{1,3}[ \t*_]*[:：]", re.MULTILINE | re.IGNORECASE)
# `[1-1]`, `[2-1]`: numbers of facts within sentences, or ranges that are none
_NO_RANGE = re.compile(r"^\W{0,6}(\d{1,3})\s*[-–]\s*(\d{1,3})\W", re.MULTILINE)
_NUMBER_KEYS = ("sentence", "sentence_id", "sentence_number", "sentence_index", "number", "id", "index", "n", "no", "nr")
_FACT_KEYS = ("fact", "facts", "atomic_fact", "atomic_facts", "text", "claim", "claims", "statement", "content")


class Facts(NamedTuple):
    """What a fact writer's reply holds: (sentence from 0, fact) in its order, sentences without a line, and
    lines that may have been meant as facts and could not be read.
    """

    facts: tuple[tuple[int, str], ...]
    missed: tuple[int, ...]
    n_malformed: int


class _Told(NamedTuple):
    """One thing read: its sentences from 1, the words (None: that there is no fact), how loosely."""

    numbers: tuple[int, ...]
    text: str | None
    cuts: tuple[str, ...] = ()


def read_facts(text: str, sentences: Sequence[str]) -> Parsed:
    """`Facts` of a reply about these sentences, or None with `empty`, `thought_only` or `absent`; the cuts say
    what was read loosely.
    """
    answer, cuts = opened(text)
    if not answer:
        return Parsed(None, "thought_only" if "thought" in cuts else "empty", cuts)
    found = _of_json(answer, len(sentences))
    if found is None and not marks.is_json_like(answer):
        found = _of_table(answer, len(sentences)) or _of_lines(_latest(answer, len(sentences)), sentences)
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
    given = next((one for one in _GIVEN.finditer(text) if _covered(text[: one.start()].splitlines(), n)), None)
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


def _of_lines(text: str, sentences: Sequence[str]) -> tuple[list[_Told], int] | None:
    """What the lines say, and how many could not be read; None where the numbers cannot be those of sentences."""
    n, lines = len(sentences), _uncounted(marks.lines_of(text, NOUNS))
    entries = [line.entry for line in lines if line.entry]
    if any(0 in entry.numbers for entry in entries) or any(int(a) >= int(b) for a, b in _NO_RANGE.findall(text)):
        return None
    counted = [entry.numbers for entry in entries if entry.text]
    is_count = len(counted) > max(n, 1) and counted == [(place,) for place in range(1, len(counted) + 1)]
    if is_count or (n == 1 and not entries):
        return _all_of_one(lines) if n == 1 else None
    told: list[_Told] = []
    n_malformed, place, last = 0, 0, max((at for at, line in enumerate(lines) if line.entry), default=0)
    waiting: list[tuple[int, str]] = []  # lines that are no entries: judged when it is known what was missed
    while place < len(lines):
        line = lines[place]
        if line.entry is None:
            waiting.append((place, line.text))
            place += 1
            continue
        below = _below(lines, place)
        found, n_used, n_bad = _entry(line.entry, below, sentences)
        told, n_malformed, place = told + found, n_malformed + n_bad, place + 1 + n_used
    if told and (final := told[-1]).text is not None and _is_cut(final.text, sentences[final.numbers[0] - 1]):
        told, n_malformed = told[:-1], n_malformed + 1
    covered = {number for one in told for number in one.numbers}
    is_whole = covered >= set(range(1, n + 1))
    if (end := next((at for at, one in waiting if at > last and _REMARKS.fullmatch(one)), None)) is not None and is_whole:
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
        Line(line.text, line.entry._replace(text=line.entry.text[next(ends) :], is_exact=False)) if line.entry else line
        for line in lines
    ]


def _all_of_one(lines: Sequence[Line]) -> tuple[list[_Told], int]:
    """A list of facts whose marks count them, or bullets: all of the one sentence that there is."""
    told = []
    for line in lines:
        item = line.entry.text if line.entry else marks.item_of(line.text)
        if item and not _CHATTY.fullmatch(line.text):
            told += _stated((1,), item, ("mark",))
    n_other = sum(1 for line in lines if not line.entry and _is_below_fact(line.text)) if told else 0
    return told, n_other


def _is_below_fact(text: str) -> bool:
    return bool(text) and text[0].islower() and marks.item_of(text) is None


def _below(lines: Sequence[Line], place: int) -> list[str]:
    """The lines under an entry, up to the next one."""
    end = next((at for at in range(place + 1, len(lines)) if lines[at].entry), len(lines))
    return [line.text for line in lines[place + 1 : end]]


def _entry(entry: Entry, below: Sequence[str], sentences: Sequence[str]) -> tuple[list[_Told], int, int]:
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
            told = [one for item in items for one in _stated(numbers, item, joined(cuts, ("below",)))]
            return told, n_used, len(items) - len(told)
    if not entry.text:
        # a mark above nothing: a heading where it is a word's, else something lost
        return [], 0, int(entry.form != "worded")
    if not is_known:
        return [], 0, 0 if _CHATTY.fullmatch(entry.text) else 1
    if _breaks_off(entry.text, below):
        return [], _until_blank(below), 1
    parts = _in_line(entry, n)
    told = [one for part, words in parts for one in _stated(part, words, cuts if len(parts) == 1 else joined(cuts, ("one-line",)))]
    return told, 0, len(parts) - len(told)


def _entry_cuts(entry: Entry) -> tuple[str, ...]:
    """How loosely an entry's mark was read."""
    found = ["range"] if len(entry.numbers) > 1 else [] if entry.is_exact or entry.has_sign else ["mark"]
    return (*found, "sign") if entry.has_sign else tuple(found)


def _is_above(text: str, sentence: str) -> bool:
    """Whether a list below an entry holds its facts: nothing stands behind the mark, a label, or the sentence."""
    return not text or text.endswith((":", "：")) or bool(_LABEL.fullmatch(text)) or normalise(text) == normalise(sentence)


def _listed(below: Sequence[str], *, has_echo: bool) -> tuple[list[str], int]:
    """The entries of the list below a mark, and how many lines it takes: bullets, else the lines right below
    (not where the sentence itself stands above them). What lies between bullets and frames them is left.
    """
    bullets = [place for place, line in enumerate(below) if line and marks.item_of(line) is not None]
    if bullets:
        between = [line for place, line in enumerate(below) if place < bullets[-1] and place not in bullets and line]
        if all(_FRAME.fullmatch(line) or _BARE.fullmatch(line) or _LABEL.fullmatch(line) for line in between):
            return [marks.item_of(below[place]) or "" for place in bullets], bullets[-1] + 1
        return [], 0
    n_plain = _until_blank(below)
    plain = [line for line in below[:n_plain] if not _LABEL.fullmatch(line)]
    is_list = plain and all(line[-1] in ".!?。！？" or says_nothing(line) for line in plain)
    return (plain, n_plain) if is_list and not has_echo else ([], 0)


def _is_cut(fact: str, sentence: str) -> bool:
    """Whether the last fact of a reply ends within a word of its sentence: the reply was cut off."""
    last = re.search(r"\w+\Z", fact)
    if last is None or re.search(rf"\b{re.escape(last[0])}\b", sentence, re.IGNORECASE):
        return False
    n_more = r"\d+" if last[0].isdecimal() else r"\w{3,}"
    return re.search(rf"\b{re.escape(last[0])}{n_more}", sentence, re.IGNORECASE) is not None


def _until_blank(below: Sequence[str]) -> int:
    return next((place for place, line in enumerate(below) if not line), len(below))


def _breaks_off(text: str, below: Sequence[str]) -> bool:
    """Whether a fact goes on in the line right below: it ends in the middle, and that line is no list's."""
    follows = below[0] if below else ""
    is_plain = bool(follows) and not (_ENTRY.fullmatch(follows) or _FRAME.fullmatch(follows) or _BARE.fullmatch(follows))
    is_ended = text[-1:] in ".!?。！？)\"”"
    return is_plain and not is_ended and (follows[0].islower() or bool(_OPEN.search(text)))


def _in_line(entry: Entry, n: int) -> list[tuple[tuple[int, ...], str]]:
    """The entries that stand on one line: further marks of the same kind behind the end of a sentence, their
    numbers never falling.
    """
    if entry.form != "square":
        return [(entry.numbers, entry.text)]
    found: list[tuple[tuple[int, ...], str]] = []
    numbers, start = entry.numbers, 0
    for mark in re.finditer(r"(?:(?<=[.!?。;,)])|(?<=none))\s+\[(\d{1,4})\]:?\s+(?=[^\s\[.])", entry.text, re.IGNORECASE):
        if numbers[-1] <= int(mark[1]) <= n:
            found.append((numbers, entry.text[start : mark.start()].rstrip(";, ")))
            numbers, start = (int(mark[1]),), mark.end()
    return [*found, (numbers, entry.text[start:])]


def _stated(numbers: tuple[int, ...], text: str, cuts: tuple[str, ...] = ()) -> list[_Told]:
    """What the words of one entry state: a fact, that there is none, or nothing that can be read (empty)."""
    label = _LABEL.match(text)
    words = text[label.end() :] if label and label.end() < len(text) else text
    if label and words != text:
        cuts = joined(cuts, ("label",))
    plain = emphasis(words)
    if says_nothing(plain):
        is_asked = plain.rstrip(".").casefold() == "none"
        return [_Told(numbers, None, cuts if is_asked else joined(cuts, ("other-none",)))]
    bare, more = quotes(plain)
    uncited = _CITED.sub("", bare)
    cuts = joined(cuts, more, ("citation",) if uncited != bare else ())
    # marks of further entries within the words: whose these are cannot be said
    inner = re.search(r"(?:^|[.!?;]\s+)\(?\d{1,3}[.)]\s+(?=[A-Z])", uncited[3:])
    is_open = _OPEN.search(uncited) is not None and re.search(r"\b(?:the|an?|of|and|or|with|from|by|,)\Z", uncited)
    if not any(map(str.isalnum, uncited)) or inner or is_open:
        return []
    return [_Told(numbers, uncited.strip(), cuts)]


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
    is_rest = is_below and (is_between or line[0].islower() or bool(_OPEN.search(above.text)))
    return not is_whole or is_rest or bool(_ENTRY.fullmatch(line))


# ---- JSON and tables ----------------------------------------------------------------------------------------


def _of_json(text: str, n: int) -> tuple[list[_Told], int] | None:
    """What a JSON value says; None where the reply is none, or none that names sentences."""
    value = marks.json_of(text)
    if value is None:
        return None
    if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), list | dict):
        value = inner if not _number(next(iter(value))) else value
    pairs = _pairs_of(value, n)
    if pairs is None or any(number == 0 for number, _ in pairs):
        return None
    told: list[_Told] = []
    n_malformed = 0
    for number, words in pairs:
        for word in words or [""]:
            found = _stated((number,), word, ("json",)) if word else [_Told((number,), None, ("json",))]
            told += found if 1 <= number <= n else []
            n_malformed += not found or not 1 <= number <= n
    return told, n_malformed


def _pairs_of(value: Any, n: int) -> list[tuple[int, list[str]]] | None:
    """Numbers and facts of a JSON value: an object by number, a list of objects, of lists by place, of lines."""
    if isinstance(value, dict):
        pairs = [(_number(key), _strings(one)) for key, one in value.items()]
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        pairs = [(_number(_first(one, _NUMBER_KEYS)), _strings(_first(one, _FACT_KEYS))) for one in value]
    elif isinstance(value, list) and value and all(_is_pair(one) for one in value):
        pairs = [(_number(number), _strings(words)) for number, words in value]
    elif isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        pairs = [(place, _strings(one)) for place, one in enumerate(value, 1)] if len(value) == n else []
    elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        entries = [marks.entry_of(one, NOUNS) for one in value]
        pairs = [(entry.numbers[0], [entry.text]) if entry else (None, None) for entry in entries]
    else:
        return None
    if not pairs or any(number is None or words is None for number, words in pairs):
        return None
    return [(number, words) for number, words in pairs if number is not None and words is not None]


def _is_pair(value: Any) -> bool:
    """Whether a value is a list of a number and a text."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str | list)


def _number(value: Any) -> int | None:
    """The number that a key or a field holds."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return value
    found = marks.numbers_in(value.replace("_", " ").strip("[]() "), NOUNS)
    return found[0] if found and len(found) == 1 else None


def _first(value: dict[str, Any], keys: Sequence[str]) -> Any:
    folded = {key.casefold().replace(" ", "_"): one for key, one in value.items()}
    return next((folded[key] for key in keys if key in folded), None)


def _strings(value: Any) -> list[str] | None:
    """The texts of a field: one, several, or none at all; None where it holds anything else."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [one.strip() for one in value if one.strip()]
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        inner = [_strings(_first(one, _FACT_KEYS)) for one in value]
        return None if any(one is None for one in inner) else [word for one in inner for word in one or []]
    return None


def _of_table(text: str, n: int) -> tuple[list[_Told], int] | None:
    """What a table says; None where there is none, or its columns cannot be told."""
    rows = marks.table_of(text)
    if not rows:
        return None
    has_head = all(_number(cell) is None for cell in rows[0])
    numbers = next((at for at in range(len(rows[0])) if all(not row[at] or _number(row[at]) for row in rows[has_head:])), None)
    facts: int | None = 1 - numbers if len(rows[0]) == 2 and numbers is not None else None
    if has_head and (place := marks.column(rows[0], lambda cell: "fact" in cell or "claim" in cell)) is not None:
        facts = place
    if numbers is None or facts is None or facts == numbers:
        return None
    told: list[_Told] = []
    n_malformed, number = 0, None
    for row in rows[1:] if has_head else rows:
        number = _number(row[numbers]) if row[numbers] else number
        if number is None or not 1 <= number <= n or not (found := _stated((number,), row[facts], ("table",))):
            n_malformed += 1
            continue
        told += found
    return told, n_malformed
