"""Verdicts: what a reply answers to a question of yes or no, by the sentences of its words.

A *value* is a Yes or No that stands alone, first in its sentence, behind a label (`Judgement: No`) or behind words that
announce it (`so my answer is No`). A *statement* is a sentence of known words alone that says of the judged text whether it
has a fault (`The answer contains no hallucination`). A reply is read where all of its values and statements agree; where a
sentence doubts, asks, takes back or sets a condition beside them, or what follows says the contrary, it has no verdict.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, structured
from truerate.llm.replies.cutting import bare, unwrapped
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.statements import PAUSES, is_left_open, signs_of, stated_in, statement_of
from truerate.llm.replies.values import (
    CONFLICT,
    Answer,
    answer_in,
    asked_by,
    field_of,
    first_clause,
    is_fault_name,
    is_label,
    stands_alone,
    truth_of,
    value_of,
)
from truerate.llm.replies.words import MAX_SENTENCES, MAX_WORDS, VALUES, Sentence, Word, has, sentences, words

# words after which a reply repeats what it was given before it answers; after others it has gone on
ANNOUNCES = lazy(
    r":\s*\Z|\A[\W_]*\Z|\b(?:let\s+me|let's|let\s+us|step\s+by\s+step|analy[sz]\w*|i\s+will|i'll|"
    r"to\s+(?:judge|determine|decide|check)(?!\s*[.!]?\s*\Z))\b",
    2,
)
Asks = Literal["", "hallucination", "accuracy"]
_MATERIAL = tuple(name for name in headings.GIVEN if name not in ("Answer", "Response"))
_NAME = lazy(r"[\"'] ?:")
_CHOICE = frozenset(("label", "filler", "conclusive", *VALUES))  # `Yes or no?`, `My verdict?`
_JOINS = frozenset(("and", "or", "also", "but", "und", "oder"))
_NONE = ("none", "none detected", "none found")
_BLANKS = lazy(r"[^\S\n]+")


def yes_no(text: str, cue: str | None = None, *, asks: Asks = "") -> Parsed:
    """True for Yes, False for No, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. `asks="hallucination"`: Yes means that the judged text contains
    hallucination; then statements count as well, names of JSON as `faithful` are turned, and a verdict that its own
    words contradict is ambiguous. Without `asks` nothing but values counts.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    verdict = around_cue(_BLANKS.sub(" ", answer), cue, asks)
    return Parsed(verdict.value, verdict.reason, joined(cuts, verdict.cuts))


def around_cue(answer: str, cue: str | None, asks: Asks) -> Parsed:
    """The verdict before a next example: behind the last cue where there is one, else of the whole."""
    head, ran_on = headings.before_next(answer)
    behind = headings.last_before_next(answer, cue) if cue else None
    if behind is None and ran_on and not headings.before_next(answer, _MATERIAL)[1]:
        head, ran_on = answer, ()  # `Answer: Yes` ends it
    if ran_on and _goes_on(head, answer[len(head) :], asks):
        return Parsed(None, "ambiguous", ran_on)
    cues = headings.find(answer, cue) if cue else []
    if behind is None or (ran_on and not headings.find(head, cue or "") and head.strip(" \n*#")):
        verdict = _of_answer(head, asks)
        is_read = verdict.reason != "absent" or behind is None or len(cues) > 1 or not ANNOUNCES.search(head)
        if is_read or behind is None or "#" in answer[: cues[0].start].rstrip("# "):
            return Parsed(verdict.value, verdict.reason, joined(ran_on, verdict.cuts))
    inside, cuts = behind
    verdict = _of_answer(inside, asks)
    if has(words(answer[: cues[0].start].rpartition("\n")[2]), "condition") or (
        verdict.value is not None and _is_disputed(answer, cues, verdict.value, asks)
    ):
        return Parsed(None, "ambiguous", cuts)
    return Parsed(verdict.value, verdict.reason, joined(cuts, verdict.cuts))


def _goes_on(head: str, behind: str, asks: Asks) -> bool:
    """Whether the heading of a next example is but a word of a sentence that goes on over it."""
    is_open = head.rstrip()[-1:].isalnum() and "\n\n" not in behind[:2]
    return is_open and not has(words(head, asks)[-2:-1], *VALUES)


