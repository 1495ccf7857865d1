"""Choices: which of two named texts a reply picks (`Answer 1`, `Answer 2`).

A reply is read as sentences of words in which each name of a text is one sign (`names`); what each says of
the texts (`choice_clauses`) has to agree. Read as well: JSON, boxes to tick, and lists or tables that give
each text a value.
"""

from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, structured
from truerate.llm.replies.choice_clauses import (
    TELLING,
    Asks,
    Said,
    is_shared,
    named_in,
    numbered,
    said_in,
    takes_back,
)
from truerate.llm.replies.cutting import MAX_CLOSED, quotes, unfenced, unwrapped
from truerate.llm.replies.names import NAMES, spelled
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.words import Sentence, Word, has, is_too_long, sentences, words

_BOX = lazy(r"\[[xX✓✔ ]?\]|[☐☑☒□]")
_BLANKS = lazy(r"[^\S\n]+")
_MOST_HEADING, _MOST_PAIRS, _SHORT, _LONGEST = 60, 40, 20, 4_000  # characters, but for pairs
_MARKS = tuple("✅❌✓✔✗✘")
_OTHER_KEYS = frozenset(
    "worst worse other rejected reject explanation reason rationale thought confidence score rank index id why analysis comparison "
    "notes reasoning thinking comment scores".split()
)
_FAULTY, _SOUND = {"fault", "faulty", "worse"}, {"sound", "sounder", "better"}
_HEAD = frozenset("fault fault_noun problem sound score better subject label info".split())


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
    if all(isinstance(value, str) and value[:1].isalpha() for _, value in named):
        listed = words(" ".join(f"{key} {value} ." for key, value in named), "choices")
        if (position := of_values(listed, asks)) is not None:
            return position
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
    if len(plain) <= _LONGEST and (position := of_values(words(plain, "choices"), asks)) is not None:
        return position
    some = [sentence._replace(words=numbered(sentence.words)) for sentence in sentences(plain, "choices")]
    first = next((at for at, sentence in enumerate(some) if named_in(sentence.words)), len(some))
    some = some[
        : next((at for at in range(first + 1, len(some)) if has(some[at].words, "farewell")), len(some))
    ]
    if is_too_long(some):
        return "too-long"
    n_names = sum(len(named_in(sentence.words)) for sentence in some)
    if n_names > 1 and plain.count("|") > 2:
        rest = structured.without_cells(plain)
        return "ambiguous" if "|" in rest else _of_text(rest, asks)
    if n_names == 1 and "|" in plain:
        return _of_text(plain.replace("|", " — "), asks)
    against = _MARKS if n_names > 1 else "❌✗✘" if asks == "best" else "✅✓✔"
    is_marked = any(mark in plain for mark in against)
    if not n_names or (n_names == 1 and is_marked):
        return "ambiguous" if n_names else "absent"
    return _of_sentences(some, asks, is_only=n_names == 1, is_marked=is_marked)


# ---- sentences -------------------------------------------------------------------------------------------


def _of_sentences(some: Sequence[Sentence], asks: Asks, *, is_only: bool, is_marked: bool) -> int | str:
    """The text that all sentences together pick; else why there is none. Beside marks of right and wrong
    (`is_marked`) a name that stands alone picks nothing.
    """
    statements: list[Said] = []
    is_open = False
    for at, sentence in enumerate(some):
        before = some[at - 1] if at else None
        more, is_unread = said_in(
            sentence,
            at,
            [prior for prior in statements[-1:] if prior.at == at - 1],
            before,
            asks,
            is_only=is_only,
        )
        is_open |= is_unread
        statements += [item for item in more if not (is_marked and item.kind == "alone")]
    picks = [item for item in statements if item.kind in ("pick", "alone", "asked")]
    if len({item.position for item in picks if item.kind == "alone"}) > 1 and any(
        item.kind != "alone" for item in picks
    ):
        picks = [item for item in picks if item.kind != "alone"]  # headings of what is said of each
    start = _restart(some, picks)
    if start is None:
        return "ambiguous"
    some = some[start:]
    statements, picks = (
        [item._replace(at=item.at - start) for item in part if item.at >= start]
        for part in (statements, picks)
    )
    if not picks and not is_open:
        picks = _stated(statements, asks)
    if not picks:
        return "ambiguous" if statements or is_open else "absent"
    return picks[-1].position if _is_agreed(some, statements, picks, asks) else "ambiguous"


def _restart(some: Sequence[Sentence], picks: Sequence[Said]) -> int | None:
    """The sentence from which a reply counts: the first, or where it picks a text for good behind words that
    take back what it said; None where it takes back and does not pick again.
    """
    back = max((at for at, sentence in enumerate(some) if has(sentence.words, "anew")), default=-1)
    if back < 0:
        return 0
    at = next(at for at, word in enumerate(some[back].words) if "anew" in word.classes)
    is_before_names = not named_in(some[back].words[:at])
    later = [item for item in picks if item.kind != "alone" and item.at > back - is_before_names]
    return later[0].at if len({item.position for item in later}) == 1 else None


