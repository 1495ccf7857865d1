"""Scores of a committed result computed again from its rows: every value, interval, count and rank range."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from truerate.core.errors import SourceError, TruerateError
from truerate.core.invisible import visible
from truerate.core.metric import Metric
from truerate.leaderboard.rows import MODEL, Rank, ranks, slice_key
from truerate.metrics.cells import mean_of_cells
from truerate.metrics.intervals import UNIT, Interval, wilson
from truerate.metrics.ranking import compare_counts, rank_ranges
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.results.files import (
    DIGITS,
    SCORE_COLUMNS,
    Result,
    ResultCard,
    boards_of,
    counts_of,
    counts_of_table,
    load_result,
    slice_text,
)
from truerate.results.labels import label_differences, load_labels
from truerate.results.published import beside, tally
from truerate.results.texts.table import load_texts, text_differences

SAME = 1.5 * 10**-DIGITS  # values are written with six digits
OF_ROWS = ("share", "statistic", "mean")  # kinds of quantity whose interval follows from the rows
CELLS = ("value", "low", "high", "n", "rank_low", "rank_high")
CORRELATION = (-1.0, 1.0)  # bounds of a mean of correlations
N_SHOWN = 20  # differences of one board that are listed; then the number of those left
Key = tuple[str, str, str]  # metric, slice as text, subject
Ends = tuple[float | None, float | None, float | None]  # value, low, high
NOTHING: Ends = (None, None, None)


def check_results(folder: str | Path) -> None:
    """Print a line for each result in a folder: that its rows give its scores, or what is wrong with it.

    Raises TruerateError where a result is wrong, or there is none.
    """
    boards = boards_of(Path(folder))
    if not boards:
        hint = "`truerate real DATA --commit-results` writes them"
        raise SourceError(f"results: no result in {str(folder)!r}; {hint}")
    wrong = [board for board in boards if not _is_sound(Path(folder) / board)]
    if wrong:
        what = f"{len(wrong)} of {len(boards)} do not hold: {', '.join(wrong)}"
        raise TruerateError(f"results: {what}; the lines above say why")


def _is_sound(folder: Path) -> bool:
    """Return whether a result's rows give its scores; prints so, or what differs."""
    try:
        result = load_result(folder)
        labels, texts = load_labels(folder, result), load_texts(folder, result)
        lines = [*differences(result), *([] if labels is None else label_differences(result, labels))]
        lines += [] if texts is None else text_differences(result, labels, texts)
        reproduced = tally(beside(result, folder))
    except TruerateError as error:
        print(f"wrong: {visible(str(error), is_line=True)}")
        return False
    for line in lines[:N_SHOWN]:
        print(f"wrong: {line}")
    if len(lines) > N_SHOWN:
        print(f"wrong: {folder.name}: and {len(lines) - N_SHOWN} more")
    if not lines:
        card = result.card
        behind = f"{result.rows.height} rows" if result.table is None else "published figures"
        counts = f"{result.scores.height} scores of {card.n_subjects} subjects from {behind}"
        counts += f" and {labels.height} labels" if labels is not None else ""
        counts += f", {texts.height} texts to read" if texts is not None else ""
        print(f"holds: {card.board}: {counts}{f'; {reproduced}' if reproduced else ''}")
    return not lines