def _is_disputed(answer: str, cues: Sequence[headings.Heading], value: bool, asks: Asks) -> bool:
    """Whether the cues of a reply are followed by different values, another value stands before them, or they are quoted."""
    whole = headings.before_next(answer, _MATERIAL)[0] or answer
    cues_of_reply = [cue for cue in cues if cue.end <= len(whole)] or cues[:1]
    stops = [*(item.start for item in cues_of_reply[1:]), max(len(whole), cues_of_reply[-1].end)]
    leads = {_lead(whole[item.end : stop], asks) for item, stop in zip(cues_of_reply, stops, strict=True)}
    head = answer[: cues_of_reply[0].start]
    answers = [answer_in(sentence) for sentence in sentences(head, asks)]
    before = {answer.value for answer in answers if answer and answer.is_labelled and answer.is_firm}
    if answers and (first := answers[0]) and (not first.behind or first.behind[0].text not in ",:"):
        before.add(first.value)
    is_quoted = head.rstrip(" #*`")[-1:] in tuple('"“„«') and answer[cues_of_reply[0].end :].count('"') % 2
    return len(leads - {None}) > 1 or bool(before - {value} or is_quoted)


def _lead(text: str, asks: Asks) -> bool | None:
    """The value with which a text begins; None where it begins with none."""
    some = sentences(text, asks)
    answer = answer_in(some[0]) if some else None
    return answer.value if answer else None


def _of_answer(text: str, asks: Asks) -> Parsed:
    """The verdict of the part of a reply that answers."""
    inside, cuts = bare(text)
    if not inside.strip(" \t\n.*_#`-…"):
        return Parsed(None, "empty", cuts)
    rows = {line.strip().strip("|").count("|") for line in text.splitlines() if "|" in line}
    if (
        is_cut_json(text)
        or ("|--" in text and len(rows) > 1)
        or (text.count("|") > 2 and not structured.cells(text))
    ):
        return Parsed(None, "malformed", cuts)
    for pairs, kind in ((structured.pairs(text), "json"), (structured.cells(text), "table")):
        if pairs and kind == "table" and any(has(words(name, asks), "info") for name, _ in pairs):
            inside = structured.without_cells(text)  # of single claims
            continue
        if pairs and (named := of_names(pairs, asks)) is not None:
            outside = structured.outside(text) if kind == "json" else structured.without_cells(text)
            beside = prose(outside, asks)
            if named.value is not None and (
                beside.value not in (None, named.value) or beside.reason == "ambiguous"
            ):
                return Parsed(None, "ambiguous", (kind,))
            return Parsed(named.value, named.reason, (kind,))
    if inside.startswith(("{", '["')):
        return Parsed(None, "malformed", cuts)
    verdict = prose(inside, asks)
    return Parsed(verdict.value, verdict.reason, cuts)


def is_cut_json(text: str) -> bool:
    """Whether an object of JSON holds more names than values that can be read."""
    if "{" not in text or not (pairs := structured.pairs(text)):
        return False
    n = len(_NAME.findall(text[text.find("{") :]))
    return n > len(pairs) + (not text.rstrip(" `\n").endswith("}")) and not _parses(text)


def _parses(text: str) -> bool:
    inside = text[text.find("{") : text.rfind("}") + 1]
    try:
        json.loads(inside)
    except (ValueError, RecursionError):
        return False
    return True


class _Part(NamedTuple):
    """A sentence, the value that it gives, whether that is a field's or the answer to the reply's own question, and what
    it states.
    """

    sentence: Sentence
    answer: Answer | None
    is_own: bool
    is_answer: bool
    stated: bool | None

    def has(self, *names: str) -> bool:
        """Whether one of its words is of one of these classes."""
        return has(self.sentence.words, *names)

    @property
    def is_unread(self) -> bool:
        """Whether it takes back what is said, is a field without a verdict, or has a Yes or No behind its label of which other
        words make no verdict (`Judgement: Yes and also no error`).
        """
        some = self.sentence.words
        colon = next((at for at, word in enumerate(some) if word.text == ":"), len(some))
        is_value = has(some[:colon], "label") and has(some[colon + 1 : colon + 2], *VALUES)
        is_silent = self.answer is None and self.stated is None
        return self.has("retraction") or (self.is_own and self.answer is None) or (is_silent and is_value)


