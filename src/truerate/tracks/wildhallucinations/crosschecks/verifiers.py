"""Several verifiers on the same facts: WildFactScore by each and by their majority, how far these lie apart,
whether models change places, and how far the verifiers agree.

All of it is of the facts on which every verifier has a verdict, so that no difference comes from what one of
them left unread. A verifier's error on labelled facts stands with that of all judges (`replies.judge_rows`).
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from truerate.core.aggregates import average
from truerate.metrics.intervals import Interval
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import Verifier, corrected_score, rank_changes, with_share
from truerate.tracks.wildhallucinations.replies import calibration, verdicts_by

MAJORITY = "majority-vote"
SCORE, SPREAD = "verifier_wildfactscore", "verifier_spread"


def with_majority(judgements: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    """Return the judgements with those of the judge MAJORITY, of each fact on which every one of `judges`
    has a verdict in a batch: supported where more than half of them say so; a tie is not supported. As they
    are where fewer than two of them judged anything.

    `judgements`: pruned ones (`replies.pruned`), of which `stage` and `kind` are columns.
    """
    judges = judging(judgements, judges)
    if len(judges) < 2:
        return judgements
    verdicts = common_verdicts(judgements, judges)
    n_supported = pl.sum_horizontal((~pl.col(judge)).cast(pl.Int32) for judge in judges)
    of_majority = verdicts.select(target_id="fact_id", verdict=2 * n_supported <= len(judges))
    rows = of_majority.with_columns(judge=pl.lit(MAJORITY), status=pl.lit("ok"))
    codes = {name: judgements.schema[name] for name in rows.columns}
    return pl.concat([judgements, rows.cast(codes)], how="diagonal")


def judging(judgements: pl.DataFrame, judges: Sequence[str]) -> list[str]:
    """Return those of the judges that have a verdict on any fact in a batch, in their order."""
    return [judge for judge in judges if verdicts_by(judgements, judge)["verdict"].count()]


def common_verdicts(judgements: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    """Return `fact_id` and a column of verdicts per judge (true: not supported) of the facts on which every
    one of them has a verdict, by id.
    """
    parts = [verdicts_by(judgements, judge).drop_nulls().rename({"verdict": judge}) for judge in judges]
    common = parts[0]
    for part in parts[1:]:
        common = common.join(part, on="fact_id", how="inner", maintain_order="left")
    return common.sort("fact_id")


def verifier_rows(
    judgements: pl.DataFrame,
    facts: pl.DataFrame,
    scored: pl.DataFrame,
    labelled: pl.DataFrame,
    judges: Sequence[str],
    writer: ScoreWriter,
) -> list[dict]:
    """Return Score rows of several verifiers: none where `judges` are fewer than two, and but
    `verifier_unread_rate` of each, the share of facts without a verdict, where fewer than two gave any.

    `verifier_wildfactscore` of each subject by each judge and by the majority, raw and, where people labelled
    facts, corrected by that judge's own error (`wildfact.corrected_score`); `verifier_spread`, the highest
    raw score of a subject by a single judge less the lowest; `verifier_rank_change`, places that a subject
    gains by a judge against the first one; `verifier_reversed_pairs`, how many pairs of subjects stand in
    another order than by the first; `verifier_agreement` and `verifier_pair_kappa` of each two judges over all facts
    of all subjects.

    `judgements`: of `with_majority`; `facts`: `fact_id`, `generation_id`; `scored`: replies, of which those
    that respond count; `labelled`: of `replies.labelled_facts`. Entities are the clusters.
    """
    if len(judges) < 2:
        return []
    of_replies = scored.filter("is_responding").select("generation_id", "subject", "entity")
    of_facts = facts.select("fact_id", pl.col("generation_id").cast(pl.String))
    of_facts = of_facts.join(of_replies, on="generation_id", maintain_order="left")
    score_rows, values = list[dict](), dict[str, dict[str, float | None]]()
    for judge in judges:
        asked = (
            verdicts_by(judgements, judge).join(of_facts, on="fact_id", maintain_order="left").sort("fact_id")
        )
        unread = asked["verdict"].is_null().to_list()
        score_rows.append(writer.share("verifier_unread_rate", judge, {}, unread, asked["entity"].to_list()))
    judges = judging(judgements, judges)
    if len(judges) < 2:
        return score_rows
    verdicts = common_verdicts(judgements, [*judges, MAJORITY])
    rows = verdicts.join(of_facts, on="fact_id", maintain_order="left").sort("subject", "fact_id")
    by_subject = [(str(subject), part) for (subject,), part in rows.group_by("subject", maintain_order=True)]
    for judge in (*judges, MAJORITY):
        checked = with_share(rows.select("fact_id", "generation_id", is_supported=~pl.col(judge)))
        error = calibration(labelled, checked, confidence=writer.statistics.confidence)
        raw = [_score_row(subject, judge, part, writer) for subject, part in by_subject]
        values[judge] = {row["subject"]: row["value"] for row in raw}
        for row in raw:
            score_rows += [row] if error is None else [row, _corrected_row(row, judge, error, writer)]
    score_rows += [_spread_row(subject, judges, part, writer) for subject, part in by_subject]
    return score_rows + _order_rows(values, judges, writer) + _pair_rows(rows, judges, writer)


def _by_reply(rows: pl.DataFrame, judges: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The share of supported facts of each reply by each judge, (replies, judges), and the replies' entities."""
    shares = rows.group_by("generation_id", "entity", maintain_order=True).agg(
        *(average((~pl.col(judge)).cast(pl.Float64)).alias(judge) for judge in judges),
    )
    return shares.select(judges).to_numpy(), shares["entity"].to_list()


