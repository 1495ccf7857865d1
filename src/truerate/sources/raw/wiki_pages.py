"""Wikipedia's pages as served (HTML): the text of the article, its title, language, address and revision."""

import re
from urllib.parse import unquote

from truerate.core.spans.page_tree import part_blocks, with_meaning, without_soft_breaks
from truerate.sources.rows import BadRow, Reason

# What is no text of an article: notes and their marks, boxes of links, banners, links to edit.
_TAGS = ("style", "script", "noscript", "input")
_CLASSES = (
    "mw-editsection reference references reflist mw-references-wrap navbox ambox metadata noprint toc "
    "mw-empty-elt"
).split()
_ASIDE = " | ".join(
    [f".//{tag}" for tag in _TAGS]
    + [f".//*[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]" for name in _CLASSES]
    + [".//*[@role='navigation']"]
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = (*_HEADINGS, "p", "li", "dt", "dd", "tr", "blockquote", "pre", "figcaption", "caption")
_CELLS = ("td", "th")
_CANONICAL = re.compile(rb'<link rel="canonical" href="([^"]*)"')
_REVISION = re.compile(r'"wgRevisionId":(\d+)')
_SPACE = re.compile(r"\s+")


def canonical(raw: bytes) -> str | None:
    """The address that a page names as its own, in the form of `plain_address`; None where it names none."""
    from lxml import html

    if match := _CANONICAL.search(raw):
        return plain_address(html.fromstring(f"<i>{match[1].decode('utf-8', 'replace')}</i>").text or "")
    return None


def plain_address(url: str) -> str:
    """An address as addresses are compared: percent-decoded, `https:`, without what follows a `#`."""
    return unquote(url).partition("#")[0].replace("http://", "https://", 1).strip()


def article(raw: bytes) -> dict:
    """A page as the columns of its document (`title`, `lang`, `url`, `text`) and its `revision_id`; raises
    BadRow without an article. The text has a block a line: headings begin with `#`, the cells of a row are
    parted by ` | `.
    """
    from lxml import etree, html

    try:
        tree = html.fromstring(raw.decode("utf-8"))
    except (UnicodeDecodeError, etree.ParserError, ValueError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not a page: {str(error)[:80]}") from None
    # boxes beside the article (indicators, banners) have the class, too: the article is the longest
    body = max(tree.find_class("mw-parser-output"), key=lambda part: len(part.text_content()), default=None)
    revision = _REVISION.search(raw.decode("utf-8"))
    if body is None or revision is None:
        raise BadRow(Reason.MISSING_FIELD, "no article (mw-parser-output, wgRevisionId) in the page")
    title = next(iter(tree.xpath("//*[@id='firstHeading']")), None)
    for aside in body.xpath(_ASIDE):
        aside.drop_tree()
    with_meaning(body)
    part_blocks(body)
    return {
        "title": _words(title.text_content() if title is not None else ""),
        "lang": (tree.get("lang") or "").partition("-")[0],
        "url": canonical(raw),
        "revision_id": int(revision[1]),
        "text": "\n".join(_lines(body)),
    }


def _lines(body) -> list[str]:
    """The blocks of an article in their order, each without the blocks that lie in it."""
    lines = []
    for block in body.iter(*_BLOCKS):
        if block.tag == "tr":
            cells = [_words(cell.text_content()) for cell in block if cell.tag in _CELLS]
            text = " | ".join(cells) if any(cells) else ""
        else:
            text = "" if _in_row(block, body) else _words(_words_of(block))
        if text:
            lines.append(f"{'#' * int(block.tag[1])} {text}" if block.tag in _HEADINGS else text)
    return lines


def _in_row(block, body) -> bool:
    """Return whether a block lies in a row of a table, whose cells hold its words already."""
    return any(parent.tag == "tr" for parent in block.iterancestors() if parent is not body)


def _words_of(block) -> str:
    """The words of a block but those of the blocks in it."""
    parts = [block.text or ""]
    for child in block:
        if child.tag not in (*_BLOCKS, "ul", "ol", "dl", "table"):
            parts.append(_words_of(child) if isinstance(child.tag, str) else "")
        parts.append(child.tail or "")
    return "".join(parts)


def _words(text: str) -> str:
    return _SPACE.sub(" ", without_soft_breaks(text)).strip()
