"""Quotations: the strings that stand between quotation marks in a text, and where they stand in another one;
and golden answers, bare as they are looked for in a text.

A reason quotes the response that it speaks of, its knowledge, or both. What stands in the response is a
segment of it, whatever else the reason quotes.
"""

import re
import string
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice
from math import inf
from typing import NamedTuple

from truerate.core.spans.whole_words import units
from truerate.core.text import compatible, is_in_word

Span = tuple[int, int]
MIN_SIMILARITY = (
    0.85  # of a quote and the words that it stands for: shared characters × 2 / characters of both
)
MIN_WORDS, MIN_CHARS = (
    3,
    12,
)  # a quote of fewer words, and of fewer characters, is short: no word of it may differ
MIN_NEAR = 0.7  # from which two words are spellings of one
MAX_QUOTE = 5_000  # characters between two marks
MAX_QUOTES = 200  # quotations that are read in one text
MAX_ENDS = 24  # marks behind an opening one that are tried as its end
# marks of quotation: what each may be closed with
_CLOSING = {
    '"': '"”', "“": '”"“', "„": "“”", "‟": "”", "”": "”", "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "《": "》",
    "＂": "＂", "'": "'’", "‘": "’'", "‚": "‘’", "`": "`",
}  # fmt: skip
_OPENS = re.compile(f"[{re.escape(''.join(_CLOSING))}]")
_SHUTS = re.compile(f"[{re.escape(''.join(sorted(set(''.join(_CLOSING.values())))))}]")
_TWO_SIDED = frozenset("“„«‹「『《")  # opened and closed by signs that no word holds
_SAME = str.maketrans("“”„‟«»＂‘’‚‛‹›´`", '"""""""' + "'" * 8)
_ELISION = re.compile(r"['’](?:\d0s|tis|twas|em|til|cause|n)\b", re.IGNORECASE)
_GAP = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")


class Located(NamedTuple):
    """Segments of a text that another one quotes (half-open code points, in order, disjoint), the number of
    strings it quotes, and of those found neither in the text nor beside it.
    """

    segments: tuple[Span, ...]
    n_quoted: int
    n_not_located: int


class _Word(NamedTuple):
    """A word in its levelled form, and its place."""

    form: str
    start: int
    end: int


def located(reason: str, text: str, *, knowledge: str = "") -> Located:
    """The segments of `text` that `told` quotes, overlaps joined. A string that is exact (or normalized) in
    `knowledge` and only rough in the text is a quotation of the knowledge: no segment, not missed.
    """
    quotes = quotations(reason, text)
    return located_strings(quotes, text, knowledge=knowledge)


def located_strings(quotes: Sequence[str], text: str, *, knowledge: str = "") -> Located:
    """The same for strings that are known to be quotations."""
    segments, n_missed = [], 0
    for quote in quotes:
        span = stands(quote, text)
        if span is None and knowledge and stands(quote, knowledge):
            continue
        if span is not None or (span := _roughly(quote, text)) is not None:
            segments.append(span)
        elif inner := [span for part in quotations(quote, text) if (span := locate(part, text))]:
            segments += inner
        else:
            n_missed += 1
    return Located(united(segments), len(quotes), n_missed)


