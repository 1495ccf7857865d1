"""Readers of judges' replies, one per form; a reply that is not of its form is `unparsed`."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from truerate.core.spans.quotes import located, located_strings
from truerate.core.spans.tags import TYPES
from truerate.core.text import words
from truerate.detectors.published.adapters import Reader

UNREAD, CUT = "unparsed-reply", "cut-reply"
UNSPECIFIED = "unspecified"  # type of a segment that its judge gives none
LISTS = ("hallucinated_spans", "hallucination list", "hallucination_list")  # keys, by project
EDITS: tuple[Reader, ...] = ("fava-tags",)  # forms that copy the text and mark it on the way
_FIRST_WORD = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_SCORE_TAG = re.compile(r"<score>\s*(yes|no)\s*</score>", re.IGNORECASE)
_PASS_OR_FAIL = re.compile(r'"SCORE":\s*"?(PASS|FAIL)\b', re.IGNORECASE)
_TAG = re.compile(rf"<({'|'.join(TYPES)})>(.*?)</\1>", re.DOTALL)
_PART_OF_TAG = re.compile(rf"</?(?:{'|'.join((*TYPES, 'mark', 'delete'))})>")
_DELETED = re.compile(r"<delete>(.*?)</delete>", re.DOTALL)
_ADDED = re.compile(r"<mark>.*?</mark>", re.DOTALL)


class Read(NamedTuple):
    """A reply as it was read. `verdict` true: hallucinated, null: unread; `reason` then says why."""

    verdict: bool | None
    spans: tuple[dict[str, Any], ...] = ()
    rationale: str | None = None
    reason: str | None = None


UNPARSED = Read(None, reason=UNREAD)


def read_reply(reader: Reader, reply: str, text: str, *, is_cut: bool = False) -> Read:
    """Return what a reply says of a text. `is_cut`: it ended at its limit of tokens; what stands in it counts
    where it is of its form, else that is the reason. A text that is copied with edits is not clean before its
    end.
    """
    read = _READERS[reader](reply, text)
    if is_cut and (read.verdict is None or (reader in EDITS and not read.verdict)):
        return Read(None, reason=CUT)
    return read


def _yes_is_supported(reply: str, text: str) -> Read:
    match = _FIRST_WORD.match(reply)
    return Read(match[1].lower() == "no") if match else UNPARSED


def _yes_is_hallucinated(reply: str, text: str) -> Read:
    """HalluJudge: `Yes.` with a reason that quotes, or `No.`"""
    match = _FIRST_WORD.match(reply)
    if match is None:
        return UNPARSED
    if match[1].lower() == "no":
        return Read(False)
    reason = reply[match.end() :].lstrip(" .,:").strip()
    places = located(reason, text).segments
    return Read(True, _spans((start, end, UNSPECIFIED) for start, end in places), reason or None)


def _score_tag(reply: str, text: str) -> Read:
    """Granite Guardian: the last tag; `yes` says that the text meets the criterion of being ungrounded."""
    tags = _SCORE_TAG.findall(reply)
    return Read(tags[-1].lower() == "yes") if tags else UNPARSED


def _pass_or_fail(reply: str, text: str) -> Read:
    """Lynx: PASS says faithful."""
    verdicts = _PASS_OR_FAIL.findall(reply)
    return Read(verdicts[-1].upper() == "FAIL", rationale=reply.strip()) if verdicts else UNPARSED


def _listed_spans(reply: str, text: str) -> Read:
    """A JSON object with a list of strings, or of objects with `text` and `category`: hallucinated where it
    is not empty. A string that stands nowhere in the text counts for the verdict and marks nothing.
    """
    try:
        value = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
    except (ValueError, RecursionError):
        return UNPARSED
    listed = next((value[key] for key in LISTS if isinstance(value, Mapping) and key in value), None)
    if not isinstance(listed, list):
        return UNPARSED
    entries = [entry if isinstance(entry, Mapping) else {"text": entry} for entry in listed]
    if any(not isinstance(entry.get("text"), str) for entry in entries):
        return UNPARSED
    parts = ((entry["text"], str(entry.get("category") or UNSPECIFIED)) for entry in entries)
    return Read(bool(entries), _spans(_places(parts, text)))


def _fava_tags(reply: str, text: str) -> Read:
    """FAVA's edits: what it deletes is what is wrong; a tag without a deletion or an addition is wrong whole.
    Without a whole tag a reply is the text again, unread where it holds a part of a tag or is mostly other
    words.
    """
    wrong = [(" ".join(_wrong(inside)), name) for name, inside in _TAG.findall(reply)]
    if not wrong and (_PART_OF_TAG.search(reply) or not _is_copy(reply, text)):
        return UNPARSED
    return Read(bool(wrong), _spans(_places(((part, name) for part, name in wrong if part), text)))


def _is_copy(reply: str, text: str) -> bool:
    """Return whether more than half of a reply's words (signs, without words) are the text's."""
    reply_words, text_words = (words(string.casefold()) or string.split() for string in (reply, text))
    return 2 * sum(word in set(text_words) for word in reply_words) > len(reply_words)


def _wrong(inside: str) -> list[str]:
    deleted = _DELETED.findall(inside)
    return deleted if deleted else [rest] if (rest := _ADDED.sub("", inside).strip()) else []


def _places(parts: Iterator[tuple[str, str]], text: str) -> Iterator[tuple[int, int, str]]:
    """Return where strings stand in a text, the second of two equal ones behind the first."""
    behind: dict[str, int] = {}
    for part, kind in parts:
        begin = behind.get(part, 0)
        for start, end in located_strings([part], text[begin:]).segments[:1]:
            behind[part] = begin + end
            yield begin + start, begin + end, kind


def _spans(places: Iterator[tuple[int, int, str]]) -> tuple[dict[str, Any], ...]:
    """Spans in order, disjoint: of those that overlap the first stands."""
    spans: list[dict[str, Any]] = []
    for start, end, kind in sorted(places):
        if not spans or start >= spans[-1]["end"]:
            spans.append({"start": start, "end": end, "type": kind, "p": None})
    return tuple(spans)


_READERS: dict[Reader, Callable[[str, str], Read]] = {
    "yes-is-supported": _yes_is_supported,
    "yes-is-hallucinated": _yes_is_hallucinated,
    "score-tag": _score_tag,
    "pass-or-fail": _pass_or_fail,
    "listed-spans": _listed_spans,
    "fava-tags": _fava_tags,
}


def of_windows(reads: list[Read]) -> Read:
    """Return what a judge says of a text by all windows of its document: faithful where any window bears it
    out, unread where none does and one could not be read; its segments are the characters that every window
    marks.
    """
    if len(reads) == 1 or all(read.verdict for read in reads):
        return reads[0]._replace(spans=_common(reads))
    clean = next((read for read in reads if read.verdict is False), None)
    return clean or next(read for read in reads if read.verdict is None)


def _common(reads: list[Read]) -> tuple[dict[str, Any], ...]:
    spans = reads[0].spans
    for other in reads[1:]:
        pairs = [(a, b) for a in spans for b in other.spans]
        cut = [{**a, "start": max(a["start"], b["start"]), "end": min(a["end"], b["end"])} for a, b in pairs]
        spans = tuple(span for span in cut if span["start"] < span["end"])
    return spans
