"""How well each detector finds hallucinated tokens (mFAVA Tables 3 and 10), and Mu-SHROOM's two scores of
natural ones.

Scores of one detector are means over its seeds; the language `all` is the plain mean over languages,
undefined where one of them is. Clusters (articles, references) are resampled whole. A text that a run did not
judge does not count for it.
"""

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame
from truerate.core.tags import TYPES
from truerate.metrics import token_scores
from truerate.metrics.intervals import UNIT, Interval, cluster_sums
from truerate.metrics.means import mean_of_cells, mean_of_defined, spread
from truerate.metrics.mushroom import HARD, answer_correlation, answer_iou
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.tracks.mfava.marking import (
    AGAINST,
    CATEGORY,
    NATURAL,
    Detector,
    Labelled,
    Run,
    Texts,
    are_apart,
    languages,
    token_sums,
    type_sums,
)

MARK_ALL, MARK_NONE = "mark-all", "mark-none"
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
SPREAD = ("token_precision", "token_recall", "token_f1")  # what Tables 3 and 10 give with ± over seeds


def detection_rows(
    texts: Texts, held: dict[str, Labelled], runs: dict[Detector, list[Run]], writer: ScoreWriter
) -> list[dict]:
    """Score rows of every detector against every kind of labels, per language and over all."""
    made = []
    for against in AGAINST:
        langs = languages(held[against].langs)
        for detector, found in runs.items() if langs else ():
            sums = np.stack([_sums(held[against], run, texts) for run in found], axis=1)
            by_lang = {lang: _language(sums, held[against], lang, detector, writer) for lang in langs}
            where = detector.where(against=against)
            for lang, (n, scores, seeds) in by_lang.items():
                made += [
                    writer.row(name, detector.member, {**where, "lang": lang, **dict(more)}, one, n)
                    for (name, more), one in scores.items()
                ]
                made += _std(detector.member, {**where, "lang": lang}, seeds, writer)
            made += _over_languages(
                by_lang,
                detector.member,
                where,
                writer,
                is_independent=are_apart(held[against].groups, held[against].langs),
            )
    return made


def windowed_rows(
    held: dict[str, Labelled], runs: dict[Detector, list[Run]], writer: ScoreWriter
) -> list[dict]:
    """`windowed_rate` of every detector that read a reference in windows: per language and against what labels the
    share of the judged texts. A detector that read all of them whole has no row.
    """
    made = []
    for against, texts in held.items():
        places = pl.DataFrame({"place": texts.places, "lang": texts.langs})
        for detector, found in runs.items():
            known = places.join(found[0].rows.select("place", is_so=pl.col("n_windows") > 1), on="place")
            if not known["is_so"].any():
                continue
            by_lang = known.group_by("lang").agg(pl.col("is_so").mean(), n=pl.len()).sort("lang")
            told = [(known["is_so"].mean(), known.height, ALL), *by_lang.select("is_so", "n", "lang").rows()]
            made += [
                writer.row(
                    "windowed_rate", detector.member, detector.where(against=against, lang=lang), value, n
                )
                for value, n, lang in told
            ]
    return made


def _sums(held: Labelled, run: Run, texts: Texts) -> np.ndarray:
    """(samples, 4 + types · 4): the plain counts, then those of each type."""
    typed = type_sums(held, run, texts.line)
    return np.hstack([token_sums(held, run, texts.line), typed.reshape(len(typed), -1)])


def _language(
    sums: np.ndarray, held: Labelled, lang: str, detector: Detector, writer: ScoreWriter
) -> tuple[int, dict, np.ndarray]:
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
    return np.stack([mean_of_defined(one) for one in columns], axis=1)


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


