"""What of a page no reader sees, or reads as its own: hidden elements and advertisements, taken out before its text is.

Hidden are: `hidden`, `aria-hidden="true"`, a closed `dialog`; by inline style or by a rule of the page's own style
sheet for a class, an id or a tag: not displayed, not visible, without opacity, of no size, clipped away, turned or moved
off the screen; and text of the colour of what lies behind it. So are classes that are known to be read aloud alone, and
what stands in for a film or a drawing. Rules of other media than the screen hide nothing.
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
_CARRIED = 5000  # pixels: tracks of slides that are seen are carried less far
_FAINT = 0.02  # of opacity
ALOUD = frozenset("sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only".split())
STAND_INS = frozenset(
    "audio canvas datalist rp video".split()
)  # elements whose text is for who cannot show them
_NOTHING = re.compile(r"scale(?:3d|x|y|z)?\(\s*0(?:\.0*)?%?\s*[,)]|rotate[xy]\(\s*-?90deg")
_SHIFT = re.compile(r"translate(?:3d|x|y)?\(([^)%]*)\)")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_BLOCK = re.compile(
    r"@(?:media\s+(?:only\s+)?(?:screen|all)|layer\b[^{;(]*|supports\b[^{;]*)\s*", re.IGNORECASE
)
_NESTED = 3  # blocks of a style sheet within one another that are looked into
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
    if one.tag == "template" and "shadowrootmode" not in one.attrib:
        return True
    if (
        "popover" in one.attrib
        or one.tag in STAND_INS
        or not ALOUD.isdisjoint(one.get("class", "").lower().split())
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
    plain = _ESCAPE.sub(_unescaped, _COMMENT.sub("", style[:20000])).lower()
    return {name: value.replace("!important", "").strip() for name, value in _DECLARATION.findall(plain)}


def _unescaped(escape: re.Match[str]) -> str:
    """The character of an escape in a style; none where its number is none."""
    number = int(escape[1], 16) if escape[1] else 0
    return escape[2] or (chr(number) if 0 < number < 0xD800 else "")


def hides(style: dict[str, str]) -> bool:
    """Whether declarations keep an element from being seen."""
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if style.get("content-visibility") == "hidden" or _is_faint(style) or _is_tiny(style):
        return True
    if any(_ZERO_CLIP.search(style.get(name, "")) for name in ("clip", "clip-path")):
        return True
    sizes = [_pixels(style.get(name)) for name in ("width", "height", "max-width", "max-height")]
    if any(size is not None and size <= 1 for size in sizes) and style.get("overflow", "").startswith(
        ("hidden", "clip")
    ):
        return True
    return _is_moved_away(style)


def _is_faint(style: dict[str, str]) -> bool:
    opacity = _pixels(style.get("opacity"))
    fill = _colour(style.get("-webkit-text-fill-color"))
    filtered = re.search(r"opacity\(\s*0(?:\.0*)?%?\s*\)", style.get("filter", ""))
    return (opacity is not None and opacity <= _FAINT) or fill == "transparent" or filtered is not None


def _is_tiny(style: dict[str, str]) -> bool:
    size = _pixels(style.get("font-size"))
    if (size is not None and size <= 1) or re.match(r"0(?:px)?(?:\s*/|\s)", style.get("font", "")):
        return True
    return (
        "0" in (style.get("zoom"), style.get("scale"))
        or _NOTHING.search(style.get("transform", "")) is not None
    )


def _is_moved_away(style: dict[str, str]) -> bool:
    """Whether declarations put an element beyond an edge of the screen, on whose side nobody can scroll."""
    margins = style.get("margin", "").split()
    lengths = [
        style.get(name) for name in ("text-indent", "margin-left", "margin-top", "margin-right")
    ] + margins
    if style.get("position") in ("absolute", "fixed"):
        lengths += [style.get(name) for name in ("left", "top", "right", "bottom")] + style.get(
            "inset", ""
        ).split()
    if any((_pixels(length) or 0) <= -_FAR for length in lengths):
        return True
    shift = _SHIFT.search(style.get("transform", ""))
    parts = shift[1].split(",") if shift else []
    return any((_pixels(part.strip()) or 0) <= -_CARRIED for part in parts)


def _pixels(value: str | None) -> float | None:
    """A length in pixels, about; None where there is none that can be read."""
    plain = value[5:-1].strip() if value and value.startswith("calc(") and value.endswith(")") else value
    found = _NUMBER.fullmatch(plain) if plain else None
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
    if re.fullmatch(r"#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)", value):
        return "transparent"
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


def _plain_rules(sheet: str, nested: int = 0) -> str:
    """A style sheet without comments and without what stands in blocks of `@media` and the like, but for those that
    hold on any screen.
    """
    parts, depth, begin, inner, is_at, is_open = [], 0, 0, 0, False, False
    plain = _COMMENT.sub("", sheet[:500_000])
    for mark in re.finditer(r"[{};]", plain):
        if mark[0] == ";" and depth == 0:
            begin = mark.end()
        elif mark[0] == "{":
            if depth == 0:
                head, inner = plain[begin : mark.start()].strip(), mark.end()
                is_at = head.startswith("@")
                is_open = nested < _NESTED and _BLOCK.fullmatch(head) is not None
            depth += 1
        elif mark[0] == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if is_open:
                    parts.append(_plain_rules(plain[inner : mark.start()], nested + 1))
                elif not is_at:
                    parts.append(plain[begin : mark.end()])
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
