"""Choices by marks: lines that give each of two texts a score, a tick, a yes or no, or a word (`Summary 1: accurate`)."""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.comparisons import Asks
from truerate.llm.replies.grammar import state

TICKS, CROSSES = "✅✔✓☑", "❌✗✘✖"
_FAULTS = r"(?:errors?|mistakes?|hallucinations?|fabrications?|(?:unsupported|made[ -]up|false)\s+(?:claims?|facts?|statements?))"
_RATED = lazy(
    rf"[^\w\0{TICKS}{CROSSES}]*(?:\d[.)]\s*)?[^\w\0{TICKS}{CROSSES}]*(?P<before>[{TICKS}{CROSSES}])?[\s\ufe0f*_-]*\x00[\s*_]*(?:[:=(]|[–—-](?=\s))?[\s*_]*"
    rf"(?:(?:(?:(?:score|rating)\s*[:=]?|(?P<faults>{_FAULTS})\s*[:=])\s*)?(?P<score>\d{{1,3}}(?:\.\d+)?)"
    rf"(?:\s*/\s*\d{{1,3}}|\s*%|\s*points?|\s+(?P<counted>{_FAULTS}))?"
    rf"|(?P<behind>[{TICKS}{CROSSES}])?[\s\ufe0f]*(?P<words>[a-z][a-z -]{{1,40}}?)?)"
    rf"(?P<why>\s*[.—–,;:(-]\s*[^\n]*|\s*[{TICKS}{CROSSES}\ufe0f]+|\s*[⭐★☆\ufe0f\s]+|)[^\w{TICKS}{CROSSES}]*",
    re.I,
)
# behind a mark, in words that explain it: what may take it back
BUT = lazy(
    r"\b(?:but|however|although|though|except|unless|if|actually|wait|no,|maybe|perhaps|could|might|may|rather|or)\b|\?",
    re.I,
)
# what the words behind a mark say of a text
_OF_FAULT = lazy(
    r"(?<!no )(?<!not )(?<!non-)\b(?:hallucinat|fabricat|invent|contradict|made[ -]up|unsupported|incorrect|wrong|false|"
    r"not\s+(?!hallucinat|fabricat|made|invent|wrong|false|incorrect|contradict))",
    re.I,
)
_OF_SOUND = lazy(
    r"(?<!not )\b(?:faithful|accurate|correct|supported|consistent|grounded|no\s+(?:hallucinat|fabricat|error))",
    re.I,
)
# beside the lines: that the numbers count faults, or that more is not better; what a yes or a no stands for
_COUNTED = lazy(
    rf"^\W*(?:number\s+of\s+|count\s+of\s+)?{_FAULTS}(?:\s+counts?|\s+found)?\W*$|\bcount\b\W*$",
    re.I | re.MULTILINE,
)
_LESS = lazy(rf"\b(?:rank\w*|lower|lowest|fewer|fewest|less|worst|unsupported|{_FAULTS})\b|\b1\s*=", re.I)
_OF_SEVERITY = lazy(r"\bhallucination\s+(?:scores?|levels?|ratings?)\b", re.I)
_OF_SEVERITY_NOT = lazy(r"\b(?:5|10|100)\s*=\s*(?:no|none|not|grounded|faithful|fully|free|accurate)\b", re.I)
_MEANS = lazy(r"\b(?:yes|no|y|n|means?|stands?)\b", re.I)
# in running words, with a sign for each text
_OF = r"(?:i(?:'d|\s+would)?\s+(?:rate|score|give)\s+)?(?:the\s+)?(?:(?:score|rating)\s+(?:for|of)\s+)?"
_GETS = r"\s*(?::|=|scores|gets|receives|earns|at)\s*"
_OUT_OF = r"(?:\s*/\s*\d{1,3}|\s+points?|\s+out\s+of\s+\d{1,3})?"
_SCORED = tuple(
    lazy(
        rf"\W*{_OF}{one}{_GETS}(?P<a>\d{{1,3}}(?:\.\d+)?){_OUT_OF}(?:[.,;\s]|\b(?:and|while|whereas|but)\b)*"
        rf"{_OF}{other}{_GETS}(?P<b>\d{{1,3}}(?:\.\d+)?){_OUT_OF}\W*",
        re.I,
    )
    for one, other in ("\x01\x02", "\x02\x01")
)
_RANKED = lazy(
    r"\W*(?:(?:my\s+)?ranking\s*:?\s*)?(?:(?:1st|first|1)(?:\s+place)?\s*[.:)]?\s*(?P<a>[\x01\x02])\W+(?:2nd|second|"
    r"2)(?:\s+place)?\s*[.:)]?\s*[\x01\x02]|"
    r"i(?:'d|\s+would)?\s+(?:rank|place|put)\s+(?P<b>[\x01\x02])\s+(?:first|higher|"
    r"above\s+[\x01\x02])(?:\s+and\s+[\x01\x02]\s+(?:second|last|lower))?)\W*"
    r"(?:(?:ranked\s+)?(?:from\s+)?best\s+to\s+worst\W*)?",
    re.I,
)


