"""What each reader makes of small files of its format: the cases stand in readings.yaml."""

import io
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.core.schemas import unpaired
from truerate.sources.reading import read_source

CASES = yaml.safe_load(Path(__file__).with_name("readings.yaml").read_text("utf-8"))


def parquet(rows: list[dict]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None, strict=False).write_parquet(buffer)
    return buffer.getvalue()


def cell(row: dict, column: str, texts: dict[str, str]):
    """A column of a row, `@name`: an attribute; `marked`: the words of its spans with their types; `spans`:
    bounds, type and p; `knowledge`: the texts of its documents; `reply`: the text that a fact was taken from.
    """
    if column.startswith("@"):
        return unpaired(row["attributes"]).get(column[1:])
    if column == "marked":
        text = row.get("text") or texts[row["target_id"]]
        return [[text[span["start"] : span["end"]], span["type"]] for span in row["spans"]]
    if column == "reply":
        return texts.get(unpaired(row["attributes"]).get("generation"))
    if column == "spans":
        return [[span["start"], span["end"], span["type"], span["p"]] for span in row["spans"]]
    if column == "knowledge":
        return [texts[document] for document in row["document_ids"]]
    return row[column]


def rows_of(tables, name: str, columns: list[str]) -> list[list]:
    """The rows of a table in some columns, in an order of their own."""
    texts = {}
    for table in ("documents", "samples"):
        data = tables.tables[table].lazy().collect()
        texts |= dict(data.select(data.columns[0], "text").iter_rows())
    rows = tables.tables[name].lazy().collect().to_dicts()
    return sorted(([cell(row, column, texts) for column in columns] for row in rows), key=repr)


@pytest.mark.parametrize(
    ("reader", "case"),
    [pytest.param(reader, case, id=case["name"]) for reader, cases in CASES.items() for case in cases],
)
def test_a_reader_makes_of_its_files_what_the_case_says(put, tmp_path, reader, case):
    for file, content in case["files"].items():
        put(file, parquet(content) if file.endswith(".parquet") and isinstance(content, list) else content)
    keys = ("part", "split", "languages", "knowledge")
    settings = {key: case[key] for key in keys if key in case}
    source = Source(reader=case.get("reader", reader), path=str(tmp_path), is_public=True, **settings)
    if "refused" in case:
        with pytest.raises(TruerateError, match=case["refused"]) as error:
            read_source("x", source, tmp_path, case.get("on_bad_row", "stop"))
        assert "\n" not in str(error.value) and str(error.value).startswith("source 'x'")
        return
    got = read_source("x", source, tmp_path, case.get("on_bad_row", "stop"))
    for name in ("documents", "items", "samples", "judgements", "rejects"):
        match case.get(name):
            case int(n):
                assert got.tables[name].height == n, name
            case {"columns": columns, "rows": rows}:
                assert rows_of(got, name, columns) == sorted(rows, key=repr), name
            case [*rows]:  # of rejects
                assert rows_of(got, name, ["row", "reason"]) == sorted(rows, key=repr)
    if "groups" in case:
        assert got.items["group_id"].n_unique() == case["groups"]
    assert {name: got.card["counts"].get(name) for name in case.get("counts", {})} == case.get("counts", {})
    if "pairs" in case:
        assert (got.samples["pair_id"].null_count(), got.samples["pair_id"].n_unique()) == (0, case["pairs"])
    for field, value in case.get("card", {}).items():
        for part in value if isinstance(value, list) else [value]:
            is_part = str(part)[0] in "…!"
            assert (
                (str(part)[1:] in str(got.card[field])) is (part[0] == "…")
                if is_part
                else got.card.get(field) == part
            )
