"""Read the facts of a reply by the number of their sentence: lines `[1] fact`, with `[1] none` for a sentence
without one.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), other words for none
(`says_nothing`), a list below a mark that stands alone or above which the sentence is repeated, ranges (the
fact is the first sentence's; all count as covered), several entries on one line, JSON and tables.

A line without a mark goes on from the line above if that line breaks off there. If nobody can tell whether it
does, the reply is unparsed (`absent`), so that a part of a list never counts as the list. Counted as
malformed, and no facts, are marks with a number that no sentence has, sentences without a number, marks
without words and facts that break off. Numbers that count the facts and not the sentences make a reply
unparsed, unless there is one sentence.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import normalise
from truerate.llm.replies.cutting import quotes, unwrapped
from truerate.llm.replies.headings import before_next, find
from truerate.llm.replies.lists import marks
from truerate.llm.replies.lists.fact_data import NOUNS, Statement, of_json, of_table, says_nothing
from truerate.llm.replies.lists.marks import Line
from truerate.llm.replies.matching import has, match, phrases, words_of
from truerate.llm.replies.reading import Parsed, joined, nothing

MAX_LINES = 500  # of a list of facts
MAX_HEADING = 200  # characters of a line that are looked at for what it is
_MATERIAL = ("Subject", "Sentences")
_ENDS = ".!?。！？…)\"”'»"
# a bullet, or a noun of a mark, whose number begins the next line
_BROKEN = lazy(rf"^([ >#*_\[(\d.]{{0,20}}(?:{'|'.join(NOUNS)}|[-*+•·‣◦–—]))[ *_]*\n(?=#?\d|\[)", re.I | re.M)
_LABEL = lazy(r"(?:atomic |extracted )?facts?(?: \d{1,2})?\s*[:：]\s*", re.IGNORECASE)
_CITED = lazy(r"(?: ?\[\d{1,3}\]){1,9}(?=[.!?]?\Z)")
_INNER = lazy(r"(?<=[.!?。;,]) +(?=\[\d{1,3}\]:? [^\s\[.])|(?<=none) +(?=\[\d{1,3}\] )", re.IGNORECASE)
_NO_RANGE = lazy(r"\W{0,6}(\d{1,3}) ?[-–] ?(\d{1,3})\W")
_COUNT = lazy(r"\(?(\d{1,2})[.)] (?=\S)")
# within a fact: marks of further entries, tags, a second sentence that breaks off
_SEVERAL = lazy(r"[.!?;] \(?\d{1,3}[.)] (?=[A-Z])|\[\d{1,3}\] |</[a-z]|\w{2}[.!?] [A-Z][^.!?]*\w\Z")
# a line that means to be an entry, of a list, a table or with a number in whatever marks
_MEANT = lazy(
    r"[\"'`“„«#> ]*(?:[-+–—*•·‣◦|] ?\S|[\[{【［〔①-⓿]|[(（] ?\d|\d{1,4} ?[\])}.:：、|】］）〕] ?\S"
    r"|\d{1,4} [-–—](?: |$)|\w+ #?\d{1,4} ?[).:：、] ?\S)"
)


class Facts(NamedTuple):
    """The content of a fact writer's reply: (sentence from 0, fact) in its order, sentences without a line,
    and the number of lines that may have been meant as facts and could not be read.
    """

    facts: tuple[tuple[int, str], ...]
    missed: tuple[int, ...]
    n_malformed: int


_LOST = Statement((0,), None)


def read_facts(text: str, sentences: Sequence[str]) -> Parsed:
    """Return the `Facts` of a reply about these sentences, or None with `empty`, `thought_only` or `absent`;
    the cuts name what was read loosely.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    if answer.count("\n") > MAX_LINES:
        return Parsed(None, "absent", cuts)
    answer, n = _BROKEN.sub(r"\1 ", marks.level(answer)), len(sentences)
    value = marks.json_of(answer)
    if value is not None or marks.is_json_like(answer):
        statements = of_json(value, n)
    else:
        statements = of_table(answer) or _of_lines(_latest(answer, n), sentences)
    facts: list[tuple[int, str]] = []
    covered: set[int] = set()
    n_malformed = 0
    is_only = sum(bool(item.text and not says_nothing(item.text)) for item in statements or ()) == 1
    for numbers, words, how in statements or ():
        is_known = words is not None and all(1 <= number <= n for number in numbers)
        is_free = is_only and "below" not in how  # so that a number first cannot be the count of a list
        fact = _fact(words or "", sentences[numbers[0] - 1], is_only=is_free) if is_known else None
        if fact is None:
            n_malformed += 1
            continue
        covered |= set(numbers)
        cuts = joined(cuts, how, fact[1])
        facts += [(numbers[0] - 1, fact[0])] if fact[0] else []
    if not covered:
        return Parsed(None, "absent", cuts)
    missed = tuple(position for position in range(n) if position + 1 not in covered)
    return Parsed(Facts(tuple(facts), missed, n_malformed), None, cuts)


