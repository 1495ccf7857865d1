"""How the entities and their evidence came about: the funnel from messages to entities with pages, what was taken out, what
there is; and the tables that `make real` shows of a board.
"""

import polars as pl

from truerate.core.result_tables import figure, label_statistics
from truerate.core.schemas import Reject, frame, pair, unpaired
from truerate.llm.generation import standing
from truerate.metrics.cells import mean_of, moments, ratio_cells
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.wildhallucinations.abstention import probe_scores
from truerate.tracks.wildhallucinations.entities import DISAMBIGUATE, DOMAIN, EVIDENCE, VERIFY
from truerate.tracks.wildhallucinations.evidence import amounts, outcomes
from truerate.tracks.wildhallucinations.names import EXTRACT
from truerate.tracks.wildhallucinations.replies import slices_of

ENTITIES, WEB = "entities", "web"
CURATE = "curate"  # where names are rejected
# steps whose replies may come to nothing
STEPS = (EXTRACT, VERIFY, DISAMBIGUATE, DOMAIN, "generate", "write_facts", "verify_facts")


def built_rows(
    items: pl.DataFrame,
    generations: pl.DataFrame,
    documents: pl.DataFrame | None,
    rejects: pl.DataFrame | None,
    writer: ScoreWriter,
) -> list[dict]:
    """Score rows of the funnel, of rejects, of the evidence and of the probe set of abstention."""
    dropped = frame(Reject) if rejects is None else rejects
    made = funnel_rows(items, generations, dropped, writer) + rejected_rows(generations, dropped, writer)
    made += distribution_rows(items, writer)
    made += evidence_rows(generations, documents, dropped, writer)
    for row in probe_scores(confidence=writer.statistics.confidence):
        where = unpaired(row["slice"])
        made.append(
            writer.row(
                row["metric"], row["subject"], where, (row["value"], row["low"], row["high"]), row["n"]
            )
        )
    return made


