"""Pandera for polars frames alone.

Where pandas is installed, pandera imports it and its own checks of it, which no table here needs and which cost
every stage 0.4 s of CPU; where it is not, pandera does without.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType

import polars as pl


class _NoPandas:
    """A finder that finds no pandas, in the words by which pandera knows that it is not installed."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Nothing, so that the next finder is asked. Raises ModuleNotFoundError for pandas."""
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Nothing imports pandas meanwhile, unless it is imported already."""
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@cache
def pandera() -> ModuleType:
    """The module `pandera.polars`, imported at the first call, with a first check, which looks for pandas."""
    with _without_pandas():
        checker = import_module("pandera.polars")
        column = checker.Column(pl.Int64, checker.Check.ge(0))
        checker.DataFrameSchema({"n": column}).validate(pl.DataFrame({"n": [0]}))
    return checker
