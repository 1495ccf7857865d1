"""Read claims that were made self-contained by the number of the claim that each was written from: lines
`[1] claim`, or `[1] not checkable`.

Numbers in other marks (`marks`) are read as well. Of a claim with several lines, with none, or with one that
states nothing, nothing is read.
"""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.cutting import quotes, unwrapped
from truerate.llm.replies.lists import marks
from truerate.llm.replies.reading import Parsed, nothing

NOUNS = frozenset("claim claims fact statement c no nr number item".split())
UNCHECKABLE = ""  # what stands for a claim that nobody can check
MAX_CHARS = 600  # of a claim
_NOT = lazy(
    r"\W*(?:not (?:checkable|check-?worthy|verifiable)|uncheckable|unverifiable)\s*(?:[:;,.()–—-].*)?\Z",
    re.IGNORECASE,
)


def read_revisions(text: str, n: int) -> Parsed:
    """Return for each of `n` claims its self-contained words, UNCHECKABLE, or None where nothing was read; None
    with `empty`, `thought_only` or `absent` where that is so of all of them.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    lines: dict[int, list[str]] = {}
    for line in marks.lines_of(marks.level(answer), NOUNS):
        for number in line.entry.numbers if line.entry else ():
            lines.setdefault(number, []).append(line.entry.text if line.entry else "")
    claims = tuple(_claim(lines.get(number, ())) for number in range(1, n + 1))
    return (
        Parsed(claims, None, cuts)
        if any(claim is not None for claim in claims)
        else Parsed(None, "absent", cuts)
    )


def _claim(lines: Sequence[str]) -> str | None:
    """The claim of its lines."""
    if len(lines) != 1:
        return None
    if _NOT.match(lines[0]):
        return UNCHECKABLE
    claim = quotes(lines[0])[0].strip()
    return claim if any(map(str.isalpha, claim)) and len(claim) <= MAX_CHARS else None
