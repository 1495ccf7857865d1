"""Silver passages (mFAVA section 3.1): written from a reference, then six separate insertions, each read
before the next is asked.

A passage under way is a `Draft`. Every round is one batch over all open drafts. A reply that does not keep
the rules stays as a row that is not `ok`, with the raw text; the round is then asked for again with another
seed (`retries`), and the last refusal closes the draft.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from truerate.core.tags import REPLACED, TYPES, Refused, parse_tags
from truerate.llm import Reply, Request, prompts
from truerate.llm.dry_run import assumed_reply, is_assumed
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.passages import plain_passage, readings
from truerate.llm.replies.refusals import is_refusal
from truerate.tracks.mfava import inserting
from truerate.tracks.mfava.context import Context
from truerate.tracks.mfava.languages import language
from truerate.tracks.mfava.replies import says_unknown
from truerate.tracks.mfava.settings import Settings

WRITE, INSERT = "write", "insert"
TAGS = (*TYPES, "delete", "mark")
HEADINGS = ("Tagged Passage", "Edited Passage", "Modified Passage", "Passage")
SAME_TEXT = ("nothing-inserted", "not-replaced", "too-long", "invented-first")
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
    open_: Sequence[Draft],
    type_: str | None,
    writer: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
    attempt: int = 0,
) -> list[Prompted]:
    """What one round asks of every draft: the passage (`type_` None), or insertions of one type. `attempt`:
    how often this was asked for before; the attribute `try` tells it where it was.
    """
    decoded = decoding(settings.inserting if type_ else settings.writing, attempt)
    asked = []
    for draft in open_:
        known = {"lang": draft.context.lang, "task": "silver", "type": type_}
        if attempt:
            known["try"] = str(attempt + 1)
        messages = _messages(draft, type_, settings, prompts_dir)
        request = Request(writer, tuple(messages), decoded, attempt)
        purpose = INSERT if type_ else WRITE
        asked.append(Prompted(request, draft.context.item_id, purpose, known, may_decline=True))
    return asked


def further_tries(asked: Sequence[Prompted], type_: str | None, settings: Settings) -> list[Request]:
    """The requests of all tries after the first, where none of them kept the rules: what a plan reckons with."""
    how = settings.inserting if type_ else settings.writing
    return [
        replace(one.request, params=decoding(how, attempt), sample_index=attempt)
        for one in asked
        for attempt in range(1, settings.retries + 1)
    ]


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
    open_: Sequence[Draft],
    type_: str | None,
    asked: Sequence[Prompted],
    replies: Sequence[Reply],
    *,
    settings: Settings,
    is_last: bool,
) -> list[Draft]:
    """The drafts with the replies of one try read into them. A refused reply closes its draft where the try
    `is_last`; one that never came closes it at once.
    """
    return [
        _after(draft, type_, *pair, max_words=settings.max_replaced_words, is_last=is_last)
        for draft, *pair in zip(open_, asked, replies, strict=True)
    ]


def _after(
    draft: Draft, type_: str | None, asked: Prompted, reply: Reply, *, max_words: int, is_last: bool
) -> Draft:
    read = (
        read_passage(reply.text, draft.context.lang)
        if type_ is None
        else read_insertion(reply.text, draft.marked or "", type_, max_words=max_words)
    )
    is_again = reply.status == "ok" and read.status == "unparsed" and not is_last
    if read.status == "unparsed":
        said = "asked again" if is_again else "the passage is lost"
        detail = "; ".join(part for part in (read.attributes.get("detail"), said) if part)
        read = replace(read, attributes={**read.attributes, "detail": detail})
    row = generation(asked, reply, read)
    is_ok = row["status"] == "ok"
    marked = read.text if is_ok else draft.marked
    return replace(draft, marked=marked, rows=(*draft.rows, row), is_closed=not (is_ok or is_again))


def read_passage(text: str, lang: str) -> Read:
    """A passage written in a language; one that already holds tags is refused, because nobody could tell them from insertions, and
    a writer that declines, or says no more than that it does not know, has written none.
    """
    found = plain_passage(text, "Passage")
    cuts = {"cuts": " ".join(found.cuts) or None}
    if not found.text:
        return Read(text, "unparsed", "empty", cuts)
    tagged = parse_tags(found.text)
    if isinstance(tagged, Refused):
        return Read(text, "unparsed", tagged.reason, {"detail": tagged.detail, **cuts})
    if tagged.spans:
        said = "the passage holds tags before anything was inserted"
        return Read(text, "unparsed", "malformed", {"detail": said, **cuts})
    if is_refusal(found.text) or says_unknown(found.text, lang):
        return Read(text, "abstained", "refusal")
    return Read(found.text, attributes=cuts)


def read_insertion(text: str, marked: str, type_: str, *, max_words: int) -> Read:
    """The passage with this round's tags, or why it is none (`inserting.REASONS`, `refusal`): the least cut
    of its readings that keeps the rules; where none does, why the first does not that gives the text back,
    else the first of all.

    `n_words` of a row tells that a replacement is longer than is usual.
    """
    first: Refused | None = None
    for reading in readings(text, TAGS, *HEADINGS):
        refused = inserting.refused(reading.text, before=marked, type_=type_, max_words=max_words)
        if refused is None:
            n_words = inserting.longest_replacement(reading.text, type_)
            known = {"cuts": " ".join(reading.cuts) or None}
            if n_words > inserting.USUAL_WORDS:
                known["n_words"] = str(n_words)
            return Read(reading.text, attributes=known)
        # a reading whose text is the one that was given tells more than how the reply as a whole differs
        if first is None or (first.reason not in SAME_TEXT and refused.reason in SAME_TEXT):
            first = refused
    assert first is not None  # every reply has a reading
    if is_refusal(text):
        return Read(text, "abstained", "refusal")
    return Read(text, "unparsed", first.reason, {"detail": first.detail})


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
        pending, passed = open_, []
        n_tries = 1 + settings.retries
        for attempt in range(n_tries):
            asked = requests(pending, type_, writer, settings, prompts_dir=prompts_dir, attempt=attempt)
            replies = answered(asked, pending, type_)
            is_last = attempt + 1 == n_tries
            made = after(pending, type_, asked, replies, settings=settings, is_last=is_last)
            closed += [draft for draft in made if draft.is_closed]
            passed += [draft for draft in made if draft.rows[-1]["status"] == "ok"]
            pending = [draft for draft in made if not draft.is_closed and draft.rows[-1]["status"] != "ok"]
            if not pending:
                break
        open_ = passed
    return closed + open_


def kept(draft: Draft, type_: str | None, reply: Reply) -> Reply:
    """The reply itself; where a plan assumes one, a reply that keeps the rules of the round."""
    return assumed_reply(reply.key, assumed(draft, type_)) if is_assumed(reply) else reply


def assumed(draft: Draft, type_: str | None) -> str:
    """A reply that would keep the rules: what a plan reckons with before anything is asked."""
    if type_ is None:
        return f"assumed {draft.context.item_id} passage."
    if type_ in REPLACED:
        word = next(match for match in _WORD_OUTSIDE.finditer(draft.marked) if match["word"])
        tagged = f"<{type_}><delete>{word['word']}</delete><mark>assumed</mark></{type_}>"
        return draft.marked[: word.start()] + tagged + draft.marked[word.end() :]
    return f"{draft.marked} <{type_}>assumed</{type_}>"
