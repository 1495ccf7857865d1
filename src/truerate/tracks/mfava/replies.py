"""What can be seen of a reply in the wild without a detector: it repeats itself, says that it does not know,
or is in another language. Rates are shown with and without such replies (mFAVA appendix A.7). Each rule errs
on the side of keeping a reply.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from copy import copy
from functools import cache
from pathlib import Path

import regex

from truerate.core.languages import LANGUAGES
from truerate.core.text import sentences

PHRASES = Path(__file__).with_name(
    "dont_know.csv"
)  # lang, phrase: common ways of saying it, in our own words
NGRAM = 8  # tokens in a row that no text says twice by chance; twice as many where a character is a token
MIN_SENTENCE = 4  # tokens of a sentence whose return counts
MAX_UNKNOWING = (
    40  # tokens of a reply that says only that it does not know; twice as many where a character is one
)
MAX_BETWEEN = 40  # characters for which `…` of a phrase may stand
MIN_LETTERS = 20  # of a reply whose language can be told
MIN_SHARE = 0.5  # of the letters that must be of the language's script
SURE = 0.9  # probability from which another language is believed
_LETTER = regex.compile(r"\p{L}")
_SINGLE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


def marks(text: str, lang: str, declared: Sequence[str]) -> dict[str, str | None]:
    """Return `repeats`, `dont_know`, `wrong_language`: `yes` where so, else None."""
    flaws = {
        "repeats": repeats(text),
        "dont_know": says_unknown(text, lang),
        "wrong_language": is_other_language(text, lang, tuple(declared)),
    }
    return {name: "yes" if is_so else None for name, is_so in flaws.items()}


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, case folded: words, or single characters of scripts without spaces."""
    from truerate.metrics.tokens import word_offsets  # brings numpy, which no other step of the track needs

    return [text[start:end].casefold() for start, end in word_offsets(text)]


def scale(words: Sequence[str]) -> int:
    """Return 2 where most tokens are single characters, else 1."""
    return 2 if sum(1 for token in words if _SINGLE.fullmatch(token)) * 2 > len(words) else 1


def repeats(text: str) -> bool:
    """Whether a sentence of MIN_SENTENCE tokens or more, or a run of NGRAM tokens, stands in a text twice."""
    counts = Counter(
        " ".join(words) for part in sentences(text) if len(words := tokens(part)) >= MIN_SENTENCE
    )
    if any(n > 1 for n in counts.values()):
        return True
    whole = tokens(text)
    n = NGRAM * scale(whole)
    runs = [tuple(whole[start : start + n]) for start in range(len(whole) - n + 1)]
    return len(set(runs)) < len(runs)


def says_unknown(text: str, lang: str) -> bool:
    """Whether a short reply holds a phrase of not knowing, in the language asked for or in English."""
    words = tokens(text)
    if len(words) > MAX_UNKNOWING * scale(words):
        return False
    plain = " ".join(text.casefold().replace("’", "'").split())
    return any(phrase.search(plain) for code in {lang, "en"} for phrase in phrases().get(code, ()))


@cache
def phrases() -> dict[str, list[regex.Pattern]]:
    """Return the phrases of not knowing, by language; `…` in one stands for a few words between its parts."""
    by_lang: dict[str, list[regex.Pattern]] = {}
    for row in csv.DictReader(PHRASES.read_text("utf-8").splitlines()):
        parts = map(regex.escape, row["phrase"].casefold().split("…"))
        by_lang.setdefault(row["lang"], []).append(regex.compile(f".{{0,{MAX_BETWEEN}}}".join(parts)))
    return by_lang


def is_other_language(text: str, lang: str, declared: tuple[str, ...]) -> bool:
    """Whether a reply of MIN_LETTERS letters or more is in another language than asked for: less than half of
    its letters are of the language's script, or another declared language of that script has probability SURE
    (py3langid: one small file of weights). A language that it does not know is told by its script alone.
    """
    letters = _LETTER.findall(text)
    if len(letters) < MIN_LETTERS:
        return False
    if sum(1 for letter in letters if _of_script(lang).match(letter)) < MIN_SHARE * len(letters):
        return True
    scripts = set(LANGUAGES[lang].scripts)
    rivals = sorted(code for code in {lang, *declared} if scripts & set(LANGUAGES[code].scripts))
    if len(rivals) < 2:
        return False
    candidates = tuple(code for code in rivals if code in _identifier().labels)
    if lang not in candidates or len(candidates) < 2:
        return False
    best, p = _identifier(candidates).classify(text)
    return best != lang and p >= SURE


@cache
def _of_script(lang: str) -> regex.Pattern:
    return regex.compile("[" + "".join(rf"\p{{{script}}}" for script in LANGUAGES[lang].scripts) + "]")


@cache
def _identifier(codes: tuple[str, ...] = ()):
    """The identifier that chooses among these languages, or among all; its weights are loaded once."""
    if codes:
        chosen = copy(_identifier())
        chosen.set_languages(list(codes))
        return chosen
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second of loading

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
