"""What wraps an answer and is none: thought, special tokens, turns of others, fences, quotation marks, tags.

Each function takes one layer off and says what it took; `opened` takes off what is never part of an answer,
`bare` also what encloses all of it.
"""

import re
import unicodedata
from typing import NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.reading import joined
from truerate.llm.thought import said

# tokens that end a turn: what follows one is another turn, of whomever
_ENDS = lazy(
    r"<\|(?:eot_id|im_end|eom_id|endoftext|end_of_text|end|return|eot|END_OF_TURN_TOKEN|END_RESPONSE)\|>"
    r"|</s>|<(?:eos|EOT|end_of_turn|end_of_utterance)>|\[EOS\]|\[\|endofturn\|\]|<｜end▁of▁sentence｜>"
    r"|<\|?(?:im_start|start_header_id|start)\|>\s*(?:user|human|system)\b|<start_of_turn>\s*user\b"
    r"|<\|(?:im_)?(?:user|human|system)\|>|<｜User｜>|\[INST\]",
    re.IGNORECASE,
)
# all others, with the role that some of them name
_TOKENS = lazy(
    r"(?:<\|(?:im_start|im_assistant|start_header_id|start)\|>|<start_of_turn>)\s*(?:assistant|model)?\s*"
    r"(?:<\|(?:end_header_id|message|im_middle)\|>)?"
    r"|<\|[A-Za-z0-9_▁]{1,40}\|>|<｜[^｜<>]{1,40}｜>|<(?:s|bos|pad|unk|mask)>|\[/INST\]|<</?SYS>>"
    r"|\[(?:BOS|PAD|UNK)\]|<0x0[ad]>",
    re.IGNORECASE,
)
MAX_CHARS = 100_000  # of a reply without its thought; the longest that a prompt asks for has about 20,000
MAX_RUN = 200  # of one sign, as where a model falls into repeating it
_BLANK = lazy(r"(?<![ \t])(?:[ \t]*\n){20,}")  # lines of blanks, as a model writes that goes round in circles
_RUN = lazy(rf"(\W)\1{{{MAX_RUN},}}")
_SPACED_RUN = lazy(
    r"([^\w\s])(?:[ \t]\1){20,}"
)  # the same with blanks between, as of block quotations in each other
_RULE = r"(?:-{3,}|\*{3,}|_{3,}|={3,})"
_SURE = r"(?:sure(?:\s+thing)?|certainly|of\s+course|ok(?:ay)?|alright|absolutely|understood|got\s+it|great)"
_BEFORE = lazy(
    rf"\A(?:(?:{_RULE}|{_SURE}[.!]|(?:{_SURE}[.!,]\s+)*here(?:'s|’s|\s+is|\s+are)\s+(?:my|the|your)\s+"
    r"(?:answer|response|reply|judge?ment|verdict|assessment|evaluation|choice|result|output)s?\s*:)[ \t]*\n+\s*)+",
    re.IGNORECASE,
)
_BEHIND = lazy(
    rf"(?:\n\s*(?:{_RULE}|(?:i\s+)?hope\s+(?:this|that|it)\s+(?:helps|clarifies|is\s+(?:helpful|clear))[^\n]{{0,60}}|"
    r"(?:please\s+)?(?:let\s+me\s+know|feel\s+free)\b[^\n]{0,120}|is\s+there\s+anything\b[^\n]{0,60}\?)[ \t]*)+\Z",
    re.IGNORECASE,
)
# marks of direction, blanks of no width, controls; joiners, too, but between signs that they join: letters of scripts
# that need them, and pictures
_UNSEEN = dict.fromkeys(
    [
        *range(9),
        11,
        *range(14, 32),
        *range(127, 133),
        *range(134, 160),
        0xAD,
        0x34F,
        0x61C,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
    ]
    + [
        *range(0x180B, 0x1810),
        0x200B,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        0x3164,
        0xFEFF,
    ]
    + [*range(0xFE00, 0xFE10), 0xFFA0, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE1000)]
) | dict.fromkeys((12, 133, 0x2028, 0x2029), "\n")
_JOINERS = lazy(
    r"(?<![\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\U0001f300-\U0001faff])[\u200c\u200d]+"
    r"|[\u200c\u200d]+(?![\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\U0001f300-\U0001faff])"
)
_DATA = lazy(r"\A<data-([0-9a-f]{8})>\n?(.*?)\n?</data-\1>\Z", re.DOTALL)
_FENCED = lazy(r"\A(`{3,}|~{3,})[^\n`]{0,40}\n(.*?)\n?[ \t]*\1\Z", re.DOTALL)
_FENCED_IN_LINE = lazy(r"\A`{3}([^`\n]+)`{3}\Z")
_FENCE_LINE = lazy(r"^[ \t]*(?:`{3,}|~{3,})[^\n`]{0,40}$\n?", re.MULTILINE)
_QUOTES = {
    '"': '"', "'": "'", "“": "”", "”": "”", "„": "“”", "‟": "”", "«": "»", "»": "«", "‘": "’", "‚": "‘’",
    "‹": "›", "「": "」", "『": "』", "《": "》", "＂": "＂", "`": "`",
}  # fmt: skip
_ELEMENT = lazy(r"\A<([A-Za-z][A-Za-z0-9_\-]{0,40})(?:\s[^<>]{0,200})?>(.*)</\1\s*>\Z", re.DOTALL | re.I)
_SQUARED = lazy(r"\A\[(answer|judge?ment|verdict|response|summary|output)\]([^\[\]]*)\[/\1\]\Z", re.I)
_EMPHASIS = lazy(r"\A(\*{1,3}|_{1,3})(?!\s)(.+?)(?<!\s)\1\Z", re.DOTALL)


