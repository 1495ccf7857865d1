"""Silver passages (mFAVA section 3.1): written from a reference, then six insertions, each read before the
next.

A passage under way is a `Draft`. Every round is one batch over all open drafts. A reply that does not keep
the rules stays as a row that is not `ok`; the round is asked for again with another seed (`retries`), and the
last refusal closes the draft.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import regex

from truerate.core.spans.tags import REASONS as TAG_REASONS
from truerate.core.spans.tags import REPLACED, TYPES, Refused, Tagged, parse_tags
from truerate.core.text import sentences
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.texts.passages import plain_passage, readings
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.llm.request import Reply, Request
from truerate.tracks.asking import Prompter
from truerate.tracks.mfava.context import Context, language
from truerate.tracks.mfava.settings import Settings
from truerate.tracks.mfava.wild import says_unknown

WRITE, INSERT = "write", "insert"
TAGS = (*TYPES, "delete", "mark")
HEADINGS = ("Tagged Passage", "Edited Passage", "Modified Passage", "Passage")
SAME_TEXT = ("nothing-inserted", "not-replaced", "too-long", "invented-first")
ROUNDS = (None, *TYPES)  # the passage itself, then one type after another
SEES_REFERENCE = ("contradictory", "unverifiable")  # the other writers see the subject alone (section 3.1)
_WORD_OUTSIDE = re.compile(r"<(\w+)>.*?</\1>|(?P<word>\w{1,4})", re.DOTALL)


@dataclass(frozen=True)
class Draft:
    """A passage under way: its text with the tags so far (None before it is written), its replies' rows."""

    context: Context
    marked: str | None = None
    rows: tuple[dict, ...] = ()
    is_closed: bool = False


def run(
    contexts: Sequence[Context],
    writer: str,
    prompter: Prompter,
    answered: Callable[[Sequence[Prompted], Sequence[Draft], str | None], Sequence[Reply]],
) -> list[Draft]:
    """Return the drafts of all contexts after all rounds. `answered` gives the replies of one round, from its
    requests, the drafts they stand for, and the type.
    """
    closed, open_ = [], [Draft(context) for context in contexts]
    settings = prompter.settings
    for type_ in ROUNDS:
        pending, passed = open_, []
        for attempt in range(1 + settings.retries):
            asked = [request(draft, type_, writer, prompter, attempt=attempt) for draft in pending]
            replies = answered(asked, pending, type_)
            is_last = attempt == settings.retries
            tried = [
                _after(*answer, type_, max_words=settings.max_replaced_words, is_last=is_last)
                for answer in zip(pending, asked, replies, strict=True)
            ]
            closed += [draft for draft in tried if draft.is_closed]
            passed += [draft for draft in tried if draft.rows[-1]["status"] == "ok"]
            pending = [draft for draft in tried if not draft.is_closed and draft.rows[-1]["status"] != "ok"]
            if not pending:
                break
        open_ = passed
    return closed + open_


def request(
    draft: Draft, type_: str | None, writer: str, prompter: Prompter, *, attempt: int = 0
) -> Prompted:
    """Return what a round asks of a draft: the passage (`type_` None), or insertions of one type; `attempt`:
    how often this was asked for before, which the attribute `try` holds.
    """
    context, settings = draft.context, prompter.settings
    name = language(context.lang).name
    if type_ is None:
        values = {"question": context.question, "n_sentences": settings.n_sentences}
        messages = prompter.messages("write", language=name, reference=context.knowledge, **values)
    else:
        reference = context.knowledge if type_ in SEES_REFERENCE else ""
        values = {"subject": context.subject, "reference": reference, "passage": draft.marked}
        messages = prompter.messages("insert", language=name, type=type_, **values)
    attributes = {"lang": context.lang, "task": "silver", "type": type_}
    attributes |= {"try": str(attempt + 1)} if attempt else {}
    sampling = settings.inserting if type_ else settings.writing
    prompt_request = Request(writer, messages, decoding(sampling, attempt), attempt)
    return Prompted(prompt_request, context.item_id, INSERT if type_ else WRITE, attributes, may_decline=True)


