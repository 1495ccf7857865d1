"""A board in parts that are scored one after the other: the texts of one language with what was said of them. The
spans of all languages at once take more memory than everything else that is scored.

No text, and no item, is in two parts. Where one item is in two languages, the board is one part.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import polars as pl

from truerate.core.schemas.parts import PART

ONE = ""  # the part of a board that is not parted
Judgements = Mapping[str, pl.LazyFrame]  # by part


class Piece(NamedTuple):
    """What is scored of one part: samples, replies in the wild (`marking.answers`) and what was said of them."""

    samples: pl.DataFrame
    replies: pl.DataFrame
    judgements: pl.LazyFrame


def parts_of_items(items: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """The part of each item that has a row or a sample: `item_id`, `part`."""
    told = pl.concat([items.select("item_id", "lang"), samples.select("item_id", "lang")]).unique(
        maintain_order=True
    )
    is_parted = told["item_id"].n_unique() == told.height
    return told.select("item_id", part=pl.col("lang") if is_parted else pl.lit(ONE)).unique(
        maintain_order=True
    )


def scored_parts(items: pl.DataFrame, samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """The part of each sample and of each reply in the wild, by what judgements name: `target_id`, `part`."""
    replies = generations.filter(pl.col("purpose") == "answer").select("generation_id", "item_id")
    targets = pl.concat([replies.rename({"generation_id": "target_id"}), _targets(samples)])
    parts = parts_of_items(items, samples)
    return (
        targets.join(parts, on="item_id", maintain_order="left")
        .select("target_id", PART)
        .unique("target_id", keep="first", maintain_order=True)
    )


def _targets(samples: pl.DataFrame) -> pl.DataFrame:
    return samples.select("sample_id", "item_id").rename({"sample_id": "target_id"})


def in_parts(judgements: pl.DataFrame, parts: pl.DataFrame) -> Judgements:
    """Judgements that are in memory by part, as `schemas.set_apart` gives those of files. `parts`: `scored_parts`."""
    placed = judgements.join(parts, on="target_id", maintain_order="left")
    found = placed.partition_by(PART, as_dict=True, include_key=False, maintain_order=True)
    empty = placed.drop(PART).clear()
    return {name: found.get((name,), empty).lazy() for name in parts[PART].unique().sort()}


def pieces(
    items: pl.DataFrame, samples: pl.DataFrame, replies: pl.DataFrame, judgements: Judgements
) -> Iterator[Piece]:
    """The pieces of a board, in the order of their parts' names."""
    parts = parts_of_items(items, samples)
    of_samples, of_replies = (
        table.select("item_id").join(parts, on="item_id", how="left", maintain_order="left")[PART]
        for table in (samples, replies)
    )
    for name in sorted(judgements):
        yield Piece(samples.filter(of_samples == name), replies.filter(of_replies == name), judgements[name])
