"""Scores of a committed result made anew from its rows, and what of them differs."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from truerate.core.metric import Metric
from truerate.flow.result_files import DIGITS, SCORE_COLUMNS, Result, ResultCard, slice_text
from truerate.leaderboard.rows import ranks, slice_key
from truerate.metrics.intervals import Interval
from truerate.metrics.score_writer import ScoreWriter

SAME = 1.5 * 10**-DIGITS  # values are written with six digits
MADE = ("share", "statistic", "mean")  # kinds of quantity whose interval follows from the rows
CELLS = ("value", "low", "high", "n", "rank_low", "rank_high")


def recomputed(rows: pl.DataFrame, card: ResultCard, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The scores that Outcome rows give, with SCORE_COLUMNS, sorted by metric, slice and subject.

    value: the mean over the units that count; its interval by the rule of the metric's kind, clusters resampled
    whole; n: those units; rank ranges by `leaderboard.rows.ranks`. `kinds`: what each subject is; it is a model
    where they say so. Of a metric whose interval does not follow from units (`corrected`) it is null.
    """
    writer = ScoreWriter(card.board, "", _Drawn(card), card.seed)
    models = {subject for subject, kind in kinds.items() if kind == "model"}
    ranked = ranks(rows, _Drawn(card), card.seed, card.records, models)
    found = []
    keys = ("metric", "slice", "subject")
    for (metric, where, subject), units in rows.group_by(keys, maintain_order=True):
        known = units.filter(pl.col("value").is_not_null())
        interval = _interval(writer, card.records[metric], known)
        low, high = ranked.get((metric, slice_key(where), subject), (None, None))
        cells = {"metric": metric, "subject": subject, "kind": kinds.get(subject, "baseline")}
        figures = dict(zip(("value", "low", "high"), interval, strict=True))
        found.append(
            cells
            | {
                "provenance": "",
                "slice": slice_text(where),
                "n": known.height,
                "rank_low": low,
                "rank_high": high,
            }
            | figures
        )
    table = pl.DataFrame(found, schema=SCORE_COLUMNS)
    return table.with_columns(pl.col("value", "low", "high").round(DIGITS)).sort("metric", "slice", "subject")


class _Drawn:
    """The settings of intervals and tests that a card names."""

    def __init__(self, card: ResultCard):
        self.confidence, self.n_bootstrap, self.alpha = card.confidence, card.n_bootstrap, card.alpha


def _interval(writer: ScoreWriter, record: Metric, units: pl.DataFrame) -> tuple[float | None, ...]:
    """(value, low, high) of the mean over units, null where nothing counts or no rule makes an interval."""
    if units.is_empty():
        return None, None, None
    values, clusters = units["value"].to_numpy(), units["cluster_id"].to_list()
    is_share = bool(((values >= 0) & (values <= 1)).all())
    made: Interval | None = None
    if record.interval == "share" and is_share:
        made = writer.share_of(values, clusters)
    elif record.interval in MADE and is_share:
        score = writer.mean(record.name, "", {}, values, clusters)
        made = Interval(score["value"], score["low"], score["high"])
    mean = float(values.mean())
    low, high = (made.low, made.high) if made else (None, None)
    return mean, _finite(low), _finite(high)


def _finite(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def differences(result: Result, *, has_ranks: bool = True) -> list[str]:
    """What scores.csv says otherwise than the rows give, one line each; none where all is as it should be. A
    submission of one model has no ranks (`has_ranks`).

    A score without rows, and rows without a score, are differences, too; so are counts of the card.
    """
    return [*_of_card(result), *_of_scores(result, CELLS if has_ranks else CELLS[:4])]


def _of_card(result: Result) -> Iterator[str]:
    card, rows = result.card, result.rows
    for name, column in (("n_units", "unit_id"), ("n_clusters", "cluster_id"), ("n_subjects", "subject")):
        if (told := getattr(card, name)) != (held := rows[column].n_unique()):
            yield f"{card.board}: card.json says {name} {told}, its rows hold {held}"
    lead = card.headline
    if result.scores.filter(metric=lead.metric, slice=lead.slice).is_empty():
        yield f"{card.board}: card.json leads with {lead.metric} ({lead.slice or 'over all'}), of which there is no score"


def _of_scores(result: Result, cells: Sequence[str]) -> Iterator[str]:
    board, keys = result.card.board, ["metric", "subject", "slice"]
    kinds = dict(result.scores.select("subject", "kind").rows())
    own = recomputed(result.rows, result.card, kinds)
    both = result.scores.join(
        own, on=keys, how="full", suffix="_own", coalesce=True, maintain_order="left_right"
    )
    for row in both.to_dicts():
        place = f" ({row['slice'][:80]})" if row["slice"] else ""
        where = f"{board}: {row['metric']} of {row['subject'][:80]}{place}"
        if row["n_own"] is None:
            yield f"{where}: scores.csv has it, rows.parquet has no unit of it"
        elif row["n"] is None:
            yield f"{where}: rows.parquet has its units, scores.csv does not have it"
        else:
            wrong = [name for name in cells if not _is_same(row[name], row[f"{name}_own"])]
            if wrong:
                said = ", ".join(
                    f"{name} {row[name]} where the rows give {row[f'{name}_own']}" for name in wrong
                )
                yield f"{where}: {said}"


def _is_same(told: float | None, own: float | None) -> bool:
    if told is None or own is None:
        return told is own
    return abs(told - own) <= SAME
