"""Whether a reply calls an evaluation accurate: `Accurate` or `Inaccurate`.

What a reply begins with counts, else the sentences that name the evaluation; all that is said of the
evaluation must agree. Half of it (`partly accurate`), both words, doubt and taking back are ambiguous.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.cutting import bare, framed, opened
from truerate.llm.replies.located import answering
from truerate.llm.replies.normalizing import agreed
from truerate.llm.replies.rating import CROSSES, TICKS
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.refusals import is_refusal

_HALF = (
    r"(?:partly|partially|mostly|mainly|largely|somewhat|fairly|nearly|almost|half|roughly|in\s+part|"
    r"not\s+(?:entirely|fully|completely|quite|wholly|totally|altogether|always))"
)
_SURELY = r"(?:(?:fully|clearly|completely|entirely|very|totally|quite|indeed|definitely|factually|overall|also|wholly)\s+){0,4}"
_WORD = (
    rf"(?P<half>{_HALF}\s+)?{_SURELY}(?P<not>not\s+|in-\s?)?{_SURELY}"
    r"(?:(?P<bad>inaccurate|incorrect|wrong)|(?P<good>accurate|correct))(?![\w-])"
)
_EVALUATION = (
    r"(?:(?:the|this|that|your|my|its|given|above|provided|whole|overall)\s+){0,4}(?:evaluation|judge?ment|annotation|assessment|"
    r"verdict|analysis)(?:'s)?(?:\s+(?:of\s+the\s+(?:response|model|assistant)|above|given|provided|as\s+a\s+whole))?"
)
_BLANKS = r"\s*"
_IS = (
    _BLANKS
    + r"(?:is|was|seems|appears|seems\s+to\s+be|appears\s+to\s+be|would\s+be|must\s+be|=|:|-|–|—)[\s\"'“‘*_`]*"
)
_LABEL = r"(?:(?:so|thus|hence|therefore|overall|final|my|the)[\s,]+){0,4}(?:answer|final|decision|conclusion|label|result)"
_FIRST = lazy(
    # possessive: given back sign by sign, a row of brackets would be tried in each of its partitions
    rf"[\W_]*+(?:(?:yes|no)[\W_]*+)?(?:(?:it|this|that)(?:'s|\s+is)\s+(?:an?\s+)?|(?:i(?:'d|\s+would)?\s+(?:think|"
    rf"believe|find|say|call\s+it|judge|conclude)\s+(?:that\s+)?"
    rf"(?:(?:it|this)(?:'s|\s+is)\s+)?)?(?:{_EVALUATION}{_IS}|{_LABEL}{_IS})?)[\W_]*+{_WORD}",
    re.I,
)
_SAID = lazy(
    rf"(?:\b{_EVALUATION}|\b{_LABEL}|\b(?:yes|no)\b[\s,.]*(?:it|this|that)){_IS}{_WORD}",
    re.I,
)
# three that begin where a line does, which `_at_lines` looks for
_BARE = lazy(rf"^[\W_]*{_IS.removeprefix(_BLANKS)}{_WORD}", re.I | re.MULTILINE)
_ALONE = lazy(rf"^[\W_]*{_WORD}[\W_]*$", re.I | re.MULTILINE)
# a line that begins with the word that was asked for
_LINE = lazy(
    rf"^[\W_]*(?:i\s+(?:think|believe)\s+)?(?:it\s+is\s+)?(?=[^\n]{{0,40}}accurate){_WORD}(?=\W*$|\s*[.,:;!—–-])",
    re.I | re.MULTILINE,
)
_SIGNS = lazy(r"^[\W_]*+", re.MULTILINE)
_OPEN = lazy(
    r"\b(?:accurate|correct)\s*(?:/|\||or)\s*(?:inaccurate|incorrect|not)\b|\binaccurate\s*(?:/|\||or)\s*accurate\b|"
    r"\b(?:wait|scratch\s+that|on\s+second\s+thoughts?|on\s+reflection|i\s+take\s+(?:it|that)\s+back)\b|"
    r"\b(?:can(?:no|')t|cannot|could\s+not|unable\s+to|hard\s+to|difficult\s+to|impossible\s+to)\s+(?:\w+\s+)?"
    r"(?:tell|say|decide|judge|determine|verify)\b|\bneither\s+accurate\b",
    re.I,
)
_EXCEPTED = lazy(
    r"[\s,;:.!*_\"'—–-]*(?:but|though|although|however|except|if|unless|only|perhaps|maybe|probably|not\s+at\s+all|hardly|nope|no(?=[^\w\n]*(?:\n|\Z))|\?)(?!\w)",
    re.I,
)
# a part of the evaluation that is not accurate
_PART_BAD = lazy(
    r"\b(?:reason|rationale|segment|explanation|place|quotation)s?\s+(?:is|are|was|were)\s+"
    r"(?:not\s+(?:accurate|correct|right)\b|inaccurate\b|incorrect\b|wrong\b)",
    re.I,
)
# one thing accurate and another not: "accurate in one way, inaccurate in another"
_AS_TO = r"\s+(?:in|as\s+to|about|on|for|regarding|with|of)\b"
_PARTED = lazy(
    rf"\b(?:accurate|correct){_AS_TO}[^.!?\n]*\b(?:inaccurate|incorrect)(?:{_AS_TO}|\s+(?:elsewhere|otherwise)\b)|"
    rf"\b(?:inaccurate|incorrect){_AS_TO}[^.!?\n]*\b(?:accurate|correct)(?:{_AS_TO}|\s+(?:elsewhere|otherwise)\b)",
    re.I,
)
_HALVED = lazy(rf"\b{_HALF}\s+(?:in)?(?:accurate|correct)\b", re.I)
_DOUBTED = lazy(
    r"\b(?:if|whether|may|might|could|perhaps|maybe|possibly|probably|not\s+sure|unsure|would)\b", re.I
)

_POLES = {"accurate": True, "correct": True, "inaccurate": False, "incorrect": False}
# a field and its value: no verdict is the name alone
_VALUES = {
    **dict.fromkeys(("yes", "y", "true", "1", *TICKS), True),
    **dict.fromkeys(("no", "n", "false", "0", "not", *CROSSES), False),
}
_FIELD = lazy(
    r"^[^\w\n]*+(?:(?:(?:the|this)\s+)?evaluation\s+is\s+|is[ _]+)?(?P<name>(?:in)?(?:accurate|correct))"
    r"[ \t\"'*_`)\]]*+(?:\([^()\n]{0,20}\))?(?:[:：=|?？–—-]|->|→|=>)[\s\"'*_`(\[|]*+"
    r"(?P<value>(?:yes|no|y|n|true|false|not)(?=[^\w\n]*$|\s*[.,;:!(—–]|\s+(?:because|since|as|the|it|this|there)\b)|"
    rf"[{TICKS}{CROSSES}]|(?:[\d.,]+(?:\s*(?:/|of|out of)\s*\d+|\s*%)?|none|null|n/a|unknown|unclear|-+)"
    r"(?=[^\w\n]*$|\s*[.,;(])|\w+(?:(?:[ \t]+\w+){0,2}(?=[^\w\n]*$)|(?=\s*[.,;!、，。；！])))",
    re.I | re.MULTILINE,
)
_KEYS = frozenset((
    "", "evaluation", "evaluation is", "the evaluation is", "verdict", "label", "answer", "result", "judgement", "judgment",
    "assessment", "decision", "output", "response", "final answer", "meta evaluation", "final verdict", "conclusion",
))  # fmt: skip


def accurate(reply: str, cue: str) -> Parsed:
    """True for Accurate, False for Inaccurate, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. Correct and Incorrect are the same; Yes and No alone are
    neither, as they were not asked for.
    """
    answer, cuts = opened(reply)
    if not answer:
        return nothing(cuts)
    answer, frame = framed(answer)
    found = agreed(lambda words: _accurate(words, cue), answer)
    return Parsed(found.value, found.reason, joined(cuts, frame, found.cuts))


def _accurate(answer: str, cue: str) -> Parsed:
    """The verdict of a reply in one of its plain forms."""
    region, more = answering(answer, cue, lambda head: _stated(head)[1] != "absent")
    inside, layers = bare(region)
    cuts = joined(more, layers)
    if not inside.strip(" \t\n.*_#`-…\"'"):
        return Parsed(None, "empty", cuts)
    named = structured.pairs(region)
    fields, kind = (named, "json") if named else (structured.cells(region), "table")
    if told := _named(fields):
        value = told.pop() if len(told) == 1 else None
        return Parsed(value, "ambiguous" if value is None else None, joined(cuts, (kind,)))
    if is_refusal(inside):
        return Parsed(None, "refusal", cuts)
    value, reason = _stated(inside)
    return Parsed(value, reason, cuts)


def _stated(text: str) -> tuple[bool | None, str | None]:
    """What the words of a reply say of the evaluation, or why they say nothing."""
    text = re.sub(r"\b(is|was|does)n['’]t\b", r"\1 not", text)
    text = re.sub(r"\b(i)\s+would\b(?=\s+(?:say|call|judge))", r"\1'd", text, flags=re.I)
    fields = [_value(found["name"], found["value"]) for found in _FIELD.finditer(text)]
    text = _FIELD.sub("", text)
    told = [*fields, *_told(text)]
    if not told:
        return None, "ambiguous" if _OPEN.search(text) or _HALVED.search(text) else "absent"
    is_half = _PARTED.search(text) or (told[0] is True and _PART_BAD.search(text))
    if None in told or len(set(told)) > 1 or _OPEN.search(text) or is_half:
        return None, "ambiguous"
    return told[0], None


def _told(text: str) -> Iterator[bool | None]:
    """Each thing that is said of the evaluation; None for one that is half said, doubted or has an exception."""
    places: dict[int, re.Match[str]] = {}
    for found in (_FIRST.match(text), *_SAID.finditer(text), *_at_lines(text)):
        if found is not None:
            places.setdefault(found.end(), found)
    for found in places.values():
        sentence = re.split(r"[.!?\n]", text[: found.start()])[-1]
        is_good = (found["good"] is not None) is (found["not"] is None)
        is_left = (
            found["half"]
            or (found["bad"] and found["not"])
            or _DOUBTED.search(sentence + found[0])
            or (is_good and _EXCEPTED.match(text, found.end()))
            or text[found.end() :].lstrip(" *_\"'").startswith("?")
        )
        yield None if is_left else is_good


def _at_lines(text: str) -> Iterator[re.Match[str]]:
    """What is said where a line begins, signs before it or not.

    Lines of signs alone are tried once, from the first of them: what stands behind any is found from there, and
    from each anew would take the square of their number.
    """
    starts = [signs.start() for signs in _SIGNS.finditer(text)]
    for pattern in (_BARE, _ALONE, _LINE):
        for start in starts:
            if (found := pattern.match(text, start)) is not None:
                yield found


def _named(named: Sequence[tuple[str, Any]]) -> set[bool | None]:
    """What names and values say of the evaluation; empty where no name speaks of it."""
    told: set[bool | None] = set()
    for name, value in named:
        plain = name.removeprefix("is ")
        if plain in _POLES:
            told.add(_value(plain, value))
        elif name in _KEYS and isinstance(value, str):
            told.add(_stated(value)[0])
        elif name in _KEYS and len(named) == 1:
            told.add(None)
    return told


def _value(name: str, value: Any) -> bool | None:
    """What the value of a field says whose name is a verdict (`Accurate: no`); None of a value that is no yes or no."""
    word = str(value).strip(" \t\n.!*_\"'`|()[]").casefold() if isinstance(value, str | int) else ""
    said = _VALUES.get(word)
    return None if said is None else said is _POLES[name.casefold()]
