import numpy as np
import pytest

from tests.cases import case_table
from truerate.config import Statistics
from truerate.metrics.estimators.sample import Cell, errors_of, estimates, verdicts
from truerate.metrics.intervals import Interval
from truerate.metrics.rates import (
    NOT_IDENTIFIED,
    Errors,
    Share,
    clustered_share,
    estimate_rows,
    hr_est,
    hr_est_interval,
    is_refuted,
    mean_of_intervals,
    rogan_gladen,
    sensitivity_band,
    youden_interval,
)
from truerate.metrics.score_writer import ScoreWriter

CASES = case_table(__file__)


def test_hr_est_by_hand():
    # 100 of 1,000 tokens flagged, precision .9, recall .6: .9 · 100 / (.6 · 1000)
    assert hr_est(0.9, 0.6, 100, 1000) == pytest.approx(0.15)
    assert hr_est(0.9, 0.0, 100, 1000) is None and hr_est(None, 0.5, 1, 1) is None
    assert hr_est(0.9, 0.6, 0, 0) is None


def test_rogan_gladen_by_hand():
    # flagged .0916 = .08 · .80 + .92 · .03: (.0916 − .03) / .77 = .08
    result = rogan_gladen(Share(9160, 100_000), Share(8000, 10_000), Share(300, 10_000), confidence=0.95)
    assert result.is_identified and result.value == pytest.approx(0.08) == result.raw
    assert result.low < 0.08 < result.high and result.high - result.low < 0.02


def test_a_detectors_own_error_widens_the_interval():
    flagged = Share(2000, 10_000)
    sure = rogan_gladen(flagged, Share(8000, 10_000), Share(300, 10_000), confidence=0.95)
    unsure = rogan_gladen(flagged, Share(40, 50), Share(2, 50), confidence=0.95)
    assert unsure.high - unsure.low > 4 * (sure.high - sure.low)


def test_not_identified_where_the_detector_cannot_tell():
    # TPR 11/20, FPR 9/20: the interval of the difference .1 holds 0
    result = rogan_gladen(Share(50, 100), Share(11, 20), Share(9, 20), confidence=0.95)
    assert not result.is_identified and result.value is result.low is result.high is result.raw is None


def test_estimates_outside_the_unit_interval_are_cut_and_kept():
    # fewer flagged than false alarms alone would give: (.01 − .05) / .85 < 0
    result = rogan_gladen(Share(1, 100), Share(90, 100), Share(5, 100), confidence=0.95)
    assert result.value == 0 == result.low and result.raw == pytest.approx(-0.04 / 0.85) and result.high > 0


@pytest.mark.parametrize(("flagged", "tpr", "fpr"), CASES["refuted"])
def test_a_calibration_that_the_texts_refute_gives_no_number(flagged, tpr, fpr):
    result = rogan_gladen(Share(flagged, 1000), Share(tpr, 1000), Share(fpr, 1000), confidence=0.95)
    assert result == NOT_IDENTIFIED


def test_what_chance_explains_refutes_nothing():
    """Where nothing is hallucinated as many are flagged as the FPR says: 1,000 draws of both, of which about
    one in twenty is refuted by chance; with a tenth of the rows or at a tenth of the level fewer still.
    """
    rng = np.random.default_rng(3)
    for n, confidence, most in ((400, 0.95, 0.07), (40, 0.95, 0.07), (400, 0.995, 0.012)):
        flagged, alarms = rng.binomial(n, 0.1, 1000), rng.binomial(n, 0.1, 1000)
        tpr = Share(0.9 * n, n)
        given = [
            is_refuted(Share(x, n), tpr, Share(y, n), confidence=confidence)
            for x, y in zip(flagged.tolist(), alarms.tolist(), strict=True)
        ]
        assert np.mean(given) <= most
    assert not is_refuted(Share(0, 0), Share(1, 2), Share(1, 2), confidence=0.95)


def test_no_corrected_rate_has_width_zero():
    n_told = 0
    for n in (20, 1000):
        for flagged in (0, 0.001, 0.03, 0.05, 0.5, 0.9, 0.97, 0.999, 1):
            for tpr, fpr in ((0.9, 0.05), (1, 0), (0.999, 0.6), (0.05, 0.9), (0, 1)):
                shares = (Share(rate * n, n) for rate in (flagged, tpr, fpr))
                result = rogan_gladen(*shares, confidence=0.95)
                if result.is_identified:
                    n_told += 1
                    assert result.low < result.high and result.low <= result.value <= result.high
    assert n_told > 40


def test_over_nothing_is_none():
    assert rogan_gladen(Share(0, 0), Share(1, 2), Share(1, 2), confidence=0.95) is None
    assert rogan_gladen(Share(1, 2), Share(0, 0), Share(1, 2), confidence=0.95) is None


def test_youden_interval_of_newcombes_example():
    # Newcombe 1998, Table II (a): 56/70 − 48/80 = .2, method 10: (.0524, .3339)
    assert youden_interval(Share(56, 70), Share(48, 80), confidence=0.95) == pytest.approx(
        (0.0524, 0.3339), abs=1e-4
    )


