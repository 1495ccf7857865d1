"""Texts that were asked for, as the data set needs them: without heading, preamble, quotation marks, thought
or explanation; and why a reply is no such text.

Each layer is cut where a closed pattern names it, and told; what no pattern names stays in the text.
"""

import re
from collections.abc import Sequence
from typing import Literal

from truerate.core.patterns import lazy
from truerate.core.text import words
from truerate.llm.replies import headings, structured
from truerate.llm.replies.announcing import (
    ASKS_BACK,
    BOXED,
    ECHOED,
    FOREIGN_HEAD,
    FOREIGN_PREAMBLE,
    OF_TASK,
    OTHER_KINDS,
    OTHER_TURN,
    PICTURES,
    TEXT_BELOW,
    TOLD_BEHIND,
)
from truerate.llm.replies.cutting import bare, opened, turn, unblocked, unwrapped
from truerate.llm.replies.explaining import (
    ACTUAL,
    ASIDE,
    EXPLAINED,
    FAREWELL,
    KINDS,
    MADE,
    PARTING,
    QUOTED_FIRST,
)
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.refusals import is_refusal
from truerate.llm.replies.steady import steady

Noun = Literal["Answer", "Response", "Summary"]
_NOUNS = (
    r"(?:answer|response|summary|text|reply|one|version|candidate|example|statement|alternatives?|options?|"
    r"two|three|it)"
)
_YES_SIR = (
    r"(?:sure(?:\s+thing)?|certainly|of\s+course|absolutely|ok(?:ay)?|understood|alright|all\s+right|"
    r"got\s+it|great|no\s+problem|"
    r"happy\s+to(?:\s+help)?|gladly|will\s+do|noted|ready|thanks?(?:\s+you)?|"
    r"i\s+understand(?:\s+the\s+task)?|i'm\s+ready|right\s+away)"
)
_HERE = (
    rf"(?:(?:[^\n:.!?]{{1,60}},\s+)?here(?:'s|\s+is|\s+are|\s+goes|\s+you\s+(?:go|are))|here\s+it\s+is|"
    rf"below|the\s+following|as\s+(?:requested|asked|instructed)|"
    rf"(?:an?|the|one)\s+(?:\w+\s+){{0,4}}?{_NOUNS}\s+(?:could|would|might|may|follows|is|reads|goes|below))"
)
_ANNOUNCED = (
    rf"{_HERE}\b(?:[^:\n]{{0,100}}?\b{MADE}\b[^:\n]{{0,60}}|[^:\n]{{0,20}}?\b(?:one|two|three|it)\s*|"
    rf"(?<=requested)|(?<=asked)|(?<=instructed)|(?<=below)|(?<=it is)|(?<=you go))"
)
_ANNOUNCED = rf"(?:{_ANNOUNCED}|\w[^:\n.#]{{0,60}}\s{KINDS}\s+{MADE}\b[^:\n.]{{0,40}}(?=:))"
# a turn of a dialogue is announced as one's own: `turn` and `line` stand in texts, too
_ANNOUNCED = (
    rf"(?:{_ANNOUNCED}|(?:(?:here(?:'s|\s+is)\s+)?my\s+next|here(?:'s|\s+is)\s+(?:my|the\s+next))\s+(?:turn|utterance|message|line)"
    rf"(?:\s+(?:in|of)\s+(?:the|this|our)\s+(?:dialogue|conversation|chat))?(?=[\s*_]*[:\n]))"
)
_MADE_IS = (
    rf"(?:an?|the|one)\s+(?:\w+\s+){{0,4}}?{MADE}\s+(?:(?:could|would|might|may)\s+)?(?:be|is|reads|goes)\s*"
)
# what the writer is about to do, on a line of its own
_WILL = (
    rf"(?:i(?:'ll|\s+will|\s+have|'ve|\s+am\s+going\s+to|'m\s+going\s+to)|let\s+me)\s+(?:now\s+)?(?:provide|provided|give|given|"
    rf"write|written|create|created|generate|generated|rewrite|rewritten|correct|corrected|revised?|refined?|make\s+up|come\s+up\s+with|think\s+(?:of|up)|find|choose|pick|"
    rf"try)\s+(?:you\s+)?(?:an?|the|one|this)\s+"
    rf"(?:\w+(?:\s+but)?\s+){{0,4}}?{MADE}\b[^:\n.]{{0,100}}[.:!]"
)
# a line of its own that announces the text
_PREAMBLE_LINE = lazy(
    rf"\A[\s*_#>]*(?:(?:{_YES_SIR}\s*[!.,—–-]+\s*)*{_WILL}[\s*_]*\n|"
    rf"{_YES_SIR}\s*[!.,:—–-]*[\s*_\u2600-\u27bf\U0001f300-\U0001faff]*(?:\n|\Z)|(?:{_YES_SIR}\s*[!.,—–-]+\s*)*(?:{_ANNOUNCED}|"
    rf"{_MADE_IS}):[\s*_]*(?:\n|\Z)|{KINDS}\s+{MADE}\s+(?:(?:is|goes)\s+)?below[.:!]?[\s*_]*\n|"
    rf"(?:{_YES_SIR}\s*[!.,—–-]+\s*)*{_ANNOUNCED}[.!]?[\s*_]*\n|{_HERE}\s+(?:one|it)\b[^:\n]{{0,60}}:[\s*_]*\n|"
    rf"[^\n:]{{0,160}}\b{MADE}\b[^\n:]{{0,60}}\bhallucinated[^\n:]{{0,60}}:[\s*_]*\n\s*\n|"
    rf"[^\n]{{0,120}}\b{_NOUNS}\s+follows\b[^\n]{{0,30}}(?:\n|\Z)|(?:-{{3,}}|\*{{3,}})\s*\n)",
    re.I,
)
# the same with the text behind a colon on the line
_PREAMBLE_HEAD = lazy(
    rf"\A[\s*_#>]*(?:{_YES_SIR}\s*[!.,—–-]+\s*)*(?:(?:{_ANNOUNCED}|{_MADE_IS}|{_YES_SIR}|"
    rf"i(?:'d|\s+would)\s+(?:answer|say|go\s+with)):[\s*_]*(?=\S)|here\s+it\s+is\s*[—–-]\s*(?=\S)|(?:an?|the|"
    rf"one)\s+(?:\w+\s+){{0,4}}?{KINDS}\s+{MADE}\s+(?:would|could|might)\s+be\s*"
    r"(?=[\"“«'‘*]))",
    re.I,
)
_YES_SIR_HEAD = lazy(rf"\A{_YES_SIR}\s*[!.,—–-]+\s+(?=\S)", re.I)
_SPEAKER = lazy(
    r"\A[\s*_]*(?:\[?(?:ai\s+)?(?:assistant|ai|bot|chatbot|model)\]?[\s*_]*[:：][\s*_]*|(?:assistant|model)[ \t]*\n\s*)",
    re.I,
)
# what the text is, in brackets before it
_LABEL = lazy(
    r"[*_]*[(\[](?:hallucinated|fabricated|made[- ]up|fake|false|wrong|incorrect)(?:\s+\w+)?[)\]][*_:]*\s+",
    re.I,
)
# one text behind a bullet or a mark of quotation, or in brackets
_BULLET = lazy(r"(?:[-•>]\s+|[\[(](?=[^\n]*[\])]\Z))(?P<text>[^\n\[\]()]+?)[\])]?")
_ONE_ITEM = lazy(r"1[.)]\s+(?![^\n]*\s2[.)]\s)(?P<text>[A-Z\"“][^\n]{12,}[.!?\"”])")  # a list of one
ITEM = lazy(
    rf"^[ \t]*(?:(?:[-*•–]|\(?\d{{1,2}}[.):]|\(?[a-c][.)])[ \t]+|(?:{KINDS}[ \t]+)?(?:option|version|"
    rf"candidate|alternative|{_NOUNS})[ \t]*(?:\d|[a-c])[ \t]*[:.)–—-][ \t]*)(?P<text>\S.*)$",
    re.I | re.MULTILINE,
)
_ACKNOWLEDGED = lazy(
    rf"\W*(?:{_YES_SIR}\W*)+(?:(?:i(?:'ll|\s+will|\s+can|'m|\s+am)?|let's|"
    rf"let\s+me)\s+(?:\w+\s+){{0,2}}?(?:do|write|help|correct|make|create|generate|provide|follow|ready|"
    rf"wait|start|begin|"
    rf"understand|rewrite|refine|try)\b[^\n.]{{0,100}}|please\b[^\n]{{0,160}})?\W*|"
    rf"\W*(?:{_YES_SIR}\W*)*(?:please\s+(?:give|provide|send|share|paste|show)\b[^\n]{{0,160}}|"
    rf"{_ANNOUNCED}:)\W*|\W*yes\W+i\s+(?:understand|can|will)\b[^\n]{{0,80}}|(?:n/?a|null|tbd|todo|\W*to\s+be\s+(?:filled\s+in|added|written|determined))\W*|"
    rf"\W*(?:{_YES_SIR}\W*)*i\s+understand\s+(?:that\s+)?you(?:'d|'re|\s+are|\s+would)?\s+(?:like|want|need|ask\w*|look\w*)\b"
    rf"[^\n.]{{0,40}}\b{KINDS}\s+{MADE}\b[^\n]{{0,60}}|"
    rf"\W*(?:{_YES_SIR}\W*)*i(?:'d|\s+would)\s+be\s+(?:happy|glad)\s+to\s+(?:help|assist)(?:\s+(?:you|with\s+(?:that|this|it)))*\W*|"
    rf"<[^<>\"'/]{{0,20}}\b(?:insert|your|placeholder|answer|response|summary)[^<>\"']{{0,20}}>|"
    rf"\[[^\]\"']{{0,20}}(?:insert|your|placeholder|refused|answer|response|summary)[^\]\"']{{0,20}}\]",
    re.I,
)
_KEYS = lazy(
    rf"(?:(?:{KINDS})\s+)*(?:answer|response|summary|text|candidate|reply|output|result|content)|"
    rf"hallucination|refined|corrected",
    re.I,
)
# what was struck out before what stands in its place; the numbers of a list of the pattern and the text
_STRUCK = lazy(r"~~[^~\n]{1,400}~~\s*(?=\S)")
_LISTED = lazy(rf"^[ \t]*\d[.)][ \t]+(?=[*_#]*(?:pattern|{KINDS}\s+{MADE})[\s*_#]*:)", re.I | re.MULTILINE)


