"""What the words behind the name of one of two texts say of it: that it is better, that it has a fault, that
it is sound.
"""

from collections.abc import Sequence

from truerate.llm.replies.statements import PAUSES, signs_of, stated_in
from truerate.llm.replies.words import Word, has

_TELLING = (
    "fault", "fault_noun", "fault_verb", "sound", "sound_verb", "better", "worse", "quality", "negation", "no", "beats", "loses",
)  # fmt: skip
_CONTRARY = ("fault", "fault_noun", "fault_verb", "negation", "no", "contrast", "worse", "less")
_COMPARING = ("more", "less", "better", "worse", "quality")
_OF_NOUNS = ("label", "subject", "conclusive", "sound", "filler")
_TEXT, _SOURCE = Word("the answer", frozenset(("subject",))), Word("the source", frozenset(("source",)))
_IS, _HAS, _CLAIM = (
    Word(text, frozenset((name,))) for text, name in (("is", "be"), ("has", "have"), ("claim", "info"))
)
_OPENING = frozenset(":=/|")  # signs behind which the clause goes on
_ENTRY = frozenset(":—–-")
_AFTER = (":", "here", "overall", "instead")


def is_end(behind: Sequence[Word]) -> bool:
    """Whether a name ends its clause: what follows is nothing, a sign or the beginning of a reason."""
    return not behind or has(behind[:1], "because") or behind[0].text in PAUSES - _OPENING


def is_contrary(behind: Sequence[Word], asks: str) -> bool:
    """Whether the reason behind a pick, which names no other text, says the other pole of it."""
    signs = signs_of(behind)
    return (-1 in signs and 1 not in signs) if asks == "hallucinated" else 1 in signs


def _clause(behind: Sequence[Word]) -> Sequence[Word]:
    """The words up to the end of their clause."""
    ends = (at for at, word in enumerate(behind) if (at and word.text in PAUSES) or has([word], "because"))
    return behind[: next(ends, len(behind))]


def predicate_of(behind: Sequence[Word]) -> str | None:
    """What words right behind a name say of it as a whole: `better`, `worse`, `fault`; None where they say
    none of these.
    """
    clause = _clause(behind)
    if not behind:
        return None
    if len(clause) > 1 and has(clause[:1], "fits") and clause[-1].text in ("better", "best"):
        return (
            "better"
            if all({"filler", "source", "subject", "material"} & word.classes for word in clause[1:-1])
            else None
        )
    if (
        has(clause[:1], "adds")
        and has(clause[1:2], "more", "less")
        and has(clause[2:], "fault", "fault_noun", "problem")
    ):
        is_known = all(
            {"fault", "fault_noun", "problem", "info", "filler"} & word.classes for word in clause[2:]
        )
        return None if not is_known else "better" if has(clause[1:2], "less") else "fault"
    near = next((at for at, word in enumerate(behind[:5]) if word.text in ("closer", "nearer", "closely")), 0)
    if near and has(behind[:1], "nears") and [word.text for word in behind[near + 1 : near + 2]] == ["to"]:
        to = clause[near + 2 :]
        is_source = has(to, "source") or any(word.text in ("known", "true", "truth", "facts") for word in to)
        return "better" if is_source and not has(clause, "negation", "no") else None
    return _degree_of(behind)


def _degree_of(behind: Sequence[Word]) -> str | None:
    """What `is the (more) …` says of a text, where nothing of one point stands behind it."""
    at = 0
    while at < len(behind) and (
        has(behind[at : at + 1], "be", "seem", "filler") or behind[at].text in _ENTRY
    ):
        at += 1
    is_more = has(behind[at : at + 1], "more")
    pole = behind[at + is_more : at + is_more + 1]
    is_vague = has(behind[:at], "seem") and not is_more and not has(behind[:at], "be")  # `reads better`
    is_better = (has(pole, "better") and not is_vague) or (is_more and has(pole, "quality", "sound"))
    if not is_better and not has(pole, "worse"):
        return None
    at += is_more + 1
    while has(behind[at : at + 1], *_OF_NOUNS, "source", "material", "given"):
        at += 1  # `better choice of the two`, `more faithful to the knowledge`
    rest = behind[at:]
    is_whole = is_end(rest) or (rest[0].text in (*_AFTER, "and") and not has(rest, *_CONTRARY))
    if not is_whole or is_contrary(rest, "best"):
        return None
    return "better" if is_better else "worse"


