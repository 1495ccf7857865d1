"""Committed texts are what the code of now draws from the public files, where these are at hand."""

import os
from pathlib import Path

import polars as pl
import pytest
from house import ROOT

from truerate.config.data import Source
from truerate.config.layout import Layout
from truerate.results.files import boards_of, load_result
from truerate.results.sets import folder_of
from truerate.results.texts.drawn import texts_of
from truerate.results.texts.table import TEXTS, save_texts
from truerate.sources.reading import read_source

CLONES = Path(os.environ.get("TRUERATE_CLONES") or ROOT / ".." / "shared" / "data_original").resolve()
PAGES = Path(
    os.environ.get("TRUERATE_DATA") or ROOT / ".." / "shared" / "data"
).resolve()  # Mu-SHROOM's pages as texts
RESULTS = ROOT / "results"
WITH_TEXTS = [board for board in boards_of(RESULTS) if (RESULTS / board / TEXTS).is_file()]


@pytest.fixture(scope="module")
def public():
    return Layout.load(str(ROOT / "params.yaml")).p.public_data


@pytest.mark.parametrize("board", WITH_TEXTS)
def test_the_texts_of_a_board_are_drawn_from_the_published_files(public, board, tmp_path):
    entry, data = public[board].model_dump(), PAGES if board == "mushroom" else CLONES
    folder = folder_of(data, entry) if data.is_dir() else None
    if folder is None:
        pytest.skip(
            f"no files of {board} in {data}; name the folder that holds them in TRUERATE_CLONES or TRUERATE_DATA"
        )
    source = {key: entry[key] for key in ("reader", "part", "on_bad_row") if entry[key]}
    training = entry["training"] and {**entry["training"], "path": str(data / entry["training"]["folder"])}
    if training:
        source["training"] = {key: training[key] for key in ("reader", "path", "on_bad_row") if training[key]}
        source["training"]["name"] = "mfava-published"
    read = read_source(
        board, Source(path=str(data / folder), is_public=True, **source), data / folder, "stop"
    )
    names = ("items", "documents", "samples", "judgements")
    tables = {name: getattr(read, name).lazy().collect() for name in names}
    save_texts(texts_of(load_result(RESULTS / board), board, read.card, tables), tmp_path)
    assert pl.read_parquet(tmp_path / TEXTS).equals(pl.read_parquet(RESULTS / board / TEXTS))
