"""Tables of boards whose detectors mark tokens: texts, malformed rows, detection and Mu-SHROOM's scores."""

import re
from collections.abc import Mapping
from types import MappingProxyType

import polars as pl

from truerate.core.result_tables import figure, paged
from truerate.core.schemas import pair
from truerate.tracks.mfava.marking import GOLD

_COUNT = re.compile(r"n_(?P<labels>silver|gold)_(?P<what>[a-z-]+)_(?P<lang>[a-z]{2,3})")
MEASURES = {
    "token_precision": "precision",
    "token_recall": "recall",
    "token_f1": "F1",
    "token_auroc": "AUROC",
    "token_average_precision": "AP",
}
RULES = ("mark-all", "mark-none")  # baselines: what a language's share of marked characters alone gives


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Return titles and tables of one board, from its labelled samples, its scores and the card of its
    source.
    """
    mushroom = {
        "IoU of marked characters (95 % interval)": "iou",
        "rank correlation of probabilities (95 % interval)": "spearman",
        "IoU over the answers that have a page, where detectors that look words up compare": "iou_with_page",
        "rank correlation over the answers that have a page": "spearman_with_page",
    }
    measures = "precision, recall, F1, AUROC, average precision (95 % interval)"
    return [
        ("Labelled texts", text_table(samples)),
        ("Published rows that keep the tag grammar, and why others do not", malformed_table(card["counts"])),
        (f"Token detection against gold labels: {measures}", detection_table(scores)),
        *(
            (f"Mu-SHROOM: {title}", character_table(scores, metric, card["counts"]))
            for title, metric in mushroom.items()
        ),
    ]


def text_table(samples: pl.DataFrame) -> pl.DataFrame:
    """Return texts, hallucinated share and spans per task, label source and language."""
    share = 100 * pl.col("is_hallucinated").mean()
    percent = share.map_elements(lambda percent: f"{percent:.1f} %", return_dtype=pl.String)
    by_labels = samples.group_by("task", "lang", labels="label_source", maintain_order=True)
    n_spans = pl.col("spans").list.len().sum()
    counted = by_labels.agg(texts=pl.len(), hallucinated=percent, spans=n_spans)
    return counted.sort("task", "labels", "lang")


def malformed_table(counts: Mapping[str, int]) -> pl.DataFrame:
    """Return rows, clean rows, the share that is not clean, and rows per reason, by labels and language."""
    by_source: dict[tuple[str, str], dict[str, int]] = {}
    for name, n in counts.items():
        if named := _COUNT.fullmatch(name):
            by_source.setdefault((named["labels"], named["lang"]), {})[named["what"]] = n
    lines = []
    for (labels, lang), of in by_source.items():
        if n_rows := of.get("rows"):
            clean, reasons = of.get("clean", 0), ("malformed", "altered", "unknown-type", "empty-span")
            line = {"labels": labels, "lang": lang, "rows": n_rows, "clean": clean}
            line["rejected"] = f"{100 * (1 - clean / n_rows):.1f} %"
            lines.append(line | {why: of.get(why, 0) for why in reasons})
    return pl.DataFrame(lines).sort("labels", "lang") if lines else pl.DataFrame()


def detection_table(scores: pl.DataFrame) -> pl.DataFrame:
    """Return P, R, F1, AUROC and average precision against gold per detector, scope, labels and language."""
    keys = ["lang", "subject", "scope", "labels"]
    of_slice = [pair("slice", key) for key in ("against", "lang", "scope", "labels", "type")]
    long = scores.filter(pl.col("metric").is_in(list(MEASURES)), method="estimator")
    long = long.with_columns(*of_slice, cell=figure()).filter(pl.col("type").is_null(), against="gold")
    if long.is_empty():
        return long.select("lang")
    named = long.with_columns(pl.col("metric").replace(MEASURES))
    table = named.pivot("metric", index=keys, values="cell", aggregate_function="first")
    order = table.sort(pl.col("lang") == "all", "lang", "labels", "scope", "subject", nulls_last=True)
    return order.select(*keys, *[name for name in MEASURES.values() if name in table.columns])


def character_table(
    scores: pl.DataFrame, metric: str, counts: Mapping[str, int] = MappingProxyType({})
) -> pl.DataFrame:
    """Return one line per language, their mean last; one column per detector (each run, where it has
    several), the two rules first; and how many answers come with their page, without which detectors mark
    nothing.
    """
    long = scores.filter(pair("slice", "against").ne_missing(GOLD), metric=metric, method="estimator")
    if long.is_empty():
        return long.select("subject")
    run = pl.concat_str("scope", "labels", separator=" ", ignore_nulls=True)
    runs = long.with_columns(*(pair("slice", key) for key in ("lang", "scope", "labels")), cell=figure())
    is_single = run.n_unique().over("subject") == 1
    column = pl.when(is_single).then("subject").otherwise(pl.concat_str("subject", run, separator=" "))
    runs = runs.with_columns(column=column)
    table = runs.pivot("column", index="lang", values="cell", aggregate_function="first")
    table = table.sort(pl.col("lang") == "all", "lang")
    table = table.select("lang", *sorted(table.columns[1:], key=lambda name: (name not in RULES, name)))
    with_page = {lang: f"{n} of {of}" for lang, (n, of) in paged(counts).items()}
    if not with_page:
        return table
    return table.with_columns(pl.Series("with page", [with_page.get(lang) for lang in table["lang"]]))
