"""Characters that nobody sees: what of a text acts on a terminal, a page or a file name, unread."""

import re
import unicodedata

# Control, zero-width and direction characters, halves of surrogate pairs; tab and line ends are not among
# them.
_STORED = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff"
HIDDEN = rf"[{_STORED}\ud800-\udfff]"
OFF_LINE = rf"[{_STORED}\t\r\n]"  # what no line holds; of texts in tables, which hold no half of a pair
_HIDDEN = re.compile(HIDDEN)
_OFF_LINE = re.compile(f"{HIDDEN}|{OFF_LINE}")


def is_blank(text: str) -> bool:
    """Return whether nothing of a text is seen: blank space, signs without width, control characters."""
    return not text.strip() or all(
        sign.isspace() or is_unseen(sign) or unicodedata.category(sign) == "Cc" for sign in text
    )


def is_unseen(character: str) -> bool:
    """Return whether a character has no ink: category Cf, a filler, the empty Braille cell, a variation
    selector.
    """
    return (
        unicodedata.category(character) == "Cf" or character in "\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f"
    )


def is_line(text: str) -> bool:
    """Return whether a text is one line of characters that are all seen; the empty one is."""
    return _OFF_LINE.search(text) is None


def visible(text: str, *, is_line: bool = False) -> str:
    r"""A text with unseen characters as escapes (`\\u202e`), and with `is_line` also tabs and line ends."""
    return (_OFF_LINE if is_line else _HIDDEN).sub(lambda match: ascii(match[0])[1:-1], text)
