"""The texts behind the units of a built board: what a model was asked, what it wrote, what is right."""

from typing import NamedTuple

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, Item, Judgement, Sample, load, pair
from truerate.pipeline.publishing.board_facts import source_card
from truerate.pipeline.publishing.site_tables import judgement_files
from truerate.results.files import slice_texts

HALLUCINATED, NOT, UNREADABLE = "hallucinated", "not hallucinated", "unreadable"
UNIT = ["subject", "unit_id"]
Unit = tuple[str, str, str]  # subject, slice as text, unit_id


class Texts(NamedTuple):
    """The texts of one unit: what was asked or judged, what the model wrote, the right answers or labels."""

    asked: str
    written: str
    right: tuple[str, ...]


def unit_texts(config: Layout, board: str, rows: pl.DataFrame) -> dict[Unit, Texts]:
    """The texts of those Outcome rows of a board whose unit is an item to which the model replied once, a
    labelled text that it wrote, what it was asked for its only labelled text, or a labelled text on which it gave
    a verdict by one variant of the prompt.

    None of a board whose source does not let its texts be passed on.
    """
    if source_card(config, config.p.board(board).source).get("redistribution") != "yes":
        return {}
    keyed = rows.select(*UNIT, pair("slice", "variant"), where=slice_texts(pl.col("slice")))
    items = load(Item, config.dataset(board, "items"), columns=("item_id", "question", "right_answer"))
    named = load(Sample, config.labels(board, "samples")).join(
        items, on="item_id", how="left", maintain_order="left"
    )
    by_unit = named.with_columns(unit=pl.coalesce(pair("attributes", "unit"), "item_id"))
    only = by_unit.filter(pl.len().over("generator", "unit") == 1)
    whole = {
        "replies": (_replies(config, board, items), UNIT),
        "written": (named.select(*_written("generator", "sample_id", "text")), UNIT),
        "only": (only.select(*_written("generator", "unit", "text")), UNIT),
        "judged": (_judged(config, board, named), [*UNIT, "variant"]),
    }
    texts: dict[Unit, Texts] = {}
    for frame, keys in whole.values():
        joined = keyed.join(frame, on=keys, nulls_equal=True, maintain_order="left")
        for row in joined.to_dicts():
            key = row["subject"], row["where"], row["unit_id"]
            texts[key] = Texts(row["asked"] or "", row["written"], tuple(row["right"]))
    return texts


def _written(subject: str, unit: str, text: str) -> list[pl.Expr]:
    """The columns of a text that a model wrote of an item."""
    right = pl.concat_list("right_answer").list.drop_nulls()
    named = (subject, "subject"), (unit, "unit_id"), ("question", "asked"), (text, "written")
    return [*(pl.col(column).alias(name) for column, name in named), right.alias("right")]


def _replies(config: Layout, board: str, items: pl.DataFrame) -> pl.DataFrame:
    """The replies of models to items to which they replied once."""
    columns = ("item_id", "model", "status", "text")
    usable = load(Generation, config.dataset(board, "generations"), columns=columns).filter(status="ok")
    alone = usable.filter(pl.len().over("model", "item_id") == 1)
    return alone.join(items, on="item_id", maintain_order="left").select(
        *_written("model", "item_id", "text")
    )


def _judged(config: Layout, board: str, samples: pl.DataFrame) -> pl.DataFrame:
    """What each judge said of each labelled text by a variant of the prompt, where it was asked once."""
    columns = ("judge", "target_id", "verdict", "attributes")
    whole = pl.concat([load(Judgement, path, columns=columns) for path in judgement_files(config, board)])
    verdicts = whole.select("verdict", pair("attributes", "variant"), subject="judge", unit_id="target_id")
    alone = verdicts.filter(pl.len().over(*UNIT, "variant") == 1)
    joined = alone.join(samples, left_on="unit_id", right_on="sample_id", maintain_order="left")
    return joined.select(
        *UNIT,
        "variant",
        asked=pl.concat_str("question", "text", separator="\n\n", ignore_nulls=True),
        written=_label("verdict"),
        right=pl.concat_list(_label("is_hallucinated")),
    )


def _label(column: str) -> pl.Expr:
    label = pl.when(pl.col(column)).then(pl.lit(HALLUCINATED)).when(~pl.col(column)).then(pl.lit(NOT))
    return label.otherwise(pl.lit(UNREADABLE))
