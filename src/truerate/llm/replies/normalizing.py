"""The words of a reply without their dress: what every reader of verdicts does before it reads.

A reader is given the same words whether they are wrapped, emphasised or set with other blanks: `plain` unifies blanks,
shortens padding and takes emphasis off. A line break that cannot end a sentence is a blank. One that may end a sentence
or may come from wrapping is read both ways (`readings`), and a reply that reads differently has no value.
"""

import re
from collections.abc import Callable
from typing import TypeVar

from truerate.core.patterns import lazy
from truerate.llm.replies.lexicon import WORD

T = TypeVar("T")
# blanks of any width but line ends; padding of cells and rules, of which the length says nothing
_BLANKS = lazy(r"[^\S\n]+")
_PADDING = lazy(r"([-=_*.~#>–—])\1{3,}")
_ENDS = lazy(r" +(?=\n)|\n(?:[ ]*\n){2,}")
# emphasis around words, within a line or over one line's end; underscores and single asterisks only between words
_ASTERISKS = lazy(r"(?<![*\\])(\*{2,3})(?![\s*])((?:[^*\n]|\n(?! *\n))*[^*\s])\1(?!\*)")
_ASTERISK = lazy(r"(?<![\w*\\])\*(?![\s*])((?:[^*\n]|\n(?! *\n))*[^*\s])\*(?![\w*])")
_UNDERSCORES = lazy(r"(?<![\w\\])(_{1,3})(?![\s_])((?:[^_\n]|\n(?! *\n))*[^_\s])\1(?!\w)")
# what begins a block of its own: items, headings, rows, fences, boxes, quotations, tags, JSON
_ITEM = r"(?:[-*+•–—>·▪‣○●] |\d{1,3}[.)] |\(?[A-Za-z0-9]{1,2}\) )"
_MARKED = lazy(
    rf" *(?:{_ITEM}|\[[^\]\n]{{1,20}}\]|【|#|\||`{{3}}|~{{3}}|[-=*_]{{3}} *\Z|"
    r"</?(?!(?:b|i|em|strong|u|mark|code|span)\b)\w|[☐☑☒□✓✔✅✗✘❌✖]|[{}])"
)
_ITEM_ONLY = lazy(rf" *{_ITEM}")
_FAREWELL = lazy(r" *(?:Have a|Thanks|Thank you|I hope|Hope|Let me know|Feel free|Please|Cheers)\b")
_ITEM_ALONE = lazy(r" *(?:[-*+•–—·▪▸]|\(?[a-z]\)) *\Z")
_LABEL = lazy(
    r" *[\"'*_`(]{0,4}(?P<first>[^\W\d_])[\w'’.-]*(?: [\w'’.&/()-]+){0,4}[\"'*_`)]{0,4} ?(?:[:：=](?!\w)|[-–—] |(?<=[^\x00-\u024f])[:：])"
)
# a verdict alone or behind its label
_ANSWER = lazy(rf"(?:[^:：=\n]{{1,40}}[:：=])?[^\w\n]*(?:{WORD})[^\w\n?？]*", re.I)
_HEADING = lazy(r" *(?:#{1,6} [^:]*:?|#+[^#:\n]*#+ *:?|\|.*\||`{3}.*|~{3}.*|[-=*_]{3,}) *\Z")
_CONTINUES = lazy(r" *[\"'“‘(*_`]{0,3}[a-zß-öø-ÿа-яёα-ω,;:]")
# a line that ends within a sentence; one of a list, with a mark, a sign or a number behind its name
_DANGLING = lazy(
    r"(?:[,;/(&]|(?<!\w)(?:or|and|nor|than|vs\.?|versus|not|the|an|of|to|with|by|that|which|is|are|was|were|but|if|from|beats|"
    r"(?:keine|diese|eine)[nrms]?(?: (?-i:[a-zäöüß]+e[nrms]?))?|"
    r"und|oder|als|nicht|et|ou|que|pas|le|la|les|y|o|el|no es|e|il|di|не|и|или)) *\Z",
    re.I,
)
_VALUED = lazy(r"[:：=–—]|[^\w\s.,;!?'\"’”()\]] *\Z")
_SHORT = 8  # words of a line that is no part of a paragraph, where the next one is like it
_TERMINAL = ".!?。！？…:：।؟"
_UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3001\u3002]"


