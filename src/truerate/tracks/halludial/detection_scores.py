"""What is scored of detection (HalluDial 3.1): every judge on every scenario and kind, zero-shot and with three
demonstrations, unread verdicts wrong and dropped; outcomes that ranks are tested on; and whether probabilities
are what they say.
"""

import polars as pl

from truerate.core.aggregates import average
from truerate.core.schemas import Outcome, frame
from truerate.metrics.calibration import N_BINS, bin_sums, expected_calibration_error, reliability
from truerate.metrics.recognition_counts import COUNTED, balanced_outcomes, count_scores, counted
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halludial.comparing import VARIANT as COMPARED
from truerate.tracks.halludial.judged_texts import SPONTANEOUS, ZERO_SHOT, slices

RANKED = {"scenario": SPONTANEOUS, "variant": ZERO_SHOT}
WITHIN = ("scenario", "kind", "is_hallucinated")


def counted_texts(rows: pl.DataFrame) -> pl.DataFrame:
    """What judges said of texts, counted per judge, variant, WITHIN and dialogue (`recognition_counts`), from
    `judged_texts`. Several seeds of a detector are its runs: counts are means over them.
    """
    single = rows.filter(pl.col("variant") != COMPARED)
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
