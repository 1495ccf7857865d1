"""The data set of a board: what the replies and the source make together, what was rejected and why. Pure: it
asks nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from truerate.core.keys import content_id, split_of
from truerate.core.schemas import SPANS, Document, Item, Sample, frame, pair, pairs, reject_row, sample_row
from truerate.core.tags import TYPES, parse_tags
from truerate.core.text import clean
from truerate.llm.generation import facts, rejected
from truerate.tracks.mfava.context import SOURCE, Context, chosen
from truerate.tracks.mfava.silver import INSERT
from truerate.tracks.mfava.translating import REFERENCE, TRANSLATE, UNSOUND, is_sound
from truerate.tracks.mfava.wild import ANSWER

TRAIN, HELD_OUT = "train", "held-out"  # tasks of labelled passages: to learn from, and to be tested on alone
TEXT: dict[str, Any] = {
    "target_id": pl.String,
    "item_id": pl.String,
    "group_id": pl.String,
    "lang": pl.String,
    "task": pl.String,
    "text": pl.String,
}
TEXT["spans"] = SPANS


# ---- silver passages ---------------------------------------------------------------------------------------


def silver_samples(rows: Iterable[dict], found: dict[str, Context]) -> list[dict]:
    """The Sample rows of passages that came through all six rounds: the text of the last one with its spans."""
    last = [
        row
        for row in rows
        if row["purpose"] == INSERT and row["status"] == "ok" and facts(row)["type"] == TYPES[-1]
    ]
    return [_sample(found[row["item_id"]], row["text"], "silver", row["model"]) for row in last]


def _sample(context: Context, marked: str, task: str, generator: str | None, **attributes: object) -> dict:
    text, spans, _ = parse_tags(marked)
    return sample_row(
        sample_id=content_id("sample", context.item_id, marked, generator),
        item_id=context.item_id,
        group_id=context.group_id,
        task=task,
        lang=context.lang,
        text=text,
        is_hallucinated=bool(spans),
        label_source="silver",
        generator=generator,
        spans=[{**span, "p": None} for span in spans],
        split=split_of(context.group_id, task),
        attributes=pairs(**attributes),
    )


# ---- labelled passages -------------------------------------------------------------------------------------


def labelled(
    samples: pl.DataFrame, found: dict[str, Context], sizes: Mapping[str, int], *, seed: int
) -> list[dict]:
    """The English labelled samples that a board uses and translates: of each task (TRAIN, HELD_OUT) those of
    as many items as it says.
    """
    english = (
        samples.filter(pl.col("lang") == SOURCE, pl.col("task").is_in(list(sizes)))
        .sort("sample_id")
        .to_dicts()
    )
    kept = set()
    for task, n in sizes.items():
        named = dict.fromkeys(
            row["item_id"] for row in english if row["task"] == task and row["item_id"] in found
        )
        kept |= {one.item_id for one in chosen((found[name] for name in named), n, seed)}
    return [row for row in english if row["item_id"] in kept]


def translated(
    rows: Sequence[dict], samples: Sequence[dict], found: dict[str, Context], documents: pl.DataFrame
) -> tuple[list[dict], list[dict], list[dict], list[dict]]:
    """Document, Item and Sample rows of the translations, and Reject rows of those whose reference has none."""
    origin = {row["sample_id"]: row for row in samples}
    of_document = {row["document_id"]: row for row in documents.iter_rows(named=True)}
    came = [row for row in rows if row["status"] == "ok"]
    references = {
        (row["item_id"], facts(row)["lang"]): row["text"] for row in came if row["purpose"] == REFERENCE
    }
    made_documents, made_items, made_samples, rejects = {}, {}, [], []
    for row in sorted(came, key=lambda row: row["generation_id"]):
        known = facts(row)
        if row["purpose"] != TRANSLATE or known["sample"] not in origin:
            continue
        context, lang = found[row["item_id"]], known["lang"]
        if (reference := references.get((context.item_id, lang))) is None:
            rejects.append(rejected(row, "no-reference", "the reference has no translation"))
            continue
        document = _document(context, lang, reference, of_document)
        item = _item(context, lang, document["document_id"])
        made_documents[document["document_id"]] = document
        made_items[item["item_id"]] = item
        there = replace(context, item_id=item["item_id"], lang=lang)
        made_samples.append(
            _sample(there, row["text"], context.task, row["model"], translated_from=known["sample"])
        )
    return list(made_documents.values()), list(made_items.values()), made_samples, rejects


def rejected_samples(samples: Sequence[dict]) -> list[dict]:
    """Reject rows of the labelled samples that could not be translated because their spans cannot be written
    as tags.
    """
    shown = [row for row in samples if not is_sound(row)]
    said = "a span leaves the text or lies over another"
    return [
        reject_row(
            where=TRANSLATE, target_id=row["sample_id"], reason=UNSOUND, detail=said, text=clean(row["text"])
        )
        for row in shown
    ]


def _document(context: Context, lang: str, text: str, of_document: dict[str, dict]) -> dict:
    """The translated reference, with the rights of the first document that it was translated from."""
    origin = of_document[context.document_ids[0]]
    return {
        **origin,
        "document_id": content_id("translated", lang, text),
        "lang": lang,
        "text": text,
        "dated": None,
    }


def _item(context: Context, lang: str, document_id: str) -> dict:
    return {
        "item_id": content_id("translated", context.item_id, lang),
        "source": context.source,
        "task": context.task,
        "lang": lang,
        "group_id": context.group_id,
        "document_ids": [document_id],
        "history": "",
        "question": "",
        "right_answer": None,
        "attributes": pairs(translated_from=context.item_id, subject=context.subject or None),
    }


# ---- tables ------------------------------------------------------------------------------------------------


def documents_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """The documents that were made here, by id; the source's own stand with the source."""
    return frame(Document, list(rows)).sort("document_id")


