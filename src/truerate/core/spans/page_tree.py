"""What a page says by markup alone, as plain text in its tree (lxml), before any reader takes the text out:
powers and indices, formulas, quotation marks, words that are struck out, readings beside ruby, marks of
notes, breaks.
"""

import re
from itertools import takewhile
from typing import Any

import regex

_UP = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_DOWN = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_PLAIN = re.compile(r"[0-9+\-−–=()n]+")
_NOTE = re.compile(r"\[.*\]|[*†‡§¶]+", re.DOTALL)
_NUMBERS = re.compile(r"[0-9]{1,3}(?: ?[,;–-] ?[0-9]{1,3})*")
_OF_NOTES = re.compile(r"(?:^|[\s_-])(?:reference|cite|noteref|footnote|fn)", re.IGNORECASE)
_STRUCK = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")  # of a style sheet
_CLASS = re.compile(r"(\w*)\.([\w-]+)")
# what stands before a letter that marks a note: no number (XVI<sup>e</sup>) and no abbreviation
# (Prof.<sup>a</sup>)
_BEFORE_LETTER = regex.compile(r"(?:\p{L}{2,}\p{Ll}|\p{Ll}{5,}\.|[,;!?”»])\Z")
# What a power follows besides a digit or a symbol of one letter: a unit, an abbreviation without vowels (mc²,
# Hz²), the name of a function. A number set high behind any other word is the mark of a note.
_LAST_WORD = regex.compile(r"[\p{L}\p{M}]+\Z")
_UNITS = regex.compile(
    r"[BCDFGHJKLMNPQRSTVWXZ]?[bcdfghjklmnpqrstvwxzµμ]{1,2}|in|mi|ha|mol|rad|cos|sin|tan|log|exp|lim|\p{Latin}\p{Greek}|\p{Greek}\p{Latin}|[кмсд]?м|كم|سم|م"
    r"|किमी|मी|सेमी|কিমি|মি|χλμ|μ|.*(?:公里|千米|厘米|毫米|米|メートル|キロ|ม|กม)"
)
_IS_WORD = regex.compile(r"\X{2,}|[\p{Han}\p{Hiragana}\p{Katakana}]")
_CLOSED = regex.compile(r"[(（\[]([^()（）\[\]]*)[)）\]]\Z")
_LONG_WORD = regex.compile(r"[\p{L}\p{M}]{3,}|[\p{Han}\p{Hiragana}\p{Katakana}]")
_BEFORE = 80  # characters that are looked at before a sign that is set high
# Elements that begin and end a line.
BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 "
    "h6 header hr li main nav ol p"
    " pre section table tbody td tfoot th thead title tr ul".split()
)
# What programs put around a formula: the formula again as an image or in boxes, for the eye.
_FORMULAS = frozenset("mwe-math-element katex katex-display MathJax MathJax_Display mjx-container".split())
_RELATIONS = frozenset("= ≠ ≈ ≃ ≅ ≡ ∼ ~ < > ≤ ≥ ≪ ≫ → ← ↔ ⇒ ⇔ ∈ ∉ ⊂ ⊆ ∝".split())
_UNSAID = dict.fromkeys((0x2061, 0x2062, 0x2063, 0x2064, 0xAD, 0x200B, 0x2060, 0xFEFF))
_SOFT = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))  # where a line may break, or may not
_TEX = (
    (re.compile(r"\\(?:displaystyle|textstyle|mathrm|mathit|mathbf|text|operatorname|left|right|,|;|!|:)(?![a-z])"), ""),
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\(?:times|cdot)(?![a-z])\s?"), "×"),
    (re.compile(r"\^\{([^{}]*)\}|\^([0-9a-zA-Z])"), lambda match: _raised(match[1] or match[2] or "")),
    (re.compile(r"_\{([^{}]*)\}|_([0-9a-zA-Z])"), lambda match: _lowered(match[1] or match[2] or "")),
    (re.compile(r"[{}]"), ""),
    (re.compile(r"\((\w+)\)/\((\w+)\)"), r"\1/\2"),
)  # fmt: skip


def with_meaning(tree: Any) -> bool:
    """Write into a tree what markup alone says; whether there was any: 10<sup>6</sup> becomes 10⁶ (else
    10^k+1), H₂O, ¹/₂, `<q>` quotation marks, a formula one line (x², 1/2), struck-out words a blank, ruby
    readings and note marks nothing. Letters set high or low (1st, Mme) stay.
    """
    has_formulas = _write_formulas(tree)
    for element in _struck_by_class(tree):
        element.tag = "del"
    elements = list(
        tree.xpath(
            ".//sup | .//sub | .//del | .//s | .//strike | .//rt | .//rtc | .//rp | .//q"
            " | .//*[contains(@style, 'line-through')] | .//*[self::td or self::th]//*[self::ul or self::ol "
            "or self::li]"
        )
    )
    for element in elements:
        if element.getparent() is None:
            continue
        if element.tag in ("sup", "sub"):
            _write(element)
        elif element.tag in ("rt", "rtc", "rp"):
            element.drop_tree()
        elif element.tag in ("del", "s", "strike") or _STRUCK.search(element.get("style", "")):
            element.tail = f" {element.tail or ''}"
            element.drop_tree()
        elif element.tag == "q":
            _quote(element)
        elif element.tag in ("ul", "ol", "li"):  # a list in a cell, which trafilatura drops
            element.tag = "div"
    return bool(elements) or has_formulas


