"""Everything that is scored of a board of HalluDial but its labels (`labels.label` gives those)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.aggregates import average
from truerate.core.schemas import Outcome, Score, frame, pair
from truerate.metrics.judged import by_subject, is_unanswered, judged, over_seeds
from truerate.metrics.paired import Contrast, contrast_scores, contrasts
from truerate.metrics.rates import Errors, Units, errors_of, estimate_rows, estimates
from truerate.metrics.recognition_counts import (
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
from truerate.tracks.halludial.comparing import INDUCED_FIRST
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.judged_texts import (
    COLUMNS,
    INDUCED,
    SPONTANEOUS,
    ZERO_SHOT,
    by_judge,
    of_fitted,
    slices,
)
from truerate.tracks.halludial.labels import score_meta, score_silver
from truerate.tracks.halludial.location_scores import score_location
from truerate.tracks.halludial.making_scores import score_making
from truerate.tracks.halludial.prompting import COMPARE, MATCHED
from truerate.tracks.halludial.rate_scores import RATE, score_rates, score_written
from truerate.tracks.halludial.settings import Settings

ALIKE = {RATE: "history"}  # every test turn is answered in both histories


def score(
    at: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the responses that people labelled, `judgements` the subjects' and the
    detectors', `generations` the data set's.
    """
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    tables = {"items": items, "samples": samples, "judgements": judgements, "generations": generations}
    return scored(at.p.track(board), writer, **tables)


