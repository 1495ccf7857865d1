"""What stands in a committed result, as text."""

import polars as pl

from truerate.core.schemas import Outcome
from truerate.results.files import slice_text, slice_texts

SLICES = [
    [],
    [{"key": "lang", "value": "en"}],
    [{"key": "lang", "value": "en"}, {"key": "task", "value": "a=b;{}"}],
    [{"key": "split", "value": ""}],
]


def test_the_texts_of_a_column_are_those_of_its_slices():
    column = pl.Series("slice", [*SLICES, None], dtype=Outcome.to_schema().dtypes["slice"].type)
    texts = pl.select(slice_texts(pl.lit(column))).to_series().to_list()
    assert texts == ["", "lang=en", "lang=en;task=a=b;{}", "split=", None]
    assert texts[:-1] == [slice_text(pairs) for pairs in SLICES]
