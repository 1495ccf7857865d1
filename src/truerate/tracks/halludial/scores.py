"""Everything that is scored of a board of HalluDial but its labels (`labels.label` gives those): detection,
comparison, what a judge's errors on induced texts say of natural ones, and what other modules score.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.aggregates import average
from truerate.core.schemas import Outcome, Score, frame, pair
from truerate.metrics.estimators.sample import errors_of, estimates
from truerate.metrics.estimators.sample import verdicts as cell_of
from truerate.metrics.judged import by_subject, is_unanswered, judged, over_seeds
from truerate.metrics.paired import Contrast, contrast_scores, contrasts
from truerate.metrics.rates import estimate_rows
from truerate.metrics.recognition import (
    COUNTED,
    Rows,
    balanced_outcomes,
    count_scores,
    counted,
    settled,
)
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.metrics.similarity import measure_of
from truerate.metrics.thresholds import N_BINS, bin_sums, expected_calibration_error, reliability
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.judged_texts import (
    COLUMNS,
    INDUCED,
    SPONTANEOUS,
    TEST,
    ZERO_SHOT,
    by_judge,
    judged_texts,
    of_fitted,
    slices,
)
from truerate.tracks.halludial.judging import INDUCED_FIRST
from truerate.tracks.halludial.labels import score_meta, score_silver
from truerate.tracks.halludial.location_scores import score_location
from truerate.tracks.halludial.making_scores import score_making
from truerate.tracks.halludial.prompting import COMPARE, CUES, DETECT, LOCATE, MATCHED, PAPER
from truerate.tracks.halludial.rate_scores import RATE, score_rates, score_written
from truerate.tracks.thinking import score_thinking

ALIKE = {RATE: "history"}  # every test turn is answered in both histories
WITHIN = ("scenario", "kind", "is_hallucinated")
RATE_BY_JUDGE = "rate_by_judge"
THOUGHT: dict[str, Any] = {"purposes": (DETECT, LOCATE), "keys": ("scenario", "variant"), "cue": CUES[DETECT]}


def score(
    config: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return all Score and Outcome rows of a board but those of its labels. `samples` are the data set's and
    the responses that people labelled, `judgements` the subjects' and the detectors'; a detector that learned
    nothing here has no rows.
    """
    settings, writer = config.p.track(board), ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    judgements = of_fitted(judgements)
    detector, base = settings.detector, settings.base
    how = {"measure": measure_of(settings.similarity), "similarity": settings.measure}
    how["is_bare_no"] = settings.definition == PAPER
    detection, outcomes = score_judges(samples, judgements, writer)
    of_models = judgements.filter(pl.col("judge").is_in(generations["model"].unique().to_list()))
    alone = judged_texts(samples, of_models).filter(pl.col("kind").ne_missing(MATCHED))
    written, responses = score_written(samples, judgements, detector=detector, writer=writer)
    rows = [
        *detection,
        *score_location(samples, judgements, writer, **how),
        *score_compared(samples, judgements, writer),
        *score_rates(items, samples, judgements, generations, detector=detector, base=base, writer=writer),
        *written,
        *score_silver(samples, settings.annotator, writer),
        *score_meta(generations, judgements, items, writer),
        *score_making(items, samples, generations, writer),
        *score_thinking(alone, generations, config.p.models, writer, **THOUGHT),
    ]
    return frame(Score, rows), pl.concat([outcomes, responses])


# ---- detection (HalluDial 3.1) -----------------------------------------------------------------------------


def score_judges(
    samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter
) -> tuple[list[dict], pl.DataFrame]:
    """Return Score and Outcome rows of detection, one judge's texts in memory at a time."""
    counts, outcomes, scores = [], [frame(Outcome)], list[dict]()
    scenarios = samples.filter(split=TEST).select(pair("attributes", "scenario")).to_series()
    ranked = SPONTANEOUS if SPONTANEOUS in scenarios else NATURAL
    for rows in by_judge(samples, judgements):
        counts.append(counted_texts(rows))
        outcomes.append(detection_outcomes(rows, writer, ranked))
        scores += [*score_reliability(rows, writer), *score_transfer(rows, writer)]
    return [*(score_detection(pl.concat(counts), writer) if counts else ()), *scores], pl.concat(outcomes)


def counted_texts(rows: pl.DataFrame) -> pl.DataFrame:
    """Return `judged_texts` counted per judge, variant, WITHIN and dialogue (`metrics.recognition`), as means
    over the seeds of a detector.
    """
    single = rows.filter(pl.col("variant") != COMPARE)
    n_runs = pl.col("seed").n_unique().over("judge", "variant").cast(pl.Float64).alias("n_runs")
    counts = counted(single.with_columns(n_runs), ("judge", "variant", "n_runs", *WITHIN))
    return counts.with_columns(pl.col(*COUNTED, "n_dead") / pl.col("n_runs"))


