"""What a reply answers to a question with two answers, by the sentences of its words.

A sentence *answers* where it is a value: alone, first in it with a reason behind, behind a label (`Judgement:
No`), behind words that announce one (`so my answer is No`), or as a field that names the question
(`Hallucinated: no`). It *states* a value in the closed shapes of `polarity`. A reply is read where all
answers and statements from its last label on agree and nothing else there names a value, doubts, asks, or
takes something back.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.polarity import PAUSES, POLAR, UNFINISHED, letter, mentions, stated
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.words import VALUES, Sentence, Word, has, is_too_long, sentences, words

TRUTHS = {
    **dict.fromkeys(("yes", "y", "true", "1", *"✅✔✓☑"), True),
    **dict.fromkeys(("no", "n", "false", "0", *"❌✗✘✖"), False),
}
NONE = frozenset(("none", "none detected", "none found", "zero"))
COLONS = frozenset((":", "：", "=", "|"))
_ARROWS = frozenset("→⇒")
_LINKS = COLONS | _ARROWS | frozenset((",", "，", ")", "]", "-", "–", "—", *"✅❌✓✔✗✘"))
_LEADS = frozenset("modal label filler be opinion conclusive self pronoun subject".split())
_AFTER = frozenset("the this it there because since as these all everything here indeed".split())
_WEAK = frozenset("answer response output the".split())  # labels that may as well name what was judged
_OF_OTHERS = lazy(r"[sP][BD]")
_STEMS = ("hallucinat", "made up", "fabricat", "invent")


class Answer(NamedTuple):
    """A value that a sentence gives (None: two, or one that is no verdict), whether a label or an
    announcement names it, and the words behind it.
    """

    value: bool | None
    is_labelled: bool
    behind: tuple[Word, ...] = ()
    is_later: bool = False  # it stands in a later clause of its sentence
    is_firm: bool = True  # its label is none of the judged text's names, too


class Part(NamedTuple):
    """A sentence, its answer, and what it states where it has none."""

    sentence: Sentence
    answer: Answer | None
    stated: bool | None


def decided(text: str, vocabulary: str, *, is_stated: bool = True) -> Parsed:
    """The value that a text decides on, or why none; without `is_stated` answers alone count."""
    some = sentences(text, vocabulary)
    if is_too_long(some):
        return Parsed(None, "too-long")
    some = [item for item in some if not has(item.words, "farewell")]
    parts = _parts(some, is_stated=is_stated)
    last = some[-1].words if some else ()
    if _breaks_off(parts):
        return Parsed(None, "absent")
    labelled = [at for at, part in enumerate(parts) if part.answer and part.answer.is_labelled]
    start = labelled[-1] if labelled else 0
    deciding = parts[start:]
    if any(has(part.sentence.words, "retraction") for part in deciding):
        return Parsed(None, "ambiguous")
    if not labelled and any(_is_of_step(parts, at) for at in range(1, len(parts))):
        return Parsed(None, "ambiguous")
    # a label that names the last word, or the question, replaces all before it
    is_final = 0 < start == len(parts) - 1 and any(
        word.text.startswith(("hallucinat", "corrected")) or "final" in word.text
        for word in last[: _head_end(last) or None]
    )
    values = {
        part.answer.value
        for at, part in enumerate(parts)
        if part.answer
        and (at >= start or (not is_final and (part.answer.is_labelled or _is_first(parts, at))))
    }
    values |= {part.stated for part in deciding if part.stated is not None}
    if not values:
        return Parsed(None, "absent")
    value = values.pop() if len(values) == 1 else None
    first = next((at for at, part in enumerate(deciding) if part.answer), -1)
    if not any(part.answer and part.answer.is_firm for part in parts) and any(
        has(item.words[:1], "material") and item.words[1:2] and item.words[1].text == ":" for item in some
    ):
        return Parsed(None, "absent")  # what was given to judge
    if last[-1].text in UNFINISHED and not any(part.answer for part in parts):
        return Parsed(None, "absent")
    if value is None or any(
        _is_against(part, value, is_behind=at > first) for at, part in enumerate(deciding)
    ):
        return Parsed(None, "ambiguous")
    signs = (
        set().union(
            *(
                mentions(part.answer.behind if part.answer else part.sentence.words)
                for part in deciding
                if not part.sentence.is_question
            )
        )
        if is_stated
        else set()
    )
    if (not value) in signs and (not value or value not in signs):
        return Parsed(None, "ambiguous")
    return Parsed(value)


def _breaks_off(parts: Sequence[Part]) -> bool:
    """Return whether sentences end where a value is to come, or hold a label without one."""
    last = parts[-1].sentence.words if parts else ()
    if last and (last[-1].text in (":", "：", "=")):
        return True
    if has(last[-1:], "be") and has(last, "label", "conclusive", "opinion"):
        return True
    pairs = zip(parts, parts[1:], strict=False)
    return any(part.sentence.words[-1].text == "=" and not behind.answer for part, behind in pairs)


def _parts(some: Sequence[Sentence], *, is_stated: bool) -> list[Part]:
    """Sentences with what they say; a value behind a question of the reply's own answers that question."""
    parts: list[Part] = []
    before: Sentence | None = None
    for item in some:
        answer = (field_of(item.words) if is_stated else None) or answer_in(item)
        if before and before.is_question and answer and not answer.is_labelled:
            asked = _asked(before.words)
            answer = None if asked is None else Answer(answer.value is asked, True, ())
        states = stated_by(item.words) if is_stated and not answer and not item.is_question else None
        if states is not None and (_head_end(item.words) or (before and _is_label(before.words))):
            answer = Answer(states, True, item.words[_head_end(item.words) :])
        if before and answer and not answer.is_firm and has(before.words, "reported_question"):
            answer = Answer(None, True)  # a question of the user's, and its answer
        parts.append(Part(item, answer, states))
        before = item
    return parts


