"""What of a page no reader sees, or reads as its own: hidden elements and advertisements, taken out before its text is.

Hidden are: `hidden`, `aria-hidden="true"`, a closed `dialog`; by inline style or by a rule of the page's own style
sheet for a class, an id or a tag: not displayed, not visible, without opacity, of no size, clipped away or moved off
the screen; and text of the colour of what lies behind it. Rules of other media than the screen hide nothing.
Style sheets at other addresses are not fetched, so what these hide is not known.
"""

import re
from collections.abc import Iterator

from lxml import html

# Elements that are never taken out for what they are called: with them the page would go.
WHOLE = frozenset(("html", "body", "main", "article"))
_AD = re.compile(
    r"(?:^|[-_])(?:adsbygoogle|adverts?|advertisements?|advertising|adslot|adunit|adbox|adblock|sponsored|dfp|doubleclick)(?:$|[-_])"
    r"|^ads?$|^ads?[-_](?:\w+[-_])*(?:slot|unit|box|banner|container|wrapper|block|top|side|sidebar|footer|header|inline|text|space|area|frame|\d+)$"
    r"|[-_]ads?$"
)
_FAR = 500  # pixels: what is moved as far off an edge is off the screen
_DECLARATION = re.compile(r"([a-z-]+)\s*:\s*([^;{}]*)")
_NUMBER = re.compile(r"(-?\d*\.?\d+)\s*(px|em|rem|ex|ch|pt|vw|vh|%)?")
_PIXELS = {"em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "pt": 1.33, "vw": 12.8, "vh": 8.0, "%": 12.8}
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]{1,2000})\{([^{}]*)\}")
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?((?:[.#][\w-]+)*)")
_MOVED = frozenset(("transform", "transition", "animation", "will-change", "filter"))
_ZERO_CLIP = re.compile(r"rect\(\s*(?:[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:50|100)%|circle\(\s*0")
Rules = dict[str, list[tuple[str, frozenset[str]]]]  # see `_rules`
_COLOURS = {"white": "#ffffff", "black": "#000000"}


def without_unseen(tree: html.HtmlElement) -> bool:
    """Empty what is hidden, and advertisements, of a page in place. Returns whether there was any.

    An element stays where it was, without text and attributes, so that a page of hidden elements alone costs
    no more time than it is long.
    """
    rules, is_styled = _rules(tree), _is_styled(tree)
    gone = [
        one
        for one in tree.iter()
        if isinstance(one.tag, str)
        and one.tag not in WHOLE
        and (_is_hidden(one, rules, is_styled=is_styled) or _is_advertisement(one))
    ]
    for one in gone:
        one.clear(keep_tail=True)
    return bool(gone)


def _is_hidden(one: html.HtmlElement, rules: Rules, *, is_styled: bool) -> bool:
    if (
        one.get("hidden", "until-found").strip().lower() != "until-found"
        or one.get("aria-hidden", "").strip().lower() == "true"
    ):
        return True
    if (one.tag == "dialog" and "open" not in one.attrib) or (rules and _is_of_rules(one, rules)):
        return True
    written = one.get("style")
    if not written:
        return False
    style = declared(written)
    if style.keys() & _MOVED or any(name.startswith("data-") for name in one.attrib):
        style.pop("opacity", None)  # it fades in as the reader comes to it
    colour = _colour(style.get("color"))
    return hides(style) or (
        colour is not None and colour in ("transparent", _behind(one, is_styled=is_styled))
    )


def _is_advertisement(one: html.HtmlElement) -> bool:
    if one.tag == "ins" and "adsbygoogle" in one.get("class", ""):
        return True
    if one.get("aria-label", "").strip().lower() in ("advertisement", "advertisements", "sponsored"):
        return True
    return any(_AD.search(name) for name in _names(one))


def _names(one: html.HtmlElement) -> Iterator[str]:
    for name in (*one.get("class", "").split()[:50], one.get("id", "")):
        if len(name) <= 100:
            yield name.lower()


def declared(style: str) -> dict[str, str]:
    """The declarations of a style, names and values in lower case; of two of one name the last."""
    plain = _COMMENT.sub("", style[:20000]).lower()
    return {name: value.replace("!important", "").strip() for name, value in _DECLARATION.findall(plain)}


def hides(style: dict[str, str]) -> bool:
    """Whether declarations keep an element from being seen."""
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if _pixels(style.get("opacity")) == 0 or _pixels(style.get("font-size")) == 0:
        return True
    if any(_ZERO_CLIP.search(style.get(name, "")) for name in ("clip", "clip-path")):
        return True
    sizes = [_pixels(style.get(name)) for name in ("width", "height", "max-width", "max-height")]
    if any(size is not None and size <= 1 for size in sizes) and style.get("overflow", "").startswith(
        ("hidden", "clip")
    ):
        return True
    if (_pixels(style.get("text-indent")) or 0) <= -_FAR or "scale(0)" in style.get("transform", ""):
        return True
    edges = ["margin-left", "margin-top", "margin-right"]
    if style.get("position") in ("absolute", "fixed"):
        edges += ["left", "top", "right", "bottom"]
    return any((_pixels(style.get(name)) or 0) <= -_FAR for name in edges)


def _pixels(value: str | None) -> float | None:
    """A length in pixels, about; None where there is none that can be read."""
    found = _NUMBER.fullmatch(value) if value else None
    return float(found[1]) * _PIXELS.get(found[2] or "", 1.0) if found else None


def _colour(value: str | None) -> str | None:
    """A colour as `#rrggbb` or `transparent`; None where it is none of the plain forms."""
    if not value:
        return None
    value = _COLOURS.get(value, value)
    if re.fullmatch(r"#[0-9a-f]{3}", value):
        return "#" + "".join(2 * digit for digit in value[1:])
    if re.fullmatch(r"#[0-9a-f]{6}", value):
        return value
    found = re.fullmatch(
        r"rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*([\d.]+)\s*)?\)", value
    )
    if found and found[4] is not None and float(found[4].strip(".") or 0) == 0:
        return "transparent"
    if found:
        return "#" + "".join(f"{min(255, int(part)):02x}" for part in found.groups()[:3])
    return "transparent" if value == "transparent" else None


def _behind(one: html.HtmlElement, *, is_styled: bool) -> str | None:
    """The colour behind an element: the nearest that it or what holds it names, white where nothing else gives one."""
    for above in (one, *one.iterancestors()):
        style = declared(above.get("style", ""))
        named = style.get("background-color") or style.get("background") or above.get("bgcolor")
        if named:
            return _colour(named.strip().lower())
    return None if is_styled else "#ffffff"


def _is_styled(tree: html.HtmlElement) -> bool:
    """Whether a page may get a background from a style sheet."""
    sheets = tree.xpath("//link[contains(translate(@rel, 'STYLEH', 'styleh'), 'stylesheet')]")
    return bool(sheets) or any("background" in (sheet.text or "") for sheet in tree.iter("style"))


def _rules(tree: html.HtmlElement) -> Rules:
    """The page's own rules that hide: by one name of a class or id (with its mark) or by tag, the tag and all names
    that must be there. Selectors of more than one element are left out.
    """
    found: Rules = {}
    for sheet in tree.iter("style"):
        media = sheet.get("media", "").lower()
        if media and "all" not in media and "screen" not in media:
            continue
        for selectors, body in _RULE.findall(_plain_rules(sheet.text or "")):
            if not hides(declared(body)):
                continue
            for selector in selectors.lower().split(","):
                simple = _SIMPLE.fullmatch(selector.strip())
                if simple and simple[0]:
                    names = frozenset(re.findall(r"[.#][\w-]+", simple[2]))
                    found.setdefault(min(names, default=simple[1]), []).append((simple[1] or "", names))
    return found


def _plain_rules(sheet: str) -> str:
    """A style sheet without comments and without what stands in blocks of `@media` and the like."""
    parts, depth, begin, is_at = [], 0, 0, False
    plain = _COMMENT.sub("", sheet[:500_000])
    for mark in re.finditer(r"[{};]", plain):
        if mark[0] == ";" and depth == 0:
            begin = mark.end()
        elif mark[0] == "{":
            if depth == 0:
                is_at = plain[begin : mark.start()].lstrip().startswith("@")
            depth += 1
        elif mark[0] == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                parts += [] if is_at else [plain[begin : mark.end()]]
                begin = mark.end()
    return "\n".join(parts)


def _is_of_rules(one: html.HtmlElement, rules: Rules) -> bool:
    """Whether a rule of the page's own hides an element."""
    names = {"." + name.lower() for name in one.get("class", "").split()[:50]}
    if one.get("id"):
        names.add("#" + one.get("id", "").lower())
    return any(
        tag in ("", one.tag) and needed <= names
        for key in (one.tag, *names)
        for tag, needed in rules.get(key, ())
    )