def written(
    text: str,
    noun: Noun,
    *,
    kinds: Sequence[str] = ("Hallucinated",),
    cue: str | None = None,
    needs_heading: bool = False,
    may_list: bool = False,
) -> Parsed:
    """The text that a reply gives, cleaned, or None with `thought_only`, `empty`, `refusal`, `no-answer`, or
    `absent` where it `needs_heading` and has none.

    `kinds` are the words before the noun in the prompt's heading (`Hallucinated`, `Refined`), `cue` is one that is
    made otherwise. Of several
    alternatives in a list, or of a JSON list, the first is taken (cut `alternatives`); a summary may be a list, as may
    any text with `may_list`.
    """
    return steady(
        lambda words: _written(words, noun, kinds, cue, needs_heading=needs_heading, may_list=may_list),
        lambda result: Parsed(None, "ambiguous", result.cuts),
        text,
    )


def _written(
    text: str, noun: Noun, kinds: Sequence[str], cue: str | None, *, needs_heading: bool, may_list: bool
) -> Parsed:
    """The text that a reply in its plain form gives."""
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    # a number behind the one heading's noun (`Answer #1:`)
    numbered = rf"(?im)^(\W*(?:{KINDS}\s+)?{noun})\s*#?[1-9](?=[*_]*\s*:)"
    if len(re.findall(numbered, answer)) == 1:
        answer = re.sub(numbered, r"\1", answer)
    answer = re.sub(r"(?<=\w)\*\* \*\*(?=\w)", " ", answer)  # `**Hallucinated** **Answer**`
    answer = _STRUCK.sub("", _LISTED.sub("", answer))
    answer = re.sub(r"`(#+[^`#\n]{1,40}#+\s*:?)`", r"\1", answer)
    answer = structured.unboxed(answer) if BOXED.match(answer) else answer
    if is_refusal(answer):
        return Parsed(None, "refusal", cuts)
    is_question = OF_TASK.fullmatch(answer) or (noun != "Response" and ASKS_BACK.fullmatch(answer))
    if is_question or _ACKNOWLEDGED.fullmatch(answer):
        return Parsed(None, "no-answer", cuts)
    inner = (cue,) if cue else ()
    names = (*inner, *(f"{kind} {noun}" for kind in (*kinds, *OTHER_KINDS)), "Final Answer", noun)
    value, more, is_headed = _body(answer, names)
    if needs_heading and not is_headed:
        return Parsed(None, "absent", joined(cuts, more))
    value, layers = _stripped(value, noun, (*names, f"Hallucinated {noun}"), may_list=may_list)
    cuts = joined(cuts, more, layers)
    if value.strip(" *_#:`").casefold() in {name.casefold() for name in names}:
        value = ""  # a heading of nothing
    if not words(value):
        is_announced = any(kind in cuts for kind in ("preamble", "explanation"))
        return Parsed(None, "no-answer" if is_announced else "empty", cuts)
    if is_refusal(value):
        return Parsed(None, "refusal", cuts)
    if _ACKNOWLEDGED.fullmatch(value) and not (noun == "Response" and len(words(value)) > 12):
        return Parsed(None, "no-answer", cuts)
    if _TOLD_ON.search(value) or (noun != "Response" and (_TOLD.search(value) or _ITEMS.search(value))):
        return Parsed(None, "ambiguous", cuts)
    return Parsed(value, cuts=cuts)


