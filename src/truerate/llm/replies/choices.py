"""Choices: which of two named texts a reply picks (`Answer 1`, `Answer 2`).

A reply is read as sentences of words in which each name of a text is one sign (`names`); all that they pick
and state (`choice_clauses`) has to agree. What is open, doubts, asks, or takes something back from the pick
on leaves the reply without one.
"""

from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, structured
from truerate.llm.replies.choice_clauses import (
    TELLING,
    Asks,
    Vote,
    before_reason,
    holds_of_both,
    named_in,
    numbered,
    votes_in,
)
from truerate.llm.replies.cutting import MAX_CLOSED, quotes, unfenced, unwrapped
from truerate.llm.replies.names import NAMES, spelled
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.words import Sentence, Word, has, is_too_long, sentences, words

_BOX = lazy(r"\[[xX✓✔ ]?\]|[☐☑☒□]")
_BLANKS = lazy(r"[^\S\n]+")
_MOST_HEADING, _MOST_PAIRS, _SHORT = 60, 40, 20
_TICK_WORDS = str.maketrans(dict.fromkeys("✅✓✔", " correct ") | dict.fromkeys("❌✗✘", " wrong "))
_OTHER_KEYS = frozenset(
    "worst worse other rejected reject explanation reason rationale thought confidence score rank index id why "
    "analysis comparison notes reasoning thinking comment scores".split()
)


def choice(text: str, names: Sequence[str], cue: str | None = None, *, asks: Asks) -> Parsed:
    """The one of two `names` (a noun and 1 or 2) that a reply picks, or None with its reason.

    `asks` is what the prompt asked for: which one is `hallucinated`, or which one is `best`.
    """
    answer, cuts = unwrapped(text, MAX_CLOSED)
    if not answer:
        return nothing(cuts)
    answer, more = _before_example(_BLANKS.sub(" ", answer), names)
    cuts = joined(cuts, more)
    is_formed = "{" in answer or "<" in answer or answer.startswith('["')
    if is_formed and (named := structured.top(answer) or structured.pairs(answer)) is not None:
        position: int | str = _of_pairs(named, structured.outside(answer), asks)
        cuts = joined(cuts, ("json",))
    else:
        position = _of_text(_behind_cue(answer, cue), asks)
    return Parsed(None, position, cuts) if isinstance(position, str) else Parsed(names[position], None, cuts)


