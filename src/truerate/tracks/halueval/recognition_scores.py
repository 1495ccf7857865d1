"""What is scored of recognition: every variant, failures by pattern; and the outcomes that ranks are tested
on.

A verdict that could not be read counts as wrong in `accuracy`, `recall`, `f1`, `macro_f1` and their `_right`
twins; `accuracy_parsed`, `tpr`, `tnr` and `failure_rate` are over readable verdicts, with `unparsed_rate`
beside them. Where every reply of a judge to a task is a dead letter nothing was answered: its scores are
empty, and `no_answers` counts the letters.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, Score, frame, pairs
from truerate.metrics import recognition
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halueval.judged import (
    Contrast,
    by_subject,
    contrasts,
    in_matched_pairs,
    is_unanswered,
    judged,
    one_side,
)


def score_recognition(
    samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Score and Outcome rows of every judge on every task, variant and scheme."""
    scores, outcomes = [], []
    for subject, where, rows in by_subject(judged(samples, judgements)):
        if where["variant"] == "contrast":
            found = contrasts(rows)
            made = contrast_scores(subject, where, found, writer)
            told = [
                _outcome(writer, subject, where, one.pair_id, one.group_id, one.accuracy) for one in found
            ]
        else:
            made = recognition_scores(subject, where, rows, writer)
            told = _outcomes(writer, subject, where, rows)
        if is_unanswered(rows):
            made, told = (
                writer.no_answers(subject, where, made, rows.height),
                [row | {"value": None} for row in told],
            )
        scores.extend(made)
        outcomes.extend(told)
    return frame(Score, scores), frame(Outcome, outcomes)


def recognition_scores(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Every recognition metric of one judge in one task and variant, and its TPR and failures by pattern."""
    clusters, said = rows["group_id"].to_list(), recognition.verdicts(rows)
    shares: list[Ratio] = [(name, where, *of(said)) for name, of in recognition.SHARES.items()]
    halves: list[Ratio] = [(name, where, *of(said)) for name, of in recognition.F1S.items()]
    both = recognition.class_columns(recognition.f1(said), recognition.f1_right(said))

    made = writer.shares(subject, shares + pattern_ratios(rows, where), clusters)
    made += writer.ratios(subject, halves, clusters)
    made.append(writer.statistic("macro_f1", subject, where, both, clusters, recognition.macro_f1))
    return made + _subset_scores(subject, where, rows, writer)


def pattern_ratios(rows: pl.DataFrame, where: dict) -> list[Ratio]:
    """TPR and failure rate of the hallucinated texts of each pattern (HELMA Table 7)."""
    said, made = recognition.verdicts(rows), list[Ratio]()
    for pattern in sorted(rows.filter("is_hallucinated")["pattern"].drop_nulls().unique()):
        inside = (rows["pattern"] == pattern).fill_null(False).to_numpy().astype(bool)
        slice_ = {**where, "pattern": pattern}
        for name, of in recognition.OF_PATTERN.items():
            tops, bottoms = of(said)
            made.append((name, slice_, tops & inside, bottoms & inside))
    return made


def _subset_scores(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Accuracy over one side per pair, as the paper's script asks it, and over the pairs matched in form;
    nothing where texts do not come in pairs.
    """
    if not rows["pair_id"].is_not_null().any():
        return []
    is_right = (rows["verdict"] == rows["is_hallucinated"]).fill_null(False).to_numpy().astype(bool)
    asked: list[Ratio] = [
        ("accuracy_one_side", where, *_within(is_right, one_side(rows, seed=writer.seed))),
        ("accuracy_matched", where, *_within(is_right, in_matched_pairs(rows, seed=writer.seed))),
    ]
    return writer.shares(subject, asked, rows["group_id"].to_list())


def _within(hits: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return hits & inside, inside


def contrast_scores(subject: str, where: dict, found: Sequence[Contrast], writer: ScoreWriter) -> list[dict]:
    """Accuracy of naming the hallucinated side over both orders of every pair (as in HELMA Table 9, where
    each pair is asked once), in both of them, and in one that is drawn; how often the text shown first is
    named; and the share of replies without a choice.
    """
    if not found:
        return []
    clusters = [one.group_id for one in found for _ in one.named]
    hits = np.array([is_right for one in found for is_right in one.is_right])
    places = [place for one in found for place in one.named_first]
    read, first = (
        np.array([place is not None for place in places]),
        np.array([place is True for place in places]),
    )
    every, of_pairs = np.ones(len(hits)), [one.group_id for one in found]
    in_both = [len(one.named) == 2 and all(one.is_right) for one in found]
    drawn = [one.in_one_order(seed=writer.seed) for one in found]
    asked: list[Ratio] = [
        ("accuracy", where, hits, every),
        ("first_position_rate", where, first, read),
        ("unparsed_rate", where, ~read, every),
    ]
    return [
        *writer.shares(subject, asked, clusters),
        writer.share("accuracy_both_orders", subject, where, in_both, of_pairs),
        writer.share("accuracy_one_side", subject, where, drawn, of_pairs),
    ]


def _outcomes(writer: ScoreWriter, subject: str, where: dict, rows: pl.DataFrame) -> list[dict]:
    is_right = (rows["verdict"] == rows["is_hallucinated"]).fill_null(False).to_list()
    units = zip(rows["sample_id"].to_list(), rows["group_id"].to_list(), is_right, strict=True)
    return [_outcome(writer, subject, where, *unit) for unit in units]


def _outcome(writer: ScoreWriter, subject: str, where: dict, unit: str, cluster: str, value: float) -> dict:
    known = {"board": writer.board, "metric": "accuracy", "subject": subject, "slice": pairs(**where)}
    return {**known, "unit_id": unit, "cluster_id": cluster, "value": float(value)}
