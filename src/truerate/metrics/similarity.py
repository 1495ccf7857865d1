"""How alike the texts of a group are: chrF here, BERTScore in `bertscore`. Used to pick the queries whose
answers agree least (HELMA 2.2).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations

import polars as pl

Groups = Sequence[Sequence[str]]
# A measure gives, for each group, the similarity of each pair of its texts, in the order of `combinations`.
Measure = Callable[[Groups], list[list[float]]]
Grams = tuple[list[Counter[str]], list[int]]  # the n-grams of a text by order, and how many they are
KEPT = 16  # texts whose n-grams are kept: neighbouring groups may share one
ORDERS, BETA = 6, 2  # character n-grams of 1 to 6, recall counted twice (Popović 2015; sacrebleu's defaults)


def chrf(groups: Groups) -> list[list[float]]:
    """chrF of each pair of texts of each group in [0, 1], mean of both directions so that the order does not
    matter (Popović 2015; equal to sacrebleu's `sentence_score`, whose n-grams it takes once per text).

    Two empty texts are the same text: 1. An empty text against another: 0.
    """
    from sacrebleu.metrics.helpers import extract_all_char_ngrams

    @lru_cache(maxsize=KEPT)
    def grams(text: str) -> Grams:
        counts = list(extract_all_char_ngrams(text, ORDERS))
        return counts, [sum(of_order.values()) for of_order in counts]

    return [_chrf_of_group(group, grams) for group in groups]


def _chrf_of_group(group: Sequence[str], grams_of: Callable[[str], Grams]) -> list[float]:
    grams = {text: grams_of(text) for text in dict.fromkeys(group)}

    def one(a: str, b: str) -> float:
        if a == b:
            return 1.0
        (in_a, n_a), (in_b, n_b) = grams[a], grams[b]
        matches = [_n_shared(*both) for both in zip(in_a, in_b, strict=True)]
        return (_f_score(n_a, n_b, matches) + _f_score(n_b, n_a, matches)) / 2

    return [one(a, b) for a, b in combinations(group, 2)]


def _n_shared(a: Counter[str], b: Counter[str]) -> int:
    """How many n-grams two texts share, each as often as in both."""
    return sum(min(a[gram], b[gram]) for gram in a.keys() & b.keys())


def _f_score(n_hypothesis: list[int], n_reference: list[int], n_matches: list[int]) -> float:
    """chrF of the counts of n-grams by order: F_beta of precision and recall, each averaged over the orders
    that both texts have; 0 where there is none.
    """
    both = [counts for counts in zip(n_hypothesis, n_reference, n_matches, strict=True) if all(counts[:2])]
    precision = sum(matches / n for n, _, matches in both) / max(len(both), 1)
    recall = sum(matches / n for _, n, matches in both) / max(len(both), 1)
    if not precision + recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)


def mean_pairwise(groups: Groups, measure: Measure) -> list[float | None]:
    """Mean similarity over all pairs of texts of each group, in one call of the measure. None for a group of
    fewer than two texts.
    """
    return [sum(found) / len(found) if found else None for found in measure(groups)]


def least_similar(rows: pl.DataFrame, n: int) -> list[str]:
    """The `n` item ids of lowest `similarity` (HELMA 2.2), from columns `item_id`, `similarity`; ties go by
    item id, nulls are left out.

    All of them where there are fewer than `n`. Returned sorted by similarity, so that the choice never
    depends on the order of rows.
    """
    return rows.drop_nulls("similarity").sort("similarity", "item_id").head(n)["item_id"].to_list()
