"""Choices by marks: lines that give each of two texts a score or a tick."""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy
from truerate.llm.replies.comparisons import Asks

_RATED = lazy(
    r"[\W_]*?(?P<before>[✅✔✓☑❌✗✘✖])?[\s\ufe0f*_-]*\x00[\s*_:=(–—-]*(?:(?:score|rating)\s*[:=]?\s*)?"
    r"(?:(?P<score>\d{1,3}(?:\.\d+)?)(?:\s*/\s*\d{1,3}|\s*%)?|(?P<behind>[✅✔✓☑❌✗✘✖]))?[\W_]*",
    re.I,
)


def rated(text: str, mentions: list[tuple[int, int, int]], names: Sequence[str], asks: Asks) -> str | None:
    """What lines say that give each text a score or a tick: the higher or the ticked one where the best was asked
    for, else a reason (a high score may be of the answer or of the fault); None of other replies.
    """
    rates: dict[int, float] = {}
    for place, start, end in mentions:
        at, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        line = f"{text[at:start]}\0{text[end : stop if stop >= 0 else len(text)]}"
        found = _RATED.fullmatch(line)
        sign = found and (found["before"] or found["behind"])
        if not found or place in rates or not (sign or found["score"]):
            return None
        rates[place] = float(sign in "✅✔✓☑" if sign else found["score"])
    if asks != "best" or len(set(rates.values())) != len(rates) or not max(rates.values()):
        return "ambiguous"
    return names[max(rates, key=lambda place: rates[place])]
