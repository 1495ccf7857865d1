"""Choices: which of a few named texts a reply picks (`Answer 1`, `Answer 2`).

A mention is the name in any form: `Answer 2`, `answer #2`, `Option 2`, `[2]`, `the second one`, the noun in
other languages; a bare number, sign or ordinal only where it stands alone or first. A reply is read where one
mention stands in it and nothing turns it, or where the first one is picked (`I pick …`, `… over …`, `…, because
…`, `… (…)`, a new sentence) and what names the others is the reason. Two picks, `both`, `neither`, doubt and a
mention of the other pole (`Answer 1 is correct`, asked which one is hallucinated) are not read.
"""

import re
import unicodedata
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, structured
from truerate.llm.replies.both import without_both
from truerate.llm.replies.comparisons import Asks, against, compared
from truerate.llm.replies.cutting import bare, unwrapped
from truerate.llm.replies.deciding import OPEN, decided
from truerate.llm.replies.formed import of_json, of_table
from truerate.llm.replies.hedging import BACK, CONDITION, REPORTED, UNDECIDED, WITHDRAWN
from truerate.llm.replies.mentions import MOST_NAMED, NOUNS, SIGNS, UNSPACED, VERB, alone_name, mention
from truerate.llm.replies.normalizing import agreed
from truerate.llm.replies.others import (
    with_initials_named,
    with_last_number_named,
    with_noun,
    with_numbers_named,
    with_others_named,
    without_again,
)
from truerate.llm.replies.placed import placed
from truerate.llm.replies.poles import OTHER_POLE, OWN_POLE
from truerate.llm.replies.rating import rated
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.stating import QUOTED
from truerate.llm.replies.weighing import contradicts, weighed

