"""What mFAVA's printed numbers (published.csv) can be held against: their own sums, and why the rest cannot be checked."""

import re
from collections.abc import Mapping
from types import MappingProxyType

import polars as pl

from truerate.core.result_tables import figure, paged
from truerate.core.schemas import pair

# Printed totals whose printed parts must sum to them: source, table, metric of the total, how its parts begin.
TOTALS = (("mfava", "2", "gold_spans_Total", "gold_spans_"),)
# Why a table cannot be checked from what is public, by source and table.
REASONS = {
    ("mfava", "1"): "needs the paper's raters; ours rate other passages",
    ("mfava", "2"): "counts of the paper's annotators; the parts are summed above",
    ("mfava", "3"): "needs the paper's 8B backbones trained on its translations; ours learn from other texts",
    ("mfava", "4"): "counts of the paper's silver set as a whole; the public files hold a part of it",
    ("mfava", "10"): "needs the paper's trained detector; its weights are not public",
    ("mfava", "Fig4"): "needs the paper's replies and trained detector; its weights are not public",
}


# ---- Tables of boards whose detectors mark tokens: texts, malformed rows, d --------------------------------


_COUNT = re.compile(r"n_(?P<labels>silver|gold)_(?P<what>[a-z-]+)_(?P<lang>[a-z]{2,3})")
RULES = (
    "mark-all",
    "mark-none",
)  # baselines that say what a language's share of marked characters alone gives


def public_tables(samples: pl.DataFrame, scores: pl.DataFrame, card: dict) -> list[tuple[str, pl.DataFrame]]:
    """Titles and tables of one board, from its labelled samples, its scores and the card of its source."""
    return [
        ("Labelled texts", text_table(samples)),
        ("Published rows that keep the tag grammar, and why others do not", malformed_table(card["counts"])),
        (
            "Token detection against gold labels: precision, recall, F1, AUROC, average precision (95 % interval)",
            detection_table(scores),
        ),
        (
            "Mu-SHROOM: IoU of marked characters (95 % interval)",
            character_table(scores, "iou", card["counts"]),
        ),
        (
            "Mu-SHROOM: rank correlation of probabilities (95 % interval)",
            character_table(scores, "spearman", card["counts"]),
        ),
        (
            "Mu-SHROOM: IoU over the answers that have a page, where detectors that look words up compare",
            character_table(scores, "iou_with_page", card["counts"]),
        ),
        (
            "Mu-SHROOM: rank correlation over the answers that have a page",
            character_table(scores, "spearman_with_page", card["counts"]),
        ),
    ]


def text_table(samples: pl.DataFrame) -> pl.DataFrame:
    """Texts, hallucinated share and spans per task, label source and language."""
    return (
        samples.group_by("task", "lang", labels="label_source", maintain_order=True)
        .agg(
            texts=pl.len(),
            hallucinated=(100 * pl.col("is_hallucinated").mean()).map_elements(
                lambda share: f"{share:.1f} %", return_dtype=pl.String
            ),
            spans=pl.col("spans").list.len().sum(),
        )
        .sort("task", "labels", "lang")
    )


def malformed_table(counts: dict[str, int]) -> pl.DataFrame:
    """Rows, clean rows, the share that is not clean, and rows per reason, by labels and language, as the
    reader's card counted them.
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    for name, n in counts.items():
        if named := _COUNT.fullmatch(name):
            found.setdefault((named["labels"], named["lang"]), {})[named["what"]] = n
    lines = [
        {
            "labels": labels,
            "lang": lang,
            "rows": of["rows"],
            "clean": of.get("clean", 0),
            "rejected": f"{100 * (1 - of.get('clean', 0) / of['rows']):.1f} %",
            **{why: of.get(why, 0) for why in ("malformed", "altered", "unknown-type", "empty-span")},
        }
        for (labels, lang), of in found.items()
        if of.get("rows")
    ]
    return pl.DataFrame(lines).sort("labels", "lang") if lines else pl.DataFrame()


def detection_table(scores: pl.DataFrame) -> pl.DataFrame:
    """One line per detector, scope, labels and language: P, R and F1 of marked tokens against gold, AUROC and
    average precision of their p; the languages' mean last.
    """
    named = {
        "token_precision": "precision",
        "token_recall": "recall",
        "token_f1": "F1",
        "token_auroc": "AUROC",
        "token_average_precision": "AP",
    }
    keys = [pair("slice", key) for key in ("against", "lang", "scope", "labels", "type")]
    long = scores.filter(pl.col("metric").is_in(list(named)), method="estimator").with_columns(
        *keys, cell=figure()
    )
    long = long.filter(pl.col("type").is_null(), against="gold").with_columns(pl.col("metric").replace(named))
    if long.is_empty():
        return long.select("lang")
    table = long.pivot(
        "metric", index=["lang", "subject", "scope", "labels"], values="cell", aggregate_function="first"
    )
    order = table.with_columns(last=pl.col("lang") == "all").sort(
        "last", "lang", "labels", "scope", "subject", nulls_last=True
    )
    return order.select(
        "lang", "subject", "scope", "labels", *[name for name in named.values() if name in table.columns]
    )


def character_table(
    scores: pl.DataFrame, metric: str, counts: Mapping[str, int] = MappingProxyType({})
) -> pl.DataFrame:
    """One line per language, their mean last; one column per detector, the two rules first; each run of a
    detector that has several.

    The last column says how many answers come with their page, where the source's card counted them:
    detectors that look words up mark nothing where there is none.
    """
    keys = [pair("slice", key) for key in ("lang", "scope", "labels")]
    long = scores.filter(metric=metric, method="estimator").with_columns(*keys, cell=figure())
    if long.is_empty():
        return long.select("subject")
    runs = long.with_columns(run=pl.concat_str("scope", "labels", separator=" ", ignore_nulls=True))
    is_single = (
        runs.group_by("subject", maintain_order=True)
        .agg(pl.col("run").n_unique() == 1)
        .filter("run")["subject"]
        .implode()
    )
    column = (
        pl.when(pl.col("subject").is_in(is_single))
        .then("subject")
        .otherwise(pl.concat_str("subject", "run", separator=" "))
    )
    table = runs.with_columns(column=column).pivot(
        "column", index="lang", values="cell", aggregate_function="first"
    )
    table = table.sort(pl.col("lang") == "all", "lang")
    table = table.select("lang", *sorted(table.columns[1:], key=lambda name: (name not in RULES, name)))
    known = {lang: f"{n} of {of}" for lang, (n, of) in paged(counts).items()}
    return (
        table.with_columns(pl.Series("with page", [known.get(lang) for lang in table["lang"]]))
        if known
        else table
    )
