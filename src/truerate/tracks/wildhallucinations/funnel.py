"""How the entities and their evidence came about: the funnel from messages to entities with pages, what was
taken out, what there is; and the tables that `make real` shows of a board.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from truerate.core.aggregates import total
from truerate.core.result_tables import figure, label_statistics
from truerate.core.schemas import Reject, frame, pair, unpaired
from truerate.core.text import WORD
from truerate.llm.generation import standing
from truerate.metrics.cells import mean_of, moments, ratio_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.wildhallucinations.entities import DISAMBIGUATE, DOMAIN, EVIDENCE, VERIFY
from truerate.tracks.wildhallucinations.evidence import SEARCH, SEARCH_CLAIM, amounts, outcomes
from truerate.tracks.wildhallucinations.names import EXTRACT, probe_scores
from truerate.tracks.wildhallucinations.replies import estimate_of, n_tokens, slices_of

ENTITIES, WEB = "entities", "web"
PER_ENTITY = {"pages_per_entity": "n_pages", "words_per_entity": "n_words", "wikipedia_rate": "is_wikipedia"}
# steps whose replies may come to nothing
STEPS = (EXTRACT, VERIFY, DISAMBIGUATE, DOMAIN, "generate", "write_facts", "revise_facts", "verify_facts")


def built_rows(
    items: pl.DataFrame,
    generations: pl.DataFrame,
    documents: pl.DataFrame | None,
    rejects: pl.DataFrame | None,
    writer: ScoreWriter,
) -> list[dict]:
    """Return Score rows of the funnel, of rejects, of the evidence and of the probe set of abstention."""
    rejects = frame(Reject) if rejects is None else rejects
    is_by_claim = (generations["purpose"] == SEARCH_CLAIM).any()  # and no item needs a page of its own
    has_pages = pl.lit(is_by_claim) | (pl.col("document_ids").list.len() > 0)
    with_pages = items.filter((pl.col("task") == "entity") & has_pages)
    score_rows = funnel_rows(with_pages.height, generations, rejects, writer)
    score_rows += rejected_rows(generations, rejects, writer)
    # WildHallucinations, Figure 2; n: of how many entities the value is known
    for name, value in slices_of().items():
        values = with_pages.select(value.alias(name)).drop_nulls()
        for group, n in values.group_by(name).len().sort(name).iter_rows():
            score_rows.append(writer.row("n_entities", ENTITIES, {name: group}, float(n), values.height))
    score_rows += [] if documents is None else evidence_rows(generations, documents, rejects, writer)
    for row in probe_scores(confidence=writer.statistics.confidence):
        where = unpaired(row["slice"])
        score_rows.append(writer.row(row["metric"], row["subject"], where, estimate_of(row), row["n"]))
    return score_rows


def funnel_rows(
    n_entities: int, generations: pl.DataFrame, rejects: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """Return `funnel_n` of each stage, from messages to entities with pages; no messages, no rows."""
    n_messages = standing(generations.filter(purpose=EXTRACT)).height
    if not n_messages:
        return []

    def n_answers(call: str, *words: str) -> int:
        rows = generations.filter(purpose=call, status="ok")
        return (rows.filter(pl.col("text").is_in(words)) if words else rows)["item_id"].n_unique()

    asked = generations.filter(purpose=VERIFY)["item_id"]
    rejected = rejects.filter(where="curate")["target_id"]
    stages = {
        "messages": n_messages,
        "names": pl.concat([asked, rejected.drop_nulls()]).n_unique(),
        "entities": n_answers(VERIFY, "entity", "private person"),
        "public": n_answers(VERIFY, "entity"),
        "unambiguous": n_answers(DISAMBIGUATE, "one"),
        "with-domain": n_answers(DOMAIN),
        "with-pages": n_entities,
    }
    return [
        writer.row("funnel_n", ENTITIES, {"stage": name}, float(n), n_messages) for name, n in stages.items()
    ]


def rejected_rows(generations: pl.DataFrame, rejects: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_rejected` by step and reason, of names, pages and replies of models."""
    # a reply that stands among the rejects is counted by its model
    replies = generations.select(target_id="generation_id")
    no_reply = rejects.join(replies, on="target_id", how="anti", maintain_order="left")
    is_page = (pl.col("where") == EVIDENCE) & (pl.col("reason") != "no-page")
    subject = pl.when(is_page).then(pl.lit(WEB)).otherwise(pl.lit(ENTITIES))
    is_lost = pl.col("purpose").is_in(STEPS) & pl.col("status").is_in(["dead", "unparsed"])
    lost = standing(generations).filter(is_lost)
    parts = (
        no_reply.select(step="where", subject=subject, reason="reason"),
        lost.select(step="purpose", subject="model", reason=pl.col("reason").fill_null(pl.col("status"))),
    )
    return [
        writer.row("n_rejected", subject, {"step": step, "reason": reason}, float(n), n)
        for part in parts
        for step, subject, reason, n in part.group_by(pl.all()).len().sort(pl.all()).iter_rows()
    ]


