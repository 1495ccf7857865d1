"""HaluEval's published files: tiny ones of each kind, and the real ones where they are."""

import io

import polars as pl
import pytest

from tests.sources.label_tables import cells, labels_made, tiny_item, tiny_sample
from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.sources import read_source

GENERAL = {
    "ID": "1",
    "user_query": "Name a metal.",
    "chatgpt_response": "Tin and wood.",
    "hallucination": "yes",
    "hallucination_spans": ["wood"],
}
PAIR = {
    "knowledge": "Varn is a town.",
    "question": "What is Varn?",
    "right_answer": "a town",
    "hallucinated_answer": "It is a large river.",
}
DIALOGUE = {
    "knowledge": "Varn is a town.",
    "dialogue_history": "[Human]: Hello! [Assistant]: Hi. [Human]: What is Varn?",
    "right_response": "A town.",
    "hallucinated_response": "A river.",
}
SUMMARY = {
    "document": "Varn opened a bridge.",
    "right_summary": "A bridge.",
    "hallucinated_summary": "A tunnel.",
}


def test_general_answers_carry_spans_and_remarks(put, read):
    put(
        "general_data.json",
        [
            GENERAL | {"hallucination_spans": ["wood", "木"]},
            GENERAL | {"user_query": "Again?", "hallucination": "no", "hallucination_spans": []},
        ],
    )
    samples = read("halueval").samples
    first = samples.row(0, named=True)
    assert (first["spans"], first["rationale"]) == ([{"start": 8, "end": 12, "type": None, "p": None}], "木")
    assert samples["is_hallucinated"].to_list() == [True, False] and samples[
        "generator"
    ].unique().to_list() == ["chatgpt"]


def test_the_general_part_alone_says_so(put, read):
    put("data/general_data.json", [GENERAL])
    assert "general replies alone" in read("halueval").card["caveats"][0]
    put("qa_candidates_one_turn.jsonl", [PAIR])
    assert "caveats" not in read("halueval").card


def test_one_question_in_both_files_is_one_item_and_two_pairs(put, read):
    put("qa_candidates_one_turn.jsonl", [PAIR])
    put("qa_candidates_multi_turn.jsonl", [PAIR])
    got = read("halueval")
    assert got.items.height == got.documents.height == 1
    sides = got.samples.select(
        "pair_id", "is_hallucinated", pair("attributes", "scheme"), pair("attributes", "side")
    )
    assert sides["pair_id"].n_unique() == 2 and got.samples["group_id"].n_unique() == 1
    assert sides.rows_by_key("pair_id") == {
        key: [(False, scheme, "right"), (True, scheme, "hallucinated")]
        for key, scheme in sides.group_by("pair_id").agg(pl.col("scheme").first()).iter_rows()
    }


def test_released_files(put, read):
    put("qa_data.json", [PAIR])
    put("dialogue_data.json", [DIALOGUE])
    put("summarization_data.json", [SUMMARY])
    got = read("halueval")
    assert got.items["task"].to_list() == ["qa", "dialogue", "summarization"] and got.samples.height == 6
    dialogue = got.items.row(1, named=True)
    assert (dialogue["history"], dialogue["question"]) == (
        "[Human]: Hello!\n[Assistant]: Hi.",
        "What is Varn?",
    )
    assert got.samples.filter(pl.col("is_hallucinated"))["text"].to_list() == [
        "It is a large river.",
        "A river.",
        "A tunnel.",
    ]


def test_one_answer_with_two_labels_is_no_duplicate(put, read, reasons):
    answer = GENERAL | {"hallucination": "yes", "hallucination_spans": []}
    put("general.jsonl", [answer, answer, answer | {"hallucination": "no"}])
    assert reasons(read("halueval")) == [(2, "duplicate"), (3, "contradiction")]


def test_rejected_rows_leave_nothing_behind(put, read):
    put(
        "qa_data.json",
        [PAIR | {"hallucinated_answer": "a town"}, {"knowledge": "x", "question": "y", "right_answer": "z"}],
    )
    got = read("halueval", "reject")
    assert (got.documents.height, got.items.height, got.samples.height, got.rejects.height) == (0, 0, 0, 2)


