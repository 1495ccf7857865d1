"""Knowledge retrieval: passages for an item by BM25 over the source's documents."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.tracks.halueval.context import Context


def query(context: Context) -> str:
    """What is looked up: the question or query, for a dialogue its turns."""
    return context.history if context.task == "dialogue" else context.question


def retrieved(asked: Sequence[Context], documents: pl.DataFrame, n: int) -> dict[str, str]:
    """The texts of the `n` best documents per item (BM25, Robertson et al. 1994), joined by blank lines, by
    item id.

    Ties follow the documents' ids. A document without a word of the query is never given, so an item may get
    fewer than `n` or, where no document shares a word with it, stand not in the result at all; with no
    documents or no item the result is empty.
    """
    if documents.is_empty() or not asked:
        return {}
    import bm25s

    corpus = documents.sort("document_id")
    texts = corpus["text"].to_list()
    words = [f"{title} {text}" for title, text in zip(corpus["title"].to_list(), texts, strict=True)]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(words, show_progress=False), show_progress=False)
    tokens = bm25s.tokenize([query(one) for one in asked], return_ids=False, show_progress=False)
    best = {
        one.item_id: _best(index.get_scores(found), n) if found else []
        for one, found in zip(asked, tokens, strict=True)
    }
    return {item_id: "\n\n".join(texts[row] for row in rows) for item_id, rows in best.items() if rows}


def _best(scores: np.ndarray, n: int) -> list[int]:
    """The rows of the `n` highest scores above 0, the highest first, equal ones in their order."""
    rounded = np.round(scores, 4)
    order = np.argsort(-rounded, kind="stable")[:n]
    return [int(row) for row in order if rounded[row] > 0]
