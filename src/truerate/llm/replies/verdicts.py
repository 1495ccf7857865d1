"""Verdicts: what a reply answers to a question of yes or no.

Where the answer stands: behind the last cue before a next example; else behind the last heading of a verdict
(`CLOSINGS`: `Judgement:`, `Final answer:`, `Verdict:` …) that a chain of thought ends with; in JSON, tags or a box;
else in the sentences of the reply (`statements`).

A chain's last heading counts where a verdict stands right behind it, no earlier heading and no first sentence of
the reply gives another one. `Answer:` is also the name of what is judged: it counts on the last line alone, where
nothing else that was given is headed. JSON with a second yes or no that differs is ambiguous, whatever its name,
but for names of the contrary (`faithful`).
"""

import re
import unicodedata
from itertools import pairwise
from typing import Any

from truerate.core.patterns import lazy
from truerate.llm.replies import headings, hedging, structured
from truerate.llm.replies.cutting import bare, unwrapped
from truerate.llm.replies.grammar import state
from truerate.llm.replies.lexicon import MEANS, WORD
from truerate.llm.replies.normalizing import agreed
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.statements import Asks, opening, prose
from truerate.llm.replies.stating import ALONE, HALLUCINATION, LABELS, SOUND_KEY, VALUES

# names under which a reply in a form for machines gives its verdict: of the question, and of its contrary
_VERDICT_KEYS = frozenset((
    "", "answer", "judgement", "judgment", "your judgement", "your judgment", "final judgement", "final judgment",
    "verdict", "final verdict", "label", "result", "output", "response", "decision", "final answer", "conclusion",
    "prediction", "classification", "final", "overall", "overall judgement", "overall verdict", "final decision",
))  # fmt: skip
# what a chain of thought heads its verdict with, in models' own words
CLOSINGS = (
    *(f"{kind}{noun}" for kind in ("", "Final ", "My ", "My final ", "The final ", "Overall ", "Your final ")
      for noun in ("Judgement", "Verdict", "Decision", "Conclusion", "Assessment")),
    "Final Answer", "My Answer", "My final answer", "The final answer",
    "Urteil", "Fazit", "Bewertung", "Endgültige Antwort", "Jugement", "Verdict final", "Réponse finale", "Juicio",
    "Veredicto", "Conclusión", "Respuesta final", "Giudizio", "Verdetto", "Conclusione", "Julgamento", "Veredito",
    "Conclusão", "Oordeel", "Conclusie", "Вывод", "Вердикт", "结论", "判断", "最终答案", "最终判断", "判定", "結論",
    "最终结论", "最終判断", "最終的な判断", "最終判定", "最終結論", "最終回答", "판정", "최종 판단", "최종 결론",
    "Final", "Karar", "Sonuç", "निर्णय",
    "결론", "판단", "الحكم", "النتيجة",
)  # fmt: skip
_ANSWERS = ("Answer", "Antwort", "Respuesta", "Resposta", "Risposta", "Réponse", "Ответ")
_PICTURES = lazy(
    r"(?<=\w)(?P<end>[.!]?[*_\"')]*[.!]?)[\s\ufe0f]*[\u2600-\u2712\u2728-\u274b\U0001f300-\U0001faff][\s\ufe0f\U0001f300-\U0001faff]*\Z"
)
_PICTURES_BEFORE = lazy(
    r"(?<=[:：])(?P<marks>[ \t*_]*)[\u2600-\u2712\u2714-\u274b\U0001f300-\U0001faff][\s\ufe0f]*(?=[\"'*_]*\w)"
)
_UNDERSCORES = lazy(r"(?<![^\W_])_+(?=[^\W_])|(?<=[^\W_])_+(?![^\W_])")
_LAST_ANSWER = lazy(
    r"^[ \t>*_`#\[(→-]*(?:answer|antwort|respuesta|resposta|risposta|réponse|ответ)[ \t*_`\])]*[:：=](?=[^\n]*\Z)|"
    r"^[ \t]*#+[ \t]*(?:final[ \t]+)?answer[ \t*#]*\n(?=\s*[^\n]*\Z)",
    re.I | re.MULTILINE,
)
# a line that answers: behind the name, or of a list
_ANSWERED = lazy(
    rf"^[ \t>*_`#\[(-]*(?:(?:answer|response)(?:[ \t]*\d)?[ \t*_`#\])]*[:：=]|\d[.)][ \t])[ \t\"'*_`(\[]*(?P<word>{WORD})"
    r"(?!\w)(?:[^\w\n]*|[\"'*_)]*\s*[,.;:(—–-](?!\s*\d)[^\n]*)$",
    re.I | re.MULTILINE,
)
# words after which a reply repeats what it was given before it answers; after others it has gone on
ANNOUNCES = lazy(
    r":\s*\Z|\A[\W_]*\Z|\b(?:let\s+me|let's|let\s+us|step\s+by\s+step|analy[sz]\w*|i\s+will|i'll|"
    r"to\s+(?:judge|determine|decide|check)(?!\s*[.!]?\s*\Z))\b",
    re.I,
)


