"""The search over whole-number confusion matrices finds what a look at each of them finds."""

import numpy as np
import pytest
from sklearn import metrics

from truerate.core.claims import HiddenSet, Matrices, Whole
from truerate.leaderboard.confusion import SCORES, fitting, inferred, joint, n_fitting, scores


def part(n, positives):
    return HiddenSet(n, positives, "1", "s")


def printed(tp, tn, *, n, positives):
    """The figures of one matrix as a paper prints them."""
    percents = scores(np.array([tp]), np.array([tn]), n=n, positives=positives)
    return {name: round(float(percents[name][0]), 2) for name in SCORES}


@pytest.mark.parametrize(("tp", "tn"), [(3, 5), (0, 6), (4, 0), (4, 6)])
def test_scores_are_those_of_scikit_learn(tp, tn):
    n, positives = 10, 4
    label = np.array([1] * positives + [0] * (n - positives))
    verdicts = np.array([1] * tp + [0] * (positives - tp) + [0] * tn + [1] * (n - positives - tn))
    percents = scores(np.array([tp]), np.array([tn]), n=n, positives=positives)
    both = {"labels": [1, 0], "zero_division": 0}
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(label, verdicts, **both)
    expected = {"accuracy": metrics.accuracy_score(label, verdicts), "avg_recall": recall.mean()}
    expected |= {"avg_precision": precision.mean(), "f1_hallu": f1[0], "f1_nonhallu": f1[1]}
    expected |= {"macro_f1": f1.mean()}
    assert {name: float(value[0]) for name, value in percents.items()} == pytest.approx(
        {name: 100 * value for name, value in expected.items()}
    )


@pytest.mark.parametrize("positives", [12, 30, 47])  # one of them half of all
@pytest.mark.parametrize("tolerance", [0.005, 1.2])
def test_the_band_loses_no_matrix(positives, tolerance):
    n = 60
    every = np.stack(np.meshgrid(np.arange(positives + 1), np.arange(n - positives + 1), indexing="ij"), -1)
    tp, tn = every.reshape(-1, 2).T
    percents = scores(tp, tn, n=n, positives=positives)
    for index in range(0, len(tp), 97):
        figures = printed(tp[index], tn[index], n=n, positives=positives)
        gaps = np.stack([np.abs(percents[name] - value) for name, value in figures.items()])
        fits = (gaps <= tolerance + 1e-9).all(axis=0)
        got = {
            (int(a), int(b)) for a, b in zip(*fitting(figures, part(n, positives), tolerance), strict=True)
        }
        assert got == set(zip(tp[fits].tolist(), tn[fits].tolist(), strict=True))
        assert (tp[index], tn[index]) in got


def test_parts_fit_together_or_say_which_does_not():
    first, second = part(10, 4), part(20, 5)
    of_first, two = printed(3, 5, n=10, positives=4), printed(4, 12, n=20, positives=5)
    whole = printed(7, 17, n=30, positives=9)
    fits = joint([(first, of_first), (second, two)], whole, 0.005)
    assert fits.n == 1 and fits.n_figures == 18 and fits.lacking is None
    assert (fits.tp.tolist(), fits.tn.tolist()) == ([[3, 4]], [[5, 12]])
    assert joint([(first, of_first), (second, two | {"macro_f1": 1.0})], whole, 0.005).lacking == 1


def test_hidden_labels_are_found_again():
    """400 and 300 texts, 97 and 200 of them hallucinated, six models with two decimals: only these numbers
    do.
    """
    draw = np.random.default_rng(5)
    parts = (part(400, 97), part(300, 200))
    figures = []
    for _ in range(6):
        cells = [
            (int(draw.integers(9, each.positives)), int(draw.integers(9, each.n - each.positives)))
            for each in parts
        ]
        each = [
            printed(*cell, n=each.n, positives=each.positives)
            for cell, each in zip(cells, parts, strict=True)
        ]
        tp, tn = np.sum(cells, axis=0)
        figures.append((each, printed(int(tp), int(tn), n=700, positives=297)))
    claim = Matrices("paper", parts, Whole("2", "all"), 0.005)
    assert n_fitting(parts, figures, 0.005) == 6
    assert [list(inferred(claim, figures, index)) for index in (0, 1)] == [[97], [200]]
    assert n_fitting((part(400, 96), parts[1]), figures, 0.005) < 6
