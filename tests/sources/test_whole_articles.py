import json

from truerate.sources import wikipedia

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


def test_a_folder_without_articles_has_no_whole_texts(tmp_path):
    assert wikipedia.whole_texts(tmp_path, "wiki") == {}