# the headings with which an example begins: the reply has gone on to it, and no longer announces
_BEGUN = lazy(
    r"^[ \t]*#+[ \t]*(?:Document|Question|Dialogue History|Knowledge|User Query)\b", re.I | re.MULTILINE
)
_TOLD_FIRST = lazy(r"\A\W*(?:claims|evidence|sentences|example|context)\b[^\n]{0,20}[:：][ \t]*\S", re.I)
# before a cue within a line: what holds under a condition alone
_CONDITION = lazy(rf"\b(?:{hedging.CONDITION})\b[^.;!?]*\Z", re.I)
# before what a report says of the material; and material between hashes, which is a next example's
_ANALYSIS = lazy(
    r"\A\W*(?:(?:let's|let\s+me|let\s+us)\s+(?:\w+\s+){0,2}\w+|analysis|"
    r"evaluation|comparison|assessment|check\w*|report)\W*\Z",
    re.I,
)
_HASHED = lazy(r"^[ \t]*#[ \t]*[A-Z][\w ]{2,30}#[ \t]*:", re.MULTILINE)
# the words to choose from behind a name (`Judgement (Yes/No): No`), and a name that is qualified behind itself
_CHOICE_OF = lazy(
    r"(?<=\w)[ \t]*[(\[](?:yes|no)[ \t]*(?:/|\||or)[ \t]*(?:yes|no)[)\]](?=[ \t*_`]*[:?])"
    r"|^[ \t*_`]*yes[ \t]*/[ \t]*no[ \t*_`]*:(?=[ \t*_`]*\w)"
    r"|(?<=:)[ \t*_`]*[(\[](?:yes|no)[ \t]*(?:/|\||or)[ \t]*(?:yes|no)[)\]][ \t:]*(?=[*_`]*(?:yes|no)\b)",
    re.I | re.MULTILINE,
)
_QUALIFIED = lazy(
    r"\b(answer|judge?ment|verdict|decision|conclusion)[ \t]*\((?:my )?final\)(?=[ \t*_`]*[:=])", re.I
)
# a field beside the verdict that says nothing of it
_CONFIDENCE = lazy(
    r"^[ \t>*_`-]*(?:confidence|certainty|probability)(?:[ \t]+(?:level|score))?[ \t*_`]*[:=][ \t*_`]*"
    r"(?:(?:very\s+)?(?:high|low)|medium|moderate|[\d.,]+[ \t]*(?:%|/[ \t]*\d+)?)[ \t*_`.]*$",
    re.I | re.MULTILINE,
)
# a label in marks of its own with the verdict right behind it (`[Judgement] No`), and `Answer: Yes` that ends a running line
_MARKED_LABEL = lazy(
    rf"^[ \t]*(?:[\[【(]|<(?:b|strong)>|\*\*)[ \t]*(?P<label>{LABELS})[ \t]*(?:[\]】)]|</(?:b|strong)>|\*\*)[ \t]*"
    rf"(?=[*_\"']*(?:{WORD})\W*$)",
    re.I | re.MULTILINE,
)
_ENDS_LINE = lazy(
    rf"(?<=[.!。])[ \t]*(?=(?:answer|antwort|respuesta|resposta|risposta|réponse|ответ|答案|回答)[ \t]*[:：]"
    rf"[ \t]*[*_\"']*(?:{WORD})[\s.!*_\"']*\Z)",
    re.I,
)
# asked at the end of the one who asked, with a yes or no of its own
_FAREWELL = lazy(
    r"(?<=\S)\s+(?:is\s+there\s+anything\s+else|(?:do|would)\s+you\s+(?:want|need|like)|anything\s+else)\b"
    r"[^?\n]{0,100}\?(?:\s+(?:if\s+(?:yes|so|not|no)\b|just\s+(?:say|reply|answer|tell)\b)[^.!?\n]{0,80}[.!]|\s*[(\[]\s*(?:yes|y)\s*/\s*"
    r"(?:no|n)\s*[)\]])?\s*\Z"
    r"|(?<=\S)(?<!of\scourse[.!])(?=[^\S\n]*\n[^\S\n]*\n)\s+(?:should|shall|may|can)\s+i\s+(?:rewrite|correct|fix|revise|suggest)\b[^?\n]{0,80}\?\s*(?:[(\[]\s*(?:yes|y)\s*/\s*(?:no|n)\s*[)\]])?\s*\Z",
    re.I,
)
# a reply that breaks off where its verdict would stand
_BREAKS_OFF = lazy(
    r"\b(?:(?:my|the|your)\s+)(?:(?:final|overall)\s+)?(?:judge?ment|verdict|answer|conclusion|decision)\s+"
    r"(?:is|must\s+be|would\s+be|should\s+be|has\s+to\s+be)\s*[:\"'*_]*\Z",
    re.I,
)
# the cue of the prompt in the language of the reply
_CUE_ABROAD = lazy(
    r"^[ \t>#*_\[【]*(?:(?:votre|ton|mon|notre)[ \t]+(?:jugement|verdict)|(?:ihr|dein|mein|euer)[ \t]+urteil|"
    r"(?:tu|su|mi)[ \t]+(?:juicio|veredicto)|(?:il[ \t]+)?(?:tuo|suo|mio|vostro)[ \t]+giudizio|"
    r"(?:o[ \t]+)?(?:seu|teu|meu)[ \t]+(?:julgamento|juízo)|(?:uw|je|jouw|mijn)[ \t]+oordeel|"
    r"(?:ваше|твоё|твое|моё|мое)[ \t]+суждение|(?:ваш|твой|мой)[ \t]+вердикт|"
    r"[你您我]的?判断|(?:あなた|私)の判断|(?:당신의|나의|제)[ \t]*판단)"
    r"[ \t#*_\]】]*[:：][ \t*_]*",
    re.I | re.MULTILINE,
)
# `不, …` is a No, `不` alone may be a part of a word that was cut
_NOT_IT = lazy(r"(?<!\w)不(?=[ \t]*[,，])")
# `Answer: Yes` before a heading of its reason: no text that is judged
_ANSWER_FIRST = lazy(
    rf"\A[\s*_#>]*answer[\s*_]*[:=][\s*_]*(?P<word>{WORD})[.*_ \t]*(?=\n\s*[*_#>]*(?:justification|explanation|reason(?:ing)?|"
    r"rationale|evidence|analysis)\b|\n\s*\n\s*1[.)]\s|\n\s*(?:the|this|it|in|according|because|since)\b(?![^\n]*\b(?:yes|no)\b)|"
    r"[ \t]*here(?:'s|\s+is)\s+(?:my|the|why|an?)\b)(?![\s\S]*\n\W*answer\W*[:=])",
    re.I,
)
# headings of what is judged, and those with which the material of an example begins
_JUDGED = ("Answer", "Response", "Summary", "Right Answer", "Right Summary", "True Response")
_BEGINS = (
    "Document",
    "Knowledge",
    "Question",
    "Dialogue History",
    "User Query",
    "Passage",
    "Context",
    "Example",
)
_BLOCKS = lazy(
    r"(?:</?(?:p|ul|ol|li|div|br|h[1-6]|section|article|body|html)(?:\s[^<>\n]{0,80})?/?>\s*)+", re.I
)
_STYLED = lazy(r"</?(?:b|strong|i|em|u|mark|code|span)(?:\s[^<>\n]{0,80})?>", re.I)


