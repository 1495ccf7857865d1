"""Tables: validated on the way in and out, deterministic bytes, one line when broken."""

import math
import subprocess
import sys

import polars as pl
import pytest

from truerate.core import schemas
from truerate.core.errors import TruerateError
from truerate.core.schemas import (
    Count,
    Document,
    Reject,
    Score,
    frame,
    height,
    load,
    of_columns,
    pair,
    pairs,
    save,
    save_in_parts,
    scan,
    score_row,
    write,
)

TABLES = [
    table
    for table in vars(schemas).values()
    if isinstance(table, type) and issubclass(table, schemas.Table) and table is not schemas.Table
]
OUTCOMES = {"n_in": 3, "n_ok": 1, "n_dead": 1, "n_abstained": 0, "n_unparsed": 1, "n_thought": 0}
COUNT = {"step": "sample", "model": "m", "slice": pairs(task="qa"), **OUTCOMES}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_empty_tables_travel(table, tmp_path):
    save(table, frame(table), tmp_path / "t.parquet")
    assert load(table, tmp_path / "t.parquet").schema == schemas.schema(table)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_tables_say_what_a_row_is(table):
    assert table.__doc__


def row_of(table) -> dict:
    """A row that keeps the table's rules."""
    plain = {pl.String: "x", pl.Boolean: True, pl.Float64: 1.0, pl.Int64: 1}
    row = {name: (rule.isin or [plain.get(kind, [])])[0] for name, (kind, rule) in table.fields().items()}
    return row | COUNT if table is Count else row


def broken(table):
    """Frames of the table with one rule broken each, and that rule's name."""
    row = row_of(table)
    for name, (kind, rule) in table.fields().items():
        values = {"null": None} if not rule.nullable else {}
        values |= (
            {"nan": math.nan} if kind == pl.Float64 and (not rule.nullable or rule.le is not None) else {}
        )
        values |= {"isin": "none of these"} if rule.isin else {}
        values |= {"ge": rule.ge - 1} if rule.ge is not None else {}
        values |= {"le": rule.le + 1} if rule.le is not None else {}
        yield from (
            (f"{name}: {what}", frame(table, [row | {name: value}])) for what, value in values.items()
        )
        if rule.unique:
            yield f"{name}: unique", frame(table, [row, row])
    whole = frame(table, [row])
    yield "order", whole.select(reversed(whole.columns))
    yield "a column less", whole.drop(whole.columns[-1])
    yield "type", whole.with_columns(pl.lit(1, dtype=pl.Int8).alias(whole.columns[0]))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_rule_of_a_declaration_is_kept(table):
    whole = frame(table, [row_of(table)])
    assert schemas.validate(table, whole, where="here") is whole
    nulls = {name: None for name, (_, rule) in table.fields().items() if rule.nullable}
    schemas.validate(table, frame(table, [row_of(table) | nulls]), where="here")
    for rule, data in broken(table):
        with pytest.raises(TruerateError) as caught:
            schemas.validate(table, data, where="here")
        said = str(caught.value)
        assert said.startswith(f"here: not a {table.__name__} table: ") and "\n" not in said, rule


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_between_rules_names_and_types_are_kept(table, tmp_path):
    path = tmp_path / "t.parquet"
    schemas.write(table, frame(table, [row_of(table)]), path)
    assert schemas.read(table, path).equals(frame(table, [row_of(table)]))
    path.unlink()
    for rule, data in broken(table):
        if ":" in rule:  # a rule of values
            continue
        with pytest.raises(
            TruerateError, match="t.parquet: not a .* table: (other columns|its columns in an)"
        ):
            schemas.write(table, data, path)
        assert not path.exists(), rule
        data.write_parquet(path)
        with pytest.raises(TruerateError, match="run `dvc repro`"):
            schemas.read(table, path)
        path.unlink()