def _stated(statements: Sequence[Said], asks: Asks) -> list[Said]:
    """What is stated of the text that a reply means which picks none by name: a fault, where that was asked
    for; that it is better; one text at fault and the other sound.
    """
    if result := [
        item for item in statements if item.kind == ("fault" if asks == "hallucinated" else "better")
    ]:
        return result
    sides = [{item.kind for item in statements if item.position == position} for position in (0, 1)]
    for position in (0, 1):
        if sides[0] and sides[1] and sides[position] <= _FAULTY and sides[1 - position] <= _SOUND:
            wanted = position if asks == "hallucinated" else 1 - position
            return [item for item in statements if item.position == wanted]
    return [item for item in statements if item.kind == "sound"] if asks == "best" else []


def _is_agreed(
    some: Sequence[Sentence], statements: Sequence[Said], picks: Sequence[Said], asks: Asks
) -> bool:
    """Whether picks agree with one another and with all that is said, and nothing takes them back."""
    position, first, is_asked = picks[-1].position, picks[0].at, picks[-1].kind == "asked"
    if any(item.position != position for item in picks) or takes_back(
        some, first, is_alone=picks[0].kind == "alone"
    ):
        return False
    if any(
        is_shared(sentence.words) and (has(sentence.words, *TELLING) or named_in(sentence.words))
        for sentence in some[first + (picks[0].kind != "asked") :]
    ):
        return False
    of_it = {item.kind for item in statements if item.position == position}
    of_other = {item.kind for item in statements if item.position != position}
    if asks == "hallucinated":
        return not _SOUND & of_it and not _FAULTY & of_other
    rivals = [
        item
        for item in statements
        if item.position != position and item.kind == "rival" and (is_asked or item.at > picks[-1].at)
    ]
    is_better = all(has(some[item.at].words, "contrast") and item.at < picks[-1].at for item in rivals)
    return is_better and not _FAULTY & of_it and "better" not in of_other


# ---- values of both texts --------------------------------------------------------------------------------


def of_values(some: Sequence[Word], asks: Asks) -> int | None:
    """The text that values pick of which each name of a reply has one (`Answer 1: 3/10`, a tick, a row of a
    table), under a head that says what more of them means.
    """
    plain = [word for word in some if word.text[0].isalnum() or word.text in (*NAMES, *_MARKS, "/", "?")]
    places = [at for at, word in enumerate(plain) if word.text in NAMES]
    if len(places) != 2 or plain[places[0]].text == plain[places[1]].text:
        return None
    if places == [1, 3] and len(plain) == 4:  # a tick before each name
        plain, places = [plain[1], plain[0], plain[3], plain[2]], [0, 2]
    first, second = _value(plain[places[0] + 1 : places[1]]), _value(plain[places[1] + 1 :])
    if first is None or second is None or first[1] == second[1]:
        return None
    kinds = {first[0], second[0]}
    kind = "number" if kinds == {"number", "share"} else kinds.pop() if len(kinds) == 1 else None
    is_fault = _is_of_fault(plain[: places[0]], kind, asks)
    if kind is None or is_fault is None:
        return None
    is_first = (first[1] > second[1]) is (is_fault is (asks == "hallucinated"))
    return NAMES.index(plain[places[0 if is_first else 1]].text)


def _is_of_fault(head: Sequence[Word], kind: str | None, asks: Asks) -> bool | None:
    """Whether more of a value means more faults; None where that is not known."""
    head = [word for word in head if word.text != "?" and "filler" not in word.classes]
    if not head:
        is_known = kind == "said" or (kind == "answer") is (asks == "hallucinated")
        return kind == "answer" if is_known and kind != "number" else None
    is_fault = has(head, "fault", "fault_noun", "problem")
    is_known = all(_HEAD & word.classes for word in head) and kind != "said"
    return is_fault if is_known and is_fault is not has(head, "sound", "score", "better") else None


def _value(some: Sequence[Word]) -> tuple[str, float] | None:
    """The kind and size of the value that words are: a number, a tick, yes or no, a word of fault or
    soundness.
    """
    some = [word for word in some if word.text not in ("score", "scores", "and", "while", "but")]
    item = [word for word in some if word.text not in _MARKS]
    if item and has(item[-1:], "fault", "fault_noun", "sound") and len(item) < 4:
        is_answered = len(item) == 3 and has(item[:1], "yes", "no")  # `No, not hallucinated`
        is_sound = has(item[-1:], "sound") is not has(item[is_answered:-1], "negation", "no")
        is_plain = all({"negation", "no", "yes", "filler"} & word.classes for word in item[:-1])
        return ("said", float(is_sound)) if is_plain and not (is_sound and has(item[:1], "yes")) else None
    if 1 <= len(some) <= 3 and some[0].text.replace(".", "", 1).isdecimal():
        number = float(some[0].text)
        if len(some) == 1:
            return "number" if number > 1 else "share", number
        is_score = len(some) == 3 and some[1].text == "/" and some[2].text.isdecimal()
        return (f"of {some[2].text}", number) if is_score else None
    if len(some) != 1:
        return None
    if some[0].text in _MARKS:
        return "tick", float(some[0].text in "✅✓✔")
    return ("answer", float(has(some, "yes"))) if has(some, "yes", "no") else None
