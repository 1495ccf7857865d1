"""Detectors and judges of replies: what they say held against people's labels, and the rates of subjects by their
verdicts, raw and corrected by their errors on people's labels.

A subject's own labels correct its rate only by `few_labels` of them: it is corrected by the detector's errors on
labelled replies of others, which is what one has of a model that nobody labelled. People's rate stands beside
and says whether the correction held. A detector that hardly tells the two classes apart corrects nothing: its
rate is *not identified*.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.metrics import recognition
from truerate.metrics.estimators.registry import NATURAL, ROGAN_GLADEN_BETWEEN, estimate_board
from truerate.metrics.estimators.sample import ONE_LANG, Calibration, Cell, errors_on, verdicts
from truerate.metrics.rates import PREDICTION_POWERED, RAW, ROGAN_GLADEN, Corrected, Estimate, estimate_rows
from truerate.metrics.score_writer import ALL, Ratio, ScoreWriter
from truerate.tracks.labelled_replies.replies import by_rule, by_subject, rules_of, slices
from truerate.tracks.labelled_replies.settings import Settings

RATE = "detector_rate"
OTHERS, FEW = (RAW, ROGAN_GLADEN, ROGAN_GLADEN_BETWEEN), (PREDICTION_POWERED,)


def verdicts_on(rows: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The replies with each verdict on them that could be read, by `detector`, `sample_id`: `verdict`; of a
    detector with several seeds the share of them that flags the reply, which counts once (`read`: 1).
    """
    read = judgements.drop_nulls("verdict").select("verdict", detector="judge", sample_id="target_id")
    keys = ["detector", "sample_id"]
    if read.select(keys).is_duplicated().any():
        share = pl.col("verdict").cast(pl.Float64).mean()
        read = read.group_by(keys, maintain_order=True).agg(share, read=pl.lit(1.0))
    return rows.join(read, on="sample_id", maintain_order="left").sort(
        "detector", "subject", "unit", "sample_id"
    )


def score_detectors(judged_rows: pl.DataFrame, writer: ScoreWriter) -> list[dict[str, Any]]:
    """TPR, TNR, balanced accuracy and Youden's J of each detector where people labelled what it judged: over
    all, by task, by each further rule, and of each subject's replies.
    """
    labelled = judged_rows.filter("is_people")
    score_rows: list[dict[str, Any]] = []
    for (detector,), of_detector_rows in labelled.group_by("detector", maintain_order=True):
        name = str(detector)
        by_rules = (({"rule": rule}, by_rule(of_detector_rows, rule)) for rule in rules_of(of_detector_rows))
        for where, part in (*slices(of_detector_rows), *by_rules):
            score_rows += of_detector(name, where, part, writer)
        for where, part in slices(of_detector_rows):
            for subject, of_subject in by_subject(part):
                score_rows += shares(name, {**where, "model": subject}, of_subject, writer)
    return score_rows