def samples_frame(made: Sequence[dict], source: pl.DataFrame, kept: Sequence[dict]) -> pl.DataFrame:
    """The samples made here and those of the source: all but English labelled samples that were not chosen."""
    is_english = pl.col("task").is_in([TRAIN, HELD_OUT]) & (pl.col("lang") == SOURCE)
    chosen_ids = [row["sample_id"] for row in kept]
    passed = source.filter(~is_english | pl.col("sample_id").is_in(chosen_ids))
    return (
        pl.concat([frame(Sample, list(made)), passed])
        .unique("sample_id", keep="first", maintain_order=True)
        .sort("sample_id")
    )


def items_frame(made: Sequence[dict], source: pl.DataFrame, *tables: pl.DataFrame) -> pl.DataFrame:
    """The items that the tables name and the source's queries, by id; one that was made here comes before its
    like of the source.
    """
    ours = frame(Item, list(made)).unique("item_id", keep="first", maintain_order=True)
    named = pl.concat([table["item_id"] for table in tables]).unique(maintain_order=True).to_list()
    is_kept = pl.col("item_id").is_in(named) | (pl.col("task") == "wild")
    theirs = source.filter(is_kept & ~pl.col("item_id").is_in(ours["item_id"].to_list()))
    return pl.concat([ours, theirs]).sort("item_id")


# ---- what detectors learn from and judge -------------------------------------------------------------------


def training(samples: pl.DataFrame) -> pl.DataFrame:
    """The texts that detectors learn from: silver ones of task `train`, else the silver passages of the
    training split.

    Never gold, and none that shares a group with a held-out text.
    """
    held_out = samples.filter(pl.col("task") == HELD_OUT)["group_id"].unique(maintain_order=True).to_list()
    silver = samples.filter((pl.col("label_source") == "silver") & ~pl.col("group_id").is_in(held_out))
    found = silver.filter(pl.col("task") == TRAIN)
    if found.is_empty():
        found = silver.filter((pl.col("task") == "silver") & (pl.col("split") == "train"))
    return _texts(found)


def targets(samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """The texts that detectors judge: held-out, silver and gold samples, and replies in the wild.

    None shares a group with a text learned from. A reply that people labelled is judged once, as the reply.
    """
    used = training(samples)["group_id"].unique(maintain_order=True).to_list()
    held = samples.filter(
        pl.col("task").is_in([HELD_OUT, "silver", "wild"])
        & pl.col("label_source").is_in(["silver", "gold"])
        & pair("attributes", "generation").is_null()
    )
    replies = generations.filter((pl.col("purpose") == ANSWER) & (pl.col("status") == "ok")).select(
        pl.col("generation_id").alias("target_id"),
        "item_id",
        pair("attributes", "group_id"),
        pair("attributes", "lang"),
        pl.lit("wild").alias("task"),
        "text",
        pl.lit([], dtype=SPANS).alias("spans"),
    )
    found = pl.concat([_texts(held), replies.cast(TEXT)])
    return found.filter(~pl.col("group_id").is_in(used)).sort("target_id")


def _texts(samples: pl.DataFrame) -> pl.DataFrame:
    return (
        samples.select(pl.col("sample_id").alias("target_id"), *list(TEXT)[1:]).cast(TEXT).sort("target_id")
    )
