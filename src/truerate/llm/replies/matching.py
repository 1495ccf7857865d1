"""Match the words of a reply against the classes and patterns of words in `texts.yaml`.

A pattern is a sequence of items, parted by blanks: a word, a class (in capitals) or several of these parted
by `|`; behind it `?` (may be missing) or `*` (any number). `~3` stands for up to three words of a sentence,
`$` for the end of one. A pattern is followed through all its readings at once (as a set of places), so its
time grows with the words alone.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from truerate.core.patterns import lazy

Words = tuple[str, ...]
ENDS = frozenset(".!?…。！？؟।\n")
MAX_WORDS = 6_000  # of a reply that are looked at; one of 20,000 characters has about 4,000
_WORD = lazy(r"[^\W_]+(?:['-][^\W_]+)*|[.!?…。！？؟।:：;,،，、()\[\]→\n]|\s-\s|[–—]")
_SHORT = {"'s": "is", "'re": "are", "'m": "am", "'d": "would", "'ll": "will", "'ve": "have"}
_SHORTENED = frozenset("i you he she it we they that there here this what who let".split())
_NOT = {"can't": "cannot", "won't": "will not", "shan't": "shall not"}


class Item(NamedTuple):
    """One item of a pattern: its phrases by their first word, its beginnings of words, and how often it may
    stand.
    """

    phrases: dict[str, tuple[Words, ...]]
    stems: tuple[str, ...]
    is_optional: bool
    is_repeated: bool
    gap: int
    is_end: bool

    def ends(self, words: Sequence[str], at: int) -> list[int]:
        """The places behind this item where it stands at a place."""
        if at >= len(words):
            return []
        word = words[at]
        ends = [
            at + len(phrase)
            for phrase in self.phrases.get(word, ())
            if tuple(words[at : at + len(phrase)]) == phrase
        ]
        return [at + 1] if not ends and self.stems and word.startswith(self.stems) else ends


@cache
def _lists() -> dict[str, Any]:
    text = Path(__file__).with_name("texts.yaml").read_text("utf-8")
    lists: dict[str, Any] = yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    return lists


@cache
def phrases(name: str) -> tuple[str, ...]:
    """The words and phrases of a class, those of the classes that it names included."""
    entries = (entry.strip() for line in _lists()["classes"][name] for entry in line.split(","))
    return tuple(
        part
        for entry in entries
        for part in (phrases(entry) if entry.isupper() and entry.isascii() else (entry,))
    )


@cache
def _item(text: str) -> Item:
    if text.startswith("~"):
        return Item({}, (), False, False, int(text[1:]), False)
    sign = text[-1] if len(text) > 1 and text[-1] in "?*" else ""
    parts = text.removesuffix(sign).split("|")
    entries = [
        entry for part in parts if part != "$" for entry in (phrases(part) if part.isupper() else (part,))
    ]
    by_first: dict[str, tuple[Words, ...]] = {}
    for entry in entries:
        if not entry.endswith("*"):
            key = tuple(entry.split())
            by_first[key[0]] = (*by_first.get(key[0], ()), key)
    stems = tuple(entry[:-1] for entry in entries if entry.endswith("*"))
    return Item(by_first, stems, bool(sign), sign == "*", 0, "$" in parts)


@cache
def _patterns(name: str) -> tuple[tuple[Item, ...], ...]:
    return tuple(tuple(_item(part) for part in line.split()) for line in _lists()["patterns"][name])


@cache
def _beginning(name: str, word: str) -> tuple[tuple[Item, ...], ...]:
    """The patterns of a name that may begin with a word."""
    return tuple(items for items in _patterns(name) if _may_begin(items, word))


def _may_begin(items: Sequence[Item], word: str) -> bool:
    for item in items:
        if item.gap or item.is_end or word in item.phrases or (item.stems and word.startswith(item.stems)):
            return True
        if not item.is_optional:
            return False
    return True


@lru_cache(maxsize=256)
def words_of(text: str) -> Words:
    """The words and signs of a text in small letters, contractions written out."""
    words: list[str] = []
    for match in _WORD.finditer(text.replace("’", "'").casefold()):
        word = match[0].strip(" \t") or "\n"
        start, quote, end = word.rpartition("'")
        if word.endswith("n't"):
            words += _NOT.get(word, f"{word[:-3]} not").split()
        elif quote and start in _SHORTENED and quote + end in _SHORT:
            words += [start, _SHORT[quote + end]]
        else:
            words.append(word)
        if len(words) >= MAX_WORDS:
            break
    return tuple(words)


def match(name: str, words: Sequence[str], at: int = 0) -> int | None:
    """The farthest place behind a pattern of this name that begins at a place; None where none does."""
    if at >= len(words):
        return None
    ends = [end for items in _beginning(name, words[at]) if (end := _followed(items, words, at)) is not None]
    return max(ends, default=None)


def finds(name: str, words: Sequence[str]) -> bool:
    """Return whether a pattern of this name stands anywhere in some words."""
    return any(match(name, words, at) is not None for at in range(len(words)))


def _followed(items: Sequence[Item], words: Sequence[str], start: int) -> int | None:
    places = {start}
    for item in items:
        behind: set[int] = set(places) if item.is_optional else set()
        for at in places:
            if item.gap:
                end = at
                while end < len(words) and end - at < item.gap and words[end] not in ENDS:
                    end += 1
                behind |= set(range(at, end + 1))
            else:
                behind |= set(item.ends(words, at))
            if item.is_end and (at >= len(words) or words[at] in ENDS or words[at] in ",;)]—–"):
                behind.add(at)
        if item.is_repeated:
            fresh = behind - places
            while fresh := {end for at in fresh for end in item.ends(words, at)} - behind:
                behind |= fresh
        if not behind:
            return None
        places = behind
    return max(places)


def has(name: str, words: Sequence[str]) -> bool:
    """Return whether a word or phrase of a class stands anywhere in some words."""
    item = _item(name)
    return any(item.ends(words, at) for at in range(len(words)))


def all_of(name: str, words: Sequence[str]) -> bool:
    """Return whether some words are phrases of a class alone; signs count for nothing. True for none."""
    item, places, n = _item(name), {0}, len(words)
    for at in range(n):
        if at in places:
            places |= {at + 1} if not any(map(str.isalnum, words[at])) else set(item.ends(words, at))
    return n in places


def languages() -> dict[str, dict[str, list[str]]]:
    """The phrases of refusals by language."""
    lists: dict[str, dict[str, list[str]]] = _lists()["languages"]
    return lists
