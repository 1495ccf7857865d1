"""What wraps an answer and is none: thought, special tokens, turns of others, fences, quotation marks, tags.

Each function takes one layer off and says what it took; `opened` takes off what is never part of an answer,
`bare` also what encloses all of it. Each takes a time that grows with the reply's length.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.reading import joined
from truerate.llm.thought import split_thought

MAX_CHARS = 100_000  # of a reply without its thought; the longest that a prompt asks for has about 20,000
MAX_CLOSED = 30_000  # of one that is a verdict, with what is said before it
MAX_BLANKS = 3_000  # in one that is a verdict
MAX_RAW = 250_000  # of one with its thought
MAX_RUN = 20  # of one sign, as where a model falls into repeating it
_TOKEN = lazy(
    r"<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</?s>|<(?:eos|bos|pad|unk|mask|EOT|(?:start|end)_of_\w{4,9})>"
    r"|\[/?INST\]|\[(?:EOS|BOS|PAD|UNK)\]|\[\|endofturn\|\]|<</?SYS>>|<0x0[ad]>",
    re.IGNORECASE,
)
# tokens that end a turn: what follows one is another turn, of whomever; tokens that begin one, with its role
# behind
_ENDS = frozenset(
    "eot_id im_end eom_id endoftext end_of_text end return eot end_of_turn_token end_response /s eos end_of_turn user "
    "end_of_utterance endofturn end▁of▁sentence human system im_user im_human im_system inst".split()
)
_BEGINS = frozenset("im_start im_assistant start_header_id start start_of_turn".split())
_ROLE = lazy(
    r"\s{0,9}(assistant|model|user|human|system)\b(?:\s{0,9}<\|(?:end_header_id|message|im_middle)\|>)?", re.I
)
_RUNS = lazy(r"([^\w\s]|_)(?:[ \t]?\1){20,}|(?:\n[ \t]*){20,}")
_VOIDS = lazy(r"(?:\n[ \t]*){20,}|[ \t]{20,}")  # as many tokens leave
_SURE = frozenset(
    "sure|sure thing|certainly|of course|ok|okay|alright|absolutely|understood|got it|great".split("|")
)
_ITS = frozenset(
    "answer response reply judgement judgment verdict assessment evaluation choice result output".split()
)
_LEAVES = ("hope this", "hope that", "hope it", "i hope", "let me know", "please let me know", "feel free", "is there anything",
           "please feel free")  # fmt: skip
# marks of direction, blanks of no width, controls; joiners, too, but between signs that they join: letters of
# scripts
# that need them, and pictures
_RANGES = (
    (0, 9), (11, 12), (14, 32), (127, 133), (134, 160), (0xAD, 0xAE), (0x34F, 0x350), (0x61C, 0x61D), (0x115F, 0x1161),
    (0x17B4, 0x17B6), (0x180B, 0x1810), (0x200B, 0x200C), (0x200E, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070),
    (0x3164, 0x3165), (0xFE00, 0xFE10), (0xFEFF, 0xFF00), (0xFFA0, 0xFFA1), (0xFFF9, 0xFFFC), (0xE0000, 0xE1000),
)  # fmt: skip
_UNSEEN = {sign: None for start, end in _RANGES for sign in range(start, end)} | dict.fromkeys(
    (12, 133, 0x2028, 0x2029), "\n"
)
_JOINED = r"\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\U0001f300-\U0001faff"
_JOINERS = lazy(rf"(?<![{_JOINED}\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d](?![{_JOINED}\u200c\u200d])")
_DATA = lazy(r"<data-([0-9a-f]{8})>\n?")
_FENCE = lazy(r"[ \t]*(`{3,}|~{3,})[^\n`]{0,40}")
_QUOTES = {
    '"': '"', "'": "'", "“": "”", "”": "”", "„": "“”", "‟": "”", "«": "»", "»": "«", "‘": "’", "‚": "‘’",
    "‹": "›", "「": "」", "『": "』", "《": "》", "＂": "＂", "`": "`",
}  # fmt: skip
_ELEMENT = lazy(
    r"<([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>|\[(answer|judge?ment|verdict|response|summary|output)\]",
    re.I,
)
_MARKS = ("***", "**", "*", "___", "__", "_")
_EMPHASIS = lazy(r"(?<![*_\\])(?:\*{1,3}|_{1,3})(?![*_])|\n[ \t]*\n")


class Cut(NamedTuple):
    """A text, and the kinds of `reading.CUTS` that were taken off it."""

    text: str
    cuts: tuple[str, ...] = ()


def opened(text: str, most: int = MAX_CHARS) -> Cut:
    """A reply without thought, special tokens and what follows the end of its turn; outer blank space goes.
    Empty with the cut `thought` where it held nothing else, and with `too-long` where what is left is longer
    than `most` (above MAX_CHARS, or MAX_RAW with its thought, unread at once). Of a sign that stands more
    than MAX_RUN times in a row only as many are kept, of blank lines one.
    """
    cuts: tuple[str, ...] = ()
    if len(text) > MAX_CHARS:
        answer, thought = split_thought(text) if len(text) <= MAX_RAW else (text, None)
        cuts = () if thought is None else ("thought",)
        if len(answer) > MAX_CHARS:
            return Cut("", (*cuts, "too-long"))
        text = answer
    shown = _RUNS.sub(lambda run: "\n\n" if run[1] is None else run[0][:MAX_RUN], visible(text))
    answer, thought = split_thought(shown)
    cuts = cuts if thought is None else ("thought",)
    if len(answer) > most:
        return Cut("", (*cuts, "too-long"))
    without = turn(answer)
    return Cut(without.text, joined(cuts, without.cuts))


def visible(text: str) -> str:
    """A text without signs that are not seen (marks of byte order and of direction, soft hyphens, blanks of
    no width, control characters), with `\\n` for every end of line.
    """
    if text.isascii() and text.isprintable():
        return text
    return _JOINERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN))


def unemphasised(text: str) -> str:
    """A text without the asterisks and underscores around its words: pairs of equal marks within a paragraph,
    the first right before a word, the second right behind one. Marks within a word (`snake_case`) stay.
    """
    if "*" not in text and "_" not in text:
        return text
    opens: dict[str, list[int]] = {}
    marks: list[tuple[int, int]] = []
    for mark in _EMPHASIS.finditer(text):
        sign, start, end = mark[0], mark.start(), mark.end()
        if sign[0] == "\n":
            opens.clear()
            continue
        before, behind = text[start - 1 : start] if start else "", text[end : end + 1]
        is_word = before.isalnum() and behind.isalnum()
        if before and not before.isspace() and opens.get(sign) and (sign == "**" or not behind.isalnum()):
            at = opens[sign].pop()
            marks += [(at, at + len(sign)), (start, end)]
        elif behind and not behind.isspace() and not (is_word and sign != "**"):
            opens.setdefault(sign, []).append(start)
    parts, position = [], 0
    for start, end in sorted(marks):
        parts.append(text[position:start])
        position = end
    return "".join([*parts, text[position:]])


def framed(text: str) -> Cut:
    """A reply without what encloses all of it: a fence, the tags of one element, marks of a block quotation,
    and courtesies before and behind (`Sure! Here it is:`, `I hope this helps!`, a rule).
    """
    return _without(text, (fence, element, unblocked, courtesies), 3)


def unwrapped(text: str, most: int = MAX_CHARS) -> Cut:
    """A reply `opened` and, where anything is left of it, `framed`: where every reader of short answers
    begins.
    """
    answer, cuts = opened(text, most)
    if most == MAX_CLOSED and answer.count(" ") > MAX_BLANKS:
        return Cut("", (*cuts, "too-long"))
    inside, frame = framed(answer) if answer else Cut(answer)
    return Cut(inside, joined(cuts, frame))


def bare(text: str, *, is_emphasis_kept: bool = False) -> Cut:
    """A text without what encloses all of it: fences, tags of one element, quotation marks, emphasis, in any
    order and depth.
    """
    layers = (fence, element, quotes) if is_emphasis_kept else (fence, element, quotes, _emphasised)
    return _without(text.strip(), layers, 8)


def _without(text: str, layers: Sequence[Callable[[str], Cut]], n: int) -> Cut:
    """A text without some layers, taken off in turn until none comes off, `n` times at most."""
    cuts: tuple[str, ...] = ()
    for _ in range(n):
        before = text
        for layer in layers:
            text, more = layer(text)
            cuts = joined(cuts, more)
        if text == before:
            break
    return Cut(text, cuts)


def courtesies(text: str) -> Cut:
    """A text without lines of courtesy before it and behind it; one that is nothing else stays."""
    lines = text.strip().split("\n")
    first, last = 0, len(lines)
    while first < last and (not lines[first].strip() or _greets(lines[first])):
        first += 1
    while last > first and (not lines[last - 1].strip() or _takes_leave(lines[last - 1])):
        last -= 1
    inside = "\n".join(lines[first:last]).strip()
    if not inside:
        return Cut(text.strip())
    cuts = (*(("preamble",) if first else ()), *(("explanation",) if last < len(lines) else ()))
    return Cut(inside, cuts)


def is_rule(line: str) -> bool:
    return len(line) >= 3 and line[0] in "-*_=" and not line.strip(line[0])


def _greets(line: str) -> bool:
    """Return whether a line is a rule, says yes to the task (`Sure!`), or announces the answer (`Here is my
    verdict:`).
    """
    plain = line.strip().casefold().replace("’", "'")
    if is_rule(plain) or (plain[-1:] in ".!" and plain.rstrip(".!") in _SURE):
        return True
    parts = [item.strip() for item in re.split(r"[.!,]", plain.removesuffix(":"))] if len(plain) < 80 else []
    words = parts[-1].replace("here's", "here is").split() if parts else []
    is_here = (
        len(words) == 4
        and words[0] == "here"
        and words[1] in ("is", "are")
        and words[2] in ("my", "the", "your")
    )
    return plain.endswith(":") and is_here and words[3].removesuffix("s") in _ITS and set(parts[:-1]) <= _SURE


def _takes_leave(line: str) -> bool:
    plain = line.strip()
    return is_rule(plain) or (len(plain) < 150 and plain.casefold().startswith(_LEAVES))


def unblocked(text: str) -> Cut:
    """A text of which every line stands in a block quotation (`> …`), without the marks."""
    lines = text.splitlines()
    if not text.strip() or not all(line.lstrip().startswith(">") for line in lines if line.strip()):
        return Cut(text)
    inside = (line.lstrip()[1:].removeprefix(" ").removeprefix("\t") for line in lines)
    return Cut("\n".join(inside).strip(), ("quotes",))


def turn(text: str) -> Cut:
    """A text without special tokens; of several turns the first that says anything."""
    turns, position, n = [[""]], 0, 0
    for token in _TOKEN.finditer(text) if "<" in text or "[" in text else ():
        if token.start() < position:
            continue
        turns[-1].append(text[position : token.start()])
        position, n = token.end(), n + 1
        name = token[0].strip("<|>[]｜").casefold()
        role = _ROLE.match(text, position) if name in _BEGINS else None
        if name in _ENDS or (role and role[1].casefold() in ("user", "human", "system")):
            turns.append([""])
        elif role:
            position = role.end()
    if not n:
        return Cut(text.strip())
    turns[-1].append(text[position:])
    parts = [("" if any("\n" in part for part in parts) else " ").join(parts) for parts in turns]
    parts = [_VOIDS.sub(lambda void: "\n\n" if "\n" in void[0] else " ", part).strip() for part in parts]
    first = next((at for at, part in enumerate(parts) if part), 0)
    return Cut(
        parts[first], ("special-token", "next-turn") if any(parts[first + 1 :]) else ("special-token",)
    )


def fence(text: str) -> Cut:
    """A text without the fence that encloses all of it: of code, or of data (`<data-…>`)."""
    text = text.strip()
    if (data := _DATA.match(text)) and text.endswith(f"</data-{data[1]}>"):
        return Cut(text[data.end() : text.rindex("</data-")].strip(), ("fence",))
    opening, _, rest = text.partition("\n")
    if rest and (match := _FENCE.fullmatch(opening)) and rest.endswith(match[1]):
        inside = rest.removesuffix(match[1])
        if f"\n{match[1]}" not in f"\n{inside}".rstrip(" \t\n"):
            return Cut(inside.strip(), ("fence",))
    is_line = not rest and len(text) > 6 and text.startswith("```") and text.endswith("```")
    return Cut(text[3:-3].strip(), ("fence",)) if is_line and "`" not in text[3:-3] else Cut(text)


def unfenced(text: str) -> Cut:
    """A text without the lines that open and close fences of code, wherever they stand; what is in them
    stays.
    """
    lines = text.split("\n")
    inside = [line for line in lines if not ("``" in line or "~~" in line) or not _FENCE.fullmatch(line)]
    return Cut("\n".join(inside).strip(), ("fence",) if len(inside) < len(lines) else ())


def quotes(text: str) -> Cut:
    """A text without the quotation marks that enclose all of it; `"A" and "B"` keeps its own."""
    text = text.strip()
    if len(text) > 3 and text[-1] in ".!" and text[-2] in _QUOTES.get(text[0], ""):
        text = text[:-1]
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 3 or text[-1] not in closing:
        return Cut(text)
    inside = text[1:-1]
    for at, sign in enumerate(inside):
        # an apostrophe between letters closes nothing
        if sign in closing and not (sign in "'’‘" and inside[at + 1 : at + 2].isalnum()):
            return Cut(text)
    return Cut(inside.strip(), ("quotes",))


def element(text: str) -> Cut:
    """A text without the tags of the one element that it is: `<answer>…</answer>`, `[answer]…[/answer]`."""
    text = text.strip()
    if (match := _ELEMENT.match(text)) is None:
        return Cut(text)
    name = (match[1] or match[2]).casefold()
    inside, folded = text[match.end() :], text[match.end() :].casefold()
    opening, closing = (f"<{name}", f"</{name}") if match[1] else (f"[{name}", f"[/{name}")
    at = folded.find(closing)
    is_all = at >= 0 and folded[at + len(closing) :].strip() in (">", "]") and len(folded) == len(inside)
    is_other = any(f"{opening}{sign}" in folded for sign in " \n\t>]")
    return Cut(inside[:at].strip(), ("tags",)) if is_all and not is_other else Cut(text)


def emphasis(text: str) -> str:
    """A text without the asterisks or underscores that enclose all of it. Marks of form are not counted."""
    text = text.strip()
    mark = next((mark for mark in _MARKS if text.startswith(mark) and text.endswith(mark)), None)
    inside = text[len(mark) : -len(mark)] if mark and len(text) > 2 * len(mark) else ""
    is_all = inside and mark is not None and mark not in inside and inside == inside.strip()
    return inside if is_all else text


def _emphasised(text: str) -> Cut:
    return Cut(emphasis(text))
