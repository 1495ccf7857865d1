"""Take a text that was asked for out of a reply: without what wraps, announces, labels or explains it.

From the front of a reply's blocks come off courtesies, announcements (`Here is …:`) and labels (`Answer:`),
from the back next examples, farewells and explanations (`Note: …`); the words by which they are known are in
texts.yaml. What is left is the text. Nothing is cut on a guess: where what is left still speaks of the task,
or it cannot be told where the text ends, there is no text (`ambiguous`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from re import DOTALL, IGNORECASE

from truerate.core.patterns import lazy
from truerate.llm.replies import structured
from truerate.llm.replies.blocks import (
    MAX_BLOCKS,
    MAX_HEAD,
    Block,
    Label,
    blocks_of,
    has_words,
    label_of,
    marks_end,
    names_material,
    names_text,
    unwrapped_text,
    with_lines,
)
from truerate.llm.replies.cutting import bare, unblocked
from truerate.llm.replies.matching import all_of, has, match, phrases, words_of
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.texts.refusals import is_refusal

MAX_LAYERS = 5  # of frames and wrapping in each other
MAX_HEADS = 12  # labels and announcements before a text
_PICTURES = lazy(r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]*)+")
_STRUCK = lazy(r"~~[^~\n]{1,400}~~\s*(?=\S)")
_ITEM = lazy(r"(?:[-*•–]|\(?\d{1,2}[.):]|\(?[a-c][.)])\s+(\S.*)")
_TAGGED = lazy(r"<assistant>|[(\[](?:hallucinated|fabricated|false|wrong|incorrect)[)\]]:?", IGNORECASE)
_GREETING = lazy(r"[^\n.!,:：，。！]{1,40}?(?:[.!,，。！–—]+\s*|[ ]-[ ]|$)")
_STOP = lazy(r"[.!](?=\s)|[ ][–—-](?=[ ])")
_ASIDE = lazy(r"\s+(?:[(\[]([^()\[\]\n]{3,240})[)\]]|//(.{3,80})|[–—-] (.{3,160}))[.*_]?$")
_PARTING = lazy(
    r"(?<=[.!?])\s+(?:I hope (?:this|that|it)|Hope (?:this|that|it)|Let me know)\b[^\n]*$", IGNORECASE
)
_QUOTED_FIRST = lazy(r"[\"“]([^\"“”\n]{8,}[.!?])[\"”](?:\s*\n\s*\n.+|\s*\([^()\n]+\)[.*_]?)", DOTALL)
_PLACE = lazy(
    r"[<\[(][^<>\[\]()\"']{0,40}\b(?:insert|your|placeholder|answer|response|summary"
    r"|filled)[^<>\[\]()\"']{0,20}[>\])]",
    IGNORECASE,
)
_OF_TASK = lazy(r"hallucinat|【|\"\"|pattern:|\A1[.)] .* 2[.)] |\A[#>|]", IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked for: the noun that names it, the kinds before the noun, a heading of its own, and whether
    it may be a list.
    """

    noun: str
    kinds: tuple[str, ...] = ("Hallucinated",)
    cue: str | None = None
    may_list: bool = False

    def is_named(self, label: Label | None) -> bool:
        """Whether a label is this form's own heading."""
        kept = " ".join(name for name in label.words if name.isalpha()) if label else ""
        return kept in {f"{kind} {self.noun}".casefold() for kind in self.kinds} | {
            (self.cue or "-").casefold()
        }


def text_of(reply: str, form: Form, *, needs_heading: bool = False) -> Parsed:
    """The text of a form that a reply gives; None with `thought_only`, `empty`, `refusal`, `no-answer`,
    `ambiguous`, or `absent` where it `needs_heading` and has none.
    """
    lines, flat_text, cuts = unwrapped_text(reply)
    if not lines:
        return nothing(cuts)
    result = text_in(flat_text, form, cuts, needs_heading=needs_heading)
    return (
        result if result.value is None else replace(result, value=with_lines(result.value, flat_text, lines))
    )


def text_in(flat_text: str, form: Form, cuts: tuple[str, ...] = (), *, needs_heading: bool = False) -> Parsed:
    """The text of a form in a flat text, from which some cuts were made before."""
    value = _STRUCK.sub("", flat_text)
    if is_refusal(value):
        return Parsed(None, "refusal", cuts)
    is_headed = False
    for _ in range(MAX_LAYERS):
        before = value
        if (of_json := _of_names(value, form)) is not None:
            value, more, has_heading = *of_json, True
        else:
            value, more, has_heading = _without_frame(value, form)
        is_headed |= has_heading
        value, layers = _without_layers(value, form)
        cuts = joined(cuts, more, layers)
        if value == before:
            break
    if needs_heading and not (is_headed and has_words(value)):
        return Parsed(None, "absent", cuts)
    if not has_words(value):
        is_announced = "preamble" in cuts or "explanation" in cuts
        return Parsed(None, "no-answer" if is_announced else "empty", cuts)
    reason = (
        "refusal" if is_refusal(value) else "no-answer" if _is_no_text(value, form) else _doubt(value, form)
    )
    return Parsed(None if reason else value, reason, cuts)


