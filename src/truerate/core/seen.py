"""Characters that nobody sees: what of a text would act on a terminal, a page or a file's name without being read."""

import re

# Control, zero-width and direction characters, halves of surrogate pairs; tab and line ends are not among them.
_STORED = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff"
HIDDEN = rf"[{_STORED}\ud800-\udfff]"
OFF_LINE = rf"[{_STORED}\t\r\n]"  # what no line holds; of texts in tables, which hold no half of a pair
_HIDDEN = re.compile(HIDDEN)
_OFF_LINE = re.compile(f"{HIDDEN}|{OFF_LINE}")


def is_line(text: str) -> bool:
    """Whether a text is one line of characters that are all seen; the empty one is."""
    return _OFF_LINE.search(text) is None


def visible(text: str, *, is_line: bool = False) -> str:
    """A text in which each character that is not seen stands as its escape (`\\u202e`), and where it shall be one line
    (`is_line`) each tab and line end, too.
    """
    return (_OFF_LINE if is_line else _HIDDEN).sub(lambda found: ascii(found[0])[1:-1], text)
