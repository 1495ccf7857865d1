import numpy as np
import pytest

from truerate.metrics.estimators.choice import LEAST_POOLED, NOT_IDENTIFIED, POOLED_ALONE, narrower, used
from truerate.metrics.estimators.prediction_powered import predicted
from truerate.metrics.estimators.registry import ESTIMATORS, PREDICTED, Board, estimate_board
from truerate.metrics.estimators.sample import (
    Between,
    Calibration,
    Cell,
    between_groups,
    between_models,
    errors_on,
    estimated,
    flagged_sums,
    shares_clusters,
    verdicts,
    widened,
)
from truerate.metrics.intervals import Interval, wilson
from truerate.metrics.rates import Corrected, Estimate, corrected_rate

from .boards import NONE, cell, labelled, population


def board(seed=1, *, k=12, unlabelled=(), **shape):
    cells, rates = population(seed, **shape)
    drawn = labelled(cells, k, np.random.default_rng(seed))
    for key, item in drawn.items():
        if key[1] in unlabelled:
            drawn[key] = Cell(item.total, item.flagged, np.full(item.n, NONE), item.clusters)
    return drawn, rates


def columns(item: Cell):
    return item.total, item.flagged, item.gold, item.clusters


def natural(cells) -> Calibration:
    """The labelled replies, as texts that calibrate; a flagged word is right as often as it is by chance."""
    rows = [
        ([total, gold, flagged, min(gold, flagged)], key, cluster)
        for key, item in cells.items()
        for total, flagged, gold, cluster in zip(*columns(item), strict=True)
        if not np.isnan(gold)
    ]
    keys = [key for _, key, _ in rows]
    sums = np.array([sums for sums, _, _ in rows])
    langs, models = (np.array([key[index] for key in keys]) for index in (1, 0))
    return Calibration(sums, langs, models, np.array([f"{key[1]}/{cluster}" for _, key, cluster in rows]))


def by_name(estimates):
    return {(item.estimator, item.calibration): item.interval for item in estimates}


def test_every_estimator_says_what_it_needs_and_assumes():
    by_texts = ["hr_est", "rogan-gladen", "rogan-gladen-between"]
    assert list(ESTIMATORS) == ["raw", *by_texts, "labels-alone", "ppi", "prediction-powered"]
    assert {item.labels for item in ESTIMATORS.values()} == {"none", "external", "internal"}
    assert all(item.assumes.endswith(".") and item.name == name for name, item in ESTIMATORS.items())


def test_a_board_has_every_estimate_of_every_cell_and_mean():
    cells, _ = board()
    result = estimate_board(cells, confidence=0.95, calibrated={"natural": natural(cells)})
    assert set(result) == {*cells, *((f"m{index}", "all") for index in range(5))}
    names = [(name, None if item.labels == "none" else "natural") for name, item in ESTIMATORS.items()]
    assert list(by_name(result["m0", "l0"])) == names
    assert list(by_name(result["m0", "all"])) == names
    for rate in (item.interval for each in result.values() for item in each):
        assert rate is None or rate.value is None or rate.low <= rate.value
    mean = by_name(result["m0", "all"])["prediction-powered", "natural"]
    own_values = [by_name(result["m0", f"l{index}"])["labels-alone", "natural"].value for index in range(6)]
    assert mean.low < np.mean(own_values) < mean.high


def test_without_labels_there_is_the_flagged_share_alone_and_it_is_not_identified():
    cells, _ = board(k=0, n_models=2, n_langs=3)
    result = estimate_board(cells, confidence=0.95)
    assert [item.estimator for item in result["m1", "l2"]] == ["raw"]
    assert used(result["m1", "l2"]).estimate is None and "nobody labelled" in used(result["m1", "l2"]).why


def test_raw_of_verdicts_is_wilsons():
    flags = verdicts(np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]), np.full(10, NONE), range(10))
    result = estimate_board({("m", "l"): flags}, confidence=0.95)
    assert by_name(result["m", "l"])["raw", None] == wilson(2, 10, confidence=0.95)


