"""WildHallucinations' rows, written by us after its card."""

import io
import json
import math
from pathlib import Path

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import Document, load, pair, save_query
from truerate.sources import cuts as parquet_files
from truerate.sources.papers import wildhallucinations

PAGE = {"text": "Varn is a town.", "status_code": 200, "url": "https://varn.example/"}
ROW = {"entity": "Varn", "perplexity": 3.25, "info": [PAGE], "category": "geographic", "wiki": 0}


def parquet(*rows):
    out = io.BytesIO()
    pl.DataFrame(list(rows), strict=False).write_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_an_entity_with_its_pages(form, put, read):
    encyclopedia = PAGE | {"text": "Varn lies on the Ost.", "url": "https://en.wikipedia.org/wiki/Varn"}
    row = ROW | {
        "wiki": 1,
        "info": [PAGE, encyclopedia, PAGE, {"text": "404", "status_code": 404, "url": None}],
    }
    put(f"data/train-00000-of-00001.{form}", [row] if form == "jsonl" else parquet(row))
    got = read("wildhallucinations")
    item = got.items.row(0, named=True)
    assert (item["task"], item["question"], len(item["document_ids"])) == ("entity", "Varn", 2)
    expected = {entry["key"]: entry["value"] for entry in item["attributes"]}
    assert expected == {"name": "Varn", "domain": "geographic", "perplexity": "3.25", "wiki": "True"}
    assert sorted(got.documents.select("url", "licence", "is_wikipedia").rows()) == [
        ("https://en.wikipedia.org/wiki/Varn", "CC BY-SA 4.0", True),
        ("https://varn.example/", "not stated (web page)", False),
    ]
    assert got.card["counts"] | {"n_pages": 4, "n_pages_without_text": 1} == got.card["counts"]
    assert "not tried on the original" in got.card["citation"] and got.card["redistribution"] == "ids-only"


def test_only_an_address_at_wikipedia_makes_a_page_wikipedias(put, read):
    addresses = [
        "https://varn.example/?from=https://en.wikipedia.org/",
        "https://xwikipedia.org/",
        "http://[x.wikipedia.org/",
    ]
    addresses += ["https://de.m.Wikipedia.org:443/wiki/Varn"]
    pages = [{"text": f"Page {index}.", "url": url} for index, url in enumerate(addresses)]
    put("a.jsonl", [ROW | {"info": pages}])
    got = dict(read("wildhallucinations").documents.select("text", "is_wikipedia").iter_rows())
    assert [got[page["text"]] for page in pages] == [False, False, False, True]


def test_a_number_that_is_none_says_as_little_as_null(put, read):
    put("a.jsonl", [ROW | {"perplexity": math.nan, "wiki": math.nan}])
    (item,) = read("wildhallucinations").items.to_dicts()
    assert {entry["key"] for entry in item["attributes"]} == {"name", "domain"}


def test_pages_may_say_less(put, read):
    put("a.jsonl", [{"entity": "Varn", "info": [{"text": "Varn is a town."}]}])
    got = read("wildhallucinations")
    assert got.documents.select("url", "title").rows() == [(None, "")]
    assert got.items.select(pair("attributes", "domain")).to_series().to_list() == [None]


def test_a_folder_or_file_without_entities_is_one_line(put, read):
    with pytest.raises(TruerateError, match=r"no entities in .*; looked for: \*\.parquet, \*\.jsonl"):
        read("wildhallucinations")
    put("a.parquet", parquet({"text": "x"}))
    with pytest.raises(TruerateError, match="a.parquet: no column 'entity'; found: text"):
        read("wildhallucinations", "reject")


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
