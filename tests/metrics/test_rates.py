import pytest

from truerate.metrics.rates import Share, hr_est, rogan_gladen, youden_interval


def test_hr_est_by_hand():
    # 100 of 1,000 tokens flagged, precision .9, recall .6: .9 · 100 / (.6 · 1000)
    assert hr_est(0.9, 0.6, 100, 1000) == pytest.approx(0.15)
    assert hr_est(0.9, 0.0, 100, 1000) is None and hr_est(None, 0.5, 1, 1) is None and hr_est(0.9, 0.6, 0, 0) is None


def test_rogan_gladen_by_hand():
    # flagged .0916 = .08 · .80 + .92 · .03: (.0916 − .03) / .77 = .08
    found = rogan_gladen(Share(9160, 100_000), Share(8000, 10_000), Share(300, 10_000), confidence=0.95)
    assert found.is_identified and found.value == pytest.approx(0.08) == found.raw
    assert found.low < 0.08 < found.high and found.high - found.low < 0.02


def test_a_detectors_own_error_widens_the_interval():
    flagged = Share(2000, 10_000)
    sure = rogan_gladen(flagged, Share(8000, 10_000), Share(300, 10_000), confidence=0.95)
    unsure = rogan_gladen(flagged, Share(40, 50), Share(2, 50), confidence=0.95)
    assert unsure.high - unsure.low > 4 * (sure.high - sure.low)


def test_not_identified_where_the_detector_cannot_tell():
    # TPR 11/20, FPR 9/20: the interval of the difference .1 holds 0
    found = rogan_gladen(Share(50, 100), Share(11, 20), Share(9, 20), confidence=0.95)
    assert not found.is_identified and found.value is found.low is found.high is found.raw is None


def test_estimates_outside_the_unit_interval_are_cut_and_kept():
    # fewer flagged than false alarms alone would give: (.01 − .05) / .85 < 0
    found = rogan_gladen(Share(1, 100), Share(90, 100), Share(5, 100), confidence=0.95)
    assert found.value == 0 == found.low and found.raw == pytest.approx(-0.04 / 0.85) and found.high > 0


def test_over_nothing_is_none():
    assert rogan_gladen(Share(0, 0), Share(1, 2), Share(1, 2), confidence=0.95) is None
    assert rogan_gladen(Share(1, 2), Share(0, 0), Share(1, 2), confidence=0.95) is None


def test_youden_interval_of_newcombes_example():
    # Newcombe 1998, Table II (a): 56/70 − 48/80 = .2, method 10: (.0524, .3339)
    assert youden_interval(Share(56, 70), Share(48, 80), confidence=0.95) == pytest.approx((0.0524, 0.3339), abs=1e-4)