def prose(text: str, asks: Asks) -> Parsed:
    """The verdict of sentences."""
    some = sentences(text, asks)
    if len(some) > MAX_SENTENCES or sum(len(item.words) for item in some) >= MAX_WORDS:
        return Parsed(None, "too-long")
    parts = _parts(some, asks)
    labelled = [at for at, part in enumerate(parts) if part.answer and part.answer.is_labelled]
    start = labelled[-1] if labelled else 0
    if any(part.is_unread for part in parts[start:]):
        return Parsed(None, "ambiguous")
    if (
        parts
        and parts[-1].sentence.words[-1].text in ":：="
        and parts[-1].has("label", "conclusive", "opinion")
    ):
        return Parsed(None, "absent")  # it breaks off
    if not labelled and any(_is_of_step(parts, at) for at in range(1, len(parts))):
        return Parsed(None, "ambiguous")
    values = _values(parts, start, is_labelled=bool(labelled))
    value = values.pop() if len(values) == 1 else None
    if value is None:
        return Parsed(None, "ambiguous" if values else "absent")
    is_firm = any(part.answer and part.answer.is_firm for part in parts)
    if not is_firm and any(_is_material(part.sentence) for part in parts):
        return Parsed(None, "absent")
    is_open = _is_open(parts, start, value) or (asks != "" and _is_contrary(parts, value, start))
    return Parsed(None, "ambiguous") if is_open else Parsed(value)


def _values(parts: Sequence[_Part], start: int, *, is_labelled: bool) -> set[bool | None]:
    """The values that sentences give and state from the last labelled one on, and before it unless that is final."""
    is_final = is_labelled and start == len(parts) - 1 and _is_final(parts[start].sentence)
    values: set[bool | None] = {
        part.answer.value
        for at, part in enumerate(parts)
        if part.answer and (at >= start or (not is_final and (part.answer.is_labelled or not at)))
    }
    return values | {part.stated for part in parts[start:] if part.stated is not None}


def _parts(some: Sequence[Sentence], asks: Asks) -> list[_Part]:
    """Sentences with what they say; a value behind a question of the reply's own answers that question."""
    parts: list[_Part] = []
    before: Sentence | None = None
    for item in some:
        if has(item.words, "farewell"):
            continue
        is_own, answer = field_of(item) if asks else (False, None)
        answer = answer if is_own else answer_in(item)
        is_answer = is_own
        if before and answer and not is_own and before.is_question and not answer.is_labelled:
            if all(_CHOICE & word.classes or word.text in "/|or" for word in before.words):
                answer = answer._replace(is_labelled=True)
            else:
                is_answer, asked = True, asked_by(before.words) if asks else None
                is_own = asked is not None
                answer = answer._replace(value=answer.value is asked, is_labelled=True) if is_own else None
        if before and answer and not answer.is_firm and has(before.words, "reported_question"):
            answer = CONFLICT  # a question of the user's, and its answer
        stated = statement_of(item) if asks and not is_own and not answer else None
        parts.append(_Part(item, answer, is_own, is_answer, stated))
        before = item
    return parts


def _is_of_step(parts: Sequence[_Part], at: int) -> bool:
    """Whether a value amid the sentences may be one of a step: it does not end the reply, or stands for something else."""
    answer, first = parts[at].answer, parts[0].answer
    if not answer or (first and first.value is answer.value):
        return False
    is_first = at == 1 and not answer.behind and has(parts[0].sentence.words[:1], "self", "to_user", "prefix")
    is_last = at == len(parts) - 1 or is_first
    return not is_last or (bool(answer.behind) and not {1 if answer.value else -1} & signs_of(answer.behind))


def _is_final(sentence: Sentence) -> bool:
    """Whether a label says that its verdict replaces all before it, or names the question itself."""
    return any(
        word.text.startswith(("hallucinat", "corrected")) or "final" in word.text for word in sentence.words
    )


def _is_material(sentence: Sentence) -> bool:
    """Whether a sentence is headed as what was given to judge."""
    return (
        len(sentence.words) > 1 and "material" in sentence.words[0].classes and sentence.words[1].text == ":"
    )


