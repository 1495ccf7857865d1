"""Choices: which of two named texts a reply picks (`Answer 1`, `Answer 2`).

A reply is read as sentences of words in which each name of a text is one sign. It picks a text where a sentence is the
name alone, a label and the name (`Best Answer: Answer 2`), `I choose` and the name, or the name and its reason; else
where its sentences say what was asked for of one text alone, right at its name (`Answer 1 is hallucinated`). All that
a reply says has to agree: two picks, words that take one back, doubt, a condition or a question beside it, and words of
the other pole leave it without a value. Line breaks count only behind what is an answer by itself.
"""

from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import choice_values, headings, structured
from truerate.llm.replies.choice_clauses import Asks, Said, is_shared, kind_of, picks_of, told_of
from truerate.llm.replies.choice_predicates import predicate_of
from truerate.llm.replies.choice_words import NAMES, Sentence, sentences, words_in
from truerate.llm.replies.cutting import unfenced, unwrapped
from truerate.llm.replies.phrases import Words, longest, single
from truerate.llm.replies.reading import Parsed, joined, nothing

_BOX = lazy(r"\[[xX✓✔ ]?\]|[☐☑☒□]")
_MOST_HEADING = 60
_MARKS = frozenset("❌✗✘✖✅✔✓⭐★")


def choice(text: str, names: Sequence[str], cue: str | None = None, *, asks: Asks = None) -> Parsed:
    """The one of two `names` (a noun and 1 or 2) that a reply picks, or None with its reason.

    `asks` is what the prompt asked for, so that words of the other pole are seen: which one is
    `hallucinated`, or which one is `best`.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    answer, more = _before_example(answer, names)
    cuts = joined(cuts, more)
    is_formed = "{" in answer or "<" in answer or answer.startswith('["')
    if is_formed and (named := structured.top(answer) or structured.pairs(answer)) is not None:
        formed = _of_pairs(named, structured.outside(answer), asks)
        value, why = (None, "absent") if formed is None else (names[formed], None)
        return Parsed(value, why, joined(cuts, ("json",)))
    plain = structured.unboxed(unfenced(_behind_cue(answer, cue)).text)
    if plain == (ticked := structured.ticked(plain)) and _BOX.search(plain):
        return Parsed(None, "ambiguous", cuts)
    plain = choice_values.without_rows(ticked)
    plain = plain.strip("<>{}【】「」 \n") if len(plain) < 20 else plain
    if not plain.strip() and (told := choice_values.of_table(ticked, asks)) is not None:
        return Parsed(names[told], None, joined(cuts, ("table",)))
    if (told := choice_values.of_words(words_in(" ".join(plain.split())), asks)) is not None:
        return Parsed(names[told], None, cuts)
    place = _of_sentences(sentences(plain), asks)
    if isinstance(place, str):
        return Parsed(None, place, cuts)
    return Parsed(names[place], None, cuts)


def _behind_cue(answer: str, cue: str | None) -> str:
    """A reply without the heading of the prompt at its beginning, where more stands behind it."""
    for _ in range(2 if cue else 0):
        found = headings.find(answer[:_MOST_HEADING], cue or "", is_anywhere=False)
        if found and not answer[: found[0].start].strip() and answer[found[0].end :].strip():
            answer = answer[found[0].end :].strip()
    return answer


def _before_example(answer: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A reply up to a next example, of which the names themselves head material where hashes stand around them."""
    nouns = {name.split()[0] for name in names}
    given = tuple(name for name in headings.GIVEN if name not in names and name not in nouns)
    before, cuts = headings.before_next(answer, given)
    is_aside = answer[len(before) :].lstrip().startswith("(")  # `(document: 2)`
    return (answer, ()) if is_aside else (before, cuts)


def _of_pairs(named: Sequence[tuple[str, object]], beside: str, asks: Asks) -> int | None:
    """The text that JSON or tags name under a key that is no reason, none where two are named or words stand beside it."""
    heads = [(_words(key), str(value)) for key, value in named if not set(key.split()) & single("other_keys")]
    if len(heads) == 2 and all(sum(map(head.count, NAMES)) == 1 for head, _ in heads) and not beside:
        return choice_values.of_pairs(heads, asks)
    places = set()
    for key, value in named:
        words = () if set(key.split()) & single("other_keys") else _words(str(value))
        if len(words) == 1 and words[0] in ("1", "2", *NAMES):
            places.add(int(words[0][-1]) - 1)
        elif any(word in NAMES for word in words) or any(word in NAMES for word in _words(key)):
            return None
    said = _of_sentences(sentences(beside), asks)
    is_agreed = isinstance(said, str) or {said} == places
    return places.pop() if len(places) == 1 and is_agreed else None


