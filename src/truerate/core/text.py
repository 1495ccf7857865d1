"""Text operations that more than one room needs: sentences, words, normal forms, spans."""

import re
import unicodedata

from truerate.core.sentence_spans import sentence_spans

_CITATION = re.compile(r"(?<=[^\s\[])\s?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_WORD = re.compile(r"\w+(?:['’\-]\w+)*", re.UNICODE)
_ARTICLE = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)
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
