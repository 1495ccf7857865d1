"""Take a text that was asked for out of a reply: without what wraps, announces, labels or explains it.

From the front of a reply's blocks come off courtesies, announcements (`Here is …:`) and labels (`Answer:`),
from the back next examples, farewells and explanations (`Note: …`); the words by which they are known are in
texts.yaml. What is left is the text. Nothing is cut on a guess: where what is left still speaks of the task,
offers several texts, or it cannot be told where the text ends, there is no text (`ambiguous`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from re import IGNORECASE

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
from truerate.llm.replies.lists.marks import item_of
from truerate.llm.replies.matching import all_of, has, match, phrases, words_of
from truerate.llm.replies.reading import Parsed, joined, nothing
from truerate.llm.replies.texts.refusals import is_refusal

MAX_LAYERS = 5  # of frames and wrapping in each other
MAX_HEADS = 12  # labels and announcements before a text
_GREETING = lazy(r"[^\n.!,:：，。！]{1,40}?(?:[.!,，。！–—]+\s*|[ ]-[ ]|$)")
_FOLLOWS = lazy(r"[^\n.!?:：]{1,120} (?:follows|below)[.!](?=\s)", IGNORECASE)
_ASIDE = lazy(r"\s+(?:[(\[]([^()\[\]\n]{3,240})[)\]])[.*_]?$")
_CLAUSE = lazy(r"(?<=[.!?])[\s\"”]|\s[–—-](?=\s)|\"\s")
# what stands in no text: words and marks of the task, a struck part, a quotation with an aside behind it, a
# place to be
# filled, a picture first
_OF_TASK = lazy(
    r"hallucinat|【|\"\"|~~| // |pattern:|(?:answer|response|summary) \d:|\A1[.)] .* 2[.)] "
    r"|\A[\"“][^\"“”]*[\"”]\s*[(–—-]|\A[#>|(\[\u2600-\u27bf\U0001f300-\U0001faff]"
    r"|[<\[(][^<>\[\]()]{0,40}\b(?:insert|your|placeholder|answer|response|summary|filled)\b"
    r"[^<>\[\]()]{0,20}[>\])]",
    IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked for: the noun that names it, the kinds before the noun, a heading of its own, and whether
    it may be a list.
    """

    noun: str
    kinds: tuple[str, ...] = ("Hallucinated",)
    cue: str | None = None
    may_list: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The words of this form's own headings."""
        return (*(f"{kind} {self.noun}".casefold() for kind in self.kinds), (self.cue or "-").casefold())

    def is_named(self, label: Label | None) -> bool:
        """Return whether a label is this form's own heading."""
        return label is not None and " ".join(name for name in label.words if name.isalpha()) in self.names


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
    value, is_headed = flat_text, False
    if is_refusal(value):
        return Parsed(None, "refusal", cuts)
    for _ in range(MAX_LAYERS):
        before = value
        if (of_json := _of_names(value, form)) is not None:
            value, cuts, is_headed = of_json, joined(cuts, ("json",)), True
        else:
            value, more, has_heading = _without_frame(value, form)
            cuts, is_headed = joined(cuts, more), is_headed or has_heading
        value, layers = _without_layers(value, form)
        cuts = joined(cuts, layers)
        if value == before:
            break
    if needs_heading and not (is_headed and has_words(value)):
        return Parsed(None, "absent", cuts)
    if not has_words(value):
        is_announced = "preamble" in cuts or "explanation" in cuts
        return Parsed(None, "no-answer" if is_announced else "empty", cuts)
    reason = "refusal" if is_refusal(value) else _fault(value, form)
    return Parsed(None if reason else value, reason, cuts)


def _of_names(answer: str, form: Form) -> str | None:
    """The one text that JSON or tags give under a name of it; None where the reply is no such."""
    if not answer.startswith(("{", "[", "<", "```")):
        return None
    cue_key = structured.name_key(form.cue or form.noun)
    values = [
        value
        for name, value in structured.pairs(answer) or ()
        if isinstance(value, str) and (name in ("", cue_key, "content") or names_text(name.split()))
    ]
    return values[0] if len(values) == 1 else None