def _words(text: str) -> Words:
    return tuple(word for one in sentences(text) for word in one.words if word not in single("signs"))


# ---- sentences -----------------------------------------------------------------------------------------------


def _of_sentences(said: Sequence[Sentence], asks: Asks) -> int | str:
    """The place of the text that sentences pick, else why there is none."""
    only = [word for one in said for word in one.words if word not in single("signs")]
    if len(only) == 1 and only[0] in ("1", "2"):
        return int(only[0]) - 1
    is_named = any(word in NAMES for word in only)
    said = [_numbered(one, is_first=not at and not is_named) for at, one in enumerate(said)]
    words = [word for one in said for word in one.words]
    if not any(word in NAMES for word in words):
        return "absent"
    said = _without_offer(said)
    n_named = sum(map(words.count, NAMES))
    is_marked = n_named > 1 and bool(_MARKS & set(words))
    picks: list[tuple[int, int, bool]] = []
    told: list[tuple[int, Said]] = []
    is_open = False
    prior: list[Said] = []
    for at, one in enumerate(said):
        for found in picks_of(one, asks, is_only=n_named == 1):
            picks += [(at, found.place, found.kind == "alone")] if found.kind in ("pick", "alone") else []
            is_open |= found.kind in ("fault", "better")
        prior, is_unclear = told_of(one, prior)
        is_open |= is_unclear
        told += [] if is_unclear else [(at, one) for one in prior]
        sure = {said.place for said in prior if said.kind == _SURE.get(asks) and _is_sure(one.words, asks)}
        is_last = (
            is_unclear and len(sure) == 1 and NAMES[min(sure)] != [w for w in one.words if w in NAMES][-1]
        )
        picks += [(at, place, False) for place in sure if len(sure) == 1 and not is_last]
    if any(is_shared(one.words) for one in said[picks[0][0] if picks and not picks[0][2] else 0 :]):
        return "ambiguous"
    if is_marked or len({place for _, place, is_alone in picks if is_alone}) > 1:
        others = [pick for pick in picks if not pick[2]]
        is_open |= len(others) < len(picks)
        picks = others
    if picks:
        start = _last_anew(picks, said)
        first, place, is_alone = picks[start]
        is_last = start > 0
        picks = [pick for pick in picks if pick[0] >= first]
        for one in said[first + 1 :]:
            end = next((place for place, word in enumerate(one.words) if word in NAMES), len(one.words))
            if one.words[0] == "it" and (kind := predicate_of(one.words[1:end])) in (
                "fault",
                "sound",
                "better",
            ):
                told.append((first, Said(place, kind)))
        is_same = all(other == place for _, other, _ in picks)
        is_turned = _is_turned(said, first, is_alone=is_alone, is_last=is_last)
        return (
            place
            if is_same
            and not is_turned
            and _agrees(place, [one for at, one in told if at >= first or not is_last], asks)
            else "ambiguous"
        )
    return "ambiguous" if is_open or asks is None else _of_told([one for _, one in told], said, asks)


def _without_offer(said: Sequence[Sentence]) -> list[Sentence]:
    """Sentences up to one that offers more (`Would you like me to …?`), where another stands before it."""
    end = next((at for at, one in enumerate(said) if at and longest(one.words, 0, "offers")), len(said))
    return list(said[:end])


def _last_anew(picks: Sequence[tuple[int, int, bool]], said: Sequence[Sentence]) -> int:
    """The first pick that counts: of several, one in the last sentence behind words that take those before it back."""
    last = picks[-1]
    if len({place for _, place, _ in picks}) < 2 or last[2]:
        return 0
    is_anew = any(
        longest(one.words, at, "withdrawn")
        for one in said[picks[0][0] : last[0] + 1]
        for at in range(len(one.words))
    )
    is_last = not any(word in NAMES for one in said[last[0] + 1 :] for word in one.words)
    return len(picks) - 1 if is_anew and is_last else 0


def _is_sure(words: Words, asks: Asks) -> bool:
    """Whether a sentence has the word of the question itself (hallucinated, better, best), or is a conclusion."""
    at = next((at for at in range(len(words) - 1, 0, -1) if words[at] in NAMES), 0)
    if (
        words[0] in single("concluding")
        or words[:2] == ("in", "conclusion")
        or words[at - 1] in single("concluding")
    ):
        return True
    if asks == "best":
        return bool(set(words) & {"better", "best"})
    return bool(set(words) & {"hallucinated", "hallucination", "hallucinations", "hallucinates"})


_SURE: dict[Asks, str] = {"hallucinated": "fault", "best": "better"}


_CONTRASTS_OF_TWO = (("then", "again"), ("at", "least"), ("that", "would"))


