"""A reply on two texts as sentences of words, in which each name of a text is one sign: `@1`, `@2`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.phrases import Words, longest, single, words_of

_ENDS = frozenset(".!?;…。！？；")
_JOINED = lazy(r"(?<=[^\W\d_])[-_]?(?=[12](?!\d))|(?<=[\s\u3000-\ud7af][12])(?=[\u3040-\ud7af])")
_UNSPACED = tuple("答案 回答 回复 摘要 总结 选项 要約 応答 답변 응답 요약".split())
_SCRIPTS = lazy(r"(?<=[\u3040-\ud7af])(?=[a-zA-Z])|(?<=[a-zA-Z])(?=[\u3040-\ud7af])")
_UNVERIFIED = lazy(r"\bcan(?:no|['’])t be (?:verified|found|confirmed|traced)\b", re.I)
_LETTERED = lazy(r"\bA(?=[12]\b)")
_NUMBERED = lazy(r"\b(no|nr)\. ?(?=[12](?!\w))", re.I)
_ITEM = lazy(r"\(?\d{1,2}[.)] ")
_WIDE = {sign: sign - 0xFEE0 for sign in range(0xFF01, 0xFF5F)} | {
    0x3000: 0x20,
    ord("①"): 0x31,
    ord("②"): 0x32,
}
_MOST = 600  # lines, and sentences, of a reply that is read: longer ones go round in circles
_OPENS = tuple("-*•#|>")
_AFTER = frozenset("is was contains has sticks stays invents hallucinates says".split())


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
    lines = text.split("\n") if text.count("\n") < _MOST else []
    for line in lines:
        told = line.strip()
        if not told:
            is_new = True
            continue
        is_open = (
            bool(blocks) and told.startswith("**") and blocks[-1][-1].isalnum()
        )  # emphasis within a sentence
        is_new |= (
            (told.startswith(_OPENS) and not is_open) or _ITEM.match(told) is not None or _is_entry(told)
        )
        if is_new or (told.lstrip('*_`"(')[:1].isupper() and _is_answer(blocks[-1])):
            blocks.append(told)
        else:
            blocks[-1] += f" {told}"
        is_new = False
    found = [one for block in blocks for one in _split(words_in(block))]
    found = found if len(found) < _MOST else []
    found = [one._replace(words=_without_rejected(one.words)) for one in found]
    return [_with_other(one, found[at - 1].words if at else ()) for at, one in enumerate(found)]


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
    if "other" not in one.words:
        return one
    at = one.words.index("other")
    named_yet = {word for word in one.words[:at] if word in NAMES} or {
        word for word in before if word in NAMES
    }
    more = set(one.words[at:]) & set(NAMES)
    if one.words[at - 1 : at] != ("the",) or len(named_yet) != 1 or more:
        return one
    end = at + 1 + (one.words[at + 1 : at + 2] != () and one.words[at + 1] in single("text_nouns") | {"one"})
    if (
        end == at + 1
        and one.words[end : end + 1]
        and one.words[end] not in ("is", "has", "contains", ",", "invents", "does", "matches")
    ):
        return one
    other = NAMES[named_yet == {NAMES[0]}]
    return one._replace(words=(*one.words[: at - 1], other, *one.words[end:]))


def words_in(text: str) -> Words:
    """The words of a text in which each name of a text is one sign."""
    return named(words_of(_spaced(text)))


def _spaced(text: str) -> str:
    plain = text.translate(_WIDE).replace("\u20e3", "").replace("...", "…").replace("|", "•")
    for noun in () if plain.isascii() else _UNSPACED:
        plain = plain.replace(noun, f" {noun} ")
    if not plain.isascii():
        plain = _SCRIPTS.sub(" ", plain)
    plain = _UNVERIFIED.sub("is unverified", plain) if " be " in plain else plain
    return _NUMBERED.sub(r"\1 ", _JOINED.sub(" ", _LETTERED.sub("answer ", plain)))


def _is_answer(block: str) -> bool:
    """Whether a block is at most a label and a name or a number."""
    if len(block) > 60:
        return False
    words = words_in(block)
    return words[-1:] != () and (
        words[-1] in ("@1", "@2") or (words[-1] in ("1", "2") and (len(words) == 1 or ":" in words))
    )


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
    while at < len(words):
        place, n = _name(words, at)
        if n:
            if found and found[-1] in single("articles"):
                found.pop()
            found.append(f"@{place}")
            at += n
        else:
            found.append(words[at])
            at += 1
    return tuple(found)


def _name(words: Sequence[str], at: int) -> tuple[int, int]:
    """The text that is named from a word on (1 or 2), and by how many words; of none nothing."""
    word = words[at]
    nouns = single("text_nouns")
    if word in nouns:
        end = at + 1
        while (
            end < len(words)
            and end < at + 4
            and (words[end] in "#[(<№" or words[end] in ("no", "nr", "number"))
        ):
            end += 1
        number = {"1": 1, "2": 2, "one": 1, "two": 2}.get(words[end] if end < len(words) else "")
        if number and not (
            words[end] == "one" and end + 1 < len(words) and words[end + 1] in ("is", "of", "that", "which")
        ):
            closing = end + 1
            while closing < len(words) and closing < end + 3 and words[closing] in "])>":
                closing += 1
            is_more = (
                words[closing : closing + 1]
                and words[closing] == "."
                and words[closing + 1 : closing + 2]
                and words[closing + 1].isdigit()
            )
            return (0, 0) if is_more else (number, (closing if end > at + 1 else end + 1) - at)
        return 0, 0
    if word in "[#" and words[at + 1 : at + 2] and words[at + 1] in ("1", "2"):
        is_closed = words[at + 2 : at + 3] == ("]",)
        if word == "[" and not is_closed:
            return 0, 0
        return int(words[at + 1]), 3 if word == "[" else 2
    place = 1 if word in single("first_words") else 2 if word in single("second_words") else 0
    if not place:
        return 0, 0
    behind = words[at + 1] if at + 1 < len(words) else ""
    if behind in nouns or behind == "one":
        is_numbered = at + 2 < len(words) and words[at + 2] in ("1", "2")
        return (0, 0) if is_numbered else (place, 2)
    is_alone = (
        not behind
        or (behind in _ENDS or behind in ",:")
        or ((behind in _AFTER or behind in single("adding_verbs")) and at and words[at - 1] == "the")
    )
    is_headed = at == 0 or words[at - 1] in single("articles") or word in ("former", "latter")
    return (place, 1) if is_alone and is_headed else (0, 0)