def _score_row(subject: str, judge: str, rows: pl.DataFrame, writer: ScoreWriter) -> dict:
    """WildFactScore of a subject by one judge: the mean over replies of the share of supported facts."""
    shares, entities = _by_reply(rows, [judge])
    return writer.row(SCORE, subject, {"judge": judge}, writer.share_of(shares[:, 0], entities), len(shares))


def _corrected_row(raw: dict, judge: str, error: Verifier, writer: ScoreWriter) -> dict:
    """The row of a raw score beside it, corrected by the judge's error."""
    interval = None if raw["low"] is None else Interval(raw["value"], raw["low"], raw["high"])
    corrected, where = corrected_score(interval, error), {"estimator": "corrected", "judge": judge}
    return writer.row(SCORE, raw["subject"], where, corrected and corrected[:3], raw["n"])


def _spread_row(subject: str, judges: Sequence[str], rows: pl.DataFrame, writer: ScoreWriter) -> dict:
    """The highest less the lowest score of a subject by single judges."""
    shares, entities = _by_reply(rows, judges)
    columns = np.column_stack([shares, np.ones(len(shares))])
    return writer.statistic(
        SPREAD, subject, {}, columns, entities, lambda sums: np.ptp(sums[:, :-1] / sums[:, -1:], axis=1)
    )


def _order_rows(
    values: dict[str, dict[str, float | None]], judges: Sequence[str], writer: ScoreWriter
) -> list[dict]:
    """Places gained by each judge against the first one, and the pairs of subjects that it puts otherwise."""
    first, score_rows = values[judges[0]], []
    pairs = list(combinations(first, 2))
    for judge in (*judges[1:], MAJORITY):
        changes, other = rank_changes(first, values[judge]), values[judge]
        where = {"judge": judge}
        score_rows += [
            writer.row("verifier_rank_change", name, where, by, len(changes)) for name, by in changes.items()
        ]
        sign = [((first[a] or 0) - (first[b] or 0)) * ((other[a] or 0) - (other[b] or 0)) for a, b in pairs]
        n_reversed = sum(product < 0 for product in sign)
        score_rows.append(writer.count("verifier_reversed_pairs", judge, {}, n_reversed, len(pairs)))
    return score_rows


def _pair_rows(rows: pl.DataFrame, judges: Sequence[str], writer: ScoreWriter) -> list[dict]:
    """How far each two judges agree on all facts of all subjects."""
    score_rows, entity = [], rows["entity"].to_list()
    for first, second in combinations(judges, 2):
        verdict, other, where = rows[first].to_numpy(), rows[second].to_numpy(), {"with": second}
        score_rows.append(writer.share("verifier_agreement", first, where, verdict == other, entity))
        score_rows.append(writer.kappa("verifier_pair_kappa", first, where, (verdict, other), entity))
    return score_rows
