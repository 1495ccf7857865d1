"""Statements of faults: what a sentence says of the judged text, in a few closed shapes of known words.

A *polar word* says fault or soundness (`fabricated`, `supported`); each negation before it turns it. A clause
states something where the classes of its words, one letter each, have one of SHAPES, which name the judged
text or what is or is not found in it. All else, and what doubts, supposes or excepts, states nothing.
"""

from collections.abc import Sequence
from functools import lru_cache

from truerate.core.patterns import lazy
from truerate.llm.replies.words import Sentence, Word, has

PAUSES = frozenset(",،؛，、;；:：()[]—–-|=→⇒!/")
SIGNS = {
    "fault": 1,
    "fault_noun": 1,
    "fault_verb": 1,
    "sound": -1,
    "sound_verb": -1,
    "clause_fault": 1,
    "clause_sound": -1,
}
LOOSE = frozenset(
    "right true wrong false fine good ok okay correct incorrect inaccurate non-factual off".split()
)
_VAGUE = LOOSE - {"incorrect", "inaccurate", "non-factual", "off"}
_UNFINISHED = frozenset(
    "the a an of in with to by between and or not no is".split()
)  # with which no sentence ends
_COMMAS = frozenset(",，;；")
_SO = frozenset("so therefore thus hence consequently".split())
_AND = frozenset(("and", "und", "y", "et", "e"))
# the letter of a word: that of the first of these classes that it has, `u` where it has none; words of no
# letter say nothing
_LETTERS = (
    ("n", "negation no"), ("F", "fault clause_fault"), ("N", "fault_noun"), ("V", "fault_verb"), ("G", "sound clause_sound"),
    ("W", "sound_verb"), ("K", "in_source"), ("x", "problem"), ("S", "subject"), ("B", "be"), ("H", "have"), ("D", "do"),
    ("T", "there"), ("e", "self"), ("m", "finding"), ("i", "info"), ("s", "source"), ("w", "whole"), ("P", "pronoun"),
    ("M", "mention"), ("", "given conclusive opinion filler"),
)  # fmt: skip
_TAIL = "[sSPiBHmMwD]*"
_SOURCE = "(?:H?i?s[sSPiwM]*)?"
# it is the answer that …, the answer is the one that …, this makes it …
_SPLIT = "(?:PB(?=SP)|SB(?=P[BHVDn])|PH(?=[SP][FG]))?"
# it adds a name that the document does not mention, it adds nothing that …; of two negations the second turns
# the first
_RELATIVE = lazy(r"(?=.*n)(?:[SP]{1,2}D?n?H|e|TB)n?i[SP]*(?:B|s?D?)n?[BHm]?(?P<p>[KGWMHV])s*")
SHAPES = tuple(
    lazy(shape)
    for shape in (
        # it is not hallucinated, it contains (no) false information
        rf"{_SPLIT}(?!N)n?[SP]{{0,3}}D?n?(?:Hi(?!n)|[BH])?w?n?D?[BH]?(?P<p>[FGNx])(?:(?<=G)K)?i?F?[BH]?m?{_TAIL}",
        rf"n?TB?n?i?(?P<p>[FNx])i?{_TAIL}",  # there is no hallucination
        rf"e?m?ni?(?P<p>[FNx])i?B?[mH]?{_TAIL}",  # I found no hallucinated details
        r"(?:em)?(?P<p>[FN])i?(?:B?[mH])?[PS]*",  # hallucination detected
        rf"{_SPLIT}[SP]{{1,2}}D?n?(?P<p>V)(?!.{{0,2}}n).*",  # it invents whatever
        rf"(?:n|ni)[SP]*(?P<p>V)H?{_TAIL}",  # nothing in it contradicts the document
        rf"{_SPLIT}(?:n?w?i?|ni)[SP]*G?D?n?(?P<p>W){_SOURCE}G?",  # it does not agree with the document
        r"sD?n?(?P<p>[VW])[SP]",  # the document supports the answer
        r"(?P<p>V)H?s{1,2}",  # contradicted by the document
        r"SBPsD?n?(?P<p>[VW])",  # the answer is the one that the document supports
        rf"(?:n?wi?|ni?)?m?[SP]{{0,2}}(?:M?B)?n?w?(?P<p>[GF])K?H?{_TAIL}",  # every detail is supported
        r"(?:n?wi?|ni?)?[SP]{0,2}M?(?:Bn?w?m?|m)(?P<p>K)s*",  # every detail is in the document
        r"[SP]{1,2}D?n?HiPB(?P<p>F)",  # it contains facts that are invented
        r"(?:[SP]{0,2}n?B?|n)m(?P<p>K)",  # not found in the document
        r"[BD](?:[SP]{1,2}|T)[BH]?(?P<p>[FGN])i?",  # is the answer hallucinated
    )
)


