"""What a model thought before it answered, where its server leaves that in the reply: cut off, and kept
beside the answer.

Forms: `<think>`, `<thinking>`, `<thought>`, `<thoughts>`, `<reasoning>`, `<reflection>`, `<scratchpad>`,
`<analysis>` and a prefixed `<seed:think>` with their closing tags, also entity-encoded · `◁think▷…◁/think▷` ·
`[THINK]…[/THINK]` · `<|begin_of_thought|>…<|end_of_thought|>` · `<|START_THINKING|>…<|END_THINKING|>` ·
`<|channel>thought…<channel|>` · `<unused94>thought…<unused95>` ·
the channels of harmony (`<|channel|>analysis<|message|>…`, of which `final`
is the answer), also where a server dropped its tokens (`analysis…assistantfinal…`).
"""

import re
from typing import NamedTuple

from truerate.core.patterns import lazy

# A tag in backticks is spoken of, not used.
_NAMES = r"(?:[a-z]{1,12}:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"
_MARK = lazy(
    rf"(?<!`)(?:(?:<|&lt;)(?P<tag>/?)\s*{_NAMES}(?:\s[^<>]{{0,200}})?(?:>|&gt;)"
    r"|◁(?P<kimi>/?)think▷|\[(?P<square>/?)THINK\]|<\|(?:begin|(?P<of>end))_of_thought\|>"
    r"|<\|(?:START|(?P<caps>END))_THINKING\|>|<\|channel>\s*thought\b|(?P<gemma><channel\|>)"
    r"|<unused94>(?:\s*thought\b)?|(?P<medical><unused95>))(?!`)",
    re.IGNORECASE,
)
_CHANNEL = lazy(
    r"(?:<\|start\|>\s*\w*\s*)?<\|channel\|>\s*(?P<name>\w+)[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?"
    r"(?:<\|message\|>|(?=[\s\S]))"
)
_TURN = lazy(r"<\|(?:end|return|call)\|>|<\|start\|>\s*(?:assistant)?")
_BARE_CHANNELS = lazy(r"\A\s*analysis(?=\S)(?P<thought>.*?)assistant(?:\s*)final(?P<answer>.*)\Z", re.DOTALL)


class Parts(NamedTuple):
    """A reply in two parts. `thought` is None where the reply holds none."""

    answer: str
    thought: str | None


def split_thought(text: str) -> Parts:
    """The answer of a reply, perhaps empty, and the thought in it.

    Thought is: each pair of marks and what it encloses; all before a closing mark that nothing opened
    (servers put the opening one into the prompt); all after an opening mark that nothing closes (a cut
    reply). If opening marks outnumber closing ones and a closing one is last, all before it. Of channels all
    but `final`, and before the first if a `final` follows.
    """
    # one of them stands in every reply that holds thought; written out, as this runs for every stored reply
    if not ("<" in text or "[" in text or "analysis" in text or "&lt;" in text or "◁" in text):
        return Parts(text, None)
    if (channels := _channels(text)) is not None:
        inner = split_thought(channels.answer)
        thoughts = [part for part in (channels.thought, inner.thought) if part is not None]
        return Parts(inner.answer, _joined(thoughts) if thoughts else None)
    marks = list(_MARK.finditer(text))
    if not marks:
        return Parts(text, None)
    is_closing = [any(mark.groups()) for mark in marks]
    if is_closing[-1] and 2 * sum(is_closing) < len(marks):
        # an opening mark too many, as where a server repeats its template's
        return Parts(text[marks[-1].end() :].strip(), _joined([_MARK.sub("\n", text[: marks[-1].start()])]))
    return _by_marks(text, marks, is_closing)


def _by_marks(text: str, marks: list[re.Match[str]], is_closing: list[bool]) -> Parts:
    """The parts outside and inside of marks."""
    answers: list[str] = []
    thoughts: list[str] = []
    depth = position = 0
    for mark, is_end in zip(marks, is_closing, strict=True):
        part, position = text[position : mark.start()], mark.end()
        if is_end and not depth:
            thoughts += [*answers, part]  # nothing opened it: whatever came before was thought too
            answers = []
        else:
            (thoughts if depth else answers).append(part)
        depth = max(0, depth + (-1 if is_end else 1))
    (thoughts if depth else answers).append(text[position:])
    return Parts("".join(answers).strip(), _joined(thoughts))


def _channels(text: str) -> Parts | None:
    """The channels of harmony; None where the text holds none."""
    if bare := _BARE_CHANNELS.match(text):
        return Parts(bare["answer"].strip(), _joined([bare["thought"]]))
    marks = list(_CHANNEL.finditer(text)) if "<|channel|>" in text else []
    if not marks:
        return None
    answers: list[str] = []
    thoughts: list[str] = []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=True):
        part = _TURN.sub("\n", text[mark.end() : end])
        (answers if mark["name"].casefold() == "final" else thoughts).append(part)
    before = _TURN.sub("\n", text[: marks[0].start()])
    if before.strip():
        (thoughts if answers else answers).insert(0, before)
    return Parts("".join(answers).strip(), _joined(thoughts) if thoughts else None)


def _joined(parts: list[str]) -> str:
    return "\n".join(line.strip() for part in parts for line in part.splitlines() if line.strip())
