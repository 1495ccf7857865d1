"""What the clauses of a reply say for and against each of two texts, where no sentence of `comparisons` picks one.

A clause has one text as its subject, or compares both:

    picked    `Answer 1 wins` · `I lean towards Answer 1` · `Answer 2 it is`
    better    `Answer 1 is more plausible (than Answer 2)`, which says nothing of faults
    truer     `Answer 1 sticks more closely to the facts` · `… contains fewer errors (than Answer 2)`
    worse     `Answer 1 contains more errors (than Answer 2)`
    faulty    `Answer 1 invents a date` · `… gets the year wrong` · `… does not stick to the document`
    sound     `Answer 1 stays with the facts` · `… does not invent anything`

The one that was asked for is read where every clause that names a text is such a one or tells only of the texts,
and all speak for the same: one that is picked, one that is better, one of which the asked-for pole is stated, the
other one's contrary beside it or not. Of a text alone, the contrary pole picks nothing. Whatever is doubted, asked,
conditional or taken back is not read; nor is a reply that breaks off.
"""

import re
from collections.abc import Iterator, Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.clause_kinds import BAD, FAULTS, GOOD, KINDS, LIKELY, NAME, REST, TRUE
from truerate.llm.replies.comparisons import AGAINST, Asks, signed
from truerate.llm.replies.grammar import paraphrase, state
from truerate.llm.replies.hedging import REPORTED, UNDECIDED
from truerate.llm.replies.holding import held_against, without_asides
from truerate.llm.replies.rating import CROSSES, TICKS, placed

