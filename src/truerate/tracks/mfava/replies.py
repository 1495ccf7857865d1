"""What can be seen of a reply in the wild without a detector: it repeats itself, says that it does not know,
or is in another language.

Such replies are counted, and rates are shown with and without them (mFAVA appendix A.7). Each rule errs on
the side of keeping a reply.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from copy import copy
from functools import cache
from pathlib import Path

import regex

from truerate.core.text import sentences
from truerate.tracks.mfava.context import LANGUAGES

PHRASES = Path(__file__).with_name(
    "dont_know.csv"
)  # lang, phrase: common ways of saying it, in our own words
# tokens in a row that no text says twice by chance; twice as many characters where a character is a token
NGRAM = 8
MIN_SENTENCE = 4  # tokens of a sentence whose return counts
# tokens of a reply that says no more than that it does not know; twice as many where a character is one
MAX_UNKNOWING = 40
MAX_BETWEEN = 40  # characters for which `…` of a phrase may stand
MIN_LETTERS = 20  # of a reply whose language can be told
MIN_SHARE = 0.5  # of the letters that must be of the language's script
SURE = 0.9  # probability from which another language is believed
_LETTER = regex.compile(r"\p{L}")
_SINGLE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


def marks(text: str, lang: str, declared: Sequence[str]) -> dict[str, str | None]:
    """`repeats`, `dont_know`, `wrong_language`: `yes` where so, else None."""
    found = {
        "repeats": repeats(text),
        "dont_know": says_unknown(text, lang),
        "wrong_language": is_other_language(text, lang, tuple(declared)),
    }
    return {name: "yes" if is_so else None for name, is_so in found.items()}


def tokens(text: str) -> list[str]:
    """The tokens of a text, case levelled: words, or single characters of scripts without spaces."""
    from truerate.metrics.tokens import word_offsets  # brings numpy, which no other step of the track needs

    return [text[start:end].casefold() for start, end in word_offsets(text)]


def repeats(text: str) -> bool:
    """Whether a sentence of four tokens or more, or a run of eight tokens (sixteen where a character is one),
    stands in a text twice.
    """
    said = Counter(" ".join(found) for part in sentences(text) if len(found := tokens(part)) >= MIN_SENTENCE)
    if any(n > 1 for n in said.values()):
        return True
    whole, n = tokens(text), NGRAM * _scale(text)
    runs = [tuple(whole[start : start + n]) for start in range(len(whole) - n + 1)]
    return len(set(runs)) < len(runs)


def says_unknown(text: str, lang: str) -> bool:
    """Whether a short reply holds a phrase of not knowing, in the language asked for or in English."""
    if len(tokens(text)) > MAX_UNKNOWING * _scale(text):
        return False
    plain = " ".join(text.casefold().replace("’", "'").split())
    return any(
        phrase.search(plain) for code in dict.fromkeys((lang, "en")) for phrase in phrases().get(code, ())
    )


def _scale(text: str) -> int:
    """2 where most tokens are single characters, else 1."""
    found = tokens(text)
    return 2 if sum(1 for token in found if _SINGLE.fullmatch(token)) * 2 > len(found) else 1


@cache
def phrases() -> dict[str, tuple[regex.Pattern, ...]]:
    """The phrases of not knowing, by language; `…` in one stands for a few words between its parts."""
    found: dict[str, tuple[regex.Pattern, ...]] = {}
    with PHRASES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            parts = map(regex.escape, row["phrase"].casefold().split("…"))
            found[row["lang"]] = (
                *found.get(row["lang"], ()),
                regex.compile(f".{{0,{MAX_BETWEEN}}}".join(parts)),
            )
    return found


def is_other_language(text: str, lang: str, declared: tuple[str, ...]) -> bool:
    """Whether a reply of twenty letters or more is in another language than asked for.

    So where less than half of its letters are of the language's script, or where another declared language of
    that script is believed with probability 0.9 (py3langid: one small file of weights, no download). A
    language that it does not know is told by its script alone.
    """
    letters = _LETTER.findall(text)
    if len(letters) < MIN_LETTERS:
        return False
    n_own = sum(1 for letter in letters if _of_script(lang).match(letter))
    if n_own < MIN_SHARE * len(letters):
        return True
    rivals = tuple(
        sorted(
            code for code in {lang, *declared} if set(LANGUAGES[code].scripts) & set(LANGUAGES[lang].scripts)
        )
    )
    known = tuple(code for code in rivals if code in _labels()) if len(rivals) > 1 else ()
    if lang not in known or len(known) < 2:
        return False
    best, p = _identifier(known).classify(text)
    return best != lang and p >= SURE


@cache
def _of_script(lang: str) -> regex.Pattern:
    return regex.compile("[" + "".join(rf"\p{{{script}}}" for script in LANGUAGES[lang].scripts) + "]")


@cache
def _labels() -> frozenset[str]:
    return frozenset(_loaded().labels)


@cache
def _identifier(codes: tuple[str, ...]):
    """The identifier that chooses among these languages."""
    found = copy(_loaded())  # shares the weights
    found.set_languages(list(codes))
    return found


@cache
def _loaded():
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second of loading

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
