"""WildHallucinations' rows, written by us after its card."""

import io
import json
from pathlib import Path

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import Document, load, save_query
from truerate.sources import cuts as parquet_files
from truerate.sources.papers import wildhallucinations

PAGE = {"text": "Varn is a town.", "status_code": 200, "url": "https://varn.example/"}
ROW = {"entity": "Varn", "perplexity": 3.25, "info": [PAGE], "category": "geographic", "wiki": 0}


def parquet(*rows):
    out = io.BytesIO()
    pl.DataFrame(list(rows), strict=False).write_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_pages_that_outgrow_memory_wait_on_disk_and_are_the_same_rows_in_the_same_order(
    form, put, read, tmp_path, monkeypatch
):
    """Seven entities of three pages, the first of each the same for all: 15 documents in four files, the last
    page's text being the longest.
    """
    for index in (0, 1):
        rows = [
            ROW
            | {"entity": f"Varn {n}", "info": [PAGE, *({"text": f"{n} {page} " + "x" * n} for page in "ab")]}
            for n in range(4 * index, 4 + 3 * index)
        ]
        put(f"data/train-0000{index}-of-00002.{form}", rows if form == "jsonl" else parquet(*rows))
    whole = read("wildhallucinations")
    monkeypatch.setattr(wildhallucinations, "MOST_CHARS", 30)
    monkeypatch.setattr(parquet_files, "PART_BYTES", 1)  # a row at a time
    got = read("wildhallucinations")
    assert isinstance(got.documents, pl.LazyFrame) and whole.documents.height == 15
    assert got.documents.collect().equals(whole.documents) and got.items.equals(whole.items)
    assert got.card == whole.card and got.card["counts"]["n_documents"] == 15
    path = tmp_path / "documents.parquet"
    save_query(Document, got.documents, path, group=4)
    assert load(Document, path).equals(whole.documents)
    stored = got.kept_open._folder.name
    assert len(list(Path(stored).iterdir())) >= 3
    del got
    assert not Path(stored).exists()


def test_a_list_in_one_piece_is_read_as_its_lines_are(put, read):
    rows = [ROW | {"entity": f"Varn {n}"} for n in range(3)]
    put("a.jsonl", rows)
    lines = read("wildhallucinations")
    put("a.jsonl", b"\xef\xbb\xbf \n" + json.dumps(rows).encode())
    assert read("wildhallucinations").items.equals(lines.items)


def test_a_part_that_is_damaged_is_one_line(put, read, monkeypatch):
    monkeypatch.setattr(parquet_files, "PART_BYTES", 1)
    whole = parquet(*(ROW | {"entity": f"Varn {n}"} for n in range(3)))
    put("a.parquet", whole[:4] + b"\0" * 60 + whole[64:])  # the first of its pages
    with pytest.raises(TruerateError, match="a.parquet: not Parquet: .*put a sound file there") as error:
        read("wildhallucinations", "reject")
    assert "\n" not in str(error.value)
