"""Where the sentences of a text stand.

`sentencex` (Wikimedia, MIT) knows the stops and abbreviations of some 300 languages. What replies and pages need
beside it stands here: entries of lists and citations, sentences that end in a bracket, and borders that cannot be any.
"""

import re
from bisect import bisect
from collections import Counter

import regex
import sentencex

# Blank space that is no plain blank, shown as one: the library counts it in bytes and falls over it.
_BLANKS = {
    ord(blank): " " for blank in "\t\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
}
_BLANKS |= dict.fromkeys(range(0x2000, 0x200B), " ") | dict.fromkeys(range(0xD800, 0xE000), "?")
# Within quotes and brackets the library ends no sentence, be they as long as a page: it is not shown them.
_QUOTES = regex.compile(r"[\"“”„‟«»()\[\]]|(?<!\w)['‘’]|['‘’](?!\w)")
_OPENED = re.compile(r"(?:(?<=[\s。！？])|\A)[\"'“‘„«‹(\[]+\s*\Z")
_CLOSERS = "\"'”’»)]」』"
_CITATIONS = r"(?:[ ]?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\])"
# A sentence ends with a paragraph, and with a line before an entry of a list; where lines count, with each of them.
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*(?=\S)|\n\s*(?=(?:[-*+•·‣◦]|\d{1,3}[.)])[ \t]+\S)")
_LINE = re.compile(r"\n\s*(?=\S)")
# What the library leaves whole: a stop before citations, three dots in one sign, stops that can be nothing else, those
# that stand alone or behind a long word where small letters follow (as tokenised texts and notes have them).
_CLOSED = re.compile(
    rf"[.!?…](?<![.!?…]{{2}})[.!?…]*[\"'”’)\]»]*{_CITATIONS}+\s+(?=[\"'“‘«(\[]*[A-ZÀ-ÞΑ-ΩА-Я0-9])"
    r"|…[\"'”’)\]»]*\s+(?=[\"'“‘«(\[]*[A-ZÀ-ÞΑ-ΩА-Я0-9])"
    r"|[。！？｡।॥۔؟።։]+[”’」』）\"]*\s*(?=\S)"
    r"|[.!?](?<=[^\s.!?]\s.)\s+(?=[^\s.!?\"'”’)\]])|[.!?](?<=[^\W\d_]{6}.)\s+(?=[a-z])"
)
_PLAIN = re.compile(r"[^.!?:;\n\r]*[.!?]?\s*")  # one sentence at most, where all of it is ASCII
_ELLIPSIS = re.compile(r"[\[(]\s?(?:\.{3}|…)\s?[\])]\W*\Z")  # a word left out of a quotation
_CITED = re.compile(rf"\s*{_CITATIONS}")
_OPENING = re.compile(r"[\s\"'“‘„«‹¿¡(\[]*(?:[—–-]\s+)?")