def test_what_is_used_is_the_first_that_rests_on_labels_of_replies():
    given = Interval(0.2, 0.1, 0.3)
    powered = Estimate("prediction-powered", "natural", given)
    foretold = Estimate("predicted", "natural", given)
    between = Estimate("rogan-gladen-between", "natural", given)
    raw, silver = Estimate("raw", None, given), Estimate("rogan-gladen-between", "silver", given)
    assert used([raw, between, foretold, powered]).estimate == powered
    blank = Estimate("prediction-powered", "natural", None)
    assert used([raw, between, blank, foretold]).estimate == foretold
    assert used([raw, between]).estimate == between
    assert used([raw, silver]).estimate is None


def given(name, low, high):
    return Estimate(name, "natural", Interval((low + high) / 2, low, high))


def test_of_two_honest_estimates_the_narrower_stands():
    own_values, pooled = given("prediction-powered", 0.1, 0.4), given("rogan-gladen-between", 0.2, 0.4)
    sure = given("labels-alone", 0.29, 0.31)  # the flags are not used: never chosen
    assert narrower([sure, own_values, pooled], n_labels=240).estimate == pooled
    wide = given("rogan-gladen-between", 0.1, 0.41)
    assert narrower([own_values, wide], n_labels=240).estimate == own_values
    few = narrower([own_values, pooled], n_labels=LEAST_POOLED - 1)
    assert few.estimate == own_values and "too few to say how far" in few.why


def test_a_model_without_labels_has_the_pooled_correction_and_with_nothing_told_none():
    pooled = given("rogan-gladen-between", 0.2, 0.4)
    assert narrower([given("raw", 0.1, 0.2), pooled], n_labels=50) == (pooled, POOLED_ALONE)
    blind = Estimate("rogan-gladen-between", "natural", Corrected(None, None, None, None, False))
    assert narrower([given("raw", 0.1, 0.2), blind], n_labels=500) == (None, NOT_IDENTIFIED)


def test_names_and_target_are_chosen():
    cells, _ = board(n_models=2, n_langs=2)
    asked = {"confidence": 0.95, "names": ["prediction-powered"]}
    these, model = (estimate_board(cells, target=target, **asked) for target in ("these", "model"))
    item, other = these["m0", "l0"][0].interval, model["m0", "l0"][0].interval
    assert len(these["m0", "l0"]) == 1 and item.value == other.value
    assert other.high - other.low > item.high - item.low


def test_a_language_without_labelled_texts_has_no_corrected_rate_and_models_no_mean():
    cells, _ = board(n_models=2, n_langs=2)
    texts = natural({key: item for key, item in cells.items() if key[1] == "l0"})
    result = estimate_board(cells, confidence=0.95, calibrated={"silver": texts}, names=["rogan-gladen"])
    assert [item.calibration for item in result["m0", "l0"]] == ["silver"]
    assert result["m0", "l1"] == [] == result["m0", "all"]


# ---- languages without labels ------------------------------------------------------------------------------


def test_a_language_without_labels_is_foretold_by_the_same_model_elsewhere():
    cells, rates = board(3, unlabelled=("l5",))
    result = estimate_board(cells, confidence=0.95)
    for index in range(5):
        where = used(result[f"m{index}", "l5"])
        assert where.estimate.estimator == PREDICTED and "other languages" in where.why
        assert where.estimate.interval.low <= rates[f"m{index}", "l5"] <= where.estimate.interval.high
        sure = used(result[f"m{index}", "l0"]).estimate
        assert sure.estimator == "prediction-powered"
        mean = used(result[f"m{index}", "all"]).estimate
        assert mean.estimator == PREDICTED  # as one of its languages is
    assert by_name(result["m0", "all"])["prediction-powered", "natural"] is None