def yes_no(text: str, cue: str | None = None, *, asks: Asks = None) -> Parsed:
    """True for Yes, False for No, None with its reason where neither can be read.

    `cue` is the heading that the prompt ends with. `asks="hallucination"`: Yes means that the judged text
    contains hallucination; then sentences without either word are read by `grammar.paraphrase`, names of JSON
    as `faithful` have their own pole, and a verdict that its own words contradict is ambiguous. Without
    `asks` nothing but the words counts.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    found = agreed(lambda words: _verdict(words, cue, asks), answer)
    return Parsed(found.value, found.reason, joined(cuts, found.cuts))


def _verdict(answer: str, cue: str | None, asks: Asks) -> Parsed:
    """The verdict of a reply in one of its plain forms."""
    levelled = _levelled(_CUE_ABROAD.sub(f"#{cue}#: ", answer) if cue else answer)
    if _BREAKS_OFF.search(levelled):
        return Parsed(None, "absent")
    found = _in_place(structured.unboxed(levelled), cue, asks)
    if found.value is not None and hedging.RETRACTED.search(levelled):
        return Parsed(None, "ambiguous", found.cuts)
    return found


def _levelled(text: str) -> str:
    """A reply with its forms levelled: full-width signs, apostrophes, underscores of emphasis."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    plain = _PICTURES_BEFORE.sub(r"\g<marks>", _PICTURES.sub(r"\g<end>", plain))
    plain = _ENDS_LINE.sub("\n", _MARKED_LABEL.sub(r"\g<label>: ", plain))
    plain = _BLOCKS.sub("\n", plain)
    plain = _STYLED.sub("", _CHOICE_OF.sub("", plain))
    plain = _ANSWER_FIRST.sub(r"\g<word>.", _QUALIFIED.sub(r"Final \1", plain))
    plain = _NOT_IT.sub("否", structured.ticked(_FAREWELL.sub("", _CONFIDENCE.sub("", plain)).rstrip()))
    return _UNDERSCORES.sub(lambda found: "*" * len(found[0]), plain)