# Stops that end no sentence: of titles and of what always leads on; of what leads on to a number; of what may
# also stand last, where a common first word tells that it does. Single letters and dotted ones (`U.S.`) are of these.
_TITLES = frozenset(
    "Mr Mrs Ms Mx Dr Prof Rev Fr St Ste Gen Col Lt Capt Cpt Sgt Cpl Maj Cmdr Cdr Adm Gov Sen Rep Hon Pres Atty Messrs Mme Mmes "
    "Mlle Dipl Ing Hr Hrn Frl Mt Ft DR MR MRS Sra Srta Dra Sig Dott Dhr Mevr Doç TS TP Jl डॉ ড".split()
)
_LEADS_ON = frozenset(
    "approx ca vs cf viz feat e.g i.e z.b d.h u.a bzw ggf sog geb gest vgl incl inkl".split()
)
_LEADS_TO_NUMBER = frozenset(
    "no nos nr nrs núm nº n p pp pg pag pág vol vols fig figs ch chap sec sect art abs eq op ed v kap bd tel est circa рис стр č "
    "jan feb mar apr jun jul aug sep sept oct nov dec okt dez mär".split()
)
_OF_A_YEAR = frozenset("b c d fl r".split())  # small letters alone: `b. 1950`, `c. 1850`
_MAY_STAND_LAST = frozenset(
    "inc ltd co corp llc plc bros jr sr esq al dept univ assn ave blvd rd sq bldg gmbh b.v s.a ph.d m.d "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_FIRST_WORDS = frozenset(
    "the a an it its he she they we you i his her their this that these those there in on at as after before since during by from for "
    "with when while although though however but and or if who what which one how some many most all no not today later born founded "
    "der die das er sie es ein eine im am nach seit wo als le la les il elle un une en el los las ella".split()
)
_FIRST = re.compile(
    rf"(?<![.\s])[.!?][\"'”’)\]]*\s+(?=(?:{'|'.join(sorted(word.capitalize() for word in _FIRST_WORDS))})\b(?!\.))"
)
_AFTER_ORDINAL = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhunderts?|Auflage)\b|"
    r"(?:ja(?:nv|n)|fé?v|mars|avr|juin)\w*\b"
)
_LAST_WORD = regex.compile(r"(?:(?<=[\s(\[\"'“„«/–—-])|\A)((?:\w{1,2}\.)*[^\W_]\w*)\.\Z")
_STOPPED = re.compile(r"([^\s.!?]*)([.!?])[.!?]*\Z")  # the last word, and the stop on it
_DOTTED = regex.compile(r"(?:\w{1,2}\.)+\w")  # a.m, U.S
SHORT = 5  # letters of what may be an abbreviation
_WORD = regex.compile(r"\w+(?:['’\-]\w+)*")

# The first code points of scripts and the language whose stops are taken where nobody says which; "" is any other.
_SCRIPTS = (
    (0x0, "en"), (0x370, "el"), (0x400, "ru"), (0x530, "hy"), (0x590, "he"), (0x600, "ar"), (0x900, "hi"), (0x980, "bn"), (0xA00, ""),
    (0x1000, "my"), (0x10A0, ""), (0x1200, "am"), (0x13A0, ""), (0x1E00, "en"), (0x2000, ""), (0x3040, "ja"), (0x3100, ""),
    (0x3400, "zh"), (0xA000, ""), (0xAC00, "ko"), (0xD7B0, ""), (0xFB50, "ar"), (0xFE00, ""),
)  # fmt: skip
_STARTS = [start for start, _ in _SCRIPTS]
_NEAR = 60  # characters around a border that tell what it is
_SEEN = 300  # letters at the start of a text that tell its script


def sentence_spans(text: str, lang: str | None = None, *, by_line: bool = False) -> list[tuple[int, int]]:
    """The sentences of a text as spans in code points (half-open), without the blank space around them; in
    order, disjoint, and together all that is not blank. An empty text has none.

    `lang` is a language's code; without it the text's script stands for one. Sentences end at their stops, at
    the end of a paragraph, and before an entry of a list; `by_line` at every line's end, too. Stops of titles,
    initials, abbreviations, ordinals and of a list's number end none, nor what goes on in small letters.
    Citations behind a stop stay with their sentence.
    """
    if text.isascii() and _PLAIN.fullmatch(text):  # as most facts are
        first = len(text) - len(text.lstrip())
        return [(first, len(text.rstrip()))] if text.strip() else []
    plain = text.translate(_BLANKS)
    size = len(plain.rstrip())  # blank space at the end would be looked through from each of its lines
    lines = {match.end() for match in (_LINE if by_line else _PARAGRAPH).finditer(plain, 0, size)}
    code = lang or _language(plain)
    borders = {_outside(plain, border) for border in _boundaries(_QUOTES.sub(" ", plain), code)}
    borders |= {match.end() for match in _CLOSED.finditer(plain, 0, size)}
    borders |= {match.end() for match in _FIRST.finditer(plain, 0, size)} if code == "en" else set()
    has_capitals = any(letter.isupper() for letter in plain[:_SEEN])
    spans, start = [], 0
    for border in (*sorted(i for i in borders | lines if i < size and not plain[i].isspace()), size):
        end = border
        while end > start and plain[end - 1].isspace():
            end -= 1
        if border in (start, size) or border in lines or _ends(plain, start, end, border, has_capitals):
            while start < end and plain[start].isspace():
                start += 1
            spans += [(start, end)] if start < end else []
            start = border
    return spans