def test_pandera_is_asked_about_broken_tables_alone(tmp_path):
    save(Count, frame(Count, [COUNT]), tmp_path / "t.parquet")
    write(Count, frame(Count, [COUNT | {"n_in": -1}]), tmp_path / "broken.parquet")
    code = (
        "import sys; from truerate.core.schemas import Count, load, read, write; "
        "write(Count, read(Count, 't.parquet'), 'u.parquet'); print('pandera' in sys.modules); "
        "load(Count, 'u.parquet'); print('pandera' in sys.modules)\n"
        "try: load(Count, 'broken.parquet')\n"
        "except Exception as error: print(type(error).__name__, 'pandera' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["False", "False", "TruerateError", "True"]


def test_a_large_table_is_written_in_groups_that_are_decoded_apart(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    from truerate.core.schemas import disk

    rows, path = frame(Count, [COUNT | {"model": f"m{n}"} for n in range(5)]), tmp_path / "t.parquet"
    save(Count, rows, path)
    assert parquet.ParquetFile(path).metadata.num_row_groups == 1
    monkeypatch.setattr(disk, "LARGEST_GROUP", 2)
    save(Count, rows, path)
    assert parquet.ParquetFile(path).metadata.num_row_groups == 3
    assert load(Count, path).equals(rows)
    assert load(Count, path, rows=pl.col("model") == "m4").equals(rows[4:])


def test_bytes_depend_on_content_alone(tmp_path):
    for name in "ab":
        save(Count, frame(Count, [COUNT]), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_replies_that_do_not_add_up_are_refused(tmp_path):
    with pytest.raises(TruerateError, match="n_in = n_ok"):
        save(Count, frame(Count, [{**COUNT, "n_in": 4}]), tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir())


def test_a_column_too_many_is_refused(tmp_path):
    with pytest.raises(TruerateError, match="extra"):
        save(Count, frame(Count, [COUNT]).with_columns(extra=pl.lit(1)), tmp_path / "t.parquet")


def test_a_broken_or_missing_file_is_one_line(tmp_path):
    (tmp_path / "t.parquet").write_text("no parquet")
    for path in ("t.parquet", "absent.parquet"):
        with pytest.raises(TruerateError) as caught:
            load(Score, tmp_path / path)
        assert "\n" not in str(caught.value) and "dvc repro" in str(caught.value)


def test_some_rows_are_read_in_their_order(tmp_path):
    rows = [{**COUNT, "model": model, "slice": []} for model in "badc"]
    save(Count, frame(Count, rows), tmp_path / "t.parquet")
    kept = load(Count, tmp_path / "t.parquet", rows=pl.col("model").is_in(pl.Series(["c", "b"]).implode()))
    assert kept["model"].to_list() == ["b", "c"] and kept.schema == schemas.schema(Count)
    with pytest.raises(TruerateError, match="it is not there"):
        load(Count, tmp_path / "none.parquet", rows=pl.col("model") == "a")


@pytest.mark.parametrize("n", [0, 3])
def test_whole_columns_give_what_rows_give(n):
    spans = [{"start": 1, "end": 4, "type": "entity", "p": 0.5}]
    table = schemas.Judgement
    rows = [
        row_of(table)
        | {"target_id": str(one), "spans": spans * one, "attributes": pairs(seed=one), "p": None}
        for one in range(n)
    ]
    columns = {name: [row[name] for row in rows] for name in schemas.schema(table)} | {"judge": "x"}
    assert of_columns(table, columns).equals(frame(table, rows))
    assert of_columns(table, columns).schema == schemas.schema(table)


def test_pairs_are_sorted_text_and_read_back():
    made = frame(Count, [{**COUNT, "slice": pairs(task="qa", order=1, none=None)}])
    assert made["slice"].to_list() == [[{"key": "order", "value": "1"}, {"key": "task", "value": "qa"}]]
    assert made.select(pair("slice", "task"), pair("slice", "absent")).row(0) == ("qa", None)


def test_a_score_says_no_certainty():
    known = {"board": "b", "inputs": "i"}
    for found, ends in {
        (0.5, 0.5, 0.5): (None, None),
        (0.5, 0.5, 0.50000001): (None, None),  # after rounding
        (0.5, 0.4, float("nan")): (None, None),
        (0.5, 0.4, 0.6): (0.4, 0.6),
    }.items():
        row = score_row("accuracy", "m", {}, found, 4, **known)
        assert row["value"] == 0.5 and (row["low"], row["high"]) == ends


CHECKED = """
import sys
import polars as pl
from truerate.core.schemas import Score, frame, score_row, validate
row = score_row("accuracy", "m", {}, (0.5, 0.4, 0.6), 4, board="b", inputs="i")
validate(Score, frame(Score, [row]), where="x")
told = "pandas" in sys.modules
import pandas
print(told, pandas.DataFrame({"a": [1]}).shape)
"""


def test_a_table_is_checked_without_pandas_which_still_comes_where_it_is_asked_for():
    pytest.importorskip("pandas")
    done = subprocess.run([sys.executable, "-c", CHECKED], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "False (1, 1)"


def documents(*ids: str, title: str = "") -> pl.DataFrame:
    kept = {"lang": "en", "title": title, "url": None, "source": "web", "licence": "", "dated": None}
    return frame(
        Document, [{**kept, "document_id": name, "text": name * 3, "is_wikipedia": False} for name in ids]
    )


def test_a_table_written_in_parts_holds_what_one_written_whole_does(tmp_path):
    files = [tmp_path / f"{place}.parquet" for place in range(3)]
    for file, (ids, title) in zip(files, (("gc", "first"), ("ac", "second"), ("fedb", "third")), strict=True):
        write(Document, documents(*ids, title=title), file)
    for n in (1, 2, 3, 100):
        save_in_parts(Document, files, tmp_path / "whole" / "documents.parquet", key="document_id", n=n)
        found = load(Document, tmp_path / "whole" / "documents.parquet")
        assert found["document_id"].to_list() == list("abcdefg")
        assert height(tmp_path / "whole/documents.parquet") == 7
        assert found["title"].to_list() == [
            "second",
            "third",
            "first",
            *["third"] * 3,
            "first",
        ]  # of c the first
        assert [path.name for path in (tmp_path / "whole").iterdir()] == ["documents.parquet"]
    assert scan(Document, files).select("document_id").collect().height == 8
    assert scan(Document, []).collect().schema == frame(Document).schema
    write(Reject, frame(Reject), files[1])
    with pytest.raises(TruerateError, match=r"1\.parquet: not a Document table"):
        scan(Document, files)
