import numpy as np
import pytest

from truerate.metrics.estimators.choice import LEAST_POOLED, NOT_IDENTIFIED, POOLED_ALONE, narrower, used
from truerate.metrics.estimators.prediction_powered import predicted
from truerate.metrics.estimators.registry import ESTIMATORS, PREDICTED, Board, estimate_board
from truerate.metrics.estimators.sample import Calibration, Cell, verdicts
from truerate.metrics.intervals import Interval, wilson
from truerate.metrics.rates import Corrected, Estimate

from .boards import NONE, labelled, population


def board(seed=1, *, k=12, unlabelled=(), **shape):
    cells, rates = population(seed, **shape)
    drawn = labelled(cells, k, np.random.default_rng(seed))
    for key, one in drawn.items():
        if key[1] in unlabelled:
            drawn[key] = Cell(one.total, one.flagged, np.full(one.n, NONE), one.clusters)
    return drawn, rates


def natural(cells) -> Calibration:
    """The labelled replies, as texts that calibrate; a flagged word is right as often as it is by chance."""
    rows = [
        ([total, gold, flagged, min(gold, flagged)], key, cluster)
        for key, one in cells.items()
        for total, flagged, gold, cluster in zip(one.total, one.flagged, one.gold, one.clusters, strict=True)
        if not np.isnan(gold)
    ]
    keys = [key for _, key, _ in rows]
    sums = np.array([sums for sums, _, _ in rows])
    langs, models = (np.array([key[place] for key in keys]) for place in (1, 0))
    return Calibration(sums, langs, models, np.array([f"{key[1]}/{cluster}" for _, key, cluster in rows]))


def by_name(estimates):
    return {(one.estimator, one.calibration): one.interval for one in estimates}


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
    assert {one.labels for one in ESTIMATORS.values()} == {"none", "external", "internal"}
    assert all(one.assumes.endswith(".") and one.name == name for name, one in ESTIMATORS.items())


def test_a_board_has_every_estimate_of_every_cell_and_mean():
    cells, _ = board()
    found = estimate_board(cells, confidence=0.95, calibrated={"natural": natural(cells)})
    assert set(found) == {*cells, *((f"m{place}", "all") for place in range(5))}
    names = [(name, None if one.labels == "none" else "natural") for name, one in ESTIMATORS.items()]
    assert list(by_name(found["m0", "l0"])) == names
    assert list(by_name(found["m0", "all"])) == names
    for each in found.values():
        for one in each:
            assert (
                one.interval is None or one.interval.value is None or one.interval.low <= one.interval.value
            )
    mean = by_name(found["m0", "all"])["prediction-powered", "natural"]
    own = [by_name(found["m0", f"l{place}"])["labels-alone", "natural"].value for place in range(6)]
    assert mean.low < np.mean(own) < mean.high


def test_without_labels_there_is_the_flagged_share_alone_and_it_is_not_identified():
    cells, _ = board(k=0, n_models=2, n_langs=3)
    found = estimate_board(cells, confidence=0.95)
    assert [one.estimator for one in found["m1", "l2"]] == ["raw"]
    assert used(found["m1", "l2"]).estimate is None and "nobody labelled" in used(found["m1", "l2"]).why


def test_raw_of_verdicts_is_wilsons():
    flags = verdicts(np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]), np.full(10, NONE), range(10))
    found = estimate_board({("m", "l"): flags}, confidence=0.95)
    assert by_name(found["m", "l"])["raw", None] == wilson(2, 10, confidence=0.95)


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
    own, pooled = told("prediction-powered", 0.1, 0.4), told("rogan-gladen-between", 0.2, 0.4)
    sure = told("labels-alone", 0.29, 0.31)  # the flags are not used: never chosen
    assert narrower([sure, own, pooled], n_labels=240).estimate == pooled
    assert narrower([own, told("rogan-gladen-between", 0.1, 0.41)], n_labels=240).estimate == own
    few = narrower([own, pooled], n_labels=LEAST_POOLED - 1)
    assert few.estimate == own and "too few to say how far" in few.why


