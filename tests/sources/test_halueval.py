"""HaluEval's published files: tiny ones of each kind, and the real ones where they are."""

import io

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.schemas import pair
from truerate.sources.reading import read_source

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
