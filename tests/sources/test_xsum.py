"""XSum hallucination annotations: votes, spans and the rows that cannot be kept."""

import csv
import io

import polars as pl
import pytest

from tests.sources.label_tables import cells, labels_made, tiny_item, tiny_sample, tiny_verdict
from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.sources import read_source
from truerate.sources.public.xsum import COLUMNS, majority_spans

TEXT = "the mayor of varn opened a bridge"


def row(worker, kind="NULL", start="", end="", text=TEXT, system="PtGen"):
    return ["1", system, worker, text, kind, start, end]


def table(*rows):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return out.getvalue()


def test_the_majority_decides_and_every_worker_is_a_judgement(put, read):
    rows = [
        row("wid_0", "extrinsic", 4, 9),
        row("wid_0"),
        row("wid_1", "extrinsic", 6, 17),
        row("wid_1", "intrinsic", 27, 33),
        row("wid_2"),
    ]
    put("hallucination_spans.csv", table(*rows))
    got = read("xsum")
    sample = got.samples.row(0, named=True)
    assert (sample["text"], sample["is_hallucinated"], sample["generator"]) == (TEXT, True, "PtGen")
    assert [TEXT[span["start"] : span["end"]] for span in sample["spans"]] == [
        "yor"
    ]  # what two of three marked
    assert got.judgements.select("judge", "verdict", pl.col("spans").list.len()).rows() == [
        ("wid_0", True, 1),
        ("wid_1", True, 2),
        ("wid_2", False, 0),
    ]
    assert got.judgements["target_id"].unique().to_list() == [sample["sample_id"]]
    assert got.documents.is_empty() and got.items["right_answer"].to_list() == [None]
    # wid_0's marks stand, whichever row came first; that nothing is to be marked is booked
    assert got.rejects.select("row", "target_id", "reason").rows() == [(2, "1/PtGen/wid_0", "contradiction")]


def test_summaries_of_one_article_are_one_item_and_group(put, read):
    put("hallucination_spans.csv", table(row("wid_0"), row("wid_0", system="Gold")))
    got = read("xsum")
    assert (got.items.height, got.samples.height, got.samples["group_id"].n_unique()) == (1, 2, 1)
    assert got.samples["generator"].to_list() == ["PtGen", None]


def test_a_record_that_is_not_utf_8_costs_itself_alone(put, read, reasons):
    raw = table(row("wid_0"), row("wid_1", text="caf")).encode().replace(b"caf", b"caf\xe9")
    put("hallucination_spans.csv", raw)
    assert reasons(read("xsum", "reject")) == [(2, "unparsable")]
    with pytest.raises(
        TruerateError,
        match="hallucination_spans.csv row 2: not UTF-8: byte 0xe9 in column 'summary_unescaped'",
    ):
        read("xsum")


def test_no_majority(put, read, reasons):
    put("hallucination_spans.csv", table(row("wid_0"), row("wid_1", "extrinsic", 0, 3)))
    got = read("xsum")
    assert reasons(got) == [(None, "no-majority")] and got.samples.is_empty() and got.judgements.is_empty()


def test_a_header_without_a_column_is_one_line(put, read):
    put("hallucination_spans.csv", "bbcid,system\n1,2\n")
    with pytest.raises(
        TruerateError,
        match="hallucination_spans.csv: no column 'worker_id' in the header; found: bbcid, system",
    ):
        read("xsum", "reject")


def test_offsets_follow_the_cleaned_text(put, read):
    put("hallucination_spans.csv", table(row("wid_0", "extrinsic", 5, 8, text="a\u202eb\u0000c the end")))
    got = read("xsum")
    assert (
        got.samples["text"].item() == "abc the end"
        and got.judgements["spans"].item().to_list()[0]["start"] == 3
    )


def test_majority_spans_join_runs_and_mix_types():
    marked = [{(0, 4, "intrinsic")}, {(2, 6, "extrinsic")}, {(3, 6, "extrinsic"), (8, 9, "extrinsic")}]
    assert majority_spans(marked, 10) == [(2, 6, "mixed")]
    assert majority_spans([{(0, 4, "intrinsic")}, {(1, 3, "intrinsic")}], 5) == [(1, 3, "intrinsic")]
    assert majority_spans([set(), set()], 5) == []


def test_published_file(public):
    folder = public("xsum", "hallucination_spans.csv")
    got = read_source("xsum", Source(reader="xsum", path=str(folder)), folder, "stop")
    # 1,250 summaries of 250 articles by three workers; the one with two workers has one vote for and one
    # against
    assert (got.items.height, got.samples.height, got.judgements.height, got.rejects.height) == (
        250,
        1249,
        3747,
        25,
    )
    assert dict(got.rejects["reason"].value_counts().rows()) == {
        "no-majority": 1,
        "duplicate": 17,
        "contradiction": 7,
    }
    assert (got.samples["is_hallucinated"].sum(), got.judgements["verdict"].sum()) == (
        1107,
        3 * 1055 + 2 * 52 + 39,
    )
    assert got.samples.group_by("group_id").agg(pl.col("split").n_unique())["split"].max() == 1


def test_each_worker_of_xsum_says_what_was_marked_and_on_which_words():
    entry = tiny_sample("s1", "summarization", text="two words", generator=None, system="Gold")
    span = {"start": 0, "end": 2, "type": "extrinsic", "p": None}
    workers = [
        tiny_verdict("s1", name, bool(spans), spans=spans)
        for name, spans in (("wid_0", [span]), ("wid_1", []))
    ]
    labels = labels_made("xsum", [entry], [tiny_item()], workers)
    assert set(labels["subject"]) == {"Gold"}
    words = {(row[0], row[1], row[2]): row[3] for row in cells(labels, "question", "part", "rater", "label")}
    assert (
        words["hallucinated", "", "wid_0"]
        == words["extrinsic", "", "wid_0"]
        == words["word", "0", "wid_0"]
        == "yes"
    )
    assert words["intrinsic", "", "wid_0"] == words["word", "1", "wid_0"] == "no"
    assert {label for key, label in words.items() if key[2] == "wid_1"} == {"no"} and len(words) == 2 * (
        3 + 2
    )
