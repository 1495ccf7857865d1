"""Corpus BLEU-4 as a statistic of sums over texts, so that texts can be resampled (Papineni et al. 2002;
tokens, n-grams and smoothing as sacrebleu's defaults).
"""

from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from truerate.core.text import spaced

ORDERS = 4
N_COLUMNS = 2 * ORDERS + 2
KEPT = 64  # texts whose n-grams are kept: a target that stands in neighbouring pairs


def bleu_sums(pairs: Iterable[tuple[str, str]]) -> np.ndarray:
    """What BLEU is made of, a row per pair of a target and a text, (pairs, 10): matching n-grams of order 1 to
    4, n-grams of the text of order 1 to 4, tokens of the text, tokens of the target.
    """
    from sacrebleu.metrics.helpers import extract_all_word_ngrams
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    # letters of scripts without spaces are a token each, as in sacrebleu's `zh`
    tokenise: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]

    @lru_cache(maxsize=KEPT)
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
    """Corpus BLEU-4 in [0, 1] from totals (…, 10) of `bleu_sums`: the geometric mean of the four precisions
    times the brevity penalty exp(1 − target / text).

    An order without a match counts as 1 / (2^k n), the k-th such order (sacrebleu's `exp`). Where no text has four
    tokens, the mean is that of the orders that there are (sacrebleu's `effective_order`), so that "No." equals itself.
    0 where no n-gram matches; NaN where there is no target token.
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
