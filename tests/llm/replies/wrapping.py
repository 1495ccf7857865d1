"""The same words in another dress: wrapped lines, one space made a line break, one word emphasised, characters of no
width, blanks of other kinds. A reader reads each like the reply that it was made of, or not at all.
"""

import random
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u061c\u180e\u034f\ufe0e\U000e0020"
BLANKS = "\u00a0\u2009\u202f\u3000\t"
WRAPS = (40, 72, 80)
EMPHASES = ("**", "*", "_", "__")
_DRESS = re.compile(f"[{ZERO_WIDTH}*_]")


def wrapped(text: str, width: int) -> str:
    """A text whose lines are broken at blanks, as a terminal or a mail program does it."""
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False, drop_whitespace=True)
        if len(line) > width
        else line
        for line in text.split("\n")
    )


def broken(text: str, at: int) -> str:
    """A text with the blank at a place made a line break."""
    return f"{text[:at]}\n{text[at + 1 :]}"


def spaces(text: str) -> list[int]:
    """Where single blanks stand between words of a line."""
    return [blank.start() for blank in re.finditer(r"(?<=\S) (?=\S)", text)]


def _words(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"(?<![^\s(])[^\W\d_]+(?=[\s.,;:!?)]|\Z)", text))


FORMS = (
    "one space",
    *(f"wrapped at {width}" for width in WRAPS),
    "emphasis",
    "zero width",
    "other blanks",
    "CRLF",
)


def variants(row: Row, form: str, draw: random.Random, n: int) -> Iterator[Row]:
    """Up to `n` rows of one form made of a row; all of its places where `n` is not less than these."""
    text = row["text"]
    if form.startswith("wrapped"):
        texts = [wrapped(text, int(form.split()[-1]))]
    elif form == "CRLF":
        texts = [text.replace("\n", "\r\n")]
    elif form == "one space":
        texts = [broken(text, at) for at in _some(spaces(text), draw, n)]
    elif form == "other blanks":
        texts = [f"{text[:at]}{draw.choice(BLANKS)}{text[at + 1 :]}" for at in _some(spaces(text), draw, n)]
    elif form == "emphasis":
        texts = []
        for word in _some(_words(text), draw, n):
            mark = draw.choice(EMPHASES)
            texts.append(f"{text[: word.start()]}{mark}{word[0]}{mark}{text[word.end() :]}")
    else:
        texts = [
            f"{text[:at]}{draw.choice(ZERO_WIDTH)}{text[at:]}" for at in _some(range(len(text) + 1), draw, n)
        ]
    for changed in texts:
        if changed != text:
            yield {**row, "text": changed}


def levelled(value: Any) -> Any:
    """A value without what `variants` may add within its texts: marks of emphasis, characters of no width, blanks."""
    if isinstance(value, dict):
        return {name: levelled(part) for name, part in value.items()}
    if isinstance(value, list):
        return [levelled(part) for part in value]
    return " ".join(_DRESS.sub("", value).split()) if isinstance(value, str) else value


def _some(places: Any, draw: random.Random, n: int) -> list[Any]:
    places = list(places)
    return places if len(places) <= n else [places[at] for at in sorted(draw.sample(range(len(places)), n))]


def differing(rows: list[Row], form: str, read: Callable[[Row], Any], *, n: int, seed: int = 7) -> list[Row]:
    """The variants of one form that are turned or invented: a value that is neither None, nor what the reply is
    read as without the change, nor what a person reads.
    """
    draw = random.Random(f"{seed} {form}")
    changed = []
    for row in rows:
        plain = read(row)
        for variant in variants(row, form, draw, n):
            got = read(variant)
            if got is not None and got != plain and got != row["value"]:
                changed.append({**variant, "got": got, "plain": plain})
    return changed