def _struck_by_class(tree: Any) -> list[Any]:
    """The elements that a class of the page's own style sheet strikes out."""
    sheets = "".join(element.text or "" for element in tree.getroottree().iter("style"))
    names = {
        name.groups()
        for rule in _RULE.finditer(sheets if "line-through" in sheets else "")
        if _STRUCK.search(rule[2])
        for selector in rule[1].split(",")
        if (name := _CLASS.fullmatch(selector.strip()))
    }
    if not names:
        return []
    return [
        descendant
        for descendant in tree.iterdescendants()
        if any(
            (tag, name) in names
            for tag in ("", descendant.tag)
            for name in descendant.get("class", "").split()
        )
    ]


def part_blocks(tree: Any) -> None:
    """Put a blank around each element that begins a line, so that `text_content` joins no words."""
    for block in tree.iter(*BLOCKS):
        block.text = f" {block.text or ''}"
        block.tail = f" {block.tail or ''}"


def without_soft_breaks(text: str) -> str:
    """A text without soft hyphens and zero-width spaces; joiners of Persian, Sinhala and others stay."""
    return text if text.isascii() else text.translate(_SOFT)


# ---- set high or low
# -------------------------------------------------------------------------------------------
def _write(element: Any) -> None:
    """A part set high or low as signs of the text around it."""
    text = " ".join(element.text_content().split())
    behind = _text_before(element)
    if element.tag == "sup" and (_is_note(element, text) or _is_number_of_note(element, text, behind)):
        element.drop_tree()
        return
    if _PLAIN.fullmatch(text.replace(" ", "")) and any(map(str.isdigit, text + behind[-1:])):
        text = text.replace(" ", "").translate(_UP if element.tag == "sup" else _DOWN)
        text = f" {text}" if _is_numerator(element) and behind[-1:].isdigit() else text
    elif not any(map(str.isdigit, text)) or element.tag == "sub":
        return
    else:
        text = f"^{text}"
    for child in list(element):
        child.drop_tree()
    element.text = text
    element.drop_tag()


def _text_before(element: Any) -> str:
    """The last characters before an element in its block."""
    text = ""
    for _ in range(20):
        before, parent = element.getprevious(), element.getparent()
        if before is None:
            text = (parent.text or "") + text
            if parent.tag in BLOCKS or parent.getparent() is None:
                break
            element = parent
        else:
            is_inline = isinstance(before.tag, str) and before.tag not in BLOCKS
            text = (_end_of(before) if is_inline else "") + (before.tail or "") + text
            if before.tag in BLOCKS:
                break
            element = before
        if len(text) >= _BEFORE:
            break
    return text[-_BEFORE:]


def _end_of(element: Any) -> str:
    """The text of an element from its end, `_BEFORE` characters or a little more."""
    text = ""
    for part in reversed(element):
        text = (_end_of(part) if isinstance(part.tag, str) else "") + (part.tail or "") + text
        if len(text) >= _BEFORE:
            return text
    return (element.text or "") + text


def _is_numerator(element: Any) -> bool:
    return element.tag == "sup" and (element.tail or "").strip() in ("/", "⁄")


def _is_note(element: Any, text: str) -> bool:
    """Return whether what is set high is the mark of a note: by its name, its form, or a link within the
    page.
    """
    inside = [element, *element.iterdescendants()]
    names = " ".join(
        f"{part.get('class', '')} {part.get('id', '')} {part.get('role', '')}" for part in inside
    )
    is_link = any(
        (part.get("href") or "").startswith("#") or "#cite_" in (part.get("href") or "") for part in inside
    )
    return is_link or _NOTE.fullmatch(text) is not None or _OF_NOTES.search(names) is not None


def _is_number_of_note(element: Any, text: str, behind: str) -> bool:
    """Return whether plain numbers set high mark notes: after a word or the end of a sentence or quotation;
    after a digit, unit, symbol or such a bracket they are a power, before a symbol (¹⁴C) or stroke neither.
    """
    if len(text) == 1 and text in "abcdefgh":
        return _BEFORE_LETTER.search(behind) is not None and not (element.tail or " ")[0].isalnum()
    if not _NUMBERS.fullmatch(text) or _is_numerator(element):
        return False
    if not behind or behind[-1].isspace():
        return bool(behind.strip()) and not (element.tail or "x")[0].isalnum()
    if word := _LAST_WORD.search(behind):
        return _IS_WORD.fullmatch(word[0]) is not None and not _UNITS.fullmatch(word[0])
    if closed := _CLOSED.search(behind):
        return _LONG_WORD.search(closed[1]) is not None
    return behind[-1] in ".,;:!?…\"'”’»“।॥。、，；：！？」』》؟،؛።"


