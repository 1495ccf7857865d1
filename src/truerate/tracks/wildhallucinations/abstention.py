"""Whether a reply abstains: the paper's rule, and a better one; and a probe set that tells how often each is
wrong.

**paper** (WildHallucinations, appendix B: 26 phrases and six substrings, matched by two functions of FActScore's): a substring
anywhere in the reply; a reply that begins with a phrase; or paragraphs of which the first is empty or holds one.

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
from truerate.tracks.wildhallucinations.meta_words import tells_nothing

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

MAX_BEFORE = 4  # words that may be stated before the first clause of not knowing
MAX_STATED = 16  # words that may be stated in all
MAX_BESIDE_WEAK = 8  # … where nothing but a clause that a history of something may hold as well says so
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
    r"|\b(the|interesting|good|great|excellent|fair) (question|answer)\b"
    r"|^(for|more|further) (more |further )?(information|details)\b|^(\d+\. )?(check|use|search|consult|visit|see|try|ask|contact)\b"
)
# clauses of not knowing that also stand in answers: that a record is lost, that a date is unclear, that newer figures are not at hand
_WEAK = re.compile(
    r"^(\W|but |and |so )*(there (is|are|was|were|appears|seems)|no\b|little\b|nothing\b|not much\b"
    r"|(it is |it's |it was |it remains |remains )?(not |un)(clear|certain))"
    r"|\b(current|recent|real[- ]time|live|up-to-date|the latest) (data|information|events|news|figures)\b"
)
# a last sentence that says of the question itself that it has no answer, whatever was weighed before it
_CONCLUDED = re.compile(
    r"[.!?]\s+(\w+, )?(the |this |your )(answer|question)\b[^.!?]{0,80}\b(cannot|can't|could not) be "
    r"(determined|answered|given|found|known)[^.!?]{0,80}[.!?]?$"
)
# sentences that say what was given to answer from, and tell nothing that stands there
_ABOUT_SOURCES = re.compile(
    r"^(\W|while |however,? |although |in |as |but )*((some|none|all|most|many|several|few|one|each|any|both|neither) of )?"
    r"(the |these |those |my |any )?((\w+ ){0,2}(passages|contexts?|sources|documents|search results|articles|texts?|excerpts"
    r"|snippets|results))\b(?!.*\b(that|states?|says?|according)\b)"
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

    Clauses that speak to the user, of oneself, or guess state nothing, nor do sentences that say what sources were
    given. At most MAX_BEFORE words may be stated before the first clause of not knowing and MAX_STATED in all
    (MAX_BESIDE_WEAK where it could stand in an answer as well); of scripts without spaces two characters are a word.
    A reply that ends by saying that the question cannot be answered abstains, and a short one that speaks of knowing
    and telling alone (`meta_words.tells_nothing`).
    """
    before = stated = 0
    is_found, most = False, MAX_BESIDE_WEAK
    if len(text) > MAX_CHARS:
        return False
    plain = re.sub(r"[^\S\n]+", " ", element(visible(text)).text).strip(" \n*_`>#")
    parts = sentences(_QUOTED.sub(" ", plain).replace("’", "'"))
    if tells_nothing(parts):
        return True
    for sentence in parts:
        is_about_sources = _ABOUT_SOURCES.search(sentence.casefold()) is not None
        for clause in clauses(sentence):
            if says_unknown(clause):
                is_found = True
                most = most if _WEAK.search(clause.casefold()) else MAX_STATED
                continue
            n = 0 if is_about_sources or _FILLER.search(clause.casefold()) else _size(clause)
            stated += n
            before += 0 if is_found else n
    if not text.strip() or (is_found and before <= MAX_BEFORE and stated <= most):
        return True
    return _CONCLUDED.search(plain.casefold()) is not None


def clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence, cut at commas, colons and dashes; one is kept whole where it is a question."""
    parts = [sentence] if sentence.endswith("?") else _CLAUSE_END.split(sentence)
    yield from (part.strip() for part in parts if part.strip())


def says_unknown(clause: str) -> bool:
    """Whether a clause holds a phrase of not knowing, of whatever language; one in title case (I Don't Know
    How …) is a name.
    """
    plain = clause.casefold()
    found = next((match for phrase in refusals() if (match := phrase.search(plain))), None)
    return found is not None and not (
        len(plain) == len(clause)
        and _is_titled(clause[found.start() : found.end()], is_first=not found.start())
    )


def _is_titled(text: str, *, is_first: bool) -> bool:
    """Whether the words of a phrase have capitals as in a title: every longer one, and one at least, not all in
    capitals. The first word of a clause has one anyway, and "I" everywhere.
    """
    later = [word for word in text.split()[is_first:] if word != "I"]
    return (
        not text.isupper()
        and any(word[0].isupper() for word in later)
        and all(word[0].isupper() for word in later if len(word) > 2)
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
