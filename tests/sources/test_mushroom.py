"""Mu-SHROOM's files: tiny ones, and the published validation set."""

import json
import tracemalloc

import polars as pl
import pytest
import zstandard

from truerate.core.errors import TruerateError
from truerate.sources.papers.mushroom import without_page
from truerate.sources.tables import joined_card

ROW = {
    "id": "val-de-1",
    "lang": "DE",
    "model_input": "Wo liegt Varn?",
    "model_output_text": "Am Ost, im Norden.",
    "model_id": "some/model",
    "soft_labels": [{"start": 11, "end": 17, "prob": 0.25}, {"start": 3, "end": 6, "prob": 0.75}],
    "hard_labels": [[3, 6]],
    "annotations": {"b": [[2, 6], [9, 9]], "a": []},
    "wikipedia_url": "https://de.wikipedia.org/wiki/Varn",
    "page_id": "de/1",
}
PAGE = {
    "page_id": "de/1", "lang": "de", "archive": "de", "title": "Varn",
    "url": "https://de.wikipedia.org/wiki/Varn", "revision_id": 7,
}  # fmt: skip


def pages(*rows):
    return zstandard.compress(
        "".join(json.dumps({"text": "Varn ist eine Stadt."} | row) + "\n" for row in rows).encode()
    )


@pytest.fixture
def folder(put):
    """A folder with these rows, and the page that they name."""

    def make(*rows):
        put("val.jsonl", list(rows))
        put("pages_val.jsonl.zst", pages(PAGE))

    return make


def test_an_answer_with_its_page_and_its_annotators(folder, read):
    folder(ROW)
    got = read("mushroom")
    item, sample, document = (table.row(0, named=True) for table in (got.items, got.samples, got.documents))
    assert (item["task"], item["lang"], item["question"]) == ("wild", "de", "Wo liegt Varn?")
    assert item["document_ids"] == [document["document_id"]] and document["licence"] == "CC BY-SA 4.0"
    assert document["url"] == "https://de.wikipedia.org/wiki/Varn?oldid=7"
    assert (sample["generator"], sample["label_source"], sample["is_hallucinated"]) == (
        "some/model",
        "gold",
        True,
    )
    assert sample["spans"] == [
        {"start": 3, "end": 6, "type": "hallucination", "p": 0.75},
        {"start": 11, "end": 17, "type": "hallucination", "p": 0.25},
    ]
    assert got.judgements.select("judge", "verdict", pl.col("spans").list.len()).rows() == [
        ("a", False, 0),
        ("b", True, 1),
    ]
    assert got.card["redistribution"] == "yes" and "CC BY-SA 4.0" in got.card["licence"]


def test_a_hard_span_that_leaves_its_text_stops_and_costs_no_memory(folder, read):
    folder(ROW | {"hard_labels": [[0, 20_000_000]]})
    tracemalloc.start()
    with pytest.raises(
        TruerateError,
        match="val.jsonl row 1: span 0–20000000 is no part of a text of 18 characters; set on_bad_row",
    ):
        read("mushroom", "stop")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # its characters alone were 1.2 GB


def test_a_packed_file_that_is_cut_short_is_one_line(folder, put, read):
    folder(ROW)
    put("pages_val.jsonl.zst", pages(PAGE)[:-6])
    with pytest.raises(
        TruerateError, match="pages_val.jsonl.zst: the Zstandard file ends too early; put a sound file there"
    ):
        read("mushroom")


def test_a_clone_in_another_encoding_is_one_line(put, read):
    put("splits/val/v2/mushroom.de-val.v2.extra.jsonl", "{}\n".encode("utf-16"))
    with pytest.raises(TruerateError, match="it is UTF-16, not UTF-8; put a sound file there"):
        read("mushroom")


def test_answers_without_a_page_are_said_with_the_languages_in_which_all_do():
    counts = {"n_answers_ar": 2, "n_answers_with_page_ar": 0, "n_answers_fr": 3, "n_answers_with_page_fr": 2}
    (answer,) = without_page(counts)
    assert answer.startswith(
        "For 3 of 5 answers no page is among the files that were read, among them all in ar."
    )
    assert without_page({"n_answers_fr": 3, "n_answers_with_page_fr": 3}) == without_page({}) == []
    (answer,) = without_page({"n_answers_fr": 3, "n_answers_with_page_fr": 2})
    assert answer.startswith("For 1 of 3 answers no page is among the files that were read. A detector")


def test_caveats_outlive_that_a_source_is_joined_with_another():
    blank = dict.fromkeys(("name", "citation", "licence", "url", "lang"), "x") | {"redistribution": "no"}
    first, second = (
        {**blank, "files": [], "counts": {}, **more} for more in ({"caveats": ["A."]}, {"note": "B."})
    )
    assert joined_card([first, second, first])["caveats"] == ["A.", "B."]
    assert "caveats" not in joined_card([blank | {"files": [], "counts": {}}])
