"""Read facts by the number of their sentence in JSON and in tables between bars, and detect entries that
state no fact.
"""

import re
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.lists import marks
from truerate.llm.replies.matching import all_of, has, phrases, words_of

NOUNS = frozenset("sentence sentences sent satz phrase frase s no nr number zeile 句 句子 第".split())
MAX_NOTHING = 300  # characters of words that state no fact
_NUMBER_KEYS = tuple("sentence sentence_id sentence_number sentence_index number id index n no nr".split())
_FACT_KEYS = tuple("fact facts atomic_fact atomic_facts text claim claims statement content".split())
_DASHES = lazy(r"[-–—‐−∅/\\Øø∕]{1,3}")
_NONE = lazy(
    r"[(\[]?(?:none|no facts?|n/a|nothing|opinion)[)\]]?\s*(?:[-–—:;,.(/]|because\b|as\b|since\b)\s*"
)


class Statement(NamedTuple):
    """The words of one entry (None: unreadable), the numbers of its sentences from 1, and how loosely it was
    read.
    """

    numbers: tuple[int, ...]
    text: str | None
    cuts: tuple[str, ...] = ()


def of_json(value: Any, n: int) -> list[Statement] | None:
    """The statements of a JSON value: an object by number, a list of objects, of pairs, of lists by place, of
    lines; None where it names no sentences.
    """
    while isinstance(value, dict) and len(value) == 1 and marks.number_of(next(iter(value)), NOUNS) is None:
        value = next(iter(value.values()))
    pairs: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    for position, item in enumerate(value if isinstance(value, list) else (), 1):
        if isinstance(item, dict):
            pairs.append((marks.first_of(item, _NUMBER_KEYS), marks.first_of(item, _FACT_KEYS)))
        elif isinstance(item, list):
            is_pair = len(item) == 2 and isinstance(item[0], int)
            pairs.append((item[0], item[1]) if is_pair else (position if len(value) == n else None, item))
        else:
            entry = marks.entry_of(item, NOUNS) if isinstance(item, str) else None
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


def of_table(text: str) -> list[Statement] | None:
    """The statements of a table; None where there is none, or nobody can tell which columns hold the numbers
    and the facts.
    """
    rows = marks.table_of(text)
    has_head = bool(rows) and marks.number_of(rows[0][0], NOUNS) is None
    body, columns = rows[has_head:], range(len(rows[0]) if rows else 0)
    numbered = [at for at in columns if all(not row[at] or marks.number_of(row[at], NOUNS) for row in body)]
    named = [
        at for at in columns if has_head and any(word in rows[0][at].casefold() for word in ("fact", "claim"))
    ]
    facts = named if len(named) == 1 else [1 - at for at in numbered if len(columns) == 2]
    if not numbered or len(facts) != 1 or facts[0] == numbered[0]:
        return None
    statements, number = [], 0
    for row in body:
        number = marks.number_of(row[numbered[0]], NOUNS) or number
        for words in [part for part in re.split(r" ?<br ?/?> ?", row[facts[0]]) if part] or [""]:
            statements.append(Statement((number,), (marks.item_of(words) or words) or None, ("table",)))
    return statements


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
    of_facts = all_of("OF_FACTS|OF_NOTHING", words) and has("OF_NOTHING", words)
    if _DASHES.fullmatch(plain) or bare in phrases("NO_FACT") or of_facts:
        return True
    none = _NONE.match(plain)
    rest = plain[none.end() :].strip(" .!)") if none else ""
    return none is not None and (rest in phrases("NO_FACT") or has("ABOUT_FACTS", words_of(rest)))
