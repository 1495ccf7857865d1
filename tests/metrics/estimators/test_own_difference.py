"""The difference of two files of answers: planted differences are held, and a margin is missed as seldom as said."""

import numpy as np
import pytest

from truerate.metrics.estimators.own_difference import difference_of
from truerate.metrics.estimators.sample import verdicts


def pair(rng, old, new, *, n=400, k=120):
    """Two answers to each of n items, hallucinated at the planted rates, half of the items for both alike; a
    detector that finds .8 and flags .15 of the sound ones; k of each labelled by chance.
    """
    hardness, cells = rng.random(n), []
    for rate in (old, new):
        truth = np.where(rng.random(n) < 0.5, hardness < rate, rng.random(n) < rate).astype(float)
        flags = np.where(truth > 0, rng.random(n) < 0.8, rng.random(n) < 0.15)
        label = np.full(n, np.nan)
        rows = rng.permutation(n)[:k]
        label[rows] = truth[rows]
        cells.append(verdicts(flags, label, np.arange(n)))
    return cells


@pytest.mark.parametrize(("old", "new"), [(0.02, 0.02), (0.1, 0.1), (0.1, 0.2)])
def test_planted_differences_are_held(old, new):
    """.95 to .98 over 500 draws."""
    rng = np.random.default_rng(1)
    results = [difference_of(*pair(rng, old, new)) for _ in range(120)]
    assert np.mean([result.low <= new - old <= result.high for result in results]) >= 0.91
    assert abs(np.mean([result.value for result in results]) - (new - old)) < 0.02


def test_pairs_tell_more_than_two_draws():
    """The same answers in both files, all labelled: as pairs they do not differ at all."""
    truth = (np.arange(200) % 8 == 0).astype(float)
    alike = difference_of(*(verdicts(np.zeros(200), truth, np.arange(200)) for _ in range(2)))
    apart = difference_of(*(verdicts(np.zeros(200), truth, np.arange(200) + 200 * side) for side in range(2)))
    assert alike.value == apart.value == 0
    assert alike.high < 0.02 < 0.06 < apart.high


def test_what_would_tell_does():
    """Rates .1 and .25, 25 labels each of 2,000: where it asks for labels, as many tell in .8 of draws or more (.93
    over 200) on which side of a margin of 3 points the difference lies.
    """
    rng, tells = np.random.default_rng(3), []
    for _ in range(60):
        cells = pair(rng, 0.1, 0.25, n=2000, k=25)
        first = difference_of(*cells)
        wanted = first.labels_for(0.03)
        if wanted is not None and first.low < 0.03 < first.high:
            second = difference_of(*pair(rng, 0.1, 0.25, n=2000, k=min(2000, wanted // 2)))
            tells.append(second.low > 0.03)
    assert len(tells) > 20 and np.mean(tells) >= 0.8


def test_labels_of_the_same_items_leave_what_their_answers_vary():
    """All of 400 items labelled in both files: rates .1 and .2, half of the items alike. Of 100 of these the variance
    that all would leave is foretold within a half, and no label is asked for that would not tell.
    """
    rng = np.random.default_rng(6)
    whole, some = pair(rng, 0.1, 0.2, k=400), []
    for cell in whole:
        label = np.where(np.arange(400) % 4 == 0, cell.gold, np.nan)
        some.append(verdicts(cell.flagged, label, np.arange(400)))
    exact, foretold = difference_of(*whole), difference_of(*some)
    assert exact.of_labels == 0 and 0.5 < foretold.of_answers / exact.of_answers < 1.5
    assert foretold.of_labels > 0 and exact.labels_for(exact.value - 0.001) is None
    assert exact.answers_for(exact.value - 0.001) > 20000


def test_labels_of_one_side_or_of_one_group_tell_nothing():
    old, new = pair(np.random.default_rng(5), 0.1, 0.1)
    assert difference_of(old, verdicts(new.flagged, np.full(400, np.nan), np.arange(400))) is None
    one_group = [verdicts(cell.flagged, cell.gold, np.zeros(400)) for cell in (old, new)]
    assert difference_of(*one_group) is None