def score_detection(counts: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return Score rows of every judge in every variant, scenario and kind, from `counted_texts`."""
    scores = []
    for (variant,), part in counts.sort("variant").group_by("variant", maintain_order=True):
        # a part of the texts at a time: judges of the same texts share their resamples
        for where, inside in slices(part):
            by_name = part.filter(inside).sort("judge").group_by("judge", maintain_order=True)
            for (judge,), of_judge in by_name:
                scores += count_scores(str(judge), {**where, "variant": variant}, of_judge, writer)
    return scores


def detection_outcomes(rows: pl.DataFrame, writer: ScoreWriter, scenario: str = SPONTANEOUS) -> pl.DataFrame:
    """Return Outcome rows of what ranks: balanced accuracy on spontaneous responses, zero-shot; on a board
    without such, on those of its source that people labelled (`scenario`).
    """
    where = {"scenario": scenario, "variant": ZERO_SHOT}
    ranked = rows.filter(**where)
    parts = [balanced_outcomes(part) for _, part in ranked.group_by("judge", "seed", maintain_order=True)]
    if not parts:
        return frame(Outcome)
    units = ["judge", "sample_id", "group_id"]
    whole = pl.concat(parts).group_by(units, maintain_order=True)
    values = whole.agg(value=average(pl.col("outcome")).round(6)).sort(units)
    named = values.select("value", subject="judge", unit_id="sample_id", cluster_id="group_id")
    return writer.outcomes("balanced_accuracy", where, named)


def score_reliability(rows: pl.DataFrame, writer: ScoreWriter) -> Iterator[dict]:
    """Yield `ece` of every judge whose judgements hold a probability `p`, per scenario, and of each bin of p
    its mean (`bin_p`) and the share of its texts that is hallucinated (`bin_rate`).
    """
    with_p = rows.filter(pl.col("p").is_not_null(), variant=ZERO_SHOT)
    for (judge,), of_judge in with_p.group_by("judge", maintain_order=True):
        for scenario, inside in slices(of_judge):
            if "kind" in scenario:
                continue
            part, where = of_judge.filter(inside), {**scenario, "variant": ZERO_SHOT}
            sums = bin_sums(part["p"].to_numpy(), part["is_hallucinated"].to_numpy())
            clusters, name = part["group_id"].to_list(), str(judge)
            yield writer.statistic("ece", name, where, sums, clusters, expected_calibration_error)
            n, label = sums[:, :N_BINS], sums[:, 2 * N_BINS :]
            for number, bin_ in enumerate(reliability(sums.sum(axis=0))):
                slice_ = {**where, "bin": f"{bin_.low:.1f}–{bin_.high:.1f}"}
                yield writer.row("bin_p", name, slice_, bin_.mean_p, bin_.n)
                yield writer.share("bin_rate", name, slice_, label[:, number], clusters, n[:, number])


# ---- comparison (HalluDial appendix C) ---------------------------------------------------------------------


def score_compared(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """Return Score rows of every judge and kind of pair: of both orders together, of each, and of pairs right
    in both. A pair is known by its hallucinated side: one reference stands in several. A judge none of whose
    choices could be read has no accuracy.
    """
    compared = judgements.filter(pair("attributes", "variant") == COMPARE)
    rows = judged(samples, compared, variant=COMPARE, judgement_keys=("kind",), columns=COLUMNS)
    scores = Rows()
    for subject, where, part in by_subject(rows, ("variant", "kind")):
        pairs = contrasts(part, hallucinated_first=INDUCED_FIRST, pair_id="sample_id")
        part_scores = contrast_scores(subject, where, pairs, writer)
        part_scores += _by_order(subject, where, pairs, writer)
        asked = part.filter("is_hallucinated")
        is_unread = pairs and all(choice is None for pair in pairs for choice in pair.named.values())
        if is_unread and not is_unanswered(asked):
            scores += writer.no_verdicts(subject, where, part_scores, asked.height, kept="unparsed_rate")
        else:
            scores += settled(subject, where, asked, part_scores, frame(Outcome), writer)[0]
    return scores


def _by_order(subject: str, where: dict, pairs: Sequence[Contrast], writer: ScoreWriter) -> Rows:
    """Accuracy per order, unread choices wrong and dropped, and dropped over both orders."""
    choices = [(order, choice, pair.group_id) for pair in pairs for order, choice in pair.named.items()]
    orders = np.array([order for order, *_ in choices])
    hits = np.array([choice is True for _, choice, _ in choices], dtype=bool)
    read = np.array([choice is not None for _, choice, _ in choices], dtype=bool)
    asked: list[Ratio] = [("accuracy_parsed", where, hits, read)]
    for order in sorted(set(orders)):
        inside, slice_ = orders == order, {**where, "order": order}
        asked.append(("accuracy", slice_, hits & inside, inside))
        asked.append(("accuracy_parsed", slice_, hits & inside, read & inside))
    return writer.shares(subject, asked, [group for *_, group in choices])


# ---- do a judge's errors carry over from induced texts to natural ones? ------------------------------------


def score_transfer(rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return Score rows of judges: the rate that each tells of spontaneous responses, raw and corrected by
    its errors on induced texts and on those that people labelled (`rate_by_judge`).

    A text counts once, with the share of its seeds that flag it. Verdicts that could not be read count
    nowhere. A judge of no spontaneous response has no row; errors that no text shows are left out.
    """
    scores = []
    read = rows.filter(pl.col("verdict").is_not_null(), pl.col("kind").ne_missing(MATCHED), variant=ZERO_SHOT)
    for (judge,), part in read.sort("judge", "sample_id").group_by("judge", maintain_order=True):
        units = {}
        for (scenario,), texts in over_seeds(part).group_by("scenario", maintain_order=True):
            label = texts["is_hallucinated"].cast(pl.Float64).to_numpy()
            verdicts = texts["verdict"].cast(pl.Float64).to_numpy()
            units[scenario] = cell_of(verdicts, label, texts["group_id"].to_list())
        if (spontaneous := units.get(SPONTANEOUS)) is not None:
            confidence = writer.statistics.confidence
            kinds = [kind for kind in (INDUCED, NATURAL) if kind in units]
            errors = {kind: errors_of(units[kind], confidence=confidence) for kind in kinds}
            each = estimates(spontaneous, errors, writer)
            scores += estimate_rows(RATE_BY_JUDGE, str(judge), {}, each, spontaneous.n, writer)
    return scores