def united(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in order, those that overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def locate(quote: str, text: str) -> Span | None:
    """Return where a quote stands in a text, as half-open code points: letter by letter, else normalized,
    else with words of MIN_SIMILARITY; else None. `A … B` stands from A to B. Short quotes (`MIN_WORDS`,
    `MIN_CHARS`) match as whole words, never roughly; numbers never roughly; quotes without letter or digit
    nowhere.
    """
    span = stands(quote, text)
    return _roughly(quote, text) if span is None else span


def stands(quote: str, text: str) -> Span | None:
    """Return where a quote stands letter by letter, or levelled; None where it does not."""
    plain = quote.strip()
    words = _levelled(plain)
    if not words:
        return None
    if (span := _letter_by_letter(plain, text, is_short=len(words) < MIN_WORDS)) is not None:
        return span
    if (span := _in_words(words, _levelled(text))) is not None:
        return span
    return _across_gaps(plain, text)


def _letter_by_letter(plain: str, text: str, *, is_short: bool) -> Span | None:
    """The first place of a quote between other words; a longer one may begin or end within a word."""
    first = None
    plain, text = plain.translate(_SAME), text.translate(_SAME)
    start = text.find(plain)
    while start >= 0:
        end = start + len(plain)
        is_whole = not (
            (start and is_in_word(text[start - 1]) and is_in_word(plain[0]))
            or (end < len(text) and is_in_word(text[end]) and is_in_word(plain[-1]))
        )
        if is_whole:
            return start, end
        first = start if first is None else first
        start = text.find(plain, start + 1)
    return None if is_short or first is None else (first, first + len(plain))


def _in_words(words: Sequence[_Word], others: Sequence[_Word]) -> Span | None:
    """The first place where the levelled words of a quote stand in a row."""
    wanted = [word.form for word in words]
    for index in range(len(others) - len(wanted) + 1):
        if others[index].form == wanted[0] and all(
            other.form == form for other, form in zip(others[index:], wanted, strict=False)
        ):
            return others[index].start, others[index + len(wanted) - 1].end
    return None


def _across_gaps(plain: str, text: str) -> Span | None:
    """From the first to the last part of a quote with gaps (`A … B`) whose parts stand in order."""
    parts = [part for part in _GAP.split(plain) if _levelled(part)]
    if len(parts) < 2 and not _GAP.search(plain):
        return None
    start, end = None, 0
    for part in parts:
        if (span := stands(part, text[end:])) is None:
            return None
        start, end = (end + span[0] if start is None else start), end + span[1]
    return None if start is None else (start, end)


@lru_cache(maxsize=256)
def _levelled(text: str) -> tuple[_Word, ...]:
    """The words of a text, without case, marks and forms of signs."""
    words = []
    for start, end in units(text):
        form = compatible(text[start:end].translate(_SAME)).casefold()
        if form := "".join(sign for sign in form if is_in_word(sign) or sign in "^_ ").strip(" ^_"):
            words.append(_Word(form, start, end))
    return tuple(words)


# ---- roughly -----------------------------------------------------------------------------------------------


def _roughly(quote: str, text: str) -> Span | None:
    """The first of the places whose words are nearest to those of a quote, from MIN_SIMILARITY on."""
    words, others = _levelled(quote.strip()), _levelled(text)
    length = _length(words)
    if len(words) < MIN_WORDS and length < MIN_CHARS:
        return None
    forms = {word.form for word in others}
    if any(_has_digit(word.form) and word.form not in forms for word in words):
        return None
    if _length([word for word in words if word.form in forms]) < length / 3 and len(words) >= MIN_WORDS:
        return None  # most words differ: no place can be near enough
    cost, first, last = _nearest(words, others)
    if 1 - cost / (length + _length(others[first:last])) < MIN_SIMILARITY:
        return None
    return others[first].start, others[last - 1].end


def _length(words: Sequence[_Word]) -> int:
    return sum(len(word.form) for word in words)


def _nearest(words: Sequence[_Word], others: Sequence[_Word]) -> tuple[float, int, int]:
    """The cheapest match of a quote's words in a text: cost first word, end (Sellers 1980, over words)."""
    row: list[tuple[float, int]] = [(0.0, index) for index in range(len(others) + 1)]
    for word in words:
        drop = inf if _has_digit(word.form) else len(word.form)
        below = [(row[0][0] + drop, row[0][1])]
        for index, other in enumerate(others):
            swapped = (row[index][0] + _change(word.form, other.form), row[index][1])
            dropped = (row[index + 1][0] + drop, row[index + 1][1])
            passed = (below[index][0] + len(other.form), below[index][1])
            below.append(min(swapped, dropped, passed))
        row = below
    last = min(range(len(row)), key=lambda index: row[index][0])
    cost, first = row[last]
    return (cost, first, last) if first < last else (inf, 0, 0)


@lru_cache(maxsize=65_536)
def _change(form: str, other: str) -> float:
    """The cost of one word for another: differing characters, all if unlike, infinite for numbers."""
    if form == other:
        return 0.0
    if _has_digit(form) or _has_digit(other):
        return inf
    near = SequenceMatcher(None, form, other, autojunk=False).ratio()
    return (1 - near if near >= MIN_NEAR else 1.0) * (len(form) + len(other))


def _has_digit(form: str) -> bool:
    return any(sign.isdigit() for sign in form)


# ---- what is quoted ----------------------------------------------------------------------------------------


def quotations(reason: str, text: str = "") -> list[str]:
    """The first MAX_QUOTES strings between quotation marks (straight, curly, angular, single, East Asian,
    backticks), in order; no apostrophes, no unclosed marks. Within marks of the same form a string reaches to
    the last mark with which it stands in `text`, else to the next one. Escaped marks count.
    """
    plain = re.sub(r"\\(?=[\"'])", "", reason)
    spans = islice(_marked(plain, text.translate(_SAME)), MAX_QUOTES)
    return [plain[start:end].strip(" \t\n") for start, end in spans]


def _marked(plain: str, text: str) -> Iterator[Span]:
    """The places between marks of quotation."""
    of_one_side, of_two_sides = _shuts(plain, needs_end=True), _shuts(plain, needs_end=False)
    position = 0
    for opening in _OPENS.finditer(plain):
        start = opening.start()
        if start < position or not _opens(plain, start):
            continue
        shuts = of_two_sides if plain[start] in _TWO_SIDED else of_one_side
        end = _closed(plain, start, shuts, text)
        if end is not None:
            if any(sign.isalnum() for sign in plain[start + 1 : end]):
                yield start + 1, end
            position = end + 1


def _shuts(plain: str, *, needs_end: bool) -> dict[str, list[int]]:
    """The places of each mark that may close a quotation; opening ones only before no word (`needs_end`)."""
    places: dict[str, list[int]] = {}
    for mark in _SHUTS.finditer(plain, 1):
        is_behind_word = not plain[mark.start() - 1].isspace()
        if is_behind_word and not (needs_end and is_in_word(plain[mark.end() : mark.end() + 1])):
            places.setdefault(mark[0], []).append(mark.start())
    return places


def _opens(plain: str, start: int) -> bool:
    """Return whether a mark may open a quotation: before a word, and no apostrophe."""
    is_after_word = is_in_word(plain[start - 1 : start]) and plain[start] not in _TWO_SIDED
    is_before_word = bool(plain[start + 1 : start + 2].strip())
    return is_before_word and not is_after_word and not _ELISION.match(plain, start)


def _closed(plain: str, start: int, shuts: Mapping[str, Sequence[int]], text: str) -> int | None:
    """Return where a quotation that opens at a place closes; None where it does not."""
    ends = _ends(plain, start, shuts)
    # marks within it: to the last with which it stands in the text, letter by letter
    for end in reversed(ends[1:]):
        if plain[start + 1 : end].strip().translate(_SAME) in text:
            return end
    return next((end for end in ends if _is_balanced(plain, start, end)), ends[0] if ends else None)


def _ends(plain: str, start: int, shuts: Mapping[str, Sequence[int]]) -> list[int]:
    """The first marks that may close an opening one: within MAX_QUOTE characters, single ones on one line."""
    line = plain.find("\n", start, start + MAX_QUOTE) if plain[start] in "'‘‚`" else -1
    stop = start + MAX_QUOTE if line < 0 else line
    ends: list[int] = []
    for sign in _CLOSING[plain[start]]:
        places = shuts.get(sign, ())
        first = bisect_left(places, start + 2)
        ends += places[first : min(bisect_left(places, stop), first + MAX_ENDS)]
    return sorted(ends)[:MAX_ENDS]


def _is_balanced(plain: str, start: int, end: int) -> bool:
    """Return whether as many marks of a kind with two sides open within a string as close."""
    opening, closing = plain[start], plain[end]
    inside = plain[start + 1 : end]
    return opening == closing or inside.count(opening) == inside.count(closing)


# ---- golden answers ----------------------------------------------------------------------------------------
_ARTICLE = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)
BETWEEN_ANSWERS = "/"  # it also stands inside of some ("9/11"), where EVOUNA's own code splits, too


def bare(text: str) -> str:
    """A text as EVOUNA seeks golden answers in it: lower case, no punctuation, articles or double spaces."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def bare_answers(golden: str) -> list[str]:
    """The golden answers of a text that holds several, as `bare` has each; of some nothing may be left."""
    return [bare(answer) for answer in golden.split(BETWEEN_ANSWERS)]
