import numpy as np
import pytest

from truerate.metrics.estimators.sample import (
    Calibration,
    Cell,
    additive_fit,
    by_cluster,
    main_effects,
    verdicts,
)

from .boards import NONE, cell


def test_labelled_units_are_those_with_a_label():
    item = cell([10, 20, 30, 40], [1, 2, 3, 4], [0, NONE, 5, NONE])
    assert (item.n, item.k, item.labelled_share) == (4, 2, 0.5)
    assert item.only(item.is_labelled).total.tolist() == [10, 30]
    assert cell([], [], []).labelled_share == 0


def test_a_cluster_is_labelled_where_each_of_its_units_is():
    item = by_cluster(cell([10, 20, 30, 40], [1, 2, 3, 4], [0, 2, 5, NONE], ["b", "b", "a", "a"]))
    assert item.clusters.tolist() == ["a", "b"]
    assert item.total.tolist() == [70, 30] and item.flagged.tolist() == [7, 3]
    assert np.isnan(item.gold[0]) and item.gold[1] == 2


def test_units_with_weights_are_not_put_together():
    item = cell([10, 20], [1, 2], [0, 2], ["a", "a"])
    with pytest.raises(ValueError, match="unlike chances"):
        by_cluster(Cell(item.total, item.flagged, item.gold, item.clusters, None, np.array([1.0, 2.0])))


def test_some_units_keep_their_weights():
    item = cell([10, 20, 30], [1, 2, 3], [0, 2, NONE])
    item = Cell(item.total, item.flagged, item.gold, item.clusters, None, np.array([1.0, 3.0, 5.0]))
    assert item.drawn_weight.tolist() == [0.5, 1.5] and item.without_label.tolist() == [0, 1 - 1 / 3]
    assert item.only(np.array([False, True, True])).weight.tolist() == [3, 5]


def test_verdicts_are_units_of_one_thing():
    item = verdicts(np.array([True, False]), np.array([1.0, NONE]), ["a", "b"])
    assert item.total.tolist() == [1, 1] and item.flagged.tolist() == [1, 0] and item.k == 1


def test_the_additive_fit_is_model_and_language_less_the_grand_mean():
    keys = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    # means: a .2, b .4, x .25, y .35, all .3; a in x: .2 + .25 − .3
    assert additive_fit(keys, np.array([0.1, 0.3, 0.4, 0.4])) == pytest.approx([0.15, 0.25, 0.35, 0.45])
    assert main_effects(keys).shape == (4, 3)


def test_a_calibration_falls_apart_by_language():
    texts = Calibration(
        np.array([[9, 1, 1, 1], [8, 2, 2, 2]]), np.array(["x", "y"]), np.array(["a", "b"]), np.array([1, 2])
    )
    assert texts.of_lang("y").sums.tolist() == [[8, 2, 2, 2]] and texts.of_lang("y").models.tolist() == ["b"]
