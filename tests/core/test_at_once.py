"""What one query says of a frame is what pandera says of it."""

import math
import random

import polars as pl
import pytest
from pandera.errors import SchemaError, SchemaErrors

from tests.core.test_schemas import TABLES, broken, row_of
from truerate.core.schemas import frame, schema
from truerate.core.schemas.at_once import keeps
from truerate.core.schemas.checker import pandera

pa = pandera()


def is_kept(whole, data: pl.DataFrame) -> bool:
    """What pandera says."""
    try:
        whole.validate(data)
    except (SchemaError, SchemaErrors):
        return False
    return True


def mixed(table, drawn: random.Random, n_rows: int) -> pl.DataFrame:
    """Rows each of whose values is fit, now and then another one of its type."""
    others = {
        pl.String: (None, "", "none of these", "x\n"),
        pl.Boolean: (None, False),
        pl.Int64: (None, -1, 0, 10**9),
        pl.Float64: (None, math.nan, -1.0, 0.5, 2.0, math.inf),
    }
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
    told = table.keeps()
    assert told is not None
    drawn = random.Random(table.__name__)
    frames = [data for _, data in broken(table)] + [frame(table), frame(table, [row_of(table)])]
    frames += [mixed(table, drawn, n_rows) for n_rows in (2, 3, 5, 8, 13, 21)]
    said = [told(data) for data in frames]
    assert said == [is_kept(table.to_schema(), data) for data in frames]
    assert True in said and False in said


def test_of_some_columns_both_say_the_same():
    (table,) = (one for one in TABLES if one.__name__ == "Judgement")
    columns = ("judgement_id", "p", "status")
    whole = frame(table, [row_of(table)])
    assert table.keeps(columns)(whole.select(columns)) and is_kept(
        table.to_schema(columns), whole.select(columns)
    )
    for data in (
        whole,
        whole.select("p", "judgement_id", "status"),
        whole.select(columns).vstack(whole.select(columns)),
    ):
        assert not table.keeps(columns)(data) and not is_kept(table.to_schema(columns), data)


BUILT_IN = {
    "eq": 2, "ne": 2, "gt": 1, "ge": 2, "lt": 3, "le": 2, "isin": [1, 2], "notin": [3],
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("ignores", [True, False], ids=["nulls-pass", "nulls-fail"])
def test_a_check_that_no_table_has_yet_is_asked_as_pandera_asks_it(name, ignores):
    check = getattr(pa.Check, name)(BUILT_IN[name], ignore_na=ignores)
    whole = pa.DataFrameSchema({"n": pa.Column(pl.Int64, check, nullable=True)}, strict=True, ordered=True)
    told = keeps(whole)
    for values in ([1], [2], [3], [None], [1, 2], [2, None], []):
        data = pl.DataFrame({"n": values}, schema={"n": pl.Int64})
        assert told(data) == is_kept(whole, data), values


def of(column, **more) -> object:
    return keeps(pa.DataFrameSchema({"n": column}, **{"strict": True, "ordered": True} | more))


@pytest.mark.parametrize(
    "other",
    {
        "a check of each element": lambda: of(pa.Column(pl.Int64, pa.Check(lambda n: n > 0, element_wise=True))),
        "one that reads the rows": lambda: of(pa.Column(pl.Int64, pa.Check(lambda data: data.lazyframe.collect().height > 0))),
        "one that tells by itself": lambda: of(pa.Column(pl.Int64, pa.Check(lambda data: True))),
        "one of several answers": lambda: of(pa.Column(pl.Int64, pa.Check(lambda data: data.lazyframe.select(pl.col("n") > 0, n=1)))),
        "one that only warns": lambda: of(pa.Column(pl.Int64, pa.Check.ge(0, raise_warning=True))),
        "names by a pattern": lambda: of(pa.Column(pl.Int64, regex=True, name="^n$")),
        "a column that may lack": lambda: of(pa.Column(pl.Int64, required=False)),
        "values that are changed": lambda: of(pa.Column(pl.Int64, coerce=True)),
        "values that are filled in": lambda: of(pa.Column(pl.Int64, default=0)),
        "columns unique together": lambda: of(pa.Column(pl.Int64), unique=["n"]),
        "columns in any order": lambda: of(pa.Column(pl.Int64), ordered=False),
        "columns beyond these": lambda: of(pa.Column(pl.Int64), strict=False),
    }.items(),
    ids=lambda one: one[0],
)  # fmt: skip
def test_a_schema_with_more_is_left_to_pandera(other):
    assert other[1]() is None
    assert of(pa.Column(pl.Int64, pa.Check.ge(0))) is not None


def test_where_the_query_fails_pandera_is_asked(monkeypatch):
    whole = pa.DataFrameSchema(
        {"n": pa.Column(pl.String)},
        pa.Check(lambda data: data.lazyframe.select(pl.col("n").str.to_integer() > 0)),
        strict=True,
        ordered=True,
    )
    told = keeps(whole)
    assert told(pl.DataFrame({"n": ["1"]}))
    unread = pl.DataFrame({"n": ["one"]})
    assert not told(unread) and not is_kept(whole, unread)


def test_a_frame_that_is_kept_never_comes_to_pandera(monkeypatch):
    from truerate.core.schemas import disk

    (table,) = (one for one in TABLES if one.__name__ == "Judgement")
    asked = []
    monkeypatch.setattr(type(table.to_schema()), "validate", lambda self, data: asked.append(data.height))
    disk.validate(table, frame(table, [row_of(table)]), where="here")
    assert asked == []
    disk.validate(table, frame(table, [row_of(table)] * 2), where="here")
    assert asked == [2]
