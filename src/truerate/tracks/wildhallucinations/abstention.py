"""Whether a reply abstains: the paper's rule, and a better one; and a probe set that tells how often each is
wrong.

**paper** (WildHallucinations, appendix B: 26 phrases and six substrings, matched by two functions of FActScore's): a substring
anywhere in the reply; a reply that begins with a phrase; or paragraphs of which the first is empty or holds one.

**measured** (ours): `llm.replies.abstaining`.
"""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from truerate.core.schemas import pairs
from truerate.llm.replies.abstaining import is_abstention

HERE = Path(__file__).parent
PROBE = HERE / "probe.csv"  # text, lang, is_abstention, why, split: written for this, in our words
RULES = ("measured", "paper")
PHRASES = (
    "i could not find any information",
    "the search results do not provide",
    "there is no information",
    "there are no search results",
    "there are no provided search results",
    "not provided in the search results",
    "is not mentioned in the provided search results",
    "there seems to be a mistake in the question",
    "not sources found",
    "no sources found",
    "try a more general question",
    "unfortunately,",
    "there doesn't seem to be",
    "there does not seem to be",
    "please",
    "i do not",
    "i don't",
    "**no relevant",
    "i'm afraid",
    "i am afraid",
    "i apologize,",
    "i'm sorry",
    "i am sorry",
    "sorry",
    "i am not familiar with",
    "i'm not familiar with",
)
SUBSTRINGS = (
    "is not explicitly mentioned",
    "is not mentioned",
    "isn't mentioned",
    "is not a widely",
    "isn't a widely",
    "provide more",
)

_CITATION = re.compile(r"\s*\[\d+\]\s*")


def abstains(text: str, rule: str) -> bool:
    """Whether a reply abstains by one of RULES. An empty one does."""
    return {"paper": is_paper_abstention, "measured": is_abstention}[rule](text)


# ---- the paper's rule --------------------------------------------------------------------------------------


def is_paper_abstention(text: str) -> bool:
    """FActScore's matching: the reply begins with a phrase, or its first paragraph is empty or holds one; or
    it holds a substring anywhere.

    Case does not count; marks of citation are taken out first. (A later paragraph with a phrase only ends
    what is valid.)
    """
    plain = _CITATION.sub("", text).lower()
    first = plain.split("\n\n")[0]
    return (
        not first.strip()
        or any(phrase in first for phrase in PHRASES)
        or any(part in plain for part in SUBSTRINGS)
    )


# ---- how often each is wrong -------------------------------------------------------------------------------


def probe_scores(rows: Iterable[dict] | None = None, *, confidence: float) -> list[dict]:
    """How often both rules are wrong, per split: `metric`, `subject` (the rule), `slice` {split}, `value`,
    `low`, `high` (Wilson), `n`.

    `probe_false_alarm_rate`: share of the answers that are taken for abstentions; `probe_miss_rate`: share of
    the abstentions that are not. The rule was written on split `dev`; the rows of `held` were written before
    it and not touched since. None over no row.
    """
    from truerate.metrics.intervals import wilson

    rows, made = list(probe() if rows is None else rows), []
    for rule in RULES:
        for split in ("dev", "held"):
            for metric, label in (("probe_false_alarm_rate", "false"), ("probe_miss_rate", "true")):
                texts = [
                    row["text"] for row in rows if row["split"] == split and row["is_abstention"] == label
                ]
                wrong = sum(abstains(text, rule) != (label == "true") for text in texts)
                value, low, high = wilson(wrong, len(texts), confidence=confidence) or (None, None, None)
                where = {"metric": metric, "subject": rule, "slice": pairs(split=split)}
                made.append({**where, "value": value, "low": low, "high": high, "n": len(texts)})
    return made


def probe() -> list[dict[str, str]]:
    """The rows of the probe set."""
    with PROBE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