def _is_first(parts: Sequence[Part], at: int) -> bool:
    """Return whether a sentence is the first, or stands behind one that leads to it (`I compared the two. No.
    …`).
    """
    return not at or (at == 1 and has(parts[0].sentence.words[:1], "self", "to_user", "prefix"))


def _is_of_step(parts: Sequence[Part], at: int) -> bool:
    """Return whether a value amid the sentences may be one of a step: it does not end the reply, or answers
    something else.
    """
    answer, first = parts[at].answer, parts[0].answer
    if not answer or (first and first.value is answer.value):
        return False
    if not answer.behind and _is_first(parts, at):
        return False
    return at < len(parts) - 1 or (bool(answer.behind) and answer.value not in mentions(answer.behind))


def _asked(some: Sequence[Word]) -> bool | None:
    """Return whether a question asks for a fault (True) or for soundness (False); None where it asks for
    something else; True of one that names the two answers.
    """
    if all(VALUES & word.classes or has([word], "label", "filler") or word.text in "/|or" for word in some):
        return True
    if has(some, "negation", "no"):
        return None
    asked = stated(some) if any(word.text.startswith(_STEMS) for word in some) else None
    is_name = len(some) < 4 and not has(some, "be") and not has(some, "loose", "vague")
    return is_fault_name(some) if asked is None and is_name else asked


def _is_label(some: Sequence[Word]) -> bool:
    """Return whether a sentence is a label and its colon alone."""
    return some[-1].text == ":" and all(has([word], "label", "filler", "conclusive") for word in some[:-1])


def _head_end(some: Sequence[Word]) -> int:
    """Return where the words behind a label begin (`Verdict: not hallucinated`); 0 without one."""
    at = 0
    while at < len(some) and has([some[at]], "label", "filler", "conclusive"):
        at += 1
    is_headed = 0 < at < len(some) - 1 and some[at].text in _LINKS and has(some[:at], "label", "conclusive")
    return at + 1 if is_headed else 0


def stated_by(some: Sequence[Word]) -> bool | None:
    """Return what the words of a sentence state, behind its label where they have one."""
    return stated(some[_head_end(some) :], is_headed=_head_end(some) > 0)


