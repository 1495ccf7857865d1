"""The verdicts that the sentences of a reply state. A sentence states one where

    lead        it begins with the word, and a mark, its end or a pronoun follows    `Yes, the year is off.`
    last        it ends with the word behind a mark or `so`                          `The year is off, so yes.`
    conclusion  it names the verdict as such                                         `My final answer is "No".`
    question    it follows the question that was asked, or `Yes or no?`              `Is it hallucinated? Yes.`
    paraphrase  `grammar.paraphrase` reads it (only for questions about hallucination)

Words of `lexicon` count, as whole words; one said again (`no no`) is one. All stated verdicts must agree; the
exception is a conclusion that calls itself final. Both words, doubt, condition, taking back, and a verdict whose
own sentences say the contrary are ambiguous. A word within a quotation, a title or a number (`No. 4`) is no
verdict.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from truerate.llm.replies import contrary, handing_over, hedging, stating, structured
from truerate.llm.replies.grammar import paraphrase, state
from truerate.llm.replies.lexicon import MEANS, NEGATION, ROMANCE_FAULT, concluded, foreign, pole
from truerate.llm.replies.reading import Parsed

Asks = Literal["hallucination"] | None


class Stated(NamedTuple):
    """A verdict that a sentence states, and how; `both` is one that states two or takes one back."""

    value: bool | None
    kind: str


# ---- sentences ---------------------------------------------------------------------------------------------


def prose(text: str, asks: Asks) -> Parsed:
    """The one verdict that the sentences of a text state."""
    text = stating.SURE_ENOUGH.sub("", handing_over.taken(text))
    joined_lines = stating.LABEL_LINE.sub(lambda found: f"{found[1] or found[2] + ':'} ", text)
    plain = stating.QUOTED.sub(_unquoted, stating.NUMBERED.sub(r"number ", joined_lines))
    plain = contrary.COURTESY_FIRST.sub("", contrary.without_steps(stating.RATHER.sub(_preferred, plain)))
    if asks:
        plain = stating.ASKED_SHORT.sub(
            lambda found: (
                f"{found[1]}:" if stating.SOUND_KEY.fullmatch(structured.name_key(found[1])) else found[0]
            ),
            plain,
        )
    lines = [line for line in plain.splitlines() if line.strip()]
    stated = [one for one in _statements(plain, asks) if one is not None]
    if not stated:
        return Parsed(
            None, "ambiguous" if hedging.BOTH.search(plain) or hedging.OPEN.search(plain) else "absent"
        )
    finals = [one for one in stated if one.kind == "final"]
    is_agreed = len({one.value for one in finals}) == 1 and finals[-1].value is not None
    if is_agreed and stated[-1].kind == "final":
        return Parsed(finals[-1].value)
    values = {one.value for one in stated}
    if {one.kind for one in stated} == {"paraphrase"}:
        # a word that stands alone and was not read as a verdict contradicts the sentence
        values |= {MEANS[one["word"].casefold()] for one in stating.STANDING.finditer(plain)}
    if len(values) > 1 or None in values:
        return Parsed(None, "ambiguous")
    # a reply that breaks off behind steps has not come to its verdict
    begins = next(_bare(part) for part in stating.BREAK.split(plain) if part and _bare(part))
    is_cut = re.search(r"\w\s+[\w']+\Z", lines[-1]) is not None and len(lines[-1].split()) > 3
    is_step = {one.kind for one in stated} == {"lead"}
    is_item = bool(stating.ITEM_CUT.match(lines[-1])) and {one.kind for one in stated} <= {"lead", "last"}
    if is_item and len(lines) > 1 and not stating.LEAD.fullmatch(begins):
        return Parsed(None, "ambiguous")
    if is_cut and is_step and not stating.LEAD.fullmatch(begins):
        return Parsed(None, "ambiguous")
    # a bare verdict on the last line stands whatever doubt the steps before it spoke of
    is_last_alone = bool(stating.ALONE.fullmatch(lines[-1])) and len(lines) > 1
    if not is_last_alone and (hedging.OPEN.search(plain) or hedging.TAKEN_BACK.search(plain)):
        return Parsed(None, "ambiguous")
    return Parsed(values.pop())


def opening(text: str, asks: Asks) -> bool | None:
    """The verdict that the first sentence of a text states, where it begins with the word. One that only says
    what the writer is about to do does not count as the first.
    """
    parts = (part.strip() for part in stating.BREAK.split(text) if part and part.strip(" \t\n*_#>-"))
    first = next((part for part in parts if not stating.ANNOUNCED.match(part)), "")
    if stating.SPOKEN.match(first):
        return None
    found = None if first.rstrip(" *_").endswith("?") else stating.LEAD.fullmatch(first.strip(" *_`#>-"))
    stated = _lead(found, None, asks) if found else None
    return stated.value if stated else None


def _preferred(found: re.Match[str]) -> str:
    """`Yes rather than No` as the first of the two; the same word twice as it stands."""
    return (
        found["word"] if MEANS[found["word"].casefold()] is not MEANS[found["other"].casefold()] else found[0]
    )


def _unquoted(found: re.Match[str]) -> str:
    """A quotation as a placeholder, but for one that is a single word of verdict."""
    return found[0] if found[0].strip("\"'“”«»„ .!").casefold() in MEANS else "Q"


def _statements(text: str, asks: Asks) -> Iterator[Stated | None]:
    """What each sentence states, None for those that state nothing."""
    question: str | None = None
    sentences = [part.strip() for part in stating.BREAK.split(text) if part and part.strip()]
    for sentence in sentences:
        plain = _bare(sentence)
        if stating.INSTRUCTION.match(plain) and len(sentences) > 1:
            continue
        if sentence.rstrip(" *_`)\"'").endswith(("?", "？")):
            if (
                hedging.BOTH.search(sentence) is None
                and stating.LEAD.fullmatch(plain)
                and len(plain.split()) <= 3
            ):
                yield Stated(None, "question")
            question = sentence
            continue
        found = _stated(plain, question, asks, is_only=len(sentences) == 1)
        question = None if plain else question
        yield found


def _bare(sentence: str) -> str:
    """A sentence without the marks of form and the pictures around it."""
    return re.sub(r"^(?:[>\-–—•*#\s]|[^\w\s\"'(\[{<`~_*.,:;!?-])+", "", sentence).strip(" *_`#")


def _stated(sentence: str, question: str | None, asks: Asks, *, is_only: bool) -> Stated | None:
    """What one sentence states, given the question that stood right before it."""
    if lead := stating.LEAD.fullmatch(sentence):
        return _lead(lead, question, asks)
    if (last := _last(sentence, asks)) is not None:
        return last
    if (told := concluded(sentence)) is not None:
        return Stated(told, "conclusion")
    if (found := stating.CONCLUSION.fullmatch(sentence) or stating.APT.fullmatch(sentence)) is not None:
        return _conclusion(found, asks, is_only=is_only)
    if asks and (labelled := _labelled(sentence)):
        return labelled
    is_both = hedging.BOTH.search(sentence) and not stating.QUOTED.search(sentence)
    if is_both or stating.STRUCK.search(sentence):
        return Stated(None, "both")
    return (_said_with_word(sentence) or _in_words(sentence)) if asks else None


def _last(sentence: str, asks: Asks) -> Stated | None:
    """A sentence that ends with a verdict."""
    if again := stating.IT_IS.fullmatch(sentence):
        return Stated(MEANS[again["word"].casefold()], "last")
    if last := stating.LAST.fullmatch(sentence) or stating.MAKES.fullmatch(sentence):
        before, value = sentence[: last.start("word")], MEANS[last["word"].casefold()]
        is_both = hedging.BOTH.search(sentence) or stating.POINTED.search(before)
        is_denied = asks is not None and contrary.in_words(stating.THEN.sub("", before)) is (not value)
        return Stated(None if is_both or is_denied else value, "last")
    if (since := stating.SINCE.fullmatch(sentence)) and not stating.WORDS.search(since["reason"]):
        return Stated(MEANS[since["word"].casefold()], "last")
    return None


def _said_with_word(sentence: str) -> Stated | None:
    """A sentence that says in words what its verdict says, or what its label announces."""
    if (again := stating.ANSWERED.fullmatch(sentence)) and contrary.in_words(again["rest"]) is not None:
        value = MEANS[again["word"].casefold()]
        return Stated(value if contrary.in_words(again["rest"]) is value else None, "conclusion")
    if again := stating.SO_WORD.fullmatch(sentence):
        value = MEANS[again["word"].casefold()]
        return Stated(value if paraphrase(again["rest"]) is value else None, "last")
    if again := stating.SAME_WORD.fullmatch(sentence):
        value = MEANS[again["word"].casefold()]
        clause = re.split(r",\s+and\s+(?=i\b)", again["said"], flags=re.I)[-1]
        if value in (paraphrase(again["said"]), paraphrase(clause)):
            return Stated(value, "last")
    if label := stating.OF_VERDICT.match(sentence):
        again = stating.SAID_AGAIN.search(sentence)
        told = state(stating.SAID_AGAIN.sub("", sentence[label.end() :]))
        if told is not None:
            is_one = again is None or MEANS[again["word"].casefold()] is told
            return Stated(told if is_one else None, "conclusion")
    return None


def _in_words(sentence: str) -> Stated | None:
    """A sentence that says without a verdict's word whether there is hallucination."""
    if against := stating.CONTRAST.match(sentence):
        told = paraphrase(sentence[against.end() :])
        is_open = told is None and stating.FABRICATED.search(sentence[against.end() :])
        return Stated(told, "both" if is_open else "paraphrase") if told is not None or is_open else None
    said = foreign(sentence)
    if said is None:
        is_labelled = stating.LABEL.match(sentence)
        said = paraphrase(stating.LABEL.sub("", sentence, count=1) if is_labelled else sentence)
    return None if said is None else Stated(said, "paraphrase")