def _of_names(answer: str, form: Form) -> tuple[str, tuple[str, ...]] | None:
    """The text that JSON or tags give under a name of it; None where the reply is no such."""
    if not answer.startswith(("{", "[", "<", "```")):
        return None
    cue_key = structured.name_key(form.cue or form.noun)
    values = [value for name, value in structured.pairs(answer) or ()
              if isinstance(value, str) and (name in ("", cue_key, "content") or names_text(name.split()))]  # fmt: skip
    if not values or (answer.startswith("<") and f"<{cue_key}" not in answer and len(values) != 1):
        return None
    return values[0], ("json", "alternatives") if len(values) > 1 else ("json",)


def _without_frame(answer: str, form: Form) -> tuple[str, tuple[str, ...], bool]:
    """A text without what announces and explains it, what was cut, and whether a heading of it was there."""
    blocks = blocks_of(answer)
    cuts: tuple[str, ...] = ()
    is_headed = False
    is_echo = bool(blocks) and _is_material(blocks[0])
    if not is_echo:
        stop = next((at for at, block in enumerate(blocks) if at and _is_material(block)), len(blocks))
        cuts = ("next-example",) if stop < len(blocks) else ()
        blocks = blocks[:stop]
    first = next(
        (
            at
            for at, block in enumerate(blocks)
            if form.is_named(block.label) or (at and is_echo and _names(block, form))
        ),
        0,
    )
    if first:  # whatever stands before the text's own heading
        blocks, cuts = blocks[first:], joined(cuts, ("preamble",))
    for _ in range(MAX_HEADS):
        n, kind = _head_of(blocks[0].text, form, is_last=len(blocks) == 1) if blocks else (0, "")
        if not n:
            break
        is_headed |= kind == "heading"
        cuts = joined(cuts, (kind,))
        rest = blocks[0].text[n:]
        behind = (
            [Block(blocks[0].start + n + len(rest) - len(rest.lstrip()), rest.strip())]
            if rest.strip()
            else []
        )
        blocks = behind + blocks[1:]
    start = blocks[0].start if blocks else len(answer)
    for at, block in enumerate(blocks[1:], 1):
        is_next = _is_material(block) or (block.label is not None and names_text(block.label.words))
        if is_next or explains(block.head):
            blocks, cuts = blocks[:at], joined(cuts, ("next-example" if is_next else "explanation",))
            break
    while len(blocks) > 1 and (
        match("leaves", blocks[-1].head) is not None or not has_words(blocks[-1].text)
    ):
        blocks, cuts = blocks[:-1], joined(cuts, ("explanation",))
    end = blocks[-1].start + len(blocks[-1].text) if blocks else start
    return answer[start:end], cuts, is_headed


def explains(names: Sequence[str]) -> bool:
    """Whether a block or an aside that begins with these words tells of the text."""
    return match("heads", names) is not None or match("explains", names) is not None


def _is_material(block: Block) -> bool:
    """Whether a block is headed as what a prompt gives, or as another turn."""
    return block.text.startswith("===") or (block.label is not None and names_material(block.label.words))


def _names(block: Block, form: Form) -> bool:
    """Whether a block behind material is headed as the text, by its kind alone (`Corrected: …`), too."""
    label = block.label
    return label is not None and (names_text(label.words) or label.words[0].capitalize() in form.kinds)


def _head_of(block: str, form: Form, *, is_last: bool) -> tuple[int, str]:
    """How many characters at the beginning of a block stand before the text, and the kind of that; 0 where
    none do.
    """
    is_speaker = block.casefold() in phrases("SPEAKERS")
    if not is_last and (is_speaker or not has_words(block)):
        return len(block), "heading" if is_speaker else "preamble"
    if pictures := _PICTURES.match(block):
        return pictures.end(), "preamble"
    if (label := label_of(block)) and label.words[0] == "pattern":
        return len(block), "heading"
    if label and (
        names_text(label.words) or form.is_named(label) or " ".join(label.words) in phrases("SPEAKERS")
    ):
        return label.end, "heading"
    if tag := _TAGGED.match(block):
        return tag.end(), "heading"
    start = marks_end(block)
    head = block[start : start + MAX_HEAD]
    greeting = _GREETING.match(head)
    if greeting and (names := words_of(greeting[0])) and all_of("YES", names):
        rest = block[start + greeting.end() :].strip()
        # a turn of a dialogue may begin so
        if form.noun != "Response" or not rest or _head_of(rest, form, is_last=is_last)[0]:
            return start + greeting.end(), "preamble"
    colons = [at + 1 for sign in ":：" if (at := head.find(sign)) >= 0]
    whole = [len(head)] if len(head) == len(block) - start and not is_last else []
    for end in (*sorted(colons)[:1], *[stop.end() for stop in _STOP.finditer(head)][:2], *whole):
        names = words_of(head[:end])
        if match("announces", names) is not None and all_of("TASK", names) and has("MADE|HANDS", names):
            return start + end, "preamble"
    return (start + min(colons), "preamble") if colons and _announces_abroad(head[: min(colons)]) else (0, "")


