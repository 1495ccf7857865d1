"""What the detectors of a board are given as reference of a text: the board's `reference` in params.yaml."""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Document, load
from truerate.pipeline.evaluate import contexts
from truerate.pipeline.sources import ARTICLES

LEAD, RETRIEVED = "lead", "retrieved"


def referring(config: Layout, board: str) -> dict[str, object]:
    """Return what of a board's settings decides references: nothing where it is the default."""
    entry = config.p.board(board)
    sentences = {"sentences": entry.reference_sentences} if entry.reference == RETRIEVED else {}
    return {} if entry.reference == LEAD else {"reference": entry.reference, **sentences}


def given(config: Layout, board: str, samples: pl.DataFrame | None = None) -> pl.DataFrame:
    """Contexts of a board's items (`contexts`), of articles with the whole text unless the lead is given."""
    if config.p.board(board).reference == LEAD:
        return contexts(config, board, samples)
    whole = load(Document, config.source(config.p.board(board).source, ARTICLES))
    return contexts(config, board, samples, whole=dict(whole.select("document_id", "text").iter_rows()))


def shortened(config: Layout, board: str, texts: pl.DataFrame, column: str) -> pl.DataFrame:
    """Texts whose reference in `column` is cut to the most similar sentences where a board retrieves."""
    entry = config.p.board(board)
    if entry.reference != RETRIEVED:
        return texts
    from truerate.detectors.evidence import retrieved

    pairs = texts.select("text", column).iter_rows()
    excerpts = [whole and retrieved(text, whole, entry.reference_sentences) for text, whole in pairs]
    return texts.with_columns(pl.Series(column, excerpts, dtype=pl.String))