def _in_place(answer: str, cue: str | None, asks: Asks) -> Parsed:
    """The verdict before a next example, behind the last cue where there is one."""
    head, ran_on = headings.before_next(answer)
    behind = headings.last_before_next(answer, cue) if cue else None
    if behind is None:
        found = _closing(answer, head, asks) or _region(head, asks)
        if ran_on and found.reason == "absent" and _ANALYSIS.search(head) and not _HASHED.search(answer):
            # what was given is told of in an analysis, under names of its own, and the verdict stands behind it
            found = _closing(answer, answer, asks) or found
        return Parsed(found.value, found.reason, joined(ran_on, found.cuts))
    if (answered := _answered(answer, cue or "", asks)) is not None:
        return answered
    if (own := _before_another(answer, cue or "")) is not None:
        found = _region(own, asks)
        return Parsed(found.value, found.reason, joined(("next-example",), found.cuts))
    if not headings.find(head, cue or ""):
        # a verdict stands before the next example, whose own cue is no longer this reply's
        first = _closing(answer, head, asks) or _region(head, asks)
        if first.reason not in ("absent", "empty") or not (
            ANNOUNCES.search(head)
            and not _BEGUN.search(answer)
            and head.rstrip().endswith((":", ".", "!", "…", "*", "-"))
        ):
            return Parsed(first.value, first.reason, joined(("next-example",), first.cuts))
    value, cuts = behind
    found = _region(value, asks)
    if headings.is_behind(answer, cue or "", _CONDITION):
        return Parsed(None, "ambiguous", cuts)
    if found.value is not None and (
        _taken_back(answer, cue or "", found.value) or _turned(answer.rpartition(value)[2], found.value)
    ):
        return Parsed(None, "ambiguous", cuts)
    return Parsed(found.value, found.reason, joined(cuts, found.cuts))


