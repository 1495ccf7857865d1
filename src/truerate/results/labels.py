"""The labels behind a committed result, where the set has more of them than its units have values: facts of a
reply, the labels of each of several people, what was asked beside.

`labels.parquet` beside the rows, without texts of third parties. It is read where it is there.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from truerate.core.aggregates import average
from truerate.core.schemas import PAIRS, Field, Table, frame, save
from truerate.metrics.estimators.dawid_skene import are_seats, cells_of, is_identified, pooled, rated
from truerate.metrics.intervals import Interval, share_within
from truerate.metrics.ranking import RankRange
from truerate.results.board import RaterErrors, RealBoard, RealScore, Share, Slice
from truerate.results.files import Result, ResultCard, load_table, refuse, refuse_no_names, slice_texts
from truerate.sources.public.unit_labels import FIRST, RATED, YES

LABELS = "labels.parquet"
SAME = 2e-6  # rows hold values of six digits
SEATS = "the names of raters were given out by what was said"  # why raters are pooled
APART = "some raters share no units with two others"
LONGEST = 60  # characters of a part, question, rater or label: a text of the set would be longer
KEY = ("subject", "unit_id", "part", "question", "rater")


class Label(Table):
    """One label of a rater: of a unit, or of a part of it (`part` is empty for the whole), to one question.

    `rater` is empty where the set holds one label alone; `label` is null where nobody gave one. `metric` and
    `where`: the score, with its slice as scores.csv has it, whose value on the unit is the mean of `gives`
    over these labels; null and empty where no score is made of it.
    """

    board: str
    subject: str
    slice: list[Any] = Field(kind=PAIRS)
    unit_id: str
    cluster_id: str
    part: str
    question: str
    rater: str
    label: str = Field(nullable=True)
    metric: str = Field(nullable=True)
    where: str
    gives: float = Field(nullable=True)


def labels_of(board: str, rows: Iterable[dict]) -> pl.DataFrame:
    """The labels behind a board, sorted: rows as the `labels` of its source's reader gives them."""
    labels = frame(Label, [{"board": board} | row for row in rows])
    return labels.sort("question", "subject", "unit_id", "part", "rater")


def save_labels(labels: pl.DataFrame, folder: Path) -> None:
    """Write the labels of a result: the same labels always the same bytes."""
    save(Label, labels, folder / LABELS)


def load_labels(folder: Path, result: Result) -> pl.DataFrame | None:
    """The labels of a result; None without the file. Raises SourceError, one line, for a file that cannot be
    read, is of another board, says a label twice, or holds a name that is none.
    """
    path, where = folder / LABELS, f"result {folder.name!r}: {LABELS}"
    if not path.exists() and not path.is_symlink():
        return None
    labels = load_table(Label, path, where, what="labels")
    strange = min(set(labels["board"].unique()) - {result.card.board}, default="")
    refuse(strange != "", f"{where} holds labels of board {strange[:80]!r}")
    is_double = labels.select(KEY).is_duplicated().any()
    refuse(is_double, f"{where} holds a label twice for one subject, unit, part, question and rater")
    texts = labels.with_columns(slice=slice_texts(pl.col("slice"))).select(pl.col(pl.String).fill_null(""))
    refuse_no_names(texts, where)
    for name in ("part", "question", "rater", "label"):
        is_long = (texts[name].str.len_chars() > LONGEST).any()
        refuse(is_long, f"{where}: {name} holds a text of more than {LONGEST} characters; allowed: names")
    refuse(labels.is_empty(), f"{where} holds no label; delete it, or write the result anew")
    refuse(not labels["gives"].drop_nulls().is_finite().all(), f"{where} holds a value that is no number")
    return labels


def label_differences(result: Result, labels: pl.DataFrame) -> Iterator[str]:
    """The differences between the labels and the rows of the scores that are made of them, one line each:
    units' values that are not the mean of what their labels give, and units that one of the two sides lacks.
    """
    rows = result.rows.with_columns(where=slice_texts(pl.col("slice")))
    units = ["subject", "unit_id"]
    for (metric, where), each in labels.drop_nulls("metric").group_by("metric", "where", maintain_order=True):
        means = each.group_by(units, maintain_order=True).agg(value_made=average(pl.col("gives")))
        of_score = rows.filter(metric=metric, where=where).drop_nulls("value")
        means = means.drop_nulls("value_made")
        both = of_score.join(means, on=units, how="full", coalesce=True, maintain_order="left_right")
        gap = (pl.col("value") - pl.col("value_made")).abs()
        wrong = both.filter((gap > SAME) | gap.is_null())
        if not wrong.is_empty():
            row = wrong.sort(units).row(0, named=True)
            score = f"{result.card.board}: {metric}{f' ({where})' if where else ''}"
            unit = f"{row['subject'][:80]} on {row['unit_id'][:80]}"
            unit += f": {row['value']}, labels {row['value_made']}"
            yield f"{score}: {wrong.height} units have another value than their labels give, as {unit}"


