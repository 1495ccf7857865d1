"""mFAVA's Table 3 as one table: token F1 of every detector, binary and by category, against silver and gold."""

from truerate.site.mfava.heatmap import ALL
from truerate.site.tables import Board
from truerate.site.vocabulary import language

LABELS = ("silver", "gold")
# By what detectors were taught: the block's heading, and the metric in which their marks count.
BLOCKS = {
    "binary": ("Binary", "token_f1"),
    "category": ("Category: the type must be right", "token_f1_typed"),
}
SCOPES = ("mono", "multi")  # in the paper's order
Cell = tuple[float | None, float | None]  # F1, and its standard deviation over seeds


def table_3(rows: list[dict], board: Board) -> dict | None:
    """Return what token_f1.html.j2 shows: `languages` that have gold labels (name by code), their mean last, and
    `blocks`, each with a heading and lines: detector, scope, and a cell per language and kind of labels; `std` is that
    of binary F1 alone. None without gold labels.
    """
    values: dict[tuple[str, str], dict[tuple[str, str], Cell]] = {}
    metrics = {metric: labels for labels, (_, metric) in BLOCKS.items()}
    langs = set()
    for row in rows:
        slice_, labels = row["slice"], metrics.get(row["metric"])
        if (
            row["table"] == "detection"
            and labels
            and slice_.get("labels") == labels
            and slice_["against"] in LABELS
        ):
            where = f"{labels} {slice_['scope']}", row["subject"]
            values.setdefault(where, {})[slice_["lang"], slice_["against"]] = row["value"], row.get("std")
            langs |= {slice_["lang"]} if slice_["against"] == "gold" else set()
    if not langs:
        return None
    columns = [*sorted(langs - {ALL}, key=language), *langs & {ALL}]
    blocks = []
    for labels, (title, _) in BLOCKS.items():
        lines = [
            {
                "subject": subject,
                "scope": scope,
                "cells": [cells.get((lang, of)) for lang in columns for of in LABELS],
            }
            for scope in SCOPES
            for (where, subject), cells in sorted(values.items())
            if where == f"{labels} {scope}"
        ]
        blocks += [{"title": title, "lines": lines}] if lines else []
    names = {lang: "Mean of all" if lang == ALL else language(lang) for lang in columns}
    return {"languages": names, "blocks": blocks}
