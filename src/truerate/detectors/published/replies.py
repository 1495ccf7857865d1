"""What judges write, as verdict and segments: one reader per form. A reply that is not of its form has no
verdict and is `unparsed`; none is turned into *hallucinated*, as wrappers of some projects do.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from truerate.core.quotes import located, located_strings
from truerate.core.tags import TYPES
from truerate.core.text import words
from truerate.detectors.published.adapter import Reader

UNREAD, CUT = "unparsed-reply", "cut-reply"
UNSPECIFIED = "unspecified"  # type of a segment that its judge gives none
LISTS = ("hallucinated_spans", "hallucination list", "hallucination_list")  # keys, by project
EDITS: tuple[Reader, ...] = ("fava-tags",)  # forms that copy the text and mark it on the way
_FIRST_WORD = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_SCORE_TAG = re.compile(r"<score>\s*(yes|no)\s*</score>", re.IGNORECASE)
_PASS_OR_FAIL = re.compile(r'"SCORE":\s*"?(PASS|FAIL)\b', re.IGNORECASE)
_TAG = re.compile(rf"<({'|'.join(TYPES)})>(.*?)</\1>", re.DOTALL)
_PART_OF_TAG = re.compile(rf"</?(?:{'|'.join((*TYPES, 'mark', 'delete'))})>")
_DELETED, _ADDED = (
    re.compile(r"<delete>(.*?)</delete>", re.DOTALL),
    re.compile(r"<mark>.*?</mark>", re.DOTALL),
)


class Read(NamedTuple):
    """A reply as it was read. `verdict` true: hallucinated, null: unread; `reason` then says why."""

    verdict: bool | None
    spans: tuple[dict[str, Any], ...] = ()
    rationale: str | None = None
    reason: str | None = None


UNPARSED = Read(None, reason=UNREAD)


def read_reply(reader: Reader, reply: str, text: str, *, is_cut: bool = False) -> Read:
    """What a reply says of a text. `is_cut`: it ended at its limit of tokens; what stands in it counts where
    it is of its form, else that is the reason. A text that is copied with edits is not clean before its end.
    """
    read = _READERS[reader](reply, text)
    if is_cut and (read.verdict is None or (reader in EDITS and not read.verdict)):
        return Read(None, reason=CUT)
    return read


def _yes_is_supported(reply: str, text: str) -> Read:
    found = _FIRST_WORD.match(reply)
    return Read(found[1].lower() == "no") if found else UNPARSED


def _yes_is_hallucinated(reply: str, text: str) -> Read:
    """HalluJudge: `Yes.` with a reason that quotes, or `No.`"""
    found = _FIRST_WORD.match(reply)
    if found is None:
        return UNPARSED
    if found[1].lower() == "no":
        return Read(False)
    reason = reply[found.end() :].lstrip(" .,:").strip()
    places = located(reason, text).segments
    return Read(True, _spans((start, end, UNSPECIFIED) for start, end in places), reason or None)


def _score_tag(reply: str, text: str) -> Read:
    """Granite Guardian: the last tag; `yes` says that the text meets the criterion of being ungrounded."""
    found = _SCORE_TAG.findall(reply)
    return Read(found[-1].lower() == "yes") if found else UNPARSED


def _pass_or_fail(reply: str, text: str) -> Read:
    """Lynx: PASS says faithful."""
    found = _PASS_OR_FAIL.findall(reply)
    return Read(found[-1].upper() == "FAIL", rationale=reply.strip()) if found else UNPARSED


def _listed_spans(reply: str, text: str) -> Read:
    """A JSON object with a list of strings, or of objects with `text` and `category`: hallucinated where it
    is not empty. A string that stands nowhere in the text counts for the verdict and marks nothing.
    """
    try:
        said = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
    except (ValueError, RecursionError):
        return UNPARSED
    listed = next((said[key] for key in LISTS if isinstance(said, Mapping) and key in said), None)
    if not isinstance(listed, list):
        return UNPARSED
    entries = [one if isinstance(one, Mapping) else {"text": one} for one in listed]
    if any(not isinstance(entry.get("text"), str) for entry in entries):
        return UNPARSED
    found = ((entry["text"], str(entry.get("category") or UNSPECIFIED)) for entry in entries)
    return Read(bool(entries), _spans(_places(found, text)))


def _fava_tags(reply: str, text: str) -> Read:
    """FAVA's edits: what it deletes is what is wrong; a tag without a deletion or an addition is wrong whole.

    Without a whole tag a reply is the text again, unread where it holds a part of a tag or is mostly other words.
    """
    wrong = [(" ".join(_wrong(inside)), name) for name, inside in _TAG.findall(reply)]
    if not wrong and (_PART_OF_TAG.search(reply) or not _is_copy(reply, text)):
        return UNPARSED
    return Read(bool(wrong), _spans(_places(((part, name) for part, name in wrong if part), text)))


def _is_copy(reply: str, text: str) -> bool:
    """Whether more than half of a reply's words, or of its signs where it has no words, are the text's."""
    said, known = (words(one.casefold()) or one.split() for one in (reply, text))
    return 2 * sum(word in set(known) for word in said) > len(said)


def _wrong(inside: str) -> list[str]:
    deleted = _DELETED.findall(inside)
    return deleted if deleted else [rest] if (rest := _ADDED.sub("", inside).strip()) else []


def _places(found: Iterator[tuple[str, str]], text: str) -> Iterator[tuple[int, int, str]]:
    """Where strings stand in a text, the second of two equal ones behind the first."""
    behind: dict[str, int] = {}
    for part, kind in found:
        begin = behind.get(part, 0)
        for start, end in located_strings([part], text[begin:]).segments[:1]:
            behind[part] = begin + end
            yield begin + start, begin + end, kind


def _spans(places: Iterator[tuple[int, int, str]]) -> tuple[dict[str, Any], ...]:
    """Spans in order, disjoint: of those that overlap the first stands."""
    found: list[dict[str, Any]] = []
    for start, end, kind in sorted(places):
        if not found or start >= found[-1]["end"]:
            found.append({"start": start, "end": end, "type": kind, "p": None})
    return tuple(found)


_READERS: dict[Reader, Callable[[str, str], Read]] = {
    "yes-is-supported": _yes_is_supported,
    "yes-is-hallucinated": _yes_is_hallucinated,
    "score-tag": _score_tag,
    "pass-or-fail": _pass_or_fail,
    "listed-spans": _listed_spans,
    "fava-tags": _fava_tags,
}


def of_windows(reads: list[Read]) -> Read:
    """What a judge says of a text by all windows of its document: faithful where any window bears it out,
    unread where none does and one could not be read; its segments are the characters that every window marks.
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
        spans = tuple(one for one in cut if one["start"] < one["end"])
    return spans
