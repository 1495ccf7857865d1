"""Parquet in the place of JSON Lines, as the Hub keeps it: the same tables, whoever reads it."""

import io
import json

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.sources.cuts import parquet_rows
from truerate.sources.reading import read_source
from truerate.sources.rows import BadRow

CLAIMS = {"setting": "zero_context", "source": "nq", "model": "m", "id": "7", "response": "Varn lies north."}
CLAIM = {"triplet": ["Varn", "lies", "north"], "human_label": "Entailment"}


def parquet(rows):
    out = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None, strict=False).write_parquet(out)
    return out.getvalue()


def same(got, wanted):
    """Whether two sources hold the same rows; ids, texts, labels and rejects alike."""
    assert wanted.samples.height + wanted.items.height > 0
    for name in ("documents", "items", "samples", "judgements"):
        assert getattr(got, name).equals(getattr(wanted, name)), name
    assert got.rejects.drop("where", "text").equals(wanted.rejects.drop("where", "text"))
    assert got.card["counts"] == wanted.card["counts"]


@pytest.mark.parametrize(
    ("reader", "folder", "file"),
    [
        ("halueval", "halueval", "general.jsonl"),
        ("halueval", "halueval", "qa_candidates_one_turn.jsonl"),
        ("faithdial", "faithdial", "audit_cmu.jsonl"),
        ("begin", "begin", "dev_topicalchat.jsonl"),
        ("mushroom", "mushroom", "val.jsonl"),
        ("mfava", "mfava", "gold.jsonl"),
        ("factool", "factool", "knowledge_qa.jsonl"),
    ],
)
def test_published_files_as_parquet_give_the_same_tables(reader, folder, file, public, tmp_path):
    lines = (public(folder, file) / file).read_bytes()
    by_form = {}
    for form, name in (("lines", file), ("parquet", file.replace(".jsonl", ".parquet"))):
        path = tmp_path / form
        path.mkdir()
        rows = [json.loads(line) for line in lines.split(b"\n") if line.strip()]
        rows = [row | {"page_id": None} if reader == "mushroom" else row for row in rows]
        (path / name).write_bytes(
            "".join(json.dumps(row) + "\n" for row in rows).encode() if form == "lines" else parquet(rows)
        )
        by_form[form] = read_source("x", Source(reader=reader, path=str(path)), path, "reject")
    same(by_form["parquet"], by_form["lines"])


@pytest.mark.parametrize(
    "names",
    [
        ["claims"],
        ["claims-00000-of-00002", "claims-00001-of-00002"],
        ["train-00000-of-00002", "train-00001-of-00002"],
    ],
)
def test_a_file_of_its_name_its_shards_or_the_only_ones_of_the_folder(names, put, read):
    rows = [
        CLAIMS | {"claims": [CLAIM]},
        CLAIMS | {"id": "8", "claims": [CLAIM, CLAIM | {"human_label": "Neutral"}]},
    ]
    for name, part in zip(names, [rows] if len(names) == 1 else [rows[:1], rows[1:]], strict=True):
        put(f"{name}.parquet", parquet(part))
    got = read("refchecker")
    assert got.samples.filter(task="fact").height == 3
    assert [file["file"] for file in got.card["files"]] == [f"{name}.parquet" for name in names]


def test_lines_come_before_parquet_of_their_name(put, read):
    put("claims.jsonl", [CLAIMS | {"claims": [CLAIM]}])
    put("claims.parquet", b"no parquet")
    assert read("refchecker").samples.height == 2


def test_a_reader_of_many_files_takes_parquet_of_its_columns_alone(put, read):
    put("train-00000-of-00001.parquet", parquet([CLAIMS]))
    with pytest.raises(
        TruerateError, match="its columns are id, model, response, setting, source; allowed: "
    ):
        read("halueval")


def test_rejects_and_broken_files_name_the_parquet_file(put, read):
    put("claims.parquet", parquet([CLAIMS | {"claims": [CLAIM]}, CLAIMS | {"id": None, "claims": [CLAIM]}]))
    assert read("refchecker", "reject").rejects.select("where", "row", "reason").rows() == [
        ("claims.parquet", 2, "missing-field")
    ]
    put("claims.parquet", b"PAR1")
    with pytest.raises(TruerateError, match="claims.parquet: not Parquet") as error:
        read("refchecker", "reject")
    assert "\n" not in str(error.value)


def test_nulls_are_fields_that_are_not_there_at_any_depth():
    data = parquet(
        [{"a": 1, "b": None, "c": [{"d": None, "e": [None, 2]}]}, {"a": None, "b": "x", "c": None}]
    )
    assert [make() for _, make in parquet_rows(data)] == [{"a": 1, "c": [{"e": [None, 2]}]}, {"b": "x"}]
    assert [make() for _, make in parquet_rows(data, columns=("b",))] == [{}, {"b": "x"}]
    with pytest.raises(BadRow, match="no column 'z'; found: a, b, c"):
        list(parquet_rows(data, needed=("z",)))
