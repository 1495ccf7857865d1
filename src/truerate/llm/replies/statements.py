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

from truerate.core.patterns import lazy
from truerate.llm.replies import contrary, hedging, structured
from truerate.llm.replies.grammar import paraphrase, state
from truerate.llm.replies.lexicon import ANSWERS, MEANS, NEGATION, ROMANCE_FAULT, WORD, concluded, pole
from truerate.llm.replies.reading import Parsed

Asks = Literal["hallucination"] | None
HALLUCINATION = lazy(
    r"(?:(?:is|has|contains?|any)\s+)?(?:an?\s+|the\s+)?hallucinat(?:ed|ions?)(?:\s+(?:content|detected|"
    r"found|present))?",
    re.I,
)
SOUND_KEY = lazy(
    r"(?:is\s+)?(?:(?:factually|fully|entirely)\s+)?(?:faithful|accurate|correct|supported|factual|grounded|"
    r"consistent|hallucination[ -]free|no\s+hallucinations?)",
    re.I,
)
_LABELS = (
    r"(?:(?:the|my|your|final|overall|so|short|meine?|mon|ma|mi|la|die|der|das|le|endgültige)\s+)*(?:answer|judge?ment|verdict|conclusion|decision|output|"
    r"result|label|response|classification|assessment|evaluation|status|urteil|bewertung|fazit|jugement|verdict final|"
    r"odpowiedź|werdykt|ocena|juicio|veredicto|giudizio|verdetto|julgamento|veredito|oordeel|вывод|вердикт|(?:最終|最终)?(?:的な)?(?:判断|判定|結論|结论)|"
    r"결론|판단|판정|الحكم|karar(?:ım)?|निर्णय|答案|antwort|réponse|respuesta|ответ|الجواب|الإجابة|cevap|yanıt|답변?|"
    r"final(?=\W*[:=])|choice)"
)
# what may stand between a label or a verb of judging and the word, and behind the word
_SURELY = r"(?:clearly|definitely|simply|therefore|thus|hence|certainly|indeed|a\s+clear|a\s+definite)\s+"
_HERE = r"\s+(?:here|this\s+time|overall|(?:for|to|on|in)\s+this(?:\s+(?:one|case|question|example))?)\b"
_MARK = r"[\s\"'“„«*_`(\[{<]*"
_SHUT = r"[\"'”“»*_`)\]}>]*"
_FREE = rf"(?<!\w)(?P<word>{WORD})(?!\w|-\w)"
# the word alone: behind the mark of a list, or said again
ALONE = lazy(
    rf"(?:\s*\(?(?:\d|[a-d])[.)](?=\s))?[\W_]*{_FREE}(?:[\s,.!*\"'-]+(?P=word)(?!\w)){{0,5}}[\W_]*", re.I
)
_FILLER = (
    r"(?:(?:assistant|a|ai|bot|judge|model)\s*:\s*)?(?:(?:so|thus|hence|therefore|overall|and|or|but|well|actually|"
    r"ok(?:ay)?|hmm+|oh|ah|sorry|rather|then|right|indeed|honestly|clearly|definitely|absolutely|"
    r"in\s+(?:my\s+(?:view|opinion)|short|sum|brief|a\s+word)|unfortunately|fortunately|sadly|regrettably|luckily|i\s+(?:think|believe)|i\s+mean|"
    r"(?:answering|to\s+answer)\s+(?:the|your)\s+question|given\s+(?:the\s+above|all\s+(?:this|that)|this|that)|to\s+be\s+honest|if\s+i\s+(?:had\s+to|must)\s+(?:choose|decide)|"
    r"on\s+balance|all\s+in\s+all|(?:it|that)(?:'s|\s+is|'d\s+be|\s+would\s+be)\s+(?:clearly\s+|definitely\s+)?an?|i(?:'d|"
    r"\s+would)\s+say)\s*[,:]?\s+)*"
)
_LEAD = lazy(
    rf"{_FILLER}{_MARK}{_FREE}{_SHUT}(?P<rest>(?:\s*[,.;:!。，、،；：！—–(\[/|…].*|\s*-(?!\w).*|\s+-.*|\s+(?:it|"
    rf"the|this|that|there|i|because|since|as)\b.*|\s+from\s+me\b.*|\s+(?:indeed|definitely|certainly)\b.*|\s*))",
    re.I | re.DOTALL,
)
_SO_ELSEWHERE = (
    r"daher|deshalb|somit|folglich|donc|ainsi|por (?:lo )?tanto|en conclusión|portanto|quindi|dunque|dus|"
    r"следовательно|поэтому|значит|dolayısıyla|zatem"
)
_LAST = lazy(
    rf"(?:^|.*(?:[,;:—–\-]|\s))\s*(?:(?:so|hence|thus|therefore|accordingly|overall|in short|in conclusion|"
    rf"{_SO_ELSEWHERE})\s*[,:]?|→|->|=>|⇒)\s*{_MARK}{_FREE}[\W_]*",
    re.I | re.DOTALL,
)
_CONCLUSION = lazy(
    rf"(?P<before>.*?)\b(?:(?P<label>{_LABELS})(?:\s+to\s+the\s+question|\s+here|\s+for\s+(?:this|the\s+(?:given|above))\s+\w+|,\s[^,.;:!?\n]{{1,60}},|\s+after\s+(?:the\s+)?\w+)?{_SHUT}"
    rf"(?:\s*(?:(?:is\s+)?(?:as\s+follows|the\s+following|follows)\s*:|(?:is|lautet|ist|est|es|(?:would|should|must)\s+be|=|:|->|→)+)|\s+[-–—]\s)"
    rf"|(?P<voice>ich\s+würde\s+sagen|je\s+dirais(?:\s+que)?|diría(?:\s+que)?|i(?:'m|\s+am)\s+going\s+with|i(?:'d|\s+would|\s+will|'ll|\s+must|\s+have\s+to|\s+therefore|\s+thus|\s+hence)*\s+"
    rf"(?:answer|say|judge|conclude|reply|respond|vote|go)(?:\s+with)?))\s*[:,]?\s*(?:a\s+|"
    rf"that\s+is\s+|that\s+|{_SURELY})?{_MARK}{_FREE}{_SHUT}"
    rf"(?P<after>(?:{_HERE})?\s*(?:$|[.,;:!(—–-].*|because\b.*|since\b.*|as\b.*))",
    re.I | re.DOTALL,
)
# the verdict named before its noun: `Thus "No" is the appropriate judgement`
_APT = lazy(
    rf"(?P<before>{_FILLER}){_MARK}{_FREE}{_SHUT}\s+(?:is|would\s+be|must\s+be|seems)\s+(?P<voice>)(?:clearly\s+|therefore\s+)?"
    r"(?:the|my)\s+(?:(?:appropriate|right|correct|proper|final|fitting)\s+)?(?P<label>judge?ment|verdict|label|decision)"
    r"(?P<after>(?:\s+here)?\s*(?:$|[.,;:!(—–-].*|because\b.*|since\b.*|as\b.*))",
    re.I | re.DOTALL,
)
# an arrow behind a verdict: `No → Yes`
_POINTED = lazy(rf"(?<!\w)(?:{WORD})(?!\w).*(?:→|->|=>|⇒)\W*\Z", re.I | re.DOTALL)
_THEN = lazy(
    r"[\s,;:—–→⇒]*(?:\band\s+)?(?:\b(?:so|hence|thus|therefore)\b)?[\s,]*(?:\b(?:the|my)\s*)?\Z", re.I
)
_REASONED = lazy(
    r"(?:[,;:—–]\s*(?:and\s+)?|\band\s+)(?:so|hence|thus|therefore)\b\s*,?\s*(?:the\s+|my\s+)?\Z"
    r"|\A\W*(?:since|because|as|given\s+that)\b[^.;:!?]+,\s*\Z",
    re.I,
)
# before the label: a condition, or an answer that is not the reply's own
_NOT_OWN = lazy(
    r"\b(?:if|whether|would\s+be)\b|\A\W*(?:had|were|should)\s|(?:\w's|s')\s*\Z|\b(?:right|given|correct|true|expected|proper|actual|candidate|example|sample|"
    r"previous|prior|reference|gold|their|first|second|initial|earlier|other)\s*\Z",
    re.I,
)
_RIGHT = lazy(r"\b(?:right|correct|proper)\s*\Z", re.I)
_VERDICTS = lazy(r"judge?ment|verdict|decision|conclusion|choice", re.I)
_WILLING = lazy(r"\s*(?:(?:sure|certainly|of\s+course|ok(?:ay)?|well)\s*[,!.]\s*)*", re.I)
_STANDING = lazy(rf"(?:^|[:.!;])[ \t]*[\"'*_(]*{_FREE}[\"'*_)]*[ \t]*(?=[.!,;]|$)", re.I | re.MULTILINE)
_ANNOUNCED = lazy(
    r"(?:ok(?:ay)?|sure|well|alright)?[\s,.!]*(?:let\s+me|let's|let\s+us|i\s+will|i'll)\b", re.I
)
_SPOKEN = lazy(rf"[\"“]{_FREE}[,.!?]*,[\"”]\s+\w", re.I)  # `"No," she said`
_NEGATED = lazy(r"\b(?:not|never|cannot|nor|neither|wrong|rash|hard|difficult)\b|n't\b", re.I)
# the other word standing as a verdict behind a first one
_SECOND = lazy(
    r"(?:[,:;.!?…—–\-(/|]|\b(?:but|or|and|rather|actually|then|say|answer|is|be|wait|mean|also|well|"
    r"probably|perhaps|maybe))"
    rf"\s*[\"'*_]*(?<!\w)(?P<word>{WORD})(?!-\w)[\"'*_]*(?=\s*(?:$|[,.;:!?()\]}}|/…—–\-]|\s(?:for|to|on|as|in|if|"
    r"otherwise|when|where|with)\b))",
    re.I,
)
_QUOTED = lazy(
    r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|«[^»\n]{0,200}»|„[^“”\n]{0,200}[“”]|(?<!\w)'[^'\n]{1,80}'(?!\w)"
)
_NUMBERED = lazy(r"\b(no)\.?\s*(?=\d)", re.I)
# a label alone on its line heads what stands on the next
_LABEL_LINE = lazy(
    rf"^(?:([^\n]{{1,60}}:[ \t*_`]*)|#{{1,6}}[ \t]*({_LABELS})[ \t#]*:?[ \t]*)\n\s*", re.I | re.MULTILINE
)
_BREAK = lazy(r"\n+|(?<=[.!?。！？])[\"'”’)\]*_`]*(?:\s+|(?<=[。！？]))|(?<=[;；])\s+")
_OWN_QUESTION = lazy(r"hallucinat|fabricat|made[ -]up|yes\s+or\s+no|judge?ment|verdict|\berrors?\b", re.I)
_CONTRARY_QUESTION = lazy(
    r"\b(?:no|not|free|without|accurate|correct|right|true|faithful|supported)\b|n't\b", re.I
)


