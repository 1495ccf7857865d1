"""Text operations that more than one room needs: sentences, words, normal forms, spans."""

import re
import unicodedata
from collections.abc import Iterator

import regex

from truerate.core.sentence_spans import sentence_spans

_CITATION = re.compile(r"(?<=[^\s\[])\s?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
# Scripts that put no space between words: each letter, with the marks that sit on it, is a word of its own there.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
LETTER = rf"[[{UNSPACED}]&&\p{{L}}]\p{{M}}*"
# The one rule of what a word is, in the syntax that `regex` (V1) and Rust (polars) share. A piece: letters, digits and
# their marks, soft hyphens and joiners inside of it, a power behind a number (10^6). The standard library's `\w` holds
# no marks: it would tear words of Hindi, Bengali, Tamil, Burmese, vocalised Arabic and Hebrew at each of them.
_FIRST = rf"[[\p{{L}}\p{{N}}_]--[[{UNSPACED}]&&\p{{L}}]]"
_NEXT = rf"[[\p{{L}}\p{{N}}\p{{Mn}}\p{{Mc}}_]--[[{UNSPACED}]&&\p{{L}}]--[\uFE00-\uFE0F]]"
PIECE = rf"{_FIRST}{_NEXT}*(?:[\u00AD\u200C\u200D]+{_NEXT}+)*(?:\^[+−-]?\p{{N}}+)?"
WORD = rf"{LETTER}|{PIECE}(?:['’\-·׳״]{PIECE})*"
_WORDS = regex.compile(WORD, regex.VERSION1)
_PIECES = regex.compile(rf"{LETTER}|{PIECE}", regex.VERSION1)
_LETTERS = regex.compile(LETTER, regex.VERSION1)
_ASCII_PIECE = r"\w+(?:\^[+-]?\d+)?"  # the same of ASCII, four times as fast
_ASCII_WORDS = re.compile(rf"{_ASCII_PIECE}(?:['-]{_ASCII_PIECE})*", re.ASCII)
_ASCII_PIECES = re.compile(_ASCII_PIECE, re.ASCII)
_ARTICLE = regex.compile(r"\b(?:a|an|the)\b")
_INVISIBLE = regex.compile(r"[\u00AD\u0640\u200E\u200F\u2060\uFEFF\uFE00-\uFE0F\U000E0100-\U000E01EF]")
# A sign behind a digit that NFKC would make a digit of the number before it: 10⁶ is not 106, nor 1½ 11⁄2.
_BEHIND_DIGIT = regex.compile(
    r"(?<=\p{Nd})(?:(?P<power>[⁺⁻]?[⁰¹²³⁴-⁹]++)(?![/⁄][₀-₉])|(?P<index>[₀-₉]+)|(?=[⁰¹²³⁴-⁹\p{No}]))"
)
_SCRIPT = regex.compile(rf"[[{UNSPACED}ー]&&\p{{L}}]", regex.VERSION1)  # ー stretches a vowel of kana
_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›"
_APOSTROPHE = str.maketrans("’ʼ´`", "'" * 4)
MAX_NAME = 200  # characters of a name
_PATH = re.compile(r"\A[/~]|\A[A-Za-z]:/|\A\.{1,2}/|(?:\A|/)\.\.(?:/|\Z)|\\|://")
_PASSAGE = re.compile(r"(.+):([0-9]{1,12})-([0-9]{1,12})")
_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


def sentences(text: str, lang: str | None = None) -> list[str]:
    """The sentences of a text (`sentence_spans`); an empty text has none."""
    return [text[start:end] for start, end in sentence_spans(text, lang)]


def uncited(text: str) -> str:
    """A text without the marks of citations behind its words and stops (`[1]`, `[2, 3]`, `[4–6]`)."""
    return _CITATION.sub("", text)


def words(text: str) -> list[str]:
    """The words of a text: letters and digits with their marks, joined by inner hyphens and apostrophes; each
    letter where a script puts no space between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese).
    """
    return (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the words of a text stand, as half-open code points."""
    return (match.span() for match in (_ASCII_WORDS if text.isascii() else _WORDS).finditer(text))


def spaced(text: str) -> str:
    """A text with blanks around each letter of the scripts that put no space between words."""
    return text if text.isascii() else _LETTERS.sub(r" \g<0> ", text)


def n_words(text: str) -> int:
    """How long a text is in words as blanks part them; each letter of a script without spaces is one, and beside such
    letters signs alone are none.
    """
    rest, n_letters = (text, 0) if text.isascii() else _LETTERS.subn(" ", text)
    runs = rest.split()
    return n_letters + sum(any(map(is_in_word, run)) for run in runs) if n_letters else len(runs)


def pieces(text: str) -> list[str]:
    """The words of a text that hyphens and apostrophes part."""
    return (_ASCII_PIECES if text.isascii() else _PIECES).findall(text)


def piece_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand."""
    return (match.span() for match in (_ASCII_PIECES if text.isascii() else _PIECES).finditer(text))


def terms(text: str) -> list[str]:
    """What a search matches: pieces of words, compatible and case folded; of scripts without spaces pairs of
    neighbouring letters, a letter that stands alone by itself.
    """
    plain = compatible(text).casefold()
    spans = list(piece_spans(plain))
    pieces = [plain[start:end] for start, end in spans]
    if plain.isascii():
        return pieces
    is_letter = [_SCRIPT.match(piece) is not None for piece in pieces]
    is_pair = [
        first and second and spans[i][1] == spans[i + 1][0]
        for i, (first, second) in enumerate(zip(is_letter, is_letter[1:], strict=False))
    ]
    joined = []
    for i, piece in enumerate(pieces):
        if i < len(is_pair) and is_pair[i]:
            joined.append(piece + pieces[i + 1])
        elif not (i and is_pair[i - 1]):
            joined.append(piece)
    return joined


def is_in_word(sign: str) -> bool:
    """Whether a character can be part of a word: a letter, a digit or a mark. No character is none."""
    return sign.isalnum() or unicodedata.category(sign or " ")[0] == "M"


def compatible(text: str) -> str:
    """A text in NFKC whose numbers keep their value: 10⁶ becomes 10^6, 1½ `1 1⁄2`, behind digits alone; 5₁ becomes 5_1."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _BEHIND_DIGIT.sub(_apart, text))


def _apart(mark: regex.Match[str]) -> str:
    return (
        "^" + mark[0].replace("⁻", "-").replace("⁺", "+")
        if mark["power"]
        else f"_{mark[0]}"
        if mark["index"]
        else " "
    )


def normalise(text: str) -> str:
    """A text as compared for equality of answers: compatible (NFKC), case folded, no articles, no punctuation,
    single spaces. Marks are kept: they tell words apart (राम, रोम). Invisible characters do not count.
    """
    plain = compatible(_INVISIBLE.sub("", compatible(text)).casefold()).replace("i\u0307", "i")
    return " ".join(words(_ARTICLE.sub(" ", plain)))


def folded(text: str) -> str:
    """A text in which names are looked for: compatible (NFKC), case folded, straight apostrophes, single spaces."""
    return " ".join(compatible(text.translate(_APOSTROPHE)).casefold().split())


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
    parts = _PASSAGE.fullmatch(name)
    return (parts[1], int(parts[2]), int(parts[3])) if parts else None


def find_span(text: str, part: str) -> tuple[int, int] | None:
    """Where a marked part first stands in a text, as half-open code points; None where it is not verbatim there."""
    start = text.find(part) if part else -1
    return None if start < 0 else (start, start + len(part))
