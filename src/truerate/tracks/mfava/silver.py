"""Silver passages (mFAVA section 3.1): written from a reference, then six separate insertions, each read
before the next is asked.

A passage under way is a `Draft`. Every round is one batch over all open drafts; a reply that does not keep
the rules closes its draft, and the raw reply stays as a row that is not `ok`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from truerate.core.tags import REPLACED, TYPES, Refused, parse_tags
from truerate.llm import Reply, Request, parse, prompts
from truerate.llm.dry_run import assumed_reply, is_assumed
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.tracks.mfava import inserting
from truerate.tracks.mfava.context import Context
from truerate.tracks.mfava.languages import language
from truerate.tracks.mfava.settings import Settings

WRITE, INSERT = "write", "insert"
ROUNDS = (None, *TYPES)  # the passage itself, then one type after another
_WORD_OUTSIDE = re.compile(r"<(\w+)>.*?</\1>|(?P<word>\w{1,4})", re.DOTALL)
SEES_REFERENCE = (
    "contradictory",
    "unverifiable",
)  # the other writers see the subject alone (mFAVA section 3.1)


@dataclass(frozen=True)
class Draft:
    """A passage under way: what it is about, its text with the tags so far (None before it is written), and
    the rows of its replies.
    """

    context: Context
    marked: str | None = None
    rows: tuple[dict, ...] = ()
    is_closed: bool = False


def drafts(found: Sequence[Context]) -> list[Draft]:
    """One draft per item, before anything is asked."""
    return [Draft(context) for context in found]


def requests(
    open_: Sequence[Draft], type_: str | None, writer: str, settings: Settings, *, prompts_dir: str | None
) -> list[Prompted]:
    """What one round asks of every draft: the passage (`type_` None), or insertions of one type."""
    decoded = decoding(settings.inserting if type_ else settings.writing)
    asked = []
    for draft in open_:
        context, known = draft.context, {"lang": draft.context.lang, "task": "silver", "type": type_}
        messages = _messages(draft, type_, settings, prompts_dir)
        asked.append(
            Prompted(
                Request(writer, tuple(messages), decoded), context.item_id, INSERT if type_ else WRITE, known
            )
        )
    return asked


def _messages(draft: Draft, type_: str | None, settings: Settings, prompts_dir: str | None) -> list[dict]:
    context = draft.context
    named = {"language": language(context.lang).name}
    if type_ is None:
        values: dict[str, object] = {
            "question": context.question,
            "reference": context.knowledge,
            "n_sentences": settings.n_sentences,
        }
        return prompts.render("mfava", "write", prompts_dir, **named, **values)
    reference = context.knowledge if type_ in SEES_REFERENCE else ""
    values = {"type": type_, "subject": context.subject, "reference": reference, "passage": draft.marked}
    return prompts.render("mfava", "insert", prompts_dir, **named, **values)


def after(
    open_: Sequence[Draft], type_: str | None, asked: Sequence[Prompted], replies: Sequence[Reply]
) -> list[Draft]:
    """The drafts with the round's replies read into them."""
    return [_after(draft, type_, *pair) for draft, *pair in zip(open_, asked, replies, strict=True)]


def _after(draft: Draft, type_: str | None, asked: Prompted, reply: Reply) -> Draft:
    read = read_passage(reply.text) if type_ is None else read_insertion(reply.text, draft.marked, type_)
    row = generation(asked, reply, read)
    is_ok = row["status"] == "ok"
    return replace(
        draft, marked=read.text if is_ok else draft.marked, rows=(*draft.rows, row), is_closed=not is_ok
    )


def read_passage(text: str) -> Read:
    """A written passage; one that already holds tags is refused, because nobody could tell them from insertions."""
    found = parse.after_heading(text, "Passage", is_optional=True)
    if found.value is None:
        return Read(text, "unparsed", found.reason)
    tagged = parse_tags(found.value)
    if isinstance(tagged, Refused):
        return Read(text, "unparsed", tagged.reason, {"detail": tagged.detail})
    if tagged.spans:
        return Read(
            text, "unparsed", "malformed", {"detail": "the passage holds tags before anything was inserted"}
        )
    return Read(found.value)


def read_insertion(text: str, marked: str, type_: str) -> Read:
    """The passage with this round's tags, or why the reply is refused (`inserting.REASONS`)."""
    found = parse.after_heading(text, "Tagged Passage", is_optional=True)
    if found.value is None:
        return Read(text, "unparsed", found.reason)
    refused = inserting.refused(found.value, before=marked, type_=type_)
    if refused is not None:
        return Read(text, "unparsed", refused.reason, {"detail": refused.detail})
    return Read(found.value)


def run(
    found: Sequence[Context],
    writer: str,
    settings: Settings,
    answered: Callable[[Sequence[Prompted], Sequence[Draft], str | None], Sequence[Reply]],
    *,
    prompts_dir: str | None,
) -> list[Draft]:
    """All rounds over all drafts. `answered` gives the replies of one round, from its requests, the drafts
    they stand for, and the type.
    """
    closed, open_ = [], drafts(found)
    for type_ in ROUNDS:
        asked = requests(open_, type_, writer, settings, prompts_dir=prompts_dir)
        made = after(open_, type_, asked, answered(asked, open_, type_))
        closed += [draft for draft in made if draft.is_closed]
        open_ = [draft for draft in made if not draft.is_closed]
    return closed + open_


def kept(draft: Draft, type_: str | None, reply: Reply) -> Reply:
    """The reply itself; where a plan assumes one, a reply that keeps the rules of the round."""
    return assumed_reply(reply.key, assumed(draft, type_)) if is_assumed(reply) else reply


def assumed(draft: Draft, type_: str | None) -> str:
    """A reply that would keep the rules: what a plan reckons with before anything is asked."""
    if type_ is None:
        return f"assumed {draft.context.item_id} passage."
    if type_ in REPLACED:
        word = next(found for found in _WORD_OUTSIDE.finditer(draft.marked) if found["word"])
        tagged = f"<{type_}><delete>{word['word']}</delete><mark>assumed</mark></{type_}>"
        return draft.marked[: word.start()] + tagged + draft.marked[word.end() :]
    return f"{draft.marked} <{type_}>assumed</{type_}>"