def recomputed(rows: pl.DataFrame, card: ResultCard, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The scores that Outcome rows give, with SCORE_COLUMNS, sorted by metric, slice and subject.

    value: the mean over the units that count; its interval by the rule of the metric's kind, clusters
    resampled whole; n: those units; rank ranges by `leaderboard.rows.ranks`. `kinds`: what each subject is;
    it is a model where they say so. Of a metric whose interval does not follow from units (`corrected`) it is
    null. Where a subject has slices of languages, its slice of all is their plain mean, and so is its
    interval.
    """
    writer = ScoreWriter(card.board, "", card, card.seed)
    models = {subject for subject, kind in kinds.items() if kind == "model"}
    ranked = ranks(rows, card, card.seed, card.records, models)
    groups = rows.drop_nulls("value").group_by("metric", "slice", "subject", maintain_order=True)
    units = {_key(*key): group for key, group in groups}
    intervals = {key: _interval(writer, card.records[key[0]], group) for key, group in units.items()}
    scores = []
    for metric, where, subject in (
        rows.select("metric", "slice", "subject").unique(maintain_order=True).rows()
    ):
        key, is_of_all = _key(metric, where, subject), {"key": "lang", "value": ALL} in where
        of_languages = _over_languages(key, units, intervals) if is_of_all else None
        value, low, high = of_languages or intervals.get(key, NOTHING)
        rank = ranked.get((metric, slice_key(where), subject), Rank())
        scores.append({
            "metric": metric, "subject": subject, "kind": kinds.get(subject, "baseline"), "slice": key[1],
            "value": value, "low": low, "high": high, "n": units[key].height if key in units else 0,
            "rank_low": rank.low, "rank_high": rank.high, "provenance": "",
        })  # fmt: skip
    table = pl.DataFrame(scores, schema=SCORE_COLUMNS)
    return table.with_columns(pl.col("value", "low", "high").round(DIGITS)).sort("metric", "slice", "subject")


def scores_of_table(table: pl.DataFrame, card: ResultCard) -> pl.DataFrame:
    """The scores that a table of published figures gives, with SCORE_COLUMNS, sorted by metric, slice and
    subject: Wilson's interval of each share of `n`, and rank ranges by tests of independent shares
    (`metrics.paired.two_shares`) corrected by Holm over all pairs of a metric and slice.
    """
    scores = []
    for name, record in card.records.items():
        for (where,), part in table.group_by("slice", maintain_order=True):
            counts, n = part[name].to_numpy(), part["n"].to_numpy()
            compared, is_up = compare_counts(counts, n), not record.is_lower_better
            ranges = rank_ranges(part.height, compared, alpha=card.alpha, higher_is_better=is_up)
            for subject, count, total, rank in zip(part["subject"], counts, n, ranges, strict=True):
                share = wilson(float(count), int(total), confidence=card.confidence)
                value, low, high = share[:3] if share else NOTHING
                ends = rank if part.height > 1 else (None, None)
                scores.append((name, subject, MODEL, where, value, low, high, int(total), *ends, ""))
    columns = pl.DataFrame(scores, schema=SCORE_COLUMNS, orient="row")
    return columns.with_columns(pl.col("value", "low", "high").round(DIGITS)).sort(
        "metric", "slice", "subject"
    )


def _key(metric: object, where: object, subject: object) -> Key:
    return str(metric), slice_text(where), str(subject)


def _over_languages(
    key: Key, units: Mapping[Key, pl.DataFrame], intervals: Mapping[Key, Ends]
) -> Ends | None:
    """Return value, low and high of a slice over all languages, from those of its languages, if any."""
    if key not in units:
        return None
    besides = set(key[1].split(";")) - {f"lang={ALL}"}

    def is_of_language(cell: Key) -> bool:
        pairs = set(cell[1].split(";"))
        is_narrower = besides < pairs and [pair[:5] for pair in pairs - besides] == ["lang="]
        return is_narrower and cell[::2] == key[::2] and cell != key

    cells = [cell for cell in intervals if is_of_language(cell)]
    if not cells:
        return None
    clusters = [units[cell]["cluster_id"].unique(maintain_order=True) for cell in cells]
    is_apart = sum(map(len, clusters)) == pl.concat(clusters).n_unique()
    each = [Interval(*(np.nan if end is None else end for end in intervals[cell])) for cell in cells]
    mean = mean_of_cells(each, is_independent=is_apart)
    return None if mean is None else (mean.value, _finite(mean.low), _finite(mean.high))


def _interval(writer: ScoreWriter, record: Metric, units: pl.DataFrame) -> Ends:
    """(value, low, high) of the mean over units; null ends where no rule makes an interval.

    The units of a share may be its linearised values, which leave [0, 1] (Strict where replies cannot be
    read): their spread is that of the estimate, so that the rule of shares holds for them, too.
    """
    values, clusters = units["value"].to_numpy(), units["cluster_id"].to_list()
    low, high, mean = values.min(), values.max(), float(values.mean())
    bounds = next((ends for ends in (UNIT, CORRELATION) if ends[0] <= low and high <= ends[1]), None)
    if record.interval == "share" and 0 <= mean <= 1:
        interval = writer.share_of(values, clusters)
        return (mean, _finite(interval.low), _finite(interval.high)) if interval else (mean, None, None)
    if record.interval in OF_ROWS[1:] and bounds is not None:
        score = writer.mean(record.name, "", {}, values, clusters, bounds=bounds)
        return mean, _finite(score["low"]), _finite(score["high"])
    return mean, None, None


def _finite(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def differences(result: Result, *, has_ranks: bool = True) -> list[str]:
    """The differences between scores.csv and what the rows give, one line each. A submission of one model has
    no ranks (`has_ranks`).

    A score without rows, and rows without a score, are differences, too; so are counts of the card.
    """
    return [*_of_card(result), *_of_scores(result, CELLS if has_ranks else CELLS[:4])]


def _of_card(result: Result) -> Iterator[str]:
    card, rows, table = result.card, result.rows, result.table
    for name, n_rows in (counts_of(rows) if table is None else counts_of_table(table)).items():
        if (count := getattr(card, name)) != n_rows:
            yield f"{card.board}: card.json says {name} {count}, its rows hold {n_rows}"
    lead = card.headline
    if result.scores.filter(metric=lead.metric, slice=lead.slice).is_empty():
        leads = f"card.json leads with {lead.metric} ({lead.slice or 'over all'})"
        yield f"{card.board}: {leads}, of which there is no score"


def _of_scores(result: Result, cells: Sequence[str]) -> Iterator[str]:
    if result.table is not None:
        anew = scores_of_table(result.table, result.card)
    else:
        anew = recomputed(result.rows, result.card, dict(result.scores.select("subject", "kind").rows()))
    keys = ["metric", "subject", "slice"]
    both = result.scores.join(
        anew, on=keys, how="full", suffix="_anew", coalesce=True, maintain_order="left_right"
    )
    for row in both.to_dicts():
        where = f" ({row['slice'][:80]})" if row["slice"] else ""
        score = f"{result.card.board}: {row['metric']} of {row['subject'][:80]}{where}"
        if row["n_anew"] is None:
            yield f"{score}: scores.csv has it, rows.parquet has no unit of it"
        elif row["n"] is None:
            yield f"{score}: rows.parquet has its units, scores.csv does not have it"
        elif wrong := [name for name in cells if not _is_same(row[name], row[f"{name}_anew"])]:
            words = (f"{name} {row[name]} where the rows give {row[f'{name}_anew']}" for name in wrong)
            yield f"{score}: {', '.join(words)}"


def _is_same(first: float | None, second: float | None) -> bool:
    return first is second if first is None or second is None else abs(first - second) <= SAME