def statement_of(before: Sequence[Word], lead: Sequence[Word] | None, behind: Sequence[Word]) -> str | None:
    """What a clause states of the text that it names, as `leaning` where its words are not all known. `lead`:
    the words before the name in its own clause, where they are known.
    """
    part, clause = [*before, *behind], _clause(behind)
    if lead is not None and (stated_fault := _of_fault(clause, behind)):
        return stated_fault
    if has(clause, *_COMPARING):
        return "rival"
    tail = next(
        (at for at in range(1, len(behind)) if behind[at].text == "which" and behind[at - 1].text in PAUSES),
        0,
    )
    if tail:
        return _of_tail(behind, tail)
    if has([word for word in clause if word.text != "about" or has(behind[:1], "be")], "odd"):
        return leaning(part)
    verb = next((at for at, word in enumerate(behind) if "fault_verb" in word.classes), None)
    if verb is not None and has([behind[verb]], "of_object") and not _is_source(behind[verb + 1 :]):
        return leaning(part)
    is_entry = bool(behind) and behind[0].text in _ENTRY
    plain = [
        _IS if {"seem", "modal"} & word.classes else word
        for word in ([_IS, *behind[1:]] if is_entry else behind)
    ]
    colon = max((at + 1 for at, word in enumerate(lead or ()) if word.text in ":："), default=0)
    stated = stated_in([*(before if lead is None else lead[colon:]), _TEXT, *plain])
    return leaning(part) if stated is None else "fault" if stated else "sound"


def _of_fault(clause: Sequence[Word], behind: Sequence[Word]) -> str | None:
    """What other closed forms say: `X gets the year wrong`, `X adds an unsupported claim`."""
    if has(clause[:1], "gets") and len(clause) > 2 and clause[-1].text in ("wrong", "right"):
        is_known = not has(clause, "negation", "no", "more", "less")
        return None if not is_known else "fault" if clause[-1].text == "wrong" else "sound"
    if has(behind[:1], "adds"):
        rest = behind[1:]
        while has(rest[:1], "filler") and not has(rest[:1], "invented"):
            rest = rest[1:]
        return "fault" if has(rest[:1], "invented") and len(rest) > 1 and is_end(rest[2:]) else None
    return None


def _of_tail(behind: Sequence[Word], tail: int) -> str | None:
    """What `, which …` behind words that say nothing of a text themselves says of what it says."""
    if has(behind[:tail], *_TELLING) or any(word.text == "and" for word in behind[tail:]):
        return leaning(behind)
    stated = stated_in([_TEXT, *behind[tail + 1 :]])
    if stated is None and has(behind[:1], "mention", "have", "adds"):
        stated = stated_in([_TEXT, _HAS, _CLAIM, *behind[tail:]])  # `which the document does not mention`
    return leaning(behind) if stated is None else "fault" if stated else "sound"


def _is_source(behind: Sequence[Word]) -> bool:
    """Whether words up to the end of their clause name the source alone."""
    ends = (at for at, word in enumerate(behind) if is_end(behind[at:]) or word.text in ("by", "in", "when"))
    object_ = behind[: next(ends, len(behind))]
    is_known = all(
        {"source", "filler", "given", "mention"} & word.classes or word.text in ("what", "known")
        for word in object_
    )
    return is_known and (has(object_, "source") or (bool(object_) and object_[-1].text == "known"))


def leaning(part: Sequence[Word]) -> str | None:
    """To which side words lean that are not read: `faulty`, `sounder`, neither (empty), or None where they
    may mean either.
    """
    if not has(part, *_TELLING):
        return "faulty" if any(word.text == "adds" for word in part[:3]) else ""
    signs = signs_of(part)
    is_plain = len(signs) == 1 and not has(
        part, "negation", "no", "contrast", "better", "worse", "beats", "loses"
    )
    return None if not is_plain else "faulty" if 1 in signs else "sounder"