def test_two_labelled_languages_foretell_no_third():
    cells, _ = board(3, n_langs=3, unlabelled=("l2",))
    result = estimate_board(cells, confidence=0.95)
    assert used(result["m0", "l2"]).estimate is None is used(result["m0", "all"]).estimate


def test_foretold_languages_are_held_as_often_as_said():
    covered = []
    for seed in range(12):
        cells, rates = board(seed, unlabelled=("l0",))
        for key, interval in predicted(Board(cells, 0.95).headline, cells).items():
            covered.append(interval.low <= rates[key] <= interval.high)
    assert len(covered) == 60 and np.mean(covered) > 0.9


@pytest.mark.parametrize(
    ("rates", "flags", "new", "edge"),
    # Rates are a line of the flagged shares: of the new language it says 1.25, or −.15.
    [((0.9, 0.95, 1.0), (0.4, 0.5, 0.6), 1.0, 1.0), ((0.0, 0.05, 0.1), (0.4, 0.5, 0.6), 0.1, 0.0)],
)
def test_a_predicted_rate_beyond_an_edge_has_an_interval_that_holds_it(rates, flags, new, edge):
    total = np.full(20, 20.0)
    cells = {
        ("m", f"l{index}"): Cell(total, total * flag, total * rate, np.arange(20))
        for index, (rate, flag) in enumerate(zip(rates, flags, strict=True))
    }
    cells["m", "new"] = Cell(total, total * new, np.full(20, NONE), np.arange(20))
    result = by_name(estimate_board(cells, confidence=0.95)["m", "new"])[PREDICTED, "natural"]
    assert result.value == edge and 0 <= result.low <= result.value <= result.high <= 1


def test_a_mean_over_nothing_is_none():
    assert estimate_board({}, confidence=0.95) == {}
    empty = Cell(*(np.zeros(0) for _ in range(3)), np.zeros(0, dtype=int))
    result = estimate_board({("m", "l"): empty}, confidence=0.95)
    assert all([item.interval for item in result["m", name]] == [None] for name in ("l", "all"))
    assert pytest.approx(0) == Board({("m", "l"): empty}, 0.95).headline.slope


# ---- external ----------------------------------------------------------------------------------------------
UNKNOWN = [NONE] * 4
REPLIES = cell([50] * 4, [10, 20, 15, 15], UNKNOWN)  # 60 of 200 flagged


def texts(rows, *, models=None, langs=None) -> Calibration:
    names = np.arange(len(rows)) + 100
    models = np.array(models or ["w"] * len(rows))
    return Calibration(np.array(rows, dtype=float), np.array(langs or ["x"] * len(rows)), models, names)


# things, hallucinated, flagged, both: TPR 16/20, FPR 8/80
KNOWN = texts([[25, 5, 6, 4], [25, 5, 6, 4], [25, 5, 7, 4], [25, 5, 5, 4]])


def test_corrected_by_hand():
    errors = errors_on(KNOWN, confidence=0.95)
    assert (errors.tpr.rate, errors.fpr.rate) == pytest.approx((0.8, 0.1))
    corrected = corrected_rate(flagged_sums(REPLIES), errors, confidence=0.95)
    assert corrected.value == pytest.approx((0.3 - 0.1) / 0.7)


def test_hr_est_by_hand():
    # flagged 60/200 · hallucinated 20 / flagged 24
    assert estimated(REPLIES, KNOWN, confidence=0.95).value == pytest.approx(0.3 * 20 / 24)


def test_hr_est_without_an_interval_keeps_its_value_and_without_a_hit_has_none():
    # every reply and every text has the same share: nothing says how far it may move
    even, alike = cell([10] * 4, [2] * 4, UNKNOWN), texts([[10, 2, 2, 1]] * 4)
    result = estimated(even, alike, confidence=0.95)
    assert result.value == pytest.approx(0.2) and np.isnan([result.low, result.high]).all()
    assert estimated(even, texts([[10, 2, 2, 0]] * 4), confidence=0.95) is None  # recall 0
    assert estimated(even, texts([[10, 2, 0, 0]] * 4), confidence=0.95) is None