class Cut(NamedTuple):
    """A text, and the kinds of `reading.CUTS` that were taken off it."""

    text: str
    cuts: tuple[str, ...] = ()


def opened(text: str) -> Cut:
    """A reply without thought, special tokens and what follows the end of its turn; outer blank space goes.
    Empty with the cut `thought` where it held nothing else, and with `too-long` where what is left is longer
    than MAX_CHARS. Of a sign that stands more than MAX_RUN times in a row only as many are kept, of a score of blank lines two.
    """
    shown = _SPACED_RUN.sub(lambda found: found[0][:21], _BLANK.sub("\n\n", visible(text)))
    answer, thought = said(_RUN.sub(lambda found: found[0][:MAX_RUN], shown))
    cuts = () if thought is None else ("thought",)
    if len(answer if answer.isascii() else unicodedata.normalize("NFKC", answer)) > MAX_CHARS:
        return Cut("", (*cuts, "too-long"))
    without = turn(answer)
    return Cut(without.text, joined(cuts, without.cuts))


def visible(text: str) -> str:
    """A text without signs that are not seen (marks of byte order and of direction, soft hyphens, blanks of no
    width, control characters), with `\\n` for every end of line.
    """
    return _JOINERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN))


def framed(text: str) -> Cut:
    """A reply without what encloses all of it: a fence, the tags of one element, marks of a block quotation,
    and courtesies before and behind (`Sure! Here it is:`, `I hope this helps!`, a rule).
    """
    cuts: tuple[str, ...] = ()
    for _ in range(3):
        before = text
        for layer in (fence, element, unblocked, courtesies):
            text, more = layer(text)
            cuts = joined(cuts, more)
        if text == before:
            break
    return Cut(text, cuts)


def unwrapped(text: str) -> Cut:
    """A reply `opened` and, where anything is left of it, `framed`: where every reader of short answers begins."""
    answer, cuts = opened(text)
    inside, frame = framed(answer) if answer else Cut(answer)
    return Cut(inside, joined(cuts, frame))