def _quote(element: Any) -> None:
    """A quotation in its marks: single ones within another."""
    is_inner = any(above.tag == "q" for above in element.iterancestors()) or element.get("data-inner")
    opening, closing = "‘’" if is_inner else "“”"
    for inner in element.iter("q"):
        if inner is not element:
            inner.set("data-inner", "1")
    text = " ".join(element.text_content().split())
    if text[:1] in '"“«„‘「' and text:  # its marks are written out
        element.drop_tag()
        return
    element.text = opening + (element.text or "")
    if len(element):
        element[-1].tail = (element[-1].tail or "") + closing
    else:
        element.text += closing
    element.drop_tag()


# ---- formulas
# --------------------------------------------------------------------------------------------------
def _write_formulas(tree: Any) -> bool:
    """Replace each formula (MathML, or an image with TeX) by one line of text; whether there was any."""
    images = ".//img[contains(@class, 'mwe-math') or @class='tex'][@alt]"
    formulas = tree.xpath(f".//math | {images}")
    for element in formulas:
        above = list(element.iterancestors())
        if tree not in above:
            continue  # went with the formula that it shows again
        text = _formula(element) if element.tag == "math" else _of_tex(element.get("alt"))
        inline = takewhile(lambda part: part is not tree and part.tag not in BLOCKS, above)
        outer = [element, *(part for part in inline if _is_of_formula(part))][-1]
        outer.tail = text + (outer.tail or "")
        outer.drop_tree()
    return bool(formulas)


def _is_of_formula(element: Any) -> bool:
    return not _FORMULAS.isdisjoint([element.tag, *element.get("class", "").split()])


def _formula(math: Any) -> str:
    text = " ".join(_line(math).split())
    if text:
        return text
    notes = [note.text_content() for note in math.iter("annotation") if "tex" in note.get("encoding", "")]
    return _of_tex(math.get("alttext") or next(iter(notes), ""))


def _of_tex(tex: str) -> str:
    """Simple TeX as a line of text: powers, indices, fractions; other commands as they are written."""
    for pattern, sign in _TEX:
        tex = pattern.sub(sign, tex)
    return " ".join(tex.split())


def _line(element: Any) -> str:
    """An element of MathML and what it holds, as one line."""
    if not isinstance(element.tag, str):
        return ""
    name, parts = element.tag.lower(), [part for part in element if isinstance(part.tag, str)]
    if name in ("annotation", "annotation-xml", "mphantom", "none", "mprescripts"):
        return ""
    if name == "semantics":
        return _line(parts[0]) if parts else ""
    if name in ("msup", "mover", "msub", "munder", "mfrac", "mroot", "msubsup", "munderover"):
        return _of_places(name, [_line(part) for part in parts])
    if name == "mo":
        sign = element.text_content().translate(_UNSAID).strip()
        return f" {sign} " if sign in _RELATIONS else f"{sign} " if sign == "," else sign
    if name in ("mi", "mn", "mtext", "ms", "mspace"):
        return element.text_content().translate(_UNSAID) or (" " if name == "mspace" else "")
    lines, text = [_line(part) for part in parts], ""
    for line, part in zip(lines, parts, strict=True):
        is_name = part.tag.lower() == "mi" and len(line) > 1  # sin x, not sinx
        text += f" {line} " if is_name else line
    ends = {"msqrt": ("√", ""), "mfenced": ("(", ")"), "mtr": ("", "; "), "mtd": ("", " ")}.get(
        name, ("", "")
    )
    return ends[0] + (_grouped(text) if name == "msqrt" else text) + ends[1]


def _of_places(name: str, lines: list[str]) -> str:
    """Return what stands over, under or behind another part of a formula."""
    first, second, third = (*lines, "", "", "")[:3]
    if name == "mfrac":
        return f"{_grouped(first)}/{_grouped(second)}"
    if name == "mroot":
        return f"{_raised(second)}√{_grouped(first)}"
    if name == "mover":
        return first if second in ("¯", "‾", "→", "^", "~", "˙", "") else first + _raised(second)
    if name == "msup":
        return _grouped(first) + _raised(second)
    return first + _lowered(second) + (_raised(third) if third else "")


def _grouped(text: str) -> str:
    """A part of a formula in brackets where it is more than one number or symbol."""
    text = text.strip()
    return text if len(text) < 2 or re.fullmatch(r"[^\s+\-−=/×·*]+", text) else f"({text})"


def _raised(text: str) -> str:
    text = text.strip()
    return (
        text.translate(_UP)
        if _PLAIN.fullmatch(text)
        else text
        if text in ("′", "″", "∗")
        else f"^{_grouped(text)}"
    )


def _lowered(text: str) -> str:
    text = text.strip()
    return text.translate(_DOWN) if re.fullmatch(r"[0-9+\-−–=()]+", text) else f"_{_grouped(text)}"
