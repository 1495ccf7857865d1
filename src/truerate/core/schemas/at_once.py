"""Whether a frame keeps a pandera schema, told by one query.

Pandera asks a question of its own for every column and every check: 10 to 20 ms for a table of few rows, of which
a build reads and writes hundreds. Its checks are expressions of polars, so all of them are answered together in
less than a millisecond. What is asked is taken from the schema itself, by calling its own checks; a schema that
holds more than is known here has no such query, and a frame that does not keep it is left to pandera, which says why.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import pandera.polars as pa

Keeps = Callable[[pl.DataFrame], bool]
# What a schema, and a column, may have beside what is asked here: nothing that changes a frame, or that is not asked.
PLAIN: dict[str, Any] = {"strict": True, "ordered": True, "coerce": False, "unique": None, "dtype": None,
         "drop_invalid_rows": False, "add_missing_columns": False, "parsers": [], "unique_column_names": False}  # fmt: skip
PLAIN_COLUMN: dict[str, Any] = {"required": True, "regex": False, "coerce": False, "default": None,
                "drop_invalid_rows": False, "parsers": []}  # fmt: skip


def keeps(schema: "pa.DataFrameSchema") -> Keeps | None:
    """A function that tells whether a frame keeps a schema (names in order, types, checks); None if one query cannot."""
    columns = schema.columns
    if not _is_plain(schema, PLAIN) or not all(
        _is_plain(column, PLAIN_COLUMN) for column in columns.values()
    ):
        return None
    try:
        asked = list(_asked(schema))
    except _OtherCheck:
        return None
    kinds = pl.Schema({name: column.dtype.type for name, column in columns.items()})
    whole = pl.all_horizontal(asked) if asked else pl.lit(True)

    def tell(data: pl.DataFrame) -> bool:
        if data.schema != kinds:
            return False
        try:
            return data.select(whole).item() is True
        except pl.exceptions.PolarsError:
            return False

    return tell


def _is_plain(part: Any, plain: dict[str, Any]) -> bool:
    return all(getattr(part, name) == value for name, value in plain.items())


def _asked(schema: "pa.DataFrameSchema") -> Iterator[pl.Expr]:
    """One true or false of a frame for everything that a schema asks of its values."""
    for name, column in schema.columns.items():
        found = pl.col(name)
        if not column.nullable:  # of which pandera says that NaN is none either
            yield found.null_count() == 0
            if column.dtype.type.is_float():
                yield ~found.is_nan().any()
        if column.unique:
            yield found.n_unique() == pl.len()
        yield from (_expression(check, name) for check in column.checks)
    yield from (_expression(check, "*") for check in schema.checks)


class _OtherCheck(Exception):
    """A check that is no one expression of polars."""


class _Query:
    """Stands for a frame towards a check: what is selected of it is the check's expression."""

    def select(self, *asked: object, **more: object) -> pl.Expr:
        if more or len(asked) != 1 or not isinstance(asked[0], pl.Expr):
            raise _OtherCheck
        return asked[0]

    def __getattr__(self, name: str) -> object:
        raise _OtherCheck(name)


def _expression(check: Any, name: str) -> pl.Expr:
    """A check of a column (or all) as an expression, nulls as pandera takes them. Raises _OtherCheck for others."""
    from pandera.api.polars.types import PolarsData

    if check.element_wise or check.groupby is not None or check.raise_warning:
        raise _OtherCheck
    told = check._check_fn(PolarsData(_Query(), name), **check._check_kwargs)
    if not isinstance(told, pl.Expr):
        raise _OtherCheck
    return told.all() if check.ignore_na else told.fill_null(False).all()