def _fact(text: str, sentence: str, *, is_only: bool) -> tuple[str, tuple[str, ...]] | None:
    """The fact that words state, empty where they say that there is none, and how loosely; None where they
    break off, hold marks of further entries, or nothing. A number first is a part of the fact where the
    sentence holds it, or no other fact is there to count.
    """
    label = _LABEL.match(text)
    words = text[label.end() :] if label else text
    cuts: tuple[str, ...] = ("label",) if label else ()
    if says_nothing(words):
        return "", cuts if words.rstrip(".").casefold() == "none" else (*cuts, "other-none")
    bare, more = quotes(words)
    fact = _CITED.sub("", bare).strip()
    is_open = _last_word(fact) in (*phrases("DANGLING"), *phrases("OPENS_CLAUSE")) or fact[-1:] in ",،、|"
    is_counted = _COUNT.match(fact) is not None and not is_only and not _has_number(fact, sentence)
    is_broken = is_open or is_counted or _SEVERAL.search(fact) or fact.count("(") > fact.count(")")
    if is_broken or fact.casefold() in ("not", "no", "none") or not any(map(str.isalpha, fact)):
        return None
    return fact, joined(cuts, more, ("citation",) if fact != bare else ())


def _last_word(text: str) -> str:
    return text.rpartition(" ")[2].casefold()


def _has_number(line: str, sentence: str) -> bool:
    """Whether a line begins with a number that is no mark, but stands in the sentence (`1. FC Köln`)."""
    count = _COUNT.match(line)
    return count is not None and count[0] in sentence


# ---- lines ----------------------------------------------------------------------------------------------


def _latest(answer: str, n: int) -> list[Line]:
    """The lines that count: behind the prompt's heading, before a next example, and from the last heading of
    a new list (`Corrected list:`) that speaks of every sentence which stood before it.
    """
    answer, _ = before_next(answer, _MATERIAL)
    cues = [cue for cue in find(answer, "Facts", is_anywhere=False) if cue.is_marked]
    behind = marks.lines_of(answer[cues[-1].end :], NOUNS) if cues else []
    lines = behind if _covered(behind, n) else marks.lines_of(answer, NOUNS)
    for position in range(len(lines) - 1, 0, -1):
        above = "" if lines[position - 1].entry else lines[position - 1].text
        text = f"{above[-MAX_HEADING:]} {lines[position].text[:MAX_HEADING]}".strip()
        if lines[position].entry or not has("ANEW", words := words_of(text)):
            continue
        is_head = text.rstrip("*_ ").endswith((":", "：")) or (text.startswith(("#", "*")) and len(words) < 6)
        after = _covered(lines[position + 1 :], n) if is_head else set()
        if after and _covered(lines[:position], n) <= after:
            return lines[position + 1 :]
    return lines


def _covered(lines: Sequence[Line], n: int) -> set[int]:
    return {number for line in lines if line.entry for number in line.entry.numbers if 1 <= number <= n}


def _of_lines(lines: Sequence[Line], sentences: Sequence[str]) -> list[Statement] | None:
    """The statements of lines, unreadable ones where a line may mean a fact; None where the numbers cannot be
    those of sentences, or where it is open whether a line goes on from the one above it.
    """
    n = len(sentences)
    numbers = [line.entry.numbers for line in lines if line.entry]
    is_counted = numbers == [(at,) for at in range(1, len(numbers) + 1)] and not 0 < len(numbers) <= n
    ranges = [ends for line in lines if (ends := _NO_RANGE.match(line.text))]
    is_wrong = any(0 in some for some in numbers) or any(int(ends[1]) >= int(ends[2]) for ends in ranges)
    if is_wrong or (is_counted and n > 1):
        return None
    is_plain = not any(line.entry.text for line in lines if line.entry)
    reading = _Reading(sentences, is_plain=is_plain)
    if is_counted:  # bullets, or marks that count the facts of the one sentence
        reading.head = Statement((1,), "", ("mark",))
    for line in lines:
        if not line.text:
            reading.is_near = False
        elif not reading.take(Line(line.text, None if is_counted else line.entry)):
            return None
    return reading.statements()


