"""XSum hallucination annotations: votes, spans and the rows that cannot be kept."""

import csv
import io

import polars as pl
import pytest

from truerate.core.errors import TruerateError
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


def test_a_record_that_is_not_utf_8_costs_itself_alone(put, read, reasons):
    raw = table(row("wid_0"), row("wid_1", text="caf")).encode().replace(b"caf", b"caf\xe9")
    put("hallucination_spans.csv", raw)
    assert reasons(read("xsum", "reject")) == [(2, "unparsable")]
    with pytest.raises(
        TruerateError,
        match="hallucination_spans.csv row 2: not UTF-8: byte 0xe9 in column 'summary_unescaped'",
    ):
        read("xsum")


def test_majority_spans_join_runs_and_mix_types():
    marked = [{(0, 4, "intrinsic")}, {(2, 6, "extrinsic")}, {(3, 6, "extrinsic"), (8, 9, "extrinsic")}]
    assert majority_spans(marked, 10) == [(2, 6, "mixed")]
    assert majority_spans([{(0, 4, "intrinsic")}, {(1, 3, "intrinsic")}], 5) == [(1, 3, "intrinsic")]
    assert majority_spans([set(), set()], 5) == []
