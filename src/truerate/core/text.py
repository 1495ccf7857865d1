"""Text operations that more than one room needs: sentences, words, normal forms, spans."""

import re
import unicodedata

# Where a sentence can end: a stop with the quotes, brackets and citations (`[1][3]`) behind it, then blank space;
# an East Asian stop; the end of a paragraph, and of a line before an entry of a list.
_SENTENCE_END = re.compile(
    r"(?P<stop>[.!?]+[\"'”’)\]»]*(?:[ ]?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\])*+)\s+(?=\S)"
    r"|[。！？]+[”’」』）\"]*\s*(?=\S)"
    r"|\n[ \t]*\n\s*(?=\S)|\n\s*(?=(?:[-*+•·‣◦]|\d{1,3}[.)])[ \t]+\S)"
)
# Stops that end no sentence: of titles and of what always leads on; of what leads on to a number; of what may
# also stand last, where a common first word tells that it does. Single letters and dotted ones (`U.S.`) are of these.
_TITLES = frozenset(
    "Mr Mrs Ms Mx Dr Prof Rev Fr St Ste Gen Col Lt Capt Cpt Sgt Cpl Maj Cmdr Cdr Adm Gov Sen Rep Hon Pres Messrs Mme Mlle "
    "Dipl Ing Hr Frl Mt Ft DR MR MRS".split()
)
_LEADS_ON = frozenset("approx ca vs cf viz e.g i.e z.b d.h u.a bzw ggf sog geb gest vgl incl inkl".split())
_LEADS_TO_NUMBER = frozenset(
    "no nos nr nrs núm n p pp pg vol vols fig figs ch chap sec sect art abs eq op ed v kap bd tel est circa "
    "jan feb mar apr jun jul aug sep sept oct nov dec okt dez mär".split()
)
_OF_A_YEAR = frozenset("b c d fl r".split())  # small letters alone: `b. 1950`, `c. 1850`
_MAY_STAND_LAST = frozenset(
    "inc ltd co corp llc plc bros jr sr esq al dept univ assn ave blvd rd sq bldg gmbh b.v s.a ph.d m.d "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_FIRST_WORDS = frozenset(
    "the a an it its he she they we you i his her their this that these those there in on at as after before since during by from for "
    "with when while although though however but and or if who what which one some many most all no not today later born founded "
    "der die das er sie es ein eine im am nach seit wo als le la les il elle un une en el los las ella".split()
)
_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|"
    r"ja(?:nv|n)|fé?v|mars|avr|juin)\w*\b"
)
_LAST_WORD = re.compile(r"(?:(?<=[\s(\[\"'“„«/–—-])|\A)((?:\w{1,2}\.)*\w+)\.\Z")
_CITATION = re.compile(r"(?<=[^\s\[])\s?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_WORD = re.compile(r"\w+(?:['’\-]\w+)*", re.UNICODE)
_ARTICLE = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)
_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›"
_APOSTROPHE = str.maketrans("’ʼ´`", "'" * 4)
MAX_NAME = 200  # characters of a name
_PATH = re.compile(r"\A[/~]|\A[A-Za-z]:/|\A\.{1,2}/|(?:\A|/)\.\.(?:/|\Z)|\\|://")
_PASSAGE = re.compile(r"(.+):([0-9]{1,12})-([0-9]{1,12})")
_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


def sentences(text: str) -> list[str]:
    """The sentences of a text; an empty text has none.

    They end with `.!?` and their East Asian forms, at the end of a paragraph, and before an entry of a list. The
    stops of titles, initials and common abbreviations (`Dr.`, `J. R. Low`, `Sept. 4`, `No. 7`, `Inc.`, `approx.`)
    and of a list's number end none. Citations behind a stop stay with their sentence.
    """
    found, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        if end["stop"] == "." and not _ends(text[start : end.start() + 1], text[end.end() :]):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    return [part.strip() for part in (*found, text[start:]) if part.strip()]


def _ends(before: str, behind: str) -> bool:
    """Whether the full stop that `before` ends with ends a sentence, with `behind` after it."""
    if (found := _LAST_WORD.search(before[-40:])) is None:
        return True
    word, short = found[1], found[1].casefold()
    if word.isdecimal():  # the number of a list's entry, or a date
        return not (before.strip() == f"{word}." or (len(word) < 3 and _MONTH.match(behind) is not None))
    if word in _TITLES or short in _LEADS_ON or before[-3:-1] in ("(b", "(d", "(c", "(m", "(r"):
        return False
    if (short in _LEADS_TO_NUMBER or word in _OF_A_YEAR) and behind[:1].isdecimal():
        return False
    is_initial = len(word) == 1 and word.isupper() and word.isascii() and word != "I"
    if not (is_initial or short in _MAY_STAND_LAST or re.fullmatch(r"(?:\w{1,2}\.)+\w", word)):
        return True
    if short in ("a.m", "p.m") and behind[:1].isupper():
        return True
    first = _WORD.match(behind)
    return first is not None and first[0][:1].isupper() and first[0].casefold() in _FIRST_WORDS


def uncited(text: str) -> str:
    """A text without the marks of citations behind its words and stops (`[1]`, `[2, 3]`, `[4–6]`)."""
    return _CITATION.sub("", text)


def words(text: str) -> list[str]:
    """The words of a text: runs of Unicode letters and digits, joined by inner hyphens and apostrophes."""
    return _WORD.findall(text)


def normalise(text: str) -> str:
    """A text as compared for equality of answers: NFKC, lower case, no articles, no punctuation, single spaces."""
    plain = _ARTICLE.sub(" ", unicodedata.normalize("NFKC", text).lower())
    return " ".join(words(plain))


def folded(text: str) -> str:
    """A text in which names are looked for: NFKC, case folded, straight apostrophes, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_APOSTROPHE)).casefold().split())


def name_key(name: str) -> str:
    """A name as compared with other names: folded, without outer quotes or a possessive ending.

    Articles stay: "The Who" is not "WHO". Empty where nothing but quotes and blank space stands there.
    """
    return folded(name).strip(_QUOTES + " ").removesuffix("'s").strip(_QUOTES + " ")


def name_fault(name: str) -> str | None:
    """Why a text cannot be the name of anything: `empty`, `too-long`, `control-character` or `path-like`;
    None where it can.

    A slash within a name is one ("AC/DC"); what begins like a path, goes up in one, or holds a backslash or
    an address's `://` is not.
    """
    if not any(character.isalnum() for character in name_key(name)):
        return "empty"
    if len(name) > MAX_NAME:
        return "too-long"
    if _UNSAFE.search(name) or any(
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name
    ):
        return "control-character"
    return "path-like" if _PATH.search(name.strip(_QUOTES + " ")) else None


def clean(text: str) -> str:
    """A text that can be stored and shown: lone surrogates replaced, NUL, control and bidi-override
    characters removed.
    """
    return _UNSAFE.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def passage_name(document_id: str, start: int, end: int) -> str:
    """How a part of a document is named, `document_id:start-end` (code points, half-open): in a fact's
    evidence, and a sample's.
    """
    return f"{document_id}:{start}-{end}"


def passage_of(name: str) -> tuple[str, int, int] | None:
    """What `passage_name` named; None where it names nothing."""
    found = _PASSAGE.fullmatch(name)
    return (found[1], int(found[2]), int(found[3])) if found else None


def find_span(text: str, part: str) -> tuple[int, int] | None:
    """Where a marked part first stands in a text, as half-open code points; None where it is not verbatim there."""
    start = text.find(part) if part else -1
    return None if start < 0 else (start, start + len(part))