def letter(word: Word) -> str:
    """The letter of a word in SHAPES."""
    return _letter_of(word.classes)


@lru_cache(4096)
def _letter_of(classes: frozenset[str]) -> str:
    return next((letter for letter, names in _LETTERS if not classes.isdisjoint(names.split())), "u")


def _split(some: Sequence[Word], signs: frozenset[str], *openers: str) -> list[list[Word]]:
    """The parts of some words between signs, which go, and before words of some classes, which stay."""
    parts: list[list[Word]] = [[]]
    for word in some:
        if word.text in signs or not word.classes.isdisjoint(openers):
            parts.append([])
        if word.text not in signs:
            parts[-1].append(word)
    return [part for part in parts if part]


def signs_of(some: Sequence[Word]) -> set[int]:
    """What the clauses of a sentence speak of: faults (1) or soundness (-1), their negations turned."""
    signs = set()
    for part in _split(some, PAUSES, "contrast", "because"):
        n = 0
        for word in part:
            n += bool({"negation", "no"} & word.classes)
            for name, sign in SIGNS.items():
                if name in word.classes and "neutral" not in word.classes:
                    signs.add(sign if n % 2 == 0 else -sign)
            if "problem" in word.classes and n:
                signs.add(-1)
    return signs


def is_left_open(sentence: Sentence) -> bool:
    """Whether a sentence leaves open what it says of faults."""
    return bool(signs_of(sentence.words)) and (
        sentence.is_question or has(sentence.words, "doubt", "condition")
    )


def statement_of(sentence: Sentence) -> bool | None:
    """What a sentence states, behind its label where it has one (`Verdict: not hallucinated`)."""
    some = sentence.words
    at = 0
    while at < len(some) and {"label", "filler", "conclusive"} & some[at].classes:
        at += 1
    is_headed = (
        0 < at < len(some) - 1 and some[at].text in ":：-–—=→|" and has(some[:at], "label", "conclusive")
    )
    if sentence.is_question:
        return None
    return stated_in(some[at + 1 :], is_headed=True) if is_headed else stated_in(some)


def stated_in(some: Sequence[Word], *, is_headed: bool = False) -> bool | None:
    """Whether a sentence says that the judged text has a fault (True) or none (False); None where it says
    neither in one of the shapes, or leaves it open.
    """
    if has(some, "condition", "retraction") or (some and some[-1].text in _UNFINISHED):
        return None
    main, *others = _without_lead(_split(some, _COMMAS)) or [[]]
    for stops in (("because",), ("because", "relative")):
        ends = (at for at, word in enumerate(main) if at and (word.text in ":(—–-" or has([word], *stops)))
        end = next(ends, len(main))
        # `it is true that …`
        is_fact = has(main[end : end + 1], "relative") and has(
            main[end - 1 : end], "fault", "sound", "in_source", "sound_verb"
        )
        parts = _split(main[:end], _AND)
        values = {_simple(part, is_headed=is_headed) for part in parts}
        is_fact = is_fact or (end > 0 and main[end - 1 : end] != [] and main[end - 1].text in _UNFINISHED)
        if not is_fact and len(values) == 1 and (value := values.pop()) is not None:
            return None if any(_takes_back(tail, value) for tail in (main[end:], *others)) else value
    return None


