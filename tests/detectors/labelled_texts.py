"""Labelled texts for detector tests."""

import polars as pl

from truerate.core.schemas import Sample, frame


def samples(rows, *, task="qa", split="train"):
    """Sample rows from (text, is_hallucinated) or (text, is_hallucinated, group)."""
    built = []
    for i, (text, is_hallucinated, *group) in enumerate(rows):
        name = f"{task}-{split}-{i}"
        expected = {
            "sample_id": name,
            "item_id": f"item-{name}",
            "pair_id": None,
            "group_id": group[0] if group else name,
        }
        fixed = {
            "lang": "en",
            "label_source": "gold",
            "generator": None,
            "pattern": None,
            "spans": [],
            "rationale": None,
            "attributes": [],
        }
        built.append(
            expected
            | fixed
            | {"task": task, "text": text, "is_hallucinated": is_hallucinated, "split": split}
        )
    return frame(Sample, built)


def contexts(of: pl.DataFrame, knowledge=""):
    """The same knowledge for every item."""
    return (
        of.select("item_id")
        .unique(maintain_order=True)
        .with_columns(knowledge=pl.lit(knowledge), question=pl.lit(""), history=pl.lit(""))
    )