def _before_another(answer: str, cue: str) -> str | None:
    """What a reply says that opens under the heading of what is judged, where the headings with which an example
    begins follow before the cue: it is another example's. None of other replies.
    """
    judged = headings.find(answer, *_JUDGED, is_anywhere=False)
    if not judged or answer[: judged[0].start].strip():
        # a reply that opens with a list of `Claims:` has ended before material between hashes
        begun = _BEGUN.search(answer)
        own = answer[: begun.start()].strip() if begun and _TOLD_FIRST.match(answer) else ""
        return own if own and not headings.find(own, cue) else None
    inside = answer[judged[0].end : headings.find(answer, cue)[0].start]
    own, ran_on = headings.before_next(f"…{inside}", _BEGINS)
    is_given = " " in judged[0].name  # the right one is no verdict
    return ("" if is_given else own[1:].strip()) if ran_on else None


def _answered(answer: str, cue: str, asks: Asks) -> Parsed | None:
    """The verdict that stands behind the reply's own `Answer:` before material of another example, whose cue is
    no longer this reply's; None without such a line.
    """
    stop = headings.find(answer, cue)[0].start
    given = tuple(name for name in headings.GIVEN if name not in ("Answer", "Response"))
    for said in reversed(list(_ANSWERED.finditer(answer, 0, stop))):
        rest, ran_on = headings.before_next(f"…{answer[said.end() : stop]}", given)
        if ran_on:
            part = answer[: said.end()] + rest[1:]
            is_first = not (answer[: said.start()] + rest[1:]).strip()
            found = _region(part, asks) if is_first else _closing(part, headings.before_next(part)[0], asks)
            found = found or Parsed(None, "ambiguous")
            return Parsed(found.value, found.reason, joined(("next-example",), found.cuts))
    return None


def _closing(answer: str, head: str, asks: Asks) -> Parsed | None:
    """The verdict behind the last heading of a verdict that a chain of thought ends with; None where there is
    no chain or no such heading with a verdict right behind it.
    """
    chain, found = head, headings.find(head, *CLOSINGS, is_anywhere=False)
    if not found and (last := _LAST_ANSWER.search(answer)):
        # `Answer:` is no next example where it ends the reply and nothing else that was given is headed
        given = tuple(name for name in headings.GIVEN if name != "Answer")
        if not headings.before_next(f"…\n{answer[: last.start()]}", given)[1]:
            chain, found = answer, headings.find(answer, *_ANSWERS, is_anywhere=False)
    if not found or not chain[: found[0].start].strip():
        return None
    cuts = ("heading",)
    lines = [chain[one.end :].strip().partition("\n")[0] for one in found]
    told = [_region(line, asks).value for line in lines]
    in_words = [state(line) for line in lines[:-1]] if asks else []  # `Judgement: Faithful`
    if told[-1] is None:
        is_open = any(value is not None for value in told)
        return Parsed(None, "ambiguous", cuts) if is_open else None
    first = opening(chain[: found[0].start], asks)
    is_final = "final" in found[-1].name.casefold()
    others = {one for one in (*told[:-1], *in_words, None if is_final else first) if one is not None}
    below = _region(chain[found[-1].end :], asks)
    if others - {told[-1]} or below.value is not told[-1]:
        return Parsed(None, "ambiguous", cuts)
    return Parsed(told[-1], None, joined(cuts, below.cuts))


def _turned(behind: str, value: bool) -> bool:
    """Whether what follows a verdict begins with `Answer:` and another one."""
    found = _ANSWERED.match(behind.lstrip())
    return found is not None and MEANS[found["word"].casefold()] is not value


