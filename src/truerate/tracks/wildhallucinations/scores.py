"""Everything that is scored on a board of this track but what `labels.label` scores: replies, verifiers,
entities and evidence.
"""

from collections.abc import Sequence
from itertools import product

import polars as pl

from truerate.config.layout import Layout
from truerate.core.aggregates import average
from truerate.core.schemas import NO_ANSWERS, Outcome, Score, frame, is_cut, pair
from truerate.llm.generation import standing
from truerate.metrics import wildfact
from truerate.metrics.cells import mean_of, moments, ratio_cells
from truerate.metrics.intervals import Interval
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.wildhallucinations.crosschecks.citations import citation_rows
from truerate.tracks.wildhallucinations.crosschecks.verifiers import verifier_rows, with_majority
from truerate.tracks.wildhallucinations.evidence import SEARCH_CLAIM
from truerate.tracks.wildhallucinations.facts import GENERATE, REVISE, WRITE
from truerate.tracks.wildhallucinations.funnel import built_rows
from truerate.tracks.wildhallucinations.label_rates import SCORE, STRICT, own_rows, with_labels
from truerate.tracks.wildhallucinations.replies import (
    ALL,
    COMMON,
    HUMAN,
    OF_CLAIMS,
    OF_REPLY,
    SLICES,
    batch_rows,
    calibration,
    estimate_of,
    judge_of,
    judge_rows,
    labelled_facts,
    pruned,
    replies_of,
    reply_scores,
    score_cells,
    verdicts_of,
)
from truerate.tracks.wildhallucinations.searching import gain_rows
from truerate.tracks.wildhallucinations.verifying import CONTRADICTED, UNMENTIONED, VERIFY

RAW, CORRECTED = "raw", "corrected"
SLICED = (SCORE, STRICT)  # given by slice as well; Figures 5 and 6 show Strict and responding by rarity
RULES = ("measured", "paper")