def test_an_unparsable_line_is_named(put, read):
    put("general.jsonl", '{"user_query": ')
    with pytest.raises(TruerateError, match="general.jsonl row 1: not JSON"):
        read("halueval")


def test_a_folder_without_its_files_is_one_line(read):
    with pytest.raises(TruerateError, match="none of HaluEval's files"):
        read("halueval")


def parquet(*rows):
    out = io.BytesIO()
    pl.DataFrame(list(rows)).write_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("row", "file", "task"),
    [
        (GENERAL, "general_data.json", "general"),
        (PAIR, "qa_data.json", "qa"),
        (DIALOGUE, "dialogue_data.json", "dialogue"),
        (SUMMARY, "summarization_data.json", "summarization"),
    ],
)
def test_parquet_of_the_hub_is_known_by_its_columns_and_gives_the_same_rows(put, read, row, file, task):
    path = put("data-00000-of-00001.parquet", parquet(row))
    got = read("halueval")
    assert got.items["task"].to_list() == [task] and got.samples.height == (1 if task == "general" else 2)
    path.unlink()
    put(file, [row])
    assert read("halueval").samples.equals(got.samples)


def test_parquet_of_all_configs_and_none_beside_its_own_files(put, read):
    put("qa/data-00000-of-00001.parquet", parquet(PAIR))
    put("dialogue/data-00000-of-00001.parquet", parquet(DIALOGUE))
    assert sorted(read("halueval").items["task"]) == ["dialogue", "qa"]
    put("summarization_data.json", [SUMMARY])
    assert read("halueval").items["task"].to_list() == ["summarization"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            parquet({"knowledge": "a", "question": "b", "answer": "c"}),
            "its columns are answer, knowledge, question; allowed: user_query, ",
        ),
        (b"PAR1 and no more", "not Parquet: "),
    ],
)
def test_parquet_of_other_columns_is_one_line(put, read, content, message):
    put("data-00000-of-00001.parquet", content)
    with pytest.raises(TruerateError) as error:
        read("halueval")
    assert f"source 'x': data-00000-of-00001.parquet: {message}" in str(error.value) and "\n" not in str(
        error.value
    )


def test_published_files(public):
    folder = public("halueval", "general.jsonl")
    got = read_source("halueval", Source(reader="halueval", path=str(folder)), folder, "stop")
    general = got.samples.filter(pl.col("task") == "general")
    assert (general.height, general["is_hallucinated"].sum()) == (
        2253,
        399,
    )  # the rows of even number in the published file
    assert (got.card["counts"]["n_spans_verbatim"], got.card["counts"]["n_spans"]) == (402, 447)
    assert got.rejects.is_empty() and got.card["licence"] == "MIT"
    in_text = general.explode("spans").filter(pl.col("spans").is_not_null())
    start, end = (pl.col("spans").struct.field(name) for name in ("start", "end"))
    assert (
        in_text.select((start >= 0) & (end > start) & (end <= pl.col("text").str.len_chars()))
        .to_series()
        .all()
    )
    sides = got.samples.filter(pl.col("task") == "qa").with_columns(pair("attributes", "scheme"))
    assert sides.group_by("scheme", "is_hallucinated").len()["len"].to_list() == [300] * 4
    assert sides.group_by("group_id").agg(pl.col("split").n_unique())["split"].max() == 1
    assert 0.66 < (got.samples["split"] == "train").mean() < 0.74


def test_general_replies_of_halueval_alone_were_labelled_by_people():
    replies = [
        tiny_sample("s1", "general", generator=None, is_hallucinated=True),
        tiny_sample("s2", "qa", generator=None, is_hallucinated=True, side="hallucinated"),
    ]
    assert cells(labels_made("halueval", replies, [tiny_item()]), "subject", "unit_id", "label") == [
        ("ChatGPT", "s1", "yes")
    ]
