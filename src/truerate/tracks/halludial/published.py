"""What HalluDial's printed numbers (published.csv) can be held against: one another, and why the rest cannot
be checked. Its detection scores also give the shares of the hidden test labels (`TEST`).
"""

import polars as pl

from truerate.core.claims import Cell, Counted, HiddenSet, Matrices, Mixture, Weighted, Whole
from truerate.core.result_tables import figure
from truerate.core.schemas import pair
from truerate.metrics.intervals import share_interval

ROUNDING = 0.01  # percentage points by which a sum of two figures with two decimals and a third may be off
ALL, BY_SCENARIO, ORDERS = "7 (=2)", "8", "10"  # the tables of detection, and of both orders
# The test set as the repository's README counts it; its labels are withheld, and their numbers inferred.
TEST = (HiddenSet(36714, 8746, BY_SCENARIO, "spontaneous"), HiddenSet(22029, 14747, BY_SCENARIO, "induced"))
N_TEST = sum(part.n for part in TEST)
N_REVIEWED = 850  # judgements of each model that the paper's people read (Appendix D)
SAMPLES = Cell("1", "n_samples", "spontaneous")
TURNS = Cell("1", "n_samples_nonhallu", "induced")  # a reference response of each turn


def _sum(of: Cell, is_: str, *parts: tuple[float, Cell]) -> Mixture:
    """Counts that add up exactly."""
    return Mixture("halludial", of, tuple(Weighted(*part) for part in parts), is_, tolerance=0)


def _mean_of_classes(table: str, part: str) -> Mixture:
    """Macro-F1 as the mean of both classes' F1."""
    halves = tuple(Weighted(0.5, Cell(table, name, part)) for name in ("f1_hallu", "f1_nonhallu"))
    return Mixture("halludial", Cell(table, "macro_f1", part), halves, "mean of both classes' F1", ROUNDING)


def _split(scenario: str) -> Mixture:
    """A scenario's samples as those of both splits."""
    whole, train, test = (
        Cell("README", "n_samples", f"{scenario}/{part}") for part in ("all", "train", "test")
    )
    return _sum(whole, "train + test", (1, train), (1, test))


CLAIMS = (
    _sum(
        SAMPLES,
        "hallucinated + not hallucinated",
        (1, Cell("1", "n_samples_hallu", "spontaneous")),
        (1, Cell("1", "n_samples_nonhallu", "spontaneous")),
    ),
    _sum(SAMPLES, "5 responders × every turn", (5, TURNS)),
    _sum(Cell("1", "n_samples", "all"), "8 responses × every turn", (8, TURNS)),
    _split("spontaneous"),
    _split("induced"),
    _mean_of_classes("4", "HaluEval-dialogue (OOD)"),
    _mean_of_classes(ALL, "test"),
    Mixture(
        "halludial",
        Cell(ALL, "accuracy", "test"),
        tuple(Weighted(part.n / N_TEST, Cell(BY_SCENARIO, "accuracy", part.slice)) for part in TEST),
        "0.625 × spontaneous + 0.375 × induced, their shares of the test set",
        ROUNDING,
    ),
    Mixture(
        "halludial",
        Cell(ORDERS, "acc_avg", "comparative"),
        tuple(Weighted(0.5, Cell(ORDERS, f"acc_{order}", "comparative")) for order in ("first", "last")),
        "mean of both orders",
        ROUNDING,
        beside="invalid_rate",
    ),
    Counted("halludial", Cell("3", "human", "3200 test"), N_REVIEWED, tolerance=0.005),
    Matrices("halludial", TEST, Whole(ALL, "test"), ROUNDING),
)
# What published.csv calls a quantity that is no metric of ours, in words.
# Of Table 3 by derivation: with `No.` as the target of a faithful response, as in the repository's own example, who always says No has a
# ROUGE-L of the share of these.
ALWAYS_NO = 100 * (1 - sum(part.positives for part in TEST) / N_TEST)
# Why a table cannot be checked from what is public, by source and table.
REASONS = {
    ("halludial", "1"): "counts of the paper's data set; its test files are withheld",
    (
        "halludial",
        "3",
    ): "needs the withheld test files and the judges' replies, which are not public; who always says No would "
    f"have a ROUGE-L of about {ALWAYS_NO:.0f} there (derived, not printed), above seven of the eleven rows",
    ("halludial", "4"): "needs the paper's judges with its prompts; ours are our own words",
    ("halludial", "5"): "needs the paper's judges with its prompts; ours are our own words",
    (
        "halludial",
        "7 (=2)",
    ): "needs the withheld test files; what the figures say of one another stands above",
    ("halludial", "8"): "needs the withheld test files; what the figures say of one another stands above",
    ("halludial", "9 (=6)"): "needs the paper's responses and its trained judge, which are not public",
    ("halludial", "10"): "needs the withheld test files; both orders are averaged above",
    ("halludial", "README"): "counts of the files; those of the test split are withheld",
}


# ---- Tables of boards of labelled responses: who hallucinates how often by  --------------------------------


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