def further_tries(asked: Sequence[Prompted], type_: str | None, settings: Settings) -> list[Request]:
    """Return the requests of all tries after the first, which a plan counts with."""
    sampling = settings.inserting if type_ else settings.writing
    return [
        replace(question.request, params=decoding(sampling, attempt), sample_index=attempt)
        for question in asked
        for attempt in range(1, settings.retries + 1)
    ]


def assumed(draft: Draft, type_: str | None) -> str:
    """Return a reply that would keep the rules of a round: what a plan counts with."""
    if type_ is None:
        return f"assumed {draft.context.item_id} passage."
    marked = draft.marked or ""
    if type_ in REPLACED:
        word = next(match for match in _WORD_OUTSIDE.finditer(marked) if match["word"])
        tagged = f"<{type_}><delete>{word['word']}</delete><mark>assumed</mark></{type_}>"
        return marked[: word.start()] + tagged + marked[word.end() :]
    return f"{marked} <{type_}>assumed</{type_}>"


def _after(
    draft: Draft, asked: Prompted, reply: Reply, type_: str | None, *, max_words: int, is_last: bool
) -> Draft:
    """A draft with the reply of one try read into it. A refused reply closes it where the try `is_last`; one
    that never came closes it at once.
    """
    if type_ is None:
        read = read_passage(reply.text, draft.context.lang)
    else:
        read = read_insertion(reply.text, draft.marked or "", type_, max_words=max_words)
    is_retried = reply.status == "ok" and read.status == "unparsed" and not is_last
    if read.status == "unparsed":
        following = "asked again" if is_retried else "the passage is lost"
        detail = "; ".join(part for part in (read.attributes.get("detail"), following) if part)
        read = replace(read, attributes={**read.attributes, "detail": detail})
    row = generation(asked, reply, read)
    is_ok = row["status"] == "ok"
    marked = read.text if is_ok else draft.marked
    return replace(draft, marked=marked, rows=(*draft.rows, row), is_closed=not (is_ok or is_retried))


def read_passage(text: str, lang: str) -> Read:
    """Read a passage written in a language. One that already holds tags is refused, because nobody could tell
    them from insertions; a writer that declines, or says that it does not know, abstains.
    """
    passage = plain_passage(text, "Passage")
    cuts = {"cuts": " ".join(passage.cuts) or None}
    if not passage.text:
        return Read(text, "unparsed", "empty", cuts)
    tagged = parse_tags(passage.text)
    if isinstance(tagged, Refused):
        return Read(text, "unparsed", tagged.reason, {"detail": tagged.detail, **cuts})
    if tagged.spans:
        detail = "the passage holds tags before anything was inserted"
        return Read(text, "unparsed", "malformed", {"detail": detail, **cuts})
    if is_refusal(passage.text) or says_unknown(passage.text, lang):
        return Read(text, "abstained", "refusal")
    return Read(passage.text, attributes=cuts)


def read_insertion(text: str, marked: str, type_: str, *, max_words: int) -> Read:
    """Read the passage with this round's tags: the least cut of a reply's readings that keeps the rules;
    where none does, why the first does not that gives the text back, else the first of all (REASONS,
    `refusal`).
    """
    first: Refused | None = None
    for reading in readings(text, TAGS, *HEADINGS):
        refused = refusal_of(reading.text, before=marked, type_=type_, max_words=max_words)
        if refused is None:
            longest = longest_replacement(reading.text, type_)
            attributes = {"cuts": " ".join(reading.cuts) or None}
            attributes |= {"n_words": str(longest)} if longest > USUAL_WORDS else {}
            return Read(reading.text, attributes=attributes)
        # a reading whose text is the one that was given tells more than how the reply as a whole differs
        if first is None or (first.reason not in SAME_TEXT and refused.reason in SAME_TEXT):
            first = refused
    assert first is not None  # every reply has a reading
    if is_refusal(text):
        return Read(text, "abstained", "refusal")
    return Read(text, "unparsed", first.reason, {"detail": first.detail})


