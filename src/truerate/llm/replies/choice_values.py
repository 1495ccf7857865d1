"""Replies that give each of two texts a value of its own: a score, stars, a tick, yes or no; in words or in a table."""

from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.choice_predicates import predicate_of
from truerate.llm.replies.choice_words import NAMES, words_in
from truerate.llm.replies.phrases import Words, single

_RULE = lazy(r"\|?[\s:|-]*-[\s:|-]*")
_SEPARATORS = frozenset(": ： - – — = ( scores gets receives earns".split())
_TICKS = dict.fromkeys("✓✔✅☑", True) | dict.fromkeys("✗✘❌✖", False)
_ANSWERS = {"yes": True, "y": True, "no": False, "n": False}
_MOST = 14  # words of a head
Value = tuple[str, float]  # a kind and how much of it


def of_words(words: Words, asks: str | None) -> int | None:
    """The text that values pick which stand right behind or right before the two names of a reply, each named once."""
    if words[1:2] == (">",) and len(words) == 3 and asks == "best" and {words[0], words[2]} == set(NAMES):
        return NAMES.index(words[0])
    places = [at for at, word in enumerate(words) if word in NAMES]
    if len(places) != 2 or words[places[0]] == words[places[1]]:
        return None
    first, second = places
    if len(words) == 4 and first == 1 and second == 3:  # a tick before each name
        head, parts = (), (words[:1], words[2:3])
    elif _is_ranking(words, first, second):
        return NAMES.index(words[first]) if asks == "best" else None
    else:
        head, parts = words[:first], (words[first + 1 : second], words[second + 1 :])
    picked = _picked(head, parts, asks)
    return None if picked is None else NAMES.index(words[places[picked]])


def of_pairs(heads: Sequence[tuple[Words, str]], asks: str | None) -> int | None:
    """The text that the values of a JSON object pick, of which each of two keys names a text."""
    names = [next(word for word in head if word in NAMES) for head, _ in heads]
    rests = [tuple(word for word in head if word not in NAMES) for head, _ in heads]
    if names[0] == names[1] or rests[0] != rests[1]:
        return None
    parts = [{"True": ("yes",), "False": ("no",)}.get(value) or words_in(value) for _, value in heads]
    if any(part[:1] and part[0].isdigit() for part in parts):
        return None
    picked = _picked(rests[0], (parts[0], parts[1]), asks)
    return None if picked is None else NAMES.index(names[picked])


def _is_ranking(words: Words, first: int, second: int) -> bool:
    """Whether words are `Ranking: 1. X 2. Y`."""
    bare = tuple(word for word in words if word not in ".,:)")
    return bare == ("ranking", "1", words[first], "2", words[second])


def of_table(text: str, asks: str | None) -> int | None:
    """The text that the one decisive column or row of a table picks, of which two rows or columns are the texts."""
    rows = _rows(text)
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return None
    if not any(rows[0][1:] and rows[0][at] in ((name,) for name in NAMES) for at in range(len(rows[0]))):
        rows = list(zip(*rows, strict=True))
    places = {cell[0]: at for at, cell in enumerate(rows[0]) if len(cell) == 1 and cell[0] in NAMES}
    named = [word for row in rows for cell in row for word in cell if word in NAMES]
    if len(places) != 2 or (len(named) != 2):
        return None
    others = [at for at in range(len(rows[0])) if at not in places.values()]
    heads = [(next((row[at] for at in others), ()), row) for row in rows[1:]]
    finals = [one for one in heads if set(one[0]) & single("of_all")] or [
        one
        for one in heads
        if len(heads) == 1 or set(one[0]) & single("of_verdicts" if asks == "best" else "more_is_fault")
    ]
    if len(finals) != 1:
        return None
    head, row = finals[0]
    picked = _picked(head, tuple(row[places[name]] for name in NAMES), asks)
    return picked


def without_rows(text: str) -> str:
    """A text without the rows of tables, of which a line break may stand within each."""
    lines: list[str] = []
    is_open = False
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith("|") or (is_open and bare):
            is_open = not bare.endswith("|") or bare == "|"
        else:
            lines.append(line)
            is_open = False
    return "\n".join(lines)