def _before_example(answer: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A reply up to a next example, of which the names themselves head material where hashes stand around
    them.
    """
    nouns = {name.split()[0] for name in names}
    given = tuple(name for name in headings.GIVEN if name not in names and name not in nouns)
    before, cuts = headings.before_next(answer, given)
    is_aside = answer[len(before) :].lstrip().startswith("(")  # `(document: 2)`
    return (answer, ()) if is_aside else (before, cuts)


def _behind_cue(answer: str, cue: str | None) -> str:
    """A reply without the heading of the prompt at its beginning, where more stands behind it."""
    for _ in range(2 if cue else 0):
        result = headings.find(answer[:_MOST_HEADING], cue or "", is_anywhere=False)
        if result and not answer[: result[0].start].strip() and answer[result[0].end :].strip():
            answer = answer[result[0].end :].strip()
    return answer


def _of_pairs(named: Sequence[tuple[str, object]], beside: str, asks: Asks) -> int | str:
    """The text that JSON or tags name under a key that is no reason; else why there is none."""
    asked = "fault" if asks == "hallucinated" else "better"
    asked_for = [pair for pair in named if has(_content(pair[0]), asked)]
    places = set()
    for key, value in (asked_for or named)[:_MOST_PAIRS]:
        some = () if _OTHER_KEYS & set(key.split()) else _content(str(value))
        if len(some) == 1 and some[0].text in ("1", "2", *NAMES):
            places.add(int(some[0].text[-1]) - 1)
    other = _of_text(beside, asks)
    is_agreed = isinstance(other, str) or {other} == places
    return places.pop() if len(places) == 1 and is_agreed and len(named) <= _MOST_PAIRS else "absent"


def _content(text: str) -> list[Word]:
    """The words of a text without signs."""
    return [word for word in words(text, "choices") if word.text[0].isalnum() or word.text in NAMES]


def _of_text(answer: str, asks: Asks) -> int | str:
    """The position of the text that a reply without JSON picks, else why there is none."""
    plain = quotes(quotes(structured.unboxed(unfenced(answer).text)).text).text
    if plain == (ticked := structured.ticked(plain)) and _BOX.search(plain):
        return "ambiguous"
    plain = spelled(ticked.strip("<>{}【】「」 \n") if len(ticked) < _SHORT else ticked)
    n_right, n_wrong = (sum(map(plain.count, ticks)) for ticks in ("✅✓✔", "❌✗✘"))
    if asks == "best" and n_right == n_wrong == 1:  # one of each text
        plain = plain.translate(_TICK_WORDS)
    some = [item._replace(words=numbered(item.words)) for item in sentences(plain, "choices")]
    first = next((at for at, item in enumerate(some) if named_in(item.words)), len(some))
    some = some[
        : next((at for at in range(first + 1, len(some)) if has(some[at].words, "farewell")), len(some))
    ]
    if is_too_long(some):
        return "too-long"
    n_names = sum(len(named_in(item.words)) for item in some)
    if n_names > 1 and plain.count("|") > 2 and "|" not in (rest := structured.without_cells(plain)):
        return _of_text(rest, asks)  # what is said beside a table
    if not n_names or "|" in plain or any(tick in plain for tick in ("❌✗✘" if asks == "best" else "✅✓✔")):
        return "ambiguous" if n_names else "absent"
    return _decided(some, asks)


# ---- the reply as a whole ----------------------------------------------------------------------------------


def _decided(some: Sequence[Sentence], asks: Asks) -> int | str:
    """The text that all sentences together pick; else why there is none."""
    if any(has(item.words, "retraction", "undecided", "anew") or item.words[0].text == "or" for item in some):
        return "ambiguous"
    votes: list[Vote] = []
    for at, item in enumerate(some):
        prior = [vote for vote in votes[-1:] if vote.at == at - 1]
        votes += votes_in(item, at, asks, prior, is_only=len(some) == 1)
    picks = [vote for vote in votes if vote.kind in ("pick", "alone", "asked")]
    alone = {vote.position for vote in picks if vote.kind == "alone"}
    if len(alone) > 1 and any(vote.kind != "alone" for vote in picks):
        picks = [vote for vote in picks if vote.kind != "alone"]  # the others head what is said of each
    picks = picks or _stated(votes, asks)
    if not picks:
        return "ambiguous" if votes else "absent"
    position, first = picks[-1].position, picks[0].at
    before = [item.words for item in some[:first]]
    if picks[0].kind == "alone" and any(
        has(item, "shared", "pair") and not has(item, "looking") for item in before
    ):
        return "ambiguous"
    # what leans to a side counts from the pick on; on the way to it, only what is stated
    counted = [vote for vote in votes if vote.at >= first or vote.kind not in ("faulty", "sounder")]
    kinds = [{vote.kind for vote in counted if vote.position == text} for text in (position, 1 - position)]
    if asks == "hallucinated":
        is_contrary = bool(
            kinds[0] & {"sound", "sounder", "better"} or kinds[1] & {"fault", "faulty", "worse"}
        )
    else:
        since = 0 if picks[-1].kind == "asked" else first
        is_contrary = bool(kinds[0] & {"fault", "faulty", "worse"} or kinds[1] & {"better", "asked"})
        is_contrary |= any(
            vote.kind == "rival"
            and vote.position != position
            and vote.at >= since
            and not (vote.at < picks[-1].at and has(some[vote.at].words, "contrast"))
            for vote in votes
        )
    is_turned = any(_turns(item, is_first=not at) for at, item in enumerate(some[first:]))
    is_agreed = len({vote.position for vote in picks}) == 1
    return position if is_agreed and not (is_contrary or is_turned) else "ambiguous"


def _stated(votes: Sequence[Vote], asks: Asks) -> list[Vote]:
    """Return what is stated of the text that a reply means which picks none: a fault, where that was asked
    for; that it is better; one text at fault and the other sound.
    """
    if any(vote.kind in ("open", "rival") for vote in votes):
        return []
    if votes_asked := [vote for vote in votes if vote.kind == "fault" and asks == "hallucinated"]:
        return votes_asked
    faulty = {vote.position for vote in votes if vote.kind == "fault"}
    sound = {vote.position for vote in votes if vote.kind == "sound"}
    return [vote for vote in votes if vote.kind == "sound"] if asks == "best" and not faulty & sound else []


def _turns(item: Sentence, *, is_first: bool) -> bool:
    """Return whether a sentence that picks, or one behind it, leaves the pick open."""
    some: Sequence[Word] = item.words
    if is_first:
        some = before_reason(some)
    clear = [word for word in some if not has([word], "seem", "filler")]
    is_named = bool(named_in(clear))
    if (item.is_question and [word.text for word in some] != ["why"]) or (
        (is_named or len(some) < 7) and has(clear, "doubt", "condition")
    ):
        return True
    is_shared = (is_named or has(some, *TELLING)) and any(holds_of_both(at, some) for at in range(len(some)))
    is_no = has(clear[:1], "sound_value") or (
        len(clear) < 4 and bool(clear) and clear[-1].text in ("not", "no")
    )
    return not is_first and (
        is_shared or is_no or has((*some[:1], *some[-1:]), "contrast") or has(some, "condition")
    )
