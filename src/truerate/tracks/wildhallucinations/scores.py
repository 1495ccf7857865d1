"""Everything that is scored on a board of this track but what `labels.label` scores: replies, verifiers,
entities and evidence.
"""

from collections.abc import Mapping

import polars as pl

from truerate.config.layout import Layout
from truerate.core.aggregates import average
from truerate.core.schemas import NO_ANSWERS, Outcome, Score, frame, is_cut, pair, pairs, schema
from truerate.metrics.cells import mean_of, moments, ratio_cells
from truerate.metrics.intervals import Interval
from truerate.metrics.rates import Corrected
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import (
    PRODUCTS,
    SCORES,
    STRICT_PAPER,
    Verifier,
    common_entities,
    corrected_score,
    rank_changes,
    strict_outcomes,
    with_share,
)
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.funnel import built_rows
from truerate.tracks.wildhallucinations.label_rates import SCORE, own_rows, with_labels
from truerate.tracks.wildhallucinations.replies import (
    ALL,
    COMMON,
    SLICES,
    replies_of,
    reply_scores,
    score_cells,
    thinned,
)
from truerate.tracks.wildhallucinations.verifier import (
    HUMAN,
    batch_rows,
    calibration,
    given_rows,
    judge_of,
    judge_rows,
    labelled_facts,
    verdicts_of,
)
from truerate.tracks.wildhallucinations.verifying import SINGLE, VERIFY

RAW, CORRECTED = "raw", "corrected"
SLICED = (
    SCORE,
    "wildfactscore_strict",
)  # told by slice as well; Figures 5 and 6 show Strict and responding by rarity
RULES = ("measured", "paper")


