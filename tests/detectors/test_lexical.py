import numpy as np
import pytest

from truerate.detectors.family import member
from truerate.detectors.interface import Texts
from truerate.detectors.lexical import lexical_features

from .labelled_texts import contexts, samples


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
