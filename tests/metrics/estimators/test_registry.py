import numpy as np

from truerate.metrics.estimators.choice import LEAST_POOLED, narrower, used
from truerate.metrics.estimators.registry import ESTIMATORS, PREDICTED, estimate_board
from truerate.metrics.estimators.sample import Calibration, Cell
from truerate.metrics.intervals import Interval
from truerate.metrics.rates import Estimate

from .boards import NONE, labelled, population


def board(seed=1, *, k=12, unlabelled=(), **shape):
    cells, rates = population(seed, **shape)
    drawn = labelled(cells, k, np.random.default_rng(seed))
    for key, item in drawn.items():
        if key[1] in unlabelled:
            drawn[key] = Cell(item.total, item.flagged, np.full(item.n, NONE), item.clusters)
    return drawn, rates


def natural(cells) -> Calibration:
    """The labelled replies, as texts that calibrate; a flagged word is right as often as it is by chance."""
    rows = [
        ([total, gold, flagged, min(gold, flagged)], key, cluster)
        for key, item in cells.items()
        for total, flagged, gold, cluster in zip(
            item.total, item.flagged, item.gold, item.clusters, strict=True
        )
        if not np.isnan(gold)
    ]
    keys = [key for _, key, _ in rows]
    sums = np.array([sums for sums, _, _ in rows])
    langs, models = (np.array([key[place] for key in keys]) for place in (1, 0))
    return Calibration(sums, langs, models, np.array([f"{key[1]}/{cluster}" for _, key, cluster in rows]))


def by_name(estimates):
    return {(item.estimator, item.calibration): item.interval for item in estimates}


def test_every_estimator_says_what_it_needs_and_assumes():
    assert list(ESTIMATORS) == [
        "raw",
        "hr_est",
        "rogan-gladen",
        "rogan-gladen-between",
        "labels-alone",
        "ppi",
        "prediction-powered",
    ]
    assert {item.labels for item in ESTIMATORS.values()} == {"none", "external", "internal"}
    assert all(item.assumes.endswith(".") and item.name == name for name, item in ESTIMATORS.items())


def test_a_board_has_every_estimate_of_every_cell_and_mean():
    cells, _ = board()
    result = estimate_board(cells, confidence=0.95, calibrated={"natural": natural(cells)})
    assert set(result) == {*cells, *((f"m{place}", "all") for place in range(5))}
    names = [(name, None if item.labels == "none" else "natural") for name, item in ESTIMATORS.items()]
    assert list(by_name(result["m0", "l0"])) == names
    assert list(by_name(result["m0", "all"])) == names
    for each in result.values():
        for item in each:
            assert (
                item.interval is None
                or item.interval.value is None
                or item.interval.low <= item.interval.value
            )
    mean = by_name(result["m0", "all"])["prediction-powered", "natural"]
    single = [by_name(result["m0", f"l{place}"])["labels-alone", "natural"].value for place in range(6)]
    assert mean.low < np.mean(single) < mean.high


def test_without_labels_there_is_the_flagged_share_alone_and_it_is_not_identified():
    cells, _ = board(k=0, n_models=2, n_langs=3)
    result = estimate_board(cells, confidence=0.95)
    assert [item.estimator for item in result["m1", "l2"]] == ["raw"]
    assert used(result["m1", "l2"]).estimate is None and "nobody labelled" in used(result["m1", "l2"]).why


def test_what_is_used_is_the_first_that_rests_on_labels_of_replies():
    told = Interval(0.2, 0.1, 0.3)
    powered, foretold = (
        Estimate("prediction-powered", "natural", told),
        Estimate("predicted", "natural", told),
    )
    between = Estimate("rogan-gladen-between", "natural", told)
    raw, silver = Estimate("raw", None, told), Estimate("rogan-gladen-between", "silver", told)
    assert used([raw, between, foretold, powered]).estimate == powered
    assert (
        used([raw, between, Estimate("prediction-powered", "natural", None), foretold]).estimate == foretold
    )
    assert used([raw, between]).estimate == between
    assert used([raw, silver]).estimate is None


def told(name, low, high):
    return Estimate(name, "natural", Interval((low + high) / 2, low, high))


def test_of_two_honest_estimates_the_narrower_stands():
    single, pooled = told("prediction-powered", 0.1, 0.4), told("rogan-gladen-between", 0.2, 0.4)
    sure = told("labels-alone", 0.29, 0.31)  # the flags are not used: never chosen
    assert narrower([sure, single, pooled], n_labels=240).estimate == pooled
    assert narrower([single, told("rogan-gladen-between", 0.1, 0.41)], n_labels=240).estimate == single
    few = narrower([single, pooled], n_labels=LEAST_POOLED - 1)
    assert few.estimate == single and "too few to say how far" in few.why


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
    for place in range(5):
        where = used(result[f"m{place}", "l5"])
        assert where.estimate.estimator == PREDICTED and "other languages" in where.why
        assert where.estimate.interval.low <= rates[f"m{place}", "l5"] <= where.estimate.interval.high
        sure = used(result[f"m{place}", "l0"]).estimate
        assert sure.estimator == "prediction-powered"
        mean = used(result[f"m{place}", "all"]).estimate
        assert mean.estimator == PREDICTED  # as one of its languages is
    assert by_name(result["m0", "all"])["prediction-powered", "natural"] is None
