"""The sub-commands of `truerate llm`: what the store holds, printed for a person or as JSON."""

import json
from collections.abc import Callable, Collection

import polars as pl

from truerate.layout import Layout
from truerate.llm import pack
from truerate.llm import stats as facts
from truerate.llm.store import Store

Mark = Callable[[Layout, Collection[str]], list[str]]


def stats(at: Layout, *, as_json: bool = False) -> None:
    """Print replies, dead letters, calls, tokens and money by model identity."""
    with Store(at.store, is_read_only=True) as store:
        _show(facts.stats(store), as_json=as_json, title=str(at.store), empty="the store is empty")


def dead(at: Layout, *, retry: str | None = None, as_json: bool = False, mark: Mark | None = None) -> None:
    """Print the dead letters, or forget those of one reason so that the next build asks them again.

    `mark` is handed their keys before they are forgotten and gives the boards that hold them, which the next `dvc repro` makes again.
    """
    with Store(at.store, is_read_only=retry is None) as store:
        if retry is None:
            _show(facts.dead_letters(store), as_json=as_json, title=str(at.store), empty="no dead letters")
            return
        letters = {key.hex() for (key,) in store.query("SELECT key FROM dead WHERE ? IN (reason, 'all')", [retry])}
        boards = mark(at, letters) if mark else []
        n = facts.retry_dead(store, retry)
    if as_json:
        print(json.dumps({"n_forgotten": n, "boards": boards}))
    elif n == 0:
        print("no dead letters to forget")
    else:
        then = f"asks them again, on {', '.join(boards)}" if boards else "asks for those that it still needs"
        print(f"{n:,} dead letters forgotten; the next `dvc repro` {then}")


def export(at: Layout, file: str) -> None:
    """Write all replies to one Parquet file."""
    with Store(at.store, is_read_only=True) as store:
        print(f"{pack.export(store, file):,} replies written to {file}")


def import_(at: Layout, file: str) -> None:
    """Add the replies of an exported file."""
    with Store(at.store) as store:
        print(f"{pack.import_(store, file):,} new replies from {file}")


def gc(at: Layout, *, older_than_days: float = 30.0) -> None:
    """Drop replies of models that params.yaml no longer names in this form."""
    with Store(at.store) as store:
        n = facts.gc(store, keep={at.identity(alias) for alias in at.p.models}, older_than_s=older_than_days * 86400)
    print(f"{n:,} replies and dead letters dropped")


def _show(data: pl.DataFrame, *, as_json: bool, title: str, empty: str) -> None:
    """A frame as JSON rows, or as a table under its title."""
    if as_json:
        print(json.dumps(data.to_dicts(), ensure_ascii=False, indent=1))
        return
    print(title)
    if data.is_empty():
        print(empty)
        return
    plain = {"tbl_hide_dataframe_shape": True, "tbl_hide_column_data_types": True}
    with pl.Config(tbl_rows=-1, tbl_cols=-1, fmt_str_lengths=80, tbl_width_chars=200, **plain):
        print(data)