def score(
    at: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    facts: pl.DataFrame,
    inputs: str,
    documents: pl.DataFrame | None = None,
    rejects: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the gold facts, `judgements` the verifier's and the detectors'; `facts`,
    `documents` and `rejects` the data set's. Without the last two, what needs them is left out.
    """
    settings = at.p.track(board)
    generations, judgements = thinned("generations", generations), thinned("judgements", judgements)
    facts = thinned("facts", facts)
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    own = facts.select("fact_id", "generation_id", "is_duplicate", "is_title")
    checked = with_share(verdicts_of(own, judgements, settings.verifier))
    scored = reply_scores(
        replies_of(items, generations),
        checked,
        gamma=settings.gamma,
        domains_above=settings.domains_above,
        strict=settings.strict,
    )
    labelled = labelled_facts(samples)
    score_rows = built_rows(items, generations, documents, rejects, writer)
    score_rows += judge_rows(labelled, judgements, writer)
    score_rows += batch_rows(judgements, facts.select("fact_id", entity="item_id"), settings.verifier, writer)
    score_rows += call_rows(generations, scored, writer)
    if scored.is_empty():
        return frame(Score, score_rows), frame(Outcome)
    panel = settings.panel or tuple(scored["subject"].unique().sort())
    # people's verdicts are the labels: there is nothing to correct
    is_corrected = judge_of(judgements, settings.verifier) != HUMAN
    known = labelled if is_corrected else labelled.clear()
    score_rows += subject_rows(
        scored,
        calibration(known, checked, confidence=at.p.statistics.confidence),
        with_labels(
            checked.clear() if known.is_empty() else checked, known, scored
        ),  # else nothing is made of them
        panel=panel,
        gamma=settings.gamma,
        writer=writer,
    )
    score_rows += reply_rows(scored, generations, writer) + given_rows(generations, writer)
    outcomes = [
        outcome_frame(scored, panel, board, metric, set_) for metric in OUTCOMES for set_ in (ALL, COMMON)
    ]
    if not is_corrected:
        outcomes.append(responding_outcomes(_with_lengths(scored, generations), board))
    return frame(Score, score_rows), pl.concat(outcomes)


def subject_rows(
    scored: pl.DataFrame,
    verifier: Verifier | None,
    facts: pl.DataFrame,
    *,
    panel: tuple[str, ...],
    gamma: int,
    writer: ScoreWriter,
) -> list[dict]:
    """Score rows of the subjects: every cell raw, WildFactScore corrected by `verifier` and by labels of a subject's
    own `facts` (`fact_rates.with_labels`), and the places that each view moves.
    """
    cells = score_cells(scored, panel=panel, confidence=writer.statistics.confidence, sliced=SLICED)
    plain = cells.filter(pl.col("metric") == SCORE, pl.col("slice").is_null())
    by_set = corrected_scores(plain, verifier)
    corrected = corrected_rows(plain, by_set, writer)
    n_replies = dict(plain.filter(set=ALL).select("subject", "n").iter_rows())
    pooled = {subject: one for (subject, set_), one in by_set.items() if set_ == ALL and one is not None}
    own = own_rows(facts, pooled, verifier, n_replies, writer)
    return [*cell_rows(cells, gamma, writer), *corrected, *own, *rank_rows(cells, corrected, writer)]


# ---- views of the scores -----------------------------------------------------------------------------------


def cell_rows(cells: pl.DataFrame, gamma: int, writer: ScoreWriter) -> list[dict]:
    """Score rows of every cell: raw estimates, for all entities and the common ones, some by slice."""
    score_rows = []
    for row in cells.iter_rows(named=True):
        where = {"set": row["set"], row["slice"] or "": row["group"]}
        if row["metric"] in (SCORE, "wildfactscore_strict", STRICT_PAPER):
            where["estimator"] = RAW
        if row["metric"] == "factscore_length":
            where["gamma"] = gamma
        score_rows.append(
            writer.row(
                row["metric"], row["subject"], where, (row["value"], row["low"], row["high"]), row["n"]
            )
        )
    return score_rows


def corrected_scores(
    cells: pl.DataFrame, verifier: Verifier | None
) -> dict[tuple[str, str], Corrected | None]:
    """WildFactScore with the verifier's error taken out by subject and set, None where it cannot be told; no labels,
    nothing. `cells`: those of WildFactScore that are no slices.

    TPR and FPR are those of all subjects together; by slice they may differ, and labels are few, so slices
    stay raw.
    """
    if verifier is None:
        return {}
    return {
        (row["subject"], row["set"]): corrected_score(
            None if row["low"] is None else Interval(row["value"], row["low"], row["high"]), verifier
        )
        for row in cells.iter_rows(named=True)
    }


def corrected_rows(
    cells: pl.DataFrame, corrected: Mapping[tuple[str, str], Corrected | None], writer: ScoreWriter
) -> list[dict]:
    """Score rows of `corrected_scores`, for all entities and the common ones."""
    score_rows = []
    for subject, set_, n in cells.select("subject", "set", "n").iter_rows() if corrected else ():
        found = corrected[subject, set_]
        where = {"estimator": CORRECTED, "set": set_}
        score_rows.append(writer.row(SCORE, subject, where, found and found[:3], n))
    return score_rows


def rank_rows(cells: pl.DataFrame, corrected: list[dict], writer: ScoreWriter) -> list[dict]:
    """`rank_change` of each view against WildFactScore raw over all entities: places gained, negative where a
    subject falls.
    """
    plain = cells.filter(pl.col("slice").is_null())
    values = {(metric, set_): {} for metric in SCORES for set_ in (ALL, COMMON)}
    for metric, set_, subject, value in plain.select("metric", "set", "subject", "value").iter_rows():
        values.setdefault((metric, set_), {})[subject] = value
    views = {
        "strict": values["wildfactscore_strict", ALL],
        "common": values[SCORE, COMMON],
        "dedup": values["wildfactscore_dedup", ALL],
        "length": values["factscore_length", ALL],
        "corrected": {
            row["subject"]: row["value"]
            for row in corrected
            if row["slice"] == pairs(estimator=CORRECTED, set=ALL)
        },
    }
    score_rows = []
    for view, after in views.items():
        changes = rank_changes(values[SCORE, ALL], after)
        n = sum(change is not None for change in changes.values())
        score_rows += [
            writer.row("rank_change", subject, {"view": view}, change, n)
            for subject, change in changes.items()
        ]
    return score_rows


# ---- replies -----------------------------------------------------------------------------------------------


def reply_rows(scored: pl.DataFrame, generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """How many replies respond (by either rule of abstention), how long they are, and how many facts they
    have, per subject; responding also by slice.

    `cut_rate`: those that end at their limit of tokens. `no_answers` of a subject none of whose replies came:
    how many were asked for.
    """
    rows = _with_lengths(scored, generations)
    responds = {f"responding_rate {rule}": _complement(f"abstained_{rule}") for rule in RULES}
    shares = _per_subject(rows, responds, True, writer)
    means = _per_subject(rows, _sizes(), False, writer)
    score_rows = []
    for row in pl.concat([shares, means]).iter_rows(named=True):
        metric, _, rule = row["metric"].partition(" ")
        estimate = (row["value"], row["low"], row["high"])
        score_rows.append(writer.row(metric, row["subject"], {"rule": rule or None}, estimate, row["n"]))
    score_rows += _responding_rows(rows, responds, writer)
    return score_rows + _cut_rows(generations, writer) + _total_rows(rows, writer)


def _responding_rows(rows: pl.DataFrame, responds: dict, writer: ScoreWriter) -> list[dict]:
    """Shares that respond by domain, Wikipedia, rarity and region, by either rule."""
    score_rows = []
    for slice_ in SLICES:
        known = rows.drop_nulls(slice_)
        for row in _per(["subject", slice_], known, responds, True, writer).iter_rows(named=True):
            metric, _, rule = row["metric"].partition(" ")
            where = {"rule": rule, slice_: row[slice_]}
            score_rows.append(
                writer.row(metric, row["subject"], where, (row["value"], row["low"], row["high"]), row["n"])
            )
    return score_rows


def _with_lengths(scored: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """The scored replies with `n_words` (`thinned`) and, by either rule, whether they abstain (1, 0, or null)."""
    lengths = generations.filter(purpose=GENERATE).select(
        "generation_id",
        "n_words",
        **{
            f"abstained_{rule}": pair("attributes", f"abstained_{rule}").replace_strict(
                {"true": 1, "false": 0}, default=None
            )
            for rule in RULES
        },
    )
    return scored.join(lengths, on="generation_id", how="left", maintain_order="left")


def _sizes() -> dict[str, tuple[pl.Expr, pl.Expr]]:
    """Words and facts per response as ratios. Where the facts of a reply were not written nothing is known of
    their number: it counts in neither part.
    """
    responds = pl.col("is_responding")
    whole = [pl.when("is_whole").then(part).otherwise(0) for part in (responds * pl.col("n_facts"), responds)]
    return {
        "words_per_response": (responds * pl.col("n_words"), responds),
        "facts_per_response": (whole[0], whole[1]),
    }


def _total_rows(rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_responses` and `n_facts` per subject, and `no_answers` of those from whom nothing came."""
    totals = rows.group_by("subject", maintain_order=True).agg(
        pl.len(),
        pl.col("is_responding").sum(),
        n_facts=(pl.col("is_responding") * pl.col("n_facts")).sum(),
        is_unanswered=pl.col("is_abstained").is_null().all(),
    )
    score_rows = []
    for subject, n, n_responses, n_facts, is_unanswered in totals.sort("subject").iter_rows():
        score_rows += [writer.row(NO_ANSWERS, subject, {}, float(n), n)] if is_unanswered else []
        score_rows.append(writer.row("n_responses", subject, {}, float(n_responses), n))
        score_rows.append(writer.row("n_facts", subject, {}, float(n_facts), n_responses))
    return score_rows


def _cut_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`cut_rate` per subject over the replies that were asked for; of those that a source brought it is not
    known.
    """
    asked = generations.filter(pl.col("purpose") == GENERATE, pl.col("prompt_key") != "")
    rows = asked.select("model", "item_id", cut=is_cut()).sort("model", "item_id", "cut")
    return [
        writer.share("cut_rate", subject, {}, part["cut"].to_list(), part["item_id"].to_list())
        for (subject,), part in rows.group_by("model", maintain_order=True)
    ]


def _complement(column: str) -> tuple[pl.Expr, pl.Expr]:
    top, bottom = mean_of(column)
    return 1 - top, bottom


def _per_subject(rows: pl.DataFrame, ratios: dict, is_share: bool, writer: ScoreWriter) -> pl.DataFrame:
    return _per(["subject"], rows, ratios, is_share, writer)


def _per(
    by: list[str], rows: pl.DataFrame, ratios: dict, is_share: bool, writer: ScoreWriter
) -> pl.DataFrame:
    sums = moments(rows, ratios, by=by, cluster=["subject", "entity"])
    return ratio_cells(sums, list(ratios), by=by, confidence=writer.statistics.confidence, is_share=is_share)


def call_rows(generations: pl.DataFrame, scored: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`calls_per_generation` of each step: calls of the fact writer and of the verifier per reply that
    responds; single calls apart.
    """
    n = int(scored["is_responding"].sum())
    stage = pair("attributes", "stage")
    asked = generations.lazy().filter(pl.col("purpose").is_in([WRITE, VERIFY]))
    step = pl.when(stage == SINGLE).then(pl.col("purpose") + "_" + SINGLE).otherwise("purpose").alias("step")
    counted = asked.select("model", step).collect().group_by("model", "step").len().sort("model", "step")
    return [
        writer.row("calls_per_generation", model, {"step": name}, calls / n if n else None, n)
        for model, name, calls in counted.iter_rows()
    ]


# ---- paired tests ------------------------------------------------------------------------------------------

OUTCOMES = ("wildfactscore", "wildfactscore_strict")


def outcome_frame(
    scored: pl.DataFrame, panel: tuple[str, ...], board: str, metric: str, set_: str
) -> pl.DataFrame:
    """What each subject got on each entity, mean over its replies: unit and cluster are the entity, null
    where no reply counts.

    Of Strict it is what each reply says of the score (`wildfact.strict_outcomes`).
    """
    rows = (
        scored.filter(pl.col("entity").is_in(common_entities(scored, panel).implode()))
        if set_ == COMMON
        else scored
    )
    rows = strict_outcomes(rows) if metric in PRODUCTS else rows.with_columns(outcome=SCORES[metric])
    return _by_entity(rows, board, metric, {"estimator": RAW, "set": set_})


def responding_outcomes(rows: pl.DataFrame, board: str) -> pl.DataFrame:
    """Whether each subject answered on each entity by the measured rule, mean over its replies; null where none came.

    For boards whose facts people labelled: there a score says little beside systems that answer more, and a committed
    result holds only what follows from units.
    """
    answered = rows.with_columns(outcome=1 - pl.col("abstained_measured"))
    return _by_entity(answered, board, "responding_rate", {"rule": "measured"})


def _by_entity(rows: pl.DataFrame, board: str, metric: str, slice_: dict[str, str]) -> pl.DataFrame:
    """Outcome rows of one metric: the mean `outcome` of each subject's replies on an entity."""
    by_entity = (
        rows.group_by("subject", "entity", maintain_order=True)
        .agg(value=average(pl.col("outcome")).round(6))
        .sort("subject", "entity")
    )
    where = pl.Series("slice", [pairs(**slice_)], dtype=schema(Outcome)["slice"])
    columns = {
        "board": pl.lit(board),
        "metric": pl.lit(metric),
        "slice": pl.lit(where).first(),
        "unit_id": "entity",
        "cluster_id": "entity",
    }
    return by_entity.select("subject", "value", **columns).select(schema(Outcome).names())
