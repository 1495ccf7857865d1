"""Whether a reply abstains: a clause that says "I do not know" in its language comes before anything is
stated, and little is stated after it. What stands in quotation marks, and English phrases in title case, are
names, not speech.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from truerate.core.patterns import lazy
from truerate.core.text import sentences, words
from truerate.llm.replies.blocks import flat
from truerate.llm.replies.blocks import plain as plain_form
from truerate.llm.replies.cutting import element, visible
from truerate.llm.replies.matching import finds, match, phrases, words_of

# lang, phrase: ways of not knowing in our words, as patterns; `…` stands for a few words
PHRASES = Path(__file__).parent / "abstentions.csv"
MAX_BEFORE = 4  # words that may be stated before the first clause of not knowing
MAX_STATED = 16  # words that may be stated in all
MAX_BESIDE_WEAK = 8  # … where nothing but a clause that a history of something may hold as well says so
MAX_CLAUSE = (
    600  # characters of a clause in which a phrase is sought: a longer one says more than not knowing
)
MAX_REPLY = 40_000  # characters of a reply that is looked at; a longer one states something
MAX_BETWEEN = 40  # characters for which `…` may stand
_QUOTED = lazy(r"\"[^\"\n]*\"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|《[^《》\n]*》|「[^「」\n]*」")
_CLAUSE_END = lazy(r"[,;:，；：、،؛]\s*|\s[–—-]\s")
_WIDE = lazy(r"[\u3040-\u30ff\u3400-\u9fff]")
_MAY = lazy(r"\bmay (?!\d)\w|\A\d+\. (?:check|use|search|consult|visit|see|try|ask|contact)\b")
_TELLS = frozenset(("that", "state", "states", "say", "says", "according"))  # … what stands in a source
MOST = 60  # words of a reply that is looked at for words of knowing and telling alone
FREE, PER = 1, 15  # words of its own that a reply may have, and one more for each PER words
SAID_BY_NUMBER = 2  # words that a number counts as
# what a sentence rests on stands before what it says
_BASED_ON = lazy(r"^\W*(based on|according to|judging (by|from)|given) [^,.?!]{1,60},", re.IGNORECASE)
_NAME = lazy(r"\w+(?:['-]\w+)*")
_LEADING = lazy(r"^(\W|and |but |so |or |then |well,? )*(?=\w)", re.IGNORECASE)


def is_abstention(text: str) -> bool:
    """Return whether a reply says that it does not know (`says_not_known`), or is a short one that speaks of
    knowing and telling alone (`tells_nothing`).
    """
    return says_not_known(text) or (len(text) <= MAX_REPLY and tells_nothing(_parts(text)))


def says_not_known(text: str) -> bool:
    """Return whether a clause of not knowing comes first and little is stated.

    Clauses that speak to the user, of oneself, or guess state nothing, nor do sentences that say what sources
    were given. At most MAX_BEFORE words may be stated before the first clause of not knowing and MAX_STATED
    in all (MAX_BESIDE_WEAK where it could stand in an answer as well); of scripts without spaces two
    characters are a word. A reply that ends by saying that the question cannot be answered abstains.
    """
    before = stated = 0
    is_found, most = False, MAX_BESIDE_WEAK
    if len(text) > MAX_REPLY:
        return False
    for sentence in _parts(text):
        spoken = words_of(sentence)
        end = match("sources", spoken)
        is_about_sources = end is not None and not _TELLS & set(spoken[end:])
        for clause in clauses(sentence):
            if says_unknown(clause):
                is_found = True
                most = most if _is_weak(clause) else MAX_STATED
                continue
            n = 0 if is_about_sources or _is_beside(clause) else _size(clause)
            stated += n
            before += 0 if is_found else n
        if before > MAX_BEFORE or stated > MAX_STATED:  # whatever follows
            break
    if not text.strip() or (is_found and before <= MAX_BEFORE and stated <= most):
        return True
    last = _parts(text)[1:][-1:]
    return any(match("concluded", words_of(sentence)) is not None for sentence in last)


def _is_beside(clause: str) -> bool:
    """Return whether a clause states nothing: to the user, about oneself, about what is known, a guess, where
    else to read.
    """
    spoken = words_of(clause)
    return (
        clause.endswith("?") or match("beside", spoken) is not None or finds("guesses", spoken)
        or _MAY.search(clause.casefold()) is not None
    )  # fmt: skip


def _is_weak(clause: str) -> bool:
    """Return whether a clause of not knowing may stand in an answer as well."""
    spoken = words_of(clause)
    return match("weak", spoken) is not None or finds("outdated", spoken)


@lru_cache(maxsize=8)
def _plain(text: str) -> str:
    return flat(plain_form(element(visible(text)).text)).strip(" \n*_`>#")


@lru_cache(maxsize=8)  # asked twice of one reply
def _parts(text: str) -> list[str]:
    statements = re.sub(r"[^\S\n]+", " ", _QUOTED.sub(" ", _plain(text)))
    return sentences(statements.replace("’", "'"))


def clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence, cut at commas, colons and dashes; a question is kept whole."""
    parts = [sentence] if sentence.endswith("?") else _CLAUSE_END.split(sentence)
    yield from (part.strip() for part in parts if part.strip())


