"""The repository of a data set, read by those who will read it: datasets, polars, mlcroissant, the Hub's
card, sha256sum.
"""

import hashlib
import io
import json
import logging
import subprocess
import sys
from pathlib import Path

import datasets
import mlcroissant
import polars as pl
import pytest
from huggingface_hub import DatasetCard, snapshot_download

from tests.hub import small_board as small
from tests.hub.drafts import laid
from tests.hub.small_release import REPO, draft, files
from truerate.core.errors import TruerateError
from truerate.hub.croissant import CONFORMS_TO
from truerate.hub.dataset import draft_of
from truerate.hub.kept import Kept, digest_of
from truerate.hub.licences import LICENCES
from truerate.hub.release import Stamp
from truerate.hub.shards import Config


def of_config(contents: dict[str, bytes], config: str, split: str) -> pl.DataFrame:
    """The rows of a config's split, out of the files."""
    parts = [
        content for path, content in sorted(contents.items()) if path.startswith(f"data/{config}/{split}-")
    ]
    return pl.concat(pl.read_parquet(io.BytesIO(content)) for content in parts)


def declared(readme: str) -> dict[str, dict]:
    """`dataset_info` of a card by config."""
    return {info["config_name"]: info for info in DatasetCard(readme).data.to_dict()["dataset_info"]}


CONFIGS = ("qa", "held-out", "items", "documents", "generations", "counts", "scores", "leaderboard")


# ---- datasets ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", CONFIGS)
def test_datasets_reads_every_config_as_it_was(folder, small_files, config, tmp_path):
    loaded = datasets.load_dataset(folder, config, cache_dir=str(tmp_path))
    features = datasets.Features._from_yaml_list(
        declared(small_files["README.md"].decode())[config]["features"]
    )
    for split, rows in loaded.items():
        assert rows.features == features
        assert rows.to_list() == of_config(small_files, config, split).to_dicts()
    assert {split: rows.num_rows for split, rows in loaded.items()} == {
        entry["name"]: entry["num_examples"]
        for entry in declared(small_files["README.md"].decode())[config]["splits"]
    }


@pytest.mark.parametrize("config", CONFIGS)
def test_datasets_streams_every_config_as_it_was(folder, small_files, config):
    for split, rows in datasets.load_dataset(folder, config, streaming=True).items():
        assert list(rows) == of_config(small_files, config, split).to_dicts()
        assert "large" not in str(rows.features)


def test_columns_without_a_value_keep_their_type(folder, tmp_path):
    rows = datasets.load_dataset(folder, "qa", split="test", cache_dir=str(tmp_path))
    assert set(rows["pattern"]) == {None} and rows.features["pattern"] == datasets.Value("string")
    replies = datasets.load_dataset(folder, "generations", split="full", cache_dir=str(tmp_path))
    assert set(replies["n_tokens_in"]) == {None} and replies.features["n_tokens_in"] == datasets.Value(
        "int64"
    )
    leaders = datasets.load_dataset(folder, "leaderboard", split="full", cache_dir=str(tmp_path))
    assert leaders["low"][:] == [None] and leaders.features["low"] == datasets.Value("float64")


def test_lists_of_structs_come_back_whole(folder, tmp_path):
    rows = datasets.load_dataset(folder, "qa", split="train", cache_dir=str(tmp_path))
    span = datasets.List(
        {
            name: datasets.Value(kind)
            for name, kind in (("start", "int64"), ("end", "int64"), ("type", "string"), ("p", "float64"))
        }
    )
    assert rows.features["spans"] == span
    marked = [spans for spans in rows["spans"] if spans]
    assert marked[0] == [
        {"start": 0, "end": 1, "type": "entity", "p": None},
        {"start": 0, "end": 2, "type": None, "p": 0.25},
    ]


def test_declared_sizes_are_those_of_datasets(folder, small_files, tmp_path):
    for config, info in declared(small_files["README.md"].decode()).items():
        loaded = datasets.load_dataset(folder, config, cache_dir=str(tmp_path))
        for split in info["splits"]:
            # null masks are whole bytes of each shard there, of the whole split here
            assert split["num_bytes"] == pytest.approx(loaded[split["name"]].data.nbytes, abs=50), config
        assert info["download_size"] == sum(
            len(content) for path, content in small_files.items() if path.startswith(f"data/{config}/")
        )
        assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])


