"""Lists and single words: the names that a reply lists, and the one word of a closed list that it gives."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import folded, name_key
from truerate.llm.replies import marks
from truerate.llm.replies.blocks import plain as plain_form
from truerate.llm.replies.cutting import bare, emphasis, quotes, unfenced, unwrapped
from truerate.llm.replies.headings import find
from truerate.llm.replies.matching import phrases
from truerate.llm.replies.reading import Parsed, joined, nothing

_DECORATION = " \t\r\n.,;:!*_`'\"“”‘’()[]#-–•"
_NUMBERED = lazy(r"\A\(?\d{1,2}\s*[.):]\s*")
_LISTED = lazy(r"(?:>\s*)*(?:[-*+•·‣◦–—]\s+|[\[(]?\d{1,3}[\].):]{1,2}\s+|[•·‣◦–—-](?=[^\W\d_*]))(\S.*)")
_BARE_MARK = lazy(r"(?:>\s*)*(?:[-*+•·‣◦–—]|[\[(]?\d{1,3}[\].):]{1,2})")
_DASHES = frozenset("-–—")  # which may also stand before what is said of a name
_OPENS_GLOSS = frozenset("-–—(（:：,;=")
MAX_WORD = 2_000  # characters of a reply that gives one word, and its reason
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
    r"\W*(?:note|here|these|those|i|we|let|hope|the (?:names|proper nouns)|please|sure|certainly|of course|explanation|that|if you)\b.*",
    re.IGNORECASE,
)
_DOUBT = lazy(
    r"\b(?:not|or|and|nor|but|rather|actually|wait|maybe|perhaps|possibly|also|either|neither|however|could|might|no|"
    r"instead|hmm)\b|[?/]|n't"
)
_SHARED = frozenset(("related", "domain", "&", "and", "of", "the"))
_BEST = r"best(?:[- ]fitting)?|most (?:fitting|suitable|appropriate)"
_IS = (
    rf"(?:i(?: would|['’]d) (?:say|answer)(?: it is)?|(?:(?:the|its|{_BEST}|this|my) )*(?:{{cue}}|answer|category|choice)(?: is)?)"
    r"[ :]+(?:the )?"
)


class Names(NamedTuple):
    """The names that a reply lists, each once, and lines that were neither names nor what frames them."""

    names: tuple[str, ...]
    unread: tuple[str, ...]


def read_names(text: str, message: str, heading: str) -> Parsed:
    """`Names` of a message, in the order in which the reply lists them; none of them where it says so.

    An entry of the list is a name as it stands, without marks of form, with the lines below it that begin no
    entry. One that the message does not hold is cut where its parts are in the message: at commas, and before
    what is said of it (`Kiel (city)`). Lines without a mark of the list count only where the message holds them
    and no line has such a mark. Else None: `empty`, `thought_only`, or `malformed` where no line could be read,
    or a line break may stand within a name.
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
    """The names of lines, the lines that are neither names nor what frames them, and whether one says that there are none."""
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


# ---- one word of a closed list ------------------------------------------------------------------------------


def plain(text: str) -> str:
    """A word as compared with those of a list: case folded, `&` for `and`, single spaces for blanks and
    hyphens, no decoration.
    """
    whole = unicodedata.normalize("NFC", text).strip().strip("*_`# ")
    bare_word = _NUMBERED.sub("", whole).strip(_DECORATION).casefold()
    spaced = re.sub(r"\s*&\s*", " & ", re.sub(r"[\s\-‐‑–_]+", " ", bare_word))
    return re.sub(r"(?<!\w)and(?!\w)", "&", " ".join(spaced.split()))


def read_word(text: str, cue: str, words: Mapping[str, str], *, is_partial: bool = False) -> Parsed:
    """The value of the one of `words` (spelling → value) that the reply is, after its cue if it repeats it.

    A reason may stand behind it, in brackets, behind a sign, or on further lines. With `is_partial` words
    that occur in the spellings of one value alone name it (`nutrition` for `food & nutrition`). Else None and
    the reason: `empty`, `thought_only`, `ambiguous` where it is several of them on lines of their own,
    `absent`. A word within a sentence does not count: "not an entity" holds a word that it denies.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    if len(answer) > MAX_WORD:
        return Parsed(None, "absent", cuts)
    answer = plain_form(answer)
    value = marks.json_of(answer)
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        answer, cuts = only, joined(cuts, ("json",))
    if result := find(answer, cue, is_anywhere=False):
        answer = answer[result[-1].end :]
    inside, more = bare(unfenced(answer).text)
    lines = [line for line in inside.splitlines() if plain(line)]
    named = [_named(line, cue, words, is_partial=is_partial) for line in lines]
    values = {item for item in named if item is not None}
    if len(values) > 1:
        return Parsed(None, "ambiguous", joined(cuts, more))
    if not values or named[0] is None and len(lines) > 1 and not lines[0].rstrip(" *_").endswith(":"):
        return Parsed(None, "absent" if lines else "empty", joined(cuts, more))
    others = [line for line, item in zip(lines, named, strict=True) if item is None]
    if any(_DOUBT.search(line.casefold()) for line in others):
        return Parsed(None, "absent", joined(cuts, more))
    is_exact = plain(lines[0]) in words and not others
    return Parsed(values.pop(), None, joined(cuts, more, () if is_exact else ("explanation",)))


def _named(line: str, cue: str, words: Mapping[str, str], *, is_partial: bool) -> str | None:
    """The value that a line names, None where it names none for certain."""
    lead = re.compile(rf"\A\W*{_IS.format(cue=re.escape(cue))}", re.IGNORECASE)
    line = lead.sub("", line) if lead.match(line) else line
    if (value := _spelled(line, words, is_partial=is_partial)) is not None:
        return value
    split = re.match(
        r"\W*([^(（:：,;.–—]+?)\s*(?:[(（:：,;]|\.\s|\s[-–—]\s|\s(?:because|since|as)\s)(.*)", line
    )
    if split is None or _DOUBT.search(split[2].casefold()):
        return None
    value = _spelled(split[1], words, is_partial=is_partial)
    others = {_spelled(part, words, is_partial=is_partial) for part in re.split(r"[,;]", split[2])}
    return value if others <= {value, None} else None


def _spelled(text: str, words: Mapping[str, str], *, is_partial: bool) -> str | None:
    """The value of a spelling, or of words that only the spellings of one value hold."""
    bare_word = plain(text)
    if bare_word in words or not is_partial:
        return words.get(bare_word)
    values: set[str] | None = None
    for token in re.findall(r"\w+", bare_word.replace("/", " ")):
        if token in _SHARED:
            continue
        kept_text = {value for spelling, value in words.items() if token in spelling.split()}
        values = kept_text if values is None else values & kept_text
    return next(iter(values)) if values and len(values) == 1 else None
