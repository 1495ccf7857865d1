"""The rate of one group of answers: planted truth is recovered, and too few labels give no point."""

from dataclasses import replace

import numpy as np
import pytest

from truerate.metrics.estimators.own_rate import (
    Systems,
    by_bands,
    groups,
    over_systems,
    rate_of,
    unskewed,
    with_unjudged,
)
from truerate.metrics.estimators.sample import Cell, verdicts


def drawn(rng, *, n, k, rate, tpr, fpr, prefix="a"):
    """n answers, a biased detector, k of them labelled by chance; and the rate of these very answers."""
    truth = rng.random(n) < rate
    flags = np.where(truth, rng.random(n) < tpr, rng.random(n) < fpr)
    label = np.full(n, np.nan)
    taken = rng.permutation(n)[:k]
    label[taken] = truth[taken]
    return verdicts(flags, label, [f"{prefix}{i}" for i in range(n)]), float(truth.mean())


@pytest.mark.parametrize("k", [30, 100])
@pytest.mark.parametrize(("rate", "tpr", "fpr"), [(0.2, 0.8, 0.35), (0.1, 0.7, 0.1)])
def test_planted_rates_are_recovered(k, rate, tpr, fpr):
    """The flagged share is off by 6 to 24 points; the corrected rate by less than 1, and its interval holds
    in .93 of the draws (measured over 600: .958 to .978).
    """
    rng = np.random.default_rng(5)
    covered, errors, raw = [], [], []
    for _ in range(150):
        cell, truth = drawn(rng, n=1000, k=k, rate=rate, tpr=tpr, fpr=fpr)
        result = rate_of("all", cell)
        covered.append(result.low <= truth <= result.high)
        errors.append(result.value - truth)
        raw.append(result.raw.value - truth)
    assert np.mean(covered) >= 0.93
    assert abs(np.mean(errors)) < 0.012
    assert np.mean(raw) > 0.05


def test_by_bands_is_the_post_stratified_rate():
    """40 flagged, 4 labelled, 3 of them hallucinated; 60 not, 6 labelled, 1 of them: .4 · 3/4 + .6 · 1/6 =
    .4. Where the hallucinated one of the 6 was twice as likely to be drawn it weighs half: .3 + .6 · 1/11.
    """
    flags = np.arange(100) < 40
    label = np.full(100, np.nan)
    label[:4] = [1, 1, 1, 0]
    label[40:46] = [1, 0, 0, 0, 0, 0]
    cell = verdicts(flags, label, np.arange(100))
    result = by_bands([cell], confidence=0.95)
    assert result.value == pytest.approx(0.4)
    assert result.low < 0.3 < 0.5 < result.high
    weight = np.where(np.arange(100) == 40, 5.0, 10.0)
    assert by_bands([replace(cell, weight=weight)], confidence=0.95).value == pytest.approx(0.3 + 0.6 / 11)


def test_intervals_of_rare_hallucinations_are_no_wider_than_they_must_be():
    """Rate .05, J .4, 60 of 1,000 labelled: .953 over 300 draws with a mean width of .101; Wilson's of the
    labels alone is .120 wide.
    """
    rng, covered, widths = np.random.default_rng(3), [], []
    for _ in range(150):
        cell, truth = drawn(rng, n=1000, k=60, rate=0.05, tpr=0.5, fpr=0.1)
        result = by_bands([cell], confidence=0.95)
        covered.append(result.low <= truth <= result.high)
        widths.append(result.high - result.low)
    assert np.mean(covered) >= 0.92
    assert np.mean(widths) < 0.11


def test_without_labels_the_raw_share_alone():
    result = rate_of("all", verdicts(np.arange(50) < 10, np.full(50, np.nan), np.arange(50)))
    assert (result.value, result.low, result.high) == (None, None, None)
    assert result.raw.value == pytest.approx(0.2)


def test_too_few_labels_give_an_interval_and_no_point():
    label = np.full(50, np.nan)
    label[:5] = [0, 0, 1, 0, 0]
    result = rate_of("all", verdicts(np.arange(50) % 2, label, np.arange(50)))
    assert result.value is None
    assert result.estimator == "not-identified"
    assert result.low < 0.05 and result.high > 0.5  # Wilson of 1 in 5: .036 to .624


def test_all_labelled_is_known():
    label = (np.arange(50) < 10).astype(float)
    result = rate_of("all", verdicts(np.ones(50), label, np.arange(50)))
    assert (result.value, result.low, result.high) == pytest.approx((0.2, 0.2, 0.2))
    assert result.halved is None