def mushroom_rows(
    texts: Texts,
    held: Labelled,
    runs: dict[Detector, list[Run]],
    writer: ScoreWriter,
    *,
    with_page: Collection[str] | None = None,
) -> tuple[list[dict], pl.DataFrame]:
    """`iou` and `spearman` (means over answers, seeds averaged) of every detector, and of marking every
    character and none, and the Outcome rows on which detectors are ranked by them; `iou_with_page` and
    `spearman_with_page` over the answers to items `with_page`, where only some have one.

    The two baselines are the task's own: whole characters, whatever tokens a detector of that name sees.
    """
    outcomes = [frame(Outcome)]
    if not len(held.places):
        return [], outcomes[0]
    lengths = [len(text) for text in held.samples["text"]]
    gold = [soft(spans) for spans in held.samples["spans"]]
    subjects = {
        detector: found for detector, found in runs.items() if detector.member not in (MARK_ALL, MARK_NONE)
    }
    kinds = sorted({detector[1:] for detector in runs}) or [("multi", "binary")]
    plain = {Detector(MARK_ALL, *kind): [([(0, length, 1.0)], HARD) for length in lengths] for kind in kinds}
    plain |= {Detector(MARK_NONE, *kind): [([], HARD) for _ in lengths] for kind in kinds}
    has_page = None if with_page is None else np.isin(held.samples["item_id"].to_numpy(), list(with_page))
    made = []
    for detector in [*subjects, *plain]:
        # the spans of one run at a time: those of all as Python's numbers take more than the board's texts
        said = (
            (_judged(run, held) for run in subjects[detector]) if detector in subjects else [plain[detector]]
        )
        scores = [_answer_scores(lengths, gold, one) for one in said]
        iou, correlation = np.where(np.isnan(scores[0]), np.nan, np.mean(scores, axis=0)).T
        made += _mushroom("iou", detector, iou, held, writer, bounds=UNIT)
        made += _mushroom("spearman", detector, correlation, held, writer, bounds=CORRELATION)
        outcomes += [
            *_answers("iou", detector, iou, held, writer),
            *_answers("spearman", detector, correlation, held, writer),
        ]
        if has_page is not None and 0 < has_page.sum() < len(has_page):
            paged = held.where(has_page)
            made += _mushroom("iou_with_page", detector, iou[has_page], paged, writer, bounds=UNIT)
            made += _mushroom(
                "spearman_with_page", detector, correlation[has_page], paged, writer, bounds=CORRELATION
            )
    return made, pl.concat(outcomes)


def _mushroom(
    metric: str,
    detector: Detector,
    values: np.ndarray,
    held: Labelled,
    writer: ScoreWriter,
    *,
    bounds: tuple[float, float],
) -> list[dict]:
    """The mean of a score of answers (answers,), NaN where they do not count, in each language and over all."""
    each = []
    for lang in languages(held.langs):
        inside = (held.langs == lang) & ~np.isnan(values)
        where = detector.where(against=NATURAL, lang=lang)
        values_of_lang, groups = values[inside], held.groups[inside]
        each.append(writer.mean(metric, detector.member, where, values_of_lang, groups, bounds=bounds))
    found = [
        Interval(*(np.nan if row[name] is None else row[name] for name in ("value", "low", "high")))
        for row in each
    ]
    mean = mean_of_cells(found, is_independent=are_apart(held.groups, held.langs))
    where = detector.where(against=NATURAL, lang=ALL)
    return [*each, writer.row(metric, detector.member, where, mean, sum(row["n"] for row in each))]


def _answers(
    metric: str, detector: Detector, values: np.ndarray, held: Labelled, writer: ScoreWriter
) -> list[pl.DataFrame]:
    """Outcome rows of the answers that count, in each language and over all: there an answer weighs as its
    language does in the plain mean, so that the mean of the rows is the detector's score.
    """
    units = held.samples.select(
        unit_id="sample_id", cluster_id="group_id", lang="lang", value=pl.Series(values)
    )
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
    return np.array([_both(*one) for one in zip(lengths, gold, said, strict=True)], dtype=float)


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
    return [(one["start"], one["end"], one["p"]) for one in spans]
