"""Tables of boards of labelled responses: who hallucinates how often by people's labels, and what detectors say."""

import polars as pl

from truerate.core.result_tables import figure
from truerate.core.schemas import pair
from truerate.metrics.intervals import share_interval

JUDGES = {
    "balanced_accuracy": "balanced accuracy",
    "tpr": "TPR",
    "tnr": "TNR",
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
}
KEYS = ("scenario", "kind", "variant", "view")  # of a slice, one of which a table shows


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Titles and tables of one board, from its labelled samples and its scores."""
    return [
        (
            "Labelled responses by who wrote them: hallucinated share (95 % interval by dialogue or knowledge)",
            writer_table(samples),
        ),
        ("Detectors on labelled responses (95 % interval)", detector_table(scores)),
    ]


def writer_table(samples: pl.DataFrame) -> pl.DataFrame:
    """Responses and their hallucinated share per scenario, corpus and writer; intervals respect groups."""
    known = samples.with_columns(
        pair("attributes", "scenario"), pair("attributes", "corpus"), pair("attributes", "system")
    ).with_columns(writer=pl.coalesce("generator", "system", pl.lit("–")))
    lines = []
    for key, part in known.group_by("scenario", "corpus", "writer", maintain_order=True):
        groups = part.group_by("group_id", maintain_order=True).agg(
            pl.col("is_hallucinated").sum(), n=pl.len()
        )
        found = share_interval(groups["is_hallucinated"].to_numpy(), groups["n"].to_numpy(), confidence=0.95)
        lines.append([*key, part.height, groups.height, *(found or (None, None, None))])
    names = ("scenario", "corpus", "writer", "responses", "groups", "value", "low", "high")
    table = pl.DataFrame(lines, schema=names, orient="row").sort(
        "scenario", "corpus", "writer", nulls_last=True
    )
    return table.with_columns(hallucinated=figure()).drop("value", "low", "high")


def detector_table(scores: pl.DataFrame) -> pl.DataFrame:
    """One line per detector and scenario, best balanced accuracy first."""
    keys = [pair("slice", key) for key in KEYS]
    long = scores.filter(pl.col("metric").is_in(list(JUDGES)), method="estimator").with_columns(
        *keys, cell=figure()
    )
    long = long.filter(pl.col("kind").is_null(), pl.col("view").is_null() | (pl.col("view") == "mixed"))
    if long.is_empty():
        return long.select("subject")
    order = long.filter(metric="balanced_accuracy").select("subject", "scenario", "variant", "n", by="value")
    table = long.with_columns(pl.col("metric").replace(JUDGES)).pivot(
        "metric", index=["subject", "scenario", "variant"], values="cell", aggregate_function="first"
    )
    table = table.join(order, on=["subject", "scenario", "variant"], nulls_equal=True, maintain_order="left")
    table = table.sort("scenario", "by", descending=[False, True], nulls_last=True)
    return table.select(
        "subject", "scenario", *[name for name in JUDGES.values() if name in table.columns], responses="n"
    )
