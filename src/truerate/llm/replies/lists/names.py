"""Read the names of a message that a reply lists."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import folded, name_key
from truerate.llm.replies.blocks import plain as plain_form
from truerate.llm.replies.cutting import emphasis, quotes, unfenced, unwrapped
from truerate.llm.replies.headings import find
from truerate.llm.replies.lists import marks
from truerate.llm.replies.matching import phrases
from truerate.llm.replies.reading import Parsed, joined, nothing

_DECORATION = " \t\r\n.,;:!*_`'\"“”‘’()[]#-–•"
_LISTED = lazy(r"(?:>\s*)*(?:[-*+•·‣◦–—]\s+|[\[(]?\d{1,3}[\].):]{1,2}\s+|[•·‣◦–—-](?=[^\W\d_*]))(\S.*)")
_BARE_MARK = lazy(r"(?:>\s*)*(?:[-*+•·‣◦–—]|[\[(]?\d{1,3}[\].):]{1,2})")
_DASHES = frozenset("-–—")  # which may also stand before what is said of a name
_OPENS_GLOSS = frozenset("-–—(（:：,;=")
MAX_LISTED, MAX_LINE = 250, 2_000  # lines of a reply that lists names, and characters of one
_MOST_GLOSS = 3  # words below a name without any of the message that may still be said of it
_PARAGRAPHS = lazy(r"\n\s*\n")
_LABEL = lazy(
    r"\A[\w '’*_#]{0,40}(?:names?|nouns?|entities|list)[\w '’*_#()]{0,30}(?:[:：]|\s(?:are|is)\s)[\s*_]*",
    re.IGNORECASE,
)
_FRAME = lazy(r"(?:```|~~~).*|</?[\w-]+>|[-*_=#]{3,}|#{1,6}\s.*|.*[:：][*_]*|[\W_]+")
_SEPARATOR = lazy(r"\s*[,;、，；|]\s*(?:and\s+|&\s*)?|\s+and\s+|\s+&\s+")
_ASIDE = lazy(r"\s*(?:[(（].*|[:：]\s.*|\s[-–—=→]+>?\s.*)\Z")
_REMARK = lazy(
    r"\W*(?:note|here|these|those|i|we|let|hope|the (?:names|proper nouns)|please|sure|certainly|of course"
    r"|explanation|that|if you)\b.*",
    re.IGNORECASE,
)


class Names(NamedTuple):
    """The names that a reply lists, each once, and lines that were neither names nor what frames them."""

    names: tuple[str, ...]
    unread: tuple[str, ...]


def read_names(text: str, message: str, heading: str) -> Parsed:
    """`Names` of a message, in the order in which the reply lists them; none of them where it says so.

    An entry of the list is a name as it stands, without marks of form, with the lines below it that begin no
    entry. One that the message does not hold is cut where its parts are in the message: at commas, and before
    what is said of it (`Kiel (city)`). Lines without a mark of the list count only where the message holds
    them and no line has such a mark. Else None: `empty`, `thought_only`, or `malformed` where no line could
    be read, or a line break may stand within a name.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    lines = answer.split("\n")
    if len(lines) > MAX_LISTED or max(map(len, lines)) > MAX_LINE:
        return Parsed(None, "malformed", cuts)
    answer = plain_form(answer)
    if (listed := _of_json(answer)) is not None:
        return Parsed(Names(tuple(_each_once(listed)), ()), None, joined(cuts, ("json",)))
    if result := [item for item in find(answer, heading, is_anywhere=False) if item.is_marked]:
        answer, cuts = answer[result[-1].end :], joined(cuts, ("heading",))
    inside, more = unfenced(answer)
    cuts = joined(cuts, more)
    blocks = _blocks(inside, message)
    lines = [line for block in blocks for line in block]
    is_marked = any(_LISTED.fullmatch(line) for line in lines)
    names: list[str] = []
    unread: list[str] = []
    is_none = is_split = False
    for block in blocks:
        whole = " ".join(block)
        if not is_marked and (says_none(whole) or _LABEL.match(whole) and not _LABEL.match(block[0])):
            block = [whole]  # a line that breaks within what says what is listed
        some, lost, is_said = _of_block(block, message, is_marked=is_marked)
        if not is_marked and len(block) > 1:
            other, *_ = _of_block([whole], message, is_marked=False)
            is_split |= bool(some and lost and not other or some and not lost and other and other != some)
            some, lost = (other, []) if lost and other else (some, lost)
        names, is_none = names + some, is_none or is_said
        unread += [line for line in lost if not (_REMARK.fullmatch(line) and (names or len(lines) > 1))]
        is_split |= not is_marked and _is_split(block, message)
    cuts = joined(cuts, *(_marks_of(line) for line in lines if _LISTED.fullmatch(line)))
    cuts = joined(cuts, ("list",)) if names and not is_marked else cuts
    if is_split or not names and (unread or not is_none):
        return Parsed(None, "malformed" if lines else "empty", cuts)
    return Parsed(Names(tuple(_each_once(names)), tuple(unread)), None, cuts)