def _lead(lead: re.Match[str], question: str | None, asks: Asks) -> Stated | None:
    """A sentence that begins with a verdict."""
    value, rest = MEANS[lead["word"].casefold()], lead["rest"]
    clause = rest.strip(" \t,.;:!—–-()[]|…").strip()
    if any(MEANS[other["word"].casefold()] is not value for other in stating.SECOND.finditer(rest)):
        return Stated(None, "both")
    if hedging.BOTH.match(lead[0].lstrip("\"'*_`(")) or hedging.HEDGED.match(rest.lstrip(" ,.;:—–-(")):
        return Stated(None, "both")
    is_there = bool(
        re.fullmatch(
            r"(?:yes,?\s+)?(?:there\s+(?:is|are)|it\s+(?:is|does|has))(?:\s+one|\s+some)?", clause, re.I
        )
    )
    if question is not None and not _is_own(question):
        if is_there and asks and value and re.search(r"\bno\s+(?:hallucination|error)", question, re.I):
            return Stated(True, "question")
        return None  # an answer to a step, or to the contrary question
    is_of_else = asks and (contrary.OF_CLAIM[value].match(clause) or contrary.OF_GIVEN.match(clause))
    if contrary.COURTEOUS.match(rest) or is_of_else:
        return Stated(None, "both")
    said = paraphrase(clause) if asks and clause else None
    if said is None and asks and lead["word"].casefold() not in ("yes", "no"):
        said = pole(clause)
    if said is None and asks and not value and re.search(ROMANCE_FAULT, clause, re.I):
        said = True
    if said is None and asks and value and stating.SOUND_ALONE.fullmatch(clause):
        said = False
    if said is None and asks and contrary.CONTRARY[value].search(clause):
        said = not value
    if said is not None and said is not value:
        return Stated(None, "both")
    rest = hedging.BUT_FIRST.sub("", rest)
    if asks and value:
        rest = hedging.PART_GRANTED.sub("", rest)
    if excepted := hedging.EXCEPTED.search(rest):
        beside = rest[excepted.start() :]
        if not value or stating.CONTRARY_QUESTION.search(beside) or re.search(NEGATION, beside, re.I):
            return Stated(None, "both")
    return Stated(value, "lead")