def _is_against(part: Part, value: bool, *, is_behind: bool) -> bool:
    """Return whether a sentence leaves a value open, or names another one beside it; `is_behind`: it follows
    the answer.
    """
    item, answer = part.sentence, part.answer
    behind = answer.behind if answer else item.words
    if item.words[0].text == "or" or (answer and not _follows(answer, value)):
        return True
    if is_behind and has(item.words[:1], "contrast") and value not in mentions(item.words):
        return True
    if item.is_question:
        return has(item.words, "self", "to_user", *VALUES)
    is_of_verdict = (
        not is_behind or mentions(behind) or has(behind, "self", *VALUES)
    )  # `one part is told otherwise`
    if (
        (is_of_verdict and has(behind, "condition"))
        or (is_behind and has(behind, "to_user"))
        or has(behind, "exception")
    ):
        return True
    joins = PAUSES | {"and", "or", "but", "und"}
    return any(
        (not at or behind[at - 1].text in joins or has([behind[at - 1]], *VALUES) or word.is_capital)
        and stands_alone(behind, at)
        and ("fault_value" in word.classes) is not value
        for at, word in enumerate(behind)
    )


def _follows(answer: Answer, value: bool) -> bool:
    """Return whether what stands behind a value in its sentence goes on about the text: no doubt, courtesy or
    contrary.
    """
    inside = [word for word in first_clause(answer.behind) if word.text not in PAUSES]
    if not inside or value in mentions(answer.behind):
        return not has(inside, "doubt", "to_user")
    if (
        answer.is_later
        or inside[0].text == "and"
        or has(inside[:1], "self", "courtesy")
        or has(inside, "doubt", "to_user")
    ):
        return False
    code = "".join(map(letter, inside))
    return (
        not _OF_OTHERS.match(code) or code in ("PB", "PD")
        if value
        else code in ("PBn", "PDn") or not _OF_OTHERS.match(code)
    )


def first_clause(some: Sequence[Word]) -> Sequence[Word]:
    """The words up to the end of their clause."""
    ends = (at for at, word in enumerate(some) if at and word.text in (",", "，", ":", ";", "(", "—", "–"))
    return some[: next(ends, len(some))]


def answer_in(sentence: Sentence) -> Answer | None:
    """The value that a sentence gives: first in it, or in a clause in which a label or an announcement leads
    to it.
    """
    some = sentence.words
    if sentence.is_question:
        return None
    answer, end = None, 0
    starts = [
        0,
        *(at + 1 for at, word in enumerate(some) if word.text in PAUSES or word.text in ("and", "und")),
    ]
    for start in starts:
        if start < end:
            continue
        end = _lead_end(some, start)
        if end == len(some) or not stands_alone(some, end):
            continue
        lead = some[start:end]
        is_arrow = any(word.text in _ARROWS for word in some[max(0, start - 1) : end])
        is_it = any(
            has(pair[:1], "pronoun") and has(pair[1:], "be") for pair in zip(lead, lead[1:], strict=False)
        )
        is_last = has(some[:1], "because") and 0 < start == end == len(some) - 1
        is_labelled = is_arrow or is_it or is_last or has(lead, "opinion", "label")
        if end and not is_labelled and not has(lead, "conclusive"):
            continue
        if has(some[:end], "condition", "to_user", "reported_question", "doubt") or any(
            word.text == '"' for word in some[:end]
        ):
            return None
        value = "fault_value" in some[end].classes
        if answer and answer.value is not value or mentions(some[:start]) == {not value}:
            return Answer(None, True)
        is_firm = not end or any(word.text not in _WEAK and "label" in word.classes for word in some[:end])
        answer = answer or Answer(value, is_labelled, tuple(some[end + 1 :]), start > 0, is_firm)
    return answer


def _lead_end(some: Sequence[Word], at: int) -> int:
    """Return where the words that may lead to a value end."""
    while (
        at < len(some)
        and (_LEADS & some[at].classes or some[at].text in _LINKS)
        and not stands_alone(some, at)
    ):
        at += 1
    return at