# ---- the rules of one insertion round ----------------------------------------------------------------------


# Why a passage is refused: the tag grammar's reasons, and · tags of an earlier round changed · nothing of
# this type came · nothing was replaced · too many words were · something invented before the first sentence.
REASONS = (*TAG_REASONS, "touched-tags", *SAME_TEXT)
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
    """Return why a reply is no passage with new tags of one type in it, None where it is.

    `before` is the passage with the tags of earlier rounds, `max_words` the words that a replacement may take
    out or put in. Without the new tags, and with what they deleted, the reply must be that text, blank space
    apart; earlier tags stand as they stood. Tags of later rounds are unknown.
    """
    if not reply.strip():
        return Refused("empty", "no text")
    earlier = TYPES[: TYPES.index(type_)]
    if (returned := _elements(reply, earlier)) != (given := _elements(before, earlier)):
        counts = f"{len(given)} earlier tags were given, {len(returned)} came back"
        return Refused("touched-tags", f"{counts} or what they hold has changed")
    tagged = parse_tags(reply, types=(*earlier, type_))
    if isinstance(tagged, Refused):
        inside = re.search(r"tags inside '<(\w+)>'", tagged.detail)
        return tagged if inside is None or inside[1] == type_ else Refused("touched-tags", tagged.detail)
    undone = _element(type_).sub(
        lambda element: old["old"] if (old := _OLD.search(element[1])) else "", reply
    )
    if _squeezed(undone) != _squeezed(before):
        return Refused("altered", "the text outside the new tags is not the one that was given")
    inserted = _element(type_).findall(reply)
    if not inserted:
        return Refused("nothing-inserted", f"no <{type_}> in the reply")
    if type_ in REPLACED:
        return _refused_replacement(inserted, max_words)
    return _refused_place(tagged, before) if type_ == "invented" else None


def _refused_replacement(inserted: Sequence[str], max_words: int) -> Refused | None:
    for inside in inserted:
        old, mark = _OLD.search(inside), _MARK.search(inside)
        if old is None or mark is None or not old["old"].strip() or old["old"].split() == mark["new"].split():
            return Refused("not-replaced", f"{inside[:80]!r} does not put other words in the place of some")
        longest = max(n_words(old["old"]), n_words(mark["new"]))
        if longest > max_words:
            return Refused("too-long", f"{longest} words; allowed: 1 to {max_words}")
    return None


def _refused_place(tagged: Tagged, before: str) -> Refused | None:
    first = _squeezed((sentences(parse_tags(before).text) or [""])[0])
    for span in tagged.spans:
        if span["type"] == "invented" and len(_squeezed(tagged.text[: span["start"]])) < len(first):
            return Refused("invented-first", "stands before the end of the first sentence")
    return None


def longest_replacement(marked: str, type_: str) -> int:
    """Return the words of the longest piece that insertions took out or put in; 0 without any."""
    inserted = _element(type_).findall(marked)
    pieces = [piece for inside in inserted for part in (_OLD, _MARK) for piece in part.findall(inside)]
    return max(map(n_words, pieces), default=0)


def n_words(text: str) -> int:
    """Return the words of a text; a script without spaces has one per CHARACTERS_PER_WORD."""
    n_runs = sum(-(-len(run) // CHARACTERS_PER_WORD) for run in _RUN.findall(text))
    return n_runs + len(_RUN.sub(" ", text).split())


def _element(type_: str) -> re.Pattern:
    return re.compile(rf"<{type_}>(.*?)</{type_}>", re.DOTALL)


def _elements(marked: str, types: Sequence[str]) -> list[str]:
    """The whole elements of these types, in order."""
    if not types:
        return []
    return [match[0] for match in re.finditer(rf"<({'|'.join(types)})>.*?</\1>", marked, re.DOTALL)]


def _squeezed(text: str) -> str:
    return "".join(text.split())
