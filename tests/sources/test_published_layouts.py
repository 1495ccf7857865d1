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
from truerate.core.errors import TruerateError
from truerate.sources import read_source
from truerate.sources.raw.wiki_pages import article, plain_address

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


def shared(one, other, table):
    """The rows of two readings whose ids are in both, in one order."""
    key = one.tables[table].columns[0]
    rows, others = one.tables[table], other.tables[table]
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
XSUM = "hallucination_annotations_xsum_summaries.csv"
HEADER = "bbcid,system,summary,hallucination_type,hallucinated_span,hallucinated_span_start,hallucinated_span_end,worker_id"


def test_xsum_counts_from_one_after_its_apostrophes_and_its_edges_are_no_words(put, read, reasons):
    put(
        XSUM,
        f"{HEADER}\r\n"
        "1,PtGen,the mayor\\'s bridge fell,extrinsic,bridge,13,19,wid_0\r\n"  # after "the mayor's ", from 1, end excluded
        "1,PtGen,the mayor\\'s bridge fell,extrinsic,\\nthe mayor\\'s,0,12,wid_1\r\n"  # start 0: searched for
        "1,PtGen,the mayor\\'s bridge fell,NULL,NULL,-1,-1,wid_2\r\n"
        "1,PtGen,the mayor\\'s bridge fell,extrinsic,tower,3,8,wid_2\r\n",
    )
    put("eval_scores_xsum_summaries.csv", "another file of the clone\r\n")
    got = read("xsum", "reject")
    text = "the mayor's bridge fell"
    assert got.samples["text"].to_list() == [text]
    marked = [
        [text[span["start"] : span["end"]] for span in spans]
        for spans in got.judgements.sort("judge")["spans"]
    ]
    assert marked == [["bridge"], ["the mayor's"], []] and reasons(got) == [(4, "unresolved")]


def test_xsum_of_the_hub_has_numbers_for_types_and_no_words(tmp_path, read, reasons):
    rows = {
        "bbcid": [1] * 4,
        "system": ["Gold"] * 4,
        "summary": ["it rained"] * 4,
        "hallucination_type": [1, -1, 0, 0],
        "hallucinated_span_start": [4, -1, 0, 1],
        "hallucinated_span_end": [10, -1, 2, 3],
        "worker_id": ["wid_0", "wid_1", "wid_2", "wid_3"],
    }
    (tmp_path / "xsum_faithfulness").mkdir()
    pl.DataFrame(rows).write_parquet(tmp_path / "xsum_faithfulness" / "train-00000-of-00001.parquet")
    got = read("xsum")
    marks = [
        [(span["start"], span["type"]) for span in spans] for spans in got.judgements.sort("judge")["spans"]
    ]
    assert marks == [[(3, "extrinsic")], [], [(0, "intrinsic")]]
    assert reasons(got) == [(3, "malformed")], "neither a place nor words"


def test_begin_is_not_quoted_and_only_its_own_files_are_read(put, read, reasons):
    head = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label"
    put(
        "cmu-dog/begin_dev_cmu.tsv",
        f'{head}\r\nt5\tcmu\tA "film\thm\tYes "it is\tGeneric\r\nt5\tcmu\tk\tm\tr\tFully attributable\textra',
    )
    put("example_filtered_proc.tsv", "evidence\tprevious turn\n")
    got = read("begin", "reject")
    assert got.samples["text"].to_list() == ['Yes "it is'] and reasons(got) == [(2, "unparsable")]
    assert got.documents["text"].to_list() == ['A "film']


def test_the_audit_of_faithdial_is_told_by_folder_name_and_cell(put, read, reasons):
    put(
        "data-audit/DoHA/doha_processed_topical.csv",
        "knowledge,history,doha,begin_label,vrm_label\r\n"
        'k,"a\nb", yes,entailment. uncooperative,ack.\r\n'
        'k,h,no,"entailment,hallucination",ack.\r\n,,,,\r\nk,h,r,made up,\r\n',
    )
    put("data-audit/gold/cmu.csv", "evidence,history,response,BEGIN,VRM\r\nk,h,r,Partial Hallucination,\r\n")
    put("data-audit/gold/other.csv", "of no corpus that is known\r\n")
    got = read("faithdial", "reject")
    reported = [
        {pair["key"]: pair["value"] for pair in row["attributes"]} | {"is": row["is_hallucinated"]}
        for row in got.samples.iter_rows(named=True)
    ]
    assert sorted((entry["system"], entry["row"], entry["begin"], entry["is"]) for entry in reported) == [
        ("doha", "0", "uncooperative", False),
        ("doha", "1", "partial_hallucination", True),
        ("gold", "0", "partial_hallucination", True),
    ]
    assert reasons(got) == [(3, "unlabelled"), (4, "unknown-label")]


