"""Text that nobody vouches for, made inert: for Markdown pages, for scripts, for CSV."""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from truerate.core.invisible import HIDDEN

_HIDDEN = re.compile(HIDDEN)
# Python-Markdown acts on most ASCII punctuation, even inside raw HTML. What stays is letters, digits, blank
# and comma.
_ACTIVE = re.compile(rf"{_HIDDEN.pattern}|[^A-Za-z0-9 ,\u00a1-\U0010ffff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def inert(text: object) -> Markup:
    """A text as HTML that no Markdown extension, template pass or browser acts on; it stays on one line.

    Each character beyond letters, digits, blank and comma becomes a numeric entity (`html.escape` leaves
    Markdown alive: measured). Control and direction characters become visible chips. Markup and numbers pass
    unchanged; None is empty.
    """
    if isinstance(text, Markup):
        return text
    if isinstance(text, int | float):
        return Markup(text)
    return Markup(_ACTIVE.sub(_shown, "" if text is None else str(text)))


def coded(text: str) -> Markup:
    """Return a text as inert HTML, in it code between backticks."""
    pieces = map(inert, re.split(r"`+([^`]+)`+", text))
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(piece) if index % 2 else piece for index, piece in enumerate(pieces))


def _shown(match: re.Match) -> str:
    code = ord(match[0])
    if _HIDDEN.match(match[0]):
        return f'<span class="tr-chip" title="invisible character">U&#43;{code:04X}</span>'
    return f"&#{code};"


def plain(text: object) -> str:
    """Return a text without markup or chips (title, attribute): hidden characters as `U+202E`, no `<>&"`."""
    shown = _HIDDEN.sub(lambda match: f"U+{ord(match[0]):04X}", "" if text is None else str(text))
    return re.sub(r"[<>&\"{}`\[\]\\\n]", " ", shown).strip()


def slug(text: object) -> Markup:
    """A text as an anchor or file name: `a-z`, digits and hyphens."""
    return Markup(re.sub(r"[^a-z0-9]+", "-", str(text).lower()).strip("-") or "x")


def script(call: str, *values: object) -> str:
    """A data script `call(values…);` that is safe inside any page: `<`, U+2028 and U+2029 are escaped."""
    packed = ",".join(
        json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True) for value in values
    )
    for character, escaped in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        packed = packed.replace(character, escaped)
    return f"{call}({packed.encode('utf-8', 'replace').decode('utf-8')});\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence]) -> str:
    """Return a CSV file that a spreadsheet opens without running a cell: formulas get an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_guarded(value) for value in row] for row in rows)
    return out.getvalue()


def _guarded(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