# what no text says of itself: words that were to be cut, and were not
_TOLD = lazy(
    rf"\bhallucinat(?:ed|ions?)\b|^\W*(?:{KINDS}\s+{MADE}|original(?:\s+{MADE})?|(?:option|version|alternative|candidate|answer|summary)\s+[1-9a-c]\b)\s*[:：]|"
    r"[:：]\s*\Z|\A\W*pattern\b",
    re.I | re.MULTILINE,
)
_TOLD_ON = lazy(
    rf"\n\s*(?:this|the|my)\s+(?:{KINDS}\s+)?{MADE}\s+(?:is|was|stays|keeps|follows|uses|contains|adds|changes)\b|"
    r"(?:\A|\n)\W*(?:response|option|version|alternative|candidate)\s+[1-9]\s*[:：]|"
    r"\n *[#*•-]+ *\n|\b(?:segments?|rationale|explanation|pattern|answer|response|summary|"
    r"paraphrase|corrected|changed|human|user|assistant)[\]#]*"
    r"\s*[:：]|\A\w+\s+paraphrase\s|\A\W*q(?:uestion)?\s*[:：]|\A\W*"
    rf"{KINDS}\W*\Z",
    re.I,
)
_ITEMS = lazy(r"\A\W*(?:1[.)]\s[\s\S]*\s\(?2[.)]|[*•–-])\s")  # several, one of which was asked for


