"""Read the facts of a reply by the number of their sentence: lines `[1] fact`, with `[1] none` for a sentence
without one.

Read as well, each with a mark among the cuts: numbers in other marks (`marks`), other words for none, a list
below a mark that stands alone or above which the sentence is repeated, ranges (the fact is the first
sentence's; all count as covered), entries behind one another on a line, and JSON.

A list is read where all of its lines are entries, items below one, or what frames them. Where nobody can tell
what a line between them is, the reply is unparsed (`absent`), so that a part of a list never counts as the
list. Counted as malformed, and no facts, are numbers that no sentence has, lines that mean to be entries and
have no number, marks without words, and facts that break off. Numbers that count the facts and not the
sentences make a reply unparsed, unless there is one sentence.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.core.text import normalise
from truerate.llm.replies.cutting import quotes, unwrapped
from truerate.llm.replies.headings import before_next, find
from truerate.llm.replies.lists import marks
from truerate.llm.replies.lists.marks import Line
from truerate.llm.replies.matching import all_of, has, match, phrases, words_of
from truerate.llm.replies.reading import Parsed, joined, nothing

MAX_LINES = 500  # of a list of facts
MAX_HEAD = 200  # characters of a line that are looked at for what it is
MAX_NOTHING = 300  # characters of words that state no fact
NOUNS = frozenset("sentence sentences sent satz phrase frase s no nr number zeile 句 句子 第".split())
_MATERIAL = ("Subject", "Sentences")
_ENDS = ".!?。！？…)\"”'»"
_NUMBER_KEYS = tuple("sentence sentence_id sentence_number sentence_index number id index n no nr".split())
_FACT_KEYS = tuple("fact facts atomic_fact atomic_facts text claim claims statement content".split())
_LABEL = lazy(r"(?:atomic |extracted )?facts?(?: \d{1,2})?\s*[:：]\s*", re.IGNORECASE)
_CITED = lazy(r"(?: ?\[\d{1,3}\]){1,9}(?=[.!?]?\Z)")
_INNER = lazy(
    r"(?<!\n\d\.)(?<!\n\d\d\.)(?<=[.!?。;])[; ]+(?=\[\d{1,3}\]:? [^\s\[.])|(?<=none) +(?=\[\d{1,3}\] )",
    re.IGNORECASE,
)
# within a fact: a count before it, marks of further entries, tags, a second sentence that breaks off
_COUNT = lazy(r"\(?\d{1,2}[.)] (?=\S)")
_SEVERAL = lazy(r"[.!?;] \(?\d{1,3}[.)] (?=[A-Z])|\[\d{1,3}\] |</[a-z]|\w{2}[.!?] [A-Z][^.!?]*\w\Z")
# a line that means to be an entry, of a list or a table: with a number in whatever marks, or with none (`[?]
# …`)
_MEANT = lazy(
    r"[\"'`“„«#>*_ ]*(?:[-+–—*•·‣◦|] ?\S|[\[［【〔{①-⓿]|[(（] ?\d|[(（]\?|\d{1,4} ?[\])}.:：、|】］）〕] ?\S"
    r"|\d{1,4} [-–—](?: |$)|\w+ #?\d{1,4} ?[).:：、] ?\S)"
)
_FRAME = lazy(r"#{1,4} |```|~~~|\W*</?[\w-]{1,40}>\W*\Z")
_NONE = lazy(
    r"[(\[]?(?:none|no facts?|n/a|nothing|opinion)[)\]]?\s*(?:[-–—:;,.(/]|because\b|as\b|since\b)\s*"
)


class Facts(NamedTuple):
    """The content of a fact writer's reply: (sentence from 0, fact) in its order, sentences without a line,
    and the number of lines that may have been meant as facts and could not be read.
    """

    facts: tuple[tuple[int, str], ...]
    missed: tuple[int, ...]
    n_malformed: int


class Statement(NamedTuple):
    """The words of one entry (None: unreadable), the numbers of its sentences from 1, and how loosely it was
    read.
    """

    numbers: tuple[int, ...]
    text: str | None
    cuts: tuple[str, ...] = ()


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
    answer, n = marks.level(answer), len(sentences)
    value = marks.json_of(answer)
    if value is not None or marks.is_json_like(answer):
        statements = _of_json(value, n)
    else:
        statements = _of_lines(_latest(answer, n), sentences)
    if any(_is_several(text or "", sentences, numbers[0]) for numbers, text, _ in statements or ()):
        return Parsed(None, "absent", cuts)
    facts: list[tuple[int, str]] = []
    covered: set[int] = set()
    n_malformed = 0
    for numbers, words, how in statements or ():
        is_known = words is not None and all(1 <= number <= n for number in numbers)
        fact = _fact(words or "") if is_known else None
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


def _fact(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The fact that words state, empty where they say that there is none, and how loosely; None where they
    break off, hold marks of further entries, or nothing.
    """
    label = _LABEL.match(text)
    words = text[label.end() :] if label else text
    cuts: tuple[str, ...] = ("label",) if label else ()
    if says_nothing(words):
        return "", cuts if words.rstrip(".").casefold() == "none" else (*cuts, "other-none")
    bare, more = quotes(words)
    fact = _CITED.sub("", bare).strip()
    is_open = (
        fact.rpartition(" ")[2].casefold() in (*phrases("DANGLING"), *phrases("OPENS_CLAUSE"))
        or fact[-1:] in ",،、|;"
    )
    is_empty = not any(map(str.isalpha, fact)) or fact.casefold() in ("no", "not")
    if is_open or is_empty or fact.count("(") > fact.count(")") or _SEVERAL.search(fact):
        return None
    return fact, joined(cuts, more, ("citation",) if fact != bare else ())


