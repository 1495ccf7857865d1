"""What one sentence of a reply on two texts says of them.

A sentence *picks* a text where it is the name alone, a label and the name (`Best Answer: Answer 2`), or `I
choose` and the name. It *states* something of a text where a clause of known words with the name as its
subject says fault or soundness (`statements`), or that it is the better one. A clause that speaks of either
in other words leaves the sentence open.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from truerate.llm.replies.choice_predicates import is_contrary, is_end, predicate_of, statement_of
from truerate.llm.replies.names import NAMES
from truerate.llm.replies.statements import PAUSES
from truerate.llm.replies.words import Sentence, Word, has

Asks = Literal["hallucinated", "best"]
TELLING = (
    "fault", "fault_noun", "fault_verb", "sound", "sound_verb", "better", "worse", "quality", "negation", "no", "beats", "loses",
)  # fmt: skip
_LEADS = frozenset(
    "label filler subject conclusive opinion be modal self pronoun better worse fault fault_noun fault_verb sound quality more opener "
    "handover source material have".split()
)
_LINKS = frozenset(
    (":", "：", ",", "，", "=", ")", "]", "(", "[", "-", "–", "—", "→", "⇒", "|", "#", *"✅❌✓✔✗✘")
)
_SIGNS = frozenset((",", "，", ";", ":", "—", "–", "("))  # behind which a clause begins
_JOINTS = frozenset(
    "and while whereas but so therefore thus hence because since as although though".split()
)  # with which
_EITHER = frozenset("/ or vs = &".split())
_MOST_NAMES = 6  # in a sentence that is read
_MOST_BEFORE = 30  # words before a number that is a name
_POLES = {"sound": 1, "fault_noun": -1, "quality": 1, "better": 1, "fault": -1, "worse": -1}
_COMPARING = frozenset(
    ("be", "seem", "have", "fits", "filler", "more", "less", "source", "in_source", "given", *_POLES)
)


class Said(NamedTuple):
    """What the sentence `at` says of a text (0 or 1): `pick` (by a label or verb), `alone`, `asked` (stated
    in the word that was asked for), `fault`, `sound`, `better`, `worse`; in words that are not all known
    `faulty`, `sounder`, `rival` (better), `open`.
    """

    at: int
    position: int
    kind: str


def named_in(some: Sequence[Word]) -> list[int]:
    """The texts that words name, in order."""
    return [NAMES.index(word.text) for word in some if word.text in NAMES]


def numbered(some: Sequence[Word]) -> tuple[Word, ...]:
    """Words in which a number behind a label is the name that it means (`Best Answer: 2`)."""
    return tuple(
        Word(f"@{word.text}", frozenset(), True)
        if word.text in ("1", "2")
        and 0 < at < _MOST_BEFORE
        and _is_label(some[:at])
        and is_end(some[at + 1 :])
        else word
        for at, word in enumerate(some)
    )


def _is_label(before: Sequence[Word]) -> bool:
    is_named = has(before, "label", "better", "opinion", "fault")
    return is_named and (_is_linked(before) or has(before[-1:], "be", "opinion")) and all(map(_leads, before))


def _is_linked(before: Sequence[Word]) -> bool:
    return before[-1].text in _LINKS or before[-1].text.endswith(":")


def _leads(word: Word) -> bool:
    """Whether a word may stand before a name that is picked."""
    return bool(_LEADS & word.classes) or word.text in _LINKS or word.text.isdecimal()


def takes_back(some: Sequence[Sentence], first: int, *, is_alone: bool) -> bool:
    """Whether something in a reply may take back what its sentence `first` picks: words behind it, or a doubt
    before it.
    """
    for sentence in some:
        is_back = any("retraction" in word.classes and "anew" not in word.classes for word in sentence.words)
        if is_back or has(sentence.words, "undecided") or sentence.words[0].text == "or":
            return True
    if is_alone and any(
        has(sentence.words, "shared", "pair") and not has(sentence.words, "looking")
        for sentence in some[:first]
    ):
        return True
    return any(_turns(sentence, is_first=not at) for at, sentence in enumerate(some[first:]))


def _turns(sentence: Sentence, *, is_first: bool) -> bool:
    """Whether a sentence that picks, or one behind it, leaves the pick open: a question, a doubt, a
    condition, a contrast, a `no`.
    """
    some = sentence.words
    clear = _without_vague(some[: _reason(some)] if is_first else some)
    if sentence.is_question and [word.text for word in some] != ["why"]:
        return True
    if (named_in(clear) or len(some) < 7) and has(clear, "doubt", "condition"):
        return True
    is_no = has(clear[:1], "sound_value") or (
        len(clear) < 4 and bool(clear) and clear[-1].text in ("not", "no")
    )
    is_conditional = has(some[:1], "pronoun") and has(some, "condition")
    return not is_first and (has((*some[:1], *some[-1:]), "contrast") or is_no or is_conditional)


def _reason(some: Sequence[Word]) -> int:
    """Where the reason behind the first name begins."""
    first = next((at for at, word in enumerate(some) if word.text in NAMES), len(some))
    return next((at for at in range(first, len(some)) if has([some[at]], "because")), len(some))


def _without_vague(some: Sequence[Word]) -> list[Word]:
    """Words without those that doubt elsewhere and compare here: `seems`, `slightly`."""
    return [word for word in some if word.classes.isdisjoint(("seem", "filler"))]


def is_shared(some: Sequence[Word]) -> bool:
    """Whether what is said of one text may be said of the other as well."""
    return any(
        "shared" in word.classes
        and (word.text != "too" or at + 1 == len(some) or some[at + 1].text in PAUSES)
        for at, word in enumerate(some)
    )


def said_in(
    sentence: Sentence, at: int, prior: Sequence[Said], before: Sentence | None, asks: Asks, *, is_only: bool
) -> tuple[list[Said], bool]:
    """What a sentence says of the texts, behind another one that said `prior`, and whether it may say
    something that is not read.
    """
    some: Sequence[Word] = sentence.words
    if not named_in(some):
        return [], False
    clear = _without_vague(some[: _reason(some)])
    is_many = len(named_in(some)) > _MOST_NAMES
    if sentence.is_question or is_many or has(clear, "to_user", "condition", "aside", "doubt"):
        return [], True
    some = _without_premise(some)
    places = [n for n, word in enumerate(some) if word.text in NAMES]
    if (compared := _compared(some, places, at, asks)) is not None:
        return compared, not compared
    statements: list[Said] = []
    is_rejected = False
    starts = [0, *(_boundary(some, name, then) for name, then in zip(places, places[1:], strict=False))]
    for start, end in zip(starts, [*starts[1:], len(some)], strict=True):
        part = some[start:end]
        name = next(n for n, word in enumerate(part) if word.text in NAMES)
        position, lead = (
            NAMES.index(part[name].text),
            [word for word in part[:name] if word.text not in _LINKS],
        )
        if 0 < len(lead) < 3 and has(lead[-1:], "rejects") and has(lead[:1], "rejects"):
            is_rejected = True  # `not X, but Y`
            continue
        is_unparted = start in places and start > 0 and some[start - 1].text not in _SIGNS
        is_continued = bool(lead) and lead[0].text.startswith("and ") and not is_rejected
        is_joined = end < len(some) and has(some[end : end + 1], "joins")
        if is_unparted or is_continued or (start > 0 and some[start].text in _EITHER):
            return [], True
        negated = some[:start] if statements else before.words if before else ()
        kind = _ellipsis(part[name + 1 :], [*prior, *statements][-1:], negated) or _kind(
            part, name, asks, is_only=is_only
        )
        is_listed = is_joined or (start > 0 and not is_rejected and not has(lead, "conclusive"))
        if kind == "alone" and is_listed and not (statements and statements[-1].position == position):
            return [], True
        statements += [Said(at, position, kind or "open")] if kind != "" else []
    is_of_both = is_shared(some) or (has(some, "pair") and not has(some, "contrast"))
    if is_of_both and not any(item.kind == "pick" for item in statements):
        return [], True
    return statements, any(item.kind in ("open", "rival") for item in statements)


def _without_premise(some: Sequence[Word]) -> Sequence[Word]:
    """A sentence without what stands before its first comma, as `Comparing Answer 1 and Answer 2,` does."""
    if not has(some[:1], "looking", "prefix") and some[0].text != "of":
        return some
    comma = next((at for at, word in enumerate(some) if word.text in (",", ":")), 0)
    return some[comma + 1 :] if comma and named_in(some[comma:]) else some


def _boundary(some: Sequence[Word], before: int, then: int) -> int:
    """Where the clause of a name begins behind that of another one: behind a sign, or with a word that joins."""
    for at in range(then, before + 1, -1):
        is_sign = some[at - 1].text in _SIGNS and not (some[at - 1].text == ":" and at - 2 == before)
        if is_sign or (at < then and _joins(some[at])):
            return at
    return before + 1 if _joins(some[before + 1]) else then


def _joins(word: Word) -> bool:
    return word.text.partition(" ")[0] in _JOINTS or has([word], "rejects", "joins")


def _ellipsis(behind: Sequence[Word], prior: Sequence[Said], before: Sequence[Word]) -> str | None:
    """What `Answer 1 does not` says, by what was said of the other text right before, in words that negate or
    do not.
    """
    end = next((at for at, word in enumerate(behind) if at and word.text in PAUSES), len(behind))
    some = [word for word in behind[:end] if word.text not in PAUSES and "contrast" not in word.classes]
    if not prior or not some or not all({"be", "do", "negation"} & word.classes for word in some):
        return None
    is_contrary = has(some, "negation") is not has(before, "negation", "no")
    return {"fault": "sound", "asked": "sound", "sound": "fault"}.get(prior[0].kind) if is_contrary else None


def _compared(some: Sequence[Word], places: Sequence[int], at: int, asks: Asks) -> list[Said] | None:
    """What a sentence says that compares two texts as a whole (`X is less accurate than Y`); nothing where
    its words are not known, None of a sentence that compares nothing.
    """
    if len(places) != 2 or some[places[0]].text == some[places[1]].text or places[1] == places[0] + 1:
        return None
    sentence, two = (NAMES.index(some[i].text) for i in places)
    before, between, behind = some[: places[0]], some[places[0] + 1 : places[1]], some[places[1] + 1 :]
    is_plain = all(map(_leads, before)) and not has(before, "fault", "sound", "better", "quality")
    if (
        [word.text for word in between[:3]] == ["is", "not", "as"]
        and between[-1].text == "as"
        and len(between) > 3
    ):
        is_known = (
            is_plain and not behind and all({"sound", "quality"} & word.classes for word in between[3:-1])
        )
        return [Said(at, two, "better")] if is_known else []
    is_of_verb = has(between, "beats", "loses")
    if not is_of_verb and (between[-1].text != "than" or len(between) == 1):
        return None
    is_whole = not behind or has(behind[:1], "because") or has(behind, "accuracy")
    if not is_plain or not is_whole or has(between, "negation", "no", "shared"):
        return []
    if is_of_verb:
        return [Said(at, two if has(between, "loses") else sentence, "better")] if len(between) == 1 else []
    inside = between[:-1]
    signs = {sign for word in inside for name, sign in _POLES.items() if name in word.classes}
    is_known = all(_COMPARING & word.classes or word.text == "and" for word in inside)
    if not is_known or len(signs) != 1:
        return []
    better = sentence if (signs.pop() > 0) is not has(inside, "less") else two
    is_stated = asks == "hallucinated" and has(inside, "fault", "fault_noun", "sound")
    return [Said(at, 1 - better, "fault") if is_stated else Said(at, better, "better")]


def _kind(part: Sequence[Word], name: int, asks: Asks, *, is_only: bool) -> str | None:
    """What a clause with one name says of it; empty: nothing; None: something that is not read."""
    before, behind = part[:name], part[name + 1 :]
    start = max((at + 1 for at in range(len(before)) if _ends_clause(before, at)), default=0)
    lead = before[start + 3 :] if before[start:] and before[start].text == "step" else before[start:]
    while lead and lead[0].text in _LINKS:
        lead = lead[1:]
    is_turned = has(before[:start], "negation", "no") and not (
        has(before[:start], "pair", "anew") or has(before[:1], "because")
    )
    is_lead = all(map(_leads, lead)) and not is_turned
    if (
        asks == "hallucinated"
        and lead
        and is_end(behind)
        and all("clause_fault" in word.classes or word.text in _LINKS for word in lead)
    ):
        return "pick"
    is_told = is_only and len(behind) > 1 and behind[0].text in ":—–-" and not behind[1].text[0].isdecimal()
    if is_lead and (is_end(behind) or is_told or has(behind[:1], "rejects")):
        kind = _pick_of(lead, asks)
        return None if kind in ("pick", "alone") and is_contrary(behind, asks) else kind
    is_mine = has(behind[:1], "mine") and (
        is_end(behind[1:]) or behind[1].text in ("here", "overall", "instead", ":")
    )
    if is_lead and (is_mine or [word.text for word in behind] == ["it", "is"]):
        return "pick"
    is_bare = is_lead and not has(lead, "fault", "fault_noun", "sound", "quality")
    if is_bare and (kind := predicate_of(behind)):
        return "asked" if (kind, asks) == ("better", "best") else kind
    statements = statement_of(before, lead if is_lead else None, behind)
    is_asked = (
        asks == "hallucinated"
        and statements == "fault"
        and any(word.text.startswith("hallucinat") for word in behind)
    )
    return "asked" if is_asked else statements


def _ends_clause(some: Sequence[Word], at: int) -> bool:
    """Whether a clause begins behind a place: behind a sign, or a word that joins."""
    is_adverb = "conclusive" in some[at].classes and at > 0 and some[at - 1].text not in PAUSES
    return some[at].text in ",;—" or (some[at].text in _JOINTS and not is_adverb)


def _pick_of(lead: Sequence[Word], asks: Asks) -> str | None:
    """How words that lead to a name pick it."""
    content = [word for word in lead if word.text not in _LINKS and not word.text.isdecimal()]
    is_label = bool(lead) and lead[-1].text in ":：=" and has(lead, "label")
    if all({"conclusive", "opener"} & word.classes for word in content) and not is_label:
        return "alone"
    is_fault = has(lead, "fault", "fault_noun", "fault_verb", "worse")
    if (
        has(lead, "odd")
        or not (_is_linked(lead) or has(lead[-2:], "be", "opinion", "modal"))
        or (has(lead, "have") and not is_fault)
    ):
        return None
    if is_fault:
        return "pick" if asks == "hallucinated" else "fault"
    if has(lead, "better", "sound", "quality"):
        is_loose = any(word.text.partition(" ")[0] in ("right", "correct", "true") for word in lead)
        return "pick" if asks == "best" else None if is_loose else "sound"
    return "pick" if has(lead, "label", "opinion", "pronoun") else None