def _announces_abroad(head: str) -> bool:
    """Whether words of another language name the text: `Voici une réponse hallucinée :`, `Korrigierte
    Antwort:`.
    """
    folded = head.casefold()
    is_named = any(name in folded for name in phrases("ABROAD"))
    return is_named and (any(here in folded for here in phrases("HERE")) or len(folded.split()) <= 3)


def _without_layers(value: str, form: Form) -> tuple[str, tuple[str, ...]]:
    """A text without quotation marks, fences and the like around all of it, an aside behind it, and other
    alternatives.
    """
    value, cuts = bare(value)
    value, more = unblocked(value)
    cuts = joined(cuts, more)
    end = value[-MAX_HEAD:]
    if (
        (aside := _ASIDE.search(end))
        and aside.start()
        and explains(words_of(aside[1] or aside[2] or aside[3]))
    ):
        value, cuts = value[: len(value) - len(end) + aside.start()].rstrip(), joined(cuts, ("explanation",))
    if form.noun != "Response" and (parting := _PARTING.search(end := value[-MAX_HEAD:])):
        value, cuts = value[: len(value) - len(end) + parting.start()], joined(cuts, ("explanation",))
    if quoted := _QUOTED_FIRST.fullmatch(value):
        value, cuts = quoted[1], joined(cuts, ("explanation",))
    if value[:1] == "[" and value.find("]") == len(value) - 1 and not _PLACE.fullmatch(value):
        value = value[1:-1].strip()
    lines = [line.strip() for line in value.split("\n") if line.strip()]
    items = [item[1] for line in lines if (item := _ITEM.fullmatch(line))]
    if not items or len(items) < len(lines):
        return value, cuts
    if len(items) == 1:
        is_list = not value[0].isalnum() or (
            form.noun != "Answer" and value[-1] in ".!?" and " 2. " not in value
        )
        return (items[0], joined(cuts, ("heading",))) if is_list else (value, cuts)
    is_text = form.may_list or form.noun == "Summary" or (form.noun == "Response" and value[0].isdigit())
    return (value, cuts) if is_text else (items[0], joined(cuts, ("alternatives",)))


def _is_no_text(value: str, form: Form) -> bool:
    """Whether a text is an acknowledgement, a question back, a promise or a place holder."""
    blocks = blocks_of(value)
    head = blocks[0].head
    is_of_task = has("MADE|GIVEN", head) and has("YES|ASKS|KIND", head) or match("agrees", head) is not None
    is_question = form.noun != "Response" and value.endswith("?") and len(blocks) == 1
    is_promise = match("promises", head) is not None and (
        form.noun != "Response" or has("MADE|GIVEN|FAULT", head)
    )
    is_placeholder = (
        value.casefold().strip(" .()[]<>") in phrases("NOTHING") or _PLACE.fullmatch(value) is not None
    )
    is_yes = all_of("ACK", head) and has("YES", head)
    return (
        is_question or is_promise or is_placeholder or is_yes
        or match("asks", head) is not None or (is_of_task and all_of("TASK", head))
    )  # fmt: skip


def _doubt(value: str, form: Form) -> str | None:
    """The reason why the ends of a text are in doubt: parts of it speak of the task; None where none does."""
    blocks = blocks_of(value)
    first, later = blocks[0], blocks[1:]
    before_colon = words_of(value[: max(0, value[:MAX_HEAD].find(":"))])
    is_announced = match("announces", before_colon) is not None and has("MADE|HANDS", before_colon)
    is_several = bool(later) and not form.may_list and (form.noun == "Answer" or first.text.endswith(":"))
    of_task = (
        has("MADE|FAULT", block.head) or match("leaves", block.head) is not None or block.text.endswith(":")
        for block in later
    )
    labels = (block.label is not None and block.label.is_part for block in blocks)
    is_bad = (
        is_announced or is_several or match("tells", first.head) is not None or len(blocks) > MAX_BLOCKS
        or value.endswith((":", "：")) or _OF_TASK.search(value) is not None or any(labels) or any(of_task)
    )  # fmt: skip
    return "ambiguous" if is_bad else None
