"""What the words right behind the name of a text say of it: a fault, that it is sound, that it is better."""

from truerate.llm.replies.phrases import Words, has, longest, phrases, single, until

OPPOSITE = {"fault": "sound", "sound": "fault"}
_BETWEEN = ("predicate_verbs", "predicate_fillers", "denying")  # what may stand before the word that says it
_KINDS = (("fault_words", "fault"), ("better_words", "better"), ("sound_words", "sound"))
POLES = tuple(name for name, _ in _KINDS)


def is_denied(words: Words) -> bool:
    """Whether a word denies."""
    return has(words, "denying") or any(word.endswith("n't") for word in words)


def predicate_of(words: Words) -> str | None:
    """What the words right behind a name say of it: `fault`, `sound`, `better`; `not` or `does` where they only deny or
    affirm; None where they say nothing; `open` where words of a pole stand among others that may turn them.
    """
    words = _without_aside(words[1:] if words[:1] == ("#",) else words)
    bare = tuple(word for word in words if not has((word,), "signs", "joining"))
    for name in ("not", "does"):
        if bare in phrases(f"says_{name}"):
            return name
    if words[:1] == ("gets",) and has(until(words, "signs"), *POLES):
        said = [word for word in until(words, "signs") if has((word,), *POLES)]
        is_plain = len(said) == 1 and has(said, "right_words", "wrong_words") and not has(words, "denying")
        return "open" if not is_plain else "sound" if has(said, "right_words") else "fault"
    told = _of_addition(words) or _of_tail(words)
    if told or _is_better_fit(words):
        return told or "better"
    return _at_beginning(words)


def _at_beginning(words: Words) -> str | None:
    """What the first word of a pole says, where only verbs, fillers and denials stand before it."""
    at, n_denied = 0, 0
    while at < len(words):
        n, kind = max(((longest(words, at, name), kind) for name, kind in _KINDS), default=(0, ""))
        rest, is_more = words[at + n :], at and words[at - 1] in ("more", "most")
        if n:
            is_bare = not at and has(words[:1], "right_words", "wrong_words", "bare_adjectives")
            is_mixed = _is_mixed(kind, rest) or kind == "sound" and rest[:1] == ("about",)
            if (
                is_bare
                or is_mixed
                or n_denied > 1
                or "less" in words[:at]
                or not _is_whole(words[at : at + n], rest)
            ):
                return "open"
            if kind == "better" or kind == "sound" and is_more:
                return "open" if n_denied else "better"
            return OPPOSITE[kind] if n_denied else kind
        if is_more and has(words[at : at + 1], "qualities"):
            return "better" if not n_denied and _is_whole((), words[at + 1 :]) else "open"
        if not has(words[at : at + 1], *_BETWEEN) or words[0] in ("claim", "claims"):
            break
        if n_denied and has(words[at : at + 1], "signs") and words[at] != ",":
            return "not" if words[:at] in phrases("says_not") else "open"
        n_denied += has(words[at : at + 1], "denying")
        at += 1
    return "open" if has(words, *POLES, "degrees") or is_denied(words) else None


def _without_aside(words: Words) -> Words:
    """Words without what stands between commas right at their beginning: `, by contrast,`, `, which says Porto,`."""
    if words[:1] != (",",) or "," not in words[2:]:
        return words
    end = words.index(",", 2)
    return words if has(words[1:end], "hedges", "denying", "fault_words", "sound_words") else words[end + 1 :]


def _of_addition(words: Words) -> str | None:
    """What `adds a date that is not in the source` says of a text."""
    absent = next((at for at in range(1, len(words)) if longest(words, at, "absent_words")), 0)
    if not absent or not has(words[:1], "adding_verbs") or sum(has((word,), "denying") for word in words) > 1:
        return None
    return "open" if has(words[:absent], "few_words") else "fault"


def _of_tail(words: Words) -> str | None:
    """What `, which …` at the end of words says of what a text says: that it is wrong, or right."""
    at = next((at for at in range(2, len(words)) if words[at - 1 : at + 1] == (",", "which")), 0)
    if not at or is_denied(words[:at]) or has(words[:at], "fault_words"):
        return None
    tail = tuple(word for word in words[at + 1 :] if word != ",")
    if tail[:1] in (("is",), ("contradicts",)) and len(tail) < 9:
        said = predicate_of(tail)
        return said if said in OPPOSITE else None
    is_absent = (
        tail[:1] == ("the",) and has(tail[1:2], "sources") and tail[2:] in phrases("denials_of_sources")
    )
    return "fault" if is_absent else None


def _is_better_fit(words: Words) -> bool:
    """Whether words are `fits the question better` or the like."""
    words = until(until(words, "signs"), "reasons")
    return (
        len(words) > 2
        and words[-1] == "better"
        and has(words[:1], "fitting")
        and set(words[1:-1]) <= single("objects")
    )


def _is_mixed(kind: str, rest: Words) -> bool:
    """Whether the same clause goes on with a word of another pole."""
    rest = until(until(rest, "signs"), "behind_clause")
    others = {"fault": POLES[1:], "sound": POLES[:1], "better": POLES[:1]}[kind]
    own = single(f"{kind}_words") | ({"hallucination"} if kind == "better" else set())
    return has([word for word in rest if word not in own], *others)


def _is_whole(said: Words, rest: Words) -> bool:
    """Whether words behind a predicate leave its meaning: of another thing nothing is said, nor of one aspect alone."""
    if rest[:1] == ("than",):
        return not rest[1:]
    if (
        rest[:1] == ("as",)
        and has(rest[1:2], "reason_subjects")
        or has(rest[:1], "of_it")
        and has(rest[1:4], "sources")
    ):
        return True
    if has(until(rest, "signs")[:3], "denying", "but") and rest != ("but",):
        return False
    if said in phrases("better_words") and not has(said[:1], "of_sources"):
        is_end = not rest or has(rest[:1], "signs")
        return is_end or has(rest[:1], "behind_better") and not has(rest[:1], "of_part")
    if has(said[:1], "of_sources"):
        return has(rest[:4], "sources", "known") and not set(rest[:5]) & {"that", "who"}
    if said[:1] in (("hallucinates",), ("invents",)):
        return True
    if has(said[:1], "of_whole"):
        rest = rest[1:] if has(rest[:1], "one_words") else rest
        return not rest or has(rest[:1], "signs", "behind_whole")
    return not has(rest[:1], "of_part")