def _without_frame(answer: str, form: Form) -> tuple[str, tuple[str, ...], bool]:
    """A text without what announces and explains it, what was cut, and whether a heading of it was there."""
    blocks = blocks_of(answer)
    is_echo = bool(blocks) and _is_material(blocks[0])
    cuts: tuple[str, ...] = ()
    is_headed = False
    headed = [at for at, block in enumerate(blocks) if form.is_named(block.label)]
    headed = headed or [at for at, block in enumerate(blocks) if at and is_echo and _names(block, form)]
    stop = next(
        (at for at, block in enumerate(blocks) if at and not is_echo and _is_material(block)), len(blocks)
    )
    if (
        first := headed[0] if headed and headed[0] < stop else 0
    ):  # whatever stands before the text's own heading
        cuts = ("preamble",)
    cuts = joined(cuts, ("next-example",) if stop < len(blocks) else ())
    blocks = blocks[first:stop]
    for _ in range(MAX_HEADS):
        n, kind = _head_of(blocks[0].text, form, is_last=len(blocks) == 1) if blocks else (0, "")
        if not n:
            break
        is_headed |= kind == "heading"
        cuts = joined(cuts, (kind,))
        rest = blocks[0].text[n:]
        start = blocks[0].start + n + len(rest) - len(rest.lstrip())
        blocks = [*([Block(start, rest.strip())] if rest.strip() else []), *blocks[1:]]
    start = blocks[0].start if blocks else len(answer)
    texts = [block for block in blocks[1:] if block.label and names_text(block.label.words)]
    for at, block in enumerate(blocks[1:], 1):
        if texts and not is_headed:  # another part is called the text: which is meant cannot be told
            break
        is_next = _is_material(block) or block in texts
        if is_next or explains(block.head):
            blocks, cuts = blocks[:at], joined(cuts, ("next-example" if is_next else "explanation",))
            break
    while len(blocks) > 1 and (
        match("leaves", blocks[-1].head) is not None or not has_words(blocks[-1].text)
    ):
        blocks, cuts = blocks[:-1], joined(cuts, ("explanation",))
    return answer[start : blocks[-1].start + len(blocks[-1].text) if blocks else start], cuts, is_headed


def explains(names: Sequence[str]) -> bool:
    """Return whether a block or an aside that begins with these words tells of the text."""
    return match("heads", names) is not None or match("explains", names) is not None


def _is_material(block: Block) -> bool:
    """Return whether a block is headed as what a prompt gives, or as another turn."""
    return block.text.startswith("===") or (block.label is not None and names_material(block.label.words))


def _names(block: Block, form: Form) -> bool:
    """Return whether a block behind material is headed as the text, by its kind alone (`Corrected: …`), too."""
    label = block.label
    return label is not None and (names_text(label.words) or label.words[0].capitalize() in form.kinds)


def _head_of(block: str, form: Form, *, is_last: bool) -> tuple[int, str]:
    """Return how many characters at the beginning of a block stand before the text, and the kind of that; 0
    where none do.
    """
    is_speaker = block.casefold() in phrases("SPEAKERS")
    if not is_last and (is_speaker or not has_words(block)):
        return len(block), "heading" if is_speaker else "preamble"
    label = label_of(block)
    if label and (
        names_text(label.words) or form.is_named(label) or " ".join(label.words) in phrases("SPEAKERS")
    ):
        return label.end, "heading"
    start = marks_end(block)
    head = block[start : start + MAX_HEAD]
    greeting = _GREETING.match(head)
    if greeting and all_of("YES", names := words_of(greeting[0])) and names:
        rest = block[start + greeting.end() :].strip()
        # a turn of a dialogue may begin so
        if form.noun != "Response" or not rest or _head_of(rest[:MAX_HEAD], form, is_last=is_last)[0]:
            return start + greeting.end(), "preamble"
    colon = min((at + 1 for sign in ":：" if (at := head.find(sign)) >= 0), default=0)
    follows = _FOLLOWS.match(head)  # a sentence that ends so announces what is behind it
    whole = len(head) if len(head) == len(block) - start and not is_last else 0
    for end in (colon, follows.end() if follows else 0, whole):
        names = words_of(head[:end])
        if match("announces", names) is not None and all_of("TASK", names) and has("MADE|HANDS", names):
            return start + end, "preamble"
    folded = head[:colon].casefold()  # another language names the text: `Voici une réponse hallucinée :`
    is_named = any(name in folded for name in phrases("ABROAD"))
    is_here = any(here in folded for here in phrases("HERE")) or len(folded.split()) <= 3
    return (start + colon, "preamble") if is_named and is_here else (0, "")


