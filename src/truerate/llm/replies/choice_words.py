"""A reply on two texts as sentences of words, in which each name of a text is one sign: `@1`, `@2`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.phrases import Words, has, longest, single, words_of

_ENDS = frozenset(".!?;…。！？；")
_JOINED = lazy(r"(?<=[^\W\d_])[-_]?(?=[12](?!\d))|(?<=[\s\u3000-\ud7af][12])(?=[\u3040-\ud7af])")
_UNSPACED = tuple("答案 回答 回复 摘要 总结 选项 要約 応答 답변 응답 요약".split())
_SCRIPTS = lazy(r"(?<=[\u3040-\ud7af])(?=[a-zA-Z])|(?<=[a-zA-Z])(?=[\u3040-\ud7af])")
_UNVERIFIED = lazy(r"\bcan(?:no|['’])t be (?:verified|found|confirmed|traced)\b", re.I)
_LETTERED = lazy(r"\bA(?=[12]\b)")
_NUMBERED = lazy(r"\b(no|nr)\. ?(?=[12](?!\w))", re.I)
_ITEM = lazy(r"\(?\d{1,2}[.)] ")
_WIDE = {sign: sign - 0xFEE0 for sign in range(0xFF01, 0xFF5F)} | str.maketrans("　①②|", " 12•", "\u20e3")
_NUMBERS = {"1": 1, "2": 2, "one": 1, "two": 2}
_SHORT = 61
_MOST = 600  # lines, and sentences, of a reply that is read: longer ones go round in circles
_OPENS = tuple("-*•#|")
NAMES = ("@1", "@2")


class Sentence(NamedTuple):
    """The words of a sentence, and the sign that ends it (empty: none)."""

    words: Words
    end: str


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text. A line ends one where a blank line or a line with a mark follows, or where it is a name or
    a label and a name by itself and the next line begins anew.
    """
    blocks: list[str] = []
    is_new = True
    for line in text.split("\n") if text.count("\n") < _MOST else ():
        told = line.strip()
        if not told:
            is_new = True
            continue
        is_new |= not blocks or _begins(told, blocks[-1])
        if is_new or told.lstrip('*_`"(')[:1].isupper() and _is_answer(blocks[-1]):
            blocks.append(told)
        else:
            blocks[-1] += f" {told}"
        is_new = False
    found = [one for block in blocks for one in _split(words_in(block))]
    found = [one._replace(words=_without_rejected(one.words)) for one in found] if len(found) < _MOST else []
    return [_with_other(one, found[at - 1].words if at else ()) for at, one in enumerate(found)]


def _begins(line: str, before: str) -> bool:
    """Whether a line is one of its own: an item, a row, or an entry behind one, but for the rest of a sentence."""
    if _ITEM.match(line):
        return not has(words_of(before.rpartition(" ")[2]), "text_nouns")
    if _is_entry(line):
        return not before[-1].isalnum() or _is_entry(before)
    return line.startswith(_OPENS) and not (line.startswith("**") and before[-1].isalnum())


def _without_rejected(words: Words) -> Words:
    """Words without a text that is put aside for the other: `not X, but Y`, `reject X and pick Y`."""
    at = next((at for at, word in enumerate(words) if word in NAMES), 0)
    n = next((n for n in (1, 2) if at >= n and longest(words, at - n, "rejecting") == n), 0)
    rest = words[at + 1 :]
    rest = rest[1:] if n and rest[:2] == (",", "but") else rest
    is_kept = n and rest[:1] in (("but",), ("and",)) and (rest[0] == "and") == (words[at - n] != "not")
    return (*words[: at - n], *rest[1:]) if is_kept and any(word in NAMES for word in rest) else words


def _with_other(one: Sentence, before: Words) -> Sentence:
    """A sentence in which `the other one` is the text beside the only one that it, or the one before it, names."""
    at = next((at for at in range(1, len(one.words)) if one.words[at - 1 : at + 1] == ("the", "other")), 0)
    yet = set(one.words[:at]) & set(NAMES) or set(before) & set(NAMES)
    rest = one.words[at + 1 :]
    if not at or len(yet) != 1 or set(rest) & set(NAMES) or rest and not has(rest[:1], *_BEHIND_OTHER):
        return one
    rest = rest[has(rest[:1], *_BEHIND_OTHER[:2]) :]
    return one._replace(words=(*one.words[: at - 1], NAMES[yet == {NAMES[0]}], *rest))


