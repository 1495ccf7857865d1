"""Tables of a board of labelled replies: rates of those who wrote them, detectors against people's labels,
and the rates that detectors give.
"""

import polars as pl

from truerate.core.result_tables import figure, label_statistics
from truerate.core.schemas import pair

KEYS = ("task", "rule", "model", "detector", "estimator")  # of slices
DETECTORS = {"tpr": "TPR", "tnr": "TNR", "balanced_accuracy": "balanced accuracy", "youden_j": "Youden's J"}


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Titles and tables of one board, from its labelled samples and its scores."""
    keyed = scores.with_columns(*(pair("slice", key) for key in KEYS), cell=figure())
    by = f"labelled by {card['labelled_by']}" if card.get("labelled_by") else "as labelled"
    return [
        ("Labels", label_statistics(samples)),
        (f"Hallucinated replies, {by} (95 % interval by source)", rate_table(keyed)),
        ("Detectors against people's labels, positive: hallucinated (95 % interval)", detector_table(keyed)),
        ("Rates of hallucinated replies by detectors (95 % interval)", corrected_table(keyed)),
    ]


def rate_table(keyed: pl.DataFrame) -> pl.DataFrame:
    """A line per subject, lowest rate first: over all, by task, and by each further rule."""
    rates = keyed.filter(metric="hallucination_rate")
    if rates.is_empty():
        return rates.select("subject")
    whole = rates.filter(pl.col("task").is_null(), pl.col("rule").is_null()).sort("value", "subject")
    table = whole.select("subject", "n", all="cell")
    one_key = rates.filter(pl.col("task").is_null() != pl.col("rule").is_null())
    named = one_key.with_columns(column=pl.coalesce("task", "rule")).sort("column")
    if named.is_empty():
        return table
    wide = named.pivot("column", index="subject", values="cell", aggregate_function="first")
    return table.join(wide, on="subject", how="left", maintain_order="left")


def detector_table(keyed: pl.DataFrame) -> pl.DataFrame:
    """A line per detector and rule, over all replies, best balanced accuracy first."""
    kept = keyed.filter(
        pl.col("metric").is_in(list(DETECTORS)), pl.col("model").is_null(), pl.col("task").is_null()
    )
    if kept.is_empty():
        return kept.select("subject")
    order = kept.filter(metric="balanced_accuracy").select("subject", "rule", "n", by="value")
    wide = kept.with_columns(pl.col("metric").replace(DETECTORS)).pivot(
        "metric", index=["subject", "rule"], values="cell", aggregate_function="first"
    )
    table = wide.join(order, on=["subject", "rule"], nulls_equal=True, maintain_order="left")
    table = table.sort("rule", "by", descending=[False, True], nulls_last=False)
    return table.select("subject", "rule", *DETECTORS.values(), "n")


def corrected_table(keyed: pl.DataFrame) -> pl.DataFrame:
    """A line per detector and subject: raw, and corrected by each estimator or not identified."""
    kept = keyed.filter(pl.col("task").is_null(), metric="detector_rate")
    if kept.is_empty():
        return kept.select("subject")
    texts = kept.with_columns(
        cell=pl.when(pl.col("value").is_null()).then(pl.lit("not identified")).otherwise("cell")
    )
    return texts.pivot(
        "estimator", index=["detector", "subject"], values="cell", aggregate_function="first"
    ).sort("detector", "subject")