def _without_layers(value: str, form: Form) -> tuple[str, tuple[str, ...]]:
    """A text without quotation marks, fences and the like around all of it, an aside behind it that explains
    it, the mark of its one item, and of several answers the first.
    """
    value, cuts = bare(value)
    value, more = unblocked(value)
    cuts = joined(cuts, more)
    end = value[-MAX_HEAD:]
    if (aside := _ASIDE.search(end)) and aside.start() and explains(words_of(aside[1])):
        value, cuts = value[: len(value) - len(end) + aside.start()].rstrip(), joined(cuts, ("explanation",))
    items = [item_of(line.strip()) for line in value.split("\n")]
    if items[0] and len(items) == 1 and not value[0].isalnum():
        value, cuts = items[0], joined(cuts, ("heading",))
    elif items[0] and len(items) > 1 and all(items) and form.noun == "Answer" and not form.may_list:
        value, cuts = items[0], joined(cuts, ("alternatives",))
    return value, cuts


def _fault(value: str, form: Form) -> str | None:
    """Return why a value is not surely the text: `no-answer` for an acknowledgement, a question back, a
    promise or a place holder, `ambiguous` where parts of it speak of the task or several texts are offered;
    None for a text.
    """
    blocks = blocks_of(value)
    if _is_no_text(value, blocks, form):
        return "no-answer"
    before, colon, _ = value[:MAX_HEAD].partition(":")
    first, *clauses = [words_of(clause) for clause in _CLAUSE.split(value[: 2 * MAX_HEAD])]
    announced = words_of(before) if colon else first if clauses and all_of("TASK", first) else ()
    items = [item for line in value.split("\n") if (item := item_of(line.strip()))]
    is_item = value.startswith("1") and items == [item_of(value)]
    is_list = len(items) > 1 and form.noun != "Summary" or is_item and form.noun != "Answer"
    is_several = bool(blocks[1:]) and (form.noun == "Answer" or blocks[0].text.endswith(":"))
    of_task = (
        match("announces", announced) is not None and has("MADE|HANDS", announced),
        match("tells", blocks[0].head) is not None,
        any(form.noun == "Answer" and explains(clause) for clause in clauses),
        any(form.noun != "Response" and match("leaves", clause) is not None for clause in clauses),
        any(block.label is not None and block.label.is_part for block in blocks),
        any(has("MADE|FAULT", block.head) or match("leaves", block.head) is not None for block in blocks[1:]),
    )
    is_open = value.endswith((":", "：")) or any(block.text.endswith(":") for block in blocks[1:])
    has_more = not form.may_list and (is_list or is_several) or is_open or len(blocks) > MAX_BLOCKS
    is_headed = value.casefold().startswith(form.names) or _OF_TASK.search(value) is not None
    return "ambiguous" if any(of_task) or has_more or is_headed else None


def _is_no_text(value: str, blocks: Sequence[Block], form: Form) -> bool:
    """Return whether a value is an acknowledgement, a question back, a promise or a place holder."""
    head, is_turn = blocks[0].head, form.noun == "Response"
    is_of_task = has("MADE|GIVEN", head) and has("YES|ASKS|KIND", head) or match("agrees", head) is not None
    is_promise = match("promises", head) is not None and (not is_turn or has("MADE|GIVEN|FAULT", head))
    is_question = not is_turn and value.endswith("?") and len(blocks) == 1
    is_yes = all_of("ACK", head) and has("YES", head)
    is_asking = match("asks", head) is not None or (is_of_task and all_of("TASK", head))
    is_place_holder = value.casefold().strip(" .()[]<>") in phrases("NOTHING")
    return is_promise or is_question or is_yes or is_asking or is_place_holder
