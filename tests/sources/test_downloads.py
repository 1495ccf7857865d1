"""Public files under the names that they are downloaded by, and as the Hub keeps them: the same tables."""

import hashlib
import io

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.sources.reading import read_source

from .test_seed_formats import ALPACA, HOTPOT, MESSAGES, STORY, csv_of

OTHER = HOTPOT | {"_id": "9", "question": "What is the Blue Lamp made of?", "answer": "Tin"}
ARTICLE = {"article": "Varn opened a bridge.\n\nIt is long.", "highlights": "A bridge opened\nIt is long"}


def parquet(rows: list[dict]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows).write_parquet(out)
    return out.getvalue()


def on_the_hub(row: dict) -> dict:
    """A question of HotpotQA in the columns of the Hub: objects of lists in the place of pairs."""
    context = {
        "title": [title for title, _ in row["context"]],
        "sentences": [words for _, words in row["context"]],
    }
    facts = {
        name: [fact[index] for fact in row["supporting_facts"]]
        for index, name in enumerate(("title", "sent_id"))
    }
    return {name: value for name, value in row.items() if name != "_id"} | {
        "id": row["_id"], "context": context, "supporting_facts": facts
    }  # fmt: skip


@pytest.fixture
def splits(tmp_path):
    """Read the folder with a reader and a split."""

    def run(reader: str, split: str | None = None):
        source = Source(reader=reader, path=str(tmp_path), split=split)
        return read_source("x", source, tmp_path, "stop")

    return run


def refused(read, *asked) -> str:
    with pytest.raises(TruerateError) as error:
        read(*asked)
    assert "\n" not in str(error.value) and str(error.value).startswith("source 'x': ")
    return str(error.value)


def test_hotpotqa_as_downloaded_and_of_the_hub_give_the_same_rows(put, splits, tmp_path):
    put("hotpot_train_v1.1.json", [HOTPOT, OTHER])
    original = splits("hotpotqa")
    (tmp_path / "hotpot_train_v1.1.json").unlink()
    for shard, row in enumerate((HOTPOT, OTHER)):
        put(f"distractor/train-0000{shard}-of-00002.parquet", parquet([on_the_hub(row)]))
    hub = splits("hotpotqa")
    assert original.items.height == 2 and hub.items.equals(original.items)
    assert hub.documents.equals(original.documents)
    assert [file["n_rows"] for file in hub.card["files"]] == [1, 1]


def test_stories_of_a_split_are_those_of_the_list_of_addresses(put, splits):
    address = "http://web.archive.org/web/2015/http://edition.cnn.com/a"
    put(f"cnn/stories/{hashlib.sha1(address.encode()).hexdigest()}.story", STORY)
    put("cnn/stories/abc.story", STORY.replace("Varn", "Sen"))
    assert "put url_lists/all_val.txt there" in refused(splits, "cnn_dailymail", "validation")
    put("url_lists/all_val.txt", address + "\n")
    got = splits("cnn_dailymail", "validation")
    assert got.documents["text"].to_list() == ["Varn opened a bridge.\n\nIt is long."]


def test_news_of_the_hub_give_the_rows_of_their_stories(put, splits, tmp_path):
    put("stories/abc.story", STORY)
    stories = splits("cnn_dailymail")
    (tmp_path / "stories/abc.story").unlink()
    put("3.0.0/validation-00000-of-00001.parquet", parquet([ARTICLE | {"id": "abc"}]))
    put("3.0.0/train-00000-of-00003.parquet", parquet([ARTICLE | {"article": "Other.", "id": "d"}]))
    assert "several files of it: " in refused(splits, "cnn_dailymail")
    hub = splits("cnn_dailymail", "validation")
    assert hub.items.equals(stories.items) and hub.documents.equals(stories.documents)


def test_alpaca_as_downloaded_and_of_the_hub_give_the_same_rows(put, splits, tmp_path):
    put("alpaca_data.json", "[" + str(ALPACA).replace("'", '"') + "]")
    original = splits("alpaca")
    (tmp_path / "alpaca_data.json").unlink()
    put("data/train-00000-of-00001-a09b74b3ef9c3b56.parquet", parquet([ALPACA | {"text": "Below is …"}]))
    assert splits("alpaca").items.equals(original.items) and original.items.height == 1


def test_a_folder_of_all_four_downloads_is_one_source(put, splits):
    put("hotpot_train_v1.1.json", [HOTPOT])
    put("data/opendialkg.csv", csv_of(MESSAGES))
    put("cnn/stories/abc.story", STORY)
    put("alpaca_data.json", "[" + str(ALPACA).replace("'", '"') + "]")
    got = splits("seed_files")
    assert got.items["task"].to_list() == ["qa", "dialogue", "summarization", "general"]
    assert got.card["redistribution"] == "no"


@pytest.mark.parametrize("reader", ["seed_files", "cnn_dailymail"])
def test_a_parquet_file_that_came_in_part_is_one_line_with_its_name(put, splits, reader):
    whole = parquet([ARTICLE | {"id": "abc"}])
    put("3.0.0/validation-00000-of-00001.parquet", whole)
    put("3.0.0/train-00000-of-00001.parquet", whole[: len(whole) // 2])
    answer = refused(splits, reader, "train")
    assert answer.startswith("source 'x': 3.0.0/train-00000-of-00001.parquet: not Parquet: ")


def test_files_under_other_names_are_told_and_the_others_read(put, splits, capsys):
    put("alpaca.json", [ALPACA])
    put("hotpot_train.json", [HOTPOT])
    put("cnn_stories.tgz", "x")
    put("README.md", "x")
    put("dataset_infos.json", {})
    assert splits("seed_files").items.height == 1
    assert capsys.readouterr().err.strip().endswith(": cnn_stories.tgz, hotpot_train.json")
