"""FaithBench's batches in rows of our own: labels of several people, detectors' values, near-equal sources."""

import pytest

from tests.sources.label_tables import cells, labels_made, tiny_sample, tiny_verdict
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair

SOURCE = "The bridge of Varn was built in 1903."
VALUES = {"hhem-2.1": 0.25, "true_nli": 1, "gpt_4o": 0}


def note(*labels, start=None, span="built"):
    index = {
        "summary_span": span,
        "summary_start": start,
        "summary_end": None if start is None else start + len(span),
    }
    return {
        "annot_id": 1,
        "annotator_id": "a",
        "annotator_name": "Ada",
        "label": list(labels),
        "note": "n",
    } | index


def sample(number, *annotations, source=SOURCE, summary=" It was built late.", model="m", **values):
    about = {"summarizer": model, "raw_sample_id": number} | VALUES | values
    row = {"sample_id": number, "source": source, "summary": summary, "annotations": list(annotations)}
    return row | {"metadata": about}


@pytest.fixture
def read_samples(put, read):
    """The tables of these summaries, as batch 3."""

    def run(*samples, on_bad_row="stop", table=None):
        put("data_for_release/batch_3.json", {"samples": list(samples)})
        if table:
            put("FaithBench.csv", "source,summary,LLM,worst-label,best-label\n" + table)
        return read("faithbench", on_bad_row)

    return run


@pytest.mark.parametrize(
    ("labels", "worst", "clear", "strict"),
    [
        ([], "Consistent", "False", "False"),
        ([["Benign"]], "Benign", None, "False"),
        ([["Benign"], ["Questionable"]], "Questionable", None, "True"),
        ([["Unwanted", "Unwanted.Extrinsic"], ["Benign"]], "Unwanted", "True", "True"),
        ([["Unwanted.Instrinsic"]], "Unwanted", "True", "True"),
        ([[]], "Consistent", "False", "False"),
    ],
)
def test_the_worst_label_counts_and_two_pairs_stand_beside(labels, worst, clear, strict, read_samples):
    got = read_samples(sample(0, *(note(*entry) for entry in labels))).samples
    keys = [pair("attributes", key).alias(key) for key in ("label", "rule_clear", "rule_strict")]
    assert got.select("is_hallucinated", *keys).rows() == [(worst == "Unwanted", worst, clear, strict)]


def test_detectors_call_hallucinated_below_one_half(read_samples):
    got = read_samples(sample(0))
    words = got.judgements.select("judge", "verdict", "p").sort("judge").rows()
    assert words == [("gpt_4o", True, 1.0), ("hhem-2.1", True, 0.75), ("true_nli", False, 0.0)]


def test_a_value_that_is_missing_costs_its_detector_alone(read_samples, reasons):
    got = read_samples(sample(0, true_nli=None), sample(1, model="n", **{"hhem-2.1": 7}), on_bad_row="reject")
    assert reasons(got) == [(1, "unlabelled"), (2, "out-of-range")]
    assert got.samples.height == 2 and got.judgements.height == 4


def test_a_table_with_other_line_ends_in_its_cells_is_the_same_table(read_samples, put, read):
    table = '"One\nbridge.","It\nis old.",m,Unwanted,Benign\n'
    same = sample(0, note("Benign"), source="One\nbridge.", summary="It\nis old.")
    for text in (table, table.replace("\n", "\r\n")):
        assert read_samples(same, table=text).rejects["reason"].to_list() == ["altered"]


def test_a_copied_summary_counts_once_also_as_another_batch(read_samples, put, read):
    first, other = sample(0), sample(1, model="n")
    put("data_for_release/batch_4.json", {"samples": [first, other]})
    got = read_samples(first, other, first)
    assert got.samples.height == 2
    assert got.rejects["reason"].to_list() == ["duplicate"] * 3


def test_sources_that_differ_in_a_digit_or_a_blank_are_one_group(read_samples):
    other = SOURCE.replace("1903.", "1904 .")
    third = SOURCE.replace("built", "opened")
    got = read_samples(sample(0), sample(1, source=other), sample(2, source=third)).samples
    assert got["group_id"].n_unique() == 2
    assert sorted(got.select(pair("attributes", "unit")).to_series()) == ["3-0", "3-1", "3-2"]


def test_spans_of_all_annotators_are_laid_together(read_samples):
    got = read_samples(
        sample(0, note("Unwanted", start=8), note("Benign", start=8, span="built late"))
    ).samples
    assert got["spans"].to_list() == [[{"start": 8, "end": 18, "type": "Unwanted; Benign", "p": None}]]
    assert "Ada" not in str(got.rows())


def test_the_table_is_held_against_the_annotations(read_samples, reasons):
    rows = [(SOURCE, "It was built late.", "m", "Benign"), (SOURCE, "It was built late.", "n", "CONSISTENT")]
    rows += [("Elsewhere.", "Text.", "m", "Unwanted.Intrinsic")]
    table = "".join(",".join((*row, "Consistent")) + "\n" for row in rows)
    got = read_samples(sample(0), sample(1, model="n"), table=table)
    assert reasons(got) == [(1, "altered")] and got.samples.height == 2
    assert got.card["counts"]["n_in_table_alone"] == 1


def test_a_batch_must_hold_samples(put, read):
    put("data_for_release/batch_3.json", [])
    with pytest.raises(TruerateError, match="batch_3.json: the row must be an object"):
        read("faithbench")


def test_a_folder_without_batches_is_one_line(put, read, tmp_path):
    put("data_for_release/other.json", {})
    with pytest.raises(TruerateError) as error:
        read("faithbench")
    missing = f"source 'x': none of FaithBench's files in {str(tmp_path)!r}"
    assert str(error.value) == f"{missing}; looked for: data_for_release/batch_<n>.json"


@pytest.mark.parametrize("how", [str.upper, str.lower])
def test_labels_in_another_case_are_the_documented_ones(how):
    """All labelled summaries were left out, and the others alone gave a rate of 0."""
    from truerate.sources.public.faithbench import label_in
    from truerate.sources.rows import Row

    words = {"label": [how("Benign"), how("Unwanted.Intrinsic")]}
    assert label_in(Row(words, 1)) == "Unwanted"


def test_detectors_of_faithbench_stand_beside_peoples_worst_label():
    labels = labels_made(
        "faithbench",
        [
            tiny_sample("s1", "summarization", unit="1-0", label="Unwanted", is_hallucinated=True),
            tiny_sample("s2", "summarization", unit="1-1", label="Benign"),
        ],
        judgements=[
            tiny_verdict("s1", "nli", True),
            tiny_verdict("s2", "nli", True),
            tiny_verdict("s1", "lm", False),
        ],
    )
    assert cells(labels, "question", "unit_id", "label", "gives") == [
        ("lm", "1-0", "no", None),
        ("nli", "1-0", "yes", None),
        ("nli", "1-1", "yes", None),
        ("unwanted", "1-0", "yes", 1.0),
        ("unwanted", "1-1", "no", 0.0),
        ("worst label", "1-0", "Unwanted", None),
        ("worst label", "1-1", "Benign", None),
    ]
