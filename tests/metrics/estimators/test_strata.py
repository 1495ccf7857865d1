"""A detector whose false alarms depend on where a thing stands, and replies that stand elsewhere than labelled texts."""

import numpy as np
import pytest

from truerate.metrics.estimators.registry import estimate_board
from truerate.metrics.estimators.sample import Calibration, Cell

N = 40  # units of a cell, of 100 things; labelled texts alike


def strata(n, shares, gold, hit, alarm):
    """Sums of n texts, (n, strata, 4), without noise: of each stratum its share of 100 things."""
    total = 100 * np.array(shares)
    true = gold * total
    both = hit * true
    found = both + np.array(alarm) * (total - true)
    return np.tile(np.stack([total, true, found, both], axis=1), (n, 1, 1))


def board():
    """Labelled texts have a fifth of their things late, replies four fifths; false alarms are .1 early, .5 late."""
    errors = {"gold": 0.2, "hit": 0.8, "alarm": (0.1, 0.5)}
    texts, replies = strata(N, (0.8, 0.2), **errors), strata(N, (0.2, 0.8), **errors | {"gold": 0.1})
    names = np.arange(N).astype(str)
    known = Calibration(texts.sum(axis=1), np.full(N, "en"), np.full(N, "w"), names, texts)
    none = np.full(N, np.nan)
    cell = Cell(*replies.sum(axis=1)[:, [0, 2]].T, none, names, strata=replies[..., [2, 0]])
    return {("m", "en"): cell}, {"natural": known}


def told(cells, known):
    each = estimate_board(cells, confidence=0.95, calibrated=known)["m", "en"]
    return {one.estimator: one.found for one in each}


def test_by_strata_the_planted_rate_is_found_where_pooled_errors_miss_it():
    found = told(*board())
    assert found["rogan-gladen-strata"].value == pytest.approx(0.1)
    # pooled: FPR .18, so (.8·.1 + .9·(.2·.1 + .8·.5) − .18) / (.8 − .18)
    assert found["rogan-gladen"].value == pytest.approx((0.08 + 0.378 - 0.18) / 0.62)
    assert found["rogan-gladen-strata"].low < 0.1 < found["rogan-gladen-strata"].high


def test_a_stratum_without_labels_leaves_the_rate_untold_and_without_strata_there_is_none():
    cells, known = board()
    late = known["natural"].strata.copy()
    late[:, 1] = 0
    texts = known["natural"]
    blind = Calibration(texts.sums, texts.langs, texts.models, texts.clusters, late)
    assert told(cells, {"natural": blind})["rogan-gladen-strata"] is None
    bare = Calibration(texts.sums, texts.langs, texts.models, texts.clusters)
    assert "rogan-gladen-strata" not in told(cells, {"natural": bare})


def test_strata_follow_their_units_and_texts():
    cells, known = board()
    cell, texts = cells["m", "en"], known["natural"]
    assert cell.only(np.arange(N) < 3).strata.shape == (3, 2, 2)
    assert texts.of_lang("en").strata.shape == (N, 2, 4) and len(texts.of_lang("de").strata) == 0