def test_a_model_without_labels_has_the_pooled_correction_and_with_nothing_told_none():
    pooled = told("rogan-gladen-between", 0.2, 0.4)
    assert narrower([told("raw", 0.1, 0.2), pooled], n_labels=50) == (pooled, POOLED_ALONE)
    blind = Estimate("rogan-gladen-between", "natural", Corrected(None, None, None, None, False))
    assert narrower([told("raw", 0.1, 0.2), blind], n_labels=500) == (None, NOT_IDENTIFIED)


def test_names_and_target_are_chosen():
    cells, _ = board(n_models=2, n_langs=2)
    asked = {"confidence": 0.95, "names": ["prediction-powered"]}
    these, model = (estimate_board(cells, target=target, **asked) for target in ("these", "model"))
    one, other = these["m0", "l0"][0].interval, model["m0", "l0"][0].interval
    assert len(these["m0", "l0"]) == 1 and one.value == other.value
    assert other.high - other.low > one.high - one.low


def test_a_language_without_labelled_texts_has_no_corrected_rate_and_models_no_mean():
    cells, _ = board(n_models=2, n_langs=2)
    texts = natural({key: one for key, one in cells.items() if key[1] == "l0"})
    found = estimate_board(cells, confidence=0.95, calibrated={"silver": texts}, names=["rogan-gladen"])
    assert [one.calibration for one in found["m0", "l0"]] == ["silver"]
    assert found["m0", "l1"] == [] == found["m0", "all"]


# ---- languages without labels ------------------------------------------------------------------------------


def test_a_language_without_labels_is_foretold_by_the_same_model_elsewhere():
    cells, rates = board(3, unlabelled=("l5",))
    found = estimate_board(cells, confidence=0.95)
    for place in range(5):
        where = used(found[f"m{place}", "l5"])
        assert where.estimate.estimator == PREDICTED and "other languages" in where.why
        assert where.estimate.interval.low <= rates[f"m{place}", "l5"] <= where.estimate.interval.high
        sure = used(found[f"m{place}", "l0"]).estimate
        assert sure.estimator == "prediction-powered"
        mean = used(found[f"m{place}", "all"]).estimate
        assert mean.estimator == PREDICTED  # as one of its languages is
    assert by_name(found["m0", "all"])["prediction-powered", "natural"] is None


def test_two_labelled_languages_foretell_no_third():
    cells, _ = board(3, n_langs=3, unlabelled=("l2",))
    found = estimate_board(cells, confidence=0.95)
    assert used(found["m0", "l2"]).estimate is None is used(found["m0", "all"]).estimate


def test_foretold_languages_are_held_as_often_as_said():
    held = []
    for seed in range(12):
        cells, rates = board(seed, unlabelled=("l0",))
        for key, interval in predicted(Board(cells, 0.95).headline, cells).items():
            held.append(interval.low <= rates[key] <= interval.high)
    assert len(held) == 60 and np.mean(held) > 0.9


@pytest.mark.parametrize(
    ("rates", "flags", "new", "edge"),
    # Rates are a line of the flagged shares: of the new language it says 1.25, or −.15.
    [((0.9, 0.95, 1.0), (0.4, 0.5, 0.6), 1.0, 1.0), ((0.0, 0.05, 0.1), (0.4, 0.5, 0.6), 0.1, 0.0)],
)
def test_a_predicted_rate_beyond_an_edge_has_an_interval_that_holds_it(rates, flags, new, edge):
    total = np.full(20, 20.0)
    cells = {
        ("m", f"l{place}"): Cell(total, total * flag, total * rate, np.arange(20))
        for place, (rate, flag) in enumerate(zip(rates, flags, strict=True))
    }
    cells["m", "new"] = Cell(total, total * new, np.full(20, NONE), np.arange(20))
    found = by_name(estimate_board(cells, confidence=0.95)["m", "new"])[PREDICTED, "natural"]
    assert found.value == edge and 0 <= found.low <= found.value <= found.high <= 1


def test_a_mean_over_nothing_is_none():
    assert estimate_board({}, confidence=0.95) == {}
    empty = Cell(*(np.zeros(0) for _ in range(3)), np.zeros(0, dtype=int))
    found = estimate_board({("m", "l"): empty}, confidence=0.95)
    assert [one.interval for one in found["m", "l"]] == [None] == [one.interval for one in found["m", "all"]]
    assert pytest.approx(0) == Board({("m", "l"): empty}, 0.95).headline.slope