_REASON = lazy(
    r"\s*(?:[.;:!(\n—–-]|,\s*(?:hands\s+down|no\s+doubt|without\s+(?:a\s+)?doubt|clearly|definitely|by\s+far|easily|"
    r"of\s+course|for\s+sure)\W*\Z|,?\s*\b(?:because|since|as|over|rather\s+than|instead\s+of|and\s+not|not|while|"
    r"whereas|for)\b)",
    re.I,
)
_NOT = lazy(
    r"\b(?:not|never|no|nor|cannot|isn't|less|least|worse|worst|except|other\s+than|unless|if|hardly|"
    r"rule[sd]?\s+out|exclude|reject|discard|loses?|lost|fails?|anything\s+but|all\s+but|eliminat\w+|avoid|"
    r"drop|nicht|kein\w*|pas|non|niet|não|не)\b|n't\b|不|没有|未|ません|ない|않",
    re.I,
)
_DOUBT = lazy(
    r"\b(?:(?:let\s+me|let's|i(?:'ll|\s+will))\s+(?:\w+\s+)?(?:start|begin|look|analy\w+|consider|examine|check|"
    r"compare|evaluate)|was\s+(?:going|about|tempted)\s+to|would\s+have|both|neither|either|none|tie|tied|"
    r"equal(?:ly)?|could|might|may\s+be|maybe|perhaps|possibly|"
    r"probably|(?:as|so)\s+(?:is|does|do|are|was|were|has)|"
    r"not\s+sure|unsure|undecided|unclear|(?:can(?:no|')t|cannot|unable\s+to)\s+(?:\w+\s+)?(?:say|tell|"
    r"decide|choose|determine)|hard\s+to)\b",
    re.I,
)
# a pick that is not the writer's
_OTHERS = lazy(
    r"\b(?:another|other|previous|earlier|some|most|many)\s+(?:judges?|models?|annotators?|readers?|people|person|users?|reviewers?)\b"
    r"|\bin\s+(?:the|an|your|this|that)\s+(?:previous\s+|first\s+|last\s+)?examples?\b"
    r"|\b(?:at\s+first|initially|originally|previously)\b",
    re.I,
)
_TAKEN_BACK = lazy(
    rf"\b(?:{BACK}|disregard|rather(?!\s+than)|actually|no,|hmm+|or\s+(?:maybe|perhaps|possibly|is\s+it))|"
    r"(?<=[.!?…]\s)(?:or|maybe|perhaps|possibly)\b",
    re.I,
)
_LATIN_IN_CJK = lazy(
    r"(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])(?=(?:Answer|Response|Summary)\s*[12])|"
    r"(?<=[a-z]\s[12])(?=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
)
_CONDITION = lazy(rf"\b(?:{CONDITION}|state|write|say)\b[^.;!?]*\Z", re.I)  # before a cue
_NUMBERED = lazy(
    r"(?:[^\n]*\s)?(?:(?:answer|choice|pick|best|verdict|selection|hallucinated)\s*(?:is|:|"
    r"=)|i(?:'d|\s+would|'ll|\s+will)?\s+(?:choose|pick|select|prefer|go\s+(?:with|for)))\s*[\"'*(\[]*(?P<number>[12])[\"'*)\]]*[.!]*",
    re.I,
)
# what a text does with something that may be at fault itself
_TELLS_OF = lazy(
    r"\s+(?:\w+ly\s+)?(?:mentions|reports|talks\s+about|speaks\s+of|says|claims|states|tells|corrects|repeats|describes|notes|explains|"
    r"quotes|names|refers|asserts|suggests|cites|gives|asks|contradicts\s+(?:the\s+)?(?:user|speaker|question|person|itself))\b",
    re.I,
)
_OF_FAULT = lazy(
    r"\s+(?:an?\s+|the\s+|some\s+|several\s+)?(?:\w+ly\s+)?(?:(?:made[ -]up|fabricated|hallucinated|"
    r"unsupported|unverifi\w+|non-?existent)\b|"
    r"(?:something|things|what)\s[^.;]*(?:wrong|false|incorrect|unsupported|not|n't|made[ -]up|invented)|"
    r"(?:wrong|false|incorrect|inaccurate|invented|different)\s+(?:\w+\s+)?(?:years?|dates?|names?|numbers?|figures?|"
    r"places?|claims?|statements?|"
    r"information|facts?|details?|things?|persons?|authors?|titles?|cit(?:y|ies)|countr(?:y|ies))\b)"
    r"|[^.;]*\b(?:(?:that|which)\s+(?:is|are|was|were)(?:n't|\s+not)|(?:is|are)(?:n't|\s+(?:not|nowhere))\s+(?:in|"
    r"found|mentioned|stated|supported)|not\s+in\s+the\s|"
    r"(?:knowledge|document|source|history|passage|text)\s+(?:does\s+not|doesn't|never))",
    re.I,
)
# `the … one is`, and the words that make it the one asked for
_DESCRIBED = lazy(
    r"\b(?:the|an?)\s+(?P<words>[\w-]+(?:\s+[\w-]+){0,2}?)\s+(?:answer|response|summary|one|option|text|version|"
    r"candidate)\s*(?:is|was|:)\s*(?:the\s+)?\Z",
    re.I,
)
_OF_ELSE = lazy(
    r"(?<=\w)(?<!it)\s+(?:that|which)\s+(?=\w+(?:\s+\w+)?\s+(?:does|do|did|is|are|was)\b|(?:is|are|was|were)\b)",
    re.I,
)
_OBJECT = lazy(r"\s+\w+\s+(?:an?|the|one|some|details?)\b", re.I)
_ASKED_FOR = lazy(
    r"\b(?:right|correct|proper|preferred|chosen|final|selected|winning|hallucinat\w*|other|first|second)\b",
    re.I,
)


# before a name that is no pick, though the sentence ends with it: `the singer has a sister in Answer 1`
_OF_PLACE = lazy(r"\b(?:in|of|from|by|about|than)\s+(?:the\s+)?\Z", re.I)
# words behind a pick that add nothing to it
_HERE = lazy(
    r"\A\s+(?:instead|here|in\s+this\s+case|overall|this\s+time)(?=\s*(?:[.,;:!(\n—–-]|\Z|\b(?:because|since|as)\b))",
    re.I,
)