def score(
    config: Layout,
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
    """Return all Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the gold facts, `judgements` the verifier's and the detectors'; `facts`,
    `documents` and `rejects` the data set's. Without the last two, what needs them is left out.
    """
    settings, statistics = config.p.track(board), config.p.statistics
    generations, judgements = pruned("generations", generations), pruned("judgements", judgements)
    facts = pruned("facts", facts)
    judges = (settings.verifier, *settings.verifiers) if settings.verifier and settings.verifiers else ()
    judgements = with_majority(judgements, judges) if judges else judgements
    writer = ScoreWriter(board, inputs, statistics, config.p.seed)
    slim = facts.select("fact_id", "generation_id", "is_duplicate", "is_title")
    checked = wildfact.with_share(verdicts_of(slim, judgements, settings.verifier, has_kind=True))
    slim = checked.select(slim.columns)  # without those that nobody can check
    how = {name: getattr(settings, name) for name in ("gamma", "domains_above", "strict")}
    scored = reply_scores(replies_of(items, generations), checked, **how)
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
    labels = labelled if is_corrected else labelled.clear()
    verifier = calibration(labels, checked, confidence=statistics.confidence)
    of_score = with_labels(checked.clear() if labels.is_empty() else checked, labels, scored)
    score_rows += subject_rows(scored, verifier, of_score, panel=panel, gamma=settings.gamma, writer=writer)
    bases = {alias: model.base for alias, model in config.p.models.items() if model.base}
    score_rows += gain_rows(scored, items, bases, writer)
    score_rows += contradicted_rows(checked, scored, writer)
    score_rows += verifier_rows(judgements, slim, scored, labelled, judges, writer)
    score_rows += claim_rows(generations, scored, writer)
    score_rows += at_k_rows(scored, settings.f1_at, writer)
    score_rows += citation_rows(judgements, scored, settings.verifier, writer)
    lengths = with_lengths(scored, generations)
    score_rows += reply_rows(lengths, writer) + asked_rows(generations, writer)
    outcomes = score_outcomes(scored, panel, writer)
    if not is_corrected:
        # Where people labelled the facts a score says little beside systems that answer more, and a committed
        # result holds only what follows from units.
        answered = lengths.with_columns(outcome=1 - pl.col("abstained_measured"))
        outcomes.append(by_entity(answered, "responding_rate", {"rule": "measured"}, writer))
    return frame(Score, score_rows), pl.concat(outcomes)


def score_outcomes(scored: pl.DataFrame, panel: tuple[str, ...], writer: ScoreWriter) -> list[pl.DataFrame]:
    """Return the Outcome rows of SCORE and STRICT, of all entities and of the common ones."""
    is_common = pl.col("entity").is_in(wildfact.common_entities(scored, panel).implode())
    outcomes = []
    for metric, set_ in product((SCORE, STRICT), (ALL, COMMON)):
        rows = scored.filter(is_common) if set_ == COMMON else scored
        if metric in wildfact.PRODUCTS:
            rows = wildfact.strict_outcomes(rows)
        else:
            rows = rows.with_columns(outcome=wildfact.SCORES[metric])
        outcomes.append(by_entity(rows, metric, {"estimator": RAW, "set": set_}, writer))
    return outcomes


def by_entity(rows: pl.DataFrame, metric: str, where: dict[str, str], writer: ScoreWriter) -> pl.DataFrame:
    """Return Outcome rows: the mean `outcome` of a subject's replies on an entity, unit and cluster."""
    value = average(pl.col("outcome")).round(6)
    means = rows.group_by("subject", "entity", maintain_order=True).agg(value=value)
    means = means.sort("subject", "entity")
    return writer.outcomes(metric, where, means.with_columns(unit_id="entity", cluster_id="entity"))


# ---- views of the scores -----------------------------------------------------------------------------------


def subject_rows(
    scored: pl.DataFrame,
    verifier: wildfact.Verifier | None,
    facts: pl.DataFrame,
    *,
    panel: tuple[str, ...],
    gamma: int,
    writer: ScoreWriter,
) -> list[dict]:
    """Return Score rows of the subjects: every cell raw, WildFactScore corrected by `verifier` and by labels
    of a subject's own `facts` (`label_rates.with_labels`), and the places that each view moves.

    TPR and FPR are those of all subjects together; by slice they may differ, and labels are few, so slices
    stay raw.
    """
    cells = score_cells(scored, panel=panel, confidence=writer.statistics.confidence, sliced=SLICED)
    score_rows = []
    for row in cells.iter_rows(named=True):
        where = {"set": row["set"], row["slice"] or "": row["group"]}
        if row["metric"] in (SCORE, STRICT, wildfact.STRICT_PAPER):
            where["estimator"] = RAW
        if row["metric"] == "factscore_length":
            where["gamma"] = gamma
        score_rows.append(writer.row(row["metric"], row["subject"], where, estimate_of(row), row["n"]))
    whole = cells.filter(pl.col("slice").is_null())
    values: dict[tuple[str, str], dict[str, float | None]] = {}
    for metric, set_, subject, value in whole.select("metric", "set", "subject", "value").iter_rows():
        values.setdefault((metric, set_), {})[subject] = value
    pooled, n_replies = {}, {}
    for row in whole.filter(pl.col("metric") == SCORE).iter_rows(named=True):
        subject, set_ = row["subject"], row["set"]
        if set_ == ALL:
            n_replies[subject] = row["n"]
        if verifier is not None:
            raw = None if row["low"] is None else Interval(*estimate_of(row))
            corrected = wildfact.corrected_score(raw, verifier)
            where = {"estimator": CORRECTED, "set": set_}
            score_rows.append(writer.row(SCORE, subject, where, corrected and corrected[:3], row["n"]))
            values.setdefault((CORRECTED, set_), {})[subject] = score_rows[-1]["value"]
            if set_ == ALL and corrected is not None:
                pooled[subject] = corrected
    score_rows += own_rows(facts, pooled, verifier, n_replies, writer)
    # places gained against WildFactScore raw over all entities, negative where a subject falls
    views = {
        "strict": (STRICT, ALL),
        "common": (SCORE, COMMON),
        "dedup": ("wildfactscore_dedup", ALL),
        "length": ("factscore_length", ALL),
        "corrected": (CORRECTED, ALL),
    }
    for view, key in views.items():
        changes = wildfact.rank_changes(values.get((SCORE, ALL), {}), values.get(key, {}))
        n = sum(change is not None for change in changes.values())
        score_rows += [writer.row("rank_change", name, {"view": view}, by, n) for name, by in changes.items()]
    return score_rows


# ---- replies -----------------------------------------------------------------------------------------------


def with_lengths(scored: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return the scored replies with `n_words`, `n_tokens` and, by either rule, whether they abstain (1, 0, null)."""
    marks = {f"abstained_{rule}": pair("attributes", f"abstained_{rule}") for rule in RULES}
    marks = {name: mark.replace_strict({"true": 1, "false": 0}, default=None) for name, mark in marks.items()}
    lengths = generations.filter(purpose=GENERATE).select("generation_id", "n_words", "n_tokens", **marks)
    return scored.join(lengths, on="generation_id", how="left", maintain_order="left")


def reply_rows(rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return per subject how many replies respond (by either rule of abstention; also by slice), how many
    words, tokens and facts a response has, and the totals of both. `rows`: of `with_lengths`. `no_answers` of a
    subject none of whose replies came: how many were asked for.

    Where the facts of a reply were not written nothing is known of their number: it counts in neither part of
    the ratio.
    """
    responds, is_whole = pl.col("is_responding"), pl.col("is_whole").fill_null(False)
    shares = {}
    for rule in RULES:
        silent, came = mean_of(f"abstained_{rule}")
        shares[f"responding_rate {rule}"] = (1 - silent, came)
    parts = (responds * pl.col("n_facts"), responds)
    facts_of_whole = tuple(pl.when(is_whole).then(part).otherwise(0) for part in parts)
    means = {
        "words_per_response": (responds * pl.col("n_words"), responds),
        "tokens_per_response": (responds * pl.col("n_tokens"), responds),
        "facts_per_response": facts_of_whole,
    }
    score_rows = _ratio_rows(rows, means, [], False, writer)
    for slices in ([], *([name] for name in SLICES)):
        score_rows += _ratio_rows(rows, shares, slices, True, writer)
    totals = rows.group_by("subject", maintain_order=True).agg(
        pl.len(),
        responds.sum(),
        n_facts=(responds * pl.col("n_facts")).sum(),
        is_unanswered=pl.col("is_abstained").is_null().all(),
    )
    for subject, n, n_responses, n_facts, is_unanswered in totals.sort("subject").iter_rows():
        if is_unanswered:
            score_rows.append(writer.count(NO_ANSWERS, subject, {}, n, n))
        score_rows.append(writer.count("n_responses", subject, {}, n_responses, n))
        score_rows.append(writer.count("n_facts", subject, {}, n_facts, n_responses))
    return score_rows


def contradicted_rows(facts: pl.DataFrame, scored: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return per subject `contradicted_rate` and `not_mentioned_rate`: of the facts of its responding replies
    that are supported, or of which the verifier said which of the two they are, the share of either. No row
    where it was not asked for that. `facts`: of `verdicts_of`.
    """
    if facts["kind"].null_count() == facts.height:
        return []
    of_replies = scored.filter("is_responding").select("generation_id", "subject", "entity")
    with_kind = facts.filter(pl.col("is_supported").fill_null(False) | pl.col("kind").is_not_null())
    with_kind = with_kind.cast({"generation_id": pl.String})
    rows = with_kind.join(of_replies, on="generation_id", maintain_order="left").sort("subject", "fact_id")
    kinds = {"contradicted_rate": CONTRADICTED, "not_mentioned_rate": UNMENTIONED}
    hits = {name: (pl.col("kind") == kind).fill_null(False) for name, kind in kinds.items()}
    return writer.shares_by(rows, hits, subject="subject", cluster="entity")


def claim_rows(generations: pl.DataFrame, scored: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return per subject the shares of its claims that were revised (`revised_rate`), that can be checked
    (`checkable_rate`) and of which the reviser's words were not read (`unread_claim_rate`); and of those that
    were searched for the share without a page (`no_page_claim_rate`). Only of what was revised and searched.
    """
    of_reply = {"generation_id": pair("attributes", OF_REPLY)}
    subjects = scored.select("generation_id", "subject", "entity")
    counts = {name: pair("attributes", name).cast(pl.Int64) for name in OF_CLAIMS}
    revised = standing(generations.filter(purpose=REVISE)).select(**of_reply, **counts)
    revised = revised.join(subjects, on="generation_id", maintain_order="left")
    # of a reply that did not come nothing was read
    n, n_unread = pl.col("n_claims"), pl.col("n_unread").fill_null(pl.col("n_claims"))
    ratios = {"revised_rate": (pl.col("n_changed"), n - n_unread), "unread_claim_rate": (n_unread, n)}
    ratios["checkable_rate"] = (pl.col("n_checkable"), n - n_unread)
    has_no_page = {"has_no_page": (pair("attributes", "documents").fill_null("") == "").cast(pl.Int64)}
    searched = generations.filter(purpose=SEARCH_CLAIM).select(**of_reply, **has_no_page)
    searched = searched.join(subjects, on="generation_id", maintain_order="left")
    score_rows = _ratio_rows(revised, ratios, [], True, writer) if revised.height else []
    pages = {"no_page_claim_rate": mean_of("has_no_page")}
    return score_rows + (_ratio_rows(searched, pages, [], True, writer) if searched.height else [])


def at_k_rows(scored: pl.DataFrame, k: int | None, writer: ScoreWriter) -> list[dict]:
    """Return per subject the mean recall and F1 at `k` supported facts (`wildfact.at_k`), null for their
    median, over the replies that came; `k` is in the slice.
    """
    k = k or wildfact.median_supported(scored)
    ratios = {name: mean_of(name) for name in (wildfact.F1, wildfact.RECALL)}
    rows = wildfact.at_k(scored, k).with_columns(k=pl.lit(str(k)))
    return _ratio_rows(rows, ratios, ["k"], True, writer)


def _ratio_rows(
    rows: pl.DataFrame, ratios: dict, slices: Sequence[str], is_share: bool, writer: ScoreWriter
) -> list[dict]:
    """Score rows of ratios per subject and slice; behind a ratio's metric its rule may stand."""
    by, counted = ["subject", *slices], rows.drop_nulls(slices) if slices else rows
    sums = moments(counted, ratios, by=by, cluster=["subject", "entity"])
    cells = ratio_cells(sums, list(ratios), by=by, confidence=writer.statistics.confidence, is_share=is_share)
    score_rows = []
    for row in cells.iter_rows(named=True):
        metric, _, rule = row["metric"].partition(" ")
        where = {"rule": rule or None, **{name: row[name] for name in slices}}
        score_rows.append(writer.row(metric, row["subject"], where, estimate_of(row), row["n"]))
    return score_rows


def asked_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return per subject `cut_rate`, the share of the replies that end at their limit of tokens, of those
    that were asked for (of those that a source brought it is not known); and `retrieved_rate`, the share that
    came with what its model was given (citations, results of its own search or tools), where that is told of
    any.
    """
    is_retrieved = pair("attributes", "retrieved").is_not_null()
    replies = generations.filter(pl.col("purpose") == GENERATE).sort("model", "item_id")
    asked, came = replies.filter(pl.col("prompt_key") != ""), replies.filter(pl.col("status") != "dead")
    searching = came.filter(is_retrieved.any().over("model"))
    shares = ((asked, {"cut_rate": is_cut()}), (searching, {"retrieved_rate": is_retrieved}))
    return [
        row for rows, hit in shares for row in writer.shares_by(rows, hit, subject="model", cluster="item_id")
    ]


def call_rows(generations: pl.DataFrame, scored: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `calls_per_generation` of fact writer and verifier per responding reply; those with a stage (one by
    one, about citations) apart.
    """
    n = int(scored["is_responding"].sum())
    stage = pair("attributes", "stage")
    asked = generations.lazy().filter(pl.col("purpose").is_in([WRITE, REVISE, VERIFY]))
    step = pl.concat_str("purpose", stage, separator="_", ignore_nulls=True).alias("step")
    counted = asked.select("model", step).collect().group_by("model", "step").len().sort("model", "step")
    return [
        writer.row("calls_per_generation", model, {"step": name}, calls / n if n else None, n)
        for model, name, calls in counted.iter_rows()
    ]
