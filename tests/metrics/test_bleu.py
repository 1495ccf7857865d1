"""Corpus BLEU-4 by hand and against sacrebleu."""

from math import exp
from random import Random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from tests.cases import case_table
from truerate.metrics.text_overlap import bleu, bleu_sums

CASES = case_table(__file__)


def peer(pairs: list[tuple[str, str]]) -> float:
    targets, texts = zip(*pairs, strict=True)
    return BLEU().corpus_score(list(texts), [list(targets)]).score / 100


def ours(pairs: list[tuple[str, str]]) -> float:
    return float(bleu(bleu_sums(pairs).sum(axis=0)))


def test_by_hand():
    # text: a b c d e (5 tokens), target: a b c d f g (6): matches 4, 3, 2, 1 of 5, 4, 3, 2; penalty exp(1 -
    # 6/5)
    expected = (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25 * exp(1 - 6 / 5)
    assert ours([("a b c d f g", "a b c d e")]) == pytest.approx(expected, abs=1e-12)


def test_orders_without_a_match_are_smoothed():
    # text a b c d, target a x b y: matches 2 of 4, then none of 3, 2, 1: 1/(2·3), 1/(4·2), 1/(8·1)
    expected = (2 / 4 * 1 / 6 * 1 / 8 * 1 / 8) ** 0.25
    assert ours([("a x b y", "a b c d")]) == pytest.approx(expected, abs=1e-12)


def test_texts_shorter_than_four_tokens_have_the_orders_that_there_are():
    # "No ." of "No way .": both of its tokens match, its one pair does not, 1/(2·1); penalty exp(1 - 3/2)
    assert ours([("No way.", "No.")]) == pytest.approx((1 * 1 / 2) ** 0.5 * exp(-1 / 2), abs=1e-12)
    pairs = [("No way.", "No."), ("It is.", "It is"), ("Yes", "No")]
    targets, texts = zip(*pairs, strict=True)
    expected = BLEU(effective_order=True).corpus_score(list(texts), [list(targets)]).score / 100
    assert ours(pairs) == pytest.approx(expected, abs=1e-12) and expected > 0.2


def test_sums_of_texts_are_a_corpus_not_a_mean():
    pairs = [("the cat sat on the mat", "the cat sat on a mat"), ("No.", "No."), ("it is so", "")]
    assert ours(pairs) == pytest.approx(peer(pairs), abs=1e-12)


def test_nothing_matches_and_nothing_is_there():
    assert ours([("a b c d", "e f g h")]) == 0 == ours([("a b c d", "")]) == ours([("No.", "")])
    assert np.isnan(ours([]))
    assert bleu_sums([]).shape == (0, 10)


@pytest.mark.parametrize("seed", range(8))
def test_equal_to_sacrebleu(seed):
    random = Random(seed)
    words = ["The", "cat,", "sat", "on", "3.5", "mats", "U.S.", "“so”", "é", "don't"]

    def drawn() -> str:
        return " ".join(random.choice(words) for _ in range(random.randrange(1, 30)))

    pairs = [(drawn(), drawn()) for _ in range(40)]
    assert ours(pairs) == pytest.approx(peer(pairs), abs=1e-12)


@pytest.mark.parametrize("text", CASES["scripts"])
def test_a_text_in_any_script_equals_itself(text):
    assert ours([(text, text)]) == pytest.approx(1, abs=1e-12)
