"""What one sentence of a reply on two texts says of them.

A clause with a name *picks* it where known words lead to the name and end there (`Best Answer: Answer 2`, `I
choose Answer 2`), and *states* of it a fault, soundness (`polarity`) or that it is the better one. A clause
that speaks of either in other words is *open*, or leans to a side.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from truerate.llm.replies.names import NAMES
from truerate.llm.replies.polarity import PAUSES, mentions, stated
from truerate.llm.replies.words import Sentence, Word, has

TELLING = (
    "fault", "fault_noun", "fault_verb", "sound", "sound_verb", "better", "worse", "quality", "negation", "no",
    "beats", "loses", "more", "less",
)  # fmt: skip
_LEADS = (
    "label", "filler", "subject", "conclusive", "opinion", "be", "modal", "self", "pronoun", "better", "worse", "fault",
    "fault_noun", "fault_verb", "sound", "quality", "more", "opener", "handover", "source", "material", "have",
)  # fmt: skip
_LINKS = frozenset(
    (":", "：", ",", "，", "=", ")", "]", "(", "[", "-", "–", "—", "→", "⇒", "|", "#", *"✅❌✓✔✗✘")
)
_SIGNS = frozenset((",", "，", ";", ":", "—", "–", "("))  # behind which a clause begins
_JOINTS = frozenset("and while whereas but so therefore thus hence because since as although though".split())
_EITHER = frozenset("/ or vs versus & nor".split())
_ENTRY = frozenset(":—–-")  # between a name and what is said of it
_TEXT, _IS = Word("the answer", frozenset(("subject",))), Word("is", frozenset(("be",)))
_POLES = {"sound": 1, "quality": 1, "better": 1, "fault_noun": -1, "fault": -1, "worse": -1}
_COMPARING = ("be", "seem", "have", "fits", "filler", "more", "less", "source", "in_source", "given", *_POLES)
Asks = Literal["hallucinated", "best"]
_MOST_NAMES, _MOST_BEFORE = 6, 30  # in a sentence that is read, and words before a number that is a name


class Vote(NamedTuple):
    """What the sentence `at` says of a text (0 or 1): `pick` (by a label or verb), `alone` (its name),
    `fault`, `sound`, `better`, `worse`; in words that are not all known `faulty`, `sounder`, `rival`
    (better), `open`.
    """

    at: int
    position: int
    kind: str
    is_negated: bool = False


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
        and _is_end(some[at + 1 :])
        else word
        for at, word in enumerate(some)
    )


def _is_label(before: Sequence[Word]) -> bool:
    is_linked = (
        before[-1].text in _LINKS or before[-1].text.endswith(":") or has(before[-1:], "be", "opinion")
    )
    return is_linked and has(before, "label", "better", "opinion", "fault") and all(map(_leads, before))


def _leads(word: Word) -> bool:
    """Return whether a word may stand before a name that is picked."""
    return has([word], *_LEADS) or word.text in _LINKS or word.text.isdecimal()


def _is_end(behind: Sequence[Word]) -> bool:
    """Return whether a name ends its clause: what follows is nothing, a sign or the beginning of a reason."""
    return not behind or has(behind[:1], "because") or behind[0].text in PAUSES - set(":=/|")


def votes_in(item: Sentence, at: int, asks: Asks, prior: Sequence[Vote], *, is_only: bool) -> list[Vote]:
    """Return what a sentence says of the texts that it names, behind another one that said `prior`."""
    some: Sequence[Word] = item.words
    clear = [word for word in before_reason(some) if not has([word], "seem", "filler")]
    unread = [Vote(at, position, "open") for position in set(named_in(some))]
    if (
        not unread
        or item.is_question
        or len(named_in(some)) > _MOST_NAMES
        or has(clear, "to_user", "condition", "aside", "doubt")
    ):
        return unread
    if has(some[:1], "looking", "prefix"):  # `Comparing Answer 1 and Answer 2, …`
        comma = next((n for n, word in enumerate(some) if word.text in (",", ":")), 0)
        some = some[comma + 1 :] if comma and named_in(some[comma:]) else some
    places = [n for n, word in enumerate(some) if word.text in NAMES]
    starts = [0, *(_boundary(some, name, then) for name, then in zip(places, places[1:], strict=False))]
    between = some[places[0] + 1 : places[1]] if len(places) == 2 else ()
    if has(between, "beats", "loses", "compares") or (between and between[-1].text == "as"):
        better = _compared(some, places)
        kind = "asked" if asks == "best" else "better"
        is_of_fault = asks == "hallucinated" and has(between, "fault", "fault_noun", "sound")
        return (
            unread if better is None else [Vote(at, better ^ is_of_fault, "fault" if is_of_fault else kind)]
        )
    is_entry = all(name + 1 < len(some) and some[name + 1].text in _ENTRY for name in places)
    is_unparted = any(start in places and some[start - 1].text not in _SIGNS - {":"} for start in starts[1:])
    is_either = any(some[start].text in _EITHER for start in starts[1:])
    if is_either or (is_unparted and not is_entry):
        return unread  # `Answer 1 says that Answer 2 is …`
    is_of_both = has(some, "pair") and not has(some, "contrast")
    is_of_both = is_of_both or any(holds_of_both(n, some) for n in range(len(some)))
    votes: list[Vote] = []
    is_rejected = False
    for start, end, name in zip(starts, [*starts[1:], len(some)], places, strict=True):
        position, part = NAMES.index(some[name].text), some[start:end]
        if start == 0 and 0 < name < 3 and all(has([word], "rejects") for word in some[:name]):
            is_rejected = True  # `not X, but Y`
            continue
        is_sole = is_only and len(places) == 1
        kind = _ellipsis(some[name + 1 : end], [*prior, *votes]) or _kind(
            part, name - start, asks, is_only=is_sole
        )
        is_listed = has(some[end : end + 1], "joins") or (
            start > 0 and not is_rejected and not has(part, "conclusive")
        )
        if kind == "alone" and is_listed and not any(vote.position == position for vote in votes):
            return unread
        is_second = part[0].text.startswith("and ") and not is_rejected
        is_open = is_second or (is_of_both and kind != "pick")
        votes.append(Vote(at, position, "open" if is_open else kind, has(part, "negation", "no")))
    return [vote for vote in votes if vote.kind]


def _ellipsis(behind: Sequence[Word], prior: Sequence[Vote]) -> str:
    """Return what `Answer 2 is not` says, by what was stated of the other text right before."""
    end = next((at for at, word in enumerate(behind) if at and word.text in PAUSES), len(behind))
    inside = [word for word in behind[:end] if word.text not in PAUSES]
    is_short = bool(inside) and bool(prior) and all(has([word], "be", "do", "negation") for word in inside)
    if not is_short or prior[-1].kind not in ("fault", "sound", "asked"):
        return ""
    is_contrary = has(inside, "negation") is not prior[-1].is_negated
    return ("fault" if prior[-1].kind == "sound" else "sound") if is_contrary else "open"


def holds_of_both(at: int, some: Sequence[Word]) -> bool:
    """Return whether a word says that the same holds of the other text."""
    is_degree = some[at].text == "too" and at + 1 < len(some) and some[at + 1].text not in PAUSES
    return has([some[at]], "shared") and not is_degree


def before_reason(some: Sequence[Word]) -> Sequence[Word]:
    """The words of a sentence up to the reason behind its first name, which may doubt."""
    first = next((at for at, word in enumerate(some) if word.text in NAMES), len(some))
    return some[: next((at for at in range(first, len(some)) if has([some[at]], "because")), len(some))]


def _boundary(some: Sequence[Word], before: int, then: int) -> int:
    """Return where the clause of a name begins behind that of another one: at a sign, or with a word that
    joins.
    """
    for at in range(then, before + 1, -1):
        is_joint = at < then and (
            some[at].text.partition(" ")[0] in _JOINTS or has([some[at]], "rejects", "joins")
        )
        if is_joint or (some[at - 1].text in _SIGNS and not (some[at - 1].text == ":" and at - 2 == before)):
            return at
    word = some[before + 1]
    return before + 1 if word.text.partition(" ")[0] in _JOINTS or has([word], "rejects", "joins") else then


def _compared(some: Sequence[Word], places: Sequence[int]) -> int | None:
    """The better of two texts in a sentence that compares them as a whole (`X is less accurate than Y`)."""
    two = [NAMES.index(some[at].text) for at in places]
    before, between, behind = some[: places[0]], some[places[0] + 1 : places[1]], some[places[1] + 1 :]
    is_plain = all(map(_leads, before)) and not has(before, "fault", "sound", "better", "quality")
    is_whole = not behind or has(behind[:1], "because")
    if two[0] == two[1] or not is_plain or not is_whole or has(between, "negation", "no", "shared"):
        return None
    if len(between) == 1 and has(between, "beats", "loses"):
        return two[has(between, "loses")]
    inside = between[:-1]
    signs = {sign for word in inside for name, sign in _POLES.items() if name in word.classes}
    is_known = all(has([word], *_COMPARING) or word.text == "and" for word in inside)
    if not between or between[-1].text != "than" or not is_known or len(signs) != 1:
        return None
    return two[(signs.pop() > 0) is has(inside, "less")]


def _kind(part: Sequence[Word], name: int, asks: Asks, *, is_only: bool) -> str:
    """Return what a clause with one name says of it; empty: nothing."""
    before, behind = part[:name], part[name + 1 :]
    start = max((at + 1 for at in range(len(before)) if _ends_clause(before, at)), default=0)
    is_step = start < len(before) and before[start].text == "step"  # `Step 4: I choose`
    lead = before[start + 3 * is_step :]
    while lead and lead[0].text in _LINKS:
        lead = lead[1:]
    if has(lead[:1], "rejects") and len(lead) < 3 and all(map(_leads, lead[1:])):
        return ""  # `rather than Answer 1`
    is_lead = all(map(_leads, lead)) and (
        has(before[:start], "pair") or not has(before[:start], "negation", "no")
    )
    is_told = (
        (is_only or bool(lead))
        and len(behind) > 1
        and behind[0].text in _ENTRY
        and not behind[1].text[0].isdecimal()
    )
    is_mine = has(behind[:1], "mine") and _is_end(behind[1:])
    is_mine = is_mine or [word.text for word in behind] == ["it", "is"]
    if not is_only and len(behind) > 1 and behind[0].text in PAUSES and behind[1].text[0].isdecimal():
        return "open"  # a score
    if is_lead and (
        _is_end(behind)
        or is_told
        or is_mine
        or (has(behind[:1], "rejects") and not has(behind[:1], "negation"))
    ):
        kind = "pick" if is_mine else _pick_of(lead, asks)
        signs = mentions(behind)
        is_contrary = signs == {False} if asks == "hallucinated" else True in signs
        return "open" if kind in ("pick", "alone") and is_contrary else kind
    if (
        is_lead
        and not has(lead, "fault", "fault_noun", "sound", "quality")
        and (degree := _degree_of(behind))
    ):
        return "asked" if (degree, asks) == ("better", "best") else degree
    ends = (at for at, word in enumerate(behind) if (at and word.text in PAUSES) or has([word], "because"))
    clause = [
        word for word in behind[: next(ends, len(behind))] if word.text != "about" or has(behind[:1], "be")
    ]
    if has(clause, "better", "worse", "quality", "more", "less"):
        return "open" if has(clause, "negation") else "rival"
    verb = next((at for at, word in enumerate(behind) if has([word], "of_object")), None)
    if has(clause, "odd") or (verb is not None and not _is_source(behind[verb + 1 :])):
        return _leaning([*before, *behind])
    plain = [_IS if has([word], "seem", "modal") else word for word in behind]
    plain = [_IS, *plain[1:]] if behind and behind[0].text in _ENTRY else plain
    is_fault = stated([*(lead if is_lead else before), _TEXT, *plain])
    if is_fault is not None:
        is_asked = asks == "hallucinated" and any(word.text.startswith("hallucinat") for word in behind)
        return "sound" if not is_fault else "asked" if is_asked else "fault"
    return _leaning([*before, *behind])


def _is_source(behind: Sequence[Word]) -> bool:
    """Return whether words up to the end of their clause name the source alone."""
    end = next(
        (at for at in range(len(behind)) if _is_end(behind[at:]) or behind[at].text in ("by", "in", "when")),
        len(behind),
    )
    return has(behind[:end], "source") and all(
        has([word], "source", "filler", "given") for word in behind[:end]
    )


def _leaning(part: Sequence[Word]) -> str:
    """To which side words lean that are not read: `faulty`, `sounder`, neither (empty), or `open`."""
    if not has(part, *TELLING):
        return "faulty" if any(word.text == "adds" for word in part[:3]) else ""
    signs = mentions(part)
    is_plain = len(signs) == 1 and not has(
        part, "negation", "no", "contrast", "better", "worse", "beats", "loses"
    )
    return "open" if not is_plain else "faulty" if True in signs else "sounder"


def _ends_clause(some: Sequence[Word], at: int) -> bool:
    """Return whether a clause begins behind a place: behind a sign, or a word that joins."""
    is_adverb = at > 0 and has([some[at]], "conclusive") and some[at - 1].text not in PAUSES  # `is therefore`
    return some[at].text in ",;—" or (some[at].text in _JOINTS and not is_adverb)


def _pick_of(lead: Sequence[Word], asks: Asks) -> str:
    """Return how words that lead to a name pick it."""
    content = [word for word in lead if word.text not in _LINKS and not word.text.isdecimal()]
    is_label = bool(lead) and lead[-1].text in ":：=" and has(lead, "label")
    if all(has([word], "conclusive", "opener") for word in content) and not is_label:
        return "alone"
    is_fault = has(lead, "fault", "fault_noun", "fault_verb", "worse")
    is_linked = (
        lead[-1].text in _LINKS or lead[-1].text.endswith(":") or has(lead[-2:], "be", "opinion", "modal")
    )
    if has(lead, "odd") or not is_linked or (has(lead, "have") and not is_fault):
        return "open"
    if is_fault:
        return "pick" if asks == "hallucinated" else "fault"
    if has(lead, "better", "sound", "quality"):
        return "pick" if asks == "best" else "sound" if has(lead, "better", "quality") else "open"
    return "pick" if has(lead, "label", "opinion", "pronoun") else "open"


def _degree_of(behind: Sequence[Word]) -> str:
    """Return what `is the (more) …` right behind a name says of it as a whole: `better`, `worse`, or nothing."""
    at = 0
    while has(behind[at : at + 1], "be", "filler", "seem") or (
        at < len(behind) and behind[at].text in _ENTRY
    ):
        at += 1
    is_more = has(behind[at : at + 1], "more")
    pole = behind[at + is_more : at + is_more + 1]
    is_better = has(pole, "better") or (is_more and has(pole, "quality", "sound"))
    is_vague = has(behind[:at], "seem") and not is_more  # `reads better`
    if is_vague or not (is_better or has(pole, "worse")):
        return ""
    at += is_more + 1
    while has(
        behind[at : at + 1],
        "label",
        "subject",
        "conclusive",
        "sound",
        "filler",
        "source",
        "material",
        "given",
    ):
        at += 1  # `better choice of the two`, `more faithful to the knowledge`
    rest = behind[at:]
    is_whole = _is_end(rest) or rest[0].text in (":", "here", "overall", "instead")
    is_joined = (
        bool(rest) and rest[0].text == "and" and not has(rest, *TELLING[:3], "negation", "no", "contrast")
    )
    if not (is_whole or is_joined) or True in mentions(rest):
        return ""
    return "better" if is_better else "worse"
