"""The dispatcher finds readers by module name."""

import pytest

from truerate.config import Source
from truerate.core.errors import SettingsError, TruerateError
from truerate.sources.reading import read_source
from truerate.sources.registry import readers


def test_readers_are_the_modules_with_a_read_function():
    assert readers() == [
        "alpaca", "answers", "begin", "bullshitbench", "cnn_dailymail", "entity_list", "evouna", "factcheckgpt", "factool", "factscore",
        "faithbench", "faithdial", "faithjudge", "fava", "fava_prompts", "halbench", "halludial", "halueval",
        "halueval2", "hotpotqa", "mfava", "mushroom", "natural_questions", "opendialkg", "placebobench", "probes",
        "prompt_list", "ragtruth", "ragtruth_plus_plus", "refchecker", "seed_files", "silver_prompts", "triviaplus", "truerate",
        "wiki_files", "wikipedia",
        "wildchat", "wildhallucinations", "xsum",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["halueva", "fetch", "rows", "collection", "os"])
def test_an_unknown_reader_is_one_line_that_lists_them(name, tmp_path):
    with pytest.raises(SettingsError) as error:
        read_source("x", Source(reader=name, path="."), tmp_path, "stop")
    assert str(error.value) == f"source 'x': reader {name!r} is not known; allowed: {', '.join(readers())}"


def test_a_part_of_a_folder_that_is_read_whole(tmp_path):
    with pytest.raises(
        TruerateError, match="source 'x': reader 'factool' reads its folder whole; take `part` away"
    ):
        read_source("x", Source(reader="factool", part="first", path="."), tmp_path, "stop")
