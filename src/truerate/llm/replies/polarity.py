"""What clauses say of the judged text: that it has a fault (True), or none (False).

A *polar word* says fault or soundness (`fabricated`, `supported`); each negation before it turns it. A clause
states something where the classes of its words, one letter each, have one of SHAPES, which name the judged
text or what is or is not found in it. A polar word of any other clause is a *mention*: it states nothing, and
stands against every statement of the contrary.
"""

from collections.abc import Sequence
from functools import lru_cache

from truerate.core.patterns import lazy
from truerate.llm.replies.words import Word, has

PAUSES = frozenset(",،؛，、;；:：()[]—–-|=→⇒!/")
POLAR = {"fault": True, "fault_noun": True, "fault_verb": True, "clause_fault": True,
         "sound": False, "sound_verb": False, "clause_sound": False}  # fmt: skip
UNFINISHED = frozenset("the a an of in with to by between and or not no is that".split())
# the letter of a word is that of the first of these classes that it has, `u` where it has none; words without a
# letter say nothing
_LETTERS = (
    ("n", "negation no"), ("F", "fault clause_fault"), ("N", "fault_noun"), ("V", "fault_verb"),
    ("G", "sound clause_sound"), ("W", "sound_verb"), ("K", "in_source"), ("x", "problem"), ("S", "subject"),
    ("B", "be"), ("H", "have"), ("D", "do"), ("T", "there"), ("e", "self"), ("m", "finding"), ("i", "info"),
    ("s", "source"), ("w", "whole"), ("P", "pronoun"), ("M", "mention"), ("", "given conclusive opinion filler"),
)  # fmt: skip
_TAIL = "[sSPiBHmMwD]*"
# it adds a name that the document does not mention; of two negations the second turns the first
_RELATIVE = lazy(r"(?=.*n)(?:[SP]{1,2}D?n?H|e|TB)n?i[SP]*(?:B|s?D?)n?[BHm]?(?P<p>[KGWMHV])s*")
SHAPES = tuple(
    lazy(shape)
    for shape in (
        # it is not hallucinated, it contains (no) false information, it makes this false
        rf"(?:PB(?=SP)|SB(?=P[BHVDn])|PH(?=[SP][FG]))?(?!N)n?[SP]{{0,3}}D?n?(?:Hi(?!n)|[BH])?w?n?D?[BH]?(?P<p>[FGNx])K?i?F?[BH]?m?{_TAIL}",
        rf"n?TB?n?i?(?P<p>[FNx])i?{_TAIL}",  # there is no hallucination
        rf"e?m?ni?(?P<p>[FNx])i?B?[mH]?{_TAIL}",  # I found no hallucinated details
        r"(?:em)?(?P<p>[FN])i?(?:B?[mH])?[PS]*",  # hallucination detected
        r"[SP]{1,2}D?n?(?P<p>V)(?!.{0,2}n).*",  # it invents whatever
        r"S(?P<p>F)[HM](?!.*[nFGNW]).*",  # the answer wrongly states that …
        rf"(?:n|ni)[SP]*(?P<p>V)H?{_TAIL}",  # nothing in it contradicts the document
        r"(?:n?w?i?|ni)[SP]*G?D?n?(?P<p>W)(?:H?i?s[sSPiwM]*)?G?",  # it does not agree with the document
        r"sD?n?(?P<p>[VW])[SP]",  # the document supports the answer
        rf"(?:n?wi?|ni?)?m?[SP]{{0,2}}(?:M?B)?n?w?(?P<p>[GF])K?H?{_TAIL}",  # every detail is supported
        r"(?:n?wi?|ni?)?[SP]{0,2}M?(?:Bn?w?m?|m)(?P<p>K)s*",  # every detail is in the document
        r"[BD](?:[SP]{1,2}|T)[BH]?(?P<p>[FGN])i?",  # is the answer hallucinated
    )
)


def letter(word: Word) -> str:
    """The letter of a word in SHAPES."""
    return _letter_of(word.classes)


@lru_cache(4096)
def _letter_of(classes: frozenset[str]) -> str:
    return next((letter for letter, names in _LETTERS if not classes.isdisjoint(names.split())), "u")


def clauses(some: Sequence[Word]) -> list[list[Word]]:
    """The clauses of a sentence: between signs, and from words of contrast or reason on."""
    parts: list[list[Word]] = [[]]
    for word in some:
        if word.text in PAUSES or has([word], "contrast", "because"):
            parts.append([])
        if word.text not in PAUSES:
            parts[-1].append(word)
    return [part for part in parts if part]


