"""The text that a reply names outright as the one that was asked for, whatever it said of both on the way.

A sentence decides where it is, as a whole, one of these, a lead before it (`So`, `which means that`, a clause before
a comma) and a reason behind it or not:

    named     `Answer 1 is the better one` · `Answer 1 is the one with the hallucination`
    is        `The hallucinated one is Answer 1` · `The summary that contains the error is Summary 2`
    chosen    `I pick Answer 1` · `Your choice should be Answer 1` · `It has to be Answer 1` · `Answer 1 it is`
    so        `So: Answer 1` · `If I have to choose: Answer 1`

A reply is read where all sentences that decide name the same text, or the last one behind words that take the earlier
ones back; where nothing behind doubts it, takes it back or says the contrary; and where what stands before it does not
state the contrary of that very text.
"""

import re
from collections.abc import Iterator, Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import lexicon
from truerate.llm.replies.comparisons import Asks, signed
from truerate.llm.replies.decisive_forms import FORMS, OWN
from truerate.llm.replies.grammar import paraphrase
from truerate.llm.replies.hedging import BACK, REPORTED, UNDECIDED
from truerate.llm.replies.weighing import said_in

_NAME = "[\x01\x02]"
# a lead that is no assertion of the writer's own: a condition, a view of others, what seemed so at first
_NO_LEAD = lazy(
    r"\b(?:if(?!\s+i\s+(?:must|had\s+to|have\s+to)\b)|unless|whether|when|suppos\w+|assum\w+|at\s+first|initially|"
    r"originally|previously|first\s+(?:glance|sight|impression)|"
    r"(?:some|others?|one|you|people|another|many)\s+(?:\w+\s+)?(?:say|think|argue|pick|choose|claim|might|may|could|"
    r"would)|(?:do\s+not|don't|cannot|can't|did\s+not|didn't|would\s+not|wouldn't|never)\s+"
    r"(?:think|believe|say|agree|mean|pick|choose)|not\s+(?:because|that)|example|instructions?|asked)\b|\?",
    re.I,
)
_BUT = r"\b(?:but|however|although|though|unless|if|except|yet|apart|nor|neither|both|maybe|perhaps|equally)\b|\?"
_NO_TAIL = lazy(_BUT, re.I)
# before a name: the order in which the texts were looked at
_READ = lazy(
    r"\bi\s+(?:\w+ly\s+)?(?:read|looked\s+at|checked|compared|began\s+with|started\s+with)\b[^.;:]*\Z", re.I
)
_BOTH_OF = lazy(r"\bin\s+both\s+\w+\s+and\s+\w+", re.I)  # what it is better in
_ABROAD_REASON = lazy(
    r"(?:weil|da|denn|car|parce|porque|puisque|pois|pues|ya\s+que|perché|poiché|omdat|want|ponieważ|çünkü)\b",
    re.I,
)
_REASONED = lazy(r"(?:because|since|as|given|for|due|which|whose)\b", re.I)
_GRANTED = lazy(r"\bbut\s+(?:the|in|according|nowhere|there|no|it|this|that|not)\b", re.I)
_BACK = lazy(
    rf"\b(?:{BACK}|second\s+reading|no\s*[,:]|actually|let\s+me\s+(?:correct|reconsider|rethink))",
    re.I,
)
_AFTER = lazy(
    rf"\b(?:{BACK}|hmm+|i\s+(?:really\s+)?(?:can't|cannot)|actually|"
    r"disregard|ignore|take\s+(?:it|that|this)\s+back|or\s+(?:maybe|perhaps|rather)|however|although|"
    r"though|but|yet|unless|except|"
    r"on\s+the\s+other\s+hand|then\s+again|equally|either|neither|both|maybe|perhaps|possibly|might|may|could|would|"
    r"at\s+least|if|not\s+(?:sure|certain)|unsure|tie|same|too|also|as\s+well)\b|\bno\s*[,:]|\b(?:that|this|it)(?:'s|"
    r"\s+is|\s+was)\s+(?:not|wrong|incorrect|false)\b|\?",
    re.I,
)
# of a text that is named behind a decision: that it is no other than the one decided for, or that it may be the one
_AS_MUCH = lazy(
    r"\b(?:(?:so|as|neither)\s+(?:is|does|has|was|do)\b|just\s+as|equally|too\b|as\s+well\b|could|might|may|maybe|"
    r"perhaps|possibly|at\s+least|both|either|or\s+[\x01\x02])",
    re.I,
)
_RANKED = lazy(r"\b(?:better|best|more|most|closer|nearer)\b", re.I)
_CONTRARY = {  # behind a decision, in a clause that is not read: of the text picked, and of the other one
    "best": (
        r"\b(?:not|no|never|wrong\w*|incorrect\w*|false\w*|invent\w*|fabricat\w*|hallucinat\w*|made|error\w*|"
        r"mistake\w*|contradict\w*|unsupported|worse|worst|less|lacks?|misses|omits|too)\b|n't\b",
        r"\b(?:better|best|more|most|preferable|superior|stronger|wins?|pick|choose|right|correct)\b",
    ),
    "hallucinated": (
        r"\b(?:no|never|without|free|accurate\w*|correct\w*|right|faithful\w*|supported|fine|consistent|best|better)\b",
        r"\b(?:wrong\w*|incorrect\w*|false\w*|invent\w*|fabricat\w*|hallucinat\w*|made|error\w*|mistake\w*|"
        r"contradict\w*|unsupported|worse|worst)\b",
    ),
}
_OPPOSED = {  # what a clause says (`weighing`) against a decision: of the text picked, and of the other one
    "best": (("faulty", "lacking", "crossed", "worse", "not"), ("picked", "better", "truer")),
    "hallucinated": (("sound", "clean", "ticked", "truer", "better"), ("picked", "faulty", "worse", "so")),
}
# what the last text says, which the source holds otherwise behind a `but`
_IT_SAYS = lazy(
    r"it\s+(?:\w+ly\s+)?(?:says|states|claims|names|attributes|gives|puts|places|mentions|adds|credits|dates|describes|asserts)\b",
    re.I,
)
# a farewell to the one who asked, which leaves nothing open
_PARTS = lazy(
    r"(?:please\s+)?(?:let\s+me\s+know|feel\s+free|(?:i\s+)?hope\s+(?:this|that|it)|if\s+you\s+(?:have|need|want|"
    r"would\s+like|'d\s+like)|is\s+there\s+anything|do\s+you\s+(?:want|need)|would\s+you\s+like)\b|why(?:\s+[\w']+){0,4}\s*[?*]",
    re.I,
)
_LONGEST = 600  # characters of a clause that decides
_QUOTED = lazy(r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|`[^`\n]{0,200}`")
_BRACKETED = lazy(r"[\[(]{1,2}([\x01\x02])[\])]{1,2}")
# granted, or thought at first: no word of the writer's decision
_NOT_NOW = lazy(
    r"\A\W*(?:although|though|even\s+though|while|granted)\b|\b(?:at\s+first|initially|originally|first\s+(?:glance|sight|impression)|"
    r"would\s+have\s+been)\b",
    re.I,
)
# of several aspects the last word
_ABROAD_TAIL = lazy(
    r"\s*[:;]\s+|,\s+(?=(?:alors|während|mientras|mentre|enquanto|terwijl|weil|denn|car|porque|perché|pois|puisque|а)\b)",
    re.I,
)
_MERELY_MORE = lazy(r"(?<!\bthe\s)\bmore\s", re.I)  # which the other one may be, too, in something else
_NEITHER_PERFECT = lazy(
    r",?\s+(?:though|although|but|even\s+if)\s+neither\s+(?:one\s+)?is\s+(?:perfect|ideal|flawless)(?=\W*\Z)",
    re.I,
)
_OVERALL = lazy(r"\b(?:overall|all\s+in\s+all|on\s+balance|in\s+total|matters?\s+(?:the\s+)?most)\b", re.I)
# where a clause of its own begins within a sentence
_CLAUSES = lazy(r",\s*(?=[\x01\x02])|,?\s+(?=(?:and|while|whereas|but)\s+[\x01\x02])", re.I)
# `Although Answer 1 is short, it is the only one …`
_ONLY_ONE = lazy(
    r"(?<=,)\s+(?:(?:so|and\s+so|therefore|thus|hence)\s+)?it(?:'s|\s+is)\s+(?=(?:still\s+|therefore\s+|"
    r"thus\s+)?the\s+(?:only|better|best|one|hallucinated|non-?factual|fabricated|faulty|"
    r"wrong|incorrect|right|correct|winner)\b)",
    re.I,
)
_BETTER_THAN = lazy(r"\b(?:better|more|further|closer)\b[^\x01\x02,;]*\bthan\s+[\x01\x02]", re.I)
_SENTENCES = lazy(
    r";\s+(?=[\x01\x02]|(?:the|it|so|hence|thus|therefore)\b)|(?<=[.!?。！？])[\"')\]]*\s*(?=\S)(?<!\d\.)(?<!\b[A-Z]\.)|\n+",
    re.I,
)


OPEN = -1  # of a decision that the reply does not leave standing
_NAMED = (
    "named",
    "holds",
    "told",
    "which",
    "deemed",
    "made",
    "abroad",
    "place",
    "only",
    "final",
    "arrow",
    "changed",
)


def decided(text: str, mentions: Sequence[tuple[int, int, int]], asks: Asks) -> int | None:
    """The place (0 or 1) of the text that the reply names outright, `OPEN` where it says the contrary as well, None where
    it names none.

    `mentions` are (place, start, end) of the names in the text.
    """
    if asks is None or not mentions:
        return None
    told = _BRACKETED.sub(r"\1", signed(text, mentions))
    sentences = list(_segments(_QUOTED.sub(_placeholder, told)))
    picks = [
        (at, *found)
        for at, one in enumerate(sentences)
        if (found := _pick(*one, asks) or _answers(sentences, at, asks)) is not None
    ]
    if not picks:
        return None
    at, place, is_named = picks[-1]
    is_last_word = bool(_OVERALL.search("".join(reversed(sentences[at])))) and len(picks) > 2
    turns = [] if is_last_word else [other for other, of, _ in picks if of != place]
    behind = [one for one, _ in sentences[at + 1 :]]
    earlier = [] if is_last_word else sentences[(turns[-1] + 1 if turns else 0) : at]
    before = [one for one, ahead in earlier if not _NOT_NOW.search(f"{ahead}{one}")]
    is_turned = turns and (
        behind or not any(_BACK.search(one) for one, _ in sentences[turns[-1] + 1 : at + 1])
    )
    if is_turned or any(_opposes(one, place, asks) for one in behind):
        return OPEN
    return OPEN if _contradicted(before, place, asks, is_named=is_named) else place


def _answers(sentences: Sequence[tuple[str, str]], at: int, asks: str) -> tuple[int, bool] | None:
    """The place that a sentence names and no more, which answers the question right before it: the one that was asked."""
    told = sentences[at][0].strip(" .!*_`\"'")
    if at == 0 or told not in ("\x01", "\x02"):
        return None
    question = sentences[at - 1][0]
    is_own = (
        question.rstrip().endswith("?") and re.search(OWN[asks], question, re.I) and not _NOT.search(question)
    )
    return ("\x01\x02".index(told), True) if is_own and not re.search(_NAME, question) else None