def choice(text: str, names: Sequence[str], cue: str | None = None, *, asks: Asks = None) -> Parsed:
    """The one of two `names` (a noun and 1 or 2) that a reply picks, or None with its reason.

    `asks` is what the prompt asked for, so that words of the other pole are seen: which one is
    `hallucinated`, or which one is `best`.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    found = agreed(lambda words: _choice(words, names, cue, asks), answer)
    return Parsed(found.value, found.reason, joined(cuts, found.cuts))


def _choice(answer: str, names: Sequence[str], cue: str | None, asks: Asks) -> Parsed:
    """The choice of a reply in one of its plain forms."""
    answer = unicodedata.normalize("NFKC", answer).replace("’", "'").replace("\u20e3", "")
    if (name := placed(answer, names)) is not None:
        return Parsed(name)
    answer = structured.ticked(structured.unboxed(answer))
    answer = _LATIN_IN_CJK.sub(" ", answer)
    answer = UNSPACED.sub(r" \g<0> ", answer)
    answer = without_again(with_others_named(with_initials_named(without_both(answer), names), names))
    given = tuple(name for name in headings.GIVEN if name not in names)
    hashed = tuple(f"{name}#" for name in names)
    answer, ran_on = _before_example(answer, given, hashed)
    behind = headings.last_before_next(answer, cue, given=given) if cue else None
    value, more = behind if behind is not None else (answer, ())
    if cue and (headings.is_behind(answer, cue, _CONDITION) or len(_under(answer, cue, names)) > 1):
        return Parsed(None, "ambiguous", joined(ran_on, more))
    found = _region(value, tuple(names), asks)
    return Parsed(found.value, found.reason, joined(ran_on, more, found.cuts))


def _under(answer: str, cue: str, names: Sequence[str]) -> set[str]:
    """The names that stand alone on the lines right behind each cue before a next example."""
    cues = headings.find(answer, cue, is_anywhere=False)
    stop = cues[0].start + len(headings.before_next(answer[cues[0].start :])[0]) if cues else 0
    lines = (answer[one.end :].strip().partition("\n")[0] for one in cues if one.start < stop)
    return {name for line in lines if (name := alone_name(line, names)) is not None}


def _before_example(answer: str, given: Sequence[str], hashed: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A reply up to a next example; the names themselves head material where hashes stand around them."""
    answer, cuts = headings.before_next(
        answer, tuple(name for name in given if name not in ("Answer", "Response", "Summary"))
    )
    marks = "|".join(re.escape(name.rstrip("#")) for name in hashed)
    if (
        found := re.search(rf"^[ \t]*#+[ \t]*(?:{marks})[ \t]*#+[ \t]*:", answer, re.MULTILINE | re.I)
    ) and answer[: found.start()].strip():
        return answer[: found.start()].strip(), ("next-example",)
    return answer, cuts


def _region(text: str, names: tuple[str, ...], asks: Asks) -> Parsed:
    inside, cuts = bare(text)
    if not inside.strip(" \t\n.*_#`-…"):
        return Parsed(None, "empty", cuts)
    if (formed := of_json(text, names, asks)) or (formed := of_table(text, names, asks)):
        return formed
    if (only := alone_name(inside, names)) is not None:
        return Parsed(only, cuts=cuts)
    lines = [line for line in inside.splitlines() if line.strip()]
    alone_lines = [alone_name(line, names) for line in lines]
    others = "\n".join(line for line, name in zip(lines, alone_lines, strict=True) if name is None)
    others = QUOTED.sub("Q", others)
    if len(found := {name for name in alone_lines if name}) == 1 and not mention().search(others):
        # a pick on a line of its own, beside words that name none and do not doubt it
        if not _DOUBT.search(others) and not _TAKEN_BACK.search(others):
            return Parsed(found.pop(), cuts=cuts)
    last = alone_lines[-1] if alone_lines and {*alone_lines} <= {None, alone_lines[-1]} else None
    if last and not _DOUBT.search(others) and not _TAKEN_BACK.search(others):
        # a pick on the last line, which the words before it do not contradict
        if (before := _picked(others, names, asks)) not in names or before == last:
            return Parsed(last, cuts=cuts)
    picked = _picked(inside, names, asks)
    return Parsed(
        picked if isinstance(picked, str) and picked in names else None,
        None if picked in names else picked,
        cuts,
    )


def _picked(text: str, names: Sequence[str], asks: Asks) -> str:
    """The name picked in running words, else a reason. Two that are compared (`comparisons`) are read where
    nothing else in the words picks another one.
    """
    text = re.sub(
        r"[*_`]", "", with_noun(with_last_number_named(with_numbers_named(text, names), names), names)
    )
    mentions = [
        (0 if found["first"] else 1, found.start(), found.end()) for found in mention().finditer(text)
    ]
    if (place := decided(text, mentions, asks)) is not None or len(mentions) > MOST_NAMED:
        return "ambiguous" if place in (OPEN, None) else names[place]
    said = _said(text, mentions, names, asks)
    place = compared(text, mentions, asks)
    if place is None and said not in names:
        weight = weighed(text, mentions, asks)
        return said if weight is None else names[weight]
    if place is None:
        is_against = said in names and (
            names.index(said) in against(text, mentions, asks)
            or contradicts(text, mentions, names.index(said), asks)
        )
        return "ambiguous" if is_against else said
    return "ambiguous" if said in names and said != names[place] else names[place]