class _Reading:
    """The statements of the lines so far, the mark above a list (`head`), and whether the line before was one
    of the list.

    With `is_plain` no mark has words behind it, and the lines below it may be several facts without any mark.
    """

    def __init__(self, sentences: Sequence[str], *, is_plain: bool) -> None:
        self.sentences, self.is_plain = sentences, is_plain
        self.listed: list[Statement] = []
        self.head: Statement | None = None
        self.below: list[bool] = []  # of each statement below the head, whether a mark is before it
        self.is_near = False

    def take(self, line: Line) -> bool:
        """Read one line; False where nobody can tell what it belongs to."""
        text, entry = line
        item = "" if text in tuple(marks.BULLETS) else marks.item_of(text)
        is_item = item == "" or (item is not None and any(map(str.isalnum, item)))
        if entry:
            self._numbered(entry)
        elif is_item:
            return self._item(text if _COUNT.match(text) else item or "", is_marked=True)
        elif self.head and not self.below and says_nothing(text):
            return self._item(text, is_marked=False)
        elif self.is_near and self._goes_on(text):
            last = self.listed[-1]
            self.listed[-1] = last._replace(text=f"{last.text} {text}".strip())
        elif _is_frame(text) or _is_remark(text):
            self.is_near = False
        elif _is_meant(text):
            self.listed.append(_LOST)
            self.is_near = False
        elif self.is_near and self._is_next(text):
            return self._item(text, is_marked=False)
        elif self.is_near and self._is_unnumbered(text):
            self.listed.append(_LOST)
        else:
            return not self.is_near
        return True

    def _numbered(self, entry: marks.Entry) -> None:
        cuts: tuple[str, ...] = ("range",) if len(entry.numbers) > 1 else ()
        cuts += () if cuts or entry.is_exact or entry.has_sign else ("mark",)
        statement = Statement(entry.numbers, entry.text, (*cuts, "sign") if entry.has_sign else cuts)
        if self.head and not self.below and self.head.numbers != entry.numbers:
            self.listed.append(_LOST)
        self.head, self.below = None, []
        if not entry.text or entry.text[-1] in ":：":
            self.head = statement
        elif not (entry.numbers[0] > len(self.sentences) and _is_remark(entry.text)):
            self.listed.append(statement)
        self.is_near = True

    def _item(self, text: str, *, is_marked: bool) -> bool:
        """Read an entry without a number: of the head's list, or of the sentence that is repeated right above
        it.
        """
        if (is_remark := _is_remark(text)) or (self.head is None and not (self.is_near and self._is_echo())):
            self.listed += [] if is_remark else [_LOST]
            self.is_near = False
            return True
        if self.is_near and self._is_echo():
            repeated = self.listed.pop()
            self.head, self.below = self.head or repeated, []
        assert self.head is not None
        self.listed.append(Statement(self.head.numbers, text, (*self.head.cuts, "below")))
        self.below.append(is_marked)
        self.is_near = True
        return self.below[0] == is_marked

    def _is_echo(self) -> bool:
        """Whether the last statement is its sentence, above a list that it may head."""
        is_first = len(self.below) == 1 if self.head else bool(self.listed)
        last = self.listed[-1] if is_first else _LOST
        has_sentence = last.text and last.numbers[0] <= len(self.sentences)
        return bool(has_sentence) and normalise(last.text or "") == normalise(
            self.sentences[last.numbers[0] - 1]
        )

    def _is_next(self, text: str) -> bool:
        """Whether a line below the head is an entry of its list: its first, or one behind a whole one."""
        is_free = not self.below or (self.is_plain and (self.listed[-1].text or "-")[-1] in _ENDS)
        is_sentence = text[-1] in ".!?。！？" and (text[0].isalnum() or text[0] in "\"“„«'")
        return self.head is not None and is_free and is_sentence and not text[0].islower()

    def _is_unnumbered(self, text: str) -> bool:
        """Whether a line behind a whole fact is a whole sentence: a fact without its number."""
        is_sentence = text[-1] in ".!?。！？" and not text[0].islower()
        return self.head is None and is_sentence and (self.listed[-1].text or ".")[-1] in _ENDS

    def _goes_on(self, text: str) -> bool:
        """Whether a line goes on from the statement above it, which has no words yet, breaks off, or is so in
        the sentences.
        """
        above = self.listed[-1].text if self.listed else None
        if above is None or (self.head and not self.below):
            return False
        if not above:
            return True
        pair = f" {above.split()[-1]} {text.split()[0].rstrip('.,;:!?')}".casefold()
        is_open = above[-1] not in _ENDS + ":：" and not says_nothing(above)
        return (is_open and text[0].islower()) or any(
            pair in f" {part.casefold()}" for part in self.sentences
        )

    def statements(self) -> list[Statement]:
        """All statements, those on one line apart."""
        if self.head and not self.below:
            self.listed.append(_LOST)
        parts = [part for item in self.listed for part in _in_line(item, len(self.sentences))]
        if parts and (last := parts[-1]).text and 1 <= last.numbers[0] <= len(self.sentences):
            is_cut = _is_cut(last.text, self.sentences[last.numbers[0] - 1])
            parts[-1] = Statement(last.numbers, None) if is_cut else last
        return _uncounted(parts)