_NOT = lazy(r"\b(?:not|no|less|never|without)\b|n't", re.I)


def _placeholder(found: re.Match[str]) -> str:
    """A quotation as a letter, with the end of a sentence where one stands in its last place."""
    return "Q. " if found[0][-2] in ".!?" else "Q"


def _segments(told: str) -> Iterator[tuple[str, str]]:
    """The clauses of the sentences that name a text of their own, each with what stands before it in its sentence."""
    for part in _SENTENCES.split(told):
        sentence = (part or "").strip(" \t*_`\"'#>-•")
        at = 0
        for clause in filter(None, _CLAUSES.split(sentence)):
            place = sentence.index(clause, at)
            names = re.findall(_NAME, clause)
            said = _ONLY_ONE.sub(f" {names[0]} is ", clause) if len(set(names)) == 1 else clause
            yield said, sentence[:place]
            at = place + len(clause)


def _pick(clause: str, before: str, asks: str) -> tuple[int, bool] | None:
    """The place that a clause decides for, and whether it says so in words of the question; `before` is what stands
    before it in its sentence.
    """
    if (
        len(clause) > _LONGEST
        or len(before) > 2 * _LONGEST
        or clause.rstrip(" *_`\"')").endswith("?")
        or UNDECIDED.search(clause)
        or _NO_LEAD.search(before)
        or UNDECIDED.search(before)
        or _READ.search(before)
        or REPORTED.search(before)
    ):
        return None
    clause = _NEITHER_PERFECT.sub("", clause)
    found = FORMS[asks].fullmatch(
        re.sub(r"\A(?:and|while|whereas|but)\s+", "", clause.rstrip(" .!*_`\"'):。,;✅✔✓☑\ufe0f"))
    )
    if found is None and (head := _ABROAD_TAIL.split(clause)[0]) != clause:
        abroad = (
            None if lexicon.is_left_open(clause) else FORMS[asks].fullmatch(head.rstrip(" .!*_`\"'):。,;"))
        )
        if abroad and (abroad["abroad"] or abroad["holds"]):
            return "\x01\x02".index(abroad["abroad"] or abroad["holds"]), True
    if found is None:
        return None if _NO_TAIL.search(clause) or _NO_LEAD.search(clause) else _closer(clause, asks)
    how = next(
        name for name in (*_NAMED, "go", "chosen", "picked", "it", "bare") if found.groupdict().get(name)
    )
    place, ahead, tail = found[how], (found["ahead"] or "") + found["so"], found["tail"] or ""
    if how == "bare" and not (found["so"].strip() and not re.search(_NAME, tail)):
        return None
    tail = _BOTH_OF.sub("", tail)
    behind = _BETTER_THAN.sub("", found.string[found.end(how) :])
    other = "\x01\x02"["\x02\x01".index(place)]
    of_mine, of_other = _CONTRARY[asks]
    is_abroad = _ABROAD_REASON.match(tail) is not None  # of which the words below are none
    if (
        asks == "hallucinated"
        and not is_abroad
        and re.search(of_mine, behind, re.I)
        and not re.search(of_other, behind, re.I)
    ):
        return None
    if asks == "best" and other in behind and re.search(of_other, behind.partition(other)[2], re.I):
        return None
    if _REASONED.match(tail):
        tail = _GRANTED.sub("", tail)
    is_open = (
        _NO_LEAD.search(ahead)
        or _READ.search(ahead)
        or REPORTED.search(found.string[: found.start(how)])
        or _NO_TAIL.search(tail)
    )
    is_named = how in _NAMED and not _MERELY_MORE.search(
        found.string[: found.start("tail")] if tail else found.string
    )
    return None if is_open else ("\x01\x02".index(place), is_named)