@lru_cache(maxsize=1024)
def says_unknown(clause: str) -> bool:
    """Return whether a clause holds a phrase of not knowing, of whatever language; one in title case (I Don't
    Know How …) is a name.
    """
    if len(clause) > MAX_CLAUSE:
        return False
    plain = clause.casefold()
    result = next((match for phrase in refusals() if (match := phrase.search(plain))), None)
    return result is not None and not (
        len(plain) == len(clause)
        and _is_titled(clause[result.start() : result.end()], is_first=not result.start())
    )


def _is_titled(text: str, *, is_first: bool) -> bool:
    """Return whether the words of a phrase have capitals as in a title: every longer one, and one at least,
    not all in capitals. The first word of a clause has one anyway, and "I" everywhere.
    """
    later = [word for word in text.split()[is_first:] if word != "I"]
    return (
        not text.isupper()
        and any(word[0].isupper() for word in later)
        and all(word[0].isupper() for word in later if len(word) > 2)
    )


def _size(clause: str) -> int:
    n_wide = len(_WIDE.findall(clause))
    return n_wide // 2 if n_wide else len(words(clause))


@cache
def refusals() -> tuple[re.Pattern[str], ...]:
    """The phrases of not knowing, compiled; each begins at the start of a word."""
    with PHRASES.open(encoding="utf-8", newline="") as file:
        phrases = [row["phrase"] for row in csv.DictReader(file)]
    return tuple(
        re.compile(r"(?<!\w)" * (not _WIDE.search(phrase)) + phrase.replace("…", rf".{{0,{MAX_BETWEEN}}}?"))
        for phrase in phrases
    )


def tells_nothing(sentences: Sequence[str]) -> bool:
    """Return whether the sentences of a reply say nothing of what was asked about, and one says so: by a
    negation, a doubt, an apology, a turn to the user or a question. No sentence, no.

    Words in capitals that are not on the list are names, and say nothing; a number says something, and so
    does a sentence that is nothing of this sort and has a word of its own, or none on the list.
    """
    parts = [_BASED_ON.sub("", sentence) for sentence in sentences]
    result = [_NAME.findall(sentence) for sentence in parts]
    n = sum(map(len, result))
    if not 0 < n <= MOST:
        return False
    inner = content = n_signed = 0
    for sentence, spoken in zip(parts, result, strict=True):
        kinds = [_kind(word.lower()) for word in spoken]
        is_signed = (
            sentence.rstrip().endswith("?") or _turns(sentence) or bool({"signs", "negations"} & set(kinds))
        )
        speaks = sum(kind in ("signs", "meta") for kind in kinds)
        says = sum(
            SAID_BY_NUMBER * word.isdecimal() or (kind == "" and not word[0].isupper())
            for word, kind in zip(spoken, kinds, strict=True)
        )
        if spoken and not is_signed and (says or not speaks):
            return False
        inner, content, n_signed = inner + says, content + speaks, n_signed + is_signed
    return n_signed > 0 and content > inner and inner <= FREE + n // PER


def _turns(sentence: str) -> bool:
    first = _NAME.match(_LEADING.sub("", sentence))
    return first is not None and first[0].lower() in phrases("META_TURNS")


@lru_cache(maxsize=4096)
def _kind(word: str) -> str:
    """Of which list a word is, in small letters; empty for none."""
    kinds = ("negations", "signs", "function", "neutral", "meta")
    for kind in kinds:
        listed = phrases("META" if kind == "meta" else f"META_{kind.upper()}")
        stems = tuple(part[:-1] for part in listed if part.endswith("*"))
        if word in listed or word.startswith(stems):
            return kind
    return ""
