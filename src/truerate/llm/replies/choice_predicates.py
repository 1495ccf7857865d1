"""What the words right behind the name of a text say of it: a fault, that it is sound, that it is better."""

from truerate.llm.replies.phrases import Words, longest, single

SIGNS = frozenset("( ) [ ] , ， - – — : ： # | / > • → = 。 ✓ ✔ ✅".split())
OPPOSITE = {"fault": "sound", "sound": "fault"}
_BETWEEN = ("predicate_verbs", "predicate_fillers", "denying")  # what may stand before the word that says it


def predicate_of(words: Words) -> str | None:
    """What the words right behind a name say of it: `fault`, `sound`, `better`; `not` or `does` where they only deny or
    affirm; None where they say nothing; `open` where words of a pole stand among others that may turn them.
    """
    words = _without_aside(words[1:] if words[:1] == ("#",) else words)
    bare = tuple(
        word for word in words if word not in SIGNS and word not in ("and", "but", "while", "whereas", "then")
    )
    if bare in (("does", "not"), ("is", "not"), ("doesn't",), ("does", "n't"), ("cannot",), ("has", "none")):
        return "not"
    if bare in (("does",), ("is",), ("has", "one")):
        return "does"
    poles = single("fault_words") | single("sound_words") | single("better_words")
    if words[:1] == ("gets",) and (said := [word for word in _clause(words) if word in poles]):
        is_plain = len(said) == 1 and said[0] in ("right", "wrong") and not set(words) & single("denying")
        return {"right": "sound", "wrong": "fault"}[said[0]] if is_plain else "open"
    if (
        words[:1]
        and words[0] in single("adding_verbs")
        and sum(word in single("denying") for word in words) < 2
    ):
        absent = next((at for at in range(1, len(words)) if longest(words, at, "absent_words")), 0)
        if absent:
            return (
                "open" if set(words[:absent]) & {"fewer", "less", "few", "least", "no", "never"} else "fault"
            )
    if (told := _told_behind(words)) is not None or (told := _of_data(words)) is not None:
        return told
    if _is_better_at_end(words):
        return "better"
    at, n_denied = 0, 0
    while at < len(words):
        found = [(n, kind) for name, kind in _KINDS if (n := longest(words, at, name))]
        n, kind = max(found, default=(0, ""))
        rest = words[at + n :]
        degree = words[at - 1] if at else ""
        if kind and not at and words[0] in _BARE:
            return "open"
        if kind and (n_denied > 1 or "less" in words[:at] or not _is_whole(words[at : at + n], rest)):
            return "open"
        if kind and _is_mixed(kind, rest) and not (kind == "better" and rest[0] == "hallucination"):
            return "open"
        if kind == "sound" and rest[:1] == ("about",):
            return "open"
        if kind == "sound" and degree in ("more", "most"):
            return "open" if n_denied else "better"
        if kind:
            return ("open" if kind == "better" else OPPOSITE[kind]) if n_denied else kind
        if degree in ("more", "most") and words[at] in single("qualities"):
            return "better" if not n_denied and _is_whole((), words[at + 1 :]) else "open"
        if not any(words[at] in single(name) for name in _BETWEEN) or words[0] in ("claim", "claims"):
            break
        if n_denied and words[at] in SIGNS and words[at] != ",":
            return "not" if words[:at] in (("is", "not"), ("does", "not")) else "open"
        n_denied += words[at] in single("denying")
        at += 1
    is_more = bool({"more", "most", "closer", "better"} & set(words))
    return (
        "open"
        if is_more
        or any(word in poles or word in single("denying") or word.endswith("n't") for word in words)
        else None
    )


_KINDS = (("fault_words", "fault"), ("better_words", "better"), ("sound_words", "sound"))
# adjectives, which say nothing of the name that they stand right behind
_BARE = frozenset("wrong false good bad right true correct incorrect fine".split())


def _clause(words: Words) -> Words:
    return words[: next((at for at, word in enumerate(words) if word in SIGNS), len(words))]


