"""One response in a dialogue, as it is asked for: without heading, preamble, quotation marks, thought, and
without the turns of the dialogue that a model writes on with.
"""

import re
from dataclasses import dataclass

from truerate.core.patterns import lazy
from truerate.core.text import words
from truerate.llm.replies.candidates import written
from truerate.llm.replies.cutting import framed, opened
from truerate.llm.replies.headings import find
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.steady import steady

_SIDE = r"(?:\s*(?:\d{1,2}|[A-Z]))?"
_PERSON = rf"(?:user|human|apprentice|seeker|customer|questioner|you|person{_SIDE}|speaker{_SIDE})"
_MODEL = r"(?:assistant|ai(?:\s+assistant)?|bot|chatbot|model|wizard|system)"
MAX_STOPS = 50  # turns and headings behind nothing that are looked at
# a speaker's name before a turn, at a line's start or behind the end of a sentence
_TURN = lazy(
    rf"(?:^|(?<=[.!?…\"”)*])[ \t]+(?=[\[*]*[A-Z]))[ \t>*_`#\-]*[\[(<]?(?P<who>(?P<person>{_PERSON})|{_MODEL})[\])>]?[ \t]*[*_`]*[ \t]*"
    rf"(?:[:：]|(?<=[\])>])(?=[ \t]))[ \t*_`]*",
    re.IGNORECASE | re.MULTILINE,
)
# more of the prompt's own form behind the response
_MATERIAL = lazy(
    r"^[ \t>*_`\-]*#{1,3}[ \t]*(?:knowledge|conversation|dialogue|next\s+response|reference\s+response|response|example)\b"
    r"[^#\n]{0,20}#{0,3}[ \t*_`]*[:：]?|^[ \t*_`]*(?:knowledge|conversation|dialogue)[ \t*_`]*[:：][ \t*_`]*$",
    re.IGNORECASE | re.MULTILINE,
)

# words after which a reply repeats what it was given before it answers
_THINKS = lazy(
    r":\s*\Z|\A\W*(?:(?:ok(?:ay)?|sure|first)[\s,.!]+)?(?:let\s+me|let's|let\s+us|i\s+will|i'll)\s+(?:now\s+|first\s+)?"
    r"(?:look|think|read|check|consider|analy|repeat|go\s+through|write|respond|answer)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Response(Parsed):
    """A response (`text`, the same as `value`), or None and the reason why there is none."""

    @property
    def text(self) -> str | None:
        """The response's words; None where there is none."""
        return None if self.value is None else str(self.value)

    @property
    def is_continued(self) -> bool:
        """Whether the reply wrote on with turns of the dialogue, which were cut off."""
        return "continued" in self.cuts


def one_response(reply: str, cue: str) -> Response:
    """The first response that a reply gives; `cue` is the heading that the prompt ends with.

    Turns behind it are cut (`continued`), turns of a person before it are an echo. None with `empty`,
    `thought_only`, `too-long`, `refusal`, `no-answer`, or `absent` where nothing but a person's turn stands
    there.
    """
    return steady(
        lambda words: _one_response(words, cue),
        lambda result: Response(None, "ambiguous", result.cuts),
        reply,
    )


def _one_response(reply: str, cue: str) -> Response:
    """The first response that a reply in its plain form gives."""
    answer, cuts = opened(reply)
    if not answer:
        none = nothing(cuts)
        return Response(None, none.reason, none.cuts)
    answer, frame = framed(answer)
    first, more = _first_turn(_behind(answer, cue), cue)
    cuts = joined(cuts, frame, more)
    if not _says(first, cue):
        return Response(None, "absent" if "echo" in more else "empty", cuts)
    result = written(first, "Response", cue=cue)
    if result.value is not None and result.value.startswith(("{", "[{")):
        return Response(None, "malformed", joined(cuts, result.cuts))
    value = result.value
    if value is not None and value.count("```") == 1:
        value = value.removesuffix("```").strip()  # its heading took the opening marks
    return Response(value, result.reason, joined(cuts, result.cuts))


def before_turns(text: str) -> str:
    """A text up to the first turn of a dialogue in it; the whole where none stands there."""
    turn = _TURN.search(text)
    return text[: turn.start()].strip() if turn else text


def _behind(answer: str, cue: str) -> str:
    """A reply from its first heading on that has words under it; the heading stays for the reader to tell.
    Words that stand before a next example, and announce nothing, are the response, and its heading is no
    longer this reply's.
    """
    head = _MATERIAL.split(answer, maxsplit=1)[0]
    if (
        head != answer
        and _says(head, cue)
        and not (find(head, cue) or _THINKS.search(head) or _TURN.match(head))
    ):
        return answer
    for heading in find(answer, cue, is_anywhere=False):
        if words(answer[heading.end :].partition("\n#")[0]):
            return answer[heading.start :]
    return answer


def _first_turn(answer: str, cue: str) -> tuple[str, tuple[str, ...]]:
    """The first turn of the model, and what was cut around it."""
    turns = list(_TURN.finditer(answer))
    cuts: tuple[str, ...] = ()
    start = 0
    while turns and not _says(answer[start : turns[0].start()], cue):
        # nothing but a heading stands before the name
        start = turns[0].end()
        if turns[0]["person"]:
            inner = next((turn for turn in turns if not turn["person"]), None)
            if inner is None:
                return "", ("echo",)
            cuts, start = ("echo",), inner.end()
        else:
            cuts = joined(cuts, ("label",))
        turns = [turn for turn in turns if turn.start() >= start]
    places = [turn.start() for turn in turns] + [match.start() for match in _MATERIAL.finditer(answer, start)]
    stop = next(
        (position for position in sorted(places)[:MAX_STOPS] if _says(answer[start:position], cue)), None
    )
    if stop is None:
        return answer[start:].strip(), cuts
    return answer[start:stop].strip(), joined(cuts, ("continued",))


def _says(text: str, cue: str) -> bool:
    """Whether a text holds words besides headings of the response."""
    plain = re.sub(r"#[^#\n]{1,40}#[ \t*_`]*[:：]?", " ", text)
    for heading in reversed(find(plain, cue, "Response", is_anywhere=False)):
        plain = plain[: heading.start] + plain[heading.end :]
    return bool(words(plain))
