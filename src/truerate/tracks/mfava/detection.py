"""How well each detector finds hallucinated tokens (mFAVA Tables 3 and 10), how well its probabilities order
tokens (AUROC and average precision), and Mu-SHROOM's two scores of natural answers.

Scores of one detector are means over its seeds; `all` is the plain mean over languages, undefined where one
of them is. Clusters (articles, references) are resampled whole. A text that a run did not judge does not
count.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame
from truerate.core.spans.tags import TYPES
from truerate.metrics import tokens
from truerate.metrics.cells import mean_of_cells, mean_of_defined, spread
from truerate.metrics.intervals import UNIT, Interval, cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.spans import HARD, answer_correlation, answer_iou
from truerate.metrics.thresholds import auroc_of_counts, average_precision_of_counts
from truerate.tracks.mfava import marking
from truerate.tracks.mfava.marking import AGAINST, NATURAL, SILVER, Detector, Labelled, Run, Texts

CATEGORY = "category"
BASELINES = ("mark-all", "mark-none")
PLAIN_KIND = ("multi", "binary")  # scope and labels of these two where there is no other detector
PLAIN = {
    "token_precision": tokens.precision,
    "token_recall": tokens.recall,
    "token_f1": tokens.f1,
    "token_fpr": tokens.false_positive_rate,
}
TYPED = {
    "token_recall_by_type": tokens.recall_of_type,
    "token_f1_by_type": tokens.f1_of_type,
    "token_f1_typed": tokens.f1_typed,
}
SPREAD = ("token_precision", "token_recall", "token_f1")  # what Tables 3 and 10 give with ± over seeds
ORDERING = {"token_auroc": auroc_of_counts, "token_average_precision": average_precision_of_counts}
LEVELS = 100  # per cent: spans hold probabilities of two digits
MUSHROOM = {"iou": UNIT, "spearman": (-1.0, 1.0)}  # Mu-SHROOM's scores of an answer, with their bounds
# on boards without labelled replies: what the writer of the passages marked itself, beside the detectors
WRITER = Detector(SILVER, *PLAIN_KIND)
SoftSpans = Sequence[tuple[int, int, float | None]]


class Cell(NamedTuple):
    """One detector in one language against labels of one kind: judged texts, intervals by metric and type,
    SPREAD of each seed (3, seeds), and how many of its texts it read in windows, of how many.
    """

    n: int
    scores: dict[tuple[str, str | None], Interval]
    seeds: np.ndarray
    windows: tuple[int, int]


Cells = dict[tuple[str, Detector, str], Cell]  # by kind of labels, detector and language


def detection_cells(
    texts: Texts, gold: Mapping[str, Labelled], runs: Mapping[Detector, Sequence[Run]], writer: ScoreWriter
) -> Cells:
    """Return the cell of every detector against every kind of labels in each language of these texts."""
    cells: Cells = {}
    for against in AGAINST:
        whole = gold[against]
        for detector, seeds in runs.items():
            levels = [token_levels(run, whole.places, texts) for run in seeds] if texts.frame.height else []
            for lang in sorted(set(map(str, whole.langs))):
                inside = whole.where(whole.langs == lang)
                n, scores, spreads = _marked(inside, seeds, texts, detector, writer)
                scores |= _ordered(inside, seeds, levels, texts, writer)
                places = pl.DataFrame({"place": inside.places}, schema={"place": pl.Int64})
                read = places.join(seeds[0].rows, on="place", maintain_order="left")
                windows = int((read["n_windows"] > 1).sum()), read.height
                cells[against, detector, lang] = Cell(n, scores, spreads, windows)
    return cells


def detection_rows(cells: Cells, is_apart: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
    """Return Score rows of every detector against every kind of labels, per language and over all.
    `is_apart`: by kind of labels, whether languages are apart (`marking.are_apart`).
    """
    rows: list[dict] = []
    ordered = sorted(cells, key=lambda key: (AGAINST.index(key[0]), *key[1:]))
    for (against, detector), keys in groupby(ordered, key=lambda key: key[:2]):
        by_lang = {key[2]: cells[key] for key in keys}
        rows += _rows(detector, against, by_lang, writer, is_apart=is_apart[against])
    return rows


def _rows(
    detector: Detector, against: str, by_lang: Mapping[str, Cell], writer: ScoreWriter, *, is_apart: bool
) -> Iterator[dict]:
    """The rows of a detector; over all languages those metrics that each of them has. `windowed_rate` is the
    share of judged texts whose reference was read in windows; it has no rows where all were read whole.
    """

    def row(lang: str, name: str, value: Interval | float | None, n: int, kind: str | None = None) -> dict:
        more = {"type": kind} if kind else {}
        return writer.row(name, detector.member, detector.where(against=against, lang=lang, **more), value, n)

    for lang, cell in by_lang.items():
        yield from (row(lang, name, interval, cell.n, kind) for (name, kind), interval in cell.scores.items())
    first, *others = by_lang.values()
    n = sum(cell.n for cell in by_lang.values())
    for key in first.scores:
        if all(key in cell.scores for cell in others):
            intervals = [cell.scores[key] for cell in by_lang.values()]
            yield row(ALL, key[0], mean_of_cells(intervals, is_independent=is_apart), n, key[1])
    seeds = {lang: cell.seeds for lang, cell in by_lang.items()}
    for lang, of_seeds in (seeds | {ALL: np.mean(list(seeds.values()), axis=0)}).items():
        for name, values in zip(SPREAD, of_seeds, strict=True):
            yield row(lang, f"{name}_std", spread(values), len(values))
    read = {lang: cell.windows for lang, cell in by_lang.items() if cell.windows[1]}
    n_windowed, n_read = (sum(windows[side] for windows in read.values()) for side in (0, 1))
    for lang, (part, n) in ({ALL: (n_windowed, n_read)} | read).items() if n_windowed else ():
        yield row(lang, "windowed_rate", part / n, n)


def _marked(
    gold: Labelled, runs: Sequence[Run], texts: Texts, detector: Detector, writer: ScoreWriter
) -> tuple[int, dict[tuple[str, str | None], Interval], np.ndarray]:
    """`Cell.n`, the scores of marked tokens, and `Cell.seeds`; F1 by type for detectors that name types."""
    plain = np.stack([marking.token_sums(gold, run, texts.line) for run in runs], axis=1)
    typed = np.stack([marking.type_sums(gold, run, texts.line) for run in runs], axis=1)
    # (texts, seeds, 4 + types · 4)
    sums = np.concatenate([plain, typed.reshape(*plain.shape[:2], -1)], axis=2)
    kinds = [kind for kind in range(len(TYPES)) if typed[:, 0, kind, 0].sum() > 0]
    names: list[tuple[str, int | None]] = [(name, None) for name in PLAIN]
    names += [("token_recall_by_type", kind) for kind in kinds]
    if detector.labels == CATEGORY and kinds:
        names += [("token_f1_typed", None), *(("token_f1_by_type", kind) for kind in kinds)]

    def statistics(totals: np.ndarray) -> np.ndarray:
        seeds = totals.reshape(len(totals), *sums.shape[1:])
        of_types = seeds[..., 4:].reshape(*seeds.shape[:2], len(TYPES), 4)
        columns = []
        for name, kind in names:
            of_kind = of_types if kind is None else of_types[..., kind, :]
            columns.append(PLAIN[name](seeds[..., :4]) if name in PLAIN else TYPED[name](of_kind))
        return np.stack([mean_of_defined(column) for column in columns], axis=1)

    intervals = writer.intervals(cluster_sums(gold.groups, sums.reshape(len(sums), -1)), statistics)
    keys = [(name, None if kind is None else TYPES[kind]) for name, kind in names]
    with np.errstate(invalid="ignore", divide="ignore"):
        seeds = np.stack([PLAIN[name](plain.sum(axis=0)) for name in SPREAD])
    n = int((plain[:, :, 0] > 0).any(axis=1).sum())
    return n, dict(zip(keys, intervals, strict=True)), seeds


def token_levels(run: Run, places: np.ndarray, texts: Texts) -> np.ndarray:
    """Return the largest probability of the spans over each token, in per cent, (tokens,)."""
    spans = run.spans.filter(pl.col("place").is_in(places.tolist()))
    text, starts, ends, p = (spans[name].fill_null(1).to_numpy() for name in ("place", "start", "end", "p"))
    return texts.line.highest(text, starts, ends, np.round(p * LEVELS).astype(np.int8))


def _ordered(
    gold: Labelled, runs: Sequence[Run], levels: Sequence[np.ndarray], texts: Texts, writer: ScoreWriter
) -> dict[tuple[str, str | None], Interval]:
    """The intervals of ORDERING, of one language: the counts of all would take more memory than the texts."""
    positions, sample = texts.line.tokens_of(gold.places)
    n_cells = len(gold.places) * 2 * (LEVELS + 1)
    counts = []  # of each seed: tokens by text, label (gold or not) and per cent
    for run, level in zip(runs, levels, strict=True):
        cell = (sample * 2 + gold.is_gold[positions]) * (LEVELS + 1) + level[positions]
        of_texts = np.bincount(cell, minlength=n_cells).astype(np.int32).reshape(-1, 2, LEVELS + 1)
        counts.append(of_texts * run.is_judged[gold.places, None, None])
    part = np.stack(counts, axis=1)
    part = part[..., part.any(axis=(0, 1, 2))]  # levels that occur: the others change nothing

    def statistics(totals: np.ndarray) -> np.ndarray:
        negative, positive = np.moveaxis(totals.reshape(len(totals), *part.shape[1:]), 2, 0)
        return np.stack([mean_of_defined(of(positive, negative)) for of in ORDERING.values()], axis=1)

    intervals = writer.intervals(cluster_sums(gold.groups, part.reshape(len(part), -1)), statistics)
    return {(name, None): interval for name, interval in zip(ORDERING, intervals, strict=True)}


# ---- Mu-SHROOM ---------------------------------------------------------------------------------------------


def baseline_scores(gold: Labelled) -> dict[Detector, np.ndarray]:
    """Return `answer_scores` of marking every character and none (PLAIN_KIND), whatever a token is."""
    marked = [([(0, len(text), 1.0)], HARD) for text in gold.samples["text"]], [([], HARD)] * len(gold.places)
    return {
        Detector(name, *PLAIN_KIND): _answer_scores(gold, answers)
        for name, answers in zip(BASELINES, marked, strict=True)
    }


def writer_scores(gold: Labelled, silver: pl.DataFrame) -> dict[Detector, np.ndarray]:
    """Return `answer_scores` of what the writer of the gold texts marked in them (`silver`: samples of the same
    items); NaN where its tags could not be read.
    """
    spans_of = dict(silver.select("item_id", "spans").iter_rows())
    marked = [
        ([(span["start"], span["end"], 1.0) for span in spans_of[item]], HARD) if item in spans_of else None
        for item in gold.samples["item_id"]
    ]
    return {WRITER: _answer_scores(gold, marked)}


def answer_scores(gold: Labelled, runs: Mapping[Detector, Sequence[Run]]) -> dict[Detector, np.ndarray]:
    """Return `iou` and `spearman` of each labelled answer, (answers, 2), means over seeds, of every detector
    but the two baselines; NaN where the first seed did not judge an answer.
    """
    scores = {}
    for detector, seeds in runs.items():
        if detector.member not in BASELINES:
            # the spans of one run at a time: as Python's numbers those of all take more than the texts
            of_seeds = [_answer_scores(gold, _marked_answers(run, gold)) for run in seeds]
            scores[detector] = np.where(np.isnan(of_seeds[0]), np.nan, np.mean(of_seeds, axis=0))
    return scores


def _answer_scores(gold: Labelled, marked: Sequence[tuple[SoftSpans, float] | None]) -> np.ndarray:
    """Both scores of each answer, (answers, 2), from its soft spans and its threshold; NaN without these."""
    scores = np.full((len(marked), 2), np.nan)
    answers = zip(gold.samples["text"], gold.samples["spans"], marked, strict=True)
    for index, (text, spans, answer) in enumerate(answers):
        if answer is not None:
            label = [(span["start"], span["end"], 1.0 if span["p"] is None else span["p"]) for span in spans]
            scores[index] = answer_iou(label, *answer), answer_correlation(len(text), label, answer[0])
    return scores


def _marked_answers(run: Run, gold: Labelled) -> list[tuple[SoftSpans, float] | None]:
    places = gold.places.tolist()
    spans = run.spans.filter(pl.col("place").is_in(places))
    by_text = spans.partition_by("place", as_dict=True, include_key=False)
    spans_of = {text: part.rows() for (text,), part in by_text.items()}
    threshold = dict(run.rows.select("place", "threshold").iter_rows())
    return [(spans_of.get(text, []), threshold[text]) if run.is_judged[text] else None for text in places]


def mushroom_rows(
    answers: pl.DataFrame,
    scores: Mapping[Detector, np.ndarray],
    detectors: Collection[Detector],
    writer: ScoreWriter,
    *,
    with_page: Collection[str] = (),
    against: str = NATURAL,
) -> tuple[list[dict], pl.DataFrame]:
    """Return `iou` and `spearman` (means over answers, seeds averaged) of every detector and of marking every
    character and none; `…_with_page` over answers to items `with_page`, where only some have one; and the
    Outcome rows of detectors. `against` gold passages, whose labels have no probabilities, `iou` alone, of the
    WRITER too.

    `answers`: `sample_id`, `item_id`, `group_id`, `lang` of those that people labelled; `scores`:
    `answer_scores` of them; `detectors`: those of the board, by whose kinds the two baselines stand beside
    them.
    """
    rows, outcomes = [], [frame(Outcome)]
    if answers.is_empty():
        return rows, outcomes[0]
    kinds = sorted({detector[1:] for detector in detectors}) or [PLAIN_KIND]
    shown = {key: scores[key] for key in detectors if key in scores and key.member not in BASELINES}
    for name, kind in product(BASELINES, kinds):
        shown[Detector(name, *kind)] = scores[Detector(name, *PLAIN_KIND)]
    metrics = MUSHROOM if against == NATURAL else {"iou": MUSHROOM["iou"]}
    shown |= {WRITER: scores[WRITER]} if WRITER in scores else {}
    parts = {"": np.ones(answers.height, dtype=bool)}
    has_page = answers["item_id"].is_in(list(with_page)).to_numpy()
    if 0 < has_page.sum() < len(has_page):
        parts["_with_page"] = has_page
    for detector, of_answers in shown.items():
        for suffix, inside in parts.items():
            for (metric, bounds), values in zip(metrics.items(), of_answers[inside].T, strict=False):
                units = answers.filter(inside).with_columns(value=pl.Series(values))
                how = {"bounds": bounds, "against": against}
                scored = _mushroom(f"{metric}{suffix}", detector, units, writer, **how)
                rows += scored[0]
                outcomes += scored[1]
    return rows, pl.concat(outcomes)


def _mushroom(
    metric: str,
    detector: Detector,
    units: pl.DataFrame,
    writer: ScoreWriter,
    *,
    bounds: tuple[float, float],
    against: str,
) -> tuple[list[dict], list[pl.DataFrame]]:
    """Score rows of the mean of a score of answers, NaN left out, per language and over all, and Outcome
    rows; over all an answer weighs as its language does in the plain mean.
    """
    counted = units.filter(pl.col("value").is_not_nan()).with_columns(subject=pl.lit(detector.member))
    rows, outcomes = [], []
    for lang in sorted(units["lang"].unique()):
        of_lang, where = counted.filter(lang=lang), detector.where(against=against, lang=lang)
        values, groups = of_lang["value"].to_numpy(), of_lang["group_id"].to_list()
        rows.append(writer.mean(metric, detector.member, where, values, groups, bounds=bounds))
    ends = [[np.nan if row[name] is None else row[name] for name in Interval._fields] for row in rows]
    mean = mean_of_cells([Interval(*end) for end in ends], is_independent=marking.are_apart(units))
    where = detector.where(against=against, lang=ALL)
    rows.append(writer.row(metric, detector.member, where, mean, sum(row["n"] for row in rows)))
    if not counted.is_empty():
        named = counted.select("subject", "lang", "value", unit_id="sample_id", cluster_id="group_id")
        share = pl.len() / (pl.len().over("lang") * pl.col("lang").n_unique())
        by_lang = {str(lang): part for (lang,), part in named.group_by("lang", maintain_order=True)}
        by_lang[ALL] = named.with_columns(pl.col("value") * share)
        for lang, part in by_lang.items():
            outcomes.append(writer.outcomes(metric, detector.where(against=against, lang=lang), part))
    return rows, outcomes
