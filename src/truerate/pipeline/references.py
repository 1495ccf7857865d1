"""What the detectors of a board are given as reference of a text: the board's `reference` in params.yaml."""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Document, load
from truerate.pipeline.evaluate import contexts
from truerate.pipeline.sources import ARTICLES

LEAD, RETRIEVED = "lead", "retrieved"


def referring(at: Layout, board: str) -> dict[str, object]:
    """What of a board's settings decides references: nothing where it is the default."""
    own = at.p.board(board)
    sentences = {"sentences": own.reference_sentences} if own.reference == RETRIEVED else {}
    return {} if own.reference == LEAD else {"reference": own.reference, **sentences}


def given(at: Layout, board: str, samples: pl.DataFrame | None = None) -> pl.DataFrame:
    """The contexts of a board's items (`contexts`), of articles with the whole text unless the lead is given."""
    if at.p.board(board).reference == LEAD:
        return contexts(at, board, samples)
    whole = load(Document, at.source(at.p.board(board).source, ARTICLES))
    return contexts(at, board, samples, whole=dict(whole.select("document_id", "text").iter_rows()))


def shortened(at: Layout, board: str, texts: pl.DataFrame, column: str) -> pl.DataFrame:
    """Texts whose reference in `column` is cut to the most similar sentences where a board retrieves."""
    own = at.p.board(board)
    if own.reference != RETRIEVED:
        return texts
    from truerate.detectors.retrieved import retrieved

    pairs = texts.select("text", column).iter_rows()
    found = [whole and retrieved(text, whole, own.reference_sentences) for text, whole in pairs]
    return texts.with_columns(pl.Series(column, found, dtype=pl.String))