def _in_line(statement: Statement, n: int) -> list[Statement]:
    """The statements that stand on one line: further marks behind the end of a sentence, their numbers never
    falling; and facts that semicolons part, each a sentence or each with the same first word.
    """
    numbers, text, cuts = statement
    inside = _INNER.split(text) if text else [text]
    if not text or len(inside) > marks.MAX_RANGE:
        return [Statement(numbers, None)]
    statements: list[Statement] = []
    for at, words in enumerate(inside):
        inner = marks.entry_of(words, frozenset()) if at else None
        if inner and not numbers[-1] <= inner.numbers[-1] <= n:
            return [Statement(numbers, None)]
        numbers, words = (inner.numbers, inner.text) if inner else (numbers, words or "")
        parts = words.rstrip(";, ").split("; ")
        is_each = all(part[-1:] in ".!?" for part in parts) or (
            len({part.split(" ")[0].casefold() for part in parts}) == 1
            and all(len(part.split()) > 2 for part in parts)
        )
        how = (*cuts, "one-line") if at or (len(parts) > 1 and is_each) else cuts
        statements += [Statement(numbers, part, how) for part in (parts if is_each else ["; ".join(parts)])]
    return statements


def _uncounted(statements: list[Statement]) -> list[Statement]:
    """Statements without a count of them, if each of those below marks, or each other one, has one and it
    goes on (`[1] 1. …`, `[1] 2. …`).
    """
    for is_below in (True, False):
        group = [item for item in statements if item.text and ("below" in item.cuts) == is_below]
        counts = [_COUNT.match(item.text or "") for item in group if not says_nothing(item.text or "")]
        run = [int(count[1]) for count in counts if count]
        is_run = len(run) == len(counts) and run[:1] == [1] and all(b in (1, a + 1) for a, b in pairwise(run))
        if is_run and max(run) > 1:
            statements = [
                item._replace(text=_COUNT.sub("", item.text or "")) if item in group else item
                for item in statements
            ]
    return statements


def _is_meant(line: str) -> bool:
    """Whether a line may mean to be an entry, by its mark; also of a sentence whose number is not given (`[?]
    …`).
    """
    return line.lstrip(" >*_`-").startswith(("[?", "(?", "【?")) or _MEANT.match(line) is not None


def _is_frame(line: str) -> bool:
    """Whether a line only frames entries: marks alone, a heading, words in brackets, an announcement, a
    fence, a tag.
    """
    bare = line.strip(" *_`~")
    if not any(map(str.isalnum, bare)):
        return not line.lstrip(" >*_`-").startswith(("[?", "(?", "【?"))
    if line.startswith(("```", "~~~", "**", "__", "# ", "## ", "### ", "#### ")):
        return True
    if re.fullmatch(r"</?[\w-]{1,40}>", bare):
        return True
    if (entry := marks.entry_of(line, NOUNS)) is not None and entry.form == "worded" and not entry.text:
        return True
    is_aside = bare[0] in "[(（【" and bare.rstrip(".:! ")[-1:] in "])）】"
    return (is_aside or bare[-1] in ":：") and not any(map(str.isdigit, bare))


def _is_remark(line: str) -> bool:
    """Whether a line, behind its mark, speaks of the work itself, which no fact does: `- Done!`, `I hope this
    helps.`
    """
    names = [name for name in words_of(line[:MAX_HEADING]) if name[0].isalnum()]
    start = 1 if names and names[0].isdigit() else 2 if names[:1] == ["step"] else 0
    return match("remarks", names[start:]) is not None or " ".join(names[start:]) in phrases("REMARK_ALONE")


def _is_cut(fact: str, sentence: str) -> bool:
    """Whether the last fact of a reply ends within a word of its sentence: the reply was cut off."""
    words = re.findall(r"\w+", sentence.casefold())
    word = (re.findall(r"\w+\Z", fact.casefold()) or [""])[0]
    least = len(word) + 2 * word.isalpha()
    return bool(word) and word not in words and any(w.startswith(word) and len(w) > least for w in words)
