"""Choices: which of two named texts a reply picks (`Answer 1`, `Answer 2`).

A reply is read as sentences of words in which each name of a text is one sign. It picks a text where a sentence is the
name alone, a label and the name (`Best Answer: Answer 2`), `I choose` and the name, or the name and its reason; else
where its sentences say what was asked for of one text alone, right at its name (`Answer 1 is hallucinated`), or give each
text a value. All that a reply says has to agree: two picks, words that take one back, doubt, a condition or a question
beside it, and words of the other pole leave it without a value. Line breaks count only behind what is an answer by itself.
"""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies import choice_values, headings, structured
from truerate.llm.replies.choice_clauses import Asks, Said, has_name, is_shared, kind_of, picks_of, told_of
from truerate.llm.replies.choice_predicates import POLES, predicate_of
from truerate.llm.replies.choice_words import NAMES, Sentence, sentences, words_in
from truerate.llm.replies.cutting import unfenced, unwrapped
from truerate.llm.replies.phrases import Words, has, holds, longest, phrases
from truerate.llm.replies.reading import Parsed, joined, nothing

_BOX = lazy(r"\[[xX✓✔ ]?\]|[☐☑☒□]")
_MOST_HEADING, _MOST_PAIRS = 60, 40
_SHORT, _MOST_VALUES = 20, 2000  # characters
_MARKS = frozenset("❌✗✘✖✅✔✓⭐★")
_SURE: dict[Asks, str] = {"hallucinated": "fault", "best": "better"}


class Pick(NamedTuple):
    """A text (0 or 1) that the sentence `at` picks; alone, or by other words."""

    at: int
    place: int
    is_alone: bool


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
        place: int | str | None = _of_pairs(named, structured.outside(answer), asks)
        cuts = joined(cuts, ("json",))
        place = "absent" if place is None else place
    else:
        place, more = _of_text(_behind_cue(answer, cue), asks)
        cuts = joined(cuts, more)
    return Parsed(None, place, cuts) if isinstance(place, str) else Parsed(names[place], None, cuts)


def _of_text(answer: str, asks: Asks) -> tuple[int | str, tuple[str, ...]]:
    """The place of the text that a reply without JSON picks, else why there is none, and what was cut off."""
    plain = structured.unboxed(unfenced(answer).text)
    if plain == (ticked := structured.ticked(plain)) and _BOX.search(plain):
        return "ambiguous", ()
    plain = choice_values.without_rows(ticked)
    plain = plain.strip("<>{}【】「」 \n") if len(plain) < _SHORT else plain
    if not plain.strip() and (place := choice_values.of_table(ticked, asks)) is not None:
        return place, ("table",)
    is_short = len(plain) < _MOST_VALUES
    place = choice_values.of_words(words_in(" ".join(plain.split())), asks) if is_short else None
    return (_of_sentences(sentences(plain), asks) if place is None else place), ()


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
    if len(named) > _MOST_PAIRS:
        return None
    places = set()
    for key, value in named:
        words = () if has(key.split(), "other_keys") else _words(str(value))
        if len(words) == 1 and words[0] in ("1", "2", *NAMES):
            places.add(int(words[0][-1]) - 1)
        elif has_name(words) or has_name(_words(key)):
            return None
    said = _of_sentences(sentences(beside), asks)
    is_agreed = isinstance(said, str) or {said} == places
    return places.pop() if len(places) == 1 and is_agreed else None


def _words(text: str) -> Words:
    return tuple(word for sentence in sentences(text) for word in sentence.words if not has((word,), "signs"))


# ---- sentences -----------------------------------------------------------------------------------------------


