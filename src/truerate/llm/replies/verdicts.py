"""Verdicts: what a reply answers to a question of yes or no, by the sentences of its words.

A *value* is a Yes or No that stands alone, first in its sentence, behind a label (`Judgement: No`) or behind
words that announce it (`so my answer is No`). A *statement* is a sentence of a closed shape that says of the
judged text whether it has a fault (`The answer contains no hallucination`). A reply is read where all of its
values and statements agree; where a sentence doubts, asks, takes back or sets a condition beside them, or
what follows says the contrary, it has no verdict.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, structured
from truerate.llm.replies.cutting import MAX_CLOSED, bare, unwrapped
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.regions import MATERIAL, answering
from truerate.llm.replies.statements import PAUSES, signs_of, stated_in, statement_of
from truerate.llm.replies.values import (
    CONFLICT,
    NONE,
    TRUTHS,
    Answer,
    answer_in,
    asked_by,
    field_of,
    first_clause,
    is_fault_name,
    stands_alone,
    value_of,
)
from truerate.llm.replies.words import VALUES, Sentence, Word, has, is_too_long, sentences, words

Asks = Literal["", "hallucination"]
_BLANKS = lazy(r"[^\S\n]+")


class _Part(NamedTuple):
    """A sentence, the value that it gives, whether that answers its own question or field, and what it
    states.
    """

    sentence: Sentence
    answer: Answer | None
    is_own: bool
    stated: bool | None

    def has(self, *names: str) -> bool:
        """Whether one of its words is of one of these classes."""
        return has(self.sentence.words, *names)


def yes_no(text: str, cue: str | None = None, *, asks: Asks = "") -> Parsed:
    """True for Yes, False for No, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. `asks="hallucination"`: Yes means that the judged text
    contains hallucination; then statements count as well, names of JSON as `faithful` are turned, and a
    verdict that its own words contradict is ambiguous. Without `asks` nothing but values counts.
    """
    answer, cuts = unwrapped(text, MAX_CLOSED)
    if not answer:
        return nothing(cuts)
    answer = _BLANKS.sub(" ", answer)
    region, more = answering(answer, cue, lambda head: _of_region(head, asks).reason != "absent", MATERIAL)
    verdict = _of_region(region, asks)
    if "heading" in more and _is_disputed(answer, cue or "", verdict.value, asks):
        return Parsed(None, "ambiguous", joined(cuts, more))
    return Parsed(verdict.value, verdict.reason, joined(cuts, more, verdict.cuts))


def _is_disputed(answer: str, cue: str, value: bool | None, asks: Asks) -> bool:
    """Whether a reply gives another value before its cue, behind a label or first, or sets a condition there."""
    head = answer[: headings.find(answer, cue)[-1].start]
    some = sentences(headings.find(head, cue) and head.replace("#", " ") or head, asks)
    answers = [answer_in(sentence) for sentence in some]
    values = {item.value for item in answers if item and item.is_labelled and item.is_firm}
    if answers and (first := answers[0]) and (not first.behind or first.behind[0].text not in ",:"):
        values.add(first.value)
    return (
        bool(values - {value})
        or has(words(head.rpartition("\n")[2]), "condition")
        or head.rstrip(" #*`")[-1:] in ("“", '"')
    )


def _of_region(text: str, asks: Asks) -> Parsed:
    """The verdict of the part of a reply that answers."""
    inside, cuts = bare(text)
    if not inside.strip(" \t\n.*_#`-…"):
        return Parsed(None, "empty", cuts)
    if structured.is_cut(text) or text.count("|") > 2 and not structured.cells(text):
        return Parsed(None, "malformed", cuts)
    for pairs, kind in ((structured.pairs(text), "json"), (structured.cells(text), "table")):
        if pairs and kind == "table" and any(has(words(name, asks), "info") for name, _ in pairs):
            inside = structured.without_cells(text)  # of single claims
        elif pairs and (named := of_names(pairs, asks)) is not None:
            beside = prose(
                structured.outside(text) if kind == "json" else structured.without_cells(text), asks
            )
            if named.value is not None and (
                beside.value is (not named.value) or beside.reason == "ambiguous"
            ):
                return Parsed(None, "ambiguous", (kind,))
            return Parsed(named.value, named.reason, (kind,))
    if inside.startswith(("{", '["')):
        return Parsed(None, "malformed", cuts)
    verdict = prose(inside, asks)
    return Parsed(verdict.value, verdict.reason, cuts)


def prose(text: str, asks: Asks) -> Parsed:
    """The verdict of sentences."""
    some = sentences(text, asks)
    if is_too_long(some):
        return Parsed(None, "too-long")
    parts = _parts(some, asks)
    labelled = [at for at, part in enumerate(parts) if part.answer and part.answer.is_labelled]
    start = labelled[-1] if labelled else 0
    if any(_is_unread(part) for part in parts[start:]):
        return Parsed(None, "ambiguous")
    last = parts[-1].sentence.words if parts else ()
    if last and last[-1].text in ":：=" and has(last, "label", "conclusive", "opinion"):
        return Parsed(None, "absent")  # it breaks off
    if not labelled and any(_is_of_step(parts, at) for at in range(1, len(parts))):
        return Parsed(None, "ambiguous")
    # a label that names the last word, or the question, replaces all before it
    is_final = 0 < start == len(parts) - 1 and any(
        word.text.startswith(("hallucinat", "corrected")) or "final" in word.text
        for word in parts[start].sentence.words
    )
    values: set[bool | None] = {
        part.answer.value
        for at, part in enumerate(parts)
        if part.answer and (at >= start or (not is_final and (part.answer.is_labelled or not at)))
    }
    values |= {part.stated for part in parts[start:] if part.stated is not None}
    value = values.pop() if len(values) == 1 else None
    if value is None:
        return Parsed(None, "ambiguous" if values else "absent")
    is_firm = any(part.answer and part.answer.is_firm for part in parts)
    if not is_firm and any(
        len(item.words) > 1 and has(item.words[:1], "material") and item.words[1].text == ":" for item in some
    ):
        return Parsed(None, "absent")  # what was given to judge
    is_open = _is_open(parts, start, value) or (asks != "" and _is_contrary(parts[start:], value))
    return Parsed(None, "ambiguous") if is_open else Parsed(value)


def _parts(some: Sequence[Sentence], asks: Asks) -> list[_Part]:
    """Sentences with what they say; a value behind a question of the reply's own answers that question."""
    parts: list[_Part] = []
    before: Sentence | None = None
    for item in some:
        if has(item.words, "farewell"):
            continue
        is_own, answer = field_of(item) if asks else (False, None)
        answer = answer if is_own else answer_in(item)
        if before and answer and not is_own and before.is_question and not answer.is_labelled:
            is_choice = all(
                VALUES & word.classes or has([word], "label", "filler") or word.text in "/|or"
                for word in before.words
            )
            asked = True if is_choice or not asks else asked_by(before.words)
            is_own = not is_choice
            answer = (
                None
                if asked is None or not (asks or is_choice)
                else answer._replace(value=answer.value is asked, is_labelled=True)
            )
        if before and answer and not answer.is_firm and has(before.words, "reported_question"):
            answer = CONFLICT  # a question of the user's, and its answer
        stated = statement_of(item) if asks and not is_own and not answer else None
        parts.append(_Part(item, answer, is_own, stated))
        before = item
    return parts


