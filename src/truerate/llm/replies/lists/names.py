"""Read the names of a message that a reply lists: entries with a mark, or lines without any mark."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import folded, name_key
from truerate.llm.replies.blocks import plain
from truerate.llm.replies.cutting import emphasis, quotes, unfenced, unwrapped
from truerate.llm.replies.headings import find
from truerate.llm.replies.lists import marks
from truerate.llm.replies.matching import phrases
from truerate.llm.replies.reading import Parsed, joined, nothing

MAX_LISTED, MAX_LINE = 250, 2_000  # lines of a reply that lists names, and characters of one
_SIGNS = " .,;:!*_`'\"“”‘’()[]#-–•"
_LISTED = lazy(r"(?:>\s*)*(?:[-*+•·‣◦–—]\s+|[\[(]?\d{1,3}[\].):]{1,2}\s+|[•·‣◦–—-](?=[^\W\d_*]))(\S.*)")
_MARK_ALONE = lazy(r"^((?:> *)*(?:[-*+•·‣◦–—]|[\[(]?\d{1,3}[\].):]{1,2})) *\n(?=\S)", re.MULTILINE)
_ASKED = lazy(r"(?:[-*•–]|\d{1,3}[.)])\s")  # the marks that were asked for, or may have been
_LABEL = lazy(
    r"\A[\w '’*_#]{0,40}(?:names?|nouns?|entities|list)[\w '’*_#()]{0,30}(?:[:：]|\s(?:are|is)\s)[\s*_]*",
    re.I,
)
_FRAME = lazy(r"(?:```|~~~).*|</?[\w-]+>|[-*_=#]{3,}|#{1,6}\s.*|.*[:：][*_]*|[\W_]+")
_REMARK = lazy(
    r"\W*(?:note|here|these|those|i|we|let|hope|the (?:names|proper nouns)|please|sure|certainly|of course"
    r"|explanation|that|if you)\b.*",
    re.I,
)
_SEPARATOR = lazy(r"\s*[,;、，；|]\s*(?:and\s+|&\s*)?|\s+and\s+|\s+&\s+")
_ASIDE = lazy(r"\s*(?:[(（].*|[:：]\s.*|\s[-–—=→]+>?\s.*)\Z")
_ABBREVIATED = lazy(r"\w\.\w\.?\Z|\b(?:Inc|Ltd|Co|Corp|Bros|Jr|Sr)\.\Z")  # its full stop is the name's


class Names(NamedTuple):
    """The names that a reply lists, each once, and lines that were neither names nor what frames them."""

    names: tuple[str, ...]
    unread: tuple[str, ...]


def read_names(text: str, message: str, heading: str) -> Parsed:
    """`Names` of a message, in the order in which the reply lists them; none of them where it says so.

    An entry of the list is a name as it stands, without marks of form. One that the message does not hold is
    cut where its parts are in the message: at commas, and before what is said of it (`Kiel (city)`). Lines
    without a mark count only where no line has one and the message holds them. Else None: `empty`,
    `thought_only`, or `malformed` where no line could be read, or a line break may stand within a name.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    if answer.count("\n") >= MAX_LISTED or max(map(len, answer.split("\n"))) > MAX_LINE:
        return Parsed(None, "malformed", cuts)
    answer = plain(answer)
    if (listed := _of_json(answer)) is not None:
        return Parsed(Names(tuple(_each_once(listed)), ()), None, joined(cuts, ("json",)))
    if cues := [cue for cue in find(answer, heading, is_anywhere=False) if cue.is_marked]:
        answer, cuts = answer[cues[-1].end :], joined(cuts, ("heading",))
    inside, more = unfenced(answer)
    lines = [line.strip() for line in _MARK_ALONE.sub(r"\1 ", inside).split("\n")]
    is_marked = any(map(_LISTED.fullmatch, lines))
    read = _of_entries(lines, message) if is_marked else _of_lines(lines, message)
    if read is None or not (read[0] or read[2] and not read[1]):
        return Parsed(None, "malformed" if any(lines) else "empty", joined(cuts, more))
    names, unread, _ = read
    has_odd_mark = any(_LISTED.fullmatch(line) and not _ASKED.match(line) for line in lines)
    cuts = joined(cuts, more, ("mark",) if has_odd_mark else (), ("list",) if names and not is_marked else ())
    unread = [
        line for line in unread if not (_REMARK.fullmatch(line) and (names or sum(map(bool, lines)) > 1))
    ]
    return Parsed(Names(tuple(_each_once(names)), tuple(unread)), None, cuts)


Read = tuple[
    list[str], list[str], bool
]  # names, lines that are none, and whether one says that there are none


