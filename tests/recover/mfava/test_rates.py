"""Rates of mFAVA's boards: the headline holds however the detector errs, and every other estimate fails as what is
planted foretells.
"""

from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from truerate.leaderboard.rows import outcome_matrix
from truerate.metrics.intervals import Interval
from truerate.metrics.ranking import compare_all
from truerate.metrics.rates import mean_of_intervals

from ..cells import holds
from ..mfava_board import BLINDER, EVEN, LANGS, MARKERS, PARTIAL, REPLIES, SHIER, SUBJECTS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover-mfava")]
PLACES = list(product(SUBJECTS, LANGS))


@pytest.fixture(scope="module")
def estimates(scored):
    """Every estimate by (marker, seed, estimator, calibration, model, language, replies)."""
    found = {}
    for key, (rows, _) in scored.items():
        for row in (row for row in rows if row["metric"] == "hallucination_rate"):
            where = (row["estimator"], row.get("calibration"), row["subject"], row["lang"], row["replies"])
            found[*key, *where] = Interval(row["value"], row["low"], row["high"])
    return found


def predicted(board, marker, estimator: str, alias: str, lang: str) -> float:
    """What an estimate on silver comes to, from the detector's planted error, the planted rate and how much
    is inserted into silver.

    H = π·hit + (1 − π)·alarm of the wild texts. HR_est = P·H/R, and P/R = s / (s·hit + (1 − s)·alarm) where s
    of silver is inserted. Rogan–Gladen = (H − alarm) / (hit − alarm) with silver's hit and alarm.
    """
    rate, share = board.planted[alias, lang, "all"], board.inserted[lang]
    flagged = rate * marker.hit[1] + (1 - rate) * marker.alarm[1]
    hit, alarm = marker.hit[0], marker.alarm[0]
    if estimator == "hr_est":
        return share * flagged / (share * hit + (1 - share) * alarm)
    return (flagged - alarm) / (hit - alarm)


def over_all(
    boards, estimates, marker, estimator: str, calibration: str, subjects=SUBJECTS
) -> tuple[Interval, float]:
    """The mean of an estimate over models, languages and seeds, and of the planted rates.

    Models of one language and seed share their calibration: the ends of their intervals are averaged as if
    they were one estimate.
    """
    each, planted = [], []
    for board, lang in product(boards, LANGS):
        found = [
            estimates[marker, board.at.p.seed, estimator, calibration, alias, lang, "all"]
            for alias in subjects
        ]
        if any(estimate.value is None for estimate in found):  # of a calibration that tells nothing
            continue
        each.append(Interval(*np.mean(np.array(found), axis=0)))
        planted += [board.planted[alias, lang, "all"] for alias in subjects]
    return mean_of_intervals(each), float(np.mean(planted))


every_marker = pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: marker.name)


@every_marker
def test_planted_rates_lie_in_rogan_gladens_natural_intervals(boards, estimates, marker):
    """All models of a seed and language share a calibration. Of a marker that finds .45 of natural hallucinations one of the
    six calibrations may tell nothing, then for all its cells alike; of any other marker none.
    """
    unidentified = Counter()
    for board, (alias, lang), replies in product(boards, PLACES, REPLIES):
        rate = estimates[marker, board.at.p.seed, "rogan-gladen", "natural", alias, lang, replies]
        if rate.value is None:
            unidentified[board.at.p.seed, lang] += 1
        else:
            assert holds(rate, board.planted[alias, lang, replies])
    assert len(unidentified) <= (marker.name == "blinder")
    assert set(unidentified.values()) <= {len(SUBJECTS) * len(REPLIES)}
    assert holds(*over_all(boards, estimates, marker, "rogan-gladen", "natural"))


@every_marker
@pytest.mark.parametrize("estimator", ["hr_est", "rogan-gladen"])
def test_estimates_on_silver_fail_as_the_planted_shift_predicts(boards, estimates, marker, estimator):
    expected = {}
    for board, (alias, lang) in product(boards, PLACES):
        rate = max(0.0, predicted(board, marker, estimator, alias, lang))
        assert holds(estimates[marker, board.at.p.seed, estimator, "silver", alias, lang, "all"], rate)
        expected[board.at.p.seed, alias, lang] = rate
    found, _ = over_all(boards, estimates, marker, estimator, "silver")
    assert holds(found, np.mean(list(expected.values())))


@pytest.mark.parametrize("marker", [EVEN, SHIER], ids=lambda marker: marker.name)
def test_hr_est_on_silver_is_too_high(boards, estimates, marker):
    """Far more is inserted into silver than is false in the wild, so that its precision promises too much."""
    found, planted = over_all(boards, estimates, marker, "hr_est", "silver")
    assert found.low > planted
    for board, (alias, _) in product(boards, PLACES):
        own = np.mean([board.planted[alias, lang, "all"] for lang in LANGS])
        assert estimates[marker, board.at.p.seed, "hr_est", "silver", alias, "all", "all"].value > own


def test_rogan_gladen_on_silver_fails_by_the_shift_of_the_detector_alone(boards, estimates):
    """Too high where truths of the wild alarm it more than those of silver, too low where it sees less there;
    prevalence does no harm.
    """
    (high, planted), (low, _) = (
        over_all(boards, estimates, marker, "rogan-gladen", "silver") for marker in (SHIER, BLINDER)
    )
    assert high.low > planted and low.value < planted
    assert holds(*over_all(boards, estimates, EVEN, "rogan-gladen", "silver"))


