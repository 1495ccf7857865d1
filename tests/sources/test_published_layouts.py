"""Sets as their publishers lay them out: read like this project's form of the same rows, and nothing else of
a clone is.
"""

import io
import json
import os
import tarfile
from pathlib import Path

import polars as pl
import pytest

from truerate.config import Source
from truerate.sources.raw.wiki_pages import article, plain_address
from truerate.sources.reading import read_source

HERE = Path(__file__).parents[2] / ".." / "shared"
OURS = Path(os.environ.get("TRUERATE_DATA") or HERE / "data")
CLONES = Path(os.environ.get("TRUERATE_CLONES") or HERE / "data_original")


def tables(reader, folder, part=None, on_bad_row="stop"):
    return read_source("x", Source(reader=reader, path=str(folder), part=part), folder, on_bad_row)


def both(reader, folder, part=None):
    """The two readings of one set; a skip where either is not at hand."""
    for index in (OURS / reader, CLONES / folder):
        if not index.is_dir():
            pytest.skip(f"no {index}; name the folders in TRUERATE_DATA and TRUERATE_CLONES")
    return tables(reader, OURS / reader, part), tables(reader, CLONES / folder, part)


def shared(first, other, table):
    """The rows of two readings whose ids are in both, in one order."""
    key = first.tables[table].columns[0]
    rows, others = first.tables[table], other.tables[table]
    return (
        rows.filter(pl.col(key).is_in(others[key].implode())).sort(key),
        others.filter(pl.col(key).is_in(rows[key].implode())).sort(key),
    )


@pytest.mark.parametrize(
    ("reader", "folder", "part", "n_ours", "n_clone"),
    [  # samples: the clone's are the whole set (counts of the publishers' files), ours the rows that were repackaged
        ("halueval", "RUCAIBox__HaluEval", None, 2253 + 1200, 4507 + 1200),  # two files of 300 pairs
        (
            "xsum",
            "google-research-datasets__xsum_hallucination_annotations",
            None,
            1249,
            2499,
        ),  # one summary has no majority
        ("refchecker", "amazon-science__RefChecker", "zero_context", 1997, 4019),
        ("factool", "GAIR-NLP__factool", None, 233, 233),
        (
            "factcheckgpt",
            "yuxiaw__Factcheck-GPT",
            None,
            320,
            472 + 159,
        ),  # true, false; 47 could not be settled
        ("faithdial", "McGill-NLP__FaithDial", None, 1600, 1600),
        ("begin", "google__BEGIN-dataset", None, 416 + 383, 416 + 383),
    ],
)
def test_a_clone_holds_every_row_that_was_repackaged_and_they_are_equal(
    reader, folder, part, n_ours, n_clone
):
    ours, clone = both(reader, folder, part)
    assert (ours.samples.height, clone.samples.height) == (n_ours, n_clone)
    for table in ("samples", "items", "judgements"):
        entry, other = shared(ours, clone, table)
        assert entry.height == ours.tables[table].height, "the clone holds all of them"
        assert entry.equals(other)


def test_of_mushroom_the_answers_are_equal_and_the_pages_of_a_clone_are_read_from_html():
    ours, clone = both("mushroom", "Helsinki-NLP__mu-shroom")
    columns = ["text", "lang", "generator", "is_hallucinated", "spans", "attributes"]
    order = pl.col("attributes").list.first().struct.field("value")
    entry, other = (created.samples.sort(order).select(columns) for created in (ours, clone))
    assert entry.height == 499 and entry.equals(other)
    assert (ours.documents.height, clone.documents.height) == (348, 21), (
        "3 pages of each of 7 languages lie there"
    )
    pages = ours.documents.select("url", "title", "lang", text="text").rows_by_key(
        "url", named=True, unique=True
    )
    for page in clone.documents.iter_rows(named=True):
        expected = pages[page["url"]]
        assert (page["title"], page["lang"]) == (expected["title"], expected["lang"])
        words, others = set(page["text"].split()), set(expected["text"].split())
        assert len(words & others) / len(words | others) > 0.8, (
            "another taking of the text from the same page"
        )


def test_of_mfava_a_cut_clone_says_of_its_rows_what_the_whole_says():
    ours, clone = both("mfava", "WorldHellow__mHallucinations-LLM")
    entry, other = shared(ours, clone, "samples")
    # gold texts of several annotators are settled by fewer rows in the cut; those have other ids
    assert entry.equals(other) and other.height >= 300
    assert set(clone.documents["document_id"]) <= set(ours.documents["document_id"])
    queries = clone.items.filter(task="wild")
    assert queries.height and set(queries["item_id"]) <= set(ours.items["item_id"])


# ---- quirks, on made-up files ------------------------------------------------------------------------------


PAGE = """<html lang="de"><head><link rel="canonical" href="https://de.wikipedia.org/wiki/%C3%84x"><script>"wgRevisionId":7,</script></head>
<body><h1 id="firstHeading">Äx</h1><div class="mw-parser-output"></div>
<div class="mw-parser-output"><p>Äx ist<sup class="reference">[1]</sup> ein Ort.
</p><h2>Lage<span class="mw-editsection">edit</span></h2><table><tr><th>Land:</th><td><p>Hier</p></td></tr></table></div></body></html>"""


def test_a_page_is_its_article_a_block_a_line():
    assert article(PAGE.encode()) == {
        "title": "Äx",
        "lang": "de",
        "url": "https://de.wikipedia.org/wiki/Äx",
        "revision_id": 7,
        "text": "Äx ist ein Ort.\n## Lage\nLand: | Hier",
    }
    assert plain_address("http://de.wikipedia.org/wiki/%C3%84x#Lage") == "https://de.wikipedia.org/wiki/Äx"


@pytest.mark.parametrize(("part", "ids"), [("val", ["val-de-1"]), ("test", ["tst-de-1"])])
def test_of_a_clone_of_mushroom_the_labelled_answers_of_the_last_version_are_read(put, read, part, ids):
    answer = {
        "lang": "DE",
        "model_input": "Wo?",
        "model_output_text": "In Äx.",
        "model_id": "a/b",
        "annotations": {},
    }
    answer |= {"soft_labels": [], "hard_labels": [], "wikipedia_url": "http://de.wikipedia.org/wiki/Äx#Lage"}
    for file, name in {
        "val/v2/mushroom.de-val.v2.extra": "val-de-1",
        "val/v2/mushroom.de-val.v2": "twice",
        "val/v1/mushroom.de-val.v1": "earlier",
        "test_labeled/v1/mushroom.de-tst.v1.extra": "tst-de-1",
        "test_unlabeled/v1/mushroom.de-tst.v1": "bare",
    }.items():
        put(f"splits/{file}.jsonl", json.dumps(answer | {"id": name}) + "\n")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, raw in (("de/1.html", PAGE.encode()), ("de/2.html", b"<html></html>")):
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    put("data/url-pages/de.tar.gz", packed.getvalue())
    got = read("mushroom", part=part)
    reported = [pair["value"] for row in got.samples["attributes"] for pair in row if pair["key"] == "id"]
    assert reported == ids and got.documents["url"].to_list() == ["https://de.wikipedia.org/wiki/Äx?oldid=7"]