def _is_mixed(kind: str, rest: Words) -> bool:
    """Whether the same clause goes on with a word of another pole."""
    end = next(
        (at for at, word in enumerate(rest) if word in SIGNS or word in single("behind_whole") - {"and"}),
        len(rest),
    )
    others = [
        single(name) for name, other in _KINDS if {kind, other} in ({"fault", "sound"}, {"fault", "better"})
    ]
    return any(
        word in other for word in rest[:end] for other in others if word not in single(f"{kind}_words")
    )


def _without_aside(words: Words) -> Words:
    """Words without what stands between commas right at their beginning: `, by contrast,`, `, which says Porto,`."""
    if words[:1] != (",",) or "," not in words[2:]:
        return words
    end = words.index(",", 2)
    aside = words[1:end]
    is_plain = not any(
        word in single(name) for word in aside for name in ("hedges", "denying", "fault_words", "sound_words")
    )
    return words[end + 1 :] if is_plain else words


def _of_data(words: Words) -> str | None:
    """What `gives the wrong date` and the like say of a text."""
    start = 2 if words[1:2] in (("the",), ("a",), ("an",)) else 1
    if len(words) < start + 2 or words[0] not in single("givers") or words[start + 1] not in single("data"):
        return None
    if any(word in single("denying") or word == "but" for word in words):
        return None
    if words[start + 2 : start + 3] and words[start + 2] not in SIGNS | {"and", "while", "whereas"}:
        return None
    return (
        "fault"
        if words[start] in single("wrong_words")
        else "sound"
        if words[start] in single("right_words")
        else None
    )


def _is_better_at_end(words: Words) -> bool:
    """Whether words are a verb and, at the end, better: `fits the question better`."""
    end = next(
        (at for at, word in enumerate(words) if word in SIGNS or word in ("because", "since", "as")),
        len(words),
    )
    is_fit = end > 2 and words[0] in single("fitting") and set(words[1 : end - 1]) <= single("objects")
    return is_fit and words[end - 1] == "better"


def _told_behind(words: Words) -> str | None:
    """What `, which …` at the end of words says of what a text says: that it is wrong, or right."""
    at = next((at for at in range(2, len(words)) if words[at - 1 : at + 1] == (",", "which")), 0)
    if not at or any(
        word in single("denying") or word.endswith("n't") or word in single("fault_words")
        for word in words[:at]
    ):
        return None
    tail = tuple(word for word in words[at + 1 :] if word != ",")
    if tail[:1] in (("is",), ("contradicts",)):
        said = predicate_of(tail)
        return said if said in ("fault", "sound") and len(tail) < 9 else None
    if tail[:1] == ("the",) and tail[1:2] and tail[1] in single("sources") and len(tail) < 8:
        return (
            "fault"
            if tail[2:3] and (tail[2] == "never" or tail[2] == "doesn't" or tail[2:4] == ("does", "not"))
            else None
        )
    return None


def _is_whole(said: Words, rest: Words) -> bool:
    """Whether words behind a predicate leave its meaning: of another thing nothing is said, nor of one aspect alone."""
    if rest[:1] == ("than",):
        return not rest[1:]
    if (
        rest[:1] == ("as",)
        and rest[1:2]
        and rest[1] in ("it", "it's", "the", "its", "they", "this", "nothing")
    ):
        return True
    if rest[:1] and rest[0] in ("in", "by", "to", "with", "according") and set(rest[1:4]) & single("sources"):
        return True
    end = next((at for at, word in enumerate(rest) if word in SIGNS), len(rest))
    if set(rest[:end][:3]) & (single("denying") | {"but"}) and rest != ("but",):
        return False
    if said and said[-1] in ("better", "best") and len(said) == 1:
        return not rest or rest[0] in SIGNS or rest[0] in single("behind_better") - single("of_part")
    if said and said[0] in single("of_sources"):
        return bool(set(rest[:4]) & (single("sources") | {"known", "it"})) and not set(rest[:5]) & {
            "that",
            "who",
        }
    if said and said[0] in ("hallucinates", "invents"):
        return True
    if said and said[0] in single("of_whole"):
        rest = rest[1:] if rest[:1] and rest[0] in ("answer", "response", "summary", "one") else rest
        return not rest or rest[0] in SIGNS or rest[0] in single("behind_whole")
    return rest[:1] == () or rest[0] not in single("of_part")