def _closer(clause: str, asks: str) -> tuple[int, bool] | None:
    """The place of the text that a clause sets above the other one by what the source holds, asked for the best."""
    said = [one for _, one in said_in(clause) if one is None or one]
    is_one = asks == "best" and len(said) == 1 and said[0]
    return (said[0][1], False) if is_one and said[0] and said[0][0] == "truer" else None


def _opposes(sentence: str, place: int, asks: str) -> bool:
    """Whether a sentence behind a decision doubts it, takes it back or says the contrary."""
    if _PARTS.match(sentence):
        return False
    if not re.search(_NAME, sentence):
        granted, but, main = sentence.rpartition("but ")  # `It is short, but all of it is true`
        is_own = but and not _AFTER.search(granted) and paraphrase(main) is (asks == "hallucinated")
        told = _GRANTED.sub("", sentence) if _IT_SAYS.match(sentence) else sentence
        return bool(_AFTER.search(told)) and not is_own
    if (
        _BACK.search(sentence)
        or _AS_MUCH.search(sentence)
        or UNDECIDED.search(sentence)
        or sentence.rstrip().endswith("?")
    ):
        return True
    of_mine, of_other = _OPPOSED[asks]
    for clause, said in said_in(sentence):
        if said is None:
            mine, other = ("\x01\x02"[place] in clause, "\x01\x02"[1 - place] in clause)
            against = [
                words for is_there, words in zip((mine, other), _CONTRARY[asks], strict=True) if is_there
            ]
            if any(re.search(words, clause, re.I) for words in against) or (
                not mine and not other and _AFTER.search(clause)
            ):
                return True
        elif said and said[0] in (of_mine if said[1] == place else of_other):
            return True
    return False


def _contradicted(before: Sequence[str], place: int, asks: str, *, is_named: bool) -> bool:
    """Whether what stands before a decision states the contrary of that text, and nothing of the kind of the other."""
    said = [one for sentence in before for _, one in said_in(sentence) if one]
    said = [one for one in said if one[0] != "lacking"]  # granted
    of_mine, of_other = ({kind for kind, at in said if at == one} for one in (place, 1 - place))
    against_mine, against_other = _OPPOSED[asks]
    if asks == "hallucinated":
        return bool(of_mine & set(against_mine))
    is_shared = bool(of_other & set(against_mine))
    if not is_named and any(_RANKED.search(one) and "\x01\x02"[1 - place] in one for one in before):
        return True
    return bool(of_mine & set(against_mine)) and not (is_named and is_shared) or "picked" in of_other