def _boundaries(plain: str, lang: str) -> set[int]:
    """Where the library lets sentences begin; nothing where it falls over a text, as it may over an odd one."""
    try:
        return {boundary["start_index"] for boundary in sentencex.get_sentence_boundaries(lang, plain)} - {0}
    except BaseException as error:  # a panic in Rust is no Exception
        if type(error).__name__ != "PanicException":
            raise
        return set()


def _outside(plain: str, border: int) -> int:
    """A border, before the quote or bracket that opens there."""
    opened = _OPENED.search(plain, max(border - 4, 0), border)
    return opened.start() if opened else border


def _language(plain: str) -> str:
    if plain[: 2 * _SEEN].isascii():
        return "en"
    letters = [letter for letter in plain[: 2 * _SEEN] if letter.isalpha()][:_SEEN]
    counted = Counter(_SCRIPTS[bisect(_STARTS, ord(letter)) - 1][1] for letter in letters)
    if counted["ja"]:  # kana stand among Han
        counted["ja"] += counted["zh"]
    return max(counted, key=lambda lang: counted[lang]) or "en" if counted else "en"


def _ends(plain: str, start: int, end: int, border: int, has_capitals: bool) -> bool:
    """Whether a sentence from `start` to `end` ends there, where the next begins at `border`."""
    before, behind = plain[max(start, end - _NEAR) : end], plain[border : border + _NEAR]
    is_blank = end < border or plain[border].isspace()
    is_inside = not is_blank and before.rstrip(_CLOSERS)[-1:].isascii()  # `ASP.NET`
    if (
        not before
        or is_inside
        or behind[:1] in "”’»)]」』"
        or _CITED.match(behind)
        or _ELLIPSIS.search(before)
    ):
        return False
    if before[-1] in "」』" and behind.startswith(("と", "って")) and not is_blank:
        return False
    if has_capitals and _goes_on(before, behind):
        return False
    return (
        not before.endswith(".")
        or before.endswith("..")
        or _stops(before, behind, is_whole=end - start < _NEAR)
    )


def _goes_on(before: str, behind: str) -> bool:
    """Whether a sentence goes on with a small letter (of Latin, Greek or Cyrillic; no `iPhone`): behind what may be
    an abbreviation or a number, a name with a mark (`Yahoo!`), or a quote or bracket that closes.
    """
    opening = _OPENING.match(behind)
    assert opening  # also where nothing opens
    rest = behind[opening.end() :]
    if not (rest[:1].islower() and rest[0] < "\u0530" and not rest[1:2].isupper()):
        return False
    word = _STOPPED.search(before)
    if word and not word[1] and before[-2:-1].isspace():  # a stop that stands alone
        return False
    if word is None or opening[0].strip() in ("—", "–", "-"):
        return True
    return len(word[1]) <= SHORT if word[2] == "." else word[1][:1].isupper()


def _stops(before: str, behind: str, *, is_whole: bool) -> bool:
    """Whether the full stop that `before` ends with ends a sentence, with `behind` after it; `is_whole`: `before` is
    all of the sentence.
    """
    if (last := _LAST_WORD.search(before)) is None:
        return True
    word, short = last[1], last[1].casefold()
    if word.isdecimal():  # the number of a list's entry, or a date
        return not (
            (is_whole and before.strip() == f"{word}.") or (len(word) < 3 and _AFTER_ORDINAL.match(behind))
        )
    if word in _TITLES or short in _LEADS_ON or before[-3:-1] in ("(b", "(d", "(c", "(m", "(r"):
        return False
    if (short in _LEADS_TO_NUMBER or word in _OF_A_YEAR) and behind[:1].isdecimal():
        return False
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    if not (is_initial or short in _MAY_STAND_LAST or _DOTTED.fullmatch(word)):
        return True
    if short in ("a.m", "p.m") and behind[:1].isupper():
        return True
    first = _WORD.match(behind)
    return first is not None and first[0][:1].isupper() and first[0].casefold() in _FIRST_WORDS
