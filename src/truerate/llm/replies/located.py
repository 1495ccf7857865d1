"""Verdicts with their place and their reason: `Yes. The segment "…" … because …`.

The verdict is the first word of the answer; what the reason says (`No mention of it …`) gives no verdict.
Every string quoted in the reason that stands in the judged response is a segment (`core.quotes`). A reply
that begins with other words is read as `verdicts` reads it.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from truerate.core.patterns import lazy
from truerate.core.quotes import Span, located_strings, quotations
from truerate.llm.replies import headings, structured
from truerate.llm.replies.cutting import bare, framed, opened
from truerate.llm.replies.lexicon import MEANS, WORD
from truerate.llm.replies.normalizing import readings
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.refusals import is_refusal
from truerate.llm.replies.statements import statement_of
from truerate.llm.replies.verdicts import ANNOUNCES, of_names, yes_no
from truerate.llm.replies.words import VALUES, has, sentences, words

# What prompts about a response in a dialogue give material under, beside the headings of every prompt.
GIVEN = tuple(
    name for name in (*headings.GIVEN, "Conversation", "Reference Response", "Correct Response", "Dialogue")
    if name not in ("Answer", "Evidence", "Sentences", "Context", "Example")
)  # fmt: skip
_REASONS = ("Reason", "Rationale", "Explanation", "Reasoning", "Justification", "Analysis")
_SEGMENTS = (
    "Segment", "Segments", "Hallucinated Segment", "Hallucinated Segments", "Span", "Spans", "Location", "Place",
)  # fmt: skip
_REASON_KEYS = frozenset((
    "reason", "rationale", "explanation", "justification", "why", "reasoning", "analysis", "comment", "because",
))  # fmt: skip
_SEGMENT_KEYS = frozenset((
    "segment", "segments", "span", "spans", "hallucinated segment", "hallucinated segments", "hallucinated span",
    "hallucinated spans", "location", "locations", "place", "places", "quote", "quotes", "quoted", "text", "texts",
))  # fmt: skip
_FIRST = lazy(
    rf"(?:[^\w\n\"'“‘]|[\"'“‘](?=\w+\W?[\"'”’]))*(?<!\w)(?P<word>{WORD})(?![\w'’])(?!-\w)(?P<shut>[\"'”’*_`)\]}}>]*)",
    re.I,
)
_LABEL = lazy(
    r"[\s*_`#>(\[-]*(?:(?:the|my|your|final|overall)\s+)*(?:answer|judge?ment|verdict|conclusion|decision|label|result|"
    r"hallucinat(?:ed|ion)(?:\s+(?:detected|present|found))?|is\s+it\s+hallucinated)\s*\??[\s*_`\])]*[:：=–—-][\s*_`]*",
    re.I,
)
# two words of verdict as one answer, or one that is taken back
_OPEN = lazy(
    rf"\s*(?:[/|\\]|[,.…\s]*(?:and|or|but\s+also|und|oder|et|ou|y|o|e)\s+)\s*[\"'*_]*(?:{WORD})(?!\w|\s+\w)"
    rf"|[\s,.;:!?—–-]*(?:no\s*,\s*)?(?:wait|actually|scratch\s+that|correction|on\s+second\s+thoughts?|i\s+mean|or\s+rather|"
    rf"sorry)\b[\s,.;:!—–-]*(?:it\s+(?:is|should\s+be)\s+|that\s+should\s+be\s+|make\s+that\s+)?[\"'*_]*(?:{WORD})(?!\w)"
    rf"(?!\s+(?:\w+\s+)*?(?:mention|evidence|information|support))"
    rf"|\s*[,;—–-]\s*(?:perhaps|maybe|possibly|probably\s+not|partly|partially|sort\s+of|kind\s+of|in\s+a\s+way)\s*(?:[.,;!]|$)"
    rf"|\s*\?",
    re.I,
)
# a first verdict that a later sentence takes back with another one: `No. Wait, the year is wrong: Yes.`
_TAKEN_BACK = lazy(
    r"(?:\A|[.!?…:\n])[\s,;.!?—–-]*(?:no\s*,\s*)?(?:wait|hmm+|actually|scratch\s+that|(?:a\s+)?correction|on\s+(?:second\s+thoughts?|"
    r"(?:a\s+)?(?:second|closer)\s+(?:look|reading)|reflection|re-?reading)|i\s+mean|or\s+rather|"
    r"let\s+me\s+(?:correct|re-?(?:think|read|check|consider)))\b"
    rf"(?:[^\n]{{0,160}}?[\s,.;:!—–-])??[\"'*_]*(?<!\w)(?P<word>{WORD})(?!\w)[\"'*_]*(?=\s*(?:[.,:;!)]|$))",
    re.I | re.MULTILINE,
)
# a part of the response: what is at fault in it is at fault in the response
_QUOTED_PART = lazy(
    r"(?:the|this)\s+(?:\w+\s+)?(?:segments?|claims?|statements?|phrases?|parts?|words?|sentences?|"
    r"spans?)\s+(?P<quote>[\"“][^\"“”\n]{1,300}[\"”]),?"
    r"|(?:the\s+response\s+(?:says|states|claims|mentions|"
    r"adds)\s+(?:that\s+)?)(?P<said>[\"“][^\"“”\n]{1,300}[\"”])\s*,?\s*(?:and\s+that|which|but\s+(?:that|this|it))(?=\s)",
    re.I,
)
# a quotation of which a reason says no more than that it is right
_CLEARED = lazy(
    r"[\"“][^\"“”\n]{1,300}[\"”]\s+(?:is|are|was|were)\s+(?:(?:fully|clearly|indeed|also|in\s+fact|itself)\s+)?"
    r"(?:right|correct|accurate|true|fine|faithful|supported|confirmed)\b(?:\s+by\s+the\s+\w+)?(?=\s*(?:[.;!)]|$))",
    re.I,
)
# a sentence about `it`, which may be a segment or a reason
_OF_IT = lazy(
    r"(?:it|this|that)(?:'s)?\s+(?!answer\b|response\b|reply\b|text\b|statement\b|output\b|one\b)(?!.*hallucinat)",
    re.I,
)
# the ends of sentences
_BREAK = lazy(r"\n+|(?<=[.!?。！？])[\"'”’)\]*_`]*(?:\s+|(?<=[。！？]))|(?<=[;；])\s+")
_TAGS = lazy(r"</?[A-Za-z][\w-]{0,40}>")
_SENTENCE = lazy(r"[\s,.:;!—–\-|…]*(?P<clause>[^.!?\n]*)")
MAX_CLAUSE = (
    400  # characters of a sentence that says something of the response: a longer one is of no known form
)
MAX_STATED = 4_000  # characters of words that do not begin with their verdict
MAX_PARTS = 60  # sentences without a verdict's word that are looked at; a reply of more is not read
_OPENING = frozenset(
    '"“„«‹「『《＂'
)  # a segment between marks of quotation is read with the reason's, over lines as well
_NO_REASON = " \t\n.,:;!|…—–-*_`#>\"'“”"


@dataclass(frozen=True, slots=True)
class LocatedVerdict(Parsed):
    """A verdict (`value`: True for Yes, the response is hallucinated) with its reason in words and the
    segments of the response that it quotes, half-open code points in order. A No and an unread reply have no
    segments and no counts.
    """

    rationale: str | None = None
    segments: tuple[Span, ...] = ()
    n_quoted: int = 0
    n_not_located: int = 0


def located_verdict(reply: str, response: str, cue: str, *, knowledge: str = "") -> LocatedVerdict:
    """What a reply says of a response: whether it is hallucinated, where, and why.

    `cue` is the heading that the prompt ends with. Quotations of `knowledge` are neither segments nor missed.
    JSON gives the verdict under its name, segments and reason under theirs. The rationale is None where there
    is none; it holds the reply's words behind the verdict.
    """
    answer, cuts = opened(reply)
    if not answer:
        none = nothing(cuts)
        return LocatedVerdict(None, none.reason, none.cuts)
    answer, frame = framed(answer)
    cuts = joined(cuts, frame)
    result, *others = readings(lambda words: _located(words, response, cue, knowledge, cuts), answer)
    if any((other.value, other.segments) != (result.value, result.segments) for other in others):
        return LocatedVerdict(None, "ambiguous", result.cuts)
    return result


def _located(answer: str, response: str, cue: str, knowledge: str, cuts: tuple[str, ...]) -> LocatedVerdict:
    """The verdict of a reply in one of its plain forms."""
    region, more = answering(answer, cue, _says)
    cuts = joined(cuts, more)
    if (named := _names(region)) is not None:
        inner = structured.name_key(cue)
        plain = [("answer" if name == inner else name, value) for name, value in named]
        return _of_names(plain, response, knowledge, cuts)
    region = _TAGS.sub(" ", region).strip()
    if is_refusal(region):
        return LocatedVerdict(None, "refusal", cuts)
    value, reason, rest, last = _first_word(region)
    if reason == "absent":
        rest = bare(region).text
        other = _stated(rest)
        value, reason = (None, "absent") if _is_of_it(rest) else (other.value, other.reason)
        if reason == "absent" and _has_faulty_part(rest, response):
            value, reason = True, None
    return _with_reason(Parsed(value, reason, joined(cuts, last)), rest, response, knowledge)


def _with_reason(verdict: Parsed, rest: str, response: str, knowledge: str) -> LocatedVerdict:
    """A verdict with the reason behind it, and the segments that the reason quotes."""
    if verdict.value is None:
        return LocatedVerdict(None, verdict.reason, verdict.cuts)
    rationale, strings = _parts(rest)
    if not verdict.value:
        return LocatedVerdict(False, None, verdict.cuts, rationale)
    quoted = [*strings, *_quoted(rationale, response)]
    result = located_strings(quoted, response, knowledge=knowledge)
    return LocatedVerdict(True, None, verdict.cuts, rationale, *result)


def _quoted(rationale: str | None, response: str) -> list[str]:
    """What a reason quotes, but for words of verdict and what it calls right."""
    strings = quotations(_CLEARED.sub("", rationale or ""), response)
    return [string for string in strings if string.strip(_NO_REASON).casefold() not in MEANS]


def answering(answer: str, cue: str, says: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    """The part of a reply that answers: behind the last cue, before a next example's headings. Where words
    that say it already (`says`), or announce nothing, stand before a next example, its own cue is no longer
    this reply's.
    """
    head, ran_on = headings.before_next(answer, GIVEN)
    behind = headings.last_before_next(answer, cue, given=GIVEN)
    is_own = bool(ran_on) and not headings.find(head, cue) and (says(head) or not ANNOUNCES.search(head))
    if behind is None or is_own:
        return head, ran_on
    if not behind[0].strip(_NO_REASON):
        # nothing behind it: what stands before it, if anything
        head, ran_on = headings.before_next(answer[: headings.find(answer, cue)[0].start], GIVEN)
        return head, joined(("heading",), ran_on)
    return behind


def _says(head: str) -> bool:
    """Whether a text gives a verdict, or gives it in a way that cannot be read."""
    return _first_word(head)[1] != "absent" or _stated(head).reason != "absent"


def _stated(text: str) -> Parsed:
    """The verdict of words that do not begin with one; of more than MAX_STATED characters none."""
    return yes_no(text, asks="hallucination") if len(text) <= MAX_STATED else Parsed(None, "ambiguous")


def _first_word(region: str) -> tuple[bool | None, str | None, str, tuple[str, ...]]:
    """The verdict that a text begins with, or why there is none; what follows it; and what was cut before it."""
    inside, cuts = bare(region)
    if label := _LABEL.match(inside):
        inside, cuts = inside[label.end() :], joined(cuts, ("label",))
    if not inside.strip(_NO_REASON):
        return None, "empty", "", cuts
    first = _FIRST.match(inside)
    if first is None:
        return None, "absent", inside, cuts
    value, rest = MEANS[first["word"].casefold()], inside[first.end() :]
    is_shut = any(sign in first["shut"] for sign in ")]}>")
    if re.match(r"\.?[ \t]*\d", rest) or (_is_part(rest) and not is_shut):
        return None, "absent", inside, cuts
    back = _TAKEN_BACK.search(rest)
    is_back = back is not None and MEANS[back["word"].casefold()] is not value
    if is_back or _OPEN.match(rest) or _is_denied(rest, value=value):
        return None, "ambiguous", "", cuts
    return value, None, rest, cuts


def _has_faulty_part(rest: str, response: str) -> bool:
    """Whether sentences without a verdict say of quoted parts of the response that they are at fault, and none
    says that one is not.
    """
    if has(words(rest), *VALUES):
        return False
    stated = set()
    parts = _BREAK.split(rest)
    for part in parts if _are_sentences(parts) else ():
        quoted = _QUOTED_PART.search(part or "")
        if quoted and located_strings(quotations(quoted["quote"] or quoted["said"], response), response)[0]:
            stated.add(_statement(_QUOTED_PART.sub("the answer", part, count=1)))
        elif part and _statement(part) is not None:
            return False
    return stated - {None} == {True}


def _is_of_it(rest: str) -> bool:
    """Whether all that words without a verdict say is said of `it` (`It is supported by the knowledge.`): a
    segment or a reason as well as the response. What names hallucination speaks of the response.
    """
    if has(words(rest), *VALUES):
        return False
    parts = _BREAK.split(rest)
    if not _are_sentences(parts):
        return True
    stated = [part for part in parts if part and _statement(part) is not None]
    return bool(stated) and all(_OF_IT.match(part.strip(_NO_REASON)) for part in stated)


def _are_sentences(parts: Sequence[str]) -> bool:
    """Whether parts are as many and as long as the sentences of a verdict are at most."""
    return len(parts) <= MAX_PARTS and all(len(part or "") <= MAX_CLAUSE for part in parts)


def _is_part(rest: str) -> bool:
    """Whether the word before it is no verdict but part of a sentence (`No mention is made …`, `No one …`)."""
    return bool(
        re.match(
            r"[ \t]+(?!(?:it|the|this|that|there|i|because|since|as|from|for|its|they|these)\b)[a-z]", rest
        )
    )


def _is_denied(rest: str, *, value: bool) -> bool:
    """Whether the clause right behind a verdict says the contrary of it."""
    clause = _SENTENCE.match(rest)
    stated = _statement(clause["clause"]) if clause and len(clause["clause"]) <= MAX_CLAUSE else None
    return stated is not None and stated is not value


def _statement(text: str) -> bool | None:
    """Whether sentences say that the judged text has a fault (True) or none (False); None where they say neither, or both."""
    values = {statement_of(sentence) for sentence in sentences(text)} - {None}
    return values.pop() if len(values) == 1 else None


def _parts(rest: str) -> tuple[str | None, list[str]]:
    """The reason in words, and the strings under headings of segments that no marks of quotation enclose."""
    names = (*_SEGMENTS, *_REASONS)
    strings = []
    for heading in headings.find(rest, *_SEGMENTS, is_anywhere=False):
        line = rest[heading.end :].lstrip("\n").partition("\n")[0]
        inside = line.strip(" \t*_")
        if (
            inside
            and inside[0] not in _OPENING
            and not quotations(inside)
            and inside.casefold() not in ("none", "n/a", "-", "–")
        ):
            strings.append(inside)
    lone = headings.find(rest, *names, is_anywhere=False)
    if (
        lone
        and not rest[: lone[0].start].strip(_NO_REASON)
        and len(lone) == 1
        and lone[0].name.title() in _REASONS
    ):
        rest = rest[lone[0].end :]
    plain = re.sub(rf"\A(?:(?!`[^`\n]+`)[{re.escape(_NO_REASON[:-4])}])+", "", rest).strip()
    return (plain if plain.strip(_NO_REASON) else None), strings


# ---- a form for machines -----------------------------------------------------------------------------------


def _names(region: str) -> list[tuple[str, Any]] | None:
    """The names and values of a reply that is JSON or tags; None where it is words, be there a tag in them."""
    named = structured.pairs(region)
    if named is None or region.lstrip("` \njsonJSON").startswith(("{", "[")):
        return named
    is_whole = any(name in _SEGMENT_KEYS | _REASON_KEYS for name, _ in named)
    return named if (is_whole or "{" in region) and _FIRST.match(structured.outside(region)) is None else None


def _of_names(
    named: Sequence[tuple[str, Any]], response: str, knowledge: str, cuts: tuple[str, ...]
) -> LocatedVerdict:
    """What names and values say."""
    cuts = joined(cuts, ("json",))
    result = _verdict_of([pair for pair in named if pair[0] not in _SEGMENT_KEYS | _REASON_KEYS])
    if result is None or result.value is None:
        return LocatedVerdict(None, "absent" if result is None else result.reason, cuts)
    behind = (_first_word(item)[2] for name, item in named if name == "answer" and isinstance(item, str))
    rest = [*_texts(named, _REASON_KEYS), *(_parts(words)[0] or "" for words in behind)]
    rationale = " ".join(part for part in rest if part) or None
    if not result.value:
        return LocatedVerdict(False, None, cuts, rationale)
    strings = [*_texts(named, _SEGMENT_KEYS), *_quoted(rationale, response)]
    return LocatedVerdict(
        True, None, cuts, rationale, *located_strings(strings, response, knowledge=knowledge)
    )


def _texts(named: Sequence[tuple[str, Any]], names: Set[str]) -> list[str]:
    return [item.strip() for name, item in named if name in names and isinstance(item, str) and item.strip()]


def _verdict_of(named: Sequence[tuple[str, Any]]) -> Parsed | None:
    """The one verdict of names and values; a text that begins with the word is the word."""
    words = {True: "yes", False: "no", None: None}
    plain = [(name, (isinstance(item, str) and words[_first_word(item)[0]]) or item) for name, item in named]
    return of_names(plain, "hallucination")