def test_no_config_named_gives_the_default(folder, tmp_path):
    assert set(datasets.load_dataset(folder, cache_dir=str(tmp_path))) == {"train", "test"}


def test_configs_load_from_the_hub_by_name_and_by_tag(hub_here, small_files):
    hub_here.put_repo(REPO, files=small_files, tag="v1.0")
    fewer = files(draft(tables=small.tables(8)))
    hub_here.put_repo(REPO, files=fewer)
    assert datasets.load_dataset(REPO, "qa", split="train").num_rows == of_config(fewer, "qa", "train").height
    assert (
        datasets.load_dataset(REPO, "qa", split="train", revision="v1.0").to_list()
        == of_config(small_files, "qa", "train").to_dicts()
    )
    streamed = datasets.load_dataset(REPO, "items", split="full", streaming=True)
    assert [row["item_id"] for row in streamed] == ["i0", "i1", "i2", "i3"]


# ---- polars and pandas -------------------------------------------------------------------------------------
def test_polars_reads_what_was_downloaded_by_pattern(hub_here, small_files):
    hub_here.put_repo(REPO, files=small_files)
    target = snapshot_download(REPO, repo_type="dataset", allow_patterns="data/qa/*")
    results = pl.read_parquet(f"{target}/data/qa/train-*.parquet")
    assert results.equals(of_config(small_files, "qa", "train"))
    assert not (Path(target) / "data" / "items").exists()


def test_pandas_reads_a_shard(folder):
    pandas = pytest.importorskip("pandas")
    rows = pandas.read_parquet(f"{folder}/data/qa/train-00000-of-00002.parquet")
    assert rows["spans"][0][1]["p"] == 0.25 and rows["text"][0].startswith("two\nlines")


# ---- mlcroissant -------------------------------------------------------------------------------------------
def test_croissant_is_valid_and_gives_records_of_every_set(folder, small_files, caplog):
    with caplog.at_level(logging.WARNING):
        described = mlcroissant.Dataset(jsonld=f"{folder}/croissant.json")
    assert not described.metadata.ctx.issues.errors and not described.metadata.ctx.issues.warnings
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [entry.uuid for entry in described.metadata.record_sets] == list(CONFIGS)
    for config in CONFIGS:
        records = list(described.records(config))
        splits = declared(small_files["README.md"].decode())[config]["splits"]
        assert len(records) == sum(split["num_examples"] for split in splits)
        assert {record[f"{config}/split"].decode() for record in records} == {
            split["name"] for split in splits
        }


def test_croissant_values_are_those_of_the_rows(folder, small_files):
    records = mlcroissant.Dataset(jsonld=f"{folder}/croissant.json").records("qa")
    results = {record["qa/sample_id"].decode(): record for record in records}
    row = of_config(small_files, "qa", "train").row(by_predicate=pl.col("sample_id") == "s01", named=True)
    record = results["s01"]
    assert (
        record["qa/text"].decode() == row["text"]
        and record["qa/is_hallucinated"] is True
        and record["qa/pattern"] is None
    )
    assert [entry["qa/spans/start"] for entry in record["qa/spans"]] == [0, 0] and record["qa/spans"][1][
        "qa/spans/p"
    ] == 0.25
    assert record["qa/attributes"][0] == {"qa/attributes/key": b"scheme", "qa/attributes/value": b"one-pass"}


def test_croissant_s_answers_for_responsible_ai_come_back_word_for_word(small_files, tmp_path):
    """Whatever signs they hold; those with an attribute in mlcroissant there, the others in its JSON."""
    answers = {
        "dataLimitations": [
            "Is it small? Yes: <b>8</b> rows \u2028 and no more.",
            '"Not" for judging people.',
        ],
        "dataBiases": ["Words alone tell 0.912 of texts, Zürich 𠮷 مرحبا."],
        "personalSensitiveInformation": ["None."],
        "dataUseCases": ["To measure."],
        "dataSocialImpact": ["A rate holds for these texts alone.", "Its author: nothing."],
    }
    folder = laid(files(draft(rai=answers)), tmp_path)
    metadata = mlcroissant.Dataset(jsonld=f"{folder}/croissant.json").metadata
    expected = {name: [" ".join(text.split()) for text in texts] for name, texts in answers.items()}
    assert metadata.data_limitations == expected["dataLimitations"]
    assert metadata.data_biases == expected["dataBiases"]
    assert metadata.personal_sensitive_information == expected["personalSensitiveInformation"]
    assert metadata.data_use_cases == expected["dataUseCases"]
    assert metadata.data_social_impact == " ".join(expected["dataSocialImpact"])
    assert [creator.name for creator in metadata.creators] == ["org"]
    written = json.loads((folder / "croissant.json").read_text("utf-8"))
    read = metadata.to_json()
    assert metadata.conforms_to == written["conformsTo"] == [*CONFORMS_TO]
    named = {key for key in written if key.startswith(("rai:", "prov:"))}
    assert {name: one_or_many(read[name]) for name in named} == {
        name: one_or_many(written[name]) for name in named
    }
    assert named == {f"rai:{name}" for name in (*answers, "hasSyntheticData")} | {
        "prov:wasDerivedFrom",
        "prov:wasGeneratedBy",
    }