def test_more_labels_halve_the_interval():
    rng = np.random.default_rng(6)
    cell, _ = drawn(rng, n=4000, k=100, rate=0.3, tpr=0.8, fpr=0.2)
    first = rate_of("all", cell)
    wide = first.high - first.low
    more, _ = drawn(np.random.default_rng(4), n=4000, k=100 + first.halved, rate=0.3, tpr=0.8, fpr=0.2)
    second = rate_of("all", more)
    assert (second.high - second.low) / wide == pytest.approx(0.5, abs=0.08)


def test_systems_are_told_apart_or_it_is_said_what_would():
    rng = np.random.default_rng(8)
    plan = {"a": 0.1, "b": 0.5, "c": 0.13}
    cells = {
        name: drawn(rng, n=500, k=100, rate=rate, tpr=0.8, fpr=0.3, prefix=name)[0]
        for name, rate in plan.items()
    }
    pairs = {(item.first, item.second): item for item in Systems(cells).pairs()}
    assert pairs["a", "b"].p < 0.001 and pairs["a", "b"].difference == pytest.approx(-0.4, abs=0.12)
    assert pairs["a", "c"].p > 0.05 and pairs["a", "c"].labels > 100


def test_a_system_that_was_labelled_more_weighs_no_more():
    """Rates 0 and 1, 300 answers each, 90 and 10 labelled: half of all, not the .1 of the labelled."""
    cells = {}
    for name, k in (("a", 90), ("b", 10)):
        label = np.full(300, np.nan)
        label[:k] = float(name == "b")
        cells[name] = verdicts(np.arange(300) % 3 == 0, label, [f"{name}{i}" for i in range(300)])
    assert over_systems(cells).value == pytest.approx(0.5)


def test_what_was_not_judged_counts_as_the_share_of_the_rest():
    """1 of 4 words flagged of what was judged: 2.5 of 10."""
    result = with_unjudged(np.array([2.0, 2.0, 10.0]), np.array([1.0, 0.0, np.nan]))
    assert result.tolist() == [1.0, 0.0, 2.5]
    assert with_unjudged(np.array([2.0]), np.array([np.nan])).tolist() == [0.0]


def test_nothing_is_nothing():
    empty = np.zeros(0)
    assert rate_of("all", Cell(empty, empty, empty, empty)).raw is None
    assert {name: rows.tolist() for name, rows in groups(["b", "a", "b"]).items()} == {
        "a": [False, True, False],
        "b": [True, False, True],
    }


def test_hall_s_transformation_is_undone():
    """γ = 2, n = 25, t = 1: with a = γ / (3 √n) = 2/15, g(t) = ((1 + a)³ − 1) / 3a + γ / (6 √n) of the cubic."""
    a = 2 / 15
    assert unskewed(((1 + a) ** 3 - 1) / (3 * a) + 2 / 30, 2.0, 25) == pytest.approx(1.0)
    assert unskewed(1.7, 0.0, 25) == 1.7


def test_rare_answers_with_many_hallucinated_words_stretch_the_upper_end():
    """One answer in ten is half hallucinated, the others are sound: of 200 draws of 30 labels, the interval
    held the share in .84 before its ends knew of skewness, in .95 since.
    """
    rng = np.random.default_rng(2)
    total = np.full(600, 40.0)
    gold = np.where(np.arange(600) % 10 == 0, 20.0, 0.0)
    truth = float(gold.sum() / total.sum())
    covered = []
    for _ in range(150):
        label = np.full(600, np.nan)
        taken = rng.permutation(600)[:30]
        label[taken] = gold[taken]
        result = rate_of("all", Cell(total, np.zeros(600), label, np.arange(600)))
        covered.append(result.low <= truth <= result.high)
    assert np.mean(covered) >= 0.92


def test_one_answer_without_a_label_may_be_either():
    # 6 of 15 are hallucinated; the sixteenth leaves 6/16 to 7/16 open, and the detector that flags it the point
    gold = np.array([1.0] * 6 + [0.0] * 9 + [np.nan])
    flagged = np.array([1.0] * 5 + [0.0] * 10 + [1.0])
    cell = Cell(np.ones(16), flagged, gold, np.arange(16).astype(str))
    rate = rate_of("all", cell)
    assert (rate.low, rate.high) == (6 / 16, 7 / 16) and rate.value == pytest.approx(7 / 16)


def test_few_labels_leave_open_no_more_than_answers_without_one():
    """4 answers, labels of 3, 2 of them hallucinated: of the four 2 or 3 are."""
    label = np.array([0, 1, 1, np.nan])
    result = rate_of("all", verdicts([0, 1, 1, 0], label, list("abcd")))
    assert (result.value, result.low, result.high) == (None, 0.5, 0.75)
