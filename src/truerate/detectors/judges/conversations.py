"""What a response is judged against: the knowledge that its turn was given, and what was said before it.

What is true of the world but stands in neither counts as hallucination.
"""

import polars as pl

SEEN = ("knowledge", "question", "history")  # columns of a passage besides those that token detectors read


def reference_of(knowledge: str, history: str, question: str) -> str:
    """Knowledge and conversation as one reference: the knowledge, the turn that is answered, and the turns
    before it, the latest first, so that of a long conversation the beginning gives way.
    """
    turns = [line for line in history.splitlines() if line.strip()]
    asked = [question] if question.strip() and not any(question in turn for turn in turns[-1:]) else []
    return "\n".join(part for part in (knowledge, *asked, *reversed(turns)) if part.strip())


def with_references(passages: pl.DataFrame) -> pl.DataFrame:
    """Passages with the `reference` made of their `knowledge`, `history` and `question` (null: none)."""
    blank = passages.with_columns(pl.col(name).fill_null("") for name in SEEN)
    rows = blank.select("knowledge", "history", "question").iter_rows()
    return blank.with_columns(reference=pl.Series([reference_of(*row) for row in rows], dtype=pl.String))


def taught(passages: pl.DataFrame) -> pl.DataFrame:
    """The passages that teach where a hallucination stands: those labelled hallucinated (`is_hallucinated`)
    with a located span, and those that are not, which have none. One that is hallucinated no one knows where
    would teach that all of it is clean: it is left out.
    """
    is_located = pl.col("spans").list.len() > 0
    if "rationale" not in passages.columns:
        passages = passages.with_columns(rationale=pl.lit(None, dtype=pl.String))
    told = pl.col("is_hallucinated").fill_null(is_located)
    clean = pl.when(told).then(pl.col("spans")).otherwise(pl.col("spans").list.head(0))
    return passages.filter(~told | is_located).with_columns(spans=clean, is_hallucinated=told)
