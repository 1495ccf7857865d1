"""What one text shares with others word by word: ROUGE-L, BLEU, how much it says that is new, how much of a reference."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

import numpy as np

from truerate.core.text import compatible, pieces, sentences, spaced, terms

Words = Sequence[str]


def rouge_words(text: str) -> list[str]:
    """The words that ROUGE counts."""
    folded = compatible(text).casefold()
    return pieces(folded) or folded.split()


def rouge_l(pairs: Iterable[tuple[str, str]]) -> list[float]:
    """ROUGE-L F1 of each pair of a target and a text, in [0, 1]. F1 = 2 L / (m + n), L the length of the
    longest common subsequence of the m and n words: the harmonic mean of L / m and L / n. 0 where a side has
    no word. A text that comes in several pairs is cut into words once.
    """
    words_of_text: dict[str, list[str]] = {}

    def cut(text: str) -> list[str]:
        if text not in words_of_text:
            words_of_text[text] = rouge_words(text)
        return words_of_text[text]

    return [rouge_l_words(cut(target), cut(text)) for target, text in pairs]


def rouge_l_words(target: Words, text: Words) -> float:
    """ROUGE-L F1 of two lists of words, as `rouge_l`."""
    n_common = common_length(target, text)
    return 2 * n_common / (len(target) + len(text)) if n_common else 0.0


def common_length(first: Words, second: Words) -> int:
    """Length of the longest common subsequence, a table row at once as bits of one number (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for index, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << index
    whole = (1 << len(first)) - 1
    row = whole  # a 0 stands where the subsequence grows
    for word in second:
        if match := places.get(word, 0) & row:
            row = ((row + match) | (row - match)) & whole
    return len(first) - row.bit_count()


# ---- how much is said --------------------------------------------------------------------------------------

FEW_TEXTS = 5  # of fewer texts nothing tells which terms are function words


def common_terms(texts: Collection[str]) -> frozenset[str]:
    """Return the terms (`core.text.terms`) that more than half of the texts hold, which stand for the function
    words of a language without a list of them; none where there are fewer than FEW_TEXTS.
    """
    if len(texts) < FEW_TEXTS:
        return frozenset()
    n_texts = Counter(term for text in texts for term in {*terms(text)})
    return frozenset(term for term, n in n_texts.items() if 2 * n > len(texts))


def informativeness(text: str, question: str, common: Collection[str]) -> tuple[float, int] | None:
    """Return the share of a text's content words (terms that are not `common`), in [0, 1], that neither the
    question nor an earlier place of the text holds, and their number; None of a text without a content word.
    """
    content = [term for term in terms(text) if term not in common]
    new = {*content} - {*terms(question)}
    return (len(new) / len(content), len(new)) if content else None


def content_sentences(text: str, lang: str | None, common: Collection[str]) -> list[frozenset[str]]:
    """Return the content words of each sentence of a reference; sentences without one are left out."""
    each = (frozenset(terms(sentence)).difference(common) for sentence in sentences(text, lang))
    return [words for words in each if words]


def coverage(text: str, reference: Sequence[frozenset[str]]) -> float | None:
    """Return the share of the sentences of a reference (`content_sentences`) of whose content words a text holds
    at least half, in [0, 1]; None of a reference without a sentence.
    """
    in_text = {*terms(text)}
    supported = [2 * len(words & in_text) >= len(words) for words in reference]
    return sum(supported) / len(supported) if supported else None


# ---- BLEU --------------------------------------------------------------------------------------------------

ORDERS = 4
N_COLUMNS = 2 * ORDERS + 2
N_CACHED = 64  # texts whose n-grams are kept: a target that stands in neighbouring pairs


def bleu_sums(pairs: Iterable[tuple[str, str]]) -> np.ndarray:
    """Return what BLEU is made of, a row per pair of a target and a text, (pairs, 10): matching n-grams of
    order 1 to 4, n-grams of the text of order 1 to 4, tokens of the text, tokens of the target.
    """
    from sacrebleu.metrics.helpers import extract_all_word_ngrams
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    # letters of scripts without spaces are a token each, as in sacrebleu's `zh`
    tokenise: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]

    @lru_cache(maxsize=N_CACHED)
    def grams(text: str) -> tuple[dict[tuple[str, ...], int], int]:
        counts, n_tokens = extract_all_word_ngrams(tokenise(spaced(text).rstrip()), 1, ORDERS)
        return counts, n_tokens

    rows = [_row(*grams(target), *grams(text)) for target, text in pairs]
    return np.array(rows, dtype=float).reshape(-1, N_COLUMNS)


def _row(
    target: dict[tuple[str, ...], int], n_target: int, text: dict[tuple[str, ...], int], n_text: int
) -> list[int]:
    matches = [0] * ORDERS
    for gram in text.keys() & target.keys():
        matches[len(gram) - 1] += min(text[gram], target[gram])
    return [*matches, *(max(0, n_text - order) for order in range(ORDERS)), n_text, n_target]


def bleu(totals: np.ndarray) -> np.ndarray:
    """Corpus BLEU-4, in [0, 1], from totals (…, 10) of `bleu_sums`: the geometric mean of the four precisions
    times the brevity penalty exp(1 − target / text).

    An order without a match counts as 1 / (2^k n), the k-th such order (sacrebleu's `exp`). Where no text has
    four tokens, the mean is that of the orders that there are (sacrebleu's `effective_order`), so that "No."
    equals itself. 0 where no n-gram matches; NaN where there is no target token.
    """
    matches, n = totals[..., :ORDERS], totals[..., ORDERS : 2 * ORDERS]
    n_text, n_target = totals[..., 2 * ORDERS], totals[..., 2 * ORDERS + 1]
    is_there = n > 0
    nothing = (matches == 0) & is_there
    with np.errstate(invalid="ignore", divide="ignore"):
        smoothed = np.where(nothing, 0.5 ** np.cumsum(nothing, axis=-1), matches) / n
        logs = np.where(is_there, np.log(smoothed), 0.0).sum(axis=-1) / is_there.sum(axis=-1)
        penalty = np.exp(np.minimum(0.0, 1 - n_target / n_text))
        value = penalty * np.exp(logs)
    return np.where(n_target > 0, np.where(matches.sum(axis=-1) == 0, 0.0, value), np.nan)
