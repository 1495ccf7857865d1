"""Read one response in a dialogue, as it is asked for, without the turns of the dialogue that a model writes
on with.
"""

import re
from dataclasses import dataclass, replace

from truerate.core.patterns import lazy
from truerate.llm.replies.blocks import (
    blocks_of,
    has_words,
    label_of,
    names_material,
    unwrapped_text,
    with_lines,
)
from truerate.llm.replies.matching import phrases
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.texts.extraction import Form, text_in

# a speaker's name before a turn, at a line's start or behind the end of a sentence
_TURN = lazy(
    r"(?:^|(?<=[.!?…\"”)])[ \t]+(?=\[?[A-Z]))[ \t>#\-]{0,9}[\[(<]?"
    r"(?:(?P<person>user|human|apprentice|seeker|customer|questioner|you"
    r"|(?:person|speaker)(?:\s?(?:\d{1,2}|[A-Z]))?)"
    r"|assistant|ai(?: assistant)?|bot|chatbot|model|wizard|system)[\])>]?[ \t]?"
    r"(?:[:：]|(?<=[\])>])(?=[ \t]))[ \t]*",
    re.IGNORECASE | re.MULTILINE,
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

    Turns behind it are cut (`continued`), turns of a person before it are an echo. None with the reasons of
    `texts.text_of`, or `absent` where nothing but a person's turn stands there.
    """
    lines, flat_text, cuts = unwrapped_text(reply)
    if not lines:
        none = nothing(cuts)
        return Response(None, none.reason, none.cuts)
    result = response_in(flat_text, cue, cuts)
    return (
        result if result.value is None else replace(result, value=with_lines(result.value, flat_text, lines))
    )


def response_in(flat_text: str, cue: str, cuts: tuple[str, ...] = ()) -> Response:
    """The first response in a flat text, from which some cuts were made before."""
    form = Form("Response", ("Next", "Faithful"), cue)
    first, more = _first_turn(_first_example(flat_text, form))
    cuts = joined(cuts, more)
    if first is None:
        return Response(None, "absent" if "echo" in more else "empty", cuts)
    result = text_in(first, form)
    cuts = joined(cuts, result.cuts)
    if result.value is not None and result.value.startswith(("{", "[{")):
        return Response(None, "malformed", cuts)
    return Response(result.value, result.reason, cuts)


def before_turns(text: str) -> str:
    """A text up to the first turn of a dialogue in it; the whole where none stands there."""
    turn = _TURN.search(text)
    return text[: turn.start()].strip() if turn else text


def _first_example(answer: str, form: Form) -> str:
    """A reply up to the material of a next example, and from its own heading on where it has one; nothing
    where it repeats what it was given and has none.
    """
    labels = [(block.start, label) for block in blocks_of(answer) if (label := block.label)]
    is_echo = bool(labels) and not answer[: labels[0][0]].strip() and names_material(labels[0][1].words)
    material = (at for at, label in labels if at and label.is_marked and names_material(label.words))
    stop = len(answer) if is_echo else next(material, len(answer))
    is_given = is_echo and labels[0][1].words[0] not in phrases("PERSONS")
    start = next((at for at, label in labels if form.is_named(label) and at < stop), stop if is_given else 0)
    return answer[start:stop]


def _first_turn(answer: str) -> tuple[str | None, tuple[str, ...]]:
    """The first turn of the model, and what was cut around it; None where no such turn says anything."""
    turns = [None, *_TURN.finditer(answer)]
    cuts: tuple[str, ...] = ()
    for turn, behind in zip(turns, [*turns[1:], None], strict=True):
        part = answer[turn.end() if turn else 0 : behind.start() if behind else len(answer)].strip()
        label = label_of(part)
        is_head = label is not None and (names_material(label.words) or label.is_marked)
        if not has_words(part[label.end :] if label and is_head else part):
            continue
        if turn is None or not turn["person"]:
            cuts = joined(cuts, ("label",) if turn and not cuts else ())
            return part, joined(cuts, ("continued",) if behind else ())
        cuts = ("echo",)
    return None, cuts
