"""The dispatcher finds readers by module name."""

import pytest

from truerate.errors import TruerateError
from truerate.params import Source
from truerate.sources import read_source, readers


def test_readers_are_the_modules_with_a_read_function():
    assert readers() == [
        "alpaca",
        "cnn_dailymail",
        "fava",
        "halueval",
        "hotpotqa",
        "mfava",
        "mushroom",
        "opendialkg",
        "probes",
        "seed_files",
        "silver_prompts",
        "wiki_files",
        "wikipedia",
        "xsum",
    ]


@pytest.mark.parametrize("name", ["halueva", "fetch", "rows", "collection", "os"])
def test_an_unknown_reader_is_one_line_that_lists_them(name, tmp_path):
    with pytest.raises(TruerateError) as error:
        read_source("x", Source(reader=name, path="."), tmp_path, "stop")
    assert str(error.value) == f"source 'x': reader {name!r} is not known; allowed: {', '.join(readers())}"