def _taken_back(answer: str, cue: str, value: bool) -> bool:
    """Whether an earlier cue of the same example heads another verdict, alone on its line."""
    cues = headings.find(answer, cue)
    stop = len(headings.before_next(answer[cues[0].start :])[0]) + cues[0].start
    pairs = [(one, after) for one, after in pairwise(cues) if one.start < stop]
    between = (answer[one.end : after.start].strip().partition("\n")[0] for one, after in pairs)
    earlier = [_JOINED.sub("", line) for line in between]  # `Yes` or `No`: both forms are named
    return any(
        (word := ALONE.fullmatch(line)) and MEANS[word["word"].casefold()] is not value for line in earlier
    )


_WORDS = lazy(rf"(?<!\w)(?P<word>{WORD})(?!\w)", re.I)
_JOINED = lazy(r"\W+(?:or|and|nor)\W*\Z", re.I)


def _region(text: str, asks: Asks) -> Parsed:
    """The verdict of the part of a reply that answers."""
    inside, cuts = bare(text)
    if not inside.strip(" \t\n.*_#`-…"):
        return Parsed(None, "empty", cuts)
    if (alone := ALONE.fullmatch(inside)) and not inside.rstrip().endswith(("?", "？")):
        return Parsed(MEANS[alone["word"].casefold()], cuts=cuts)
    if (named := structured.pairs(text)) is not None and (told := of_names(named, asks)) is not None:
        if told.reason == "ambiguous" and (above := structured.top(text)):
            # the verdict stands above marks of single claims
            claims = [(name, value) for name, value in named if not HALLUCINATION.fullmatch(name)]
            own = of_names(above, asks) if len(claims) == len(named) else None
            told = own if own is not None and own.value is not None else told
        beside = prose(structured.outside(text), asks)
        if told.value is not None and beside.value not in (None, told.value):
            return Parsed(None, "ambiguous", ("json",))
        return Parsed(told.value, told.reason, ("json",))
    if inside.startswith(("{", '["')):
        return Parsed(None, "malformed", cuts)
    if (
        (rows := structured.cells(text))
        and (told := of_names(rows, asks)) is not None
        and told.value is not None
    ):
        words = (MEANS[one["word"].casefold()] for one in _WORDS.finditer(structured.without_cells(text)))
        if any(word is not told.value for word in words):
            return Parsed(None, "ambiguous", ("table",))
        return Parsed(told.value, None, ("table",))
    found = prose(inside, asks)
    return Parsed(found.value, found.reason, cuts)


_OF_JUDGING = lazy(r"judge?ment|verdict|label|classification|prediction|conclusion|decision")


def of_names(pairs: list[tuple[str, Any]], asks: Asks) -> Parsed | None:
    """The verdict that names and values give; None where no name speaks of it."""
    said: set[bool | None] = set()
    others: set[bool | None] = set()
    for name, value in pairs:
        is_own = bool(HALLUCINATION.fullmatch(name)) and asks is not None
        is_contrary = bool(SOUND_KEY.fullmatch(name)) and asks is not None
        if not (is_own or is_contrary or name in _VERDICT_KEYS):
            # another name with a yes or no of its own: of a step, or of the end
            others |= {MEANS.get(value.strip(" .!*").casefold())} if isinstance(value, str) else set()
            continue
        if isinstance(value, bool) or (
            value in (0, 1) and (is_own or is_contrary) and not isinstance(value, str)
        ):
            said.add(bool(value) is not is_contrary)
        elif isinstance(value, str):
            value = value if " " in value else value.replace("_", " ")
            word = value.strip(" .!*").casefold()
            truth = VALUES.get(word) if is_own or (is_contrary and word in ("true", "false")) else None
            read = truth if truth is not None else MEANS.get(word)
            if read is None and not is_contrary:
                read = prose(value, asks).value
                if read is None and asks and _OF_JUDGING.search(name):
                    read = state(value)
            said.add(None if read is None else read is not is_contrary)
    if not said:
        return None
    if len(said) == 1 and None not in said and others <= {None, *said}:
        return Parsed(said.pop())
    return Parsed(None, "absent" if said == {None} else "ambiguous")