def _of_sentences(said: Sequence[Sentence], asks: Asks) -> int | str:
    """The place of the text that sentences pick, else why there is none."""
    only = [word for one in said for word in one.words if not has((word,), "signs")]
    if len(only) == 1 and only[0] in ("1", "2"):
        return int(only[0]) - 1
    said = [_numbered(one, is_first=not at and not has_name(only)) for at, one in enumerate(said)]
    said = said[
        : next((at for at, one in enumerate(said) if at and longest(one.words, 0, "offers")), len(said))
    ]
    words = [word for one in said for word in one.words]
    if not has_name(words):
        return "absent"
    picks, told, is_open = _evidence(said, asks, is_only=sum(map(words.count, NAMES)) == 1)
    if any(is_shared(one.words) for one in said[picks[0].at if picks and not picks[0].is_alone else 0 :]):
        return "ambiguous"
    is_listed = len({pick.place for pick in picks if pick.is_alone}) > 1
    if is_listed or _MARKS & set(words) and sum(map(words.count, NAMES)) > 1:
        is_open |= any(pick.is_alone for pick in picks)
        picks = [pick for pick in picks if not pick.is_alone]
    if picks:
        return _of_picks(picks, told, said, asks)
    return "ambiguous" if is_open or asks is None else _of_told([one for _, one in told], said, asks)


def _evidence(
    said: Sequence[Sentence], asks: Asks, *, is_only: bool
) -> tuple[list[Pick], list[tuple[int, Said]], bool]:
    """The picks of sentences, what they say of the texts, and whether they say something that may mean anything."""
    picks: list[Pick] = []
    told: list[tuple[int, Said]] = []
    is_open = False
    prior: list[Said] = []
    for at, one in enumerate(said):
        for found in picks_of(one, asks, is_only=is_only):
            picks += [Pick(at, found.place, found.kind == "alone")] if found.kind in ("pick", "alone") else []
            is_open |= found.kind in ("fault", "better")
        prior, is_unclear = told_of(one, prior)
        is_open |= is_unclear
        told += [] if is_unclear else [(at, more) for more in prior]
        sure = {more.place for more in prior if more.kind == _SURE.get(asks) and _is_sure(one.words, asks)}
        last = next((word for word in reversed(one.words) if word in NAMES), "")
        if len(sure) == 1 and not (is_unclear and NAMES[min(sure)] != last):
            picks.append(Pick(at, min(sure), is_alone=False))
    return picks, told, is_open


def _is_sure(words: Words, asks: Asks) -> bool:
    """Whether a sentence has the word of the question itself (hallucinated, better, best), or is a conclusion."""
    last = next((at for at in range(len(words) - 1, 0, -1) if words[at] in NAMES), 0)
    is_end = has((words[0], words[last - 1]), "concluding") or words[:2] == ("in", "conclusion")
    return is_end or has(words, "asked_best" if asks == "best" else "asked_fault")


def _of_picks(
    picks: Sequence[Pick], told: Sequence[tuple[int, Said]], said: Sequence[Sentence], asks: Asks
) -> int | str:
    """The text that picks name, where they agree with one another and with all that is said behind them."""
    is_anew = _is_anew(picks, said)
    pick = picks[-1] if is_anew else picks[0]
    more = [one for at, one in told if at >= pick.at or not is_anew]
    for one in said[pick.at + 1 :]:
        end = next((at for at, word in enumerate(one.words) if word in NAMES), len(one.words))
        kind = predicate_of(one.words[1:end]) if one.words[0] == "it" else None
        more += [Said(pick.place, kind)] if kind in ("fault", "sound", "better") else []
    of_it = {one.kind for one in more if one.place == pick.place}
    of_other = {one.kind for one in more if one.place != pick.place}
    if asks == "hallucinated":
        is_agreed = "sound" not in of_it and "fault" not in of_other
    else:
        is_agreed = "fault" not in of_it and "better" not in of_other
    is_same = all(one.place == pick.place for one in picks if one.at >= pick.at)
    is_turned = _is_turned(said, pick.at, is_alone=pick.is_alone, is_anew=is_anew)
    return pick.place if is_same and is_agreed and not is_turned else "ambiguous"


