"""Detectors and judges as subjects: what they say of replies, held against people's labels."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from truerate.metrics import recognition
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.labelled_replies.replies import by_rule, by_subject, rules_of, slices


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
        for where, part in _parts(of_detector_rows):
            score_rows += of_detector(name, where, part, writer)
        for where, part in slices(of_detector_rows):
            for subject, of_subject in by_subject(part):
                score_rows += shares(name, {**where, "model": subject}, of_subject, writer)
    return score_rows


def _parts(rows: pl.DataFrame) -> Iterator[tuple[Mapping[str, Any], pl.DataFrame]]:
    yield from slices(rows)
    for rule in rules_of(rows):
        yield {"rule": rule}, by_rule(rows, rule)


def of_detector(
    detector: str, where: Mapping[str, Any], rows: pl.DataFrame, writer: ScoreWriter
) -> list[dict[str, Any]]:
    """Every number of one detector over some replies."""
    counts, clusters = recognition.verdicts(rows), rows["cluster"].to_list()
    both = recognition.class_columns(recognition.recall(counts), recognition.recall_right(counts))
    score_rows = shares(detector, where, rows, writer)
    score_rows.append(
        writer.statistic("balanced_accuracy", detector, where, both, clusters, recognition.balanced_accuracy)
    )
    score_rows.append(
        writer.statistic("youden_j", detector, where, both, clusters, youden_j, bounds=(-1.0, 1.0))
    )
    return score_rows


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