_OPEN = lazy(
    r"\b(?:might|may|could|should|maybe|perhaps|possibl[ey]|probabl[ey]|if(?!\s+anything\b)|unless|whether|unsure|unclear|depends?|"
    r"(?:not|n't)\s+(?:at\s+all\s+)?(?:sure|certain)\s+(?:which|whether|if|about)|hard|difficult|impossible|(?:cannot|"
    r"can't)(?!\s*(?:[.!]|\Z)|\s+be\s+(?:verified|confirmed|traced|found|supported)\b)|"
    r"unable|wait|actually|scratch|i\s+mean|on\s+reflection|second\s+thoughts?|either|neither|none|nor|both|equal(?:ly)?|tied?|same|"
    r"(?:so|as)\s+(?:is|does|are|do|was|has)|too|initially|originally|at\s+first|previous(?:ly)?|example|others?|some\s+would|another|"
    r"would\s+(?:have|be)|hardly|barely|scarcely|no\s+(?:better|worse|more|less)|anything\s+but|than\s+(?:it|nothing)|hmm+|"
    r"style|tone|written|writing|worded|wording|instead\s+of\s+being)\b|\?",
    re.I,
)
# granted before one is picked, which is no doubt
_SURE_ENOUGH = lazy(
    r",?\s+(?:al)?though\s+i(?:'m|\s+am)\s+not\s+(?:entirely|completely|fully|absolutely|totally|a\s+hundred\s+percent|100\s*%)\s+"
    r"(?:sure|certain|confident)(?=[.!]|\s*\Z)",
    re.I,
)
# what is said of both before one is picked
_GRANTED = lazy(
    rf"\A\W*(?:both\s+(?:{NAME}\s+and\s+{NAME}\s+|(?:answers|responses|summaries|of\s+them|texts)\s+)?(?:are|have|seem|look|contain)\b"
    r"[^.;!?\x01\x02]{1,60},\s+but\s+|both\s+(?:(?:answers|responses|summaries|of\s+them)\s+)?(?:mention|give|name|"
    r"say|state|refer\s+to|talk\s+about)\b"
    r"[^.;!?\x01\x02]{1,60}[.;]\s+|(?:looking\s+at|having\s+\w+|comparing|after\s+\w+|let's\s+compare|"
    r"let\s+me\s+compare)\s+(?:both|the\s+two)\b"
    r"[^.:!?\x01\x02]{0,40}[.:]\s+)",
    re.I,
)
_IT_IS = lazy(r"\bit's(?=\s)", re.I)
# asked by the writer, and denied at once
_ASKED = lazy(rf"(?:is\s+it\s+|could\s+it\s+be\s+)?{NAME}\?\s+no\b[.,!:;]?\s*", re.I)
_AGAINST = rf"{AGAINST}\s+{NAME}(?:,\s+which\s[^,\x01\x02]*(?=,))?"
_BETWEEN = rf"(?:of|between|comparing|out\s+of)\s+(?:the\s+two(?:\s+\w+)?|these|them|{NAME}\s+and\s+{NAME})"
_LEAD = (
    rf"(?:(?:{_BETWEEN}|{_AGAINST}|(?:explanation|reason(?:ing)?|rationale|justification)\s*:|so|thus|hence|therefore|overall|in\s+short|however|still|only|while|whereas|although|though|but|and|"
    r"because|since|as|here|i\s+(?:think|believe|find|feel|conclude|see)(?:\s+that)?|it\s+seems(?:\s+to\s+me)?\s+that|"
    rf"it(?:'s|\s+is)\s+clear\s+that|my\s+(?:final\s+)?(?:decision|verdict|conclusion|view|judge?ment|opinion)\s+is(?:\s+that)?|"
    rf"(?:given|based\s+on|judging\s+by|according\s+to)\s+(?:the\s+)?(?:\w+\s+)?(?:knowledge|documents?|source|"
    rf"passage|dialogue|history|context|facts)|if\s+anything|in\s+my\s+(?:view|opinion)|to\s+me)\s*,?\s+)*"
)
_BREAK = lazy(
    rf"(?:[.!;]+(?!\d)|\n+)\s*|\s*[—–]\s*|\s+-\s+|,?\s+\b(?=(?:while|whereas|although|though|but|because|since|so|"
    rf"hence|thus|therefore|as|and)\s+(?:\w+\s+){{0,2}}{NAME})|"
    rf":\s+(?=it\s)|,\s+and\s+(?=there(?:'s|\s+is|\s+are)\b)|,\s+(?={NAME}\s)(?<!\x01,\s)(?<!\x02,\s)|,\s+(?=(?:while|whereas|although|though|but|because|since|so|hence|"
    rf"thus|therefore|as|which)\b)|"
    r"\s+(?=(?:because|since)\s+it\b)|,?\s+(?=(?:but|yet|although|though|however)\b)"
)
_PICKS = lazy(
    rf"{_LEAD}(?:(?:i(?:'d|\s+would|\s+will|'ll)?\s+(?:(?:therefore|rather|still|then)\s+)?(?:pick|choose|select|"
    rf"prefer|take|go\s+(?:with|for)|opt\s+for|lean\s+"
    rf"(?:towards?|to)|favou?r|vote\s+for|side\s+with)|i(?:'m|\s+am)\s+(?:leaning\s+(?:towards?|to)|going\s+with)|"
    rf"my\s+(?:choice|pick|vote)\s+(?:is|goes\s+to)|it(?:'s|\s+is))\s+"
    rf"(?P<one>{NAME})(?:\s+(?:over|rather\s+than|instead\s+of|and\s+not)\s+{NAME})?|(?P<it>{NAME})\s+it\s+is|"
    rf"(?:which|this|that)\s+leaves\s+(?:(?:us|me)\s+with\s+)?(?P<left>{NAME}))(?:\s+(?:as|for|because|since)\b[^\x01\x02]*)?",
    re.I,
)
_MADE = lazy(
    rf"(?:which|this|that)\s+makes\s+(?P<name>{NAME})\s+the\s+(?:better|best|stronger)(?:\s+(?:one|choice|answer|"
    rf"response|summary|option|pick))?",
    re.I,
)
# the last sentence, where it concludes
_CONCLUDES = lazy(
    rf"(?:.*[.!;:\n,]\s*)?(?:so|thus|hence|therefore|overall|in\s+conclusion|consequently)\s*,?\s+(?:it\s+(?:is|"
    rf"must\s+be|has\s+to\s+be)\s+|"
    rf"the\s+(?P<named>[\w-]+(?:\s+[\w-]+)?)\s+(?:one|answer|response|summary|choice|option)\s+(?:is|"
    rf"must\s+be)\s+)(?P<name>{NAME})[\s.!]*",
    re.I | re.DOTALL,
)
_NAMED = {
    "best": r"(?:better|best|winning|preferred|stronger|more\s+\w+|most\s+\w+)",
    "hallucinated": r"(?:hallucinated|fabricated|faulty|wrong|incorrect)",
}
_DOES_NOT = lazy(r"(?:(?:does|do|did|is|was)(?:\s+not|n't)|cannot|can't)(?:\s+do\s+(?:so|that|this))?", re.I)
_DOES_SO = lazy(r"does(?:\s+so)?|(?:has|contains|makes|includes)\s+(?:one|some)", re.I)
_FREE = lazy(
    rf"{_LEAD}(?:i\s+(?:can\s+)?(?:see|find|found|detect)|there\s+(?:is|are))\s+no\s+(?:{FAULTS}|"
    rf"such\s+\w+)\s+(?:at\s+all\s+)?in\s+(?P<name>{NAME})",
    re.I,
)
# the last text, in a clause that does not name it
_SAME = lazy(
    r"\A(?P<lead>(?:because|since|as|but|and|so|hence|thus|therefore|yet|although|though|however),?\s+)?(?:it|which)\b",
    re.I,
)
_GOES_ON = lazy(r"\A(?:but|yet|and)\s+(?=(?:(?:also|then|\w+ly)\s+)?\w+(?:s|n't)\s)", re.I)
_REASON = lazy(r"(?:because|since|as|for|given)\b", re.I)
# what only tells of a text, in no word of either pole
_SPEAKS = lazy(
    rf"\b(?:not|no|never|without|more|less|fewer|better|best|worse|worst|than|closer|nearer|most|least|{BAD}|{GOOD}|{TRUE}|{LIKELY}|"
    r"hallucinat\w*|fabricat\w*|invent\w*|contradict\w*|conflict\w*|error\w*|mistake\w*|true|fine|good|bad|ok(?:ay)?|"
    r"pick\w*|choos\w*|reject\w*|"
    r"prefer\w*|avoid\w*|wins?|loses?|fails?|lacks?|misses|omits|ignores?|supports?|fits?|matches|beats?|too|off|one|"
    r"weak\w*|strong\w*)\b|n't\b",
    re.I,
)


