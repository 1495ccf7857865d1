import numpy as np
import pytest

from truerate.detectors.family import member
from truerate.detectors.interface import Texts
from truerate.detectors.lexical import lexical_features

from .labelled_texts import contexts, samples


def judge(name, train, test, seed=7):
    result = member(name).fit(train, contexts(train), seed).judge(test, contexts(test))
    return result["verdict"].to_list(), result["p"].to_list()


def test_random_keeps_the_prevalence_and_depends_on_the_sample_alone():
    train = samples([("x", i % 5 == 0) for i in range(100)])  # 20 of 100
    many = samples([("x", False)] * 2000, split="test")
    verdicts, p = judge("random", train, many)
    assert set(p) == {0.2} and 0.17 < sum(verdicts) / 2000 < 0.23  # ± 3.4 standard errors of .009
    assert judge("random", train, many[1000:])[0] == verdicts[1000:]
    assert judge("random", train, many, seed=8)[0] != verdicts


def test_length_takes_the_feature_that_tells_and_its_shares():
    # words tell nothing (all two), characters do: above 8.5 two of two are hallucinated, below one of four
    train = samples(
        [
            ("a bc", False),
            ("a bcd", False),
            ("a bcde", False),
            ("ab cdef", True),
            ("abcd efgh", True),
            ("abcde fghi", True),
        ]
    )
    verdicts, p = judge("length", train, samples([("x yz", False), ("lengthy phrases", True)], split="test"))
    assert verdicts == [False, True] and p == [0.0, 1.0]  # the cut lies between 6 and 7 characters


def test_punctuation_learns_its_direction():
    train = samples([("A sentence.", False), ("fragment", True)] * 4)
    assert judge("punctuation", train, samples([("One.", False), ("one", True)], split="test"))[0] == [
        False,
        True,
    ]


# ---- lexical -----------------------------------------------------------------------------------------------
def test_features_by_hand():
    texts = Texts(["s"], ["Lyon is big"], ["Paris is big"])
    # content words Lyon, big: 1 of 2 absent; no number; bigrams (lyon is) absent, (is big) known; 3 words, 11
    # characters
    assert lexical_features(texts)[0] == pytest.approx([1 / 2, 1, 0, 1 / 2, np.log(4), np.log(12)])
    assert lexical_features(Texts([], [], [])).shape == (0, 6)


def test_overlap_needs_the_knowledge_of_the_item():
    train = samples([("the tower is tall", False), ("the tower is green", True)] * 5)
    expected = contexts(train, "A tall tower stands there.")
    fitted = member("overlap").fit(train, expected, 7)
    assert fitted.judge(train, expected)["verdict"].to_list() == [False, True] * 5
    # without knowledge every content word is absent, so every text is flagged
    assert fitted.judge(train, contexts(train.clear()))["verdict"].to_list() == [True] * 10
