"""The built site without what no page asks for: the same pages in fewer bytes."""

import re
from pathlib import Path

# Source maps are for who debugs the theme; `lunr` holds the words of languages in which this site is not searched.
UNASKED = ("assets/**/*.map", "assets/javascripts/lunr/**/*.js")
_AS_IT_IS = re.compile(r"(<(script|style|pre|textarea)\b.*?</\2>)", re.DOTALL)
_INDENT = re.compile(r"[ \t]*\n\s*")
_ENTITY = re.compile(r"&#(\d{2,3});")
_KEPT = frozenset("<>&\"'")  # of printable ASCII: what HTML acts on


def slim(folder: str | Path) -> None:
    """Remove the files that nothing asks for from a built site, the indentation and empty lines of its pages, and
    write each entity of a page that stands for a character which HTML does not act on as that character. Markdown
    needs them (`site.safety.inert`), browsers do not: pages read as before.
    """
    site = Path(folder)
    for pattern in UNASKED:
        for file in sorted(site.glob(pattern)):
            file.unlink()
    for page in sorted(site.rglob("*.html")):
        page.write_text(slim_html(page.read_text("utf-8")), "utf-8")


def slim_html(page: str) -> str:
    """Return a page without needless entities and blanks; scripts, styles and what keeps its blanks stay as they are."""
    parts = _AS_IT_IS.split(page)  # text, an element that stays, its name, text …
    parts[::3] = [_ENTITY.sub(_character, _INDENT.sub("\n", text)) for text in parts[::3]]
    del parts[2::3]
    return "".join(parts)


def _character(match: re.Match[str]) -> str:
    code = int(match[1])
    is_plain = 32 < code < 127 and chr(code) not in _KEPT
    return chr(code) if is_plain else match[0]