def _is_several(text: str, sentences: Sequence[str], number: int) -> bool:
    """Return whether an entry holds several facts, or counts them: a count before it is its own where its
    sentence has it.
    """
    count = _COUNT.match(text)
    is_own = count is not None and any(count[0] in sentence for sentence in sentences[number - 1 : number])
    return (count is not None and not is_own) or ("; " in text and not says_nothing(text))


def says_nothing(text: str) -> bool:
    """Return whether an entry says that there is no fact, in words of closed lists alone, with or without the
    reason behind. What is not of these is a fact, also where it begins with `no` or `none` (`None of the crew
    survived.`).
    """
    if len(text) > MAX_NOTHING:
        return False
    plain = " ".join(text.replace("’", "'").casefold().split())
    bare = plain.strip(" .!*_`'\"“”„()[]（）【】。")
    words = [word for word in words_of(bare) if not word.isdecimal()]
    if bare in phrases("NO_FACT") or (all_of("OF_FACTS|OF_NOTHING", words) and has("OF_NOTHING", words)):
        return True
    none = _NONE.match(plain)
    rest = plain[none.end() :].strip(" .!)") if none else ""
    is_reason = none is not None and (rest in phrases("NO_FACT") or has("ABOUT_FACTS", words_of(rest)))
    return is_reason or (0 < len(plain) < 4 and not plain.strip("-–—‐−∅/\\Øø∕"))


# ---- lines ------------------------------------------------------------------------------------------------


def _latest(answer: str, n: int) -> list[Line]:
    """The lines that count: before a next example, behind the prompt's heading if entries stand there."""
    answer, _ = before_next(answer, _MATERIAL)
    answer = _INNER.sub("\n", f"\n{answer}").strip()
    cues = [cue for cue in find(answer, "Facts", is_anywhere=False) if cue.is_marked]
    behind = marks.lines_of(answer[cues[-1].end :], NOUNS) if cues else []
    has_entries = any(line.entry and 1 <= line.entry.numbers[0] <= n for line in behind)
    return behind if has_entries else marks.lines_of(answer, NOUNS)