def _is_unread(part: _Part) -> bool:
    """Whether a sentence takes back what is said, is a field without a verdict, or has a Yes or No behind its
    label of which other words make no verdict (`Judgement: Yes and also no error`).
    """
    some = part.sentence.words
    colon = next((at for at, word in enumerate(some) if word.text == ":"), len(some))
    is_value = has(some[:colon], "label") and has(some[colon + 1 : colon + 2], *VALUES)
    return part.has("retraction") or (
        part.answer is None and (part.is_own or (part.stated is None and is_value))
    )


def _is_of_step(parts: Sequence[_Part], at: int) -> bool:
    """Whether a value amid the sentences may be one of a step: it does not end the reply, or stands for
    something else.
    """
    answer, first = parts[at].answer, parts[0].answer
    if not answer or (first and first.value is answer.value):
        return False
    is_first = at == 1 and not answer.behind and has(parts[0].sentence.words[:1], "self", "to_user", "prefix")
    is_last = at == len(parts) - 1 or is_first
    return not is_last or (bool(answer.behind) and not {1 if answer.value else -1} & signs_of(answer.behind))


def _is_open(parts: Sequence[_Part], start: int, value: bool) -> bool:
    """Whether the sentences from the verdict on leave it open: another value, doubt, or words of the task and
    not of the text.
    """
    first = next((at for at in range(start, len(parts)) if parts[at].answer), None)
    later = parts[start:] if first is None else parts[first + 1 :]
    if any(part.has("to_user") or (part.sentence.is_question and part.has("self")) for part in later):
        return True
    if first is not None and (answer := parts[first].answer) and not _follows(answer, value):
        return True
    return not all(_backs(part.sentence.words, value) for part in parts[start:] if not part.is_own)