_BEHIND_OTHER = ("text_nouns", "one", "behind_other")


def words_in(text: str) -> Words:
    """The words of a text in which each name of a text is one sign."""
    return named(words_of(_spaced(text)))


def _spaced(text: str) -> str:
    plain = text.translate(_WIDE).replace("...", "…")
    if not plain.isascii():
        for noun in _UNSPACED:
            plain = plain.replace(noun, f" {noun} ")
        plain = _SCRIPTS.sub(" ", plain)
    plain = _UNVERIFIED.sub("is unverified", plain) if " be " in plain else plain
    return _NUMBERED.sub(r"\1 ", _JOINED.sub(" ", _LETTERED.sub("answer ", plain)))


def _is_answer(block: str) -> bool:
    """Whether a block is at most a label and a name or a number."""
    words = words_in(block) if len(block) < _SHORT else ()
    if not _ENDS.isdisjoint(words):
        return False
    is_number = words[-1:] in (("1",), ("2",)) and (len(words) == 1 or ":" in words)
    return is_number or words[-1:] in (("@1",), ("@2",))


def _is_entry(line: str) -> bool:
    """Whether a line begins with a name and a colon."""
    words = words_in(line[:40])
    return words[:1] in (("@1",), ("@2",)) and words[1:2] in ((":",), ("：",))


def _split(words: Words) -> list[Sentence]:
    found: list[Sentence] = []
    start = 0
    for at, word in enumerate(words):
        if word in _ENDS:
            if at > start:
                found.append(Sentence(words[start:at], word))
            elif found and word == "?":
                found[-1] = found[-1]._replace(end="?")
            start = at + 1
    return [*found, Sentence(words[start:], "")] if start < len(words) else found


def named(words: Sequence[str]) -> Words:
    """Words with each name of a text as one sign: a noun and its number, an ordinal and a noun, the former or the latter."""
    found: list[str] = []
    at = 0
    nouns, others = single("text_nouns"), single("first_words") | single("second_words") | {"[", "#"}
    while at < len(words):
        word = words[at]
        place, n = (
            _of_noun(words, at) if word in nouns else _of_ordinal(words, at) if word in others else (0, 0)
        )
        if n and has(found[-1:], "articles"):
            found.pop()
        found.append(f"@{place}" if n else word)
        at += n or 1
    return tuple(found)


def _of_noun(words: Sequence[str], at: int) -> tuple[int, int]:
    """The text that a noun and its number name (1 or 2), and by how many words; of none nothing."""
    end = at + 1
    while end < at + 4 and has(words[end : end + 1], "before_number"):
        end += 1
    number, behind = _NUMBERS.get(words[end] if end < len(words) else "", 0), words[end + 1 : end + 2]
    if not number or words[end] == "one" and has(behind, "behind_one"):
        return 0, 0
    closing = end + 1
    while end > at + 1 and closing < end + 3 and has(words[closing : closing + 1], "behind_bracket"):
        closing += 1
    is_more = words[closing : closing + 1] == (".",) and "".join(words[closing + 1 : closing + 2]).isdigit()
    return (0, 0) if is_more else (number, closing - at)


def _of_ordinal(words: Sequence[str], at: int) -> tuple[int, int]:
    """The text that a number in brackets, a sign and a number, or an ordinal name, and by how many words."""
    word, behind, before = words[at], words[at + 1 : at + 2], words[max(0, at - 1) : at]
    if word in ("[", "#"):
        n = (
            0
            if not has(behind, "digits")
            else 2
            if word == "#"
            else 3
            if words[at + 2 : at + 3] == ("]",)
            else 0
        )
        return (int(behind[0]), n) if n else (0, 0)
    place = 1 if word in single("first_words") else 2
    if has(behind, "text_nouns", "one"):
        return (0, 0) if has(words[at + 2 : at + 3], "digits") else (place, 2)
    is_verb = tuple(before) == ("the",) and has(behind, "behind_ordinal", "adding_verbs")
    is_alone = not behind or behind[0] in _ENDS or behind[0] in (",", ":") or is_verb
    is_headed = not before or has(before, "articles") or word in ("former", "latter")
    return (place, 1) if is_alone and is_headed else (0, 0)
