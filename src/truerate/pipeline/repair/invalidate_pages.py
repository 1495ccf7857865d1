"""Boards that hold pages, or what was searched for, which is asked for again: found by the addresses or the query in
their rows, and marked to be made again.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout, beside
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.pipeline.repair import invalidate
from truerate.web.outcomes import Page

EVIDENCE = "evidence"  # the step that searches and fetches, and what its reject rows are of
SEARCH = "search"  # the purpose of its rows


def ask_pages_again(at: Layout, pages: Sequence[Page]) -> list[str]:
    """Mark the boards that hold these pages, as documents or fetch rejects; their names. Call it before the
    pages are forgotten, so that a kill loses nothing. Raises TruerateError while a build runs.
    """
    asked = {page.url for page in pages}
    ended = asked | {page.final_url for page in pages if page.final_url}

    def is_stale(path: Path) -> bool:
        return invalidate.of_step(EVIDENCE)(path) and _holds(
            beside(str(path), "documents"), beside(str(path), "rejects"), asked, ended
        )

    def is_held(board: str) -> bool:
        documents, rejects = (Path(at.dataset(board, name)) for name in ("documents", "rejects"))
        return _holds(documents, rejects, asked, ended)

    return _marked(at, is_held, is_stale) if asked else []


def ask_query_again(at: Layout, query: str) -> list[str]:
    """Mark the boards that searched for a query; their names. As `ask_pages_again`."""

    def is_stale(path: Path) -> bool:
        return invalidate.of_step(EVIDENCE)(path) and _searched(path, query)

    return _marked(at, lambda board: _searched(Path(at.dataset(board, "generations")), query), is_stale)


def _marked(at: Layout, is_held: Callable[[str], bool], is_stale: invalidate.IsStale) -> list[str]:
    """The boards whose data set holds something, or a scratch file of theirs, marked to be made again."""
    boards = [
        board
        for board in at.p.boards
        if is_held(board) or any(map(is_stale, invalidate.scratch_files(at, board)))
    ]
    invalidate.mark(at, boards, is_stale)
    return boards


def _searched(replies: Path, query: str) -> bool:
    """Whether a query was searched for in a table of replies."""
    named = pair("attributes", "name") == query
    return bool(_column(replies, "item_id", (pl.col("purpose") == SEARCH) & named))


def _holds(documents: Path, rejects: Path, asked: set[str], ended: set[str]) -> bool:
    """Whether one of the pages is a document, by its last address, or a reject, by the requested one."""
    urls = {url.partition(": ")[0] for url in _column(rejects, "detail", pl.col("where") == EVIDENCE)}
    return not asked.isdisjoint(urls) or not ended.isdisjoint(_column(documents, "url"))


def _column(path: Path, name: str, which: pl.Expr | bool = True) -> list[str]:
    """A column's texts of the matching rows; none without a file. Raises TruerateError if it is unreadable."""
    if not path.is_file():
        return []
    try:
        return pl.scan_parquet(path).filter(which).select(pl.col(name).drop_nulls()).collect()[name].to_list()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TruerateError(
            f"reading {str(path)!r}: {str(error).splitlines()[0]}; delete it and run `dvc repro`"
        ) from None