def _blocks(text: str, message: str) -> list[list[str]]:
    """The lines of each paragraph; one that begins no entry of the list belongs to the entry above it."""
    kind = None
    blocks: list[list[str]] = []
    for paragraph in _PARAGRAPHS.split(text):
        lines: list[str] = []
        is_entry = False
        for line in (line.strip() for line in paragraph.split("\n") if line.strip()):
            mark = _mark(line) if _LISTED.fullmatch(line) else None
            whole = f"{lines[-1]} {line}" if lines else line
            entry = _LISTED.fullmatch(whole)
            is_open = bool(lines) and (mark in _DASHES - {kind} or lines[-1][-1] in _OPENS_GLOSS)
            is_odd = not is_open and (
                _REMARK.fullmatch(line) is not None
                or len(line.split()) > _MOST_GLOSS
                and not any(holds(message, word) for word in line.split())
            )
            is_whole = entry is not None and holds(message, entry[1])
            is_remark = _FRAME.fullmatch(line) or _BARE_MARK.fullmatch(line) or is_odd and not is_whole
            if lines and _BARE_MARK.fullmatch(lines[-1]):
                kind, lines[-1], is_entry = kind or _mark(whole), whole, True
            elif is_entry and not is_remark and mark in (None, *_DASHES - {kind}):
                lines[-1] = whole
            else:
                lines.append(line)
                kind, is_entry = kind or mark, mark is not None
        blocks.append(lines)
    return [lines for lines in blocks if lines]


def _mark(line: str) -> str:
    """The kind of the mark that a line begins with: its sign, or that of a number."""
    return "1" if line[0] in "([" or line[0].isdigit() else line[0]


def _of_block(lines: Sequence[str], message: str, *, is_marked: bool) -> tuple[list[str], list[str], bool]:
    """The names of lines, the lines that are neither names nor what frames them, and whether one says that
    there are none.
    """
    names: list[str] = []
    lost: list[str] = []
    is_none = False
    for line in lines:
        entry = _LISTED.fullmatch(line)
        words = entry[1] if entry else _LABEL.sub("", line).replace("**", "")
        if says_none(words):
            is_none = True
        elif entry or not is_marked and (some := _names_in(words, message, is_entry=False)):
            names += _names_in(words, message, is_entry=True) if entry else some
        elif not _FRAME.fullmatch(line):
            lost.append(line)
    return names, lost, is_none


def _is_split(lines: Sequence[str], message: str) -> bool:
    """Whether the message holds the last name of a line and the first one of the next as one."""
    words = [_SEPARATOR.split(_LABEL.sub("", line)) for line in lines]
    return any(
        holds(message, f"{item[-1].strip(_DECORATION)}{sign} {other[0].strip(_DECORATION)}")
        for item, other in zip(words, words[1:], strict=False)
        if item[-1] and other[0]
        for sign in ("", *item[-1][-1:])
    )


def says_none(words: str) -> bool:
    """Whether words say that there is nothing to list."""
    plain_words = words.casefold().replace("’", "'").strip(" .!*_`'\"()[]“”").split() or ["-"]
    bare_words = [word.strip(".,!") for word in plain_words]
    is_none = [word in phrases("OF_NONE") or word in ("n/a", "[]", "-", "–") for word in bare_words]
    return any(is_none) and all(
        none or word in phrases("OF_LISTS") for word, none in zip(bare_words, is_none, strict=True)
    )


def _marks_of(line: str) -> tuple[str, ...]:
    return () if re.match(r"(?:[-*•–]|\d{1,3}[.)])\s", line) else ("mark",)


def _of_json(text: str) -> list[str] | None:
    """The names of a JSON list, or of the one list of an object."""
    value = marks.json_of(" ".join(text.split("\n")))
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [item.strip() for item in value if item.strip() and not says_none(item)]
    return None


# a full stop that belongs to the name: `U.S.`, `Sons, Inc.`
_ABBREVIATED = lazy(r"\w\.\w\.?\Z|\b(?:Inc|Ltd|Co|Corp|Bros|Jr|Sr)\.\Z")


def _names_in(words: str, message: str, *, is_entry: bool) -> list[str]:
    """The names of one entry: the words as they stand where the message holds them, else their parts that it
    holds; an entry without such parts stays whole, a line that is no entry gives none.
    """
    name = emphasis(words)
    name = re.sub(r"\A(\*{1,3}|_{1,3}|`)(?!\s)(.+?)(?<!\s)\1", r"\2", name).strip()
    name = quotes(name).text
    if holds(message, bare_name := name.rstrip(".,;:，、 ")):
        name = name if _ABBREVIATED.search(name) else bare_name
    if holds(message, name) and (is_entry or not _is_echo(name, message)):
        return [name]
    head = quotes(emphasis(_ASIDE.sub("", name))).text
    if head != name and holds(message, head):
        return [head]
    parts = [
        quotes(emphasis(part.strip(" ."))).text
        for part in _SEPARATOR.split(name)
        if part and part.strip(" .")
    ]
    parts = [quotes(_ASIDE.sub("", part)).text for part in parts]
    if parts and all(holds(message, part) for part in parts) and (is_entry or not _is_echo(name, message)):
        return parts
    return [name] if is_entry else []


def _is_echo(line: str, message: str) -> bool:
    """Whether a line without a mark is the message said again, or its beginning, and no name."""
    n_words = len(line.split())
    return n_words > 8 or (n_words > 3 and line.islower() and folded(message).startswith(folded(line)))


def holds(message: str, name: str) -> bool:
    """Whether a message holds a name as whole words, case apart."""
    key, text = name_key(name), _folded(message)
    at = text.find(key) if key else -1
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(key) : at + len(key) + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        at = text.find(key, at + 1)
    return False


_folded = lru_cache(maxsize=8)(folded)


def _each_once(names: Sequence[str]) -> list[str]:
    by_key: dict[str, str] = {}
    for name in names:
        by_key.setdefault(name_key(name), name)
    return list(by_key.values())