_SOUND_ALONE = lazy(r"(?:\w+ly\s+)?(?:correct|right|accurate|true|fine|faithful|supported)", re.I)
# `Faithful? No`: a name and its value
_ASKED_SHORT = lazy(rf"^([a-z]{{5,12}})\?(?=[ \t]+(?:{WORD})[.!]*[ \t]*$)", re.I | re.MULTILINE)
_LABEL = lazy(
    rf"(?:{_LABELS}|explanation|reason(?:ing)?|justification|rationale)\s*[\"'*_`]*\s*(?:[:=]|[-–—]\s)[\s*_`]*",
    re.I,
)
# a label that heads the verdict, and never the text that was judged
_OF_VERDICT = lazy(
    r"(?:(?:the|my|your|final|overall|so)\s+)*(?:judge?ment|verdict|conclusion|decision|label|classification|"
    r"assessment|evaluation|status)\s*[\"'*_`]*\s*(?:[:=]|[-–—]\s)[\s*_`]*",
    re.I,
)
# a verdict behind its reason and before the same in words: `…, so yes, it contains hallucination`
_SO_WORD = lazy(
    rf".*[,;:—–]\s*(?:and\s+)?(?:so|hence|thus|therefore)\s*,?\s+{_FREE}\s*[,;:—–-]\s*(?P<rest>.+)",
    re.I | re.DOTALL,
)
# `Judgement: Hallucinated (Yes)`
_SAID_AGAIN = lazy(rf"\s*[(\[]\s*{_FREE}\s*[)\]][\s.!*]*\Z", re.I)
# a verdict behind its reason: `Since the document contradicts it, yes`
_SINCE = lazy(
    rf"(?:since|because|given\s+that)\s+(?P<reason>[^.;:!?]+),\s*{_MARK}{_FREE}[\W_]*", re.I | re.DOTALL
)
# a verdict behind what says the same: `…, hence it counts as hallucinated: Yes`
_SAME_WORD = lazy(rf"(?P<said>.+?)\s*[:—–]\s*{_MARK}{_FREE}[\W_]*", re.I | re.DOTALL)
_MAKES = lazy(
    rf"(?:.*[,;:—–]\s*(?:and\s+)?)?(?:which|this|that)\s+makes\s+(?:it|this)\s+an?\s+{_MARK}{_FREE}[\W_]*",
    re.I | re.DOTALL,
)
# what stands for Yes and No behind `Hallucination:`
VALUES = {"none": False, "absent": False, "not found": False, "not detected": False, "not present": False, "false": False,
           "present": True, "found": True, "detected": True, "true": True}  # fmt: skip


