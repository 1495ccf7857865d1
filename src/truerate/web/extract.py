"""From a fetched page to its text: decode its bytes, drop what it hides, take the main text or all text."""

import codecs
import re
from collections.abc import Iterable

from lxml import etree, html
from trafilatura import extract

from truerate.core.spans.page_tree import BLOCKS, with_meaning, without_soft_breaks
from truerate.core.text import clean, n_words
from truerate.web.outcomes import PATTERNS, Outcome, Page, Text, judged, pattern, tidy

MAIN, TAGS = "main", "tags"
UNSEEN = frozenset("script style noscript template iframe svg head".split())  # whose text nobody reads
FALLBACKS = frozenset("audio canvas datalist template video".split())  # for programs that cannot show them
WHOLE = frozenset("html body main article".split())  # never dropped: the page would go with them
_HIDING, _ADVERTISEMENT, _CC = map(pattern, ("hiding", "advertisement", "creative_commons"))
# `@media print {…}`: holds at times
_SHEET_BLOCK = re.compile(r"@[^{};@]{0,500}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_SHEET_RULE = re.compile(r"\.([\w-]{1,100})\s*\{([^{}]*)\}")
# trafilatura drops joiners, which are letters' forms (Persian, Hindi …): signs of cuneiform stand for them.
_STAND_INS = {0x200C: 0x12400, 0x200D: 0x12401}
_JOINERS = {sign: joiner for joiner, sign in _STAND_INS.items()}
MUCH = 100  # words outside tags that are not given up because no main text is found among them
MAX_BROKEN = 0.02  # share of characters that may be lost in decoding
_BYTE_ORDER = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")  # of XML, which lxml refuses in characters


def extracted(page: Page, how: str, sign_in_phrases: Iterable[str] = ()) -> Text:
    """The text of a page that was fetched; its outcome where it has none to give."""
    if page.outcome is not Outcome.OK:
        return Text(page.outcome, detail=page.detail)
    markup = decoded(page.body, page.charset)
    if markup is None:
        return Text(Outcome.UNDECODABLE, detail=f"charset {page.charset or 'not named'}")
    return of_markup(markup, how, sign_in_phrases)


def of_markup(markup: str, how: str, sign_in_phrases: Iterable[str] = ()) -> Text:
    """The text of a page's HTML."""
    try:
        tree = html.document_fromstring(_DECLARATION.sub("", markup))
    except (etree.LxmlError, ValueError):
        return Text(Outcome.EMPTY)
    title, dated, licence = _title(tree), _dated(tree), _licence(tree)
    try:
        # a page that hides nothing, and has no joiners (as entities, too), is read as it came, byte by byte
        is_changed = with_meaning(tree) | drop_hidden(tree)
        if is_changed or not _STAND_INS.keys().isdisjoint(map(ord, tree.text_content())):
            markup = html.tostring(tree, encoding="unicode")
        text = tidy(without_soft_breaks(_tags(tree) if how == TAGS else _main(markup) or ""))
        if not text and how == MAIN and n_words(everything := tidy(without_soft_breaks(_tags(tree)))) >= MUCH:
            text = everything  # lists that are never closed: the parser of main texts gives up on them
    except Exception as error:  # a page made to break a parser costs that page, not the run
        return Text(Outcome.ERROR, title=title, detail=type(error).__name__)
    return judged(text, title, dated, sign_in_phrases, licence=licence)


# ---- what a page hides -------------------------------------------------------------------------------------
def drop_hidden(tree: html.HtmlElement) -> bool:
    """Empty in place advertisements and what a page hides by attribute (`hidden`, `aria-hidden`, inline
    style), by a class of its own style sheet or as a closed dialog; return whether there was any. The
    elements stay, emptied: so a page of hidden elements alone takes linear time.
    """
    shown = [sheet for sheet in tree.iter("style") if sheet.get("media", "all").lower() in ("all", "screen")]
    sheets = "".join(sheet.text or "" for sheet in shown)[:500_000]
    rules = _SHEET_RULE.findall(_SHEET_BLOCK.sub(" ", sheets))
    classes = {name.lower() for name, style in rules if _HIDING.search(style)}
    elements = (element for element in tree.iter(etree.Element) if element.tag not in WHOLE)
    hidden = [element for element in elements if _is_hidden(element, classes)]
    for element in hidden:
        element.clear(keep_tail=True)
    return bool(hidden)


def _is_hidden(element: html.HtmlElement, classes: set[str]) -> bool:
    attributes = {name: value.strip().lower() for name, value in element.attrib.items()}
    names = [name for name in attributes.get("class", "").split()[:50] if len(name) <= 100]
    return (
        element.tag in FALLBACKS
        or (element.tag == "dialog" and "open" not in attributes)
        or "popover" in attributes
        or attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden") == "true"
        or _HIDING.search(attributes.get("style", "")[:20_000]) is not None
        or attributes.get("aria-label") in ("advertisement", "advertisements", "sponsored")
        or not classes.isdisjoint(names)
        or any(_ADVERTISEMENT.search(name) for name in [*names, attributes.get("id", "")[:100]])
    )


# ---- from bytes to text ------------------------------------------------------------------------------------
def decoded(body: bytes, charset: str | None) -> str | None:
    """Return the characters of a page, None where too many cannot be read.

    The encoding is that of a byte order mark; else UTF-8 where the bytes are that, without an escape or zero
    byte (headers are often wrong); else the header's, the page's own, and last UTF-8 or Windows-1252,
    whichever loses less.
    """
    for mark, name in _BYTE_ORDER.items():
        if body.startswith(mark):
            return _sound(body[len(mark) :].decode(name, "replace"))
    in_page = _META.search(body[:4096])
    declared = in_page[1].decode("ascii", "replace") if in_page else None
    names = [name for name in map(_codec, (charset, declared)) if name]
    if b"\0" not in body and b"\x1b" not in body:
        names.insert(0, "utf-8")
    for name in names:
        try:
            return _sound(body.decode(name))
        except UnicodeError:
            continue
    if b"\0" in body:
        return None
    tries = [body.decode(name, "replace") for name in dict.fromkeys([*names, "utf-8", "cp1252"])]
    return _sound(min(tries, key=_n_broken))


def _codec(name: str | None) -> str | None:
    """Python's name of an allowed encoding, None for any other."""
    try:
        codec = codecs.lookup((name or "").strip().lower()).name
    except (LookupError, ValueError):
        return None
    codec = PATTERNS["wider"].get(codec, codec)
    return codec if codec in PATTERNS["codecs"] else None


def _n_broken(text: str) -> int:
    """Characters that were lost, and control characters that no text holds."""
    controls = (c < " " and c not in "\t\n\r\f\x1b" or "\x7f" <= c <= "\x9f" for c in text)
    return text.count("\ufffd") + sum(controls)


def _sound(text: str) -> str | None:
    return text if _n_broken(text) <= MAX_BROKEN * len(text) else None


def _main(markup: str) -> str | None:
    """The main text without menus, advertisements and comments (trafilatura), the same on every day."""
    options = {
        "include_comments": False,
        "include_tables": True,
        "deduplicate": False,
        "with_metadata": False,
    }
    text = extract(_DECLARATION.sub("", markup).translate(_STAND_INS), **options)
    return text and text.translate(_JOINERS)


def _tags(tree: html.HtmlElement) -> str:
    """All text outside tags, scripts and styles (WildHallucinations, section 2)."""
    parts: list[str] = []
    for event, element in etree.iterwalk(tree, events=("start", "end"), tag=None):
        is_element, parent = isinstance(element.tag, str), element.getparent()
        if is_element and element.tag in BLOCKS:
            parts.append("\n")
        if event == "start" and is_element and element.text and not _is_unseen(element):
            parts.append(element.text)
        if event == "end" and element.tail and parent is not None and not _is_unseen(parent):
            parts.append(element.tail)
    return "".join(parts)


def _is_unseen(element: html.HtmlElement) -> bool:
    return element.tag in UNSEEN or any(above.tag in UNSEEN for above in element.iterancestors())


# ---- what a page says of itself ----------------------------------------------------------------------------
def _title(tree: html.HtmlElement) -> str:
    parts = tree.xpath("//head/title//text()") or tree.xpath("//h1//text()")
    return " ".join(clean("".join(parts)).split())[:300]


def _dated(tree: html.HtmlElement) -> str | None:
    """The date that a page gives itself, the latest kind of it first."""
    values = (value for path in PATTERNS["dated"] for value in tree.xpath(path))
    return next((match[0] for value in values if (match := _DATE.search(value))), None)


def _licence(tree: html.HtmlElement) -> str | None:
    """The Creative Commons licence that a page names as its own (`CC BY-SA 4.0`); None for none or two."""
    for path in PATTERNS["licensed"]:
        matches = [_CC.match(address.strip()) for address in tree.xpath(path)]
        if matches:
            names = {match and (match[3] or (match[1].upper(), match[2])) for match in matches}
            name = names.pop() if len(names) == 1 else None
            return name and ("CC0 1.0" if isinstance(name, str) else f"CC {name[0]} {name[1]}")
    return None
