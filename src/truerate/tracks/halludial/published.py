"""What HalluDial's printed numbers (published.csv) can be held against: one another, and why the rest cannot
be checked. Its detection scores also give the shares of the hidden test labels (`TEST`).
"""

from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.claims import Cell, Claim, Counted, HiddenSet, Matrices, Mixture, Weighted, Whole
from truerate.core.data_files import read_data
from truerate.core.result_tables import figure
from truerate.core.schemas import pair
from truerate.metrics.intervals import share_interval

ROUNDING = 0.01  # percentage points by which a sum of two figures with two decimals and a third may be off
ALL, BY_SCENARIO = "7 (=2)", "8"  # the tables of detection
# The test set as the repository's README counts it; its labels are withheld, and their numbers inferred.
TEST = (HiddenSet(36714, 8746, BY_SCENARIO, "spontaneous"), HiddenSet(22029, 14747, BY_SCENARIO, "induced"))
N_TEST = sum(part.n for part in TEST)
N_REVIEWED = 850  # judgements of each model that the paper's people read (Appendix D)


def _mixture(of: list[str], parts: list[tuple], is_: str, *, per: float = 1, **more: Any) -> Mixture:
    """A figure as the sum of others, each times its weight, of `per` in all."""
    each = tuple(Weighted(weight if per == 1 else weight / per, Cell(*cell)) for weight, *cell in parts)
    return Mixture("halludial", Cell(*of), each, is_, **more)


CLAIMS: tuple[Claim, ...] = (
    *read_data(
        Path(__file__).with_name("published.yaml"),
        lambda values: [_mixture(**row) for row in values["mixtures"]],
    ),
    Counted("halludial", Cell("3", "human", "3200 test"), N_REVIEWED, tolerance=0.005),
    Matrices("halludial", TEST, Whole(ALL, "test"), ROUNDING),
)
# Of Table 3 by derivation: with `No.` as the target of a faithful response, as in the repository's own
# example, who always says No has a ROUGE-L of the share of these.
ALWAYS_NO = 100 * (1 - sum(part.positives for part in TEST) / N_TEST)


# ---- tables of boards of labelled responses ----------------------------------------------------------------


JUDGES = {
    "balanced_accuracy": "balanced accuracy",
    "tpr": "TPR",
    "tnr": "TNR",
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
}
KEYS = ("scenario", "kind", "variant", "view")  # of a slice, one of which a table shows


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Return titles and tables of one board, from its labelled samples and its scores."""
    by_writer = "hallucinated share (95 % interval by dialogue or knowledge)"
    return [
        (f"Labelled responses by who wrote them: {by_writer}", writer_table(samples)),
        ("Detectors on labelled responses (95 % interval)", detector_table(scores)),
    ]


def writer_table(samples: pl.DataFrame) -> pl.DataFrame:
    """Return responses and their hallucinated share per scenario, corpus and writer."""
    keys = ("scenario", "corpus", "system")
    keyed = samples.with_columns(pair("attributes", key) for key in keys)
    keyed = keyed.with_columns(writer=pl.coalesce("generator", "system", pl.lit("–")))
    lines = []
    for key, part in keyed.group_by("scenario", "corpus", "writer", maintain_order=True):
        by_group = part.group_by("group_id", maintain_order=True)
        groups = by_group.agg(pl.col("is_hallucinated").sum(), n=pl.len())
        sums = groups["is_hallucinated"].to_numpy(), groups["n"].to_numpy()
        interval = share_interval(*sums, confidence=0.95) or (None, None, None)
        lines.append([*key, part.height, groups.height, *interval])
    names = ("scenario", "corpus", "writer", "responses", "groups", "value", "low", "high")
    table = pl.DataFrame(lines, schema=names, orient="row").sort(names[:3], nulls_last=True)
    return table.with_columns(hallucinated=figure()).drop("value", "low", "high")


def detector_table(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one line per detector and scenario, best balanced accuracy first; where a model was asked in
    several ways one per `variant`.
    """
    index = ["subject", "scenario", "variant"]
    long = scores.filter(pl.col("metric").is_in(list(JUDGES)), method="estimator")
    long = long.with_columns(*(pair("slice", key) for key in KEYS), cell=figure())
    long = long.filter(pl.col("kind").is_null(), pl.col("view").is_null() | (pl.col("view") == "mixed"))
    if long.is_empty():
        return long.select("subject")
    order = long.filter(metric="balanced_accuracy").select(*index, "n", by="value")
    named = long.with_columns(pl.col("metric").replace(JUDGES))
    table = named.pivot("metric", index=index, values="cell", aggregate_function="first")
    table = table.join(order, on=index, nulls_equal=True, maintain_order="left")
    table = table.sort("scenario", "by", descending=[False, True], nulls_last=True)
    shown = [name for name in JUDGES.values() if name in table.columns]
    ways = ["variant"] if table.select("subject", "scenario").is_duplicated().any() else []
    return table.select("subject", "scenario", *ways, *shown, responses="n")