def _of_lines(lines: Sequence[Line], sentences: Sequence[str]) -> list[Statement] | None:
    """The statements of lines, unreadable ones where a line may mean a fact; None where the numbers cannot be
    those of sentences, come back behind others, or where it is open what a line belongs to.
    """
    n, numbers = len(sentences), [line.entry.numbers for line in lines if line.entry]
    runs = [run for run, _ in groupby(numbers)]
    is_counted = numbers == [(at,) for at in range(1, len(numbers) + 1)] and not 0 < len(numbers) <= n
    if any(0 in some for some in numbers) or len(set(runs)) < len(runs) or (is_counted and n > 1):
        return None
    # numbers that count the one sentence's facts
    head = Statement((1,), "", ("mark",)) if is_counted else None
    is_plain = not any(line.entry.text for line in lines if line.entry)  # lines below a mark may be facts
    statements: list[Statement] = []
    style, is_near = "", False  # of the lines below the head; whether the line before is one of the list
    parts = list(_whole_lines(Line(line.text, None if is_counted else line.entry) for line in lines))
    for (kind, text, entry), (next_kind, *_) in zip(parts, [*parts[1:], ("", "", None)], strict=True):
        is_first, is_more = head is not None and not style, head is not None and style == kind
        if kind == "entry":
            assert entry is not None
            statements += [_LOST] if head and not style and head.numbers != entry.numbers else []
            statement = _statement(entry, text)
            is_head = text[-1:] in ("", ":", "：") or (next_kind == "item" and _is_echo(statement, sentences))
            head, style = statement if is_head else None, ""
            statements += [] if is_head else [statement]
        elif head and (is_first and says_nothing(text) or (is_first or is_more) and kind == "item"):
            if _COUNT.match(text) and not is_plain:  # a count, or a part of the fact
                return None
            statements.append(Statement(head.numbers, marks.item_of(text) or text, (*head.cuts, "below")))
            style = kind
        elif (
            head and (is_first or is_more and is_near) and kind == "plain" and is_plain and _is_sentence(text)
        ):
            statements.append(Statement(head.numbers, text, (*head.cuts, "below")))
            style = kind
        elif kind in ("item", "meant"):
            if text.startswith("[") and text[1:2].isdigit():  # a mark whose numbers cannot be read
                return None
            statements.append(_LOST)
        elif kind == "plain" and is_near:
            above = statements[-1].text if statements and not head else None
            if not (above and above[-1] in _ENDS and _is_sentence(text)):
                return None
            statements.append(_LOST)  # a whole sentence behind a whole fact has lost its number
        is_near = kind in ("entry", "item") or (kind == "plain" and style == "plain")
    statements += [_LOST] if head and not style else []
    return _with_cut(statements, sentences)


def _statement(entry: marks.Entry, text: str) -> Statement:
    cuts: tuple[str, ...] = ("range",) if len(entry.numbers) > 1 else ()
    cuts += () if cuts or entry.is_exact or entry.has_sign else ("mark",)
    return Statement(entry.numbers, text, (*cuts, "sign") if entry.has_sign else cuts)


def _whole_lines(lines: Iterable[Line]) -> Iterator[tuple[str, str, marks.Entry | None]]:
    """The lines with their kinds; one that begins with a small letter goes on from one without an end."""
    kind, text, entry = "blank", "", None
    for line in lines:
        next_kind = _kind(line)
        if next_kind == "plain" and kind in ("entry", "item", "plain") and _goes_on(text, line.text):
            text = f"{text} {line.text}"
            continue
        yield kind, text, entry
        kind, text, entry = next_kind, line.entry.text if line.entry else line.text, line.entry
    yield kind, text, entry


def _goes_on(above: str, line: str) -> bool:
    return above[-1:] not in _ENDS + ":：" and line[0].islower() and not says_nothing(above)