def _body(answer: str, names: Sequence[str]) -> tuple[str, tuple[str, ...], bool]:
    """What stands under the text's own heading and before a next example; all of it without a heading."""
    named = structured.pairs(answer)
    own_key = structured.name_key(names[0])
    if named is not None and (
        result := [
            value
            for name, value in named
            if isinstance(value, str) and (_KEYS.fullmatch(name) or name in ("", own_key))
        ]
    ):
        if answer.lstrip("` \njsonJSON").startswith(("{", "[")):
            return (
                result[0],
                ("json", "alternatives") if len(result) > 1 and not named[0][0] else ("json",),
                True,
            )
    given = tuple(name for name in headings.GIVEN if name not in names)
    head, ran_on = headings.before_next(answer, given)
    if (
        ran_on
        and not headings.find(head, *names, is_anywhere=False)
        and words(_stripped(head, "Answer", names)[0])
    ):
        return head, ran_on, False
    inner = [item for item in headings.find(answer, *names, is_anywhere=False) if _is_own(answer, item)]
    if inner or (
        inner := [item for item in headings.find(answer, *names[:1]) if "#" in answer[item.start : item.end]]
    ):
        stop = len(answer)
        ahead = headings.before_next(answer[inner[0].end :], given)
        if ahead[1]:
            stop = inner[0].end + answer[inner[0].end :].find(ahead[0]) + len(ahead[0])
        last = [item for item in inner if item.start < stop and answer[item.end : stop].strip()] or inner[:1]
        before = _PATTERN_LINE.sub("", answer[: last[0].start]).strip(" \t\n*_#`-")
        echoed = before and headings.before_next(f"x\n{before}", given)[1]
        cuts = ("heading", *(("echo",) if echoed else ("preamble",) if before else ()))
        heading = answer[last[0].start : last[0].end]
        return headings.with_marks(heading, answer[last[0].end : stop].strip()), joined(cuts, ahead[1]), True
    if pattern := _PATTERN_LINE.match(answer):
        return answer[pattern.end() :].strip(), ("heading",), bool(answer[pattern.end() :].strip())
    return head, ran_on, False


