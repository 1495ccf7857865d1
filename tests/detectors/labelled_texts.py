"""Labelled texts for detector tests."""

import polars as pl

from truerate.core.schemas import Sample, frame, sample_row


def samples(rows, *, task="qa", split="train"):
    """Sample rows from (text, is_hallucinated) or (text, is_hallucinated, group)."""
    built, fixed = [], {"lang": "en", "label_source": "gold", "task": task, "split": split}
    for i, (text, is_hallucinated, *group) in enumerate(rows):
        name = f"{task}-{split}-{i}"
        ids = {"sample_id": name, "item_id": f"item-{name}", "group_id": group[0] if group else name}
        built.append(sample_row(text=text, is_hallucinated=is_hallucinated, **ids, **fixed))
    return frame(Sample, built)


def contexts(of: pl.DataFrame, knowledge=""):
    """The same knowledge for every item."""
    return (
        of.select("item_id")
        .unique(maintain_order=True)
        .with_columns(knowledge=pl.lit(knowledge), question=pl.lit(""), history=pl.lit(""))
    )