def funnel_rows(
    items: pl.DataFrame, generations: pl.DataFrame, rejects: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """`funnel_n` of each stage, from messages read to entities with pages (WildHallucinations section 2). No
    messages, no rows.
    """
    n_messages = standing(generations.filter(purpose=EXTRACT)).height
    if not n_messages:
        return []

    def said(call: str, *words: str) -> int:
        of_call = generations.filter(purpose=call, status="ok")
        return (of_call.filter(pl.col("text").is_in(words)) if words else of_call)["item_id"].n_unique()

    named = pl.concat(
        [
            generations.filter(purpose=VERIFY)["item_id"],
            rejects.filter(where=CURATE)["target_id"].drop_nulls(),
        ]
    )
    stages = {
        "messages": n_messages,
        "names": named.n_unique(),
        "entities": said(VERIFY, "entity", "private person"),
        "public": said(VERIFY, "entity"),
        "unambiguous": said(DISAMBIGUATE, "one"),
        "with-domain": said(DOMAIN),
        "with-pages": items.filter(
            (pl.col("task") == "entity") & (pl.col("document_ids").list.len() > 0)
        ).height,
    }
    return [
        writer.row("funnel_n", ENTITIES, {"stage": name}, float(n), n_messages) for name, n in stages.items()
    ]


def distribution_rows(items: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_entities` by domain, rarity, Wikipedia and region (WildHallucinations, Figure 2), of the entities that have
    pages; n: of how many this is known. What no entity has an attribute of has no rows.
    """
    with_pages = items.filter((pl.col("task") == "entity") & (pl.col("document_ids").list.len() > 0))
    made = []
    for name, value in slices_of().items():
        known = with_pages.select(value.alias(name)).drop_nulls()
        for group, n in known.group_by(name).len().sort(name).iter_rows():
            made.append(writer.row("n_entities", ENTITIES, {name: group}, float(n), known.height))
    return made


def rejected_rows(generations: pl.DataFrame, rejects: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """`n_rejected` by step and reason: names and pages that were taken out, and replies of models that could
    not be used.
    """
    made = []
    replies = generations.select(
        target_id="generation_id"
    )  # a reply that stands among the rejects is counted by its model below
    counted = (
        rejects.join(replies, on="target_id", how="anti", maintain_order="left")
        .group_by("where", "reason")
        .len()
        .sort("where", "reason")
    )
    for step, reason, n in counted.iter_rows():
        subject = WEB if step == EVIDENCE and reason != "no-page" else ENTITIES
        made.append(writer.row("n_rejected", subject, {"step": step, "reason": reason}, float(n), n))
    lost = standing(generations).filter(
        pl.col("purpose").is_in(STEPS) & pl.col("status").is_in(["dead", "unparsed"])
    )
    lost = (
        lost.with_columns(pl.col("reason").fill_null(pl.col("status")))
        .group_by("purpose", "model", "reason", maintain_order=True)
        .len()
    )
    for step, model, reason, n in lost.sort("purpose", "model", "reason").iter_rows():
        made.append(writer.row("n_rejected", model, {"step": step, "reason": reason}, float(n), n))
    return made


def evidence_rows(
    generations: pl.DataFrame, documents: pl.DataFrame | None, rejects: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """`pages_per_entity`, `words_per_entity`, `wikipedia_rate` of the entities searched for, `n_pages` by
    outcome. No search, no rows.
    """
    searched = generations.filter(purpose="search")
    if searched.is_empty() or documents is None:
        return []
    sizes = amounts(searched, documents).with_columns(web=pl.lit(WEB))
    made = []
    for is_share, columns in (
        (False, {"pages_per_entity": "n_pages", "words_per_entity": "n_words"}),
        (True, {"wikipedia_rate": "is_wikipedia"}),
    ):
        ratios = {name: mean_of(column) for name, column in columns.items()}
        sums = moments(sizes, ratios, by=["web"], cluster=["item_id"])
        found = ratio_cells(
            sums, list(ratios), by=["web"], confidence=writer.statistics.confidence, is_share=is_share
        )
        made += [
            writer.row(row["metric"], WEB, {}, (row["value"], row["low"], row["high"]), row["n"])
            for row in found.iter_rows(named=True)
        ]
    of_outcome = outcomes(searched, rejects)
    n = sum(of_outcome.values())
    return made + [
        writer.row("n_pages", WEB, {"outcome": name}, float(count), n) for name, count in of_outcome.items()
    ]


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


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Titles and tables of one board, from its labelled samples and its scores."""
    return [
        ("Labels", label_statistics(samples)),
        (
            "Models by WildFactScore, the mean share of supported facts over replies with facts (95 % interval)",
            model_table(scores),
        ),
        (
            "Judges that need no call, on labelled facts; positive: not supported (95 % interval)",
            judge_table(scores),
        ),
    ]


def model_table(scores: pl.DataFrame) -> pl.DataFrame:
    """One line per model, best first: raw scores over all its replies, and the share that responds (by the
    rule of params).
    """
    keys = [
        pair("slice", key) for key in ("set", "estimator", "rule", "domain", "wikipedia", "rarity", "region")
    ]
    long = scores.filter(pl.col("metric").is_in(list(MODELS)), method="estimator").with_columns(
        *keys, cell=figure()
    )
    is_whole = pl.all_horizontal(pl.col("domain", "wikipedia", "rarity", "region").is_null()) & (
        pl.col("set").is_null() | (pl.col("set") == "all")
    )
    is_raw = pl.col("estimator").is_null() | (pl.col("estimator") == "raw")
    long = long.filter(is_whole, is_raw, pl.col("rule").is_null() | (pl.col("rule") == "measured"))
    order = long.filter(metric="wildfactscore").select("subject", "n", by="value")
    if order.is_empty():
        return order
    table = long.with_columns(pl.col("metric").replace(MODELS)).pivot(
        "metric", index="subject", values="cell", aggregate_function="first"
    )
    table = table.join(order, on="subject", maintain_order="left").sort(
        "by", descending=True, nulls_last=True
    )
    return table.select("subject", *[name for name in MODELS.values() if name in table.columns], replies="n")


def judge_table(scores: pl.DataFrame) -> pl.DataFrame:
    """One line per judge: accuracy, TPR and FPR of `not supported`, and κ with the labels."""
    long = scores.filter(pl.col("metric").is_in(list(JUDGES)), method="estimator").with_columns(cell=figure())
    if long.is_empty():
        return long.select("subject")
    table = long.with_columns(pl.col("metric").replace(JUDGES)).pivot(
        "metric", index="subject", values="cell", aggregate_function="first"
    )
    return table.sort("subject").select(
        "subject", *[name for name in JUDGES.values() if name in table.columns]
    )
