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
from truerate.llm.replies.comparisons import Asks, signed
from truerate.llm.replies.grammar import paraphrase
from truerate.llm.replies.hedging import REPORTED, UNDECIDED
from truerate.llm.replies.weighing import said_in

_NAME = "[\x01\x02]"
_X = r"(?P<{}>[\x01\x02])"
_NOUN = r"(?:one|answer|response|summary|choice|option|candidate|text|version|pick|selection)"
_IS = r"(?:is|was|seems|appears|looks|would\s+be|should\s+be|must\s+be|has\s+to\s+be|remains)"
_MUCH = (
    r"(?:(?:clearly|slightly|much|far|therefore|thus|hence|definitely|simply|overall|the|a|an|by\s+far|also|still|certainly|obviously|"
    r"actually|indeed|then|to\s+be|my|our|your|only)\s+)*"
)
_MORE = (
    r"(?:more|most)\s+(?:\w+ly\s+)?(?:accurate|faithful|reliable|plausible|convincing|natural|correct|factual|"
    r"consistent|truthful|trustworthy|"
    r"precise|grounded|believable|credible|likely)"
)
_OWN = {
    "best": rf"(?:better|best|preferable|to\s+be\s+preferred|preferred|superior|stronger|strongest|winner|winning|(?<=the\s){_MORE})",
    "hallucinated": r"(?:hallucinated|fabricated|made[ -]up|faulty|unfaithful|non-?factual|unsupported|hallucinating)",
}
# with an article alone: `the right one`, of which there is one
_THE = {
    "best": r"(?:right|correct|accurate|faithful|factual|sound|truthful|supported)",
    "hallucinated": r"(?:wrong|incorrect|inaccurate|false|erroneous|bad)",
}
_WITH = {
    "best": r"(?:(?:without|with\s+no|free\s+(?:of|from))\s+(?:any\s+)?(?:\w+\s+)?(?:hallucinat\w+|errors?|mistakes?|"
    r"fabricat\w+|information)|"
    r"(?:that|which)\s+(?:does\s+not|doesn't)\s+(?:contain|include|have)\s+(?:any\s+)?(?:hallucinat\w+|errors?|"
    r"fabricat\w+|made[ -]up\s+\w+))",
    "hallucinated": r"(?:(?:with|containing|(?:that|which)\s+(?:contains?|has|includes?))\s+(?:the|an?|some|"
    r"any)?\s*(?:\w+ly\s+)?(?:\w+\s+)?(?:hallucinat\w+|errors?|fabricat\w+|"
    r"mistakes?|made[ -]up\s+\w+|false\s+\w+|unsupported\s+\w+|non-?factual\s+\w+)(?:\s+(?:content|information|"
    r"details?|claims?))?|(?:that|which)\s+is\s+(?:hallucinated|fabricated|made[ -]up))",
}
_HAS = (
    r"(?:contains|has|includes|holds)\s+(?:the|an?|some)?\s*(?:\w+\s+)?(?:hallucinat\w+|"
    r"fabricat\w+)(?:\s+(?:content|information|details?|claims?))?"
)
_FOREIGN = {
    "best": r"(?:ist|est|es|é|è|is)\s+(?:die\s+|la\s+|le\s+|el\s+|de\s+|o\s+|a\s+|il\s+)?(?:besser|beste|meilleure?|mejor|melhor|"
    r"migliore|beter)(?:re)?|是?(?:更好|最好|最佳|更准确)的?|(?:이|가)?\s*더\s*(?:낫|좋|정확|자연스)\S*",
    "hallucinated": r"(?:enthält|contient|contiene|contém|bevat)\s+(?:(?:die|eine|une|la|una|un|l'|l’|uma|de|een|"
    r"a)\s*)?(?:\w*halluzination\w*|hallucinat\w*|alucina\w*|allucina\w*|"
    r"hallucinatie)|(?:ist|est|es|é|è|is)\s+(?:die\s+|la\s+|el\s+|o\s+|a\s+|l'|l’)?(?:halluziniert|hallucinée?|alucinad[oa]|gehallucineerd)|(?:包含|含有|存在|有)(?:了)?幻觉",
}
_ABROAD = {  # in other languages, before the name
    "best": r"(?:(?:la|el|le|il|a|o|die|das|der|de)\s+(?:mejor|bessere|beste|meilleure?|migliore?|miglior|"
    r"melhor)\s+\w+|лучший\s+\w+|(?:我的)?(?:选择|答案)是|選択は|(?:更好|最好|最佳)的?(?:答案|回答|摘要|选择)?(?:是|(?=\s*:)))",
    "hallucinated": r"(?:(?:la|el|le|il|a|o|die|das|der|de)\s+\w+\s+(?:\w+\s+){0,3}(?:hallucin\w+|alucin\w+|"
    r"allucin\w+|halluzin\w+)|halluziniert\s+ist|галлюцинац\w+\s+(?:содержится|есть)\s+в|"
    r"(?:我的)?选择是|選択は|(?:包含|含有)幻觉的(?:答案|回答|摘要)?是)",
}
_CHOSEN = (
    r"(?:(?:i(?:'d|\s+would|\s+will|'ll|\s+have\s+to|'m\s+going\s+to)?\s+)?(?:therefore\s+|rather\s+|still\s+|"
    r"then\s+)?(?:pick|choose|select|prefer|take|go(?:ing)?\s+(?:with|for)|opt\s+for|vote\s+for|"
    r"settle\s+on|favou?r|side\s+with)|(?:i'm|i\s+am)\s+going\s+with|"
    r"(?:(?:my|your|the)\s+)?(?:final\s+|best\s+)?(?:choice|pick|vote|selection|verdict|decision|judge?ment|conclusion|final|"
    r"(?<=my\s)answer|(?<=your\s)answer|(?<=the\s)answer|(?<=final\s)answer)\s*(?:is|:|would\s+be|should\s+be|"
    r"goes\s+to|has\s+to\s+be|falls\s+on)|"
    r"it(?:'s|\s+is|\s+has\s+to\s+be|\s+must\s+be|\s+should\s+be|'d\s+be|\s+would\s+be))"
)
_SO = (
    r"(?:so|thus|hence|therefore|but|and|yet|overall|consequently|accordingly|in\s+(?:conclusion|summary|short|sum)|"
    r"all\s+in\s+all|as\s+a\s+result|for\s+(?:this|that)\s+reason|because\s+of\s+(?:this|that)|"
    r"on\s+balance|ultimately|finally|still|then|(?:which|this|that)\s+means(?:\s+that)?|it\s+follows\s+that|"
    r"(?:and\s+)?i\s+(?:think|believe|find|feel|conclude|(?:would|'d)\s+say|say)(?:\s+that)?|i'd\s+say(?:\s+that)?|"
    r"in\s+my\s+(?:view|opinion)|of\s+the\s+two(?:\s+\w+)?|between\s+the\s+two(?:\s+\w+)?|to\s+me|if\s+i\s+(?:must|"
    r"had\s+to|have\s+to)(?:\s+(?:choose|pick|decide|say))?(?:\s+one)?|我认为|我觉得)"
)
_LEADS = rf"(?P<ahead>.*?(?:[,:;—–]\s+|\s-\s))??(?P<so>(?:{_SO}\s*[,:]?\s+|(?:因此|所以|我认为|我觉得|したがって|よって)[,、]?\s*)*)"
_TAIL = (
    r"(?:\s*[,;:(—–-]*\s*(?P<tail>\b(?:because|since|as|given|for|due\s+to|which|whose|over|rather\s+than|"
    r"instead\s+of|and\s+not|not|while|whereas|than\s+[\x01\x02]|by\s+far|by\s+a|in\s+(?:every|all|my|this|both\s+\w+\s+and\s+\w+)|instead|here|weil|da|denn|car|parce|"
    r"porque|puisque|pois|pues|ya\s+que|perché|poiché|omdat|want|ponieważ|çünkü|overall|of\s+the\s+two)\b.*|[,，]?(?:因为|由于).*|\(.*\)|(?<=[:—–])[^\x01\x02]*))?"
)
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
_BOTH_OF = lazy(r"\bin\s+both\s+\w+\s+and\s+\w+", re.I)  # what it is better in
_ABROAD_REASON = lazy(
    r"(?:weil|da|denn|car|parce|porque|puisque|pois|pues|ya\s+que|perché|poiché|omdat|want|ponieważ|çünkü)\b",
    re.I,
)
_REASONED = lazy(r"(?:because|since|as|given|for|due|which|whose)\b", re.I)
_GRANTED = lazy(r"\bbut\s+(?:the|in|according|nowhere|there|no|it|this|that|not)\b", re.I)
_BACK = lazy(
    r"\b(?:wait|no\s*[,:]|on\s+(?:reflection|second\s+thoughts?)|second\s+(?:look|reading|thoughts?)|scratch\s+that|i\s+mean|"
    r"correction|actually|let\s+me\s+(?:correct|reconsider|rethink))",
    re.I,
)
_AFTER = lazy(
    r"\b(?:wait|scra(?:tch|p)\s+that|hmm+|i\s+(?:really\s+)?(?:can't|cannot)|on\s+(?:reflection|second\s+thoughts?)|"
    r"second\s+(?:look|thoughts?)|i\s+mean|actually|"
    r"correction|disregard|ignore|take\s+(?:it|that|this)\s+back|or\s+(?:maybe|perhaps|rather)|however|although|"
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
# a farewell to the one who asked, which leaves nothing open
_PARTS = lazy(
    r"(?:please\s+)?(?:let\s+me\s+know|feel\s+free|(?:i\s+)?hope\s+(?:this|that|it)|if\s+you\s+(?:have|need|want|"
    r"would\s+like|'d\s+like)|is\s+there\s+anything|do\s+you\s+(?:want|need)|would\s+you\s+like)\b|why(?:\s+[\w']+){0,4}\s*[?*]",
    re.I,
)
_LONGEST = 600  # characters of a clause that decides
_QUOTED = lazy(r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|`[^`\n]{0,200}`")
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
_SENTENCES = lazy(r"(?<=[.!?。！？])[\"')\]]*\s*(?=\S)(?<!\d\.)(?<!\b[A-Z]\.)|\n+", re.I)


def _form(asks: str) -> re.Pattern[str]:
    """The sentences that decide, for one question."""
    own, the, with_, foreign = _OWN[asks], _THE[asks], _WITH[asks], _FOREIGN[asks]
    has = rf"|{_HAS}" if asks == "hallucinated" else ""
    picks = "|".join((
        rf"{_X.format('named')}(?:\s+[^,;:\x01\x02]{{1,80}}\s+and(?=\s+is\b))?(?:['’]s\s+|"
        rf"\s+{_IS}\s+){_MUCH}(?:{own}(?:\s+{_NOUN})?(?:\s+{with_})?|"
        rf"(?<=the\s){the}\s+{_NOUN}|{_NOUN}\s+{with_})",
        rf"{_X.format('holds')}\s+(?:(?:clearly|definitely|actually|therefore|thus)\s+)?(?:{_FOREIGN['best']}|wins|"
        rf"(?:beats|outperforms|outdoes)\s+[\x01\x02](?:\s+(?:in|on)\s+(?:terms\s+of\s+)?\w+(?:\s+and\s+\w+)?(?=\W*\Z))?|"
        rf"gets\s+my\s+vote|fits\b[^.]*?\bbest{has}|{foreign})"
        if asks == "best" else rf"(?:(?:die|das|la|le|el|il|o|a|de|het)\s+)?{_X.format('holds')}\s*(?:(?:clearly|"
            rf"definitely|actually|therefore|thus)\s+)?(?:{foreign}{has})",
        rf"{_MUCH}(?:{own}|{the})(?:\s+{_NOUN})?(?:\s+of\s+the\s+two(?:\s+\w+)?)?\s*(?:{_IS}|:|=)\s*(?:clearly\s+|"
        rf"definitely\s+|therefore\s+|thus\s+)?{_X.format('told')}",
        rf"the\s+{_NOUN}\s+{with_}\s+{_IS}\s+{_X.format('which')}",
        rf"{_X.format('go')}\s+{_IS}\s+(?:{_MUCH}(?:(?<=my\s)|(?<=the\s)|(?<=our\s))(?:pick|choice|favou?rite|"
        rf"selection)|the\s+one\s+(?:to\s+(?:go\s+with|choose|pick|take)|i(?:'d|\s+would)?\s+"
        rf"(?:choose|pick|trust|go\s+with)))",
        rf"(?:i\s+(?:would\s+)?)?(?:believe|find|consider|think|judge|"
        rf"deem)\s+{_X.format('deemed')}\s+(?:to\s+be\s+)?(?:as\s+)?{_MUCH}(?:{own}|(?<=the\s){the})(?:\s+{_NOUN})?",
        rf"(?:that|this|which)\s+makes\s+{_X.format('made')}\s+{_MUCH}(?:{own}|(?<=the\s){the})(?:\s+{_NOUN})?",
        rf"{_ABROAD[asks]}\s*(?:es|ist|est|è|é|is|—|–|-|:|は)?\s*{_X.format('abroad')}(?:\s*です)?",
        *((rf"the\s+(?:hallucinat\w+|fabricat\w+|error|mistake|made[ -]up\s+\w+)\s+(?:is|lies|occurs|"
            rf"can\s+be\s+found)\s+in\s+{_X.format('place')}",)
          if asks == "hallucinated" else ()),
        rf"{_CHOSEN}\s*{_X.format('chosen')}(?:\s+(?:that|which|who)\s+(?:is|contains|contradicts|conflicts|does|adds|"
        rf"states|goes|gets|has|makes|invents)\b[^\x01\x02]*)?",
        rf"{_X.format('it')}\s+it\s+is",
        rf"(?:scelgo|elijo|je\s+choisis|ich\s+wähle|escolho|ik\s+kies|я\s+выбираю|我选(?:择)?|私は)\s*{_X.format('picked')}",
        rf"{_X.format('bare')}",
    ))  # fmt: skip
    return lazy(rf"{_LEADS}(?:{picks}){_TAIL}", re.I)


OPEN = -1  # of a decision that the reply does not leave standing
_FORMS = {asks: _form(asks) for asks in _OWN}
_NAMED = ("named", "holds", "told", "which", "deemed", "made", "abroad", "place")


def decided(text: str, mentions: Sequence[tuple[int, int, int]], asks: Asks) -> int | None:
    """The place (0 or 1) of the text that the reply names outright, `OPEN` where it says the contrary as well, None where
    it names none.

    `mentions` are (place, start, end) of the names in the text.
    """
    if asks is None or not mentions:
        return None
    sentences = list(_segments(_QUOTED.sub(_placeholder, signed(text, mentions))))
    picks = [(at, *found) for at, one in enumerate(sentences) if (found := _pick(*one, asks)) is not None]
    if not picks:
        return None
    at, place, is_named = picks[-1]
    turns = [other for other, of, _ in picks if of != place]
    behind = [one for one, _ in sentences[at + 1 :]]
    before = [one for one, _ in sentences[(turns[-1] + 1 if turns else 0) : at]]
    is_turned = turns and (
        behind or not any(_BACK.search(one) for one, _ in sentences[turns[-1] + 1 : at + 1])
    )
    if is_turned or any(_opposes(one, place, asks) for one in behind):
        return OPEN
    return OPEN if _contradicted(before, place, asks, is_named=is_named) else place


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
        or REPORTED.search(before)
    ):
        return None
    found = _FORMS[asks].fullmatch(
        re.sub(r"\A(?:and|while|whereas|but)\s+", "", clause.rstrip(" .!*_`\"'):。,;"))
    )
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
        _NO_LEAD.search(ahead) or REPORTED.search(found.string[: found.start(how)]) or _NO_TAIL.search(tail)
    )
    return None if is_open else ("\x01\x02".index(place), how in _NAMED)


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
        return bool(_AFTER.search(sentence)) and not is_own
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