def test_hr_est_interval_is_the_estimate_and_widens_with_fewer_texts():
    # H 40, N 400, gold 30, detected 24, both 18: P .75, R .6, so P·H / (R·N) = .125 = H·gold / (N·detected)
    sums = np.array([[4.0, 40, 3, 2.4], [3, 40, 2, 3], [5, 40, 4, 1.8], [4, 40, 3, 2.4], [4, 40, 3, 2.4]] * 2)
    assert hr_est(18 / 24, 18 / 30, 40, 400) == pytest.approx(hr_est_interval(sums, confidence=0.95).value)
    totals = sums.sum(axis=0)
    result = hr_est_interval(sums, confidence=0.95)
    assert result.value == pytest.approx(totals[0] * totals[2] / (totals[1] * totals[3]))
    assert 0 < result.low < result.value < result.high
    fewer = hr_est_interval(sums[:4], confidence=0.95)
    assert fewer.high / fewer.low > result.high / result.low
    assert hr_est_interval(sums[:1], confidence=0.95) is None
    assert hr_est_interval(np.zeros((5, 4)), confidence=0.95) is None


def test_what_replies_and_calibration_share_cancels():
    # every cluster flags as much more in the wild as its calibration text holds more detected tokens: the
    # ratio never moves
    item = np.array([[4.0, 40, 2, 4], [8, 40, 2, 8], [2, 40, 2, 2]])
    apart = np.vstack(
        [np.hstack([item[:, :2], np.zeros((3, 2))]), np.hstack([np.zeros((3, 2)), item[:, 2:]])]
    )
    split = hr_est_interval(apart, confidence=0.95)
    assert split.low < split.value < split.high
    assert (
        hr_est_interval(item, confidence=0.95) is None
    )  # no cluster says how far it may move, and a width of 0 would claim certainty
    almost = hr_est_interval(item + [[0, 0, 0, 0.1], [0, 0, 0, 0], [0, 0, 0, 0]], confidence=0.95)
    assert 0 < almost.high - almost.low < (split.high - split.low) / 10


def test_clustered_shares_are_worth_fewer_rows():
    # clusters that are all one way: 4 clusters of 10 say as much as 4 rows, less by Student's t
    share = clustered_share(np.array([10.0, 0, 10, 0]), np.full(4, 10.0), confidence=0.95)
    assert share.rate == 0.5 and share.n < 4
    assert clustered_share(np.array([3.0]), np.array([9.0]), confidence=0.95) == (0.0, 0.0)


def test_sensitivity_band_by_hand():
    # flagged .2, TPR .8, FPR .05: low (.2 − .1) / (.8 − .1), high (.2 − .025) / (.4 − .025)
    assert sensitivity_band(0.2, 0.8, 0.05) == pytest.approx((0.1 / 0.7, 0.175 / 0.375))
    assert sensitivity_band(0.01, 0.8, 0.05)[0] == 0.0 and sensitivity_band(0.9, 0.8, 0.05)[1] == 1.0
    assert sensitivity_band(0.2, 0.1, 0.4) is None
    # .01 is less than half of the FPR: it is lower still; with none, at the lowest TPR, .01 / .4
    assert sensitivity_band(0.01, 0.8, 0.05) == pytest.approx((0, 0.025))
    assert sensitivity_band(0.0, 0.8, 0.05) is None


def test_mean_of_intervals():
    # two of ± .1: the half-width of the mean is √(.1² + .1²) / 2
    result = mean_of_intervals([Interval(0.2, 0.1, 0.3), Interval(0.4, 0.3, 0.5)])
    assert result == pytest.approx((0.3, 0.3 - 0.02**0.5 / 2, 0.3 + 0.02**0.5 / 2))
    assert mean_of_intervals([]) is None and mean_of_intervals([result, None]) is None


def test_the_mean_of_estimates_that_move_together_is_no_surer_than_each():
    result = mean_of_intervals([Interval(0.2, 0.1, 0.3), Interval(0.4, 0.3, 0.7)], is_independent=False)
    assert result == pytest.approx((0.3, 0.2, 0.5))


# ---- unit rates --------------------------------------------------------------------------------------------
WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
NONE = float("nan")


def units(flags: list[int], labels: list[float], *, per_cluster: int = 1) -> Cell:
    clusters = [f"c{index // per_cluster}" for index in range(len(flags))]
    return verdicts(np.array(flags, dtype=bool), np.array(labels), clusters)


def test_errors_are_over_labelled_units_alone():
    # labelled hallucinated: 3 of 4 flagged; labelled right: 1 of 4; two without a label
    result = errors_of(
        units([1, 1, 1, 0, 1, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0, NONE, NONE]), confidence=0.95
    )
    assert result.tpr.rate == pytest.approx(3 / 4) and result.fpr.rate == pytest.approx(1 / 4)


def test_a_class_without_labels_gives_no_estimate():
    expected = errors_of(units([1, 0], [1, 1]), confidence=0.95)
    (_, corrected) = estimates(units([1, 0, 0], [NONE] * 3), {"induced": expected}, WRITER)
    assert corrected.interval is None


def test_raw_and_corrected_by_hand():
    flagged = units([1] * 30 + [0] * 70, [NONE] * 100)
    raw, corrected = estimates(flagged, {"natural": Errors(Share(80, 100), Share(10, 100))}, WRITER)
    assert raw.interval.value == pytest.approx(0.3)
    assert corrected.interval.value == pytest.approx((0.3 - 0.1) / (0.8 - 0.1))  # (q - FPR) / (TPR - FPR)
    assert corrected.where == {"estimator": "rogan-gladen", "calibration": "natural"}


def test_a_detector_that_cannot_tell_is_not_identified():
    useless = Errors(Share(30, 100), Share(30, 100))
    each = estimates(units([1, 0, 1], [NONE] * 3), {"induced": useless}, WRITER)
    rows = estimate_rows("rate", "m", {"unit": "turn"}, each, 3, WRITER)
    assert [(row["metric"], row["value"]) for row in rows[1:]] == [("rate", None), ("is_identified", 0)]