def weighed(text: str, mentions: Sequence[tuple[int, int, int]], asks: Asks) -> int | None:
    """The place (0 or 1) of the text for which all clauses speak, None where they do not.

    `mentions` are (place, start, end) of the names in the text.
    """
    if asks is None or not mentions or not re.search(r"[.!)\]\"'*_`]\s*\Z|\w\s*\Z", text):
        return None
    told = without_asides(_SURE_ENOUGH.sub("", signed(text, mentions)))
    place = _concluded(told, asks)
    if place is None and asks == "best":
        place = placed(told)
    if place is not None:
        return place
    told = _IT_IS.sub("it is", told)
    told = held_against(_GRANTED.sub("", _ASKED.sub("", told)))
    if _OPEN.search(told) or REPORTED.search(told):
        return None
    said = [_of(clause) for clause in _clauses(told)]
    return None if None in said else _asked_for(_denied([one for one in said if one]), asks)


def contradicts(text: str, mentions: Sequence[tuple[int, int, int]], place: int, asks: Asks) -> bool:
    """Whether a clause states that a text is sound, which was picked as the hallucinated one."""
    if asks != "hallucinated":
        return False
    return any(said in (("sound", place), ("clean", place)) for _, said in said_in(signed(text, mentions)))


def said_in(told: str) -> list[tuple[str, tuple[str, int] | tuple[()] | None]]:
    """The clauses of a sentence with a sign for each text (`comparisons.signed`), and what each says of which place: ()
    where it only tells of a text, None where it is not read.
    """
    return [(clause, _of(clause)) for clause in _clauses(_ASKED.sub("", held_against(without_asides(told))))]


def _concluded(told: str, asks: Asks) -> int | None:
    """The place that the last sentence concludes with, where it leaves nothing open."""
    found = _CONCLUDES.fullmatch(told)
    if found is None or "?" in told or UNDECIDED.search(told):
        return None
    if found["named"] is None:
        return None if _OPEN.search(told) else "\x01\x02".index(found["name"])
    last = re.split(r"[.!;\n]+\s*", told.rstrip(" .!\n"))[-1]
    is_own = re.fullmatch(_NAMED[asks or "best"], found["named"], re.I) and not _OPEN.search(last)
    return "\x01\x02".index(found["name"]) if is_own else None


def _clauses(told: str) -> Iterator[str]:
    """The clauses of a reply; one that speaks of the last text as `it` or `which`, or goes on about it (`but invents
    …`), with its name.
    """
    last = None
    for part in _BREAK.split(told):
        clause = " ".join((part or "").strip(" \t*_`\"'(),:-").split())
        if not clause:
            continue
        if last and not re.search(NAME, clause):
            clause = _SAME.sub(rf"\g<lead>{last}", clause, count=1)
            clause = _GOES_ON.sub(f"{last} ", clause, count=1) if not re.search(NAME, clause) else clause
        if found := re.findall(NAME, clause):
            is_one = len(set(found)) == 1 or f" than {found[-1]}" in clause
            last = found[0] if is_one else None
        yield clause


_IN = lazy(
    rf"{_LEAD}the\s+(?:information|claims?|details?|statements?|parts?|bits?|mention|dates?|names?|years?|numbers?|"
    rf"figures?|quotes?|facts?)\b[^\x01\x02]*\sin\s+"
    rf"(?P<name>{NAME})\s+(?:(?:is|are|was|were)(?:\s+(?:not|nowhere)|n't|\s+{BAD})|(?:has|have)\s+no\s+(?:basis|support|grounds?)\s+in){REST}"
    rf"|{_LEAD}there\s+(?:is|are)\s+(?:an?\s+|some\s+)?{FAULTS}\s+in\s+(?P<there>{NAME}){REST}",
    re.I,
)


