"""The verifier and other detectors on labelled facts, by hand."""

import polars as pl
import pytest

from truerate.core.schemas import Judgement, Sample, frame
from truerate.metrics.wildfact import with_share
from truerate.tracks.wildhallucinations.replies import (
    batch_rows,
    calibration,
    judge_rows,
    labelled_facts,
    verdicts_by,
    verdicts_of,
)

from .made_facts import WRITER, facts, item, judgement, reply, sample, scores_of, tables

# Of ten unsupported facts the judge flags 8, of twenty supported 2 and leaves one without a verdict; the
# detector flags all.
LABELLED = [sample(f"f{k}", f"e{k}", "a", k < 10) for k in range(30)]
SAID = [judgement("judge", f"f{k}", None if k == 29 else k < 8 or k in (10, 11)) for k in range(30)]
ALWAYS = [judgement("always", f"f{k}", True) for k in range(30)]


def scores_of_judges(samples=LABELLED, judged=(*SAID, *ALWAYS)):
    return scores_of(
        judge_rows(labelled_facts(frame(Sample, list(samples))), frame(Judgement, list(judged)), WRITER)
    )


def test_rates_of_a_judge():
    rows = scores_of_judges()
    assert rows["verifier_tpr", "judge"]["value"] == 0.8 and rows["verifier_tpr", "judge"]["n"] == 10
    # without the one that has no verdict
    assert rows["verifier_fpr", "judge"]["value"] == pytest.approx(2 / 19, abs=1e-6)
    # which counts as wrong here
    assert rows["verifier_accuracy", "judge"]["value"] == pytest.approx(25 / 30, abs=1e-6)
    # on 29: agreed 25, expected (10 · 10 + 19 · 19) / 29²
    expected = (100 + 361) / 841
    assert rows["verifier_kappa", "judge"]["value"] == pytest.approx(
        (25 / 29 - expected) / (1 - expected), abs=1e-6
    )


def test_a_single_call_is_no_verdict_of_the_batch():
    judged = frame(
        Judgement, [judgement("judge", "f0", True), judgement("judge", "f0", False, stage="single")]
    )
    assert verdicts_by(judged, "judge").rows() == [("f0", True)]
    assert verdicts_by(judged, "judge", is_single=True).rows() == [("f0", False)]
    assert verdicts_by(judged, None).is_empty()


def test_batches_against_single_calls():
    # 4 facts twice, one of them differs; one without a verdict does not count
    alone = [judgement("judge", f"f{k}", k in (0, 1, 2), stage="single") for k in range(4)] + [
        judgement("judge", "f5", None, stage="single")
    ]
    batch = [judgement("judge", f"f{k}", k in (0, 1)) for k in range(6)]
    entity = pl.DataFrame({"fact_id": [f"f{k}" for k in range(6)], "entity": [f"e{k}" for k in range(6)]})
    rows = scores_of(batch_rows(frame(Judgement, batch + alone), entity, "judge", WRITER))
    assert rows["batch_agreement", "judge"]["value"] == 0.75 and rows["batch_agreement", "judge"]["n"] == 4
    # expected (2 · 3 + 2 · 1) / 16
    assert rows["batch_kappa", "judge"]["value"] == pytest.approx((0.75 - 0.5) / 0.5)
    assert batch_rows(frame(Judgement, batch), entity, "judge", WRITER) == []


def test_calibration_weighs_facts_as_the_score_does():
    parts = tables(
        [item("x"), item("y")],
        [reply("a", "x"), reply("a", "y")],
        [facts("a", "x", "-+"), facts("a", "y", "-+++?")],
    )
    checked = with_share(verdicts_of(parts["facts"], parts["judgements"], "judge"))
    assert dict(checked.select("fact_id", "share").iter_rows())["a-y-1"] == 0.25  # of four with a verdict
    samples = [
        sample("a-x-0", "x", "a", True),
        sample("a-x-1", "x", "a", False),
        sample("a-y-0", "y", "a", False),
        sample("a-y-1", "y", "a", True),
    ]
    error = calibration(labelled_facts(frame(Sample, samples)), checked, confidence=0.95)
    # flagged .5 + .25 of 2; right .5 of .75; missed .25 of .75
    assert (error.flagged, error.right.value, error.missed.value) == pytest.approx((0.375, 2 / 3, 1 / 3))
    assert calibration(labelled_facts(frame(Sample)), checked, confidence=0.95) is None
