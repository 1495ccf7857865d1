"""What commands print: tables, and what a store forgot."""

import json
from collections.abc import Sequence

import polars as pl


def show(data: pl.DataFrame, *, as_json: bool, title: str, empty: str) -> None:
    """Print a frame as JSON rows, or as a table under its title; `empty` where it has no rows."""
    if as_json:
        print(json.dumps(data.to_dicts(), ensure_ascii=False, indent=1))
        return
    print(title)
    if data.is_empty():
        print(empty)
        return
    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        fmt_str_lengths=80,
        tbl_width_chars=200,
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
    ):
        print(data)


def show_forgotten(
    n: int, what: str, boards: Sequence[str], *, asks: str, as_json: bool, singular: str | None = None
) -> None:
    """Print how many things a store forgot, and which boards will ask them again; `singular`: of `what`."""
    if as_json:
        print(json.dumps({"n_forgotten": n, "boards": boards}))
    elif n == 0:
        print(f"no {what} to forget")
    else:
        then = (
            f"{asks} them again, on {', '.join(boards)}" if boards else "asks for those that it still needs"
        )
        things = (singular or what.removesuffix("s")) if n == 1 else what
        print(f"{n:,} {things} forgotten; the next `dvc repro` {then}")


def show_table(table: pl.DataFrame, *, as_json: bool) -> None:
    """Print a frame as JSON records, or as an aligned table with a dash for what is missing."""
    if as_json:
        print(json.dumps(table.to_dicts(), ensure_ascii=False, indent=1))
        return
    cells = [[_cell(value) for value in row] for row in table.iter_rows()]
    widths = [max(map(len, column)) for column in zip(table.columns, *cells, strict=True)]
    for line in [table.columns, *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else printable(str(value))


def printable(text: str) -> str:
    """A text for one line of a terminal, signs that steer it (escapes, line breaks) by their code."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