def one_or_many(value: object) -> object:
    """A value with each list of one, which JSON-LD does not tell from its element, as the element."""
    if isinstance(value, dict):
        return {key: one_or_many(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return one_or_many(value[0]) if len(value) == 1 else [one_or_many(entry) for entry in value]
    return value


def test_croissant_says_what_the_set_was_made_from_and_by_what():
    """The source with its address and files, the steps with the models in them, and the commands of dvc.lock."""
    lock = "schema: '2.0'\nstages:\n  dataset@little-board: {cmd: python -m truerate make}\n"
    words = json.loads(files(draft(recipe={"build/dvc.lock": lock}))["croissant.json"])
    source, file = words["prov:wasDerivedFrom"]
    assert (source["prov:label"], source["url"], source["license"]) == (
        "Little questions", "https://example.org/little", "MIT"
    )  # fmt: skip
    assert (file["prov:label"], file["sha256"]) == ("little.jsonl", "ab" * 32)
    step, stage = words["prov:wasGeneratedBy"]
    (agent,) = step["prov:wasAssociatedWith"]
    assert (step["prov:label"], agent["prov:label"]) == ("Sampling", "filter judge: quill-1")
    assert (stage["prov:label"], stage["description"]) == ("dataset@little-board", "python -m truerate make")
    parts = [{"name": "A", "licence": "MIT"}, {"name": "B", "licence": "CC BY 4.0"}]
    of_parts = json.loads(files(draft(origins=parts))["croissant.json"])["prov:wasDerivedFrom"]
    assert [entry["prov:label"] for entry in of_parts] == ["A", "B", "little.jsonl"]


def test_texts_of_models_are_synthetic_and_those_of_people_are_not():
    tables = small.tables()
    bare = tables | {"generations": tables["generations"].clear()}

    def is_synthetic(tables=bare, **facts) -> bool:
        return json.loads(files(draft(tables=tables, **facts))["croissant.json"])["rai:hasSyntheticData"]

    assert not is_synthetic(models={})
    assert is_synthetic() and is_synthetic(models={}, is_simulated=True) and is_synthetic(tables, models={})
    written = bare | {"samples": tables["samples"].with_columns(generator=pl.lit("quill-1"))}
    assert is_synthetic(written, models={})


def test_croissant_names_every_shard_with_its_checksum(small_files):
    words = json.loads(small_files["croissant.json"])
    listed = {
        entry["contentUrl"]: entry["sha256"]
        for entry in words["distribution"]
        if entry["@type"] == "cr:FileObject"
    }
    assert listed == {
        path: hashlib.sha256(content).hexdigest()
        for path, content in small_files.items()
        if path.startswith("data/")
    }
    assert (words["datePublished"], words["version"]) == ("2026-01-05", "2026.1.5")
    assert words["license"] == [LICENCES["mit"].link] and "arXiv:2305.11747" in words["citeAs"]


# ---- the repository ----------------------------------------------------------------------------------------
def test_a_repository_holds_what_its_layout_says(small_files):
    beside = {path for path in small_files if not path.startswith("data/")}
    assert beside == {
        *("README.md", "croissant.json", "SHA256SUMS", "CHANGELOG.md", "truerate.json"), *("build/params.yaml", "build/dvc.lock")
    }  # fmt: skip
    assert [path for path in small_files if path.startswith("data/held-out/")] == [
        f"data/held-out/test-{index:05d}-of-00003.parquet" for index in range(3)
    ]
    assert json.loads(small_files["truerate.json"]) == {
        **{
            "dated": "2026-01-05",
            "kind": "dataset",
            "name": "little-board",
            "prefixes": ["data/", "build/", "rebuild/", "every_eval_ever/"],
            "maker": "",
            "card": digest_of(small_files["README.md"].decode()),
            "tool": "truerate",
        }
    }


def test_checksums_hold_for_all_but_the_log_and_themselves(folder, small_files):
    subprocess.run(["sha256sum", "-c", "--quiet", "--strict", "SHA256SUMS"], cwd=folder, check=True)
    named = {line.split("  ", 1)[1] for line in small_files["SHA256SUMS"].decode().splitlines()}
    assert named == set(small_files) - {"SHA256SUMS", "CHANGELOG.md"}


def test_equal_tables_give_equal_files():
    turned = {name: pl.concat([data.slice(1), data.slice(0, 1)]) for name, data in small.tables().items()}
    assert files(draft(rows_per_shard=3)) == files(draft(rows_per_shard=3, tables=turned))


def test_only_what_says_the_date_depends_on_it():
    entry = draft()
    first, second = (
        dict(entry.files(stamp=Stamp(day), changelog="", kept=Kept())) for day in ("2026-01-05", "2026-02-06")
    )
    assert {path for path in first if first[path] != second[path]} == {
        "croissant.json",
        "truerate.json",
        "SHA256SUMS",
    }


def test_a_shard_says_nothing_of_the_rows_beside_it():
    """A slice of a list column holds on to the values beside it, and what is written of it differs by them."""
    whole = files(draft(rows_per_shard=2))
    assert (
        hashlib.sha256(whole["data/items/full-00001-of-00002.parquet"]).digest()
        == hashlib.sha256(_second_half_of_items()).digest()
    )


def _second_half_of_items() -> bytes:
    tables = small.tables()
    later = tables | {"items": tables["items"].slice(2)}
    return files(draft(tables=later))["data/items/full-00000-of-00001.parquet"]


def test_a_board_without_rows_is_refused():
    with pytest.raises(
        TruerateError, match="publishing board 'little-board': none of its tables holds a row"
    ):
        draft(tables={})


def test_a_column_without_a_type_is_refused():
    entry = Config("qa", {"full": pl.DataFrame({"a": [None]})}, LICENCES["mit"], "a row", is_default=True)
    with pytest.raises(
        TruerateError, match="config 'qa', column 'a': type Null has no name on the Hub; allowed: String"
    ):
        draft_of(small.facts(), [entry], rows_per_shard=10, licence=None, repo=REPO)


# ---- ids alone ---------------------------------------------------------------------------------------------
def test_ids_alone_come_with_a_way_to_get_the_texts_back(tmp_path):
    results = files(draft(card={"redistribution": "ids-only"}))
    recipe = results["rebuild/REBUILD.md"].decode()
    assert (
        "https://example.org/little" in recipe
        and "ab" * 32 in recipe
        and "dvc repro dataset@little-board" in recipe
    )
    assert "rebuild/REBUILD.md" in results["README.md"].decode()
    loaded = datasets.load_dataset(
        str(laid(results, tmp_path / "ids")), "qa", split="test", cache_dir=str(tmp_path / "cache")
    )
    assert "text" not in loaded.column_names and all(len(entry) == 64 for entry in loaded["text_sha256"])


def test_the_recipe_finds_texts_that_are_missing_or_differ(tmp_path):
    """The code that REBUILD.md prints, run on a build whose first text was changed."""
    results = files(draft(card={"redistribution": "ids-only"}))
    index, tables = laid(results, tmp_path), small.tables()
    built = index / "CHECKOUT" / "data" / "labels" / "little-board"
    built.mkdir(parents=True)
    for text, expected in (("other", 1), (None, 0)):
        changed = tables["samples"].with_columns(
            text=pl.when(pl.col("sample_id") == "s01").then(pl.lit(text)).fill_null(pl.col("text"))
        )
        changed = changed if text else tables["samples"]
        changed.write_parquet(built / "samples.parquet")
        block = results["rebuild/REBUILD.md"].decode().split("```python\n")[1].split("```")[0]
        code = "\n".join(line.removeprefix("   ") for line in block.splitlines())
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=index, capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{expected} texts are missing or differ\n"


def test_a_whole_set_has_no_recipe(small_files):
    assert "rebuild/REBUILD.md" not in small_files and "rebuild/" not in small_files["README.md"].decode()
