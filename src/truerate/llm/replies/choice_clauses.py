"""What one sentence of a reply on two texts says of them: that it picks one, and what stands right behind each name."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from truerate.llm.replies.choice_predicates import OPPOSITE, is_denied, predicate_of
from truerate.llm.replies.choice_words import NAMES, Sentence
from truerate.llm.replies.phrases import Words, has, holds, longest, phrases

Asks = Literal["hallucinated", "best"] | None
_MOST = 12  # names in a sentence that is read


class Said(NamedTuple):
    """What a sentence says of a text (0 or 1): `pick`, `alone`, `fault`, `sound` or `better`."""

    place: int
    kind: str
    is_denied: bool = False


def picks_of(one: Sentence, asks: Asks, *, is_only: bool) -> list[Said]:
    """The texts that a sentence picks as such, or labels with a word of a pole."""
    if one.end == "?" or sum(map(one.words.count, NAMES)) > _MOST:
        return []
    kinds = [
        (word, kind_of(one.words[:at], one.words[at + 1 :], asks, is_only=is_only))
        for at, word in enumerate(one.words)
        if word in NAMES
    ]
    return [Said(NAMES.index(word), kind) for word, kind in kinds if kind]


def kind_of(before: Words, behind: Words, asks: Asks, *, is_only: bool) -> str | None:
    """How a name is picked: `alone`, with its reason, by a label or a verb (`pick`), or labelled with another pole."""
    if len(behind) > 3 and has(behind[:1], "signs") and behind[1].isdigit() and behind[2] == "/":
        return None  # a score
    is_end = _is_end(behind)
    if is_end and all(has((word,), "before_alone", "signs") or word.isdigit() for word in before):
        return "alone" if _is_alone(behind, asks, is_only=is_only) else None
    is_mine = holds(tuple(word for word in behind[:4] if not has((word,), "copulas"))[:2], "mine")
    if is_mine and behind[:1] != ("not",):
        return "pick" if _is_beginning(before) else None
    clause = _clause(before)
    if not is_end or not _may_precede(before[: len(before) - len(clause)]):
        return None
    if clause in phrases("so_alone"):
        return "pick"
    if (label := _label(clause)) is not None:
        is_asked = {"fault": "hallucinated", "better": "best"}.get(label, asks) == asks
        return "pick" if is_asked or asks is None else label
    return "pick" if _is_chosen(clause) and not _is_contrary(behind, asks) else None


def _is_alone(behind: Words, asks: Asks, *, is_only: bool) -> bool:
    """Whether a name with nothing before it is an answer, whatever the words behind it are."""
    if not has(behind[:1], "dashes") or len(behind) < 2:
        return not _is_contrary(behind, asks)
    is_list = behind[0] == ":" and (not is_only or has_name(behind))
    if is_list or asks == "hallucinated" and is_only and not has(behind, "sound_words"):
        return not is_list
    return predicate_of(behind) in (None, "fault" if asks == "hallucinated" else None)


def has_name(words: Sequence[str]) -> bool:
    """Whether words name a text."""
    return any(word in NAMES for word in words)


def _is_contrary(reason: Words, asks: Asks) -> bool:
    """Whether the reason behind a pick, which names no other text, says the other pole of it."""
    if has_name(reason) or asks is None or is_denied(reason) or has(reason, "leaving_out"):
        return False
    is_fault = has(reason, "fault_words")
    return has(reason, "sound_words") and not is_fault if asks == "hallucinated" else is_fault


def _clause(words: Words) -> Words:
    """The last clause of words: behind the last comma, `so`, `but` or the like."""
    ends = (at for at in range(len(words) - 2, -1, -1) if has(words[at : at + 1], "clause_joints"))
    return words[next(ends, -1) + 1 :]


def _may_precede(words: Words) -> bool:
    """Whether clauses before a pick leave it one."""
    return not has(words, "conditions", "others")


def _is_end(behind: Words) -> bool:
    """Whether a name ends its clause: what follows is nothing, a sign or the beginning of a reason."""
    while has(behind[:1], "behind_name") and behind[:2] != ("instead", "of"):
        behind = behind[1:]
    if not behind or behind in phrases("ends") or behind[:2] == ("and", "not"):
        return True
    if behind[0] in (",", "，"):
        return has(behind[1:2], "comma_reasons") or behind[1:2] == ("not",) and has_name(behind[2:3])
    return has(behind[:1], "behind_pick", "ends_clause") or behind[0] == "to" and has_name(behind[1:2])


def _label(before: Words) -> str | None:
    """What a label right before a name says: `pick`, or the pole that it names; None where there is none, or words before
    it that are none of a beginning.
    """
    if any(longest(before, len(before) - n, "it_is") == n for n in (1, 2) if n <= len(before)):
        return "pick" if _is_beginning(before) else None
    end = len(before)
    while end and has(before[end - 1 : end], "separators", "label_signs"):
        end -= 1
    start = end
    while start and has(before[start - 1 : start], "label_words", "hash"):
        start -= 1
    label, between = before[start:end], before[end:]
    is_set_off = "#" in label or before[:1] == ("#",) or has(set(between) - {"in", "to"}, "separators")
    if not has(label, "label_heads") or not is_set_off or not _is_beginning(before[:start]):
        return None
    is_poled = has(label, "fault_labels", "best_labels")
    is_past = "was" in between and "your" in label
    if (
        is_past
        or has(between, "within")
        and not has(label, "contents")
        or has(label, "label_details")
        and not is_poled
    ):
        return None
    return "fault" if has(label, "fault_labels") else "better" if is_poled else "pick"


def _is_beginning(words: Words) -> bool:
    """Whether words may stand before a pick: those of a beginning alone."""
    is_plain = all(has((word,), "openers", "signs") or word.isdigit() for word in words)
    return is_plain and not has(words, "hedges")


def _is_chosen(before: Words) -> bool:
    """Whether `I choose` or the like stands right before a name."""
    words = tuple(word for word in before if word not in ("the", ":"))
    for at in range(max(0, len(words) - 3), len(words)):
        if at + longest(words, at, "own_picks") == len(words) and _is_beginning(words[:at]):
            return True
        if at + longest(words, at, "pick_verbs") == len(words):
            start = at
            while has(words[max(0, start - 1) : start], "pick_subjects"):
                start -= 1
            is_own = has(words[start:at], "speaker") or words[at - 1 : at] == ("and",)
            return is_own and _is_beginning(words[:start])
    return False


def told_of(one: Sentence, prior: Sequence[Said]) -> tuple[list[Said], bool]:
    """What a sentence says of each text right behind its name, and whether it says something of one that may mean anything."""
    words = one.words
    places = [at for at, word in enumerate(words) if word in NAMES]
    if len(places) > _MOST:
        return [], True
    if compared := _compared(words, places):
        return compared, False
    found: list[Said] = []
    is_open = False
    for at, end in zip(places, [*places[1:], len(words)], strict=False):
        place, behind = NAMES.index(words[at]), words[at + 1 : end]
        if words[at - 1 : at] == ("than",) and not set(behind) & set(".,"):
            continue
        said = predicate_of(behind)
        if said in ("not", "does"):
            before = [more for more in (found or prior) if more.place != place]
            is_other = len(before) == 1 and (said == "does") == before[0].is_denied
            said = OPPOSITE.get(before[0].kind) if is_other else None
        if not said:
            continue
        is_pair = at > 1 and has(words[at - 1 : at], "pairing") and words[at - 2] in NAMES
        if said == "open" or is_pair or _is_cut(words, at, end) or not _is_subject(words[:at]):
            is_open = True
        else:
            said = "better" if said == "sound" and words[at - 1 : at] == ("only",) else said
            found.append(Said(place, said, is_denied(behind)))
    return found, is_open


def _is_cut(words: Words, at: int, end: int) -> bool:
    """Whether what stands between two names goes on behind the second one: `according to`, `beats Y in length`."""
    is_verb = end == at + 2 and has(words[end + 1 : end + 2], "of_part")
    return has(words[end - 1 : end], "leading_on") and end < len(words) or is_verb


def _compared(words: Words, places: Sequence[int]) -> list[Said]:
    """What a sentence says that compares two texts as a whole (`X is less accurate than Y`); nothing of another one."""
    if len(places) != 2 or words[places[0]] == words[places[1]] or not _is_subject(words[: places[0]]):
        return []
    between, behind = words[places[0] + 1 : places[1]], words[places[1] + 1 :]
    behind = behind[1:] if behind[:1] in phrases("says_does") else behind
    if (
        "than" in words[: places[0]]
        or "makes" in behind
        or behind
        and not has(behind[:1], "behind_compared", "signs")
    ):
        return []
    first = NAMES.index(words[places[0]])
    other = [Said(1 - first, "better")]
    aspects = has(between, "sound_words") or has(set(between) - {"likely"}, "qualities")
    for name, place in (("loses_to", 1 - first), ("wins_over", first)):
        if between in phrases(name):
            return [Said(place, "better")]
    if between[-1:] == ("as",) and has(between[:-1], "as_words"):
        return other if between[:2] in phrases("says_not") and aspects and not is_denied(between[2:]) else []
    degrees = [word for word in between if has((word,), "comparatives")]
    is_known = all(has((word,), *_OF_COMPARISONS) for word in between)
    if between[-1:] != ("than",) or len(degrees) != 1 or not is_known or is_denied(between):
        return []
    is_fault, is_less = has(between, "fault_words"), degrees[0] in ("less", "fewer")
    aspects = aspects or "likely" in between and not is_fault
    if degrees[0] in ("more", "less", "fewer") and is_fault == aspects:
        return []
    if is_less != is_fault:
        return [*other, Said(first, "fault")] if is_fault else other
    return [Said(first, "better")]


_OF_COMPARISONS = (
    *(
        "predicate_verbs",
        "predicate_fillers",
        "objects",
        "qualities",
        "sound_words",
        "fault_words",
        "fitting",
    ),
    *("comparatives", "of_comparisons"),
)


def is_shared(words: Words) -> bool:
    """Whether what is said of one text is said of the other, too (`so is Answer 2`), or texts are only set side by side."""
    if has(words[-1:], "also") or words[-2:] == ("as", "well") or has(words, "side_by_side"):
        return True
    if words[:1] == ("both",) and has(words, "fault_words") and "but" not in words:
        return True
    pairs = list(zip(words, words[1:], (*words[2:], ""), strict=False))
    is_inverted = (
        words[-2:-1] == ("is",) and has_name(words[-1:]) and any(pair[:2] == ("and", "so") for pair in pairs)
    )
    return is_inverted or any(
        a in ("too", "likewise")
        and has((b,), "signs")
        or has((a,), "likening")
        and has((b,), "likened")
        and c in NAMES
        for a, b, c in pairs
    )


def _is_subject(before: Words) -> bool:
    """Whether words before a name leave it the subject of what follows."""
    at = next((at for at in range(len(before) - 1, -1, -1) if has(before[at : at + 1], "subject_joints")), -1)
    clause = before[at + 1 :]
    is_plain = all(has((word,), "openers", "signs") or word.isdigit() for word in clause)
    return is_plain and not has(clause, "hedges") and _may_precede(before)