def _is_own(question: str) -> bool:
    """Whether a question is the one that was asked, not its contrary nor a step."""
    if hedging.BOTH.search(question):
        return True
    return bool(stating.OWN_QUESTION.search(question)) and not stating.CONTRARY_QUESTION.search(question)


def _conclusion(found: re.Match[str], asks: Asks, *, is_only: bool) -> Stated | None:
    """A sentence that names its verdict: `the answer is No`. The judged text can be such an answer itself, so
    that `the answer is` needs `my`, `final`, a `so` before it, or to be all there is. One whose reason or
    remark says the contrary in words (`nothing is made up, so the verdict is Yes`) states both.
    """
    before, label = found["before"], (found["label"] or "").casefold()
    value = MEANS[found["word"].casefold()]
    asked = found.groupdict().get("asked")
    if asked and not stating.OWN_QUESTION.search(asked):
        return None  # the answer to another question
    if hedging.REPORTED.search(before) and not stating.REASONED.search(before):
        return None
    # a reason before `so` has its own negations
    clause = "" if stating.REASONED.search(before) or label.startswith("so ") else before
    # the right verdict is the reply's own; the right answer may be the one that was given
    owned = stating.RIGHT.sub("", before) if stating.VERDICTS.search(label) else before
    if stating.NEGATED.search(clause) or stating.NOT_OWN.search(owned):
        return None if not stating.NEGATED.search(clause) else Stated(None, "both")
    if (
        hedging.EXCEPTED.search(found["after"])
        or stating.SECOND.search(found["after"])
        or hedging.BOTH.search(found[0])
    ):
        return Stated(None, "both")
    if asks and any(
        contrary.in_words(part) is (not value) for part in (stating.THEN.sub("", before), found["after"])
    ):
        return Stated(None, "both")
    is_own = bool(found["voice"]) or not stating.OF_ANSWER.search(label) or bool(stating.OWN.search(label))
    has_so = bool(stating.SO_BEFORE.search(before + label))
    if not (is_own or has_so or (is_only and stating.WILLING.fullmatch(before))):
        return None
    is_changed = bool(found["voice"]) and stating.CHANGES.search(found["voice"])
    is_final = stating.FINAL.search(label) or found.groupdict().get("stays") or is_changed
    return Stated(value, "final" if is_final else "conclusion")


def _labelled(sentence: str) -> Stated | None:
    """`Hallucination: Yes`, and of the contrary pole `Faithful: Yes`."""
    if valued := stating.NAMED_VALUE.fullmatch(sentence):
        is_own = stating.HALLUCINATION.fullmatch(structured.name_key(valued[1]))
        if stating.SOUND_KEY.fullmatch(structured.name_key(valued[1])) and valued[2].casefold() in (
            "true",
            "false",
        ):
            return Stated(valued[2].casefold() == "false", "conclusion")
        if is_own and valued[2].casefold() in stating.VALUES:
            return Stated(stating.VALUES[valued[2].casefold()], "conclusion")
    if counted := stating.COUNTED.fullmatch(sentence):
        return Stated(int(counted["n"]) > 0, "conclusion")
    if (found := stating.NAMED.fullmatch(sentence)) is None:
        return None
    value, name = MEANS[found["word"].casefold()], structured.name_key(found["name"])
    if stating.HALLUCINATION.fullmatch(name):
        return Stated(value, "conclusion")
    return Stated(not value, "conclusion") if stating.SOUND_KEY.fullmatch(name) else None