def _said(text: str, mentions: list[tuple[int, int, int]], names: Sequence[str], asks: Asks) -> str:
    """The name that one sentence picks, else a reason."""
    if not mentions:
        number = _NUMBERED.fullmatch(text)
        is_said = number and not _NOT.search(text) and not re.search(OTHER_POLE[asks], text, re.I)
        return names[int(number["number"]) - 1] if number and is_said else "absent"
    if re.search(
        rf"(?:{NOUNS}){SIGNS}[12]\s*(?:/|\||&|,|and|or|und|et)\s*(?:(?:{NOUNS})\s*)?[12](?!\w)", text, re.I
    ):
        return "ambiguous"
    told = _sentence(text, mentions[0][1])
    if (
        _OTHERS.search(told)
        or REPORTED.search(told.partition(text[mentions[0][1] : mentions[0][2]])[0])
        or told.rstrip().endswith("?")
    ):
        return "ambiguous"
    if found := rated(text, mentions, names, asks):
        return found
    heads = {place for place, _, end in mentions if re.match(r"\s*:", text[end:])}
    if len(heads) > 1 or (
        len(mentions) > 1 and (_is_listed(text, mentions, asks) or _is_told_in_turn(text, mentions))
    ):
        return "ambiguous"
    if re.search(
        rf"\b(?:it|which)(?:'s|\s+is)\s+(?:\w+\s+)?{OTHER_POLE[asks]}", text[mentions[0][2] :], re.I
    ):
        return "ambiguous"
    ahead = _sentence(text, mentions[0][1]).partition(text[mentions[0][1] : mentions[0][2]])[0]
    if re.search(OTHER_POLE[asks], ahead, re.I):
        return "ambiguous"
    if text.rstrip().endswith("?") or _DOUBT.search(_sentence(text, mentions[0][1])):
        return "ambiguous"
    if len({place for place, *_ in mentions}) == 1:
        return _single(text, mentions, names, asks)
    return _of_two(text, mentions, names, asks)


def _is_listed(text: str, mentions: list[tuple[int, int, int]], asks: Asks) -> bool:
    """Whether the first two texts are only listed (`[1] or [2]`), or each is told of in turn (`Answer 1: fine.
    Answer 2: wrong.`).
    """
    between = text[mentions[0][2] : mentions[1][1]]
    if mentions[0][0] != mentions[1][0] and re.fullmatch(
        r"\W*(?:or|and|und|oder|et|ou|y|o|e)\W*|\s*[,/&]\W*", between, re.I
    ):
        return True
    first = re.split(r"[.;\n]", between)[0]
    return bool(re.match(rf"\W*(?:(?:yes|no)\b|(?:\w+ly\s+)?{OTHER_POLE[asks]})", first, re.I))


def _is_told_in_turn(text: str, mentions: list[tuple[int, int, int]]) -> bool:
    """Whether a colon stands behind each of the two: `Answer 1: factual. Answer 2: has a fault.`"""
    return len({place for place, _, end in mentions if re.match(r"[*_`]*\s*:\s*\w", text[end:])}) == 2