def stands_alone(some: Sequence[Word], at: int) -> bool:
    """Return whether a Yes or No stands here that no other word belongs to."""
    if not VALUES & some[at].classes or at + 1 == len(some):
        return bool(VALUES & some[at].classes)
    behind, after = some[at + 1], some[at + 2 : at + 4]
    is_number = after[1:] and after[1].text.isdecimal()  # `Yes - No. 2 of its claims …`
    if behind.text == "/" or (behind.text == "-" and has(after[:1], *VALUES) and not is_number):
        return False
    return behind.text in PAUSES or behind.text in _AFTER or has([behind], "because", *VALUES)


def field_of(some: Sequence[Word]) -> Answer | None:
    """The value of a field whose name says fault or soundness (`Hallucinated: no`); an answer without a value
    where that is no verdict.
    """
    at = next((at for at, word in enumerate(some) if word.text in COLONS), None)
    if at is None and len(some) > 2 and some[-2].text in ("-", "–", "—"):
        at = len(some) - 2
    if not at or has(some[1:at], "be") or has(some[:at], "self") or has(some[:1], "loose", "vague"):
        return None
    is_fault = is_fault_name(some[:at])
    if is_fault is None:
        return None
    behind = [word for word in some[at + 1 :] if word.text not in COLONS]
    texts = [word.text for word in behind]
    if is_fault and (texts[:2] in (["0", "of"], ["0", "/"]) or (len(texts) in (1, 2) and texts[0] in NONE)):
        return Answer(False, True)
    if (
        behind
        and texts[0] in TRUTHS
        and len(texts) == 1
        or (behind and has(behind[:1], *VALUES) and stands_alone(behind, 0))
    ):
        truth = TRUTHS.get(texts[0], has(behind[:1], "yes"))
        return Answer(truth is is_fault, True, tuple(behind[1:]))
    return (
        Answer(None, True)
        if len(behind) <= 2 or has(behind[:1], *VALUES) or texts[0][0].isdecimal()
        else None
    )


def is_fault_name(some: Sequence[Word]) -> bool | None:
    """Return whether a name says fault (True) or soundness (False); None of other names."""
    values = {POLAR[name] for word in some for name in POLAR if name in word.classes}
    if len(values) != 1 or any(letter(word) == "u" for word in some):
        return None
    return values.pop() is not has(some, "negation", "no")


def of_fields(pairs: Sequence[tuple[str, Any]], vocabulary: str, *, is_stated: bool = True) -> Parsed | None:
    """The verdict that the names and values of fields give; None where no name speaks of it."""
    values: set[bool | None] = set()
    others: set[bool] = set()
    for name, value in pairs:
        some = words(name, vocabulary)[:-1]
        is_fault = is_fault_name(some) if is_stated else None
        truth = truth_of(value)
        if is_fault is None and not all(has([word], "label", "filler", "conclusive") for word in some):
            if isinstance(value, str) and truth is not None:
                others.add(truth)
            continue
        if is_fault and isinstance(value, str) and value.strip(" .!").casefold() in NONE:
            values.add(False)
        elif truth is not None and (is_fault is not None or isinstance(value, bool | str)):
            values.add(truth is (is_fault is not False))
        else:
            values.add(
                decided(value, vocabulary, is_stated=is_stated).value
                if isinstance(value, str) and is_fault is not False
                else None
            )
    if not values:
        return None
    if len(values) == 1 and None not in values and others <= values:
        return Parsed(values.pop())
    return Parsed(None, "absent" if values == {None} else "ambiguous")


def truth_of(value: Any) -> bool | None:
    """The truth that a field's value is: a truth, 0 or 1, Yes or No."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value if isinstance(value, bool) else None
    word = str(value).strip(" .!*_\"'").casefold()
    some = words(word)[:-1]
    return TRUTHS.get(word, has(some, "yes") if len(some) == 1 and stands_alone(some, 0) else None)