_PATTERN_LINE = lazy(r"\A[\s*_#`>\-]*pattern[\s*_#`]*[:：=–—-][^\w\n]*\w[^\n]*(?:\n|\Z)", re.I)


def _is_own(answer: str, heading: headings.Heading) -> bool:
    """Whether a heading at a line's start heads the text: marked, or with a colon or dash behind it."""
    return heading.is_marked or any(sign in answer[heading.start : heading.end] for sign in ":：=-–—\n")


def _stripped(
    value: str, noun: Noun, names: Sequence[str], *, may_list: bool = False
) -> tuple[str, tuple[str, ...]]:
    """A text without the layers around it, taken off until none is left."""
    cuts: tuple[str, ...] = ()
    value = re.sub(r"[^\S\n]{64,}", " ", value)  # padding: patterns below take the square of its length
    for _ in range(6):
        before = value
        value, more = bare(turn(value).text)
        value, block = unblocked(value)
        cuts = joined(cuts, more, block)
        for kind, pattern in (
            ("preamble", _PREAMBLE_LINE),
            ("preamble", _PREAMBLE_HEAD),
            ("preamble", TEXT_BELOW),
            ("preamble", FOREIGN_PREAMBLE),
            ("heading", FOREIGN_HEAD),
            ("preamble", PICTURES),
            ("preamble", OTHER_TURN),
            *((("preamble", ECHOED),) if noun == "Answer" else ()),
            ("heading", _SPEAKER),
        ):
            if result := pattern.match(value):
                value = headings.with_marks(result[0], value[result.end() :].strip())
                cuts = joined(cuts, (kind,))
        if noun != "Response" and (result := _YES_SIR_HEAD.match(value)):
            value, cuts = value[result.end() :].strip(), joined(cuts, ("preamble",))
        if result := QUOTED_FIRST.match(value):
            value, cuts = result["text"] or result["curly"], joined(cuts, ("explanation",))
        value, more = _unheaded(value, names)
        cuts = joined(cuts, more)
        for pattern in (EXPLAINED, TOLD_BEHIND, ASIDE, *((ACTUAL,) if noun == "Answer" else ())):
            if (result := pattern.search(value)) and value[: result.start()].strip():
                value = re.sub(r"\n[\s\-*_=]*\Z", "", value[: result.start()] + "\n").strip()
                cuts = joined(cuts, ("explanation",))
        # a turn of a dialogue may thank by itself
        parting = PARTING.search(value)
        if (
            parting
            and value[: parting.start()].strip()
            and (noun != "Response" or parting[0].startswith("\n\n"))
        ):
            value, cuts = value[: parting.start()].strip(), joined(cuts, ("explanation",))
        value = re.sub(r"\n\s*[-*_]{3,}\s*\Z", "", value)  # a rule below it
        if noun != "Response" and (result := FAREWELL.search(value)) and result.start():
            value, cuts = value[: result.start()].strip(), joined(cuts, ("explanation",))
        if result := _BULLET.fullmatch(value) or (noun != "Answer" and _ONE_ITEM.fullmatch(value)):
            value, cuts = result["text"].strip(), joined(cuts, ("heading",))
        if items := _items(value, may_list=may_list or noun == "Summary"):
            value, cuts = items[0], joined(cuts, ("alternatives",))
        if value == before:
            break
    return value, cuts


