"""Small tables of results as text: scores as cells, labels of a board, answers that have a page."""

from collections.abc import Mapping

import polars as pl

from truerate.core.schemas import pair

ALL = "all"
ANSWERS, WITH = "n_answers_", "n_answers_with_page_"  # counts of a source's card, by language


def figure() -> pl.Expr:
    """A score as a cell: three digits, its interval in brackets, a dash where nothing was measured."""
    return pl.struct("value", "low", "high").map_elements(_written, return_dtype=pl.String)


def _written(cell: dict[str, float | None]) -> str:
    if cell["value"] is None:
        return "–"
    interval = "" if cell["low"] is None else f" ({cell['low']:.3f}–{cell['high']:.3f})"
    return f"{cell['value']:.3f}{interval}"


def label_statistics(samples: pl.DataFrame) -> pl.DataFrame:
    """Texts, hallucinated share and marked spans per task and scheme."""
    marked, percent = pl.col("spans").list.len() > 0, (lambda share: f"{100 * share:.1f} %")
    return (
        samples.with_columns(pair("attributes", "scheme"))
        .group_by("task", "scheme", labels="label_source", maintain_order=True)
        .agg(
            texts=pl.len(),
            hallucinated=pl.col("is_hallucinated").sum(),
            share=pl.col("is_hallucinated").mean().map_elements(percent, return_dtype=pl.String),
            **{"with spans": marked.sum()},
        )
        .sort("task", "scheme", nulls_last=True)
    )


def paged(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Answers with a page, and all answers, per language and over all; nothing if the card counts none."""
    n_by_lang = {name.removeprefix(WITH): n for name, n in sorted(counts.items()) if name.startswith(WITH)}
    shares = {lang: (n, counts[f"{ANSWERS}{lang}"]) for lang, n in n_by_lang.items()}
    return shares | (
        {ALL: (sum(n for n, _ in shares.values()), sum(of for _, of in shares.values()))} if shares else {}
    )