def plain(text: str) -> str:
    """A reply with single blanks, short padding and no emphasis; its lines stay."""
    text = _ENDS.sub(lambda result: result[0].strip(" ")[:2], _PADDING.sub(r"\1\1\1", _BLANKS.sub(" ", text)))
    return unemphasised(text)


def unemphasised(text: str) -> str:
    """A text without the marks of emphasis around its words."""
    text = _ASTERISK.sub(r"\1", _ASTERISKS.sub(r"\2", text)) if "*" in text else text
    return _UNDERSCORES.sub(r"\2", text) if "_" in text else text


def joined_lines(text: str, *, is_all: bool) -> str:
    """A text in which lines that go on are one: those that cannot be a new sentence, with `is_all` those that may go on,
    too. Blank lines, headings, items, rows of a table, fences and labels stay.
    """
    lines = text.split("\n")
    parts = [lines[0]]
    for above, line, below in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        how = _break(above, line, below)
        parts.append("\n" if how == "hard" or (how == "open" and not is_all) else "\0")
        parts.append(line)
    content = "".join(parts)
    if "\0" not in content:
        return content
    content = re.sub(rf"(?<={_UNSPACED})\0 *(?={_UNSPACED})", "", content)
    return re.sub(r" *\0 *", " ", content)


def _break(above: str, line: str, below: str) -> str:
    """What the break between two lines is: `hard` (it ends a block), `soft` (the sentence goes on), or `open` (either)."""
    if not above.strip() or not line.strip():
        return "hard"
    if _FAREWELL.match(line):
        return "hard"
    if _is_row_part(above, line):
        return "soft"
    if _HEADING.match(above) or _HEADING.match(line):
        return "hard"
    if _DANGLING.search(above) or _ITEM_ALONE.match(above):
        return "soft"
    end = above.rstrip(" \"'”’)*_`")[-1:]
    is_answer = _ANSWER.fullmatch(above) is not None
    if _MARKED.match(line):
        is_item = (
            _ITEM_ONLY.match(line) and not _MARKED.match(above) and not is_answer and end not in _TERMINAL
        )
        return "open" if is_item else "hard"
    is_listed = len(above.split()) <= _SHORT and _is_parallel(above, line)
    if is_listed or (_is_parallel(line, below) and _LABEL.match(line)):
        return "hard"
    if label := _LABEL.match(line):
        return "hard" if is_answer or (end in ".!。" and label["first"].isupper()) else "open"
    if end not in _TERMINAL and not above.strip(" []().#*").isdigit() and _CONTINUES.match(line):
        return "soft"
    return "hard" if is_answer and _LABEL.match(above) else "open"


def _is_parallel(above: str, line: str) -> bool:
    """Whether two lines are entries of one list: both begin with the same word in capitals, or with labels."""
    first, second = (item.split(maxsplit=1)[:1] for item in (above, line))
    is_same = first == second and bool(first) and first[0][:1].isupper() and _VALUED.search(above) is not None
    labels = _LABEL.match(above), _LABEL.match(line)
    return is_same or all(label is not None and label["first"].isupper() for label in labels)


def _is_row_part(above: str, line: str) -> bool:
    """Whether two lines are parts of one row of a table between bars."""
    above, line = above.strip(), line.strip()
    is_open = above.startswith("|") and not above.endswith("|")
    return is_open or ("|" in above and line.endswith("|") and not line.startswith("|"))


def unwrapped_lines(text: str) -> str:
    """A reply in the plain form of lists, of which a line ends an entry unless its sentence goes on."""
    return joined_lines(plain(text), is_all=False)


def readings(read: Callable[[str], T], text: str) -> list[T]:
    """What a reader makes of a reply in its plain forms: of one, or of two where a line break may or may not end a
    sentence.
    """
    words = plain(text)
    kept, joined = joined_lines(words, is_all=False), joined_lines(words, is_all=True)
    return [read(kept)] if joined == kept else [read(kept), read(joined)]
