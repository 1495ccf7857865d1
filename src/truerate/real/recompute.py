"""Scores of a committed result made anew from its rows, and what of them differs."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from truerate.core.metric import Metric
from truerate.flow.result_files import DIGITS, SCORE_COLUMNS, Result, ResultCard, slice_text
from truerate.leaderboard.rows import Rank, ranks, slice_key
from truerate.metrics.intervals import UNIT, Interval
from truerate.metrics.means import mean_of_cells
from truerate.metrics.score_writer import ALL, ScoreWriter

SAME = 1.5 * 10**-DIGITS  # values are written with six digits
MADE = ("share", "statistic", "mean")  # kinds of quantity whose interval follows from the rows
CELLS = ("value", "low", "high", "n", "rank_low", "rank_high")
KEYS = ("metric", "slice", "subject")
CORRELATION = (-1.0, 1.0)  # bounds of a mean of correlations
Key = tuple[str, str, str]  # metric, slice as text, subject
Ends = tuple[float | None, float | None, float | None]  # value, low, high


def recomputed(rows: pl.DataFrame, card: ResultCard, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The scores that Outcome rows give, with SCORE_COLUMNS, sorted by metric, slice and subject.

    value: the mean over the units that count; its interval by the rule of the metric's kind, clusters resampled
    whole; n: those units; rank ranges by `leaderboard.rows.ranks`. `kinds`: what each subject is; it is a model
    where they say so. Of a metric whose interval does not follow from units (`corrected`) it is null. Where a
    subject has slices of languages, its slice of all is their plain mean, and so is its interval.
    """
    writer = ScoreWriter(card.board, "", _Drawn(card), card.seed)
    models = {subject for subject, kind in kinds.items() if kind == "model"}
    ranked = ranks(rows, _Drawn(card), card.seed, card.records, models)
    known = rows.filter(pl.col("value").is_not_null())
    counted = {_key(*key): units for key, units in known.group_by(*KEYS, maintain_order=True)}
    intervals = {key: _interval(writer, card.records[key[0]], units) for key, units in counted.items()}
    found = []
    for metric, where, subject in rows.select(KEYS).unique(maintain_order=True).iter_rows():
        key = _key(metric, where, subject)
        interval = _over_languages(key, where, counted, intervals) or intervals.get(key, (None, None, None))
        rank = ranked.get((metric, slice_key(where), subject), Rank())
        cells = {"metric": metric, "subject": subject, "kind": kinds.get(subject, "baseline")}
        told = {"provenance": "", "slice": key[1], "n": counted[key].height if key in counted else 0}
        figures = dict(zip(("value", "low", "high"), interval, strict=True))
        found.append(cells | told | {"rank_low": rank.low, "rank_high": rank.high} | figures)
    table = pl.DataFrame(found, schema=SCORE_COLUMNS)
    return table.with_columns(pl.col("value", "low", "high").round(DIGITS)).sort("metric", "slice", "subject")


def _key(metric: object, where: object, subject: object) -> Key:
    return str(metric), slice_text(where), str(subject)


def _over_languages(
    key: Key, where: list[dict[str, str]], counted: Mapping[Key, pl.DataFrame], intervals: Mapping[Key, Ends]
) -> Ends | None:
    """(value, low, high) of a slice over all languages, from those of its languages; None for any other slice."""
    if {"key": "lang", "value": ALL} not in where or key not in counted:
        return None
    besides = set(key[1].split(";")) - {f"lang={ALL}"}
    same = [interval for interval in intervals if interval[::2] == key[::2] and interval != key]
    cells = [one for one in same if _is_language(one[1], besides)]
    if not cells:
        return None
    clusters = [counted[cell]["cluster_id"].unique(maintain_order=True) for cell in cells]
    apart = sum(map(len, clusters)) == pl.concat(clusters).n_unique()
    each = [Interval(*(np.nan if end is None else end for end in intervals[cell])) for cell in cells]
    mean = mean_of_cells(each, is_independent=apart)
    return None if mean is None else (mean.value, _finite(mean.low), _finite(mean.high))


def _is_language(slice_: str, besides: set[str]) -> bool:
    """Whether a slice is that of one language, and of these pairs besides."""
    own = set(slice_.split(";"))
    langs = own - besides
    return besides < own and len(langs) == 1 and langs.pop().startswith("lang=")


class _Drawn:
    """The settings of intervals and tests that a card names."""

    def __init__(self, card: ResultCard):
        self.confidence, self.n_bootstrap, self.alpha = card.confidence, card.n_bootstrap, card.alpha


def _interval(writer: ScoreWriter, record: Metric, units: pl.DataFrame) -> Ends:
    """(value, low, high) of the mean over units; null ends where no rule makes an interval.

    The units of a share may be its linearised values, which leave [0, 1] (Strict where replies cannot be read): their
    spread is that of the estimate, so that the rule of shares holds for them, too.
    """
    values, clusters = units["value"].to_numpy(), units["cluster_id"].to_list()
    bounds = next((one for one in (UNIT, CORRELATION) if _lie_in(values, one)), None)
    mean = float(values.mean())
    made: Interval | None = None
    if record.interval == "share":
        made = writer.share_of(values, clusters) if 0 <= mean <= 1 else None
    elif record.interval in MADE and bounds is not None:
        score = writer.mean(record.name, "", {}, values, clusters, bounds=bounds)
        made = Interval(score["value"], score["low"], score["high"])
    low, high = (made.low, made.high) if made else (None, None)
    return mean, _finite(low), _finite(high)


def _lie_in(values: np.ndarray, bounds: tuple[float, float]) -> bool:
    return bool(((values >= bounds[0]) & (values <= bounds[1])).all())


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
