import json

import polars as pl
import pytest

from truerate.core.errors import SourceError
from truerate.sources.raw import wikipedia

EXTRACT = "Varn is a town.\n\n== History ==\nIt burned in 1204."


def test_the_whole_text_stands_under_the_document_that_is_its_lead(tmp_path):
    rows = [
        {"title": "Varn", "lang": "en", "extract": EXTRACT},
        {"title": "Odla", "lang": "en", "extract": "A river."},
        {"title": "None", "lang": "en", "extract": "== History ==\nNo lead."},
    ]
    (tmp_path / "articles.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    documents = wikipedia.read(tmp_path, name="wiki", on_bad_row="reject").documents
    ids = dict(documents.select("title", "document_id").iter_rows())
    whole = wikipedia.whole_texts(tmp_path, "wiki")
    assert whole == {ids["Varn"]: EXTRACT, ids["Odla"]: "A river."}
    assert documents["text"].sort().to_list() == ["A river.", "Varn is a town."]


def test_lines_may_end_as_windows_writes_them(tmp_path):
    """Else the lead would be the whole article, headings with it."""
    row = {"title": "Varn", "lang": "en", "extract": EXTRACT.replace("\n", "\r\n")}
    (tmp_path / "articles.jsonl").write_text(json.dumps(row), "utf-8")
    got = wikipedia.read(tmp_path, name="wiki", on_bad_row="stop")
    assert got.documents["text"].to_list() == ["Varn is a town."]
    assert {"key": "n_sections", "value": "1"} in got.items["attributes"][0].to_list()


def test_of_an_article_that_comes_twice_the_first_is_the_whole_text_too(tmp_path):
    rows = [
        {"title": "Varn", "lang": "en", "extract": EXTRACT},
        {"title": "Varn", "lang": "en", "extract": EXTRACT.replace("1204", "1877")},
    ]
    (tmp_path / "articles.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    assert wikipedia.read(tmp_path, name="wiki", on_bad_row="reject").rejects.height == 1
    assert list(wikipedia.whole_texts(tmp_path, "wiki").values()) == [EXTRACT]


def lay_dump(folder, name="train-00000-of-00001.parquet"):
    """Two articles in the layout of the Hub's dumps: headings are lines of their own, without marks."""
    (folder / "20231101.en").mkdir(parents=True, exist_ok=True)
    texts = {
        "Varn": "Varn is a town on the Ost.\n\nIt has a mill.\n\nHistory \n\nIt burned in 1204.\n\nSee also\nOdla",
        "Odla": "Odla is a river.",
    }
    rows = [
        {"id": str(n), "url": f"https://en.wikipedia.org/wiki/{title}", "title": title, "text": text}
        for n, (title, text) in enumerate(texts.items())
    ]
    pl.DataFrame(rows).write_parquet(folder / "20231101.en" / name)


def test_a_dump_of_the_hub_is_read_up_to_its_first_heading(tmp_path):
    lay_dump(tmp_path)
    got = wikipedia.read(tmp_path, name="wiki", on_bad_row="stop")
    texts = dict(got.documents.select("title", "text").iter_rows())
    assert texts == {"Varn": "Varn is a town on the Ost.\n\nIt has a mill.", "Odla": "Odla is a river."}
    assert set(got.documents["lang"]) == {"en"} and got.rejects.is_empty()
    whole = wikipedia.whole_texts(tmp_path, "wiki")
    assert sorted(whole) == sorted(got.documents["document_id"])
    assert "== History ==" in max(whole.values(), key=len) and "== See also ==" in max(
        whole.values(), key=len
    )


def test_two_dumps_in_a_folder_are_not_mixed(tmp_path):
    lay_dump(tmp_path)
    lay_dump(tmp_path / "older")
    with pytest.raises(SourceError, match="several files of it"):
        wikipedia.read(tmp_path, name="wiki", on_bad_row="stop")


def test_a_folder_without_articles_has_no_whole_texts(tmp_path):
    assert wikipedia.whole_texts(tmp_path, "wiki") == {}
    with pytest.raises(SourceError, match="articles.json, or Parquet with the columns title, text, url"):
        wikipedia.read(tmp_path, name="wiki", on_bad_row="stop")
