"""Joins to a labelled text its item and the texts of the documents that it was checked against."""

from collections.abc import Mapping, Sequence
from functools import cache

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.core.text import passage_of
from truerate.hub.licences import Licence, combined, licence_of

BREAK = "\n\n"  # between two documents or passages
OF_ITEM = ("document_ids", "history", "question", "right_answer")


def joined(
    samples: pl.DataFrame,
    items: pl.DataFrame | None,
    documents: pl.DataFrame | pl.LazyFrame | None,
    *,
    own: Licence,
) -> tuple[pl.DataFrame, list[Licence]]:
    """Samples with their item's `history`, `question`, `right_answer` and with `knowledge`, and the licence
    of each row.

    `knowledge` is the passages that the sample names as its evidence, else the texts of its item's documents,
    joined by blank lines in order; null where there are none, or where their licence is not known or cannot
    be joined with `own`, the licence of the rest. Columns that the tables do not have (texts that may not go
    out) are not there. Raises TruerateError for evidence that names no passage.
    """
    rows = (
        samples
        if items is None
        else samples.join(_of_items(items), on="item_id", how="left", maintain_order="left")
    )
    is_there = documents is not None and "text" in documents.collect_schema()
    if documents is None or not is_there or "document_ids" not in rows.columns:
        return rows, [own] * rows.height
    told = documents.lazy().filter(pl.col("document_id").is_in(sorted(_named(rows))))
    texts_by_id = {
        name: (text, words)
        for name, text, words in told.select("document_id", "text", "licence").collect().iter_rows()
    }
    texts, licences = [], []
    for sample, named, evidence in rows.select(
        "sample_id", "document_ids", pair("attributes", "evidence")
    ).iter_rows():
        parts = (
            [(name, 0, None) for name in named or () if name in texts_by_id]
            if evidence is None
            else _passages(evidence, texts_by_id, sample)
        )
        licence = _licence(own, frozenset(texts_by_id[name][1] for name, _, _ in parts))
        texts.append(
            BREAK.join(texts_by_id[name][0][start:end] for name, start, end in parts) or None
            if licence
            else None
        )
        licences.append(licence or own)
    return rows.with_columns(pl.Series("knowledge", texts, dtype=pl.String)), licences


def _named(rows: pl.DataFrame) -> set[str]:
    """The documents that the rows of samples name: their items', or those of the passages that they name themselves."""
    evidence = rows.select(pair("attributes", "evidence")).to_series()
    cited = {
        found[0]
        for drop_null in evidence.drop_nulls()
        for name in drop_null.split()
        if (found := passage_of(name))
    }
    return cited | set(rows.filter(evidence.is_null())["document_ids"].explode().drop_nulls())


def _of_items(items: pl.DataFrame) -> pl.DataFrame:
    return items.select("item_id", *(name for name in OF_ITEM if name in items.columns))


def _passages(evidence: str, documents: Mapping[str, tuple], sample: str) -> Sequence[tuple[str, int, int]]:
    """The passages that a sample's evidence names, as document and code points."""
    passages = [(one, passage_of(one)) for one in evidence.split()]
    for name, passage in passages:
        if passage is None or passage[0] not in documents:
            raise TruerateError(
                f"evidence of sample {sample!r}: {name!r} is no passage of a document of this board; run `dvc repro` again"
            )
    return [passage for _, passage in passages]


@cache
def _licence(own: Licence, words: frozenset[str]) -> Licence | None:
    """The licence of a row that also holds texts under `words`; None if one is unknown or they cannot be joined."""
    others = {licence_of(word) for word in words} - {own}
    if not all(other.is_known for other in others):
        return None
    return combined([own, *sorted(others, key=lambda one: (one.id, one.name))]) if others else own
