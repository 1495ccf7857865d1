"""Replies that give each of two texts a value of its own: a score, stars, a tick, yes or no; in words or in a table."""

from truerate.core.patterns import lazy
from truerate.llm.replies.choice_predicates import predicate_of
from truerate.llm.replies.choice_words import NAMES, words_in
from truerate.llm.replies.phrases import Words, has, single

_RULE = lazy(r"\|?[\s:|-]*-[\s:|-]*")
_TRUTH = dict.fromkeys("✓ ✔ ✅ ☑ yes y".split(), True) | dict.fromkeys("✗ ✘ ❌ ✖ no n".split(), False)
_MOST_HEAD, _MOST_REMARK, _MOST_ROWS = 14, 30, 100  # words, words, rows
_REMARKS = ("withdrawn", "hedges", "told_doubts", "of_scores")
Value = tuple[str, float]  # a kind and how much of it


def of_words(words: Words, asks: str | None) -> int | None:
    """The text that values pick which stand right behind or right before the two names of a reply, each named once."""
    places = [at for at, word in enumerate(words) if word in NAMES]
    if len(places) != 2 or words[places[0]] == words[places[1]]:
        return None
    first, second = places
    bare = tuple(word for word in words if word not in ".,:)")
    is_ranking = len(bare) == 5 and bare[:2] == ("ranking", "1") and bare[3] == "2"
    if asks == "best" and (is_ranking or words[1:2] == (">",) and len(words) == 3):
        return NAMES.index(words[first])
    if len(words) == 4 and (first, second) == (1, 3):  # a tick before each name
        picked = _picked((), (words[:1], words[2:3]), asks)
    else:
        picked = _picked(words[:first], (words[first + 1 : second], words[second + 1 :]), asks)
    return None if picked is None else NAMES.index(words[places[picked]])


def of_table(text: str, asks: str | None) -> int | None:
    """The text that the one decisive column or row of a table picks, of which two rows or columns are the texts."""
    rows = _rows(text)
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return None
    if not any(cell in (("@1",), ("@2",)) for cell in rows[0]):
        rows = list(zip(*rows, strict=True))
    places = {cell[0]: at for at, cell in enumerate(rows[0]) if len(cell) == 1 and cell[0] in NAMES}
    if len(places) != 2 or sum(word in NAMES for row in rows for cell in row for word in cell) != 2:
        return None
    label = next((at for at in range(len(rows[0])) if at not in places.values()), None)
    heads = [(() if label is None else row[label], row) for row in rows[1:]]
    column = "of_verdicts" if asks == "best" else "more_is_fault"
    finals = [head for head in heads if has(head[0], "of_all")] or [
        head for head in heads if len(heads) == 1 or has(head[0], column)
    ]
    if len(finals) != 1:
        return None
    head, row = finals[0]
    return _picked(head, (row[places[NAMES[0]]], row[places[NAMES[1]]]), asks)


def _rows(text: str) -> list[tuple[Words, ...]]:
    """The cells of a reply that is a table alone, as words; none of another."""
    lines: list[str] = []
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        if lines and not lines[-1].endswith("|"):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    if len(lines) > _MOST_ROWS or not all(line[0] == "|" and line[-1] == "|" for line in lines):
        return []
    told = [line[1:-1].split("|") for line in lines if not _RULE.fullmatch(line)]
    return [tuple(words_in(cell) for cell in cells) for cells in told]


def without_rows(text: str) -> str:
    """A text without the rows of tables, of which a line break may stand within each."""
    lines: list[str] = []
    is_open = False
    for line in text.split("\n"):
        bare = line.strip()
        is_row = bare.startswith("|") or bare.endswith("|") or is_open and bare != ""
        is_open = is_row and (not bare.endswith("|") or bare == "|")
        lines += [] if is_row else [line]
    return "\n".join(lines)


def _picked(head: Words, parts: tuple[Words, Words], asks: str | None) -> int | None:
    """Which of two values is the one asked for (0 or 1), under a head that says what more of it means."""
    one, other = (_value(part) for part in parts)
    if len(head) > _MOST_HEAD or not one or not other or asks is None or one[0] != other[0] or one == other:
        return None
    more = _more(head, one, asks)
    if more is None or (more == "best" and asks != "best"):
        return None
    picked = int((other > one) == ((more == "fault") == (asks == "hallucinated")))
    is_contrary = has(parts[picked], "fault_words" if asks == "best" else "sound_words")
    return None if is_contrary and one[0].startswith("of") else picked


def _more(head: Words, value: Value, asks: str) -> str | None:
    """What more of a value means: `fault`, `sound` or `best`; None where the head does not say it."""
    at = head.index("(") if "(" in head else len(head)
    head, legend = tuple(word for word in head[:at] if word[0].isalnum()), head[at + 1 :]
    if not head:
        answer = "fault" if asks == "hallucinated" else None
        return None if legend else {"said": "sound", "answer": answer, "number": None}.get(value[0], "best")
    found = [name for name in ("more_is_fault", "more_is_sound", "of_verdicts") if has(head, name)]
    if not found or not set(head) <= single("head_words").union(*map(single, found)):
        return None
    more = {"more_is_fault": "fault", "more_is_sound": "sound"}.get(found[0], "best")
    if "rank" in head:
        return "fault" if more == "best" and legend[:3] == ("1", "=", "best") else None
    is_none = legend[:2] == ("0", "=") and has(legend[2:3], "no_fault")
    is_meant = not legend or (is_none if more == "fault" else "higher" in legend and "lower" not in legend)
    return more if is_meant else None


def _value(words: Words) -> Value | None:
    """The value that words are: a number out of one and the same, stars, a tick, yes or no, a word of a pole."""
    while has(words[:1], "before_value"):
        words = words[1:]
    while has(words[-1:], "behind_value"):
        words = words[:-1]
    if not words or words[0].isdigit():
        return _number(words) if words else None
    if set(words) <= set("★⭐☆"):
        return "stars", sum(word in "★⭐" for word in words)
    if words[0] in _TRUTH:
        kind = "answer" if words[0].isalpha() else "tick"
        return (
            (kind, _TRUTH[words[0]])
            if len(words) == 1 or kind == "tick" and not set(words[1:]) & set(_TRUTH)
            else None
        )
    said = predicate_of(("is", *words)) if len(words) < 4 else None
    return ("said", said == "sound") if said in ("fault", "sound") else None


def _number(words: Words) -> Value | None:
    """The number that words begin with, of which nothing or a remark on a score out of some number stands behind it."""
    n, words, kind = float(words[0][:9]), words[1:], "number"
    if words[:1] == (".",) and words[1:2] and words[1].isdigit():
        n, words, kind = n + float(f"0.{words[1][:9]}"), words[2:], "number" if n else "share"
    if words[:1] != ("/",) or not words[1:2] or not words[1].isdigit():
        return None if words else (kind, n)
    out_of, words = words[1][:9], words[2:]
    is_remark = has(words[:1], "remark_signs") and len(words) < _MOST_REMARK
    is_plain = (
        not words or is_remark and not has(words, *_REMARKS) and not any(word.isdigit() for word in words)
    )
    return (f"of {out_of}", n) if is_plain and n <= float(out_of) else None