def test_clusters_in_two_languages_are_seen():
    apart = cell([5], [1], [NONE], ["b"])
    assert not shares_clusters([cell([5], [1], [NONE], ["a"]), apart], [])
    assert shares_clusters([apart, apart], []) and not shares_clusters([], [])
    reference = Calibration(np.ones((1, 4)), np.array(["x"]), np.array(["w"]), np.array(["b"]))
    other = Calibration(np.ones((1, 4)), np.array(["x"]), np.array(["w"]), np.array(["c"]))
    assert shares_clusters([cell([5], [1], [NONE], ["a"]), apart], [reference, other])


# ---- between models ----------------------------------------------------------------------------------------


def test_the_variance_between_models_by_hand():
    # two models of 10 texts each, 1 and 5 of 10 flagged: p .3, v = .21/10, Q = 2 · .2² · 10/.21, C = 10/.21
    tops = np.array([1] + [0] * 9 + [1] * 5 + [0] * 5, dtype=float)
    both = texts([[1, 0, top, 0] for top in tops], models=["a"] * 10 + ["b"] * 10)
    # texts are clusters of one: their design effect is that of 20 rows with 19 degrees, 20/19
    weight = 10 / (0.21 * 20 / 19)
    expected = (2 * 0.2**2 * weight - 1) / (2 * weight - weight)
    assert between_groups(tops, np.ones(20), both) == pytest.approx(expected)
    assert between_models(both) == pytest.approx((0.0, expected, 2))


def test_models_that_err_alike_have_none_and_one_model_tells_nothing():
    alike = texts([[10, 0, 2, 0]] * 4 + [[10, 0, 3, 0]] * 4, models=["a", "b"] * 4)
    assert between_models(alike)[:2] == (0, 0)
    assert between_models(KNOWN) == (0, 0, 1)


def test_texts_of_one_writer_tell_nothing_of_differences_between_models():
    board = {("m", "x"): REPLIES}
    two = texts([[25, 5, 6, 4], [25, 5, 7, 4]] * 4, models=["a", "b"] * 4)
    named = {
        kind: [item.calibration for item in each if item.estimator == "rogan-gladen-between"]
        for kind, reference in (("one", {"silver": KNOWN}), ("two", {"silver": KNOWN, "natural": two}))
        for key, each in estimate_board(board, confidence=0.95, calibrated=reference).items()
        if key == ("m", "x")
    }
    assert named == {"one": [], "two": ["natural"]}


def test_a_planted_variance_between_models_is_found():
    rng = np.random.default_rng(8)
    fpr = np.repeat(np.clip(rng.normal(0.3, 0.08, 60), 0.02, 0.9), 40)
    flagged = rng.binomial(20, fpr)
    models = [f"m{index // 40}" for index in range(2400)]
    reference = texts([[20, 0, item, 0] for item in flagged], models=models)
    assert between_models(reference).fpr == pytest.approx(0.08**2, rel=0.35)


def test_widened_by_hand():
    result = widened(Corrected(0.2, 0.1, 0.4, 0.2, True), 0.5, Between(0.01, 0.0025, 3), confidence=0.95)
    # sd² = (.0025 · .8² + .01 · .2²)/.5²; each side squared with (1.96 sd)²
    more = 1.959964**2 * (0.0025 * 0.64 + 0.01 * 0.04) / 0.25
    assert result.low == pytest.approx(max(0, 0.2 - (0.1**2 + more) ** 0.5))
    assert result.high == pytest.approx(0.2 + (0.2**2 + more) ** 0.5)
    untold = Corrected(None, None, None, None, False)
    assert widened(untold, 0.0, Between(0, 0, 0), confidence=0.95) == untold
    assert widened(None, 0.5, Between(0, 0, 0), confidence=0.95) is None