def _is_anew(picks: Sequence[Pick], said: Sequence[Sentence]) -> bool:
    """Whether the last of picks that differ stands behind words that take those before it back, and behind it no name."""
    first, last = picks[0].at, picks[-1]
    is_one = len({pick.place for pick in picks}) < 2 or last.is_alone
    is_back = any(holds(one.words, "withdrawn") for one in said[first : last.at + 1])
    return not is_one and is_back and not any(has_name(one.words) for one in said[last.at + 1 :])


def _is_turned(said: Sequence[Sentence], first: int, *, is_alone: bool, is_anew: bool = False) -> bool:
    """Whether something in a reply may take its pick back: words behind it, or a doubt before it."""
    for at, one in enumerate(said[first:]):
        words = one.words[-1:] if is_anew and not at else one.words
        named = next((place for place, word in enumerate(words) if word in NAMES), None)
        start = named if named is not None and not at else 0
        is_near = named is not None or len(words) < 7
        is_doubt = is_near and has(set(words[start:]) - ({"would"} if not at else set()), "doubts")
        is_contrast = (
            has(words[:1], "contrasts") or words[-1] == "though" or words[:2] in phrases("contrasts_of_two")
        )
        is_no = any(b == "no" and has((a,), "before_no") for a, b in zip((".", *words), words, strict=False))
        is_no |= at > 0 and words == ("not",)
        is_asked = one.end == "?" and words != ("why",)
        if is_doubt or is_no or is_asked or at and is_contrast or holds(words, "withdrawn"):
            return True
    before = [one.words for one in said[:first]]
    is_both = is_alone and any("both" in words for words in before)
    return any(has(words, "undecided") or holds(words, "cannot_pick") for words in before) or (
        is_both and not any(has(words, "looking") for words in before)
    )


def _numbered(one: Sentence, *, is_first: bool) -> Sentence:
    """A sentence that is a label or a verb and a number (`Best Answer: 2`) with the name that it means."""
    words = one.words
    at = next((at for at, word in enumerate(words[:12]) if word in ("1", "2")), -1)
    if (
        at < (0 if is_first and words[1:] else 1)
        or words[at + 1 :]
        and not has(words[at + 1 : at + 2], "behind_number")
    ):
        return one
    is_pick = kind_of(words[:at], words[at + 1 :], None, is_only=True) in ("pick", "alone")
    return one._replace(words=(*words[:at], f"@{words[at]}", *words[at + 1 :])) if is_pick else one


def _of_told(told: Sequence[Said], said: Sequence[Sentence], asks: Asks) -> int | str:
    """The text of which alone sentences say what was asked for, where nothing in the reply speaks against it."""
    words = [word for one in said for word in one.words]
    kinds = [{one.kind for one in told if one.place == place} for place in (0, 1)]
    is_both = any(
        "both" in one.words and "but" not in one.words and has(one.words, *POLES, "qualities", "denying")
        for one in said
    )
    is_opposite = kinds in ([{"fault"}, {"sound"}], [{"sound"}, {"fault"}])
    is_marked = asks == "hallucinated" and _MARKS & set(words)
    is_mixed = any(kind >= {"fault", "sound"} for kind in kinds) or is_both and not is_opposite
    if is_mixed or is_marked or has(words, "doubts", "told_doubts") or _is_turned(said, 0, is_alone=False):
        return "ambiguous"
    if asks == "hallucinated":
        places = [place for place in (0, 1) if kinds[place] == {"fault"}]
    else:
        places = [place for place in (0, 1) if "better" in kinds[place] and "fault" not in kinds[place]]
        sound = [place for place in (0, 1) if kinds[place] == {"sound"}]
        is_one = is_opposite or len(said) == 1 or len(told) == 1 and _is_last(said, told[0].place)
        places = places or (sound if is_one else [])
    return places[0] if len(places) == 1 else "ambiguous" if any(kinds) else "absent"


def _is_last(said: Sequence[Sentence], place: int) -> bool:
    """Whether the last sentence names this text alone, and those before it name both."""
    named = {word for word in said[-1].words if word in NAMES}
    return named == {NAMES[place]} and all(any(name in one.words for one in said[:-1]) for name in NAMES)
