"""The words of replies by what they mean (`phrases.yaml`), and a text as the sequence of its words."""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from truerate.core.patterns import lazy

Words = tuple[str, ...]
_WORD = lazy(r"[^\W_]+(?:['-][^\W_]+)*|[✓✔✅☑✗✘❌✖?？<>]|[.。:：;；,，()（）\[\]–—=/|→!>\-]|\S")
_MARKS = frozenset("*`\"“”„«»'")
_OPENED = {
    "isn't": "is not",
    "wasn't": "was not",
    "aren't": "are not",
    "can't": "cannot",
    "can not": "cannot",
}


@lru_cache(maxsize=1)
def _all() -> dict[str, list[str]]:
    import yaml

    lists: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("phrases.yaml").read_text("utf-8"))
    return lists


@cache
def phrases(name: str) -> frozenset[Words]:
    """The phrases of one meaning, each as its words."""
    lines = (part for line in _all()[name] for part in line.split("|"))
    return frozenset(tuple(line.strip().strip('"').split()) for line in lines)


@cache
def single(name: str) -> frozenset[str]:
    """The phrases of one meaning that are one word."""
    return frozenset(words[0] for words in phrases(name) if len(words) == 1)


@cache
def _longest(name: str) -> dict[str, int]:
    """The first words of the phrases of one meaning, each with the length of the longest one that it begins."""
    lengths: dict[str, int] = {}
    for words in phrases(name):
        lengths[words[0]] = max(len(words), lengths.get(words[0], 0))
    return lengths


@lru_cache(maxsize=1024)
def words_of(text: str) -> Words:
    """A text as its words and signs: letters small, apostrophes straight, underscores blanks, `isn't` as two words."""
    plain = unicodedata.normalize("NFC", text).casefold().replace("’", "'").replace("\ufe0f", "")
    plain = plain.replace("_", " ").replace("‑", "-").replace("‐", "-")
    for short, long in _OPENED.items():
        plain = plain.replace(short, long)
    return tuple(word for word in _WORD.findall(plain) if word not in _MARKS)


def longest(words: Sequence[str], start: int, name: str) -> int:
    """How many words from `start` on are the longest phrase of a meaning that stands there; 0 where none does."""
    most = min(_longest(name).get(words[start], 0), len(words) - start) if start < len(words) else 0
    listed = phrases(name)
    return next((n for n in range(most, 0, -1) if tuple(words[start : start + n]) in listed), 0)