def scored(
    settings: Settings,
    writer: ScoreWriter,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Score and Outcome rows with these settings; a detector that learned nothing here has none."""
    judgements = of_fitted(judgements)
    detector, name = settings.detector, settings.measure
    measure, detection = measure_of(settings.similarity), score_judges(samples, judgements, writer)
    written, responses = score_written(samples, judgements, detector=detector, writer=writer)
    made = [
        *detection.scores,
        *score_location(samples, judgements, writer, measure=measure, similarity=name),
        *score_compared(samples, judgements, writer),
        *score_rates(
            items, samples, judgements, generations, detector=detector, base=settings.base, writer=writer
        ),
        *written,
        *score_silver(samples, settings.annotator, writer),
        *score_meta(generations, judgements, items, writer),
        *score_making(items, samples, generations, writer),
    ]
    return frame(Score, made), pl.concat([detection.outcomes, responses])


class Detection(NamedTuple):
    """What is scored of detection, and what ranks are tested on."""

    scores: list[dict]
    outcomes: pl.DataFrame


def score_judges(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> Detection:
    """Detection of all judges, one judge's texts in memory at a time."""
    counts, outcomes, reliable = [], [frame(Outcome)], list[dict]()
    for rows in by_judge(samples, judgements):
        counts.append(counted_texts(rows))
        outcomes.append(detection_outcomes(rows, writer))
        reliable += [*score_reliability(rows, writer), *score_transfer(rows, writer)]
    scores = score_detection(pl.concat(counts), writer) if counts else []
    return Detection([*scores, *reliable], pl.concat(outcomes))


# ---- What is scored of detection (HalluDial 3.1): every judge on every scen --------------------------------


RANKED = {"scenario": SPONTANEOUS, "variant": ZERO_SHOT}
WITHIN = ("scenario", "kind", "is_hallucinated")


def counted_texts(rows: pl.DataFrame) -> pl.DataFrame:
    """What judges said of texts, counted per judge, variant, WITHIN and dialogue (`recognition_counts`), from
    `judged_texts`. Several seeds of a detector are its runs: counts are means over them.
    """
    single = rows.filter(pl.col("variant") != COMPARE)
    n_runs = pl.col("seed").n_unique().over("judge", "variant").cast(pl.Float64).alias("n_runs")
    counts = counted(single.with_columns(n_runs), ("judge", "variant", "n_runs", *WITHIN))
    return counts.with_columns(pl.col(*COUNTED, "n_dead") / pl.col("n_runs"))


def score_detection(counts: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Score rows of every judge in every variant, scenario and kind, from `counted_texts`."""
    made = []
    for (variant,), part in counts.sort("variant").group_by("variant", maintain_order=True):
        # a part of the texts at a time: judges of the same texts share their resamples
        for where, inside in slices(part):
            for (judge,), own in part.filter(inside).sort("judge").group_by("judge", maintain_order=True):
                made += count_scores(str(judge), {**where, "variant": variant}, own, writer)
    return made


def detection_outcomes(rows: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Outcome rows of what the board ranks by: balanced accuracy on spontaneous responses, zero-shot."""
    scored = rows.filter(scenario=SPONTANEOUS, variant=ZERO_SHOT)
    parts = [balanced_outcomes(part) for _, part in scored.group_by("judge", "seed", maintain_order=True)]
    if not parts:
        return frame(Outcome)
    units = ["judge", "sample_id", "group_id"]
    values = (
        pl.concat(parts)
        .group_by(units, maintain_order=True)
        .agg(value=average(pl.col("outcome")).round(6))
        .sort(units)
    )
    named = values.rename({"judge": "subject", "sample_id": "unit_id", "group_id": "cluster_id"})
    return writer.outcomes("balanced_accuracy", RANKED, named)


# ---- probabilities -----------------------------------------------------------------------------------------


def score_reliability(rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`ece` of every judge whose judgements hold a probability `p`, per scenario, and of each bin of p its mean
    (`bin_p`) and the share of its texts that is hallucinated (`bin_rate`).
    """
    with_p = rows.filter(pl.col("p").is_not_null(), variant=ZERO_SHOT)
    made = []
    for (judge,), part in with_p.group_by("judge", maintain_order=True):
        for where, inside in slices(part):
            if "kind" not in where:
                made += _reliability(judge, {**where, "variant": ZERO_SHOT}, part.filter(inside), writer)
    return made


def _reliability(judge: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    sums = bin_sums(part["p"].to_numpy(), part["is_hallucinated"].to_numpy())
    clusters = part["group_id"].to_list()
    made = [writer.statistic("ece", judge, where, sums, clusters, expected_calibration_error)]
    inside, label = sums[:, :N_BINS], sums[:, 2 * N_BINS :]
    for place, one in enumerate(reliability(sums.sum(axis=0))):
        slice_ = {**where, "bin": f"{one.low:.1f}–{one.high:.1f}"}
        made.append(writer.row("bin_p", judge, slice_, one.mean_p, one.n))
        made.append(writer.share("bin_rate", judge, slice_, label[:, place], clusters, inside[:, place]))
    return made


# ---- What is scored of comparisons (HalluDial appendix C): which of two res --------------------------------


def score_compared(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """Score rows of every judge and kind of pair: of both orders together, of each, and of pairs right in both.

    A pair is known by its hallucinated side: one reference stands in several.
    """
    said = judgements.filter(pair("attributes", "variant") == COMPARE)
    rows = judged(samples, said, variant=COMPARE, judgement_keys=("kind",), columns=COLUMNS)
    made = Rows()
    for subject, where, part in by_subject(rows, ("variant", "kind")):
        pairs = contrasts(part, hallucinated_first=INDUCED_FIRST, pair_id="sample_id")
        scores = [*contrast_scores(subject, where, pairs, writer), *_by_order(subject, where, pairs, writer)]
        asked = part.filter("is_hallucinated")
        if is_unread(pairs) and not is_unanswered(asked):
            made += writer.no_verdicts(subject, where, scores, asked.height, kept="unparsed_rate")
        else:
            made += settled(subject, where, asked, scores, frame(Outcome), writer)[0]
    return made


def is_unread(pairs: Sequence[Contrast]) -> bool:
    """Whether pairs were asked and no choice could be read: then a judge has no accuracy, of 0 neither."""
    return bool(pairs) and all(named is None for pair in pairs for named in pair.named.values())


def _by_order(subject: str, where: dict, pairs: Sequence[Contrast], writer: ScoreWriter) -> Rows:
    """Accuracy per order, unread choices wrong and dropped, and dropped over both orders."""
    told = [(order, said, pair.group_id) for pair in pairs for order, said in pair.named.items()]
    orders = np.array([order for order, *_ in told])
    hits = np.array([said is True for _, said, _ in told], dtype=bool)
    read = np.array([said is not None for _, said, _ in told], dtype=bool)
    asked: list[Ratio] = [("accuracy_parsed", where, hits, read)]
    for order in sorted(set(orders)):
        inside = orders == order
        slice_ = {**where, "order": order}
        asked.append(("accuracy", slice_, hits & inside, inside))
        asked.append(("accuracy_parsed", slice_, hits & inside, read & inside))
    return writer.shares(subject, asked, [group for *_, group in told])


# ---- Do a judge's errors carry over from induced texts to natural ones? The --------------------------------


RATE_BY_JUDGE = "rate_by_judge"
MEASURED_ON = (INDUCED, NATURAL)


def score_transfer(rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Score rows of one judge or several, from `judged_texts`; a text counts once, with the share of its seeds that
    flag it. Verdicts that could not be read count nowhere. A judge of no spontaneous response has no row; errors
    that no text tells are left out.
    """
    made = []
    told = rows.filter(pl.col("verdict").is_not_null(), pl.col("kind").ne_missing(MATCHED), variant=ZERO_SHOT)
    for (judge,), said in told.sort("judge", "sample_id").group_by("judge", maintain_order=True):
        own = over_seeds(said)
        judged = _judged_units(own.filter(scenario=SPONTANEOUS))
        if len(judged.is_flagged):
            each = estimates(judged, _errors_by_origin(own, writer), writer)
            made += estimate_rows(RATE_BY_JUDGE, str(judge), {}, each, len(judged.is_flagged), writer)
    return made


def _errors_by_origin(rows: pl.DataFrame, writer: ScoreWriter) -> dict[str, Errors]:
    """A judge's errors by what they were measured on, of MEASURED_ON those that have texts."""
    parts = {kind: rows.filter(scenario=kind) for kind in MEASURED_ON}
    confidence = writer.statistics.confidence
    return {
        kind: errors_of(_judged_units(part), confidence=confidence)
        for kind, part in parts.items()
        if not part.is_empty()
    }


def _judged_units(rows: pl.DataFrame) -> Units:
    """Texts as units; clusters are dialogues."""
    label = rows["is_hallucinated"].cast(pl.Float64).to_numpy()
    return Units(rows["verdict"].cast(pl.Float64).to_numpy(), rows["group_id"].to_list(), label)
