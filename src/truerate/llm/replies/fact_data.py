"""Read facts by the number of their sentence in JSON and in tables between bars, and tell words that state no fact."""

import re
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import marks
from truerate.llm.replies.matching import all_of, has, phrases, words_of

NOUNS = frozenset("sentence sentences sent satz phrase frase s no nr number zeile 句 句子 第".split())
MAX_NOTHING = 300  # characters of words that state no fact
_DASHES = lazy(r"[-–—‐−∅/\\Øø∕]{1,3}")
_NONE = lazy(
    r"[(\[]?(?:none|no facts?|n/a|nothing|opinion)[)\]]?\s*(?:[-–—:;,.(/]|because\b|as\b|since\b)\s*"
)
_NUMBER_KEYS = tuple("sentence sentence_id sentence_number sentence_index number id index n no nr".split())
_FACT_KEYS = tuple("fact facts atomic_fact atomic_facts text claim claims statement content".split())


class Told(NamedTuple):
    """One thing said: its sentences from 1, the words (None: what was meant cannot be read), how loosely."""

    numbers: tuple[int, ...]
    text: str | None
    cuts: tuple[str, ...] = ()


def of_json(value: Any, n: int) -> list[Told] | None:
    """What a JSON value says: an object by number, a list of objects, of pairs, of lists by place, of lines; None where
    it names no sentences.
    """
    while (
        isinstance(value, dict)
        and len(value) == 1
        and isinstance(inner := next(iter(value.values())), list | dict)
    ):
        if marks.number_of(next(iter(value)), NOUNS) is not None:
            break
        value = inner
    pairs: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    for position, value_ in enumerate(value if isinstance(value, list) else (), 1):
        entry = marks.entry_of(value_, NOUNS) if isinstance(value_, str) else None
        if isinstance(value_, dict):
            pairs.append((marks.first_of(value_, _NUMBER_KEYS), marks.first_of(value_, _FACT_KEYS)))
        elif isinstance(value_, list) and len(value_) == 2 and isinstance(value_[0], int):
            pairs.append((value_[0], value_[1]))
        else:
            pairs.append(
                (
                    position if isinstance(value_, list) and len(value) == n else entry and entry.numbers[0],
                    entry.text if entry else value_,
                )
            )
    read = [(marks.number_of(number, NOUNS), _strings(words)) for number, words in pairs]
    if any(number in (None, 0) or words is None for number, words in read):
        return None
    return [Told((number or 0,), word, ("json",)) for number, words in read for word in words or ["none"]]


def _strings(value: Any) -> list[str] | None:
    """The texts of a field: one, several, or none at all; None where it holds anything else."""
    if isinstance(value, list):
        inner = [
            _strings(marks.first_of(value_, _FACT_KEYS) if isinstance(value_, dict) else value_)
            for value_ in value
        ]
        return None if None in inner else [word for value_ in inner for word in value_ or ()]
    if value is None or isinstance(value, str):
        return [value.strip()] if value and value.strip() else []
    return None


def of_table(text: str) -> list[Told] | None:
    """What a table says; None where there is none, or its columns cannot be told."""
    rows = marks.table_of(text)
    if not rows or len(rows[0]) < 2:
        return None
    has_head = marks.number_of(rows[0][0], NOUNS) is None
    body = rows[has_head:]
    places = [
        at
        for at in range(len(rows[0]))
        if all(not row[at] or marks.number_of(row[at], NOUNS) for row in body)
    ]
    named = [
        at
        for at, cell in enumerate(rows[0])
        if has_head and ("fact" in cell.casefold() or "claim" in cell.casefold())
    ]
    facts = named if len(named) == 1 else [1 - at for at in places if len(rows[0]) == 2]
    if not places or len(facts) != 1 or facts[0] == places[0]:
        return None
    parts, number = [], 0
    for row in body:
        number = marks.number_of(row[places[0]], NOUNS) or number
        for words in [part for part in re.split(r" ?<br ?/?> ?", row[facts[0]]) if part] or [""]:
            parts.append(Told((number,), (marks.item_of(words) or words) or None, ("table",)))
    return parts


def says_nothing(text: str) -> bool:
    """Whether an entry says that there is no fact, in words of closed lists alone, with or without the reason behind. What is
    not of these is a fact, also where it begins with `no` or `none` (`None of the crew survived.`).
    """
    if len(text) > MAX_NOTHING:
        return False
    plain = " ".join(text.replace("’", "'").casefold().split())
    bare = plain.strip(" .!*_`'\"“”„()[]（）【】。")
    names = [name for name in words_of(bare) if not name.isdecimal()]
    of_facts = all_of("OF_FACTS|OF_NOTHING", names) and has("OF_NOTHING", names)
    if _DASHES.fullmatch(plain) or bare in phrases("NO_FACT") or of_facts:
        return True
    if (none := _NONE.match(plain)) is None:
        return False
    rest = plain[none.end() :].strip(" .!)")
    return rest in phrases("NO_FACT") or has("ABOUT_FACTS", words_of(rest))