def evidence_rows(
    generations: pl.DataFrame, documents: pl.DataFrame, rejects: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """Return pages and words per entity searched for, `wikipedia_rate` and `n_pages` by outcome."""
    searched = generations.filter(pl.col("purpose").is_in([SEARCH, SEARCH_CLAIM]))
    if searched.is_empty():
        return []
    ratios = {metric: mean_of(column) for metric, column in PER_ENTITY.items()}
    sizes = amounts(searched, documents).with_columns(web=pl.lit(WEB))
    sums = moments(sizes, ratios, by=["web"], cluster=["item_id"])
    score_rows = []
    for metric in PER_ENTITY:
        how = {"confidence": writer.statistics.confidence, "is_share": metric == "wikipedia_rate"}
        for row in ratio_cells(sums, [metric], by=["web"], **how).iter_rows(named=True):
            score_rows.append(writer.row(metric, WEB, {}, estimate_of(row), row["n"]))
    score_rows.append(sd_row("pages_per_entity", sizes["n_pages"], writer))
    n_of = outcomes(searched, rejects)
    for name, n in n_of.items():
        score_rows.append(writer.row("n_pages", WEB, {"outcome": name}, float(n), sum(n_of.values())))
    return score_rows


def page_rows(
    items: pl.DataFrame, pages: pl.LazyFrame, writer: ScoreWriter, *, is_searched: bool
) -> list[dict]:
    """Return how much evidence the entities with pages have (section 2.2): `tokens_per_page` (NLTK's, as
    `replies.n_tokens`) with its standard deviation, and, where none was searched for as the source brought its
    pages (`is_searched` false), what `evidence_rows` tells of a search.

    `pages`: Document rows; a page of several entities counts with each. Each entity is a cluster.
    """
    entities = items.filter((pl.col("task") == "entity") & (pl.col("document_ids").list.len() > 0))
    sizes = pages.select("document_id", n_words=pl.col("text").str.count_matches(WORD), n_tokens=n_tokens())
    of_pages = sizes.unique("document_id", keep="first", maintain_order=True).collect(engine="streaming")
    is_wikipedia = pair("attributes", "is_wikipedia") == "true"
    rows = entities.select("item_id", document_id="document_ids", is_wikipedia=is_wikipedia)
    rows = rows.explode("document_id").join(of_pages, on="document_id", maintain_order="left")
    if rows.is_empty():
        return []
    columns = (
        pl.len().alias("n_pages"),
        total(pl.col("n_words")).alias("n_words"),
    )
    of_entity = rows.group_by("item_id", "is_wikipedia", maintain_order=True).agg(*columns)

    def means(table: pl.DataFrame, columns: dict[str, str]) -> Iterator[dict]:
        sums = moments(
            table.with_columns(web=pl.lit(WEB)),
            {metric: mean_of(column) for metric, column in columns.items()},
            by=["web"],
            cluster=["item_id"],
        )
        for metric in columns:
            how = {"confidence": writer.statistics.confidence, "is_share": metric == "wikipedia_rate"}
            for row in ratio_cells(sums, [metric], by=["web"], **how).iter_rows(named=True):
                yield writer.row(metric, WEB, {}, estimate_of(row), row["n"])

    score_rows = [*means(rows, {"tokens_per_page": "n_tokens"})]
    score_rows.append(sd_row("tokens_per_page", rows["n_tokens"], writer))
    if not is_searched:
        score_rows += [
            *means(of_entity, PER_ENTITY),
            sd_row("pages_per_entity", of_entity["n_pages"], writer),
        ]
    return score_rows


def sd_row(metric: str, values: pl.Series, writer: ScoreWriter) -> dict:
    """The standard deviation of a sample (n − 1) of a metric as a row, null of fewer than two values."""
    sd = float(np.std(values.to_numpy().astype(float), ddof=1)) if len(values) > 1 else None
    return writer.row(f"{metric}_sd", WEB, {}, sd, len(values))


# ---- tables of `make real` ---------------------------------------------------------------------------------

MODELS = {
    "wildfactscore": "WildFactScore",
    "wildfactscore_strict": "Strict",
    "responding_rate": "responding",
    "no_fact_rate": "without a fact",
    "unreadable_rate": "unreadable",
    "words_per_response": "words",
}
JUDGES = {
    "verifier_accuracy": "accuracy",
    "verifier_tpr": "TPR",
    "verifier_fpr": "FPR",
    "verifier_kappa": "κ",
}
# values of a slice that the tables show: raw scores over all replies, by the measured rule of abstention
SHOWN = {"set": "all", "estimator": "raw", "rule": "measured"}


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Return titles and tables of one board, from its labelled samples and its scores."""
    models = (
        "Models by WildFactScore, the mean share of supported facts over replies with facts (95 % interval)"
    )
    judges = "Judges that need no call, on labelled facts; positive: not supported (95 % interval)"
    order = scores.filter(_is_shown(), metric="wildfactscore").select("subject", "value", replies="n")
    of_models = metric_table(scores, MODELS).join(order, on="subject", maintain_order="left")
    of_models = of_models.sort("value", descending=True, nulls_last=True).drop("value")
    return [
        ("Labels", label_statistics(samples)),
        (models, of_models.clear() if order.is_empty() else of_models),
        (judges, metric_table(scores, JUDGES)),
    ]


def _is_shown() -> pl.Expr:
    """Scores of the estimator of rows alone, that are of no slice but those of SHOWN."""
    values = [pair("slice", key).fill_null(value) == value for key, value in SHOWN.items()]
    slices = [pair("slice", key).is_null() for key in slices_of()]
    return pl.all_horizontal(pl.col("method") == "estimator", *values, *slices)


def metric_table(scores: pl.DataFrame, titles: dict[str, str]) -> pl.DataFrame:
    """Return one line per subject, with a column per metric that there is, in the order of the titles."""
    long = scores.filter(_is_shown(), pl.col("metric").is_in(list(titles)))
    if long.is_empty():
        return long.select("subject")
    long = long.select("subject", pl.col("metric").replace(titles), cell=figure())
    table = long.pivot("metric", index="subject", values="cell", aggregate_function="first").sort("subject")
    return table.select("subject", *[name for name in titles.values() if name in table.columns])
