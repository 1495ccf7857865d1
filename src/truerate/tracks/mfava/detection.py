"""How well each detector finds hallucinated tokens (mFAVA Tables 3 and 10), and Mu-SHROOM's two scores of
natural ones.

Scores of one detector are means over its seeds; the language `all` is the plain mean over languages,
undefined where one of them is. Clusters (articles, references) are resampled whole. A text that a run did not
judge does not count for it.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame
from truerate.core.tags import TYPES
from truerate.metrics import tokens as token_scores
from truerate.metrics.cells import mean_of_cells, mean_of_defined, spread
from truerate.metrics.intervals import UNIT, Interval, cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.spans import HARD, answer_correlation, answer_iou
from truerate.tracks.mfava.marking import (
    AGAINST,
    CATEGORY,
    NATURAL,
    Detector,
    Labelled,
    Run,
    Texts,
    are_apart,
    by_detector,
    languages,
    token_sums,
    type_sums,
)

MARK_ALL, MARK_NONE = "mark-all", "mark-none"
PLAIN_KIND = ("multi", "binary")  # scope and labels of these two where there is no other detector
PLAIN = {
    "token_precision": token_scores.precision,
    "token_recall": token_scores.recall,
    "token_f1": token_scores.f1,
    "token_fpr": token_scores.false_positive_rate,
}
TYPED = {
    "token_recall_by_type": token_scores.recall_of_type,
    "token_f1_by_type": token_scores.f1_of_type,
    "token_f1_typed": token_scores.f1_typed,
}
CORRELATION = (-1.0, 1.0)  # bounds
MUSHROOM = {"iou": UNIT, "spearman": CORRELATION}  # Mu-SHROOM's scores of an answer, with their bounds
Language = tuple[
    int, dict, np.ndarray
]  # number of texts, intervals by (metric, more of the slice), SPREAD of each seed
Cells = dict[tuple[str, Detector, str], Language]  # by kind of labels, detector and language
SPREAD = ("token_precision", "token_recall", "token_f1")  # what Tables 3 and 10 give with ± over seeds


def detection_cells(
    texts: Texts, held: dict[str, Labelled], runs: dict[Detector, list[Run]], writer: ScoreWriter
) -> Cells:
    """What `_language` says of every detector against every kind of labels in each language that these texts are in."""
    found: Cells = {}
    for against in AGAINST:
        langs = languages(held[against].langs)
        for detector, own in runs.items() if langs else ():
            sums = np.stack([_sums(held[against], run, texts) for run in own], axis=1)
            for lang in langs:
                found[against, detector, lang] = _language(sums, held[against], lang, detector, writer)
    return found


def detection_rows(cells: Cells, is_independent: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
    """Score rows of every detector against every kind of labels, per language and over all, from `detection_cells` of
    all texts. `is_independent`: by kind of labels, whether languages are apart (`marking.are_apart`).
    """
    made = []
    for (against, detector), by_lang in by_detector(cells).items():
        where = detector.where(against=against)
        for lang, (n, scores, seeds) in by_lang.items():
            made += [
                writer.row(name, detector.member, {**where, "lang": lang, **dict(more)}, one, n)
                for (name, more), one in scores.items()
            ]
            made += _std(detector.member, {**where, "lang": lang}, seeds, writer)
        made += _over_languages(
            by_lang, detector.member, where, writer, is_independent=is_independent[against]
        )
    return made


def windowed_counts(
    held: dict[str, Labelled], runs: dict[Detector, list[Run]]
) -> dict[tuple[str, Detector, str], tuple[int, int]]:
    """Of the texts that a detector judged, in each language and by kind of labels, how many references it read in
    windows, and how many texts there are.
    """
    found = {}
    for against, texts in held.items():
        places = pl.DataFrame(
            {"place": texts.places, "lang": texts.langs}, schema={"place": pl.Int64, "lang": pl.String}
        )
        for detector, own in runs.items():
            known = places.join(
                own[0].rows.select("place", is_so=pl.col("n_windows") > 1), on="place", maintain_order="left"
            )
            for lang, n_so, n in (
                known.group_by("lang", maintain_order=True).agg(pl.col("is_so").sum(), n=pl.len()).rows()
            ):
                found[against, detector, lang] = n_so, n
    return found


def windowed_rows(
    counts: Mapping[tuple[str, Detector, str], tuple[int, int]], writer: ScoreWriter
) -> list[dict]:
    """`windowed_rate` of every detector that read a reference in windows: per language and against what labels the
    share of the judged texts, from `windowed_counts` of all texts. A detector that read all of them whole has no row.
    """
    made = []
    for (against, detector), by_lang in by_detector(counts).items():
        n_so, n_all = np.sum(list(by_lang.values()), axis=0).tolist()
        for lang, (found, n) in {ALL: (n_so, n_all), **by_lang}.items() if n_so else ():
            where = detector.where(against=against, lang=lang)
            made.append(writer.row("windowed_rate", detector.member, where, found / n, n))
    return made


def _sums(held: Labelled, run: Run, texts: Texts) -> np.ndarray:
    """(samples, 4 + types · 4): the plain counts, then those of each type."""
    typed = type_sums(held, run, texts.line)
    return np.hstack([token_sums(held, run, texts.line), typed.reshape(len(typed), -1)])


def _language(
    sums: np.ndarray, held: Labelled, lang: str, detector: Detector, writer: ScoreWriter
) -> Language:
    """Number of texts, intervals by (metric, more of the slice), and SPREAD of each seed, (3, seeds), of one
    detector in one language.
    """
    inside = held.langs == lang
    part = sums[inside]
    names = _names(part, detector)
    clusters = cluster_sums(held.groups[inside], part.reshape(len(part), -1))
    found = writer.intervals(
        clusters, lambda totals: _statistics(totals.reshape(len(totals), *part.shape[1:]), names)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        seeds = np.stack([PLAIN[name](part.sum(axis=0)[:, :4]) for name in SPREAD])
    n = int((part[:, :, 0] > 0).any(axis=1).sum())
    return (
        n,
        {(name, tuple(more.items())): one for (name, more), one in zip(_keys(names), found, strict=True)},
        seeds,
    )


def _names(part: np.ndarray, detector: Detector) -> list[tuple[str, int | None]]:
    """The statistics that are defined here: the plain ones, recall of each type that occurs, F1 by type for
    detectors that name types.
    """
    gold_of_type = part[:, 0, 4:].reshape(len(part), len(TYPES), 4)[..., 0].sum(axis=0)
    kinds = [place for place in range(len(TYPES)) if gold_of_type[place] > 0]
    names: list[tuple[str, int | None]] = [(name, None) for name in PLAIN] + [
        ("token_recall_by_type", kind) for kind in kinds
    ]
    if detector.labels == CATEGORY and kinds:
        names += [("token_f1_typed", None)] + [("token_f1_by_type", kind) for kind in kinds]
    return names


def _keys(names: Sequence[tuple[str, int | None]]) -> list[tuple[str, dict]]:
    return [(name, {} if kind is None else {"type": TYPES[kind]}) for name, kind in names]


def _statistics(totals: np.ndarray, names: Sequence[tuple[str, int | None]]) -> np.ndarray:
    """(draws, names) from totals (draws, seeds, 4 + types · 4): each the mean over the seeds where it is
    defined.
    """
    plain, typed = totals[..., :4], totals[..., 4:].reshape(*totals.shape[:2], len(TYPES), 4)
    columns = [
        PLAIN[name](plain) if name in PLAIN else TYPED[name](typed if kind is None else typed[..., kind, :])
        for name, kind in names
    ]
    return np.stack([mean_of_defined(column) for column in columns], axis=1)


def _std(subject: str, where: dict, seeds: np.ndarray, writer: ScoreWriter) -> list[dict]:
    """Standard deviations of precision, recall and F1 (3, seeds) over seeds (n − 1), in the same unit; null
    with one seed.
    """
    made = []
    for name, each in zip(SPREAD, seeds, strict=True):
        made.append(writer.row(f"{name}_std", subject, where, spread(each), len(each)))
    return made


def _over_languages(
    by_lang: dict[str, tuple], subject: str, where: dict, writer: ScoreWriter, *, is_independent: bool
) -> list[dict]:
    """Means over languages of every metric that each of them has, and the spread over seeds of those means."""
    found = list(by_lang.values())
    shared = [key for key in found[0][1] if all(key in scores for _, scores, _ in found)]
    n = sum(size for size, *_ in found)
    made = []
    for name, more in shared:
        each = [scores[name, more] for _, scores, _ in found]
        mean = mean_of_cells(each, is_independent=is_independent)
        made.append(writer.row(name, subject, {**where, "lang": ALL, **dict(more)}, mean, n))
    return made + _std(
        subject, {**where, "lang": ALL}, np.mean([seeds for *_, seeds in found], axis=0), writer
    )


# ---- Mu-SHROOM ---------------------------------------------------------------------------------------------


def plain_scores(held: Labelled) -> dict[Detector, np.ndarray]:
    """`answer_scores` of MARK_ALL and MARK_NONE as the task has them (PLAIN_KIND): whole characters, whatever tokens a
    detector of that name sees.
    """
    lengths, gold = _answers_of(held)
    plain: dict[str, list[Said | None]] = {
        MARK_ALL: [([(0, length, 1.0)], HARD) for length in lengths],
        MARK_NONE: [([], HARD) for _ in lengths],
    }
    return {Detector(name, *PLAIN_KIND): _answer_scores(lengths, gold, said) for name, said in plain.items()}


def answer_scores(held: Labelled, runs: dict[Detector, list[Run]]) -> dict[Detector, np.ndarray]:
    """`iou` and `spearman` of each labelled answer, (answers, 2), the means over seeds, of every detector but MARK_ALL and
    MARK_NONE (`plain_scores`). NaN where the first seed did not judge an answer.
    """
    lengths, gold = _answers_of(held)
    found = {}
    for detector, own in runs.items():
        if detector.member not in (MARK_ALL, MARK_NONE):
            # the spans of one run at a time: those of all as Python's numbers take more than the board's texts
            scores = [_answer_scores(lengths, gold, _judged(run, held)) for run in own]
            found[detector] = np.where(np.isnan(scores[0]), np.nan, np.mean(scores, axis=0))
    return found


def _answers_of(held: Labelled) -> tuple[list[int], list[list[tuple[int, int, float | None]]]]:
    """Characters and gold spans of each labelled answer."""
    return [len(text) for text in held.samples["text"]], [soft(spans) for spans in held.samples["spans"]]


def mushroom_rows(
    answers: pl.DataFrame,
    scores: Mapping[Detector, np.ndarray],
    detectors: Collection[Detector],
    writer: ScoreWriter,
    *,
    with_page: Collection[str] | None = None,
) -> tuple[list[dict], pl.DataFrame]:
    """`iou` and `spearman` (means over answers, seeds averaged) of every detector, and of marking every
    character and none; `iou_with_page` and `spearman_with_page` over the answers to items `with_page`, where only some
    have one; and the Outcome rows on which detectors are ranked by them, by the latter apart.

    `answers`: `sample_id`, `item_id`, `group_id`, `lang` of those that people labelled; `scores`: `answer_scores` and
    `plain_scores` of them; `detectors`: those of the board, by whose kinds the two baselines stand beside them.
    """
    outcomes = [frame(Outcome)]
    if answers.is_empty():
        return [], outcomes[0]
    kinds = sorted({detector[1:] for detector in detectors}) or [PLAIN_KIND]
    subjects = {detector: scores[detector] for detector in detectors if detector in scores}
    subjects = {one: each for one, each in subjects.items() if one.member not in (MARK_ALL, MARK_NONE)}
    for name in (MARK_ALL, MARK_NONE):
        subjects |= {Detector(name, *kind): scores[Detector(name, *PLAIN_KIND)] for kind in kinds}
    has_page = None if with_page is None else answers["item_id"].is_in(list(with_page)).to_numpy()
    made = []
    for detector, each in subjects.items():
        parts = {"": (each, answers)}
        if has_page is not None and 0 < has_page.sum() < len(has_page):
            parts["_with_page"] = (each[has_page], answers.filter(has_page))
        for suffix, (values, some) in parts.items():
            for (metric, bounds), column in zip(MUSHROOM.items(), values.T, strict=True):
                made += _mushroom(f"{metric}{suffix}", detector, column, some, writer, bounds=bounds)
                outcomes += _answers(f"{metric}{suffix}", detector, column, some, writer)
    return made, pl.concat(outcomes)


def _mushroom(
    metric: str,
    detector: Detector,
    values: np.ndarray,
    answers: pl.DataFrame,
    writer: ScoreWriter,
    *,
    bounds: tuple[float, float],
) -> list[dict]:
    """The mean of a score of answers (answers,), NaN where they do not count, in each language and over all."""
    each = []
    langs, all_groups = answers["lang"].to_numpy(), answers["group_id"].to_numpy()
    for lang in languages(langs):
        inside = (langs == lang) & ~np.isnan(values)
        where = detector.where(against=NATURAL, lang=lang)
        values_of_lang, groups = values[inside], all_groups[inside]
        each.append(writer.mean(metric, detector.member, where, values_of_lang, groups, bounds=bounds))
    found = [
        Interval(*(np.nan if row[name] is None else row[name] for name in ("value", "low", "high")))
        for row in each
    ]
    mean = mean_of_cells(found, is_independent=are_apart(all_groups, langs))
    where = detector.where(against=NATURAL, lang=ALL)
    return [*each, writer.row(metric, detector.member, where, mean, sum(row["n"] for row in each))]


def _answers(
    metric: str, detector: Detector, values: np.ndarray, answers: pl.DataFrame, writer: ScoreWriter
) -> list[pl.DataFrame]:
    """Outcome rows of the answers that count, in each language and over all: there an answer weighs as its
    language does in the plain mean, so that the mean of the rows is the detector's score.
    """
    units = answers.select(unit_id="sample_id", cluster_id="group_id", lang="lang", value=pl.Series(values))
    units = units.filter(pl.col("value").is_not_nan()).with_columns(subject=pl.lit(detector.member))
    if units.is_empty():
        return []
    share = pl.len() / (pl.len().over("lang") * pl.col("lang").n_unique())
    parts = {str(lang): part for (lang,), part in units.group_by("lang", maintain_order=True)}
    parts[ALL] = units.with_columns(pl.col("value") * share)
    return [
        writer.outcomes(metric, detector.where(against=NATURAL, lang=lang), part)
        for lang, part in parts.items()
    ]


Said = tuple[
    list[tuple[int, int, float | None]], float
]  # soft spans of an answer, and from where on they mark


def _answer_scores(lengths: Sequence[int], gold: Sequence[list], said: Sequence[Said | None]) -> np.ndarray:
    """Both scores of each answer, (answers, 2), NaN where nothing was said of it."""
    return np.array([_both(*one) for one in zip(lengths, gold, said, strict=True)], dtype=float).reshape(
        -1, 2
    )


def _both(length: int, gold: list, said: Said | None) -> tuple[float, float]:
    if said is None:
        return (np.nan, np.nan)
    predicted, threshold = said
    return answer_iou(gold, predicted, threshold), answer_correlation(length, gold, predicted)


def _judged(run: Run, held: Labelled) -> list[Said | None]:
    places = held.places.tolist()
    own = run.spans.filter(pl.col("place").is_in(places)).partition_by(
        "place", as_dict=True, include_key=False
    )
    spans = {place: part.rows() for (place,), part in own.items()}
    threshold = dict(run.rows.select("place", "threshold").iter_rows())
    return [(spans.get(place, []), threshold[place]) if run.is_judged[place] else None for place in places]


def soft(spans: Sequence[dict]) -> list[tuple[int, int, float | None]]:
    """Spans of a row as (start, end, p)."""
    return [(span["start"], span["end"], span["p"]) for span in spans]