def _of_entries(lines: Sequence[str], message: str) -> Read | None:
    """Return what the entries of a list give; None where they have several kinds of mark, or a line right
    below one may go on from it.
    """
    signs = {line.lstrip("> ")[0] for line in lines if _LISTED.fullmatch(line)}
    if len({"1" if sign.isdigit() or sign in "([" else sign for sign in signs}) > 1:
        return None
    entries: list[str] = []
    unread: list[str] = []
    is_open = False
    for line in lines:
        entry = _LISTED.fullmatch(line)
        if entry and not (is_open and holds(message, f"{entries[-1]} {line}")):
            entries.append(entry[1])
        elif is_open and line and holds(message, f"{entries[-1]} {line}"):
            entries[-1] = f"{entries[-1]} {line}"
            continue
        elif line and not _FRAME.fullmatch(line):
            if is_open and not (_REMARK.fullmatch(line) and len(line.split()) > 3):
                return None
            unread.append(line)
        is_open = entry is not None
    names = [
        name for entry in entries if not says_none(entry) for name in _names_in(entry, message, is_entry=True)
    ]
    return names, unread, any(map(says_none, entries))


def _of_lines(lines: Sequence[str], message: str) -> Read | None:
    """Return what lines without marks give, those of a paragraph apart or, where that gives nothing, as one;
    None where a line break may stand within a name.
    """
    names: list[str] = []
    unread: list[str] = []
    is_none = False
    for paragraph in re.split(r"\n\n+", "\n".join(lines).strip()):
        block, whole = paragraph.split("\n"), " ".join(paragraph.split("\n"))
        if says_none(whole):
            is_none = True
            continue
        by_line = [_names_in(_LABEL.sub("", line), message, is_entry=False) for line in block]
        of_lines = [name for some in by_line for name in some]
        of_whole = _names_in(_LABEL.sub("", whole), message, is_entry=False)
        lost = [
            line for line, some in zip(block, by_line, strict=True) if not some and not _FRAME.fullmatch(line)
        ]
        ends = [_SEPARATOR.split(_LABEL.sub("", line)) for line in block]
        joints = [(end[-1].strip(_SIGNS), start[0].strip(_SIGNS)) for end, start in pairwise(ends)]
        is_one = any(
            holds(message, f"{end}{sign}{start}")
            for end, start in joints
            if end and start
            for sign in ("", " ")
        )
        if is_one and not of_whole or of_lines and (is_one or lost or of_whole not in ([], of_lines)):
            return None
        names += of_lines or of_whole
        unread += [] if of_lines or of_whole else lost
    return names, unread, is_none


def says_none(words: str) -> bool:
    """Return whether words say that there is nothing to list."""
    plain_words = words.casefold().replace("’", "'").strip(" .!*_`'\"()[]“”").split() or ["-"]
    bare_words = [word.strip(".,!") for word in plain_words]
    is_none = [word in phrases("OF_NONE") or word in ("n/a", "[]", "-", "–") for word in bare_words]
    return any(is_none) and all(
        none or word in phrases("OF_LISTS") for word, none in zip(bare_words, is_none, strict=True)
    )


def _of_json(text: str) -> list[str] | None:
    """The names of a JSON list, or of the one list of an object."""
    value = marks.json_of(" ".join(text.split("\n")))
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [item.strip() for item in value if item.strip() and not says_none(item)]
    return None


def _names_in(words: str, message: str, *, is_entry: bool) -> list[str]:
    """The names of one entry: the words as they stand where the message holds them, else what stands before
    an aside, else their parts that it holds; an entry without such parts stays whole, a line that is no entry
    gives none.
    """
    name = quotes(emphasis(words)).text
    if holds(message, bare_name := name.rstrip(".,;:，、 ")):
        name = name if _ABBREVIATED.search(name) else bare_name
    # a line without a mark may be the message said again, or its beginning
    n_words = len(name.split())
    is_echo = n_words > 8 or (n_words > 3 and name.islower() and folded(message).startswith(folded(name)))
    if holds(message, name) and (is_entry or not is_echo):
        return [name]
    head = quotes(emphasis(_ASIDE.sub("", name))).text
    if head != name and holds(message, head):
        return [head]
    parts = [quotes(emphasis(part.strip(" ."))).text for part in _SEPARATOR.split(name) if part.strip(" .")]
    parts = [quotes(_ASIDE.sub("", part)).text for part in parts]
    if parts and all(holds(message, part) for part in parts) and (is_entry or not is_echo):
        return parts
    return [name] if is_entry else []


def holds(message: str, name: str) -> bool:
    """Return whether a message holds a name as whole words, case apart."""
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
