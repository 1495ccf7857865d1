"""The facts and replies of a board with the verdicts of judges: replies as scores and tasks read them, their
scores, and every view of these (all entities and the common ones, by domain, Wikipedia, rarity and region);
the verifier and the detectors that need no call measured on labelled facts; batches against single calls; and
why verdicts are wrong (Tables 7 and 8).
"""

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import NO_ANSWERS, emptied, pair
from truerate.core.text import WORD
from truerate.llm.generation import REASKED, standing
from truerate.metrics.cells import ESTIMATE, moments, product_cells, ratio_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import (
    ALL_SUPPORTED,
    PRODUCTS,
    STATING,
    STRICT_RULES,
    Verifier,
    common_entities,
    measured,
    pooled,
    ratios,
    review_correction,
    scored_replies,
    supported_share,
    with_share,
)
from truerate.tracks.wildhallucinations.evidence import SEARCH_CLAIM
from truerate.tracks.wildhallucinations.facts import GENERATE, REVISE, WRITE
from truerate.tracks.wildhallucinations.names import EXTRACT, RULES
from truerate.tracks.wildhallucinations.verifying import SINGLE, VERIFY

ALL, COMMON = "all", "common"  # sets of entities; `all` also stands for all subjects
HUMAN = "human"  # the judge of verdicts of people that a source brings


# ---- verdicts ----------------------------------------------------------------------------------------------


def verdicts_by(
    judgements: pl.DataFrame, judge: str | None, *, is_single: bool = False, has_kind: bool = False
) -> pl.DataFrame:
    """Return `fact_id`, `verdict` (true: not supported) of a judge, in batches or one by one; with `has_kind`
    also its `kind` (contradicted, not mentioned; null: not asked for, or not read).
    """
    is_judge = pl.col("judge") == (judge or "")
    # pruned, or whole
    stage = pl.col("stage") if "stage" in judgements.columns else pair("attributes", "stage")
    rows = judgements.lazy().filter(is_judge, stage == SINGLE if is_single else stage.is_null())
    columns = {"fact_id": pl.col("target_id"), "verdict": pl.col("verdict")}
    if has_kind:
        is_pruned = "kind" in judgements.columns
        columns["kind"] = pl.col("kind").cast(pl.String) if is_pruned else pair("attributes", "kind")
    verdicts = rows.select(**columns).collect()  # no other column of the rows is copied
    return verdicts.unique("fact_id", keep="first", maintain_order=True)


def judge_of(judgements: pl.DataFrame, verifier: str | None) -> str | None:
    """Return whose verdicts count: people's where the source brought them, else the verifier's."""
    return HUMAN if (judgements["judge"] == HUMAN).any() else verifier


def verdicts_of(
    facts: pl.DataFrame, judgements: pl.DataFrame, verifier: str | None, *, has_kind: bool = False
) -> pl.DataFrame:
    """Return the facts with `is_supported` by the judge who counts (`judge_of`), null where none was read;
    with `has_kind` also the kind of its verdict (`verdicts_by`). Facts that nobody can check (abstained) are left out.
    """
    judge = judge_of(judgements, verifier)
    out = judgements.lazy().filter(status="abstained", judge=judge or "").select("target_id").collect()
    facts = facts.filter(~pl.col("fact_id").is_in(out["target_id"].implode())) if out.height else facts
    verdicts = verdicts_by(judgements, judge, has_kind=has_kind)
    supported = verdicts.with_columns(is_supported=~pl.col("verdict")).drop("verdict")
    return facts.join(supported, on="fact_id", how="left", maintain_order="left")


