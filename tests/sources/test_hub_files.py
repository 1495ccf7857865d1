"""Which files a config and a split are, by a card's YAML and by the names of folders and files."""

import pytest

from truerate.config import HubSource
from truerate.core.errors import TruerateError
from truerate.sources.hub.files import files_of, fits

NAMED = [
    "README.md", ".gitattributes", "data/qa/train-00000-of-00001.parquet",
    "data/qa/test-00000-of-00001.parquet", "dialogue/dev.jsonl", "dataset_infos.json",
]  # fmt: skip


def pick(paths, card="", **part):
    return files_of(HubSource(repo="a/b", revision="0" * 40, **part), paths, card)


def card(entries):
    return f"---\nconfigs:\n{entries}\n---\ntext\n"


# ---- by the card -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("spec", "split", "wanted"),
    [
        ("data/qa/*", "train", NAMED[2:4]),  # without a split everything is train
        ("[data/qa/test-*, 'dialogue/*']", "train", [NAMED[3], NAMED[4]]),
        ("[{split: dev, path: '**/*.jsonl'}]", "dev", [NAMED[4]]),
        ("[{split: dev, path: [dialogue/*, data/qa/test-*]}]", "dev", [NAMED[3], NAMED[4]]),
        ("{dev: dialogue/dev.jsonl, test: data/qa/test-*}", "test", [NAMED[3]]),
    ],
)
def test_data_files_in_every_form(spec, split, wanted):
    assert pick(NAMED, card(f"- config_name: x\n  data_files: {spec}"), config="x", split=split) == sorted(
        wanted
    )


def test_a_data_dir_is_a_folder_whose_files_tell_their_split():
    assert pick(NAMED, card("- {config_name: x, data_dir: data/qa}"), config="x", split="test") == [NAMED[3]]
    assert pick(NAMED, card("- {config_name: x, data_dir: data, data_files: qa/train-*}"), config="x") == [
        NAMED[2]
    ]


def test_a_config_may_be_called_no():
    assert pick(NAMED, card("- {config_name: no, data_files: dialogue/*}"), config="no") == [NAMED[4]]


def test_the_default_config_is_the_marked_one_or_the_only_one():
    two = (
        "- {config_name: a, data_files: dialogue/*}\n- {config_name: b, data_files: data/qa/*, default: true}"
    )
    assert pick(NAMED, card(two), split="train") == NAMED[3:1:-1]
    assert pick(NAMED, card("- {config_name: a, data_files: dialogue/*}"), split="train") == [NAMED[4]]
    with pytest.raises(
        TruerateError, match="it names no default config; those there are: a, b; set `config`"
    ):
        pick(NAMED, card(two.replace(", default: true", "")), split="train")


def test_a_pattern_of_nothing_and_yaml_that_is_none_are_one_line():
    with pytest.raises(TruerateError, match="config 'a' names files that are not there"):
        pick(NAMED, card("- {config_name: a, data_files: absent/*}"), config="a")
    with pytest.raises(TruerateError, match="YAML of its card cannot be read") as error:
        pick(NAMED, "---\nconfigs: [\n---\n", config="a")
    assert "\n" not in str(error.value)


# ---- by names ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["", "# a card without YAML", "---\nlicense: mit\n---\n"])
def test_folders_are_configs_where_the_card_names_none(text):
    assert pick(NAMED, text, config="qa") == NAMED[3:1:-1]
    assert pick(NAMED, text, config="qa", split="train") == [NAMED[2]]
    assert pick(NAMED, text, config="dialogue", split="validation") == [NAMED[4]]
    with pytest.raises(
        TruerateError, match="it has no config 'general'; those there are: dialogue, qa; set `config`"
    ):
        pick(NAMED, text, config="general")


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("spontaneous_train.json", "train"), ("data/test_random_split.json", "test"),
        ("train/0000.parquet", "train"), ("valid.json", "validation"),
        ("data/all-00000-of-00002.parquet", "all"), ("training.json", "train"), ("metals.csv", "train"),
    ],
)  # fmt: skip
def test_splits_by_name_of_the_only_config(path, split):
    assert pick([path, "README.md"], split=split) == [path]
    assert pick([path, "README.md"], config="default") == [path]


@pytest.mark.parametrize(
    ("path", "pattern", "is_meant"),
    [
        ("data/a.csv", "data/*.csv", True), ("data/x/a.csv", "data/*.csv", False),
        ("data/x/y/a.csv", "data/**/*.csv", True), ("data/a.csv", "data/**/*.csv", True),
        ("a.csv", "**", True), ("data/a.csv", "data", False), ("data/a1.csv", "data/a[0-9].csv", True),
    ],
)  # fmt: skip
def test_patterns(path, pattern, is_meant):
    assert fits(path, pattern) is is_meant


def test_a_pattern_of_many_stars_ends():
    assert not fits("/".join("a" * 12), "/".join(["**"] * 12 + ["b"]))