def _single(text: str, mentions: list[tuple[int, int, int]], names: Sequence[str], asks: Asks) -> str:
    """One text is named: it is picked unless its sentence negates it or says the other pole of it."""
    place, start, end = mentions[0]
    is_picked = _is_pick(text, start, end)
    if any(_is_pick(text, at, stop, is_strict=True) for _, at, stop in mentions[1:]):
        return "ambiguous" if _TAKEN_BACK.search(text) else names[place]
    sentence = _sentence(text, start)
    ahead, _, behind = sentence.partition(text[start:end])
    if _is_described(ahead, asks) is False:
        return "absent"
    # a clause about something else (`a date that is not given`) denies nothing of the text
    own = ahead + text[start:end] + (_OF_ELSE.split(behind)[0] if _OBJECT.match(behind) else behind)
    bracket = re.match(r"\W*\(([^()]*)\)\W*\Z", behind)
    if is_picked and bracket and re.search(OTHER_POLE[asks], bracket[1], re.I):
        return "ambiguous"
    if is_picked and (UNDECIDED.search(text, end) or WITHDRAWN.search(text, end)):
        return "ambiguous"
    if re.match(r"[^.]{0,60}?\bthan\b", behind):
        return "absent"  # compared with something that is no text
    head = text[start:end] if is_picked else own
    if not is_picked and (_NOT.search(head) or re.search(OTHER_POLE[asks], sentence, re.I)):
        return "ambiguous"
    if not is_picked and (_DOUBT.search(text) or _TAKEN_BACK.search(text, end)):
        return "ambiguous"
    # a statement of one text is a pick where it ends with it, or says of it what was asked for
    if re.search(r"\bthan\s+(?:the\s+)?\Z", ahead, re.I):
        return "absent"  # what it is compared with is not named
    is_last = re.fullmatch(r"\W*(?:\(.*\)\W*)?", behind.partition("\n")[0]) and not _OF_PLACE.search(ahead)
    is_said = asks is None or _is_own_said(ahead, own[len(ahead) + end - start :], asks)
    return names[place] if is_picked or is_last or is_said else "absent"


def _is_own_said(ahead: str, behind: str, asks: str) -> bool:
    """Whether the words around a name say of it what was asked for, and not of something else: not what stands in
    the clause before its own, nor what it only tells of (`mentions a false alarm`).
    """
    if told := _TELLS_OF.match(behind):
        return asks == "hallucinated" and _OF_FAULT.match(behind[told.end() :]) is not None
    own = re.split(r"[,;:]\s|\band\b", ahead)[-1]
    return any(re.search(OWN_POLE[asks], part, re.I) for part in (own, behind))


def _is_described(ahead: str, asks: Asks) -> bool | None:
    """Whether words before a name (`the longer answer is`) say of it what was asked for; None without such."""
    found = _DESCRIBED.search(ahead)
    if found is None or asks is None:
        return None
    return bool(re.search(OWN_POLE[asks], found["words"], re.I) or _ASKED_FOR.search(found["words"]))


def _of_two(text: str, mentions: list[tuple[int, int, int]], names: Sequence[str], asks: Asks) -> str:
    """Both are named: the first where it is picked and the others stand in the reason; a last sentence that
    picks (`so I choose …`) where nothing was picked before.
    """
    place, start, end = mentions[0]
    others = [one for one in mentions if one[0] != place]
    picks = {one[0] for one in mentions if _is_pick(text, one[1], one[2], is_strict=one is not mentions[0])}
    if picks == {place} and (_TAKEN_BACK.search(text[end:]) is None) and _is_reason(text, end, others):
        return names[place]
    last = mentions[-1]
    if (
        picks == {last[0]}
        and re.search(rf"{VERB}\s*$", text[: last[1]], re.I)
        and not _TAKEN_BACK.search(text)
    ):
        return names[last[0]]
    return "ambiguous"


def _is_reason(text: str, end: int, others: list[tuple[int, int, int]]) -> bool:
    """Whether a mark of a reason follows the pick, and no other text stands alone as a second pick."""
    if not _REASON.match(text[end:]):
        return False
    return not any(
        re.fullmatch(r"[\W_]*", _sentence(text, start).replace(text[start:stop], ""))
        for _, start, stop in others
    )


def _is_pick(text: str, start: int, end: int, *, is_strict: bool = False) -> bool:
    """Whether a mention stands where a pick stands: behind a verb of choosing, or first and before a mark."""
    before = text[:start]
    behind = _HERE.sub("", text[end:], count=1)
    if not (re.match(r"\W*$", behind) or _REASON.match(behind)):
        return False
    ahead = before[max(before.rfind(sign) for sign in (". ", "! ", "\n")) + 1 :]
    if re.search(rf"(?:^|[\s.,;:])(?:{VERB})\s*[\"'(\[]*\s*(?:the\s+)?$", before, re.I) and not _NOT.search(
        ahead
    ):
        return True
    return not is_strict and not before.strip(" \t\n\"'([#")


def _sentence(text: str, place: int) -> str:
    """The sentence in which a place stands."""
    start = max((found.end() for found in re.finditer(r"[.!?;]\s|\n", text[:place])), default=0)
    stop = re.compile(r"[.!?;](?:\s|$)|\n").search(text, place)
    return text[start : stop.end() if stop else len(text)]