class Stated(NamedTuple):
    """A verdict that a sentence states, and how; `both` is one that states two or takes one back."""

    value: bool | None
    kind: str


# ---- sentences ---------------------------------------------------------------------------------------------


def prose(text: str, asks: Asks) -> Parsed:
    """The one verdict that the sentences of a text state."""
    joined_lines = _LABEL_LINE.sub(lambda found: f"{found[1] or found[2] + ':'} ", text)
    plain = _QUOTED.sub(_unquoted, _NUMBERED.sub(r"number ", joined_lines))
    plain = contrary.without_steps(plain)
    if asks:
        plain = _ASKED_SHORT.sub(
            lambda found: f"{found[1]}:" if SOUND_KEY.fullmatch(structured.name_key(found[1])) else found[0],
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
        values |= {MEANS[one["word"].casefold()] for one in _STANDING.finditer(plain)}
    if len(values) > 1 or None in values:
        return Parsed(None, "ambiguous")
    # a reply that breaks off behind steps has not come to its verdict
    begins = next(_bare(part) for part in _BREAK.split(plain) if part and _bare(part))
    is_cut = re.search(r"\w\s+[\w']+\Z", lines[-1]) is not None and len(lines[-1].split()) > 3
    is_step = {one.kind for one in stated} == {"lead"}
    if is_cut and is_step and not _LEAD.fullmatch(begins):
        return Parsed(None, "ambiguous")
    # a bare verdict on the last line stands whatever doubt the steps before it spoke of
    is_last_alone = bool(ALONE.fullmatch(lines[-1])) and len(lines) > 1
    if not is_last_alone and (hedging.OPEN.search(plain) or hedging.TAKEN_BACK.search(plain)):
        return Parsed(None, "ambiguous")
    return Parsed(values.pop())


def opening(text: str, asks: Asks) -> bool | None:
    """The verdict that the first sentence of a text states, where it begins with the word. One that only says
    what the writer is about to do does not count as the first.
    """
    parts = (part.strip() for part in _BREAK.split(text) if part and part.strip(" \t\n*_#>-"))
    first = next((part for part in parts if not _ANNOUNCED.match(part)), "")
    if _SPOKEN.match(first):
        return None
    found = None if first.rstrip(" *_").endswith("?") else _LEAD.fullmatch(first.strip(" *_`#>-"))
    stated = _lead(found, None, asks) if found else None
    return stated.value if stated else None


def _unquoted(found: re.Match[str]) -> str:
    """A quotation as a placeholder, but for one that is a single word of verdict."""
    return found[0] if found[0].strip("\"'“”«»„ .!").casefold() in MEANS else "Q"


def _statements(text: str, asks: Asks) -> Iterator[Stated | None]:
    """What each sentence states, None for those that state nothing."""
    question: str | None = None
    sentences = [part.strip() for part in _BREAK.split(text) if part and part.strip()]
    for sentence in sentences:
        plain = _bare(sentence)
        if sentence.rstrip(" *_`)\"'").endswith(("?", "？")):
            if hedging.BOTH.search(sentence) is None and _LEAD.fullmatch(plain) and len(plain.split()) <= 3:
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
    if lead := _LEAD.fullmatch(sentence):
        return _lead(lead, question, asks)
    if last := _LAST.fullmatch(sentence) or _MAKES.fullmatch(sentence):
        before = sentence[: last.start("word")]
        is_both = bool(hedging.BOTH.search(sentence)) or bool(_POINTED.search(before))
        value = MEANS[last["word"].casefold()]
        is_both = is_both or (asks is not None and contrary.in_words(_THEN.sub("", before)) is (not value))
        return Stated(None if is_both else value, "last")
    if (since := _SINCE.fullmatch(sentence)) and not re.search(
        rf"(?<!\w)(?:{WORD})(?!\w)", since["reason"], re.I
    ):
        return Stated(MEANS[since["word"].casefold()], "last")
    if (told := concluded(sentence)) is not None:
        return Stated(told, "conclusion")
    if (found := _CONCLUSION.fullmatch(sentence) or _APT.fullmatch(sentence)) is not None:
        return _conclusion(found, asks, is_only=is_only)
    if labelled := _labelled(sentence, asks):
        return labelled
    if hedging.BOTH.search(sentence) and not _QUOTED.search(sentence):
        return Stated(None, "both")
    if re.search(r"~~\s*(?:yes|no)\s*~~", sentence, re.I):
        return Stated(None, "both")
    if asks and (again := _SO_WORD.fullmatch(sentence)):
        value = MEANS[again["word"].casefold()]
        return Stated(value if paraphrase(again["rest"]) is value else None, "last")
    if asks and (again := _SAME_WORD.fullmatch(sentence)):
        value = MEANS[again["word"].casefold()]
        if paraphrase(again["said"]) is value:
            return Stated(value, "last")
    if asks and (label := _OF_VERDICT.match(sentence)):
        words, again = _SAID_AGAIN.sub("", sentence[label.end() :]), _SAID_AGAIN.search(sentence)
        if (told := state(words)) is not None:
            is_one = again is None or MEANS[again["word"].casefold()] is told
            return Stated(told if is_one else None, "conclusion")
    said = (
        paraphrase(_LABEL.sub("", sentence, count=1) if _LABEL.match(sentence) else sentence)
        if asks
        else None
    )
    return None if said is None else Stated(said, "paraphrase")


def _lead(lead: re.Match[str], question: str | None, asks: Asks) -> Stated | None:
    """A sentence that begins with a verdict."""
    value, rest = MEANS[lead["word"].casefold()], lead["rest"]
    clause = rest.strip(" \t,.;:!—–-()[]|…").strip()
    if any(MEANS[other["word"].casefold()] is not value for other in _SECOND.finditer(rest)):
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
    if contrary.COURTEOUS.match(rest) or (asks and contrary.OF_CLAIM[value].match(clause)):
        return Stated(None, "both")
    said = paraphrase(clause) if asks and clause else None
    if said is None and asks and lead["word"].casefold() not in ("yes", "no"):
        said = pole(clause)
    if said is None and asks and not value and re.search(ROMANCE_FAULT, clause, re.I):
        said = True
    if said is None and asks and value and _SOUND_ALONE.fullmatch(clause):
        said = False
    if said is None and asks and contrary.CONTRARY[value].search(clause):
        said = not value
    if said is not None and said is not value:
        return Stated(None, "both")
    if excepted := hedging.EXCEPTED.search(hedging.BUT_FIRST.sub("", rest)):
        rest = hedging.BUT_FIRST.sub("", rest)
        beside = rest[excepted.start() :]
        if not value or _CONTRARY_QUESTION.search(beside) or re.search(NEGATION, beside, re.I):
            return Stated(None, "both")
    return Stated(value, "lead")


def _is_own(question: str) -> bool:
    """Whether a question is the one that was asked, not its contrary nor a step."""
    if hedging.BOTH.search(question):
        return True
    return bool(_OWN_QUESTION.search(question)) and not _CONTRARY_QUESTION.search(question)


def _conclusion(found: re.Match[str], asks: Asks, *, is_only: bool) -> Stated | None:
    """A sentence that names its verdict: `the answer is No`. The judged text can be such an answer itself, so
    that `the answer is` needs `my`, `final`, a `so` before it, or to be all there is. One whose reason or
    remark says the contrary in words (`nothing is made up, so the verdict is Yes`) states both.
    """
    before, label = found["before"], (found["label"] or "").casefold()
    value = MEANS[found["word"].casefold()]
    # a reason before `so` has its own negations
    clause = "" if _REASONED.search(before) or label.startswith("so ") else before
    # the right verdict is the reply's own; the right answer may be the one that was given
    owned = _RIGHT.sub("", before) if _VERDICTS.search(label) else before
    if _NEGATED.search(clause) or _NOT_OWN.search(owned):
        return None if not _NEGATED.search(clause) else Stated(None, "both")
    if (
        hedging.EXCEPTED.search(found["after"])
        or _SECOND.search(found["after"])
        or hedging.BOTH.search(found[0])
    ):
        return Stated(None, "both")
    if asks and any(
        contrary.in_words(part) is (not value) for part in (_THEN.sub("", before), found["after"])
    ):
        return Stated(None, "both")
    is_own = (
        bool(found["voice"])
        or not re.search(ANSWERS, label)
        or bool(re.search(r"\b(?:my|final|overall|meine?|mon|ma|mi)\b", label))
    )
    has_so = bool(
        re.search(
            r"\b(?:so|thus|hence|therefore|overall|conclusion|i\s+(?:conclude|think|believe))\b",
            before + label,
            re.I,
        )
    )
    if not (is_own or has_so or (is_only and _WILLING.fullmatch(before))):
        return None
    return Stated(value, "final" if "final" in label else "conclusion")


def _labelled(sentence: str, asks: Asks) -> Stated | None:
    """`Hallucination: Yes`, and of the contrary pole `Faithful: Yes`."""
    found = re.fullmatch(
        rf"(?P<name>[\w \-]{{2,40}}?){_SHUT}\s*[:=?|]\s*{_MARK}{_FREE}{_SHUT}(?:[\s.!,(—–-].*)?",
        sentence,
        re.I | re.DOTALL,
    )
    if asks and (valued := re.fullmatch(r"([\w \-]{2,40}?)\W*[:=]\W*([a-z ]+?)[\s.!]*", sentence, re.I)):
        is_own = HALLUCINATION.fullmatch(structured.name_key(valued[1]))
        if is_own and valued[2].casefold() in VALUES:
            return Stated(VALUES[valued[2].casefold()], "conclusion")
    if found is None or asks is None:
        return None
    value, name = MEANS[found["word"].casefold()], structured.name_key(found["name"])
    if HALLUCINATION.fullmatch(name):
        return Stated(value, "conclusion")
    return Stated(not value, "conclusion") if SOUND_KEY.fullmatch(name) else None