def _without_lead(parts: list[list[Word]]) -> list[list[Word]]:
    """The parts of a sentence from its main clause on: without `but`, a premise (`Based on …,`), and reasons
    before a `so`.
    """
    start = 0
    while (
        start < len(parts)
        and has(parts[start][:1], "contrast")
        and not has(parts[start][:1], "concession", "because")
    ):
        parts[start] = parts[start][1:]
        start += not parts[start]
    conclusion = next((at for at in range(start + 1, len(parts)) if parts[at][0].text in _SO), start)
    if not any(has(part, "doubt") for part in parts[start:conclusion]):
        start = conclusion
    while start + 1 < len(parts) and (
        has(parts[start][:1], "prefix", "because")
        or all({"conclusive", "opinion", "filler"} & word.classes for word in parts[start])
    ):
        start += 1
    return parts[start:]


def _takes_back(tail: Sequence[Word], value: bool) -> bool:
    """Whether words behind a statement take it back: a contrast, a doubt, the contrary."""
    signs = signs_of(tail)
    return (
        (has(tail[:2], "contrast") and not value)
        or (has(tail, "doubt") and not has(tail[:1], "because"))
        or (has(tail, "contrast") and (-1 if value else 1) in signs)
        or (not value and 1 in signs)
    )


def _simple(some: Sequence[Word], *, is_headed: bool = False) -> bool | None:
    """What a clause without `and` says of the judged text."""
    if has(some, "doubt", "aside"):
        return None
    letters = [letter(word) for word in some]
    code = "".join(letters)
    relative = _RELATIVE.fullmatch(code)
    shape = relative or next((match for form in SHAPES if (match := form.fullmatch(code))), None)
    n = code.count("n", 0, shape.start("p")) if shape else 0
    if shape is None or (n > 1 and not relative) or (shape["p"] == "x" and not n):
        return None
    at = -1
    for _ in range(shape.start("p") + 1):  # letters up to the polar one
        at = next(position for position in range(at + 1, len(some)) if letters[position])
    if not _is_clear(some, at, code[: shape.start("p")], code, is_headed=is_headed):
        return None
    return (shape["p"] in "FNVx") is not (n % 2 == 1)


def _is_clear(some: Sequence[Word], at: int, before: str, code: str, *, is_headed: bool) -> bool:
    """Whether a clause of one of the shapes, whose polar word stands at a place, says it of the judged text,
    and nothing vague.
    """
    word, is_denied = some[at], "n" in before
    is_noun = bool({"fault_noun", "problem"} & word.classes)
    is_fault = is_noun or has([word], "fault", "fault_verb")
    if (has(some[:at], "specific") and not set(before) & {"S", "P"}) or (has(some, "partial") and is_fault):
        return False
    if (
        is_denied and "w" in before and (before[0] != "n" or is_fault)
    ):  # `everything is not …`, `not all is false`
        return False
    if not is_denied and not is_fault and "H" in before:  # `it has correct …`
        return False
    if (is_denied and is_noun and some[at - 1].text == "the") or (is_headed and word.text in _VAGUE):
        return False
    is_bare = not set(code) & set("SPTewiHs") and not ("m" in code and set(code) & set("Bn"))
    if is_noun and is_bare and not is_headed and not word.text.startswith("hallucination"):
        return False
    if "S" in before:
        return True
    is_of_it = before.lstrip("n")[:1] == "P" or not set(before) & {"w", "T", "m", "H"}
    return not has([word], "clause_fault", "clause_sound") and (
        is_headed or not (word.text in LOOSE and is_of_it)
    )