def _kind(line: Line) -> str:
    """Return what a line is: blank, an entry, a frame of entries (a heading, a fence, an announcement, words
    about the work itself), an item with a mark of no meaning, one that means to be an entry, or plain words.
    """
    text, bare = line.text, line.text.strip(" *_`~")
    if line.entry:
        return "entry"
    if not text:
        return "blank"
    if _is_remark(text) or not any(map(str.isalnum, bare)) and "?" not in bare or _FRAME.match(text):
        return "frame"
    item, worded = marks.item_of(text), marks.entry_of(text, NOUNS)
    if worded and worded.form == "worded" and not worded.text:  # a heading over entries: `Sentence 2:`
        return "frame"
    if item and any(map(str.isalnum, item)):
        return "item"
    is_aside = bare[0] in "[(（【" and bare.rstrip(".:! ")[-1:] in "])）】" or bare[-1] in ":："
    if is_aside and not any(map(str.isdigit, bare)) and "?" not in bare:
        return "frame"
    return "meant" if _MEANT.match(text) else "plain"


def _is_remark(line: str) -> bool:
    """Return whether a line, behind its mark, speaks of the work itself, which no fact does: `- Done!`, `I
    hope this helps.`
    """
    names = [name for name in words_of(line[:MAX_HEAD]) if name[0].isalnum()]
    start = 1 if names and names[0].isdigit() else 2 if names[:1] == ["step"] else 0
    return match("remarks", names[start:]) is not None or " ".join(names[start:]) in phrases("REMARK_ALONE")


def _is_sentence(text: str) -> bool:
    return text[-1] in ".!?。！？" and (text[0].isalnum() or text[0] in "\"“„«'") and not text[0].islower()


def _is_echo(statement: Statement, sentences: Sequence[str]) -> bool:
    """Return whether a statement is its sentence, above a list that it heads."""
    number = statement.numbers[0]
    return number <= len(sentences) and normalise(statement.text or "") == normalise(sentences[number - 1])


def _with_cut(statements: list[Statement], sentences: Sequence[str]) -> list[Statement]:
    """Statements of which the last is unreadable where it ends within a word of its sentence: the reply was
    cut off.
    """
    if statements and (last := statements[-1]).text and 1 <= last.numbers[0] <= len(sentences):
        words = re.findall(r"\w+", sentences[last.numbers[0] - 1].casefold())
        word = (re.findall(r"\w+\Z", last.text.casefold()) or [""])[0]
        least = len(word) + 2 * word.isalpha()
        if word and word not in words and any(w.startswith(word) and len(w) > least for w in words):
            return [*statements[:-1], Statement(last.numbers, None)]
    return statements


# ---- JSON -------------------------------------------------------------------------------------------------


def _of_json(value: Any, n: int) -> list[Statement] | None:
    """The statements of a JSON value: an object by number, a list of objects, of pairs, of lists by place, of
    lines; None where it names no sentences.
    """
    while isinstance(value, dict) and len(value) == 1 and marks.number_of(next(iter(value)), NOUNS) is None:
        value = next(iter(value.values()))
    pairs: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    for position, item in enumerate(value if isinstance(value, list) else (), 1):
        entry = marks.entry_of(item, NOUNS) if isinstance(item, str) else None
        if isinstance(item, dict):
            pairs.append((marks.first_of(item, _NUMBER_KEYS), marks.first_of(item, _FACT_KEYS)))
        elif isinstance(item, list):
            is_pair = len(item) == 2 and isinstance(item[0], int)
            pairs.append((item[0], item[1]) if is_pair else (position if len(value) == n else None, item))
        else:
            pairs.append((entry.numbers[0], entry.text) if entry else (None, item))
    read = [(marks.number_of(number, NOUNS), _strings(words)) for number, words in pairs]
    if any(number in (None, 0) or words is None for number, words in read):
        return None
    return [
        Statement((number or 0,), word, ("json",)) for number, words in read for word in words or ["none"]
    ]


def _strings(value: Any) -> list[str] | None:
    """The texts of a field: one, several, or none at all; None where it holds anything else."""
    if isinstance(value, list):
        inner = [
            _strings(marks.first_of(item, _FACT_KEYS) if isinstance(item, dict) else item) for item in value
        ]
        return None if None in inner else [word for words in inner for word in words or ()]
    if value is None or isinstance(value, str):
        return [value.strip()] if value and value.strip() else []
    return None