def rater_errors(labels: pl.DataFrame, card: ResultCard) -> RaterErrors | None:
    """What the answers of several raters to RATED say of subjects' rates and of the raters (`metrics.estimators.
    dawid_skene`); None where nobody but one rater answered it. Raters have errors in common where their names are seats,
    or the errors of some of them cannot be told.
    """
    answers = labels.filter(pl.col("rater") != "", question=RATED, part="").drop_nulls("label")
    names = sorted(answers["rater"].unique())
    if len(names) < 2:
        return None
    answers = answers.with_columns(value=(pl.col("label") == YES).cast(pl.Float64))
    wide = answers.pivot(on="rater", index=["subject", "unit_id", "cluster_id"], values="value")
    wide = wide.sort("subject", "unit_id")
    subjects = sorted(wide["subject"].unique())
    groups = np.searchsorted(subjects, wide["subject"].to_list())
    cells = cells_of(groups, wide.select(names).to_numpy(), wide["cluster_id"].to_list())
    why = SEATS if are_seats(cells) else "" if is_identified(cells) else APART
    cells = pooled(cells) if why else cells
    result = rated(
        cells, n_resamples=card.n_bootstrap, confidence=card.confidence, alpha=card.alpha, seed=card.seed
    )
    return RaterErrors(wide.height, len(names), why, tuple(subjects), () if why else tuple(names), result)


def span_recall(labels: pl.DataFrame, confidence: float) -> tuple[tuple[Slice, int, Share], ...]:
    """Of the spans that were marked anew (the answers to FIRST) the share that a span of the first labels touches: over
    everything, then by each value of each slice key. Empty without such.
    """
    spans = labels.filter(pl.col("part") != "", question=FIRST)
    keyed = spans.with_columns(where=slice_texts(pl.col("slice")))
    values = sorted(text for text in keyed["where"].unique() if text)
    parts = [("", keyed), *((text, keyed.filter(where=text)) for text in values if len(values) > 1)]
    shares = []
    for text, rows in parts if keyed.height else ():
        is_known = (rows["label"] == YES).to_numpy()
        clusters = rows["cluster_id"].to_list()
        interval = share_within(is_known, np.ones(len(is_known), bool), clusters, confidence=confidence)
        where = tuple(
            (key, value) for key, _, value in (pair.partition("=") for pair in text.split(";")) if key
        )
        shares.append((where, rows.height, Share(*interval) if interval else Share(None, None, None)))
    return tuple(shares)


def by_rule(board: RealBoard, rule: str) -> list[tuple[RealScore, RealScore]]:
    """The headline of each subject, in the order of the board, with that by another rule of the labels."""
    before = board.overall(board.headline.name, (("rule", rule),))
    return [(score, before[score.subject]) for score in board.ranked if score.subject in before]


def labelled_anew(board: RealBoard) -> dict:
    """Rates by new and by first labels, what the first had of the new ones, and judges by both, as
    real/label_errors.html.j2 shows it; empty without a re-annotation.
    """
    anew = board.reannotation
    if anew is None:
        return {}
    pairs, spans = by_rule(board, FIRST), {where: (n, share) for where, n, share in anew.spans}
    first = {error.judge: error for error in board.judge_errors if error.where == (("rule", FIRST),)}
    whole = [error for error in board.judge_errors if not error.where]
    return {
        "whole": anew.errors[0],
        "pairs": pairs,
        "n_moved": sum(score.rank != before.rank for score, before in pairs),
        "lines": [(error, *spans.get(error.where, (0, None))) for error in anew.errors],
        "judges": [(error, first[error.judge]) for error in whole if error.judge in first],
    }


def rates_by_model(board: RealBoard) -> dict:
    """The rates of those who wrote by the vote and by the model of raters' errors, lowest by the model first, beside the
    headline where it is one of theirs, and the raters, as real/label_errors.html.j2 shows it; empty without raters.
    """
    errors = board.raters
    if errors is None:
        return {}
    result = errors.result
    groups = dict(zip(errors.subjects, result.groups, strict=True)) if result else {}
    published = board.overall(board.headline.name) if board.headline.is_lower_better else {}
    has_published = bool(groups) and set(groups) <= set(published)
    lines = [
        {
            "subject": subject,
            "n": group.n,
            "cells": [
                *([_ranked(published[subject], published[subject].rank)] if has_published else []),
                _ranked(group.vote, _range(group.vote_rank)),
                _ranked(group.model, _range(group.model_rank)),
            ],
        }
        for subject, group in sorted(groups.items(), key=lambda pair: (pair[1].model.value, pair[0]))
    ]
    names = errors.names or ("all raters",)
    return {
        "n": errors.n,
        "n_raters": errors.n_raters,
        "pooled": errors.pooled,
        "result": result,
        "heads": ("As published", "By the vote", "By the model"),
        "has_published": has_published,
        "lines": lines,
        "n_moved": sum(group.vote_rank != group.model_rank for group in groups.values()),
        "raters": list(zip(names, result.raters, strict=True)) if result else [],
    }


def _range(rank: RankRange) -> str:
    return str(rank.rank_low) if rank.rank_low == rank.rank_high else f"{rank.rank_low}–{rank.rank_high}"


def _ranked(interval: Interval | RealScore | None, rank: str) -> dict:
    """A rate with its interval and its rank range, by whose first rank it is sorted."""
    value, low, high = (getattr(interval, name, None) for name in ("value", "low", "high"))
    return {"value": value, "low": low, "high": high, "rank": rank, "order": rank.partition("–")[0]}
