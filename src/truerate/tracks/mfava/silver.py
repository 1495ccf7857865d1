"""Silver passages (mFAVA section 3.1): written from a reference, then six separate insertions, each read
before the next is asked.

A passage under way is a `Draft`. Every round is one batch over all open drafts. A reply that does not keep
the rules stays as a row that is not `ok`, with the raw text; the round is then asked for again with another
seed (`retries`), and the last refusal closes the draft.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import regex

from truerate.core.tags import REASONS as TAG_REASONS
from truerate.core.tags import REPLACED, TYPES, Refused, Tagged, parse_tags
from truerate.core.text import sentences
from truerate.llm import Reply, Request, prompts
from truerate.llm.dry_run import assumed_reply, is_assumed
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.passages import plain_passage, readings
from truerate.llm.replies.refusals import is_refusal
from truerate.tracks.mfava.context import Context, language
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
        refused = refusal_of(reading.text, before=marked, type_=type_, max_words=max_words)
        if refused is None:
            n_words = longest_replacement(reading.text, type_)
            known = {"cuts": " ".join(reading.cuts) or None}
            if n_words > USUAL_WORDS:
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


# ---- The rules of one insertion round: what a reply may change of a passage --------------------------------


# Why a passage is refused: the tag grammar's reasons, and · tags of an earlier round changed · nothing of
# this type came · nothing was replaced · too many words were · something invented before the first
# sentence.
REASONS = (*TAG_REASONS, "touched-tags", "nothing-inserted", "not-replaced", "too-long", "invented-first")
# that an entity or relation insertion usually replaces, and puts in their place (mFAVA section 3.1:
# "usually"); how many are refused is a setting
USUAL_WORDS = 3
# of a script without spaces: words there are rarely longer, a name written by its sound takes two or three
# such
CHARACTERS_PER_WORD = 4
_OLD = re.compile(r"<delete>(?P<old>[^<>]*)</delete>")
_MARK = re.compile(r"<mark>(?P<new>[^<>]*)</mark>")
_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")


def refusal_of(reply: str, *, before: str, type_: str, max_words: int) -> Refused | None:
    """Why a reply is no passage with new tags of one type in it, None where it is.

    `before` is the passage with the tags of earlier rounds, `max_words` how many words a replacement may
    take out or put in. Without the new tags, and with what they deleted,
    the reply must be that text, blank space apart; earlier tags stand as they stood. Tags of later rounds are
    unknown.
    """
    if not reply.strip():
        return Refused("empty", "no text")
    earlier = TYPES[: TYPES.index(type_)]
    if (kept := _elements(reply, earlier)) != (given := _elements(before, earlier)):
        return Refused(
            "touched-tags",
            f"{len(given)} earlier tags were given, {len(kept)} came back or what they hold has changed",
        )
    tagged = parse_tags(reply, types=(*earlier, type_))
    if isinstance(tagged, Refused):
        inside = re.search(r"tags inside '<(\w+)>'", tagged.detail)
        return tagged if inside is None or inside[1] == type_ else Refused("touched-tags", tagged.detail)
    if _squeezed(_element(type_).sub(_undone, reply)) != _squeezed(before):
        return Refused("altered", "the text outside the new tags is not the one that was given")
    new = [match[1] for match in _element(type_).finditer(reply)]
    if not new:
        return Refused("nothing-inserted", f"no <{type_}> in the reply")
    return _replaced_rightly(new, max_words) if type_ in REPLACED else _placed_rightly(tagged, before, type_)


def longest_replacement(marked: str, type_: str) -> int:
    """The words of the longest piece that insertions of this type took out or put in; 0 without any."""
    pieces = [
        piece[1]
        for inside in _element(type_).findall(marked)
        for part in (_OLD, _MARK)
        for piece in part.finditer(inside)
    ]
    return max(map(n_words, pieces), default=0)


def _replaced_rightly(new: list[str], max_words: int) -> Refused | None:
    for inside in new:
        old, mark = _OLD.search(inside), _MARK.search(inside)
        if old is None or mark is None or not old["old"].strip() or old["old"].split() == mark["new"].split():
            return Refused("not-replaced", f"{inside[:80]!r} does not put other words in the place of some")
        longest = max(n_words(old["old"]), n_words(mark["new"]))
        if longest > max_words:
            return Refused("too-long", f"{longest} words; allowed: 1 to {max_words}")
    return None


def _placed_rightly(tagged: Tagged, before: str, type_: str) -> Refused | None:
    if type_ != "invented":
        return None
    first = _squeezed((sentences(parse_tags(before).text) or [""])[0])
    for span in tagged.spans:
        if span["type"] == type_ and len(_squeezed(tagged.text[: span["start"]])) < len(first):
            return Refused("invented-first", "stands before the end of the first sentence")
    return None


def n_words(text: str) -> int:
    """The words of a piece of text by blank space; a run of a script without spaces counts a word per
    `CHARACTERS_PER_WORD` characters.
    """
    n_runs = sum(-(-len(run) // CHARACTERS_PER_WORD) for run in _RUN.findall(text))
    return n_runs + len(_RUN.sub(" ", text).split())


def _element(type_: str) -> re.Pattern:
    return re.compile(rf"<{type_}>(.*?)</{type_}>", re.DOTALL)


def _elements(marked: str, types: tuple[str, ...]) -> list[str]:
    """The whole elements of these types, in order."""
    return (
        [match[0] for match in re.finditer(rf"<({'|'.join(types)})>.*?</\1>", marked, re.DOTALL)]
        if types
        else []
    )


def _undone(element: re.Match) -> str:
    """What stood there before an insertion: the deleted words, or nothing."""
    old = _OLD.search(element[1])
    return old["old"] if old else ""


def _squeezed(text: str) -> str:
    return "".join(text.split())