def _of(clause: str) -> tuple[str, int] | tuple[()] | None:
    """What a clause says and of which place; () where it only tells of a text, None where it cannot be read."""
    if found := _PICKS.fullmatch(clause):
        return "picked", "\x01\x02".index(found["one"] or found["it"] or found["left"])
    if found := _MADE.fullmatch(clause):
        return "better", "\x01\x02".index(found["name"])
    if found := _FREE.fullmatch(clause):
        return "clean", "\x01\x02".index(found["name"])
    if found := _IN.fullmatch(clause):
        return "faulty", "\x01\x02".index(found["name"] or found["there"])
    begins = re.match(rf"(?P<lead>{_LEAD})(?:the\s+)?(?P<name>{NAME})\s*(?P<colon>:)?\s+", clause, re.I)
    if begins is None:
        is_reason = bool(_REASON.match(clause)) and not re.search(NAME, clause)
        return None if _SPEAKS.search(clause) and not is_reason else ()
    name, behind = begins["name"], clause[begins.end() :]
    if re.search(NAME, behind) and f"than {name}" in behind:
        return None
    place = "\x01\x02".index(name)
    if behind[0] in TICKS + CROSSES and not re.search(NAME, behind):
        return ("ticked" if behind[0] in TICKS else "crossed"), place
    if begins["colon"] and (told := _headed(behind)) is not None:
        return ("faulty" if told else "sound"), place
    if _DOES_NOT.fullmatch(behind):
        return "not", place
    if _DOES_SO.fullmatch(behind):
        return "so", place
    kinds = {kind.says for kind in KINDS if kind.form.fullmatch(behind)}
    if not kinds and not re.search(NAME, behind):
        told = paraphrase(f"the answer {behind}")
        kinds = set() if told is None else {"faulty" if told else "sound"}
    if len(kinds) == 1:
        says = kinds.pop()
        is_set_apart = re.search(rf"\bunlike\s+{NAME}", begins["lead"], re.I)
        return (
            {"sound": "truer", "clean": "truer", "faulty": "worse"}.get(says, says) if is_set_apart else says
        ), place
    return None if kinds or _SPEAKS.search(behind) else ()


def _headed(words: str) -> bool | None:
    """What stands behind a text's name and a colon: a state, with what it is made of or without (`accurate, covers all`)."""
    if (told := state(words)) is not None:
        return told
    head, *more = re.split(r"\s*(?:[,;(]|\s[—–-]\s)", words, maxsplit=1)
    told = state(head) if more else None
    return None if told is False and _SPEAKS.search(more[0]) else told


def _denied(said: Sequence[tuple[str, int]]) -> list[tuple[str, int]] | None:
    """What is said, `… does not` and `… has one` read as the contrary of what was said of the other text right
    before; None where nothing was.
    """
    read: list[tuple[str, int]] = []
    for at, (says, place) in enumerate(said):
        if says in ("not", "so"):
            before, of = said[at - 1] if at else ("", place)
            if of == place or before not in (("faulty", "sound") if says == "not" else ("clean",)):
                return None
            says = "sound" if before == "faulty" else "faulty"
        read.append(("sound" if says == "clean" else says, place))
    return read


def _asked_for(said: Sequence[tuple[str, int]] | None, asks: Asks) -> int | None:
    """The place for which everything speaks that is said, and something says it of that very text."""
    if not said:
        return None
    is_best = asks == "best"
    own, other = (
        (("sound", "ticked"), ("faulty", "lacking", "crossed")) if is_best else (("faulty",), ("sound",))
    )
    if not is_best and any(says in ("ticked", "crossed") for says, _ in said):
        return None  # a tick may say either
    picked = {place for says, place in said if says == "picked"}
    ranked = {place if is_best else 1 - place for says, place in said if says == "truer"}
    ranked |= {place for says, place in said if says == "better" and is_best}
    ranked |= {1 - place if is_best else place for says, place in said if says == "worse"}
    stated = {place for says, place in said if says in own}
    against = {place for says, place in said if says in other}
    if stated & against:
        return None
    for decisive in (picked, ranked, stated):
        if decisive:
            found = decisive.copy()
            place = found.pop()
            # one that is ranked may share a fault with the other; one that is stated may not share it
            speak = picked | ranked | ({1 - one for one in against} if len(against) == 1 else set())
            speak |= stated if len(stated) == 1 else set()
            is_one = not found and speak <= {place}
            return place if is_one and (decisive is not stated or place not in against) else None
    return None