def labelled_facts(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the facts that people labelled, with `weight`, the number of facts that each stands for."""
    gold = samples.filter((pl.col("task") == "fact") & (pl.col("label_source") != "silver"))
    return gold.select(
        fact_id=pair("attributes", "fact").fill_null(pl.col("sample_id")),
        weight=pair("attributes", "weight").cast(pl.Float64).fill_null(1.0),
        entity="item_id",
        subject="generator",
        is_unsupported="is_hallucinated",
    ).sort("fact_id")


def calibration(labelled: pl.DataFrame, facts: pl.DataFrame, *, confidence: float) -> Verifier | None:
    """Return the verifier's error as it bears on WildFactScore; `facts`: of `wildfact.with_share`."""
    slim = facts.lazy().select("fact_id", "is_supported", "share")
    of_labelled = slim.filter(pl.col("fact_id").is_in(labelled["fact_id"].implode())).collect()
    both = labelled.join(of_labelled, on="fact_id", how="inner", maintain_order="left")
    return measured(facts.select("is_supported", "share"), both, confidence=confidence)


# ---- judges on labelled facts ------------------------------------------------------------------------------


def judge_rows(labelled: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `verifier_tpr`, `_fpr`, `_accuracy`, `_kappa` of every judge that judged a labelled fact, all
    facts weighted by what they stand for.

    People's verdicts that a source brought are the labels themselves and no judge. TPR and FPR are of `not
    supported` and leave facts without verdict out; in accuracy these count as wrong. Of a judge whose every
    reply is a dead letter they are empty, and `verifier_no_answers` counts the facts.
    """
    is_judge = pl.col("target_id").is_in(labelled["fact_id"].implode()) & (pl.col("judge") != HUMAN)
    of_labelled, score_rows = judgements.filter(is_judge), []
    for judge in of_labelled["judge"].cast(pl.String).unique().sort():
        both = labelled.join(
            verdicts_by(of_labelled, judge), on="fact_id", how="inner", maintain_order="left"
        )
        if both.is_empty():
            continue
        weight, entity = both["weight"].to_numpy(), both["entity"].to_list()
        label, is_read = both["is_unsupported"].to_numpy(), both["verdict"].is_not_null().to_numpy()
        verdict = both["verdict"].fill_null(False).to_numpy()
        rows = [
            writer.share("verifier_tpr", judge, {}, verdict, entity, weight * is_read * label),
            writer.share("verifier_fpr", judge, {}, verdict, entity, weight * is_read * ~label),
            writer.share("verifier_accuracy", judge, {}, is_read & (verdict == label), entity, weight),
        ]
        rows.append(writer.kappa("verifier_kappa", judge, {}, (label, verdict), entity, weight * is_read))
        # nothing was answered: nothing is measured
        if (of_labelled.filter(judge=judge)["status"] == "dead").all():
            n = both.height
            rows = [*emptied(rows), writer.count(f"verifier_{NO_ANSWERS}", judge, {}, n, n)]
        score_rows += rows
    return score_rows


def batch_rows(
    judgements: pl.DataFrame, entity_of: pl.DataFrame, verifier: str | None, writer: ScoreWriter
) -> list[dict]:
    """Return `batch_agreement` and `batch_kappa`: the verdicts in batches against those one by one, on the
    facts with both.

    `entity_of`: `fact_id`, `entity`. No row where nothing was asked twice.
    """
    alone = verdicts_by(judgements, verifier, is_single=True).rename({"verdict": "alone"})
    batched = verdicts_by(judgements, verifier)
    both = batched.join(alone, on="fact_id", how="inner", maintain_order="left").drop_nulls()
    both = both.join(entity_of, on="fact_id", maintain_order="left").sort("fact_id")
    if both.is_empty():
        return []
    first, second, entity = both["verdict"].to_numpy(), both["alone"].to_numpy(), both["entity"].to_list()
    agreed = writer.share("batch_agreement", verifier, {}, first == second, entity)
    return [agreed, writer.kappa("batch_kappa", verifier or "", {}, (first, second), entity)]


# ---- reviews -----------------------------------------------------------------------------------------------

# retrieval: the passages did not hold what decides the fact. entailment: they did, and were misread.
# generation: the model made it up. contradictory-web: pages contradict one another. outdated: a page, or the
# model, is behind. unverifiable: an opinion or the like. model-retrieval: what the model was given by its own
# search did not hold it, or was wrong; only where that is told.
MODEL_RETRIEVAL = "model-retrieval"
ERROR_KINDS = ("retrieval", "entailment", "generation", "contradictory-web", "outdated", "unverifiable")
CORRECT = "correct"  # the verdict holds, and nothing more is said
KINDS = (*ERROR_KINDS, CORRECT)
# errors of the evaluation (Table 7): the verdict was wrong. All others leave it standing.
OVERTURNING = ("retrieval", "entailment")
VERDICTS = ("unsupported", "supported")


def allowed(is_given: bool) -> tuple[str, ...]:
    """Return the labels of a review; MODEL_RETRIEVAL (Table 8) where the model was given something."""
    return (*KINDS, MODEL_RETRIEVAL) if is_given else KINDS


def review_rows(reviewed: Sequence[dict], facts: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `error_rate` of each kind among unsupported and among supported facts, and `review_correction`,
    over all subjects and of each.

    `reviewed`: tasks with their `label` (one of KINDS). `facts`: with `is_supported` and `share`
    (`wildfact.with_share`); a fact's weight in the correction is how many it stands for times its share of
    its reply's score, so that it corrects the mean over replies.
    """
    score_rows: list[dict] = []
    of_reviewed = facts.filter(pl.col("fact_id").is_in([task["fact_id"] for task in reviewed]))
    share_of = dict(of_reviewed.select("fact_id", "share").iter_rows())
    for subject in [ALL, *sorted({task["subject"] for task in reviewed})] if reviewed else []:
        rows, wrong = [task for task in reviewed if subject in (ALL, task["subject"])], []
        for verdict in VERDICTS:
            tasks = [task for task in rows if task["verdict"] == verdict]
            score_rows += error_rows(subject, verdict, tasks, writer)
            is_wrong = np.array([task["label"] in OVERTURNING for task in tasks], dtype=float)
            weights = np.array([task["weight"] * (share_of.get(task["fact_id"]) or 0.0) for task in tasks])
            wrong.append(writer.share_of(is_wrong, [task["item_id"] for task in tasks], weights))
        of_subject = facts if subject == ALL else facts.filter(subject=subject)
        correction = review_correction(supported_share(of_subject), *wrong)
        score_rows.append(writer.row("review_correction", subject, {}, correction, len(rows)))
    return score_rows


def error_rows(subject: str, verdict: str, rows: Sequence[dict], writer: ScoreWriter) -> list[dict]:
    """Return the weighted share of each kind among the reviewed facts of one verdict, clustered by entity;
    they sum to 1. Null over nothing. The model's own retrieval is a kind where any of the reviews told of it.
    """
    weights, clusters = np.array([row["weight"] for row in rows]), [row["item_id"] for row in rows]
    score_rows = []
    for kind in allowed(any(row.get("retrieved") for row in rows)):
        where, hits = {"kind": kind, "verdict": verdict}, [row["label"] == kind for row in rows]
        share = writer.share("error_rate", subject, where, np.array(hits, float), clusters, weights)
        score_rows.append(share)
    return score_rows


# ---- replies -----------------------------------------------------------------------------------------------

ANY = 1  # γ of a length penalty that nobody reads
SLICES = ("domain", "wikipedia", "rarity", "region")


def estimate_of(row: dict) -> tuple[float | None, float | None, float | None]:
    """Return value, low and high of a row of `cells.ratio_cells`."""
    return row["value"], row["low"], row["high"]


def slices_of() -> dict[str, pl.Expr]:
    """Return what entities are sliced by, of the attributes of their Item rows; null: not known."""
    names = {"domain": "domain", "wikipedia": "is_wikipedia", "rarity": "rarity_group", "region": "region"}
    slices = {slice_: pair("attributes", name) for slice_, name in names.items()}
    yes_no = {"true": "yes", "false": "no"}
    return slices | {"wikipedia": slices["wikipedia"].replace_strict(yes_no, default=None)}


def replies_of(items: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return the replies about entities: `generation_id`, `subject`, `entity`, `is_abstained` (null: none
    came), `is_whole` and the slices.

    `is_whole`: facts were written for it, for each of its parts, and no sentence or line was lost. A reply without facts
    written is not scored; one that its source brought came with its facts, unless it says otherwise.
    """
    counts = (pair("attributes", name).cast(pl.Int64, strict=False) for name in ("n_missed", "n_malformed"))
    n_lost = pl.sum_horizontal(*(count.fill_null(0) for count in counts))
    written = standing(generations.filter(purpose=WRITE)).select(
        generation_id=pair("attributes", "generation"), is_whole=(pl.col("status") == "ok") & (n_lost == 0)
    )
    is_abstained = pl.when(pl.col("status").is_in(["ok", "abstained"])).then(pl.col("status") == "abstained")
    rows = generations.filter(purpose=GENERATE).sort("generation_id")
    rows = rows.select(
        "generation_id",
        subject="model",
        entity="item_id",
        is_abstained=is_abstained,
        is_given=(pl.col("prompt_key") == "") & pair("attributes", "is_whole").ne_missing("false"),
    )
    written = written.group_by("generation_id", maintain_order=True).agg(pl.col("is_whole").all())
    rows = rows.join(written, on="generation_id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("is_whole").fill_null(pl.col("is_given"))).drop("is_given")
    slices = items.filter(task="entity").select(entity="item_id", **slices_of())
    return rows.join(slices, on="entity", how="left", maintain_order="left")


def readable_replies(
    items: pl.DataFrame,
    generations: pl.DataFrame,
    facts: pl.DataFrame,
    judgements: pl.DataFrame,
    *,
    verifier: str | None,
) -> pl.DataFrame:
    """Return `replies_of` with `is_responding` and `strict`: of a reply that responds and has a verdict on
    each of its facts 1 where all are supported, else 0; null where that cannot be told.
    """
    slim = facts.select("fact_id", "generation_id", "is_duplicate", "is_title")
    checked = with_share(verdicts_of(slim, judgements, verifier))
    return scored_replies(replies_of(items, generations), checked, gamma=ANY)


def reply_scores(
    replies: pl.DataFrame,
    facts: pl.DataFrame,
    *,
    gamma: int,
    domains_above: int,
    strict: STRICT_RULES = "readable",
) -> pl.DataFrame:
    """Return `wildfact.scored_replies`, with the domains pooled as `other` that no more than `domains_above`
    entities have.

    `replies` also has the columns of SLICES, one value per entity; null: not known.
    """
    scored = scored_replies(replies, facts, gamma=gamma, strict=strict)
    domains = scored.select("entity", "domain").unique("entity", keep="first", maintain_order=True)
    domains = pooled(domains.drop_nulls(), "domain", above=domains_above)
    return scored.drop("domain").join(domains, on="entity", how="left", maintain_order="left")


def score_cells(
    scored: pl.DataFrame, *, panel: Collection[str], confidence: float, sliced: Sequence[str] | None = None
) -> pl.DataFrame:
    """Return all scores and shares of each subject: `subject`, `set` (all, common), `slice`, `group` (null:
    not sliced), and `cells.ESTIMATE`.

    `sliced`: the metrics that are also given by slice; None for all of them.
    """
    pairs = ratios()
    metrics = [*(name for name in pairs if name not in (STATING, ALL_SUPPORTED)), *PRODUCTS]
    common = scored["entity"].is_in(common_entities(scored, panel).implode())
    keys, cluster = ["subject", "is_common", *SLICES], ["subject", "entity"]
    sums = moments(scored.with_columns(is_common=common), pairs, by=keys, cluster=cluster, products=PRODUCTS)
    parts = []
    for set_, rows in ((ALL, sums), (COMMON, sums.filter("is_common"))):
        for slice_ in (None, *SLICES):
            names = metrics if slice_ is None or sliced is None else sliced
            cells = _cells(rows, names, slice_, confidence)
            parts.append(cells.with_columns(set=pl.lit(set_), slice=pl.lit(slice_, pl.String)))
    return pl.concat(parts)


def _cells(sums: pl.DataFrame, names: Sequence[str], slice_: str | None, confidence: float) -> pl.DataFrame:
    """Cells of each subject, or of each value of a slice that it has."""
    by = ["subject"] if slice_ is None else ["subject", slice_]
    rows = sums if slice_ is None else sums.drop_nulls(slice_)
    simple = [name for name in names if name not in PRODUCTS]
    products = {name: parts for name, parts in PRODUCTS.items() if name in names}
    parts = [ratio_cells(rows, simple, by=by, confidence=confidence)] if simple else []
    parts += [product_cells(rows, products, by=by, confidence=confidence)] if products else []
    group = pl.lit(None, pl.String) if slice_ is None else pl.col(slice_)
    cells = pl.concat(parts).sort(by, maintain_order=True)
    return cells.select("subject", group.alias("group"), "metric", *ESTIMATE)


# ---- columns of millions of rows ---------------------------------------------------------------------------

# Tokens as NLTK's `word_tokenize` counts them (Table 4): words with what joins their parts, single letters with
# their dot, each mark; and once more a contraction, which is cut in two.
TOKEN = r"\.{2,}|--|``|''|(?:[A-Za-z]\.)+|\w+(?:[-/.'’]\w+|[,:]\d\w*)*|[^\w\s]"
CONTRACTION = r"(?i)\bcannot\b|\w(?:n['’]t|['’](?:s|re|ve|ll|d|m))\b"
# purposes of replies whose texts are not compared with words
LONG = (EXTRACT, GENERATE, WRITE, REVISE, SEARCH_CLAIM, VERIFY)
RETRIEVED = "retrieved"  # of which only is read whether it is told
ASKED = "asked"
# names the reply whose facts were written; of a call about many all of them, which are not read
OF_REPLY = "generation"
_RULES = tuple(f"abstained_{rule}" for rule in RULES)
OF_CLAIMS = ("n_claims", "n_changed", "n_checkable", "n_unread")  # of a reply whose claims were revised
_LOST = ("n_missed", "n_malformed", "is_whole")
KEPT = (REASKED, "stage", "documents", "n_words", *_LOST, *OF_CLAIMS, RETRIEVED, *_RULES)


def n_tokens() -> pl.Expr:
    """The tokens of the column `text` as NLTK counts them: TOKEN, and one more for each CONTRACTION."""
    return pl.col("text").str.count_matches(TOKEN) + pl.col("text").str.count_matches(CONTRACTION)


def pruned(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table as `scores.score` reads them; those of tables that are read whole, and those that are
    pruned already, as they are.

    Of Generation rows the texts of LONG and attributes other than KEPT are emptied, a key of a prompt says
    that there was one; of those of purpose `generate` there are `n_words`, the
    words of the text, and `n_tokens` (TOKEN). Of the
    attributes of Judgement rows `stage` and `kind` are left, columns. Judge, status and stage, and the ids of replies
    and of entities of Fact rows, are categories.
    """
    if table == "generations" and "n_words" not in rows.columns:
        purpose = pl.col("purpose")
        has_reply = purpose.is_in([WRITE, REVISE, SEARCH_CLAIM])
        return rows.with_columns(
            text=pl.when(purpose.is_in(LONG)).then(pl.lit("")).otherwise("text"),
            prompt_key=pl.when(pl.col("prompt_key") == "").then(pl.lit("")).otherwise(pl.lit(ASKED)),
            attributes=pl.when(has_reply).then(_of_keys((*KEPT, OF_REPLY))).otherwise(_of_keys(KEPT)),
            n_words=pl.when(purpose == GENERATE).then(pl.col("text").str.count_matches(WORD)),
            n_tokens=pl.when(purpose == GENERATE).then(n_tokens()),
        )
    if table == "judgements" and "stage" not in rows.columns:
        codes = pl.col("judge", "status").cast(pl.Categorical)
        named = (pair("attributes", name).cast(pl.Categorical).alias(name) for name in ("stage", "kind"))
        return rows.with_columns(codes, *named).drop("attributes")
    if table == "facts":
        return rows.cast({"generation_id": pl.Categorical, "item_id": pl.Categorical})
    return rows


def _of_keys(keys: Collection[str]) -> pl.Expr:
    """The attributes of these keys; of what was retrieved no text."""
    key, value = (pl.element().struct.field(name) for name in ("key", "value"))
    values = pl.when(key == RETRIEVED).then(pl.lit("")).otherwise(value)
    is_kept = key.is_in(list(keys))
    # written anew, else what is left would hold on to the values that are not
    parts = {"key": pl.format("{}", key.filter(is_kept)), "value": pl.format("{}", values.filter(is_kept))}
    return pl.col("attributes").list.eval(pl.struct(**parts))
