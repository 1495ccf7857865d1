"""Data sets that truerate itself published, read again: by hand, from its own publisher, and from a Hub."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.hub import small_board
from truerate.config import HubSource, Source
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import PAIRS, SPANS, pair, pairs
from truerate.hub.configs import configs_of
from truerate.hub.shards import parquet, shards_of
from truerate.sources.hub.fetch import folder_of
from truerate.sources.reading import read_source

ROW = {
    "sample_id": "s1",
    "item_id": "i1",
    "group_id": "g1",
    "pair_id": "p1",
    "lang": "de",
    "question": "Was ist Varn?",
    "history": "",
    "knowledge": "Varn ist eine Stadt.",
    "right_answer": "eine Stadt",
    "text": "Ein Fluss.",
    "is_hallucinated": True,
    "label_source": "gold",
    "generator": "quill-1",
    "pattern": None,
    "spans": [{"start": 4, "end": 9, "type": "entity", "p": None}],
    "rationale": "Es ist eine Stadt.",
    "attributes": pairs(scheme="one-pass", evidence="d1:0-3", text="odd", spans="odd"),
}
RIGHT = ROW | {
    "sample_id": "s2",
    "text": "Eine Stadt.",
    "is_hallucinated": False,
    "spans": [],
    "rationale": None,
}
TYPES = {
    "pair_id": pl.String, "pattern": pl.String, "rationale": pl.String, "knowledge": pl.String,
    "spans": SPANS, "attributes": PAIRS,
}  # fmt: skip
CARD = "---\nlicense: cc-by-sa-4.0\nconfigs:\n- config_name: qa\n  data_files: [{split: test, path: data/qa/test-*.parquet}]\n---\n"


def shard(*rows):
    return parquet(pl.DataFrame(list(rows), schema_overrides=TYPES))


def refused(read, **part):
    with pytest.raises(TruerateError) as error:
        read("truerate", **part)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_rows_become_samples_with_what_they_are_about(put, read):
    put("README.md", CARD)
    put("data/qa/train-00000-of-00001.parquet", shard(ROW))
    put("data/qa/test-00000-of-00001.parquet", shard(RIGHT))
    put("data/items/full-00000-of-00001.parquet", parquet(pl.DataFrame({"item_id": ["i1"]})))
    got = read("truerate")
    assert (got.documents.height, got.items.height, got.samples.height) == (1, 1, 2)
    item, document = got.items.row(0, named=True), got.documents.row(0, named=True)
    assert {key: item[key] for key in ("task", "lang", "question", "history", "right_answer")} == {
        "task": "qa", "lang": "de", "question": "Was ist Varn?", "history": "", "right_answer": "eine Stadt"
    }  # fmt: skip
    assert item["document_ids"] == [document["document_id"]] and document["text"] == ROW["knowledge"]
    samples = {row["text"]: row for row in got.samples.iter_rows(named=True)}
    wrong = samples["Ein Fluss."]
    kept = (
        "pair_id", "lang", "is_hallucinated", "label_source", "generator", "pattern", "spans", "rationale",
    )  # fmt: skip
    assert {key: wrong[key] for key in kept} == {key: ROW[key] for key in kept}
    assert wrong["attributes"] == pairs(scheme="one-pass", published_id="s1", published_split="train")
    assert got.samples.select(pair("attributes", "published_split"))["published_split"].sort().to_list() == [
        "test",
        "train",
    ]
    assert (got.card["licence"], got.card["redistribution"]) == ("cc-by-sa-4.0", "no")
    assert got.card["counts"]["n_files_of_other_configs"] == 1


def test_rights_are_not_stated_unless_the_folder_states_them(put, read):
    put("test-00000-of-00001.parquet", shard(ROW))
    card = read("truerate", part="general").card
    assert (card["name"], card["licence"], card["redistribution"]) == (
        "truerate data set",
        "not stated",
        "no",
    )
    put("source.json", json.dumps({"licence": "CC BY 4.0", "redistribution": "yes"}))
    card = read("truerate", part="general").card
    assert (card["licence"], card["redistribution"]) == ("CC BY 4.0", "yes")


def test_the_task_of_a_config_of_its_own_is_its_column_s_or_the_part_s(put, read):
    put("test-00000-of-00001.parquet", shard(ROW))
    assert read("truerate", part="summarization").samples["task"].to_list() == ["summarization"]
    assert "name it as `part`: dialogue, general, qa, summarization" in refused(read)
    put("test-00000-of-00001.parquet", shard(ROW | {"task": "dialogue"}))
    assert read("truerate").samples["task"].to_list() == ["dialogue"]


def test_a_part_is_one_task_under_whatever_licence(put, read):
    put("data/qa-mit/test-00000-of-00001.parquet", shard(ROW))
    put("data/qa-cc-by-4.0/test-00000-of-00001.parquet", shard(RIGHT))
    put("data/general/test-00000-of-00001.parquet", shard(ROW))
    assert read("truerate", part="qa").samples["task"].to_list() == ["qa", "qa"]
    assert read("truerate").samples["task"].sort().to_list() == ["general", "qa", "qa"]


def test_other_tasks_are_one_line_that_lists_those_there_are(put, read):
    put("data/silver/test-00000-of-00001.parquet", shard(ROW))
    assert "no config of its tasks in" in refused(
        read
    ) and "configs in it: silver; tasks that can be read: dialogue, gen" in refused(read)
    assert "no config of part 'qa' in" in refused(read, part="qa")
    assert "part 'silver' is not known; allowed: dialogue, general, qa, summarization" in refused(
        read, part="silver"
    )


def test_ids_without_texts_are_one_line(put, read):
    bare = pl.DataFrame([ROW], schema_overrides=TYPES).drop(
        "question", "knowledge", "right_answer", "rationale", "history"
    )
    put("data/qa/test-00000-of-00001.parquet", parquet(bare.rename({"text": "text_sha256"})))
    assert "its rows are ids and labels without texts; rebuild the texts as" in refused(read)


def test_files_of_another_shape_are_one_line(put, read):
    put("data/qa/test-00000-of-00001.parquet", parquet(pl.DataFrame({"text": ["x"]})))
    assert "no column 'sample_id'" in refused(read)
    put("data/qa/test-00000-of-00001.parquet", b"PAR1 no more")
    assert "not Parquet" in refused(read)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"text": " "}, "empty-field"),
        ({"is_hallucinated": None}, "missing-field"),
        ({"is_hallucinated": "yes"}, "wrong-type"),
        ({"label_source": "guessed"}, "unknown-value"),
        ({"lang": "German!"}, "unknown-value"),
        ({"spans": [{"start": 4, "end": 99, "type": None, "p": None}]}, "out-of-range"),
        ({"attributes": [{"key": None, "value": "x"}]}, "missing-field"),
    ],
)
def test_truerate_rejects(put, read, change, reason, reasons):
    put("data/qa/test-00000-of-00001.parquet", shard(ROW | change))
    assert reasons(read("truerate", "reject")) == [(1, reason)]


def published():
    """What truerate publishes of a small board, its held-out texts called general, all long enough for the
    spans.
    """
    tables = small_board.tables(24)
    tables["samples"] = tables["samples"].with_columns(
        pl.col("task").replace("held-out", "general"), pl.col("text") + " and on"
    )
    configs = configs_of(tables, card=small_board.CARD, source=small_board.SOURCE, tasks=small_board.TASKS)
    return tables, {
        entry.path: entry.content for config in configs for entry in shards_of(config, rows_per_shard=5)
    }


def test_what_truerate_publishes_reads_back(put, read):
    tables, files = published()
    for path, content in files.items():
        put(path, content)
    got = read("truerate").samples
    words = ("task", "lang", "text", "is_hallucinated", "label_source", "spans")
    name = pair("attributes", "published_id")
    back = {row[0]: row[1:] for row in got.select(name, *words).iter_rows()}
    assert back == {row[0]: row[1:] for row in tables["samples"].select("sample_id", *words).iter_rows()}


def test_one_config_of_a_hub_is_read_by_its_part(hub_here, tmp_path, monkeypatch):
    (tmp_path / "params.yaml").write_text(
        (Path(__file__).parents[2] / "params.yaml").read_text("utf-8"), "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    revision = hub_here.put_repo(
        "org/little", files={"README.md": CARD, "data/qa/test-00000-of-00001.parquet": shard(ROW, RIGHT)}
    )
    source = Source(
        reader="truerate", part="qa", hub=HubSource(repo="org/little", revision=revision, config="qa")
    )
    got = read_source("x", source, folder_of("x", source, Layout.load()), "stop")
    assert got.samples["task"].to_list() == ["qa", "qa"] and got.card["licence"] == "not stated"


@pytest.mark.parametrize("has_mark", [True, False])
def test_a_data_set_of_before_its_origin_was_written_says_its_licence_in_its_readme(
    hub_here, tmp_path, monkeypatch, has_mark
):
    """`truerate.json` stands for texts that their licence let out; a README alone lets nobody pass them on."""
    (tmp_path / "params.yaml").write_text(
        (Path(__file__).parents[2] / "params.yaml").read_text("utf-8"), "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    files = {"README.md": CARD, "data/qa/test-00000-of-00001.parquet": shard(ROW, RIGHT)}
    files |= (
        {"truerate.json": json.dumps({"kind": "dataset", "name": "b", "dated": "2026-01-01"})}
        if has_mark
        else {}
    )
    revision = hub_here.put_repo("org/little", files=files)
    source = Source(
        reader="truerate",
        hub=HubSource(repo="org/little", revision=revision, config="qa" if has_mark else None),
    )
    card = read_source("x", source, folder_of("x", source, Layout.load()), "stop").card
    assert (card["licence"], card["redistribution"]) == ("cc-by-sa-4.0", "yes" if has_mark else "no")
    assert (card["repository"], card["revision"]) == ("org/little", revision)
    assert card["url"] == "https://huggingface.co/datasets/org/little"


def test_a_config_says_its_task_and_a_part_of_another_is_one_line(hub_here, tmp_path, monkeypatch):
    (tmp_path / "params.yaml").write_text(
        (Path(__file__).parents[2] / "params.yaml").read_text("utf-8"), "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    card = CARD.replace("qa", "qa-mit")
    revision = hub_here.put_repo(
        "org/little", files={"README.md": card, "data/qa-mit/test-00000-of-00001.parquet": shard(ROW)}
    )
    source = Source(reader="truerate", hub=HubSource(repo="org/little", revision=revision, config="qa-mit"))
    folder = folder_of("x", source, Layout.load())
    assert read_source("x", source, folder, "stop").samples["task"].to_list() == ["qa"]
    with pytest.raises(
        TruerateError,
        match="no config of part 'dialogue' in .*; configs in it: qa-mit; tasks that can be read: dialogue, ",
    ):
        read_source("x", source.model_copy(update={"part": "dialogue"}), folder, "stop")


def test_groups_keep_the_ids_that_they_were_published_under(put, read):
    put("data/qa/test-00000-of-00001.parquet", shard(ROW, RIGHT))
    got = read("truerate")
    assert set(got.samples["group_id"]) == set(got.items["group_id"]) == {"g1"}
