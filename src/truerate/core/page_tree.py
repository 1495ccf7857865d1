"""What a page says by markup alone, as plain text in its tree (lxml), before any reader takes the text out: powers and
indices, words that are struck out, readings beside ruby, marks of notes.
"""

import re
from typing import Any

_UP = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_DOWN = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_PLAIN = re.compile(r"[0-9+\-−–=()n]+")
_NOTE = re.compile(r"\[.*\]|[*†‡§¶]+", re.DOTALL)
_OF_NOTES = re.compile(r"(?:^|[\s_-])(?:reference|cite|noteref|footnote|fn)", re.IGNORECASE)
_STRUCK = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.IGNORECASE)


def with_meaning(tree: Any) -> bool:
    """Write into a tree what markup alone says, and return whether there was any: `10<sup>6</sup>` becomes 10⁶ (10^k+1
    where no such sign exists), H₂O, `1<sup>1</sup>/<sub>2</sub>` 1 ¹/₂; struck-out words one blank, readings of ruby and
    marks of notes nothing. Letters set high or low (1st, Mme) stay as they are.
    """
    found = list(
        tree.xpath(
            ".//sup | .//sub | .//del | .//s | .//strike | .//rt | .//rp | .//*[contains(@style, 'line-through')]"
        )
    )
    for one in found:
        if one.getparent() is None:
            continue
        if one.tag in ("sup", "sub"):
            _write(one)
        elif one.tag in ("rt", "rp"):
            one.drop_tree()
        elif one.tag in ("del", "s", "strike") or _STRUCK.search(one.get("style", "")):
            one.tail = f" {one.tail or ''}"
            one.drop_tree()
    return bool(found)


def _write(one: Any) -> None:
    """A part set high or low as signs of the text around it."""
    text = " ".join(one.text_content().split())
    if one.tag == "sup" and _is_note(one, text):
        one.drop_tree()
        return
    before = one.getprevious()
    behind = (one.getparent().text if before is None else before.tail) or ""
    if _PLAIN.fullmatch(text.replace(" ", "")) and any(map(str.isdigit, text + behind[-1:])):
        text = text.replace(" ", "").translate(_UP if one.tag == "sup" else _DOWN)
        is_fraction = one.tag == "sup" and (one.tail or "").strip() in ("/", "⁄")
        text = f" {text}" if is_fraction and behind[-1:].isdigit() else text
    elif not any(map(str.isdigit, text)) or one.tag == "sub":
        return
    else:
        text = f"^{text}"
    for child in list(one):
        child.drop_tree()
    one.text = text
    one.drop_tag()


def _is_note(one: Any, text: str) -> bool:
    """Whether what is set high is the mark of a note: by its name, its form, or a link within the page."""
    inside = [one, *one.iterdescendants()]
    names = " ".join(
        f"{part.get('class', '')} {part.get('id', '')} {part.get('role', '')}" for part in inside
    )
    is_link = any(
        (part.get("href") or "").startswith("#") or "#cite_" in (part.get("href") or "") for part in inside
    )
    return is_link or _NOTE.fullmatch(text) is not None or _OF_NOTES.search(names) is not None
