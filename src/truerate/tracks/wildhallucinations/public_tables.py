"""Tables of boards of facts: who says how much that is supported, and what judges that need no call say of
labelled facts.
"""

import polars as pl

from truerate.core.result_tables import figure, label_statistics
from truerate.core.schemas import pair

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