def _rows(text: str) -> list[tuple[Words, ...]]:
    """The cells of a reply that is a table alone, as words; none of another."""
    lines: list[str] = []
    for line in (line.strip() for line in text.split("\n")):
        if lines and not lines[-1].endswith("|"):
            lines[-1] += f" {line}"
        elif line:
            lines.append(line)
    if not all(line[0] == "|" and line[-1] == "|" for line in lines):
        return []
    return [
        tuple(words_in(cell) for cell in line[1:-1].split("|")) for line in lines if not _RULE.fullmatch(line)
    ]


def _picked(head: Words, parts: tuple[Words, Words], asks: str | None) -> int | None:
    """Which of two values is the one asked for (0 or 1), under a head that says what more of it means."""
    values = [_value(part) for part in parts]
    if len(head) > _MOST or None in values or asks is None:
        return None
    (kind, one), (other_kind, other) = (value or ("", 0) for value in values)
    if kind != other_kind or one == other:
        return None
    if (
        kind == "of "
        and not head
        and (max(one, other) > 1 or float(one).is_integer() and float(other).is_integer())
    ):
        return None
    more = _more(head, kind, asks)
    if more is None or (more == "best" and asks != "best"):
        return None
    is_most = (more == "fault") == (asks == "hallucinated")
    return int((other > one) == is_most)


def _more(head: Words, kind: str, asks: str) -> str | None:
    """What more of a value means: `fault`, `sound` or `best`; None where the head does not say it."""
    at = head.index("(") if "(" in head else len(head)
    head, legend = tuple(word for word in head[:at] if word[0].isalnum()), head[at + 1 :]
    if not head:
        return (
            None
            if legend
            else {"predicate": "sound", "answer": "fault" if asks == "hallucinated" else None}.get(
                kind, "best"
            )
        )
    found = [name for name in ("more_is_fault", "more_is_sound", "of_verdicts") if set(head) & single(name)]
    known = single("head_words").union(*(single(name) for name in found))
    more = (
        {"more_is_fault": "fault", "more_is_sound": "sound", "of_verdicts": "best"}[found[0]]
        if found
        else None
    )
    if "rank" in head:
        return "fault" if more == "best" and legend[:3] == ("1", "=", "best") else None
    is_meant = not legend or (
        legend[:2] == ("0", "=") and legend[2] in ("none", "grounded", "faithful")
        if more == "fault"
        else "higher" in legend
    )
    return more if set(head) <= known and is_meant and "lower" not in legend else None


def _value(words: Words) -> Value | None:
    """The value that words are: a number out of one and the same, stars, a tick, yes or no, a word of a pole."""
    while words and words[0] in _SEPARATORS:
        words = words[1:]
    while words and (words[-1] in ".;," or words[-1] == "and"):
        words = words[:-1]
    if not words:
        return None
    if words[0].isdigit():
        return _number(words)
    if set(words) <= set("★⭐☆"):
        return "stars", sum(word in "★⭐" for word in words)
    if words[0] in _TICKS and not set(words[1:]) & set(_TICKS):
        return "tick", _TICKS[words[0]]
    if words[0] in _ANSWERS:
        return ("answer", _ANSWERS[words[0]]) if len(words) == 1 else None
    said = predicate_of(("is", *words)) if len(words) < 4 else None
    return ("predicate", said == "sound") if said in ("fault", "sound") else None


def _number(words: Words) -> Value | None:
    n, words = float(words[0]), words[1:]
    if len(words) > 1 and words[0] == "." and words[1].isdigit() and len(words[1]) < 4:
        n, words = n + float(f"0.{words[1]}"), words[2:]
    out_of = ""
    if words[:1] == ("/",) and words[1:2] and words[1].isdigit():
        out_of, words = words[1], words[2:]
        if n > float(out_of[:9]):
            return None
    names = ("withdrawn", "hedges", "told_doubts", "of_scores")
    is_plain = not any(word.isdigit() or word in single(name) for word in words for name in names)
    is_remark = out_of and is_plain and len(words) < 30 and words[0] in "-–—.(" if words else True
    return (f"of {out_of}", n) if is_remark else None