def _is_open(parts: Sequence[_Part], start: int, value: bool) -> bool:
    """Whether the sentences from the verdict on leave it open: another value, doubt, or words of the task and not of the text."""
    first = next((at for at in range(start, len(parts)) if parts[at].answer), None)
    answer = parts[first].answer if first is not None else None
    if first is None or answer is None:
        doubted = any(part.stated is None and is_left_open(part.sentence) for part in parts)
        is_open = doubted or any(part.has("to_user") for part in parts)
    else:
        is_open = not _follows(answer, [part.sentence for part in parts[first + 1 :]], value)
    return is_open or not all(
        _backs(part.sentence.words, value) for part in parts[start:] if not part.is_answer
    )


def _backs(some: Sequence[Word], value: bool) -> bool:
    """Whether no value that stands alone in a sentence is another one than the verdict."""
    for at, word in enumerate(some):
        before = some[at - 1] if at else None
        stands = (
            before is None or before.text in PAUSES or before.text in _JOINS or bool(VALUES & before.classes)
        )
        if stands_alone(some, at) and value_of(word) is not value and (stands or word.is_capital):
            return False
    return True


def _follows(answer: Answer, others: Sequence[Sentence], value: bool) -> bool:
    """Whether what stands behind a value goes on about the text: it speaks of no task, and no courtesy stands for a reason."""
    part = first_clause(answer.behind)
    part = [word for word in part if word.text not in PAUSES]
    cues_of_reply = {1 if value else -1}
    if any(
        has(other.words, "to_user") or (other.is_question and has(other.words, "self")) for other in others
    ):
        return False
    if not part or cues_of_reply <= signs_of(answer.behind):
        return True
    begins = part[0].classes
    if answer.is_inner or {"self", "courtesy", "to_user"} & begins or part[0].text == "and":
        return False
    at = 0 if {"source", "pronoun"} & begins else 1 if has(part[1:2], "source") else None
    if at is not None:
        if all({"pronoun", "be", "do", "negation"} & word.classes for word in part) and len(part) < 4:
            return has(part, "negation") is not value
        is_plain = has(part[at + 1 : at + 2], "be")
        return not is_plain or not (len(part) < at + 5 or has(part, "negation"))
    return True


def _is_contrary(parts: Sequence[_Part], value: bool, start: int) -> bool:
    """Whether words beside a verdict say the contrary of it."""
    signs: set[int] = set()
    for at, part in enumerate(parts[start:]):
        some = part.sentence.words
        if part.sentence.is_question:
            continue
        cues_of_reply = signs_of(part.answer.behind if part.answer else some)
        signs |= cues_of_reply
        if at and has(some[:1], "contrast"):
            is_negated = has(some, "negation", "no")
            is_against = -1 in cues_of_reply if value else 1 in cues_of_reply or is_negated
            if is_against or (value and has(some, "in_source") and not is_negated):
                return True
        if part.answer and part.answer.behind and stated_in(part.answer.behind) not in (None, value):
            return True
    return -1 in signs and 1 not in signs if value else 1 in signs


def of_names(pairs: Sequence[tuple[str, Any]], asks: Asks) -> Parsed | None:
    """The verdict that names and values give; None where no name speaks of it."""
    values: set[bool | None] = set()
    others: set[bool | None] = set()
    for name, value in pairs:
        is_fault = is_fault_name(name, asks) if asks else None
        if is_fault is None and not is_label(name, asks):
            others.add(truth_of(value) if isinstance(value, str) else None)
        else:
            values.add(_of_field(value, is_fault, asks))
    if not values:
        return None
    if len(values) == 1 and None not in values and others <= {None, *values}:
        return Parsed(values.pop())
    return Parsed(None, "absent" if values == {None} else "ambiguous")


def _of_field(value: Any, is_fault: bool | None, asks: Asks) -> bool | None:
    """The verdict of a field: of a label (`is_fault` None), or of a name that says fault (True) or soundness (False)."""
    if is_fault and isinstance(value, str) and value.strip(" .!").casefold() in _NONE:
        return False
    truth = truth_of(value) if is_fault is not None or isinstance(value, bool | str) else None
    if truth is None and isinstance(value, str) and is_fault is not False:
        verdict: bool | None = prose(value, asks).value
        return verdict
    is_fault = asks != "accuracy" if is_fault is None else is_fault
    return None if truth is None else truth is is_fault