def _backs(some: Sequence[Word], value: bool) -> bool:
    """Whether no value that stands alone in a sentence is another one than the verdict."""
    for at, word in enumerate(some):
        before = some[at - 1] if at else None
        stands = (
            before is None
            or before.text in PAUSES
            or has([before], *VALUES)
            or before.text in ("and", "or", "but", "und")
        )
        if stands_alone(some, at) and value_of(word) is not value and (stands or word.is_capital):
            return False
    return True


def _follows(answer: Answer, value: bool) -> bool:
    """Whether what stands behind a value in its sentence goes on about the text, and no courtesy stands for a
    reason.
    """
    part = [word for word in first_clause(answer.behind) if word.text not in PAUSES]
    if not part or {1 if value else -1} <= signs_of(answer.behind):
        return True
    if answer.is_inner or has(part[:1], "self", "courtesy", "to_user") or part[0].text == "and":
        return False
    if not has(part[:1], "source", "pronoun") and not has(part[1:2], "source"):
        return True
    if len(part) < 4 and all({"pronoun", "be", "do", "negation"} & word.classes for word in part):
        return has(part, "negation") is not value  # `No, it is not`
    at = 0 if has(part[:1], "source", "pronoun") else 1
    return not has(part[at + 1 : at + 2], "be") or not (len(part) < at + 5 or has(part, "negation"))


def _is_contrary(parts: Sequence[_Part], value: bool) -> bool:
    """Whether words beside a verdict say the contrary of it."""
    signs: set[int] = set()
    against, backing = (-1, 1) if value else (1, -1)
    for at, part in enumerate(parts):
        some = part.sentence.words
        if part.sentence.is_question:
            continue
        of_part = signs_of(part.answer.behind if part.answer else some)
        signs |= of_part
        if at and has(some[:1], "contrast"):
            is_negated = has(some, "negation", "no")
            is_denied = is_negated if not value else has(some, "in_source") and not is_negated
            if against in of_part or is_denied:
                return True
        if part.answer and part.answer.behind and stated_in(part.answer.behind) is (not value):
            return True
    return against in signs and (not value or backing not in signs)


# ---- fields of JSON and tables ---------------------------------------------------------------------------


def of_names(pairs: Sequence[tuple[str, Any]], asks: Asks) -> Parsed | None:
    """The verdict that names and values give; None where no name speaks of it."""
    values: set[bool | None] = set()
    others: set[bool | None] = set()
    for name, value in pairs:
        some = words(name, asks)[:-1]
        is_fault = is_fault_name(some) if asks else None
        if is_fault is None and not all({"label", "filler", "conclusive"} & word.classes for word in some):
            others.add(_truth_of(value) if isinstance(value, str) else None)
        else:
            values.add(_of_field(value, is_fault, asks))
    if not values:
        return None
    if len(values) == 1 and None not in values and others <= {None, *values}:
        return Parsed(values.pop())
    return Parsed(None, "absent" if values == {None} else "ambiguous")


def _of_field(value: Any, is_fault: bool | None, asks: Asks) -> bool | None:
    """The verdict of a field: of a label (`is_fault` None), or of a name that says fault (True) or soundness
    (False).
    """
    if is_fault and isinstance(value, str) and value.strip(" .!").casefold() in NONE:
        return False
    truth = _truth_of(value) if is_fault is not None or isinstance(value, bool | str) else None
    if truth is None and isinstance(value, str) and is_fault is not False:
        verdict: bool | None = prose(value, asks).value
        return verdict
    return None if truth is None else truth is (is_fault is not False)


def _truth_of(value: Any) -> bool | None:
    """The truth that a field's value is: a truth, 0 or 1, Yes or No."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value if isinstance(value, bool) else None
    word = str(value).strip(" .!*_\"'").casefold()
    some = words(word)[:-1]
    is_answer = len(some) == 1 and stands_alone(some, 0)
    return TRUTHS[word] if word in TRUTHS else has(some, "yes") if is_answer else None
