"""Scores and outcomes become leaderboard rows: a cell each, with rank range and kind of subject."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.config import Statistics
from truerate.config.layout import Layout
from truerate.core.metric import Metric, refuse_unrecorded
from truerate.core.schemas import Row, frame, schema
from truerate.metrics.ranking import compare_all, leading, may_be_best, rank_ranges

BASELINE, MODEL = "baseline", "model"


class Rank(NamedTuple):
    """The rank range of a subject, null where it stands alone, and whether it may be the best."""

    low: int | None = None
    high: int | None = None
    is_leading: bool | None = None


def board_rows(
    config: Layout,
    board: str,
    scores: pl.DataFrame,
    outcomes: pl.DataFrame,
    metrics: Mapping[str, Metric],
    asked: str | None = None,
) -> pl.DataFrame:
    """Return the rows of a declared board: models are those named in params.yaml, all else baselines."""
    kinds = {name: MODEL for name in config.p.models}
    return rows(board, scores, outcomes, config.p.statistics, config.p.seed, kinds, metrics, asked)


def rows(
    board: str,
    scores: pl.DataFrame,
    outcomes: pl.DataFrame,
    statistics: Statistics,
    seed: int,
    kinds: Mapping[str, str],
    metrics: Mapping[str, Metric],
    asked: str | None = None,
) -> pl.DataFrame:
    """The `schemas.Row` frame of a board, one row per score, in the order table, metric, slice, then subject.

    `scores` (schemas.Score): method `published` or `planted` gives a reference row of that kind; else the
    kind is that of the subject in `kinds`, `baseline` where it is not named. `outcomes` (schemas.Outcome):
    the subjects of one metric and slice are ranked together (`ranks`); scores without outcomes have no rank.
    `provenance` is the digest of the score's inputs. `metrics`: the records of the board's metrics by name,
    which say the table and which way is better; who has a score of the metric `asked` is a model, whether or
    not params.yaml names it. Raises TruerateError for a metric without a record.
    """
    given = scores.filter(pl.col("board") == board).to_dicts()
    of_board = outcomes.filter(pl.col("board") == board)
    refuse_unrecorded(board, {score["metric"] for score in given} | set(of_board["metric"]), metrics)
    kinds = {score["subject"]: MODEL for score in given if score["metric"] == asked} | dict(kinds)
    models = {subject for subject, kind in kinds.items() if kind == MODEL}
    ranked = ranks(of_board, statistics, seed, metrics, models)
    lines = []
    for score in given:
        is_ours = score["method"] == "estimator"
        key = (score["metric"], slice_key(score["slice"]), score["subject"])
        rank = ranked.get(key, Rank()) if is_ours and score["value"] is not None else Rank()
        kind = kinds.get(score["subject"], BASELINE) if is_ours else score["method"]
        cells = {
            name: score[name] for name in ("board", "subject", "metric", "slice", "value", "low", "high", "n")
        }
        lines.append(
            cells
            | {"table": metrics[score["metric"]].table, "kind": kind, "provenance": score["inputs"]}
            | {"rank_low": rank.low, "rank_high": rank.high, "is_leading": rank.is_leading}
        )
    lines.sort(
        key=lambda row: (row["table"], row["metric"], slice_key(row["slice"]), row["kind"], row["subject"])
    )
    return frame(Row, lines).select(schema(Row).names())


def slice_key(slice_: list[dict[str, str]]) -> str:
    """A slice as one text that sorts and compares: `task=qa variant=plain`."""
    return " ".join(f"{pair['key']}={pair['value']}" for pair in slice_)


def slice_keys(column: str) -> pl.Expr:
    """`slice_key` of every row of a column."""
    field = pl.element().struct.field
    return pl.col(column).list.eval(pl.concat_str(field("key"), pl.lit("="), field("value"))).list.join(" ")


def ranks(
    outcomes: pl.DataFrame,
    statistics: Statistics,
    seed: int,
    metrics: Mapping[str, Metric],
    models: Collection[str],
) -> dict[tuple[str, str, str], Rank]:
    """Ranks by (metric, slice, subject): `metrics.ranking` over the subjects of each metric and slice.

    Tests are the paired cluster bootstrap on the units that both subjects have. The `models` are ranked among
    themselves and their pairs are one family of Holm's correction; of any other subject the range says which
    place it would take among them, from a second family. Without a model in a metric and slice all are ranked
    among all. One model alone, or one subject where there is no model, has no rank, and nothing has a place
    beside it. Who has no value on any unit (nothing was answered, or it always abstains) is no rival: it has
    no rank and widens nobody's. Leading are the models that may be the best of the models
    (`metrics.ranking.may_be_best`) and that nothing is significantly better than; a baseline never is.
    """
    keyed = outcomes.with_columns(key=slice_keys("slice"))
    rank_of = {}
    keyed = keyed.filter(pl.col("value").is_not_null().any().over("metric", "key", "subject"))
    for (metric, key), part in keyed.sort("metric", "key").group_by("metric", "key", maintain_order=True):
        subjects, values, clusters = outcome_matrix(part)
        is_model = [subject in models for subject in subjects]
        alpha, is_up = statistics.alpha, not metrics[metric].is_lower_better
        resampled = {"n_resamples": statistics.n_bootstrap, "seed": seed}
        compared = compare_all(values, clusters, alpha=alpha, is_model=is_model, **resampled)
        how = {"alpha": alpha, "higher_is_better": is_up, "is_model": is_model}
        ranges = rank_ranges(len(subjects), compared, **how)
        firsts = np.array(leading(len(subjects), compared, **how)) & is_model
        best = may_be_best(values[is_model], clusters, alpha=alpha, seed=seed, higher_is_better=is_up)
        firsts[is_model] &= np.array(best, dtype=bool)
        is_alone = (sum(is_model) or len(subjects)) == 1
        for subject, ends, is_first in zip(subjects, ranges, firsts, strict=True):
            rank_of[metric, key, subject] = (
                Rank(None, None, False) if is_alone else Rank(*ends, bool(is_first))
            )
    return rank_of


def outcome_matrix(outcomes: pl.DataFrame) -> tuple[list[str], np.ndarray, list[str]]:
    """Return subjects, values (subjects, units; NaN: none) and each unit's cluster, of a metric and slice."""
    wide = (
        outcomes.sort("subject")
        .pivot(on="subject", index=["unit_id", "cluster_id"], values="value")
        .sort("unit_id", "cluster_id")
    )
    subjects = [name for name in wide.columns if name not in ("unit_id", "cluster_id")]
    values = wide.select(pl.col(subjects).cast(pl.Float64).fill_null(float("nan"))).to_numpy().T
    return subjects, values, wide["cluster_id"].to_list()


def headline(table: pl.DataFrame) -> dict:
    """Return the compared values as plain ones: board → metric → slice → subject → value."""
    by_board: dict = {}
    for row in table.filter(pl.col("is_leading").is_not_null()).sort("board", "metric", "subject").to_dicts():
        by_slice = by_board.setdefault(row["board"], {}).setdefault(row["metric"], {})
        by_slice.setdefault(slice_key(row["slice"]), {})[row["subject"]] = row["value"]
    return by_board