def _unheaded(value: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A text without a label of its own at its start: `Answer (hallucinated):`, `A:`."""
    inner = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))
    if (label := _LABEL.match(value)) and value[label.end() :].strip():
        return value[label.end() :].strip(), ("heading",)
    result = re.match(
        rf"[\s*_#`>\[]*(?:(?:the|my|your|an?)\s+)?(?:{inner}|{KINDS}\s+{MADE}|A|"
        rf"tl;?dr|output)[\s*_#`\]]*(?:with\s+(?:an?\s+)?hallucinations?[\s*_#`]*|"
        rf"\([^()\n]{{0,40}}\)[\s*_#`]*)?(?:[:：→]|[-=]>|\s[-–—]\s)[\s*_#`]*",
        value,
        re.I,
    )
    if (
        result is None
        or not value[result.end() :].strip()
        or (result[0].strip()[:1] == "A" and ":" not in result[0] and "：" not in result[0])
    ):
        return value, ()
    return headings.with_marks(result[0], value[result.end() :].strip()), ("heading",)


def _items(value: str, *, may_list: bool) -> list[str]:
    """The alternatives of a text that is nothing but a list of them, two at least; `may_list`: they call themselves so."""
    lines = [line for line in value.splitlines() if line.strip()]
    result = [match["text"].strip() for match in ITEM.finditer(value)]
    if len(result) < 2 or len(result) != len(lines):
        return []
    return (
        result
        if not may_list or re.match(r"\W*(?:option|version|candidate|alternative|summary)\b", value, re.I)
        else []
    )


def closed_word(text: str, heading: str, names: Sequence[str]) -> str | None:
    """The one of a few names that stands under a heading, or under that name in JSON; None where none or
    several do.
    """
    answer = opened(text).text
    stated = next(
        (
            str(value)
            for name, value in structured.pairs(answer) or []
            if name == structured.name_key(heading)
        ),
        None,
    )
    if stated is None and (result := headings.find(answer, heading)):
        stated = answer[result[0].end :].lstrip().partition("\n")[0]
    plain = (stated or "").casefold().strip(" .`*\"'_#“”")
    leading = [
        name
        for name in sorted(names, key=len, reverse=True)
        if re.match(rf"{re.escape(name.casefold())}(?![\w-])", plain)
    ]
    if leading:
        return leading[0]
    named = [name for name in names if re.search(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])", plain)]
    return named[0] if len(named) == 1 else None