def rated(text: str, mentions: list[tuple[int, int, int]], names: Sequence[str], asks: Asks) -> str | None:
    """What lines say that give each text a mark: of scores and ticks the higher or the ticked one where the best was
    asked for (of the hallucinated one a tick may mean either), of yes and no the one with yes, of words the one
    of which they say what was asked for; else a reason. None of other replies.
    """
    marks: dict[int, tuple[str, float]] = {}
    reasons, used = ["", ""], set()
    for place, start, end in mentions:
        at, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        line = f"{text[at:start]}\0{text[end : stop if stop >= 0 else len(text)]}"
        mark = _mark(found, asks) if (found := _RATED.fullmatch(line)) else None
        if mark is None:
            return None
        if marks.get(place, mark) != mark:
            return "ambiguous"
        marks[place] = mark
        reasons[place] = found["why"] if found else ""
        used.add(text[at : stop if stop >= 0 else len(text)])
    kinds, values = {kind for kind, _ in marks.values()}, [value for _, value in marks.values()]
    if kinds <= {"word", "yes"} and len(marks) == 1:
        return None
    kind = _meant(kinds, "\n".join(line for line in text.splitlines() if line not in used), asks)
    is_clear = kind is not None and len(set(values)) == len(values) and max(values) > 0
    if not is_clear or (asks == "hallucinated" and kind in ("score", "tick")):
        return "ambiguous"
    is_least = kind == "faults" and asks == "best"
    place = (min if is_least else max)(marks, key=lambda one: marks[one][1])
    sound, faulty = (reasons[place], reasons[1 - place])[:: 1 if asks == "best" else -1]
    is_against = asks is not None and (_OF_FAULT.search(sound) or _OF_SOUND.search(faulty))
    return "ambiguous" if is_against else names[place]


def _meant(kinds: set[str], beside: str, asks: Asks) -> str | None:
    """The one kind of all marks, as the words beside their lines have it; None where there are several, or where these
    words may turn it.
    """
    if len(kinds) != 1:
        return None
    kind = next(iter(kinds))
    if kind == "score" and _COUNTED.search(beside):
        return "faults"
    if kind == "score" and _OF_SEVERITY.search(beside) and not _OF_SEVERITY_NOT.search(beside):
        return "faults"
    turns = _OF_FAULT if asks == "best" else _OF_SOUND
    is_turned = (
        (kind == "score" and _LESS.search(beside))
        or (kind == "yes" and (_MEANS.search(beside) or turns.search(beside)))
        or (kind == "tick" and turns.search(beside))
    )
    return None if is_turned else kind


def _mark(found: re.Match[str], asks: Asks) -> tuple[str, float] | None:
    """The kind of a line's mark and its value, the greater the more it is what was asked for."""
    if BUT.search(found["why"]):
        return None
    if stars := sum(found["why"].count(sign) for sign in "⭐★"):
        return "score", float(stars)
    if found["words"] and (words := found["words"].strip().casefold()):
        if words in ("yes", "no"):
            return "yes", float(words == "yes")
        if asks == "best" and words in ("good", "bad", "better", "worse"):
            return "word", float(words in ("good", "better"))
        told = state(words)
        return None if told is None else ("word", float(told is (asks == "hallucinated")))
    if sign := found["before"] or found["behind"]:
        return "tick", float(sign in TICKS)
    if not found["score"]:
        return None
    return "faults" if found["faults"] or found["counted"] else "score", float(found["score"])


def placed(told: str) -> int | None:
    """The place (0 or 1) of the text that a ranking puts first, or whose score is the higher one, in words that say no
    more; `told` has a sign for each text (`comparisons.signed`).
    """
    if found := _RANKED.fullmatch(told):
        return "\x01\x02".index(found["a"] or found["b"])
    for place, form in enumerate(_SCORED):
        if found := form.fullmatch(told):
            first, second = float(found["a"]), float(found["b"])
            return None if first == second else place if first > second else 1 - place
    return None