def courtesies(text: str) -> Cut:
    """A text without lines of courtesy before it and behind it; one that is nothing else stays."""
    inside = text.strip()
    cuts: tuple[str, ...] = ()
    if (found := _BEHIND.search(inside)) and inside[: found.start()].strip():
        inside, cuts = inside[: found.start()].strip(), ("explanation",)
    if (found := _BEFORE.match(inside)) and inside[found.end() :].strip():
        inside, cuts = inside[found.end() :].strip(), ("preamble", *cuts)
    return Cut(inside, cuts)


def unblocked(text: str) -> Cut:
    """A text of which every line stands in a block quotation (`> …`), without the marks."""
    lines = text.splitlines()
    if not text.strip() or not all(line.lstrip().startswith(">") for line in lines if line.strip()):
        return Cut(text)
    return Cut("\n".join(re.sub(r"\A\s*>[ \t]?", "", line) for line in lines).strip(), ("quotes",))


def turn(text: str) -> Cut:
    """A text without special tokens; of several turns the first that says anything."""
    if not any(sign in text for sign in "<["):
        return Cut(text.strip())
    parts = _ENDS.split(text)
    said_first = [_TOKENS.sub(" " if "\n" not in part else "", part).strip() for part in parts]
    place = next((n for n, part in enumerate(said_first) if part), 0)
    cuts: list[str] = []
    if len(parts) > 1 or _TOKENS.search(text):
        cuts.append("special-token")
    if any(said_first[place + 1 :]):
        cuts.append("next-turn")
    return Cut(said_first[place] if cuts else text.strip(), tuple(cuts))


def bare(text: str, *, is_emphasis_kept: bool = False) -> Cut:
    """A text without what encloses all of it: fences, tags of one element, quotation marks, emphasis, in any
    order and depth.
    """
    cuts: tuple[str, ...] = ()
    text = text.strip()
    for _ in range(8):
        before = text
        for layer in (fence, element, quotes):
            text, more = layer(text)
            cuts = joined(cuts, more)
        if not is_emphasis_kept:
            text = emphasis(text)
        if text == before:
            break
    return Cut(text, cuts)


def fence(text: str) -> Cut:
    """A text without the fence that encloses all of it: of code, or of data (`<data-…>`)."""
    text = text.strip()
    for pattern, group in ((_DATA, 2), (_FENCED, 2), (_FENCED_IN_LINE, 1)):
        if (found := pattern.match(text)) and not (pattern is _FENCED and f"\n{found[1]}" in found[2]):
            return Cut(found[group].strip(), ("fence",))
    return Cut(text)


def unfenced(text: str) -> Cut:
    """A text without the lines that open and close fences of code, wherever they stand; what is in them
    stays.
    """
    without, n = _FENCE_LINE.subn("", text)
    return Cut(without.strip(), ("fence",) if n else ())


def quotes(text: str) -> Cut:
    """A text without the quotation marks that enclose all of it; `"A" and "B"` keeps its own."""
    text = text.strip()
    if len(text) > 3 and text[-1] in ".!" and text[-2] in _QUOTES.get(text[0], ""):
        text = text[:-1]
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 3 or text[-1] not in closing:
        return Cut(text)
    inside = text[1:-1]
    # an apostrophe between letters closes nothing
    ends = (rf"{re.escape(sign)}(?!\w)" if sign in "'’‘" else re.escape(sign) for sign in closing)
    if re.search("|".join(ends), inside):
        return Cut(text)
    return Cut(inside.strip(), ("quotes",))


def element(text: str) -> Cut:
    """A text without the tags of the one element that it is: `<answer>…</answer>`."""
    if squared := _SQUARED.match(text.strip()):
        return Cut(squared[2].strip(), ("tags",))
    found = _ELEMENT.match(text.strip())
    if found is None or re.search(rf"</?{re.escape(found[1])}[\s>]", found[2], re.IGNORECASE):
        return Cut(text.strip())
    return Cut(found[2].strip(), ("tags",))


def emphasis(text: str) -> str:
    """A text without the asterisks or underscores that enclose all of it. Marks of form are not counted."""
    found = _EMPHASIS.match(text.strip())
    return found[2].strip() if found and found[1] not in found[2] else text.strip()
