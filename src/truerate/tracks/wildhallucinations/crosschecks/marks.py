"""Marks of citations in a sentence: which results of a search it names, by number or by address.

Read are `[1]`, `[2, 3]`, `[4–6]`, `[^1]`, `【1】`, `(source: 2)`, `[sources 1 and 3]`, `[doc2]`, and addresses, bare or as Markdown
links. A number is the place of a result in the list that the server told, from 1. Not read are raised digits
(they may be powers), marks of a server's own numbering (`【4:0†source】`), and names of authors.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MOST = 10  # citations of a sentence that count: each of them costs calls
_NUMBERS = r"\^?\d{1,3}(?:\s?(?:[,;–-]|and|&)\s?\^?\d{1,3}){0,19}"
_WORD = r"(?:sources?|references?|refs?\.?|results?|citations?|docs?)\s?[:#]?\s?"
_MARK = re.compile(
    rf"\s?(?:\[\s?(?:{_WORD})?({_NUMBERS})\s?\]|【\s?(?:{_WORD})?({_NUMBERS})\s?】|\(\s?{_WORD}({_NUMBERS})\s?\))",
    re.I,
)
_ADDRESS = re.compile(r"https?://[^\s()\[\]<>\"'】]{1,2000}")
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\(\s?<?(https?://[^\s()<>]{1,2000})>?[^()]{0,200}\)")
_IN_BRACKETS = re.compile(r"\s?[(\[]\s?[)\]]")
_RANGE = re.compile(r"\^?(\d{1,3})\s?[–-]\s?\^?(\d{1,3})|\^?(\d{1,3})")
_ITEM = re.compile(r"(?:[-*•]|\d{1,3}[.)])?\s*")


class Cited(NamedTuple):
    """What a sentence cites: the numbers of results that were told, and of what was never told the marks; each
    once, in order, MOST together.
    """

    numbers: tuple[int, ...]
    dangling: tuple[str, ...]


def address(url: str) -> str:
    """Return what two addresses of one page share: without scheme, `www.`, fragment and closing slashes."""
    bare_url = url.partition("#")[0].partition("://")[2] or url
    return bare_url.removeprefix("www.").rstrip("/.,;:!?").casefold()


def cited(sentence: str, n_results: int, number_of: Mapping[str, int]) -> Cited:
    """Return what a sentence cites of `n_results` results; `number_of`: the number of each by its `address`.

    A mark that opens the sentence belongs to an entry of a list and cites nothing. A range that runs
    backwards, or over more than MOST numbers, is one mark of what was never told.
    """
    named = dict.fromkeys(_named(sentence, number_of))
    first, numbered = list(named)[:MOST], range(1, n_results + 1)
    numbers = tuple(name for name in first if isinstance(name, int) and name in numbered)
    return Cited(numbers, tuple(str(name) for name in first if name not in numbered))


def _named(sentence: str, number_of: Mapping[str, int]) -> Iterator[int | str]:
    """Yield the numbers of results that marks name, and the addresses that are no result's."""
    start = _ITEM.match(sentence)
    first = start.end() if start else 0
    for mark in _MARK.finditer(sentence):
        if mark.start() > first:
            yield from _numbers(next(filter(None, mark.groups())))
    for match in _ADDRESS.finditer(sentence):
        url = address(match[0])
        yield number_of.get(url, url)


def _numbers(text: str) -> Iterator[int | str]:
    for low, high, alone in (match.groups() for match in _RANGE.finditer(text)):
        if alone:
            yield int(alone)
        elif 0 <= int(high) - int(low) < MOST:
            yield from range(int(low), int(high) + 1)
        else:
            yield f"{low}–{high}"


def unmarked(sentence: str) -> str:
    """Return a sentence without its marks; of a link its words stay, but where it stands alone in brackets."""
    bare = re.sub(rf"\s?\(\s?{_LINK.pattern}\s?\)", "", sentence)
    bare = _ADDRESS.sub("", _LINK.sub(r"\1", _MARK.sub("", bare)))
    return " ".join(_IN_BRACKETS.sub("", bare).split())
