"""Whether a reply abstains: the paper's rule, and a better one; and a probe set that tells how often each is
wrong.

**paper** (WildHallucinations, appendix: 26 phrases, six further substrings, matched as FActScore does). The appendix was not at hand, so
the lists stand here from other public ones:
- sourced: the first 11 of `PHRASES` are FActScore's (`abstain_detection`, Min et al. 2023), and so is the way of matching by the beginning
  and by paragraphs; the next 15 are those that a later public scorer built on FActScore (`AbstentionScorer`, `invalid_mentions`) appends to
  them. Together they are 26, the paper's count, and hold "Unfortunately,", "I don't" and "Sorry", which the paper's rule is known to flag;
  that the two lists are equal word by word is not proved.
- known from what the paper's rule flags: "please" and "not a widely" of `SUBSTRINGS`; that they are matched anywhere and without case.
- reconstructed: the other four of `SUBSTRINGS`. Nothing rests on them but replies that hold just these words.

**measured** (ours): a reply abstains where a clause that says "I do not know" in its language comes before anything is stated and little is
stated after it. What stands in quotation marks, and English phrases in title case, are names, not speech.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from truerate.core.schemas import pairs
from truerate.core.text import sentences, words
from truerate.llm.replies.cutting import MAX_CHARS, element, visible

HERE = Path(__file__).parent
REFUSALS = (
    HERE / "abstentions.csv"
)  # lang, phrase: ways of not knowing in our words, as patterns; `…` stands for a few words
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
    "i do not",
    "i don't",
    "**no relevant",
    "i'm afraid",
    "i am afraid",
    "i apologize,",
    "i'm sorry",
    "i am sorry",
    "sorry",
    "provide more",
    "i am not familiar with",
    "i'm not familiar with",
)
SUBSTRINGS = ("please", "not a widely", "i’m sorry", "could you clarify", "more context", "misspell")

MAX_BEFORE = 4  # words that may be stated before the first clause of not knowing
MAX_STATED = 14  # words that may be stated in all
MAX_BETWEEN = 40  # characters for which `…` may stand
_CITATION = re.compile(r"\s*\[\d+\]\s*")
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|《[^》\n]*》|「[^」\n]*」")
_CLAUSE_END = re.compile(r"[,;:，；：、،؛]\s*|\s[–—-]\s")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# clauses that state nothing: to the user, about oneself, about what is known, guesses, where else to read
_FILLER = re.compile(
    r"\?$|\b(you|your)\b|^(please|if|hmm|well|sorry|perhaps|maybe|however|as an ai|as of|as far as|judging|based on (my|the)|"
    r"according to (my|the) (data|records?|training|sources)|or (possibly|perhaps|maybe)|given (only|just) the name)\b"
    r"|\b(i|i'm|i'd|i'll|i've|me|my)\b|\b(might|could|may (?!\d)\w+|would( \w+)? be)\b|\bit('s| is) possible\b|^it (seems|appears|sounds)\b"
    r"|\b(probably|possibly|presumably|perhaps|conceivably|apparently|would seem)\b|\bthe name (alone )?(suggests|hints|sounds|points)\b"
    r"|^(for|more|further) (more |further )?(information|details)\b|^(check|consult|visit|see|try|ask|contact)\b"
)


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


# ---- ours --------------------------------------------------------------------------------------------------


def is_abstention(text: str) -> bool:
    """Whether a clause of not knowing comes first and little is stated.

    Clauses that speak to the user, of oneself, or guess state nothing. At most MAX_BEFORE words may be stated
    before the first clause of not knowing and MAX_STATED in all; of scripts without spaces two characters are
    a word.
    """
    before = stated = 0
    is_found = False
    if len(text) > MAX_CHARS:
        return False
    plain = re.sub(r"[^\S\n]+", " ", element(visible(text)).text).strip(" \n*_`>#")
    for clause in clauses(_QUOTED.sub(" ", plain)):
        if says_unknown(clause):
            is_found = True
            continue
        n = 0 if _FILLER.search(clause.casefold()) else _size(clause)
        stated += n
        before += 0 if is_found else n
    return not text.strip() or (is_found and before <= MAX_BEFORE and stated <= MAX_STATED)


def clauses(text: str) -> Iterator[str]:
    """The clauses of a text: its sentences, cut at commas, colons and dashes; one is kept whole where it is a
    question.
    """
    for sentence in sentences(text.replace("’", "'")):
        parts = [sentence] if sentence.endswith("?") else _CLAUSE_END.split(sentence)
        yield from (part.strip() for part in parts if part.strip())


def says_unknown(clause: str) -> bool:
    """Whether a clause holds a phrase of not knowing, of whatever language; one in title case (I Don't Know
    How …) is a name.
    """
    plain = clause.casefold()
    found = next((match for phrase in refusals() if (match := phrase.search(plain))), None)
    return found is not None and not (
        len(plain) == len(clause) and _is_titled(clause[found.start() : found.end()])
    )


def _is_titled(text: str) -> bool:
    """Whether every longer word of a phrase has a capital: of two words or more, not all in capitals."""
    long = [word for word in text.split() if len(word) > 2]
    return (
        len(text.split()) > 1
        and bool(long)
        and not text.isupper()
        and all(word[0].isupper() for word in long)
    )


def _size(clause: str) -> int:
    n_wide = len(_WIDE.findall(clause))
    return n_wide // 2 if n_wide else len(words(clause))


@cache
def refusals() -> tuple[re.Pattern, ...]:
    """The phrases of not knowing, compiled; each begins at the start of a word."""
    with REFUSALS.open(encoding="utf-8", newline="") as file:
        phrases = [row["phrase"] for row in csv.DictReader(file)]
    return tuple(
        re.compile(r"(?<!\w)" * (not _WIDE.search(one)) + one.replace("…", rf".{{0,{MAX_BETWEEN}}}?"))
        for one in phrases
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
