"""Rates that a detector gives, raw and corrected by its errors on the replies of others."""

import pytest

from tests.tracks.labelled_replies.made import WRITER, cells, judgements, reply, said, samples, settings
from truerate.tracks.labelled_replies.corrected_scores import drawn, score_corrected
from truerate.tracks.labelled_replies.detector_scores import verdicts_on
from truerate.tracks.labelled_replies.replies import replies

RAW, CORRECTED = "detector=d estimator=raw", "detector=d estimator=rogan-gladen"
BETWEEN, FEW = f"{CORRECTED}-between", "detector=d estimator=prediction-powered"


def written(subject, n_hallucinated, n_right, n_hit, n_alarm, **more):
    """Replies of a subject and verdicts: `n_hit` of the hallucinated and `n_alarm` of the right ones are flagged."""
    rows = [reply(subject, f"{k}", k < n_hallucinated, **more) for k in range(n_hallucinated + n_right)]
    flags = [k < n_hit or n_hallucinated <= k < n_hallucinated + n_alarm for k in range(len(rows))]
    return rows, [said("d", row["sample_id"], flag) for row, flag in zip(rows, flags, strict=True)]


def scored(*parts, **own):
    rows, verdicts = ([one for part in parts for one in part[side]] for side in (0, 1))
    known = verdicts_on(replies(samples(*rows)), judgements(*verdicts))
    return score_corrected(known, WRITER, settings(**own))


def test_a_rate_is_corrected_by_the_errors_on_others_replies():
    # of b's 50 hallucinated replies 40 are flagged, of its 50 right ones 5: TPR .8, FPR .1; a has 38 of 100
    # flagged: (.38 - .1) / (.8 - .1) = .4
    a = written("a", 40, 60, 32, 6)
    found = cells(scored(a, written("b", 50, 50, 40, 5)))
    assert found["detector_rate", "a", RAW] == (0.38, 100)
    assert found["detector_rate", "a", CORRECTED][0] == pytest.approx(0.4)
    assert found["is_identified", "a", CORRECTED] == (1.0, 100)


def test_between_models_is_told_where_two_others_tell_how_far_they_differ():
    parts = [written("a", 40, 60, 32, 6), written("b", 50, 50, 40, 5), written("c", 50, 50, 30, 10)]
    made = scored(*parts)
    found = cells(made)
    assert found["detector_rate", "a", BETWEEN][0] == pytest.approx(found["detector_rate", "a", CORRECTED][0])
    (plain, wide) = (
        next(row for row in made if row["subject"] == "a" and estimator in str(row["slice"]))
        for estimator in ("'rogan-gladen'", "'rogan-gladen-between'")
    )
    assert wide["high"] - wide["low"] > plain["high"] - plain["low"]


def test_a_detector_that_hardly_tells_corrects_nothing():
    # TPR .3, FPR .16: J .14 of 1,000 replies each is no chance, and below the least that a correction needs
    parts = [written("a", 500, 500, 150, 80), written("b", 1000, 1000, 300, 160)]
    found = cells(scored(*parts))
    assert found["detector_rate", "a", CORRECTED] == (None, 1000)
    assert found["is_identified", "a", CORRECTED][0] == 0
    assert cells(scored(*parts, least_youden_j=0.1))["detector_rate", "a", CORRECTED][0] == pytest.approx(0.5)


def test_replies_that_a_judge_labelled_are_corrected_by_labelled_answers_of_no_subject():
    judged = written("a", 40, 60, 32, 6, by="silver")
    labelled = written("old", 50, 50, 40, 5, purpose="calibration")
    found = cells(scored(judged, labelled, few_labels=10))
    assert found["detector_rate", "a", CORRECTED][0] == pytest.approx(0.4)
    assert {key[1] for key in found} == {"a"} and ("detector_rate", "a", FEW) not in found


def test_a_few_of_its_own_labels_make_a_rate_that_rests_on_no_other():
    made = scored(written("a", 40, 60, 32, 6), written("b", 50, 50, 50, 50), few_labels=30)
    row = next(one for one in made if one["subject"] == "a" and "prediction-powered" in str(one["slice"]))
    assert row["low"] < 0.4 < row["high"] and row["high"] - row["low"] < 0.4


def test_the_few_units_are_drawn_by_seed_and_are_never_all():
    rows = replies(samples(*(reply("a", str(k), False) for k in range(20))))
    assert drawn(rows, 5, 7) == drawn(rows.reverse(), 5, 7) and len(drawn(rows, 5, 7)) == 5
    assert drawn(rows, 5, 7) != drawn(rows, 5, 8) and not drawn(rows, 20, 7) and not drawn(rows, 0, 7)