def mentions(some: Sequence[Word]) -> set[bool]:
    """Return what the polar words of a sentence say, each turned by the negations before it in its clause."""
    values = set()
    for part in clauses(some):
        is_negated = False
        for word in part:
            is_negated ^= has([word], "negation", "no")
            if not has([word], "neutral"):
                values |= {POLAR[name] is not is_negated for name in POLAR if name in word.classes}
            if is_negated and "problem" in word.classes:
                values.add(False)
    return values


def stated(some: Sequence[Word], *, is_headed: bool = False) -> bool | None:
    """Return whether a sentence says that the judged text has a fault (True) or none (False); None where it
    says neither, or leaves it open. `is_headed`: a label stands before it.
    """
    if (
        not some
        or has(some, "condition", "retraction", "reported_question", "aside")
        or some[-1].text in UNFINISHED
    ):
        return None
    values: set[bool] = set()
    beside: set[bool] = set()
    for at, part in enumerate(clauses(some)):
        if part[-1].text == '"' and not any(map(letter, part[:-1])):
            return None  # hence "…"
        is_open = has(part[:1], "because") or (at > 0 and not set(map(letter, part)) & set("SPTenwism"))
        value = None if is_open else _of_clause(part, is_headed=is_headed)
        if value is None:
            if has(part, "exception") or (at and has(part[:1], "contrast")):
                return None  # everything is supported, except …
            beside |= mentions(part)
            if has(part, "doubt") and not has(part[:1], "because", "prefix"):
                return None
        elif at and has(part[:1], "contrast") and values - {value}:
            return None
        else:
            values.add(value)
    if len(values) != 1:
        return None
    value = values.pop()
    return value if beside <= {value} or (value and not has(some, "contrast")) else None


def _of_clause(some: Sequence[Word], *, is_headed: bool) -> bool | None:
    """Return what a clause says of the judged text: all of its parts between `and` the same."""
    values: set[bool | None] = set()
    part: list[Word] = []
    for word in [*(some[1:] if has(some[:1], "contrast") else some), None]:
        if word is None or word.text in ("and", "und", "y", "et", "e"):
            values.add(_simple(part, is_headed=is_headed))
            part = []
        else:
            part.append(word)
    if values != {None}:
        return values.pop() if len(values) == 1 else None
    # it adds a false claim about the mayor; but `it is true that …` says nothing of it
    end = next((at for at, word in enumerate(some) if at and has([word], "relative")), 0)
    is_fact = end and (has(some[end - 1 : end], *POLAR, "in_source") or some[end - 1].text in UNFINISHED)
    return _simple(some[:end], is_headed=is_headed) if end and not is_fact else None


def _simple(some: Sequence[Word], *, is_headed: bool) -> bool | None:
    """Return what a clause without `and` says of the judged text."""
    if has(some, "doubt", "exception"):
        return None
    some = [word for word in some if letter(word)]
    code = "".join(map(letter, some))
    relative = _RELATIVE.fullmatch(code)
    shape = relative or next((match for form in SHAPES if (match := form.fullmatch(code))), None)
    if shape is None:
        return None
    at = shape.start("p")
    word, before, is_fault = some[at], code[:at], shape["p"] in "FNVx"
    n = before.count("n")
    if (n > 1 and not relative) or (shape["p"] == "x" and not n) or (has(some, "partial") and is_fault):
        return None
    is_named, is_noun = "S" in before, shape["p"] in "Nx"
    if has(some[:at], "specific") and not set(before) & {"S", "P"}:
        return None
    if n and "w" in before and (before[0] != "n" or is_fault):  # not everything is …
        return None
    if not n and not is_fault and "H" in before:  # it has correct …
        return None
    is_bare = not set(code) & set("SPTewiHs") and not ("m" in code and set(code) & set("Bn"))
    if is_noun and is_bare and not is_headed and not word.text.startswith("hallucination"):
        return None
    if is_headed and "vague" in word.classes:
        return None
    is_of_it = before.lstrip("n")[:1] == "P" or not set(before) & set("wTmH")
    if not is_named and (
        has([word], "clause_fault", "clause_sound")
        or (not is_headed and has([word], "loose", "vague") and is_of_it)
    ):
        return None
    return is_fault is not (n % 2 == 1)
