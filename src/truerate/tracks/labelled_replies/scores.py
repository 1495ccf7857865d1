"""Everything that is scored of a board of labelled replies: rates of those who wrote them, by people's labels or
a judge's verdicts; detectors held against people's labels; and the rates of subjects by detectors' verdicts, raw
and corrected by their errors on people's labels.

A subject's own labels correct its rate only by `few_labels` of them: it is corrected by the detector's errors on
labelled replies of others, which is what one has of a model that nobody labelled. People's rate stands beside
and says whether the correction held. A detector that hardly tells the two classes apart corrects nothing: its
rate is *not identified*.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import draw
from truerate.core.schemas import Outcome, Score, frame, pair
from truerate.metrics import recognition
from truerate.metrics.estimators.registry import NATURAL, ROGAN_GLADEN_BETWEEN, estimate_board
from truerate.metrics.estimators.sample import ONE_LANG, Calibration, Cell, errors_on, verdicts
from truerate.metrics.rates import PREDICTION_POWERED, RAW, ROGAN_GLADEN, Corrected, Estimate, estimate_rows
from truerate.metrics.score_writer import ALL, Ratio, ScoreWriter
from truerate.tracks.labelled_replies.settings import Settings

CALIBRATION = "calibration"  # the purpose of labelled answers that no subject of the board wrote
PEOPLE = ("gold", "published")  # sources of labels that are people's
RULE = "rule_"  # how attributes begin that hold a label by another rule than the headline
ATTRIBUTES = ("part", "unit", "label", "judge", "own_judge", "files", "purpose")


def replies(samples: pl.DataFrame) -> pl.DataFrame:
    """A row per reply: `sample_id`, `item_id`, `subject` (who wrote it), `cluster` (its source), `unit` (what
    all subjects were asked; the publishers' id where there is one), `task` (the publishers' part where a set
    has parts), `is_hallucinated`, `is_people` (whether people said so), `label`, `judge`, `own_judge` (True
    where its maker is the subject's), `files`, `is_calibration`, and a column per further rule. Replies of
    nobody are left out.
    """
    columns = [pair("attributes", key).alias(key) for key in (*ATTRIBUTES, *_rule_keys(samples))]
    of_generators = samples.filter(pl.col("generator").is_not_null()).select(
        "sample_id",
        "item_id",
        "is_hallucinated",
        pl.col("lang"),
        pl.col("task").alias("_task"),
        *columns,
        subject="generator",
        cluster="group_id",
        is_people=pl.col("label_source").is_in(PEOPLE),
    )
    rules = [(pl.col(key) == "True").alias(key) for key in _rule_keys(samples)]
    named = of_generators.with_columns(
        *rules,
        task=pl.coalesce("part", "_task"),
        unit=pl.coalesce("unit", "item_id"),
        is_calibration=pl.col("purpose").fill_null("") == CALIBRATION,
    )
    rows = named.drop("_task", "part", "purpose").sort("subject", "unit", "sample_id")
    # where a subject replied twice to the same, its second reply is a unit of its own
    number = pl.int_range(pl.len()).over("subject", "unit")
    numbered = pl.concat_str("unit", pl.lit("/"), number + 1)
    return rows.with_columns(unit=pl.when(number > 0).then(numbered).otherwise("unit"))


def _rule_keys(samples: pl.DataFrame) -> list[str]:
    keys = samples.select(
        pl.col("attributes").list.explode().struct.field("key").unique(maintain_order=True)
    ).to_series()
    return sorted(key for key in keys.drop_nulls() if key.startswith(RULE))


def rules_of(rows: pl.DataFrame) -> list[str]:
    """The names of the rules beside the headline by which replies are labelled, too."""
    return sorted(name.removeprefix(RULE) for name in rows.columns if name.startswith(RULE))


def by_rule(rows: pl.DataFrame, rule: str) -> pl.DataFrame:
    """The replies that a rule labels, with its label in the place of the headline's."""
    return rows.with_columns(is_hallucinated=pl.col(RULE + rule)).drop_nulls("is_hallucinated")


def tasks_of(rows: pl.DataFrame) -> list[str]:
    """The tasks of a board that stand beside the whole: none where there is one alone."""
    tasks: list[str] = sorted(rows["task"].unique())
    return tasks if len(tasks) > 1 else []


def slices(rows: pl.DataFrame) -> Iterator[tuple[Mapping[str, Any], pl.DataFrame]]:
    """The whole, then each task where there are several."""
    yield {}, rows
    for task in tasks_of(rows):
        yield {"task": task}, rows.filter(task=task)


def by_subject(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each subject, by name."""
    for (subject,), rows_of in rows.group_by("subject", maintain_order=True):
        yield str(subject), rows_of


RATE, JUDGED, DETECTOR_RATE = "hallucination_rate", "judged_rate", "detector_rate"
OTHERS, FEW = (RAW, ROGAN_GLADEN, ROGAN_GLADEN_BETWEEN), (PREDICTION_POWERED,)


def score(
    config: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All Score and Outcome rows of a board."""
    writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    rows = replies(samples)
    subjects = rows.filter(~pl.col("is_calibration"))
    judged_rows = verdicts_on(rows, judgements)
    rates, outcomes = score_rates(subjects, writer)
    judged, verdicts = score_judged(judged_rows.filter(~pl.col("is_calibration")), writer)
    score_rows = [*rates, *judged, *score_labels(subjects, writer), *score_detectors(judged_rows, writer)]
    score_rows += score_corrected(judged_rows, writer, config.p.track(board))
    return frame(Score, score_rows), pl.concat([outcomes, verdicts])


def score_rates(subjects: pl.DataFrame, writer: ScoreWriter) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The share of each subject's replies that is labelled hallucinated, over all, by task and by each
    further rule, and what each got on each unit.
    """
    score_rows: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for rule in (None, *rules_of(subjects)):
        labelled, named = (subjects, {}) if rule is None else (by_rule(subjects, rule), {"rule": rule})
        rates, units = _rates(RATE, "is_hallucinated", labelled, named, writer)
        score_rows += rates
        outcomes.append(units)
    return score_rows, pl.concat(outcomes)


def score_judged(judged_rows: pl.DataFrame, writer: ScoreWriter) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The share of each subject's replies that each detector or judge calls hallucinated, over all and by
    task, and what it said of each unit: the board as it would stand by that judge alone. `judged_rows`:
    `verdicts_on`.
    """
    score_rows: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for (judge,), of_judge in judged_rows.group_by("detector", maintain_order=True):
        rates, units = _rates(JUDGED, "verdict", of_judge, {"judge": str(judge)}, writer)
        score_rows += rates
        outcomes.append(units)
    return score_rows, pl.concat(outcomes)


def _rates(
    metric: str, value: str, rows: pl.DataFrame, where: Mapping[str, Any], writer: ScoreWriter
) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The mean of a value over each subject's replies, over all and by task, and that of each unit."""
    score_rows: list[dict[str, Any]] = []
    outcomes = [frame(Outcome)]
    for task, part in slices(rows):
        slice_ = {**where, **task}
        is_hit = {metric: pl.col(value)}
        score_rows += writer.shares_by(part, is_hit, subject="subject", cluster="cluster", **slice_)
        units = part.select("subject", unit_id="unit", cluster_id="cluster", value=value)
        outcomes.append(writer.outcomes(metric, slice_, units))
    return score_rows, pl.concat(outcomes)


def score_labels(subjects: pl.DataFrame, writer: ScoreWriter) -> list[dict[str, Any]]:
    """The share of each published label, and of each group of files that verdicts stand in, per subject; and
    the share of verdicts of a judge whose maker is the subject's own.
    """
    score_rows = []
    for metric, column in (("label_rate", "label"), ("files_rate", "files")):
        with_value = subjects.drop_nulls(column)
        for value in sorted(with_value[column].unique()):
            is_value = {metric: pl.col(column) == value}
            score_rows += writer.shares_by(
                with_value, is_value, subject="subject", cluster="cluster", **{column: value}
            )
    is_own = {"own_judge_rate": (pl.col("own_judge") == "True").fill_null(False)}
    by_models = subjects.drop_nulls("judge")
    return score_rows + writer.shares_by(by_models, is_own, subject="subject", cluster="cluster")


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
                score_rows += estimate_rows(DETECTOR_RATE, subject, slice_, each, cell_rows.height, writer)
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
    """Return whether TPR − FPR on labelled texts is at least so far from 0."""
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
