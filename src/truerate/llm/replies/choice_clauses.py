"""What one sentence of a reply on two texts says of them: that it picks one, and what stands right behind each name."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from truerate.llm.replies.choice_predicates import OPPOSITE, SIGNS, predicate_of
from truerate.llm.replies.choice_words import NAMES, Sentence
from truerate.llm.replies.phrases import Words, longest, single

Asks = Literal["hallucinated", "best"] | None
_MOST = 12  # names in a sentence that is read
_SEPARATORS = frozenset(
    ": ： = → - – — is in lies goes to be clearly therefore was es est ist è é 是 содержится в found".split()
)


class Said(NamedTuple):
    """What a sentence says of a text (0 or 1): `pick`, `fault`, `sound` or `better`."""

    place: int
    kind: str
    is_denied: bool = False


def picks_of(one: Sentence, asks: Asks, *, is_only: bool) -> list[Said]:
    """The texts that a sentence picks as such, or labels with a word of a pole."""
    found: list[Said] = []
    if sum(map(one.words.count, NAMES)) > _MOST:
        return found
    for at, word in enumerate(one.words):
        if word in NAMES and one.end != "?":
            kind = kind_of(one.words[:at], one.words[at + 1 :], asks, is_only=is_only)
            found += [Said(int(word[1]) - 1, kind)] if kind else []
    return found


def kind_of(before: Words, behind: Words, asks: Asks, *, is_only: bool) -> str | None:
    """How a name is picked: `alone`, with its reason, by a label or a verb (`pick`), or labelled with another pole."""
    if not _is_end(behind) and "my" not in behind[:4] or _is_score(behind):
        return None
    bare = [word for word in before if word not in SIGNS]
    if _is_end(behind) and all(word in single("before_alone") or word.isdigit() for word in bare):
        if behind[:1] in ((":",), ("-",), ("–",), ("—",)) and len(behind) > 1:
            is_free = asks == "hallucinated" and is_only and not set(behind) & single("sound_words")
            is_told = not is_free and predicate_of(behind) not in (
                None,
                "fault" if asks == "hallucinated" else None,
            )
            is_list = behind[0] == ":" and not is_only
            return None if is_told or is_list or set(behind) & set(NAMES) and behind[0] == ":" else "alone"
        return None if _is_contrary(behind, asks) else "alone"
    is_mine = tuple(word for word in behind[:4] if word not in ("is", "would", "be", "gets"))
    if (
        is_mine[:1] == ("my",)
        and is_mine[1:2]
        and is_mine[1] in ("choice", "pick", "vote", "answer", "preference")
    ):
        return "pick" if _is_beginning(before) else None
    if not _is_end(behind):
        return None
    clause = _clause(before)
    if clause in (("so",), ("hence",), ("thus",), ("therefore",), ("therefore", ",")) and _may_precede(
        before
    ):
        return "pick"
    if (label := _label(clause)) is not None and _may_precede(before[: len(before) - len(clause)]):
        kind = {"fault": "hallucinated", "better": "best"}.get(label)
        return "pick" if kind in (None, asks) or asks is None else label
    if _is_chosen(clause) and _may_precede(before[: len(before) - len(clause)]):
        return None if _is_contrary(behind, asks) else "pick"
    return None


def _is_score(behind: Words) -> bool:
    """Whether words right behind a name are a score."""
    return len(behind) > 3 and behind[0] in SIGNS and behind[1].isdigit() and behind[2] == "/"


def _is_contrary(reason: Words, asks: Asks) -> bool:
    """Whether the reason behind a pick, which names no other text, says the other pole of it."""
    if set(reason) & set(NAMES) or asks is None:
        return False
    faults, sounds = set(reason) & single("fault_words"), set(reason) & single("sound_words")
    is_denied = bool(set(reason) & (single("denying") | {"leaving", "avoids", "avoiding"})) or any(
        word.endswith("n't") for word in reason
    )
    return (
        bool(sounds and not faults and not is_denied)
        if asks == "hallucinated"
        else bool(faults and not is_denied)
    )


def _clause(words: Words) -> Words:
    """The last clause of words: behind the last comma, `so`, `but` or the like."""
    for at in range(len(words) - 1, -1, -1):
        if words[at] in (",", "，", "so", "but", "therefore", "thus", "hence") and at < len(words) - 1:
            return words[at + 1 :]
    return words


def _may_precede(words: Words) -> bool:
    """Whether clauses before a pick leave it one."""
    return not any(
        word in single("conditions") or word in ("some", "others", "people", "you") for word in words
    )


def _is_end(behind: Words) -> bool:
    """Whether a name ends its clause: what follows is nothing, a sign or the beginning of a reason."""
    while (
        behind
        and behind[0] in ("]", ")", "✓", "✔", "✅", "#", "instead", "here")
        and behind[:2] != ("instead", "of")
    ):
        behind = behind[1:]
    if not behind or behind in (("it", "is"), (",",), (":",)) or behind[:2] == ("and", "not"):
        return True
    if behind[0] in (",", "，"):
        if behind[1][:2] == "因为":
            return True
        is_contrast = behind[1] == "not" and behind[2:3] != () and behind[2] in NAMES
        return behind[1] in _REASONS or is_contrast
    if behind[0] == "to" and behind[1:2] and behind[1] in NAMES:
        return True
    return behind[0] in ("(", "-", "–", "—", ":", ".", "。") or behind[0] in single("behind_pick") - {
        "and",
        "it",
        "which",
        "by",
        "hands",
    }


_REASONS = frozenset(
    "because since as hands no without it for given considering which ya denn weil car perché 因为 因为它".split()
)


def _label(before: Words) -> str | None:
    """What a label right before a name says: `pick`, or the pole that it names; None where there is none, or words before
    it that are none of a beginning.
    """
    if before[-1:] in (("it's",), ("that's",)) or before[-2:] in (
        ("it", "is"),
        ("that", "is"),
        ("must", "be"),
        ("would", "be"),
        ("that", "leaves"),
        ("which", "leaves"),
        ("to", "be"),
    ):
        return "pick" if _is_beginning(before) else None
    end = len(before)
    while end and before[end - 1] in _SEPARATORS | {"#", "[", "(", "the"}:
        end -= 1
    start = end
    while start and (before[start - 1] in single("label_words") or before[start - 1] == "#"):
        start -= 1
    label = [word for word in before[start:end] if word != "#"]
    between = before[end:]
    is_headed = "#" in before[start:end] or before[:1] == ("#",)
    is_parted = any(word in _SEPARATORS - {"in", "to"} for word in between)
    if not label or not set(label) & single("label_heads") or not (is_headed or is_parted):
        return None
    if {"in", "в"} & set(between) and not set(label) & {"hallucination", "error", "галлюцинация"}:
        return None
    is_poled = set(label) & (single("fault_labels") | single("best_labels"))
    if not _is_beginning(before[:start]) or not is_poled and set(label) & single("label_details"):
        return None
    if "was" in between and "your" in label:
        return None
    if set(label) & single("fault_labels"):
        return "fault"
    return "better" if set(label) & single("best_labels") else "pick"


def _is_beginning(words: Words) -> bool:
    """Whether words may stand before a pick: those of a beginning alone."""
    if any(word in single("hedges") or word in NAMES or word.endswith("n't") for word in words):
        return False
    return all(word in single("openers") or word in SIGNS or word.isdigit() for word in words)


def _is_chosen(before: Words) -> bool:
    """Whether `I choose` or the like stands right before a name."""
    words = tuple(word for word in before if word not in ("the", ":"))
    for at in range(max(0, len(words) - 3), len(words)):
        if at + longest(words, at, "own_picks") == len(words) and _is_beginning(words[:at]):
            return True
        if at + longest(words, at, "pick_verbs") == len(words):
            start = at
            while start and words[start - 1] in single("pick_subjects"):
                start -= 1
            is_own = (
                bool({"i", "i'd", "i'll", "i'm", "we"} & set(words[start:at])) or "and" in words[at - 1 : at]
            )
            return is_own and (_is_beginning(words[:start]))
    return False


def told_of(one: Sentence, prior: Sequence[Said]) -> tuple[list[Said], bool]:
    """What a sentence says of each text right behind its name, and whether it says something of one that may mean anything."""
    words = one.words
    found: list[Said] = []
    is_open = False
    if sum(map(words.count, NAMES)) > _MOST:
        return [], True
    if (compared := _compared(words)) is not None:
        better = [Said(1 - compared.place, "better")] if compared.kind == "fault" else []
        return [compared, *better], False
    for at, word in enumerate(words):
        if word not in NAMES:
            continue
        end = next((place for place in range(at + 1, len(words)) if words[place] in NAMES), len(words))
        place, behind = int(word[1]) - 1, words[at + 1 : end]
        if words[at - 1 : at] == ("than",) and not set(behind) & set(".,"):
            continue
        said = "open" if behind[-1:] == ("than",) and predicate_of(behind) else predicate_of(behind)
        if (
            at > 1
            and words[at - 1] in ("supports", "contradicts")
            and words[at - 2] in single("sources")
            and not behind
        ):
            if at < 4:
                found.append(Said(place, "sound" if words[at - 1] == "supports" else "fault"))
                continue
        if said in ("not", "does"):
            before = [more for more in (found or prior) if more.place != place]
            is_other = len(before) == 1 and (said == "does") == before[0].is_denied
            said = OPPOSITE.get(before[0].kind) if is_other else None
        is_pair = at > 1 and words[at - 1] in ("and", "&", "or", "/") and words[at - 2] in NAMES
        if said == "open" or (said and is_pair) or (said and not _is_subject(words[:at])):
            is_open = True
        elif said:
            said = "better" if said == "sound" and words[at - 1 : at] == ("only",) else said
            is_denied = any(more in single("denying") or more.endswith("n't") for more in behind)
            found.append(Said(place, said, is_denied))
    return found, is_open


def _compared(words: Words) -> Said | None:
    """The text of which a sentence says that it is better than the other (`X is less accurate than Y`), or more at fault."""
    places = [at for at, word in enumerate(words) if word in NAMES]
    if (
        len(places) != 2
        or "than" in words[: places[0]]
        or words[places[0]] == words[places[1]]
        or not _is_subject(words[: places[0]])
    ):
        return None
    between, behind = words[places[0] + 1 : places[1]], words[places[1] + 1 :]
    behind = behind[1:] if behind[:1] in (("does",), ("is",)) else behind
    if behind and behind[0] not in single("behind_compared") and behind[0] not in SIGNS:
        return None
    first = NAMES.index(words[places[0]])
    if (
        between[-3:]
        and longest(between, max(0, len(between) - 3), "loses_to")
        or any(longest(between, len(between) - n, "loses_to") == n for n in (1, 2, 3) if n <= len(between))
    ):
        return None if _is_denied(between) else Said(1 - first, "better")
    aspects = single("sound_words") | single("qualities")
    if between[-1:] == ("as",) and ("as" in between[:-1] or "so" in between[:-1]):
        is_less = between[:2] in (("is", "not"), ("does", "not")) and bool(set(between) & aspects)
        return Said(1 - first, "better") if is_less and not _is_denied(between[2:]) else None
    degrees = [word for word in between if word in ("more", "less", "fewer", "better", "closer", "nearer")]
    if between[-1:] != ("than",) or len(degrees) != 1 or _is_denied(between):
        return None
    known = single("predicate_verbs") | single("predicate_fillers") | single("objects") | single("qualities")
    known |= (
        single("sound_words")
        | single("fault_words")
        | single("fitting")
        | {"account", "far", degrees[0], "than", "and"}
    )
    if not set(between) <= known:
        return None
    is_fault = bool(set(between) & single("fault_words"))
    aspects -= {"likely"} if is_fault else set()
    if degrees[0] in ("more", "less", "fewer") and is_fault == bool(set(between) & aspects):
        return None
    is_less = degrees[0] in ("less", "fewer")
    if is_fault and not is_less:
        return Said(first, "fault")
    return Said(first if is_less == is_fault else 1 - first, "better")


def _is_denied(words: Words) -> bool:
    return any(word in single("denying") or word.endswith("n't") for word in words)


def is_shared(words: Words) -> bool:
    """Whether what is said of one text is said of the other, too (`so is Answer 2`), or texts are only set side by side."""
    if words[-1:] in (("too",), ("likewise",), ("alike",)) or words[-2:] == ("as", "well"):
        return True
    if (
        words[-2:-1] == ("is",)
        and words[-1] in NAMES
        and ("and", "so") in zip(words, words[1:], strict=False)
    ):
        return True
    if words[:1] == ("both",) and set(words) & single("fault_words") and "but" not in words:
        return True
    pairs = zip(words, words[1:], words[2:], strict=False)
    return bool({"vs", "versus", "ranking", "ranked", "rank"} & set(words)) or any(
        (a in ("too", "likewise") and b in SIGNS)
        or a in ("so", "as", "nor", "neither")
        and b in ("is", "does", "are", "was", "has")
        and c in NAMES
        for a, b, c in pairs
    )


def _is_subject(before: Words) -> bool:
    """Whether words before a name leave it the subject of what follows."""
    at = next((at for at in range(len(before) - 1, -1, -1) if before[at] in _JOINTS), -1)
    clause = before[at + 1 :]
    is_plain = all(word in single("openers") or word in SIGNS or word.isdigit() for word in clause)
    return is_plain and not any(word in single("hedges") for word in clause) and _may_precede(before)


_JOINTS = frozenset(
    (
        ",",
        "，",
        "and",
        "but",
        "while",
        "whereas",
        "-",
        "–",
        "—",
        ":",
        "because",
        "since",
        "as",
        "so",
        "although",
        "(",
        "than",
    )
)