def _is_turned(said: Sequence[Sentence], first: int, *, is_alone: bool, is_last: bool = False) -> bool:
    """Whether something in a reply may take its pick back: words behind it, or a doubt before it."""
    behind = (
        said[first:]
        if not is_last
        else [said[first]._replace(words=said[first].words[-1:]), *said[first + 1 :]]
    )
    for at, one in enumerate(behind):
        if any(longest(one.words, place, "withdrawn") for place in range(len(one.words))) or (
            one.end == "?" and one.words != ("why",)
        ):
            return True
        named = [place for place, word in enumerate(one.words) if word in NAMES]
        is_near = named or len(one.words) < 7
        start = named[0] if named and not at else 0
        if is_near and set(one.words[start:]) & single("doubts") - ({"would"} if not at else set()):
            return True
        pairs = zip(one.words, one.words[1:], strict=False)
        if at and (
            one.words[0] in single("contrasts")
            or one.words[-1] == "though"
            or one.words[:2] in _CONTRASTS_OF_TWO
        ):
            return True
        if one.words[:1] == ("no",) or any(a in (",", "-", "–", "—", "…") and b == "no" for a, b in pairs):
            return True
    before = {word for one in said[:first] for word in one.words}
    return bool(
        before & {"undecided", "unsure", "tie", "equally", "unclear"}
        or any(longest(one.words, at, "cannot_pick") for one in said[:first] for at in range(len(one.words)))
        or is_alone
        and "both" in before
        and not before & {"read", "checked", "compared", "looked"}
    )


def _numbered(one: Sentence, *, is_first: bool) -> Sentence:
    """A sentence that is a label or a verb and a number (`Best Answer: 2`) with the name that it means."""
    words = one.words
    at = next((at for at in range(min(len(words), 12)) if words[at] in ("1", "2")), -1)
    if at < (0 if is_first and words[1:] else 1) or words[at + 1 : at + 2] not in (
        (),
        ("(",),
        (",",),
        ("-",),
        ("–",),
        ("—",),
        ("because",),
    ):
        return one
    named = (*words[:at], f"@{words[at]}", *words[at + 1 :])
    return (
        one._replace(words=named)
        if kind_of(words[:at], words[at + 1 :], None, is_only=True) in ("pick", "alone")
        else one
    )


def _agrees(place: int, told: Sequence[Said], asks: Asks) -> bool:
    """Whether what is said of the texts does not speak against a pick."""
    of_it = {one.kind for one in told if one.place == place}
    of_other = {one.kind for one in told if one.place != place}
    if asks == "hallucinated":
        return "sound" not in of_it and "fault" not in of_other
    return "fault" not in of_it and "better" not in of_other


def _is_last(told: Sequence[Said], said: Sequence[Sentence], place: int) -> bool:
    """Whether all that is told of the texts is told of one in the last sentence, behind another that names both."""
    return (
        len(told) == 1
        and NAMES[place] in said[-1].words
        and NAMES[1 - place] not in said[-1].words
        and all(any(name in one.words for one in said[:-1]) for name in NAMES)
    )


def _of_told(told: Sequence[Said], said: Sequence[Sentence], asks: Asks) -> int | str:
    """The text of which alone sentences say what was asked for, where nothing in the reply speaks against it."""
    words = [word for one in said for word in one.words]
    doubts = single("doubts") | single("told_doubts")
    if any(word in doubts for word in words) or _is_turned(said, 0, is_alone=False):
        return "ambiguous"
    kinds = [{one.kind for one in told if one.place == place} for place in (0, 1)]
    if any(len(kind & {"fault", "sound"}) == 2 for kind in kinds):
        return "ambiguous"
    poles = (
        single("fault_words")
        | single("sound_words")
        | single("better_words")
        | single("qualities")
        | single("denying")
    )
    is_both = any("both" in one.words and "but" not in one.words and set(one.words) & poles for one in said)
    is_opposite = kinds in ([{"fault"}, {"sound"}], [{"sound"}, {"fault"}])
    if is_both and not is_opposite or (asks == "hallucinated" and set(words) & _MARKS):
        return "ambiguous"
    if asks == "hallucinated":
        places = [place for place in (0, 1) if kinds[place] == {"fault"}]
    else:
        places = [place for place in (0, 1) if "better" in kinds[place] and "fault" not in kinds[place]]
        places = places or [
            place
            for place in (0, 1)
            if kinds[place] == {"sound"}
            and (kinds[1 - place] == {"fault"} or len(said) == 1 or _is_last(told, said, place))
        ]
    if len(places) != 1:
        return "ambiguous" if any(kinds) else "absent"
    return places[0]
