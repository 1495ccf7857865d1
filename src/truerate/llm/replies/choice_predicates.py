"""What the words right behind the name of a text say of it: a fault, that it is sound, that it is better."""

from truerate.llm.replies.phrases import Words, longest, single

SIGNS = frozenset("( ) [ ] , ， - – — : ： # | / > • → = 。 ✓ ✔ ✅".split())
OPPOSITE = {"fault": "sound", "sound": "fault"}
_BETWEEN = ("predicate_verbs", "predicate_fillers", "denying")  # what may stand before the word that says it


def predicate_of(words: Words) -> str | None:
    """What the words right behind a name say of it: `fault`, `sound`, `better`; `not` or `does` where they only deny or
    affirm; None where they say nothing; `open` where words of a pole stand among others that may turn them.
    """
    bare = tuple(
        word for word in words if word not in SIGNS and word not in ("and", "but", "while", "whereas")
    )
    if bare in (("does", "not"), ("is", "not"), ("doesn't",), ("does", "n't")):
        return "not"
    if bare in (("does",), ("is",)):
        return "does"
    poles = single("fault_words") | single("sound_words") | single("better_words")
    if words[:1] == ("gets",) and (said := [word for word in words[1:7] if word in poles]):
        is_plain = len(said) == 1 and said[0] in ("right", "wrong") and not set(words) & single("denying")
        return {"right": "sound", "wrong": "fault"}[said[0]] if is_plain else "open"
    if (
        words[:1]
        and words[0] in single("adding_verbs")
        and sum(word in single("denying") for word in words) < 2
    ):
        if any(longest(words, at, "absent_words") for at in range(1, len(words))):
            return "fault"
    at, n_denied = 0, 0
    while at < len(words):
        found = [(n, kind) for name, kind in _KINDS if (n := longest(words, at, name))]
        n, kind = max(found, default=(0, ""))
        rest = words[at + n :]
        degree = words[at - 1] if at else ""
        if kind and not at and not words[n - 1].endswith("s") and words[n - 1] != "up":
            return "open"
        if kind and (n_denied > 1 or "less" in words[:at] or not _is_whole(words[at : at + n], rest)):
            return "open"
        if kind == "sound" and degree in ("more", "most"):
            return "open" if n_denied else "better"
        if kind:
            return ("open" if kind == "better" else OPPOSITE[kind]) if n_denied else kind
        if degree in ("more", "most") and words[at] in single("qualities"):
            return "better" if not n_denied and _is_whole((), words[at + 1 :]) else "open"
        if not any(words[at] in single(name) for name in _BETWEEN):
            break
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


def _is_whole(said: Words, rest: Words) -> bool:
    """Whether words behind a predicate leave its meaning: of another thing nothing is said, nor of one aspect alone."""
    if rest[:1] == ("than",):
        return not rest[1:]
    end = next((at for at, word in enumerate(rest) if word in SIGNS), len(rest))
    if set(rest[:end][:3]) & (single("denying") | {"but"}) and rest != ("but",):
        return False
    if said and said[0] in (
        "contradicts",
        "matches",
        "follows",
        "fits",
        "agrees",
        "sticks",
        "hallucinates",
        "invents",
    ):
        return said[0] in ("hallucinates", "invents") or bool(set(rest[:4]) & single("sources"))
    if said and said[0] in (
        "wrong",
        "false",
        "incorrect",
        "right",
        "true",
        "good",
        "bad",
        "correct",
        "fine",
        "sound",
    ):
        return (
            not rest
            or rest[0] in SIGNS
            or rest[0]
            in (
                "because",
                "since",
                "as",
                "so",
                "and",
                "while",
                "whereas",
                "but",
                "about",
                "one",
                "answer",
                "response",
                "summary",
            )
        )
    return rest[:1] not in (
        ("in",),
        ("on",),
        ("at",),
        ("for",),
        ("when",),
        ("if",),
        ("or",),
        ("less",),
        ("as",),
        ("nor",),
        ("but",),
    )
