"""Verdicts with their place and reason as rows hold them: `Yes. …` or `No. …`, and the segments in an attribute.

The text of a row is what was read: the verdict, then the reason in the reply's words. So later steps need not
read a reply again.
"""

import re
from collections.abc import Mapping

from truerate.annotation.labels import UNTYPED
from truerate.llm.generation import Read
from truerate.llm.replies.located import located_verdict
from truerate.llm.replies.reading import cut

_VERDICT = re.compile(r"(?:Yes|No)\.\s*")


def read_located(reply: str, response: str, cue: str, knowledge: str) -> Read:
    """A reply as a verdict on a response, with `segments` (`start-end`, code points, half-open), how many strings
    it quotes (`n_quoted`) and how many of these stand nowhere (`n_not_located`); else `unparsed`.
    """
    found = located_verdict(reply, response, cue, knowledge=knowledge)
    if found.value is None:
        return Read(reply, "unparsed", found.reason, cut(found, "heading"))
    word = "Yes." if found.value else "No."
    known = {
        "verdict": "yes" if found.value else "no",
        "segments": written(found.segments),
        "n_quoted": str(found.n_quoted) if found.value else None,
        "n_not_located": str(found.n_not_located) if found.n_not_located else None,
        **cut(found, "heading"),
    }
    return Read(f"{word} {found.rationale}" if found.rationale else word, attributes=known)


def written(segments: tuple[tuple[int, int], ...]) -> str | None:
    """Segments as an attribute; None where there are none."""
    return " ".join(f"{start}-{end}" for start, end in segments) or None


def spans(known: Mapping[str, str]) -> list[dict]:
    """The spans of a row that its attribute `segments` names, as tables hold them."""
    places = [part.partition("-") for part in known.get("segments", "").split()]
    return [{"start": int(start), "end": int(end), "type": UNTYPED, "p": None} for start, _, end in places]


def rationale(text: str) -> str | None:
    """The reason of a row's text, without the verdict; None where there is none."""
    return _VERDICT.sub("", text, count=1).strip() or None