def test_halueval_finds_its_files_where_a_clone_has_them(put, read):
    pair = {"knowledge": "k", "question": "q?", "right_answer": "a", "hallucinated_answer": "b"}
    turn = {
        "knowledge": "k",
        "dialogue_history": "[Human]: hi? ",
        "right_response": "a",
        "hallucinated_response": "b",
    }
    line = "{}\n".format
    put("generation/qa/qa_one-turn_data.json", line(json.dumps(pair)))
    put("generation/qa/qa_one-turn_instruction.json", "prompts\n")
    put("generation/dialogue/dialogue_multi-turn_data.json", line(json.dumps(turn)))
    put("data/dialogue_data.json", line(json.dumps(turn)))
    got = read("halueval")
    reported = [{pair["key"]: pair["value"] for pair in row} for row in got.samples["attributes"]]
    assert sorted({entry.get("scheme") or entry.get("stage") for entry in reported}) == [
        "conversational",
        "filtered",
        "one-pass",
    ]
    assert got.items.height == 2 and got.samples.height == 6


def test_the_setting_and_model_of_refchecker_stand_in_the_path(put, read):
    claim = {"triplet": ["Varn", "is", "a town"], "human_label": "Neutral"}
    replies = [{"id": "-7", "response": "\nVarn.", "claude2_response_kg": [claim]}]
    folder = "benchmark/human_annotations_v1/zero_context"
    put(f"{folder}/nq_llama2_70b_chat_answers.json", replies)
    put("benchmark/data/zero_context/nq_example_ids.json", ["-7"])
    got = read("refchecker", part="zero_context")
    assert got.samples["generator"].unique().to_list() == ["llama2_70b_chat"]
    with pytest.raises(
        TruerateError, match="holds no reply of part 'noisy_context'; settings in it: zero_context"
    ):
        read("refchecker", part="noisy_context")


def test_mfava_languages_stand_in_the_folders(put, read, reasons):
    passage = {
        "references": "Varn is.",
        "generated_text": "Varn is.",
        "silver_annotations": "Varn <entity>is</entity>.",
    }
    folder = "datasets/hallucination_detection"
    put(f"{folder}/silver/Latin/silver_latina.json", [passage])
    put(f"{folder}/silver/combined_silver.json", [passage])
    put(f"{folder}/silver/Klingon/silver_klingon.json", [passage])
    columns = "Category,Article Title,URL,reference_1,reference_2,query_1,query_2"
    put(
        "datasets/hallucination_evaluation/german/wiki_references_queries_de.csv",
        f"{columns}\nA,B,u,one,,1. Who?,\n",
    )
    got = read("mfava", "reject")
    assert sorted(got.items.select("lang", "task").rows()) == [("de", "wild"), ("la", "silver")]
    assert reasons(got) == [(1, "unknown-value")], "a language without a known code is not guessed"
    assert got.items.filter(task="wild")["question"].to_list() == ["Who?"]


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


def test_sentences_of_factcheckgpt_are_an_object_and_its_lines_have_no_number(put, read):
    sentence = {
        "text": "Varn is.",
        "claims": ["Varn is."],
        "claims_factuality_label": [True],
        "auto_evidence": [["Yes."]],
    }
    sentence |= {"claim_checkworthiness": ["factual"], "if_automatic_evidence_enough_to_verify": ["yes"]}
    sentence |= {"auto_evidence_url": [["u"]]}
    row = {"prompt": "q", "response": "Varn is.", "sentences": {"sentence1": sentence}}
    put("factcheck-GPT-benchmark.jsonl", json.dumps(row) + "\n")
    put("Factbench.jsonl", "not its own\n")
    got = read("factcheckgpt")
    assert got.samples.height == 1 and got.documents["text"].to_list() == ["Yes."]


NAMED = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
LINE = "t5\tcmu\tVarn is a town.\tWhat is it?\tA town.\tFully attributable\n"
COPIED = (
    "bbcid,system,summary,hallucination_type,hallucinated_span_start,hallucinated_span_end,hallucinated_span,worker_id\n"
    + "1,bert,a red fox,EXTRINSIC,3,5,red,wid_1\n" * 2  # in capitals, and copied
)
AUDITED = "knowledge,history,doha,begin_label,vrm_label\r\nk,h,r,Hallucination,\r\n"


@pytest.mark.parametrize(
    ("reader", "file", "content", "n", "reason"),
    [
        ("begin", "cmu-dog/begin_dev_cmu.tsv", NAMED + LINE + LINE, 1, "duplicate"),
        ("faithdial", "data-audit/DoHA/doha_processed_cmu.csv", AUDITED + "k,h", 1, "missing-field"),
        ("xsum", "hallucination_annotations_xsum_summaries.csv", COPIED, 1, "duplicate"),
    ],
)
def test_a_copied_or_cut_off_line_of_a_clone_is_booked(put, reader, file, content, n, reason):
    folder = put(file, content).parents[file.count("/")]
    got = tables(reader, folder, on_bad_row="reject")
    assert got.samples.height == n and got.rejects["reason"].to_list() == [reason]
