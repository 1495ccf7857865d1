"""chrF within groups, means over pairs, and the queries that are least alike."""

from itertools import combinations

import polars as pl
from sacrebleu.metrics import CHRF

from truerate.metrics.similarity import chrf, least_similar, mean_pairwise


def test_chrf_is_symmetric_and_bounded():
    ((same,), (one_way,), (other_way,), (nothing,), (short,)) = chrf(
        [("", ""), ("the cat", "the cat sat"), ("the cat sat", "the cat"), ("abc", "xyz"), ("a", "")]
    )
    assert same == 1 and one_way == other_way and 0.3 < one_way < 1 and nothing == short == 0


def test_chrf_is_sacrebleus_mean_of_both_directions():
    group = ["Lisbon, on the Tagus.", "It is  Lisbon\non the Tagus", "ab", "Ja!", "", "北京在北方", "北京"]
    peer = CHRF()

    def item(a: str, b: str) -> float:
        return (peer.sentence_score(a, [b]).score + peer.sentence_score(b, [a]).score) / 200

    (ours,) = chrf([group])
    assert [round(value, 12) for value in ours] == [round(item(*pair), 12) for pair in combinations(group, 2)]


def test_mean_over_all_pairs_by_hand():
    # measure: 1 where the first letters agree. (ab, ac, bc): 1 of 3 pairs; a single text has no pair
    def first_letter(groups):
        return [[float(a[0] == b[0]) for a, b in combinations(group, 2)] for group in groups]

    assert mean_pairwise([["ab", "ac", "bc"], ["only"], []], first_letter) == [1 / 3, None, None]


def test_least_similar_does_not_depend_on_row_order():
    rows = pl.DataFrame({"item_id": ["d", "b", "a", "c"], "similarity": [0.2, 0.1, 0.1, None]})
    assert least_similar(rows, 2) == least_similar(rows.reverse(), 2) == ["a", "b"]
    assert least_similar(rows, 9) == ["a", "b", "d"]
