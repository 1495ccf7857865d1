"""What one query says of a frame is what pandera says of it."""

import math
import random

import polars as pl
import pytest
from pandera.errors import SchemaError, SchemaErrors

from tests.core.test_schemas import TABLES, broken, row_of
from truerate.core.schemas import frame, schema


def is_kept(whole, data: pl.DataFrame) -> bool:
    """What pandera says."""
    try:
        whole.validate(data)
    except (SchemaError, SchemaErrors):
        return False
    return True


def mixed(table, drawn: random.Random, n_rows: int) -> pl.DataFrame:
    """Rows each of whose values is fit, now and then another one of its type."""
    others = {pl.String: (None, "", "none of these", "x\n"), pl.Boolean: (None, False)}
    others |= {pl.Int64: (None, -1, 0, 10**9), pl.Float64: (None, math.nan, -1.0, 0.5, 2.0, math.inf)}
    kinds = schema(table)
    rows = [row_of(table) | {"n_in": 3} if "n_in" in kinds else row_of(table) for _ in range(n_rows)]
    for place, row in enumerate(rows):
        for name, (kind, rule) in table.fields().items():
            if rule.unique:
                row[name] = f"x{place}"
            if drawn.random() < 0.3 / len(kinds):
                row[name] = drawn.choice(others.get(kind, (None, [])))
    return frame(table, rows)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_of_every_table_both_say_the_same(table):
    drawn = random.Random(table.__name__)
    frames = [data for _, data in broken(table)] + [frame(table), frame(table, [row_of(table)])]
    frames += [mixed(table, drawn, n_rows) for n_rows in (2, 3, 5, 8, 13, 21)]
    said = [table.is_kept_by(data) for data in frames]
    assert said == [is_kept(table.to_schema(), data) for data in frames]
    assert True in said and False in said


def test_of_some_columns_both_say_the_same():
    (table,) = (one for one in TABLES if one.__name__ == "Judgement")
    columns = ("judgement_id", "p", "status")
    whole = frame(table, [row_of(table)])
    assert table.is_kept_by(whole.select(columns), columns) and is_kept(
        table.to_schema(columns), whole.select(columns)
    )
    for data in (
        whole,
        whole.select("p", "judgement_id", "status"),
        whole.select(columns).vstack(whole.select(columns)),
    ):
        assert not table.is_kept_by(data, columns) and not is_kept(table.to_schema(columns), data)


def test_a_frame_that_is_kept_never_comes_to_pandera(monkeypatch):
    from truerate.core.schemas import disk

    (table,) = (one for one in TABLES if one.__name__ == "Judgement")
    asked = []
    monkeypatch.setattr(type(table.to_schema()), "validate", lambda self, data: asked.append(data.height))
    disk.validate(table, frame(table, [row_of(table)]), where="here")
    assert asked == []
    disk.validate(table, frame(table, [row_of(table)] * 2), where="here")
    assert asked == [2]