def of_detector(
    detector: str, where: Mapping[str, Any], rows: pl.DataFrame, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Every number of one detector over some replies."""
    counts, clusters = recognition.verdicts(rows), rows["cluster"].to_list()
    both = recognition.class_columns(recognition.recall(counts), recognition.recall_right(counts))
    balanced = recognition.balanced_accuracy
    return [
        *shares(detector, where, rows, writer),
        writer.statistic("balanced_accuracy", detector, where, both, clusters, balanced),
        writer.statistic("youden_j", detector, where, both, clusters, youden_j, bounds=(-1.0, 1.0)),
    ]


def shares(
    detector: str, where: Mapping[str, Any], rows: pl.DataFrame, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """TPR and TNR of one detector over some replies."""
    counts = recognition.verdicts(rows)
    asked: list[Ratio] = [(of.__name__, where, *of(counts)) for of in (recognition.tpr, recognition.tnr)]
    return writer.shares(detector, asked, rows["cluster"].to_list())


def youden_j(totals: np.ndarray) -> np.ndarray:
    """Youden's J, TPR + TNR − 1, from totals (…, 4) as `recognition.balanced_accuracy` reads them."""
    return 2 * recognition.balanced_accuracy(totals) - 1


# ---- rates -------------------------------------------------------------------------------------------------


def score_corrected(
    verdicts_of_rows: pl.DataFrame, writer: ScoreWriter, settings: Settings
) -> list[dict[str, Any]]:
    """Score rows of each detector's rates of each subject: over all, and by task."""
    score_rows: list[dict[str, Any]] = []
    for (detector,), of_detector in verdicts_of_rows.group_by("detector", maintain_order=True):
        for where, part in slices(of_detector):
            for subject, cell_rows, each in estimated(part, writer, settings):
                slice_ = {**where, "detector": str(detector)}
                score_rows += estimate_rows(RATE, subject, slice_, each, cell_rows.height, writer)
    return score_rows


def estimated(
    judged_rows: pl.DataFrame, writer: ScoreWriter, settings: Settings
) -> Iterator[tuple[str, pl.DataFrame, list[Estimate]]]:
    """Each subject of the board, its replies, and the estimates of its rate that can be made; what each rests
    on is said by its name: errors on others' labelled replies, or a few labels of the subject's own.
    """
    confidence = writer.statistics.confidence
    people = judged_rows.filter("is_people")
    subjects = judged_rows.filter(~pl.col("is_calibration"))
    few = drawn(people, settings.few_labels, writer.seed)
    for subject, of_subject in by_subject(subjects):
        calibrated = calibration(people.filter(pl.col("subject") != subject))
        cells = {(subject, ONE_LANG): cell(of_subject)}
        by_cell = estimate_board(cells, confidence=confidence, calibrated=calibrated, names=OTHERS)
        each = list(by_cell[subject, ALL])
        if any(not tells_apart(entry, settings.least_youden_j) for entry in calibrated.values()):
            each = [entry if entry.estimator == RAW else refused(entry) for entry in each]
        if of_subject["is_people"].all() and few:
            cells = {(subject, ONE_LANG): cell(of_subject, few)}
            each += estimate_board(cells, confidence=confidence, names=FEW)[subject, ALL]
        yield subject, of_subject, [Estimate(entry.estimator, None, entry.interval) for entry in each]


def tells_apart(texts: Calibration, least: float) -> bool:
    """Whether TPR − FPR on labelled texts is at least so far from 0."""
    errors = errors_on(texts, confidence=0.5)
    return errors.tpr.n > 0 < errors.fpr.n and abs(errors.tpr.rate - errors.fpr.rate) >= least


def refused(estimate: Estimate) -> Estimate:
    """The estimate as one that is not identified."""
    return Estimate(estimate.estimator, estimate.calibration, Corrected(None, None, None, None, False))


def cell(rows: pl.DataFrame, labelled: frozenset[str] = frozenset()) -> Cell:
    """A subject's replies with what the detector flags, and the labels of the units `labelled` alone."""
    is_known = rows["unit"].is_in(list(labelled)).to_numpy()
    label = np.where(is_known, rows["is_hallucinated"].to_numpy().astype(float), np.nan)
    return verdicts(rows["verdict"].to_numpy(), label, rows["cluster"].to_numpy())


def calibration(people: pl.DataFrame) -> Mapping[str, Calibration]:
    """The labelled replies of others as what a detector is calibrated on; nothing where there are none."""
    if people.is_empty():
        return {}
    gold, flagged = (people[name].to_numpy().astype(float) for name in ("is_hallucinated", "verdict"))
    subjects, clusters = (people[name].to_numpy() for name in ("subject", "cluster"))
    return {NATURAL: Calibration.of_verdicts(gold, flagged, clusters, models=subjects)}


def drawn(people: pl.DataFrame, n: int, seed: int) -> frozenset[str]:
    """The first `n` units that people labelled in a seeded order, the same for all subjects; none where that
    is all of them: then nothing is left to estimate.
    """
    units = people.filter(~pl.col("is_calibration"))["unit"].unique(maintain_order=True).to_list()
    ordered = sorted(units, key=lambda unit: (draw(seed, "few labels", unit), unit))
    return frozenset(ordered[:n]) if n < len(ordered) else frozenset()