def test_hr_est_on_natural_labels_of_all_models_draws_them_together(boards, estimates):
    """Precision depends on prevalence, and each model has its own: the best model is told too high and the
    worst too low.
    """
    best, planted_best = over_all(boards, estimates, EVEN, "hr_est", "natural", ("aster",))
    worst, planted_worst = over_all(boards, estimates, EVEN, "hr_est", "natural", ("elm",))
    assert best.value > planted_best and worst.value < planted_worst
    assert holds(*over_all(boards, estimates, EVEN, "hr_est", "natural"))


# ---- the headline --------------------------------------------------------------------------------------------

HEADLINE = ("prediction-powered", "natural")


def planted_mean(board, alias: str, replies: str = "all") -> float:
    return float(np.mean([board.planted[alias, lang, replies] for lang in LANGS]))


def held(boards, estimates, marker, *estimator: str | None, subjects=SUBJECTS) -> list[bool]:
    """Whether each cell's interval and each model's mean holds what was planted, all replies and kept ones."""
    found = []
    for board, alias, which in product(boards, subjects, REPLIES):
        for lang in (*LANGS, "all"):
            one = estimates[marker, board.at.p.seed, *estimator, alias, lang, which]
            rate = planted_mean(board, alias, which) if lang == "all" else board.planted[alias, lang, which]
            found.append(one.value is not None and holds(one, rate))
    return found


def errors_of_means(boards, estimates, marker, *estimator: str | None) -> dict[tuple[int, str], float]:
    """Estimated less planted, by (seed, model), of those that are told: a mean is not where a language is not
    identified.
    """
    found = {
        (board.at.p.seed, alias): (
            estimates[marker, board.at.p.seed, *estimator, alias, "all", "all"].value,
            planted_mean(board, alias),
        )
        for board, alias in product(boards, SUBJECTS)
    }
    return {key: value - planted for key, (value, planted) in found.items() if value is not None}


def tau_to_truth(boards, estimates, marker, *estimator: str | None) -> float:
    """Kendall's τ of models' rates with the planted ones, the mean over languages and the seeds where it is told."""
    rates = [
        float(
            np.nanmean(
                np.array(
                    [
                        estimates[marker, board.at.p.seed, *estimator, alias, "all", "all"].value
                        for board in boards
                    ],
                    dtype=float,
                )
            )
        )
        for alias in SUBJECTS
    ]
    return float(
        kendalltau(rates, [np.mean([planted_mean(board, one) for board in boards]) for one in SUBJECTS])[0]
    )


def wrongly_ordered(board, outcomes) -> tuple[int, int]:
    """Pairs of models that the rank tests tell apart over all languages, and those of them that stand the wrong
    way round.
    """
    over_all = outcomes.filter(
        pl.col("slice").list.eval(pl.element().struct.field("value") == "all").list.sum() == 2
    )  # all languages, all replies
    subjects, values, clusters = outcome_matrix(over_all)
    compared = compare_all(values, clusters, n_resamples=2000, alpha=0.05, seed=7)
    apart = [one for one in compared if one.p_holm <= 0.05]
    return len(apart), sum(
        (one.difference > 0)
        != (planted_mean(board, subjects[one.first]) > planted_mean(board, subjects[one.second]))
        for one in apart
    )


@pytest.mark.parametrize("marker", [*MARKERS, PARTIAL], ids=lambda marker: marker.name)
def test_the_headline_holds_in_every_cell_and_mean_however_the_detector_errs(boards, estimates, marker):
    found = held(boards, estimates, marker, *HEADLINE)
    assert len(found) == len(boards) * len(REPLIES) * len(SUBJECTS) * (len(LANGS) + 1) and all(found)
    errors = errors_of_means(boards, estimates, marker, *HEADLINE)
    assert len(errors) == len(boards) * len(SUBJECTS) and np.mean(np.abs(list(errors.values()))) <= 0.04
    assert tau_to_truth(boards, estimates, marker, *HEADLINE) >= 0.8


def test_models_stand_in_the_right_order_where_tests_tell_them_apart(boards, scored):
    found = [
        wrongly_ordered(board, scored[marker, board.at.p.seed][1])
        for marker, board in product((*MARKERS, PARTIAL), boards)
    ]
    assert all(n for n, _ in found) and not any(wrong for _, wrong in found)


def test_where_errors_differ_from_model_to_model_nothing_but_labels_of_the_replies_holds(boards, estimates):
    """Raw shares and rates corrected by errors that are pooled over models miss, and turn models round."""
    for estimator in (
        ("raw", None),
        ("rogan-gladen", "natural"),
        ("rogan-gladen", "silver"),
        ("hr_est", "silver"),
    ):
        assert tau_to_truth(boards, estimates, PARTIAL, *estimator) < 0.8
        errors = errors_of_means(boards, estimates, PARTIAL, *estimator)
        assert max(map(abs, errors.values())) > 0.08
    for estimator in (("raw", None), ("hr_est", "silver")):
        assert not any(held(boards, estimates, PARTIAL, *estimator, subjects=("aster",)))
