"""Texts that are named in other words: the other one of two, an initial and a number, a name said again in brackets."""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.grammar import state
from truerate.llm.replies.mentions import mention

# `the other` as a text, and not as a word before something else (`the other hand`, `the other details`)
_OTHER = lazy(
    r"\bthe\s+other(?:\s+(?:one|answer|response|summary|option|text|version|candidate))?(?=\s*(?:[.,;:!?)\n]|\Z)|\s+(?:is|isn't|was|"
    r"has|does|doesn't|contains|includes|adds|invents|fabricates|contradicts|gets|gives|names|says|states|stays|sticks|matches|"
    r"holds|makes|seems|looks|appears|remains|the|because|since|as|clearly|correctly|wrongly|fully|only|also|must|can(?:not)?)\b)",
    re.I,
)
# a name said again in brackets: `O Resumo 2 (Summary 2)`
_AGAIN = lazy(r"\s*[(\[]\s*\Z")


def with_others_named(text: str, names: Sequence[str]) -> str:
    """A reply with the name of the other text where it says `the other one`, behind mentions of one text alone."""
    found = _OTHER.search(text)
    if found is None:
        return text
    places = {0 if one["first"] else 1 for one in mention().finditer(text)}
    if len(places) != 1 or not any(one.end() <= found.start() for one in mention().finditer(text)):
        return text
    return _OTHER.sub(names[1 - places.pop()], text)


def with_initials_named(text: str, names: Sequence[str]) -> str:
    """A reply with the whole names for `A1` and `A2` (of answers; of responses `R1`): where it is such a one alone, or holds
    both and neither stands behind an article (`the A1`, which may be a road).
    """
    form = re.compile(rf"(?<![\w-])(?<!\bthe )(?:{names[0][0]})(?P<number>[12])(?![\w.-]\w|\w)")
    found = {one["number"] for one in form.finditer(text)}
    is_alone = form.fullmatch(text.strip(" \t\n.*_`\"'()[]"))
    if not is_alone and found != {"1", "2"}:
        return text
    return form.sub(lambda one: names[int(one["number"]) - 1], text)


_LAST_NUMBER = lazy(
    r"(?P<lead>(?:^|[.!?\n]\s*)(?:(?:ok(?:ay)?|so|hence|thus|therefore)[,:]?\s+){0,2})(?:(?P<verb>it(?:'s|\s+is)\s+|i(?:'d|\s+would|\s+will|'ll)?\s+"
    r"(?:choose|pick|go\s+with|say|take|select)\s+)(?P<last>[12])(?=[\s.!*]*\Z)|(?P<first>[12])(?=\s+is\s+(?:what\s+i|my\s+(?:pick|choice)|the\s+"
    r"(?:better|best|hallucinated)\s+one)\b[^.!?\n]*[.!]?\s*\Z))",
    re.I,
)


def with_last_number_named(text: str, names: Sequence[str]) -> str:
    """A reply with the name for the bare number that its last sentence picks (`So it's 1.`, `2 is what I'd choose.`)."""
    return _LAST_NUMBER.sub(
        lambda one: f"{one['lead']}{one['verb'] or ''}{names[int(one['last'] or one['first']) - 1]}", text
    )


def with_numbers_named(text: str, names: Sequence[str]) -> str:
    """A list of two entries that name no text (`1. faithful` · `2. hallucinated`) with the names for their numbers, where
    each entry says whether it is at fault.
    """
    found = re.fullmatch(r"\s*1[.):]\s*(?P<one>[^\n]+)\n\s*2[.):]\s*(?P<two>[^\n]+?)\s*", text)
    if found is None or mention().search(text):
        return text
    heads = [re.split(r"[:;,(]|\s[–—-]\s", found[entry])[0] for entry in ("one", "two")]
    if None in (said := [state(head) for head in heads]) or said[0] is said[1]:
        return text
    return f"{names[0]}: {found['one']}\n{names[1]}: {found['two']}"


def with_noun(text: str, names: Sequence[str]) -> str:
    """A text whose first word is a bare number (`2, because …`) with the name in its place; not a list."""
    lead = re.match(
        r"\s*[\[(#*\"'`]*(?P<number>[12])[\])*\"'`]*(?=\s*(?:[.,:;)!—–(-]|\n))(?!\s*[/,&]\s*\d)", text
    )
    if lead and not re.search(r"^\s*[\[(]?[12][.)\]].*\n\s*[\[(]?[12][.)\]]", text, re.DOTALL):
        return f"{names[int(lead['number']) - 1]}{text[lead.end('number') :].lstrip('])*')}"
    return text


def without_again(text: str) -> str:
    """A reply without the name in brackets right behind the same text's name in other words."""
    found = list(mention().finditer(text))
    for one, again in reversed(list(zip(found, found[1:], strict=False))):
        is_same = bool(one["first"]) is bool(again["first"])
        if (
            is_same
            and _AGAIN.fullmatch(text, one.end(), again.start())
            and text[again.end() :][:1] in (")", "]")
        ):
            text = text[: one.end()] + text[again.end() + 1 :]
    return text
