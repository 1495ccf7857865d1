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

from truerate.core.data_files import read_data
from truerate.core.schemas import pairs
from truerate.llm.replies.abstaining import is_abstention

HERE = Path(__file__).parent
PROBE = HERE / "probe.csv"  # text, lang, is_abstention, why, split: written for this, in our words
RULES = ("measured", "paper")
WORDS = read_data(HERE / "abstention.yaml", dict)
PHRASES, SUBSTRINGS = WORDS["phrases"], WORDS["substrings"]
_CITATION = re.compile(r"\s*\[\d+\]\s*")


def abstains(text: str, rule: str) -> bool:
    """Return whether a reply abstains by one of RULES. An empty one does."""
    return {"paper": is_paper_abstention, "measured": is_abstention}[rule](text)


def is_paper_abstention(text: str) -> bool:
    """Return whether a reply abstains by FActScore's matching: its first paragraph is empty or holds a phrase, or the reply
    holds a substring anywhere.

    Case does not count; marks of citation are taken out first. (A later paragraph with a phrase only ends what is valid.)
    """
    plain = _CITATION.sub("", text).lower()
    first = plain.split("\n\n")[0]
    has_phrase = any(phrase in first for phrase in PHRASES)
    return not first.strip() or has_phrase or any(part in plain for part in SUBSTRINGS)


def probe_scores(rows: Iterable[dict] | None = None, *, confidence: float) -> list[dict]:
    """Return how often both rules are wrong, per split: `metric`, `subject` (the rule), `slice` {split}, `value`,
    `low`, `high` (Wilson), `n`.

    `probe_false_alarm_rate`: share of the answers that are taken for abstentions; `probe_miss_rate`: share of
    the abstentions that are not. The rule was written on split `dev`; the rows of `held` were written before
    it and not touched since. None over no row.
    """
    from truerate.metrics.intervals import wilson

    rows, scores = list(probe() if rows is None else rows), []
    for rule in RULES:
        for split in ("dev", "held"):
            for metric, label in (("probe_false_alarm_rate", "false"), ("probe_miss_rate", "true")):
                texts = [
                    row["text"] for row in rows if row["split"] == split and row["is_abstention"] == label
                ]
                wrong = sum(abstains(text, rule) != (label == "true") for text in texts)
                value, low, high = wilson(wrong, len(texts), confidence=confidence) or (None, None, None)
                where = {"metric": metric, "subject": rule, "slice": pairs(split=split)}
                scores.append({**where, "value": value, "low": low, "high": high, "n": len(texts)})
    return scores


def probe() -> list[dict[str, str]]:
    """Return the rows of the probe set."""
    with PROBE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
