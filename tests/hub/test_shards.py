"""Parquet files of a config: their names, their bytes, their sizes."""

import hashlib
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa

from truerate.core.schemas import Document, frame, save
from truerate.hub.licences import LICENCES
from truerate.hub.shards import Config, bytes_in_memory, in_order, parquet, shards_of, stored

STRUCTS = pl.List(pl.Struct({"key": pl.String, "p": pl.Float64}))
CODE = """
import hashlib, polars as pl
from truerate.hub.shards import parquet
rows = pl.DataFrame({"a": [f"text {i}" * (i % 7) for i in range(60_000)], "l": [[str(i)] * (i % 3) for i in range(60_000)]})
print(hashlib.sha256(parquet(rows)).hexdigest())
"""


def _rows(n: int) -> pl.DataFrame:
    structs = [[{"key": str(i), "p": None if i % 2 else 0.5}] * (i % 4) for i in range(n)]
    columns = {
        "a": [None if i % 5 == 0 else f"é{i}" for i in range(n)],
        "b": [bool(i % 2) for i in range(n)],
        "s": structs,
    }
    return pl.DataFrame(columns, schema={"a": pl.String, "b": pl.Boolean, "s": STRUCTS})


def test_files_are_numbered_within_their_split_and_hold_every_row_once():
    rows = _rows(5)
    shards = shards_of(
        Config("qa", {"train": rows, "test": rows.head(2)}, LICENCES["mit"], ""), rows_per_shard=2
    )
    assert [(shard.path, shard.n_rows) for shard in shards] == [
        ("data/qa/train-00000-of-00003.parquet", 2),
        ("data/qa/train-00001-of-00003.parquet", 2),
        ("data/qa/train-00002-of-00003.parquet", 1),
        ("data/qa/test-00000-of-00001.parquet", 2),
    ]
    assert pl.concat(pl.read_parquet(shard.content) for shard in shards[:3]).equals(rows)
    assert shards[0].sha256 == hashlib.sha256(shards[0].content).hexdigest()


def test_equal_rows_are_equal_bytes_however_they_came_together():
    rows = _rows(300)
    part = rows.slice(7, 100)
    forms = [
        part,
        pl.concat([rows.head(50), rows.slice(50)]).slice(7, 100),
        pl.DataFrame(part.to_dicts(), schema=part.schema),
    ]
    forms += [
        part.reverse().reverse(),
        pl.read_parquet(parquet(part)),
        rows.with_row_index().filter(pl.col("index").is_between(7, 106)).drop("index"),
    ]
    assert len({parquet(entry) for entry in forms}) == 1


def test_the_number_of_threads_does_not_show(monkeypatch):
    results = set()
    for threads in ("1", "4"):
        monkeypatch.setenv("POLARS_MAX_THREADS", threads)
        results.add(
            subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout
        )
    assert len(results) == 1


def test_size_in_memory_is_that_of_an_arrow_table_of_plain_types():
    rows = _rows(40)
    plain = pa.schema(
        [
            ("a", pa.string()),
            ("b", pa.bool_()),
            ("s", pa.list_(pa.struct([("key", pa.string()), ("p", pa.float64())]))),
        ]
    )
    table = pa.Table.from_pylist(rows.to_dicts(), schema=plain)
    assert bytes_in_memory(rows) == table.nbytes
    assert bytes_in_memory(rows.clear()) == 0


def test_rows_on_disk_become_the_files_that_they_would_in_memory(tmp_path):
    rows = _rows(5_500)
    on_disk = stored(rows.lazy(), tmp_path / "rows.parquet")
    assert (on_disk.height, on_disk.columns, on_disk.schema) == (rows.height, rows.columns, rows.schema)
    results, same = (
        shards_of(Config("qa", {"full": data}, LICENCES["mit"], ""), rows_per_shard=3_000)
        for data in (on_disk, rows)
    )
    assert [(entry.path, entry.sha256, entry.n_bytes, entry.n_rows) for entry in results] == [
        (entry.path, entry.sha256, entry.n_bytes, entry.n_rows) for entry in same
    ]
    assert all(isinstance(entry.content, Path) for entry in results) and len(results) == 2
    assert on_disk.n_bytes == bytes_in_memory(rows)


def test_long_rows_on_disk_lie_in_files_that_fit_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("truerate.hub.shards.BYTES_PER_SHARD", 10_000)
    rows = pl.DataFrame({"text": ["x" * 996] * 25})  # 996 bytes and an offset of 4: ten rows are 10,000
    on_disk = stored(rows.lazy(), tmp_path / "rows.parquet")
    results = shards_of(Config("documents", {"full": on_disk}, LICENCES["mit"], ""), rows_per_shard=20)
    assert [shard.n_rows for shard in results] == [10, 10, 5] and results[2].path.endswith(
        "-of-00003.parquet"
    )


def test_rows_of_several_files_come_in_the_order_of_their_ids_and_of_each_id_the_first(tmp_path):
    expected = {"lang": "en", "title": "", "url": None, "source": "s", "licence": "", "dated": None}
    pages = {
        "a": [("d3", "late"), ("d1", "early")],
        "b": [("d2", "middle"), ("d3", "again")],
        "c": [("d4", "x")],
    }
    for name, rows in pages.items():
        answer = [
            {"document_id": entry, "text": text, "is_wikipedia": False, **expected}
            for entry, text in sorted(rows)
        ]
        save(Document, frame(Document, answer), tmp_path / f"{name}.parquet")
    paths = [tmp_path / f"{name}.parquet" for name in pages]
    query = in_order(Document, paths, key="document_id", path=tmp_path / "all.parquet")
    assert query.select("document_id", "text").collect().rows() == [
        ("d1", "early"),
        ("d2", "middle"),
        ("d3", "late"),
        ("d4", "x"),
    ]
    alone = in_order(Document, paths[:1], key="document_id", path=tmp_path / "alone.parquet")
    assert alone.collect().height == 2 and not (tmp_path / "alone.parquet").exists()  # it is so already
