"""Folders of tiny source files, and where the public files lie."""

import json
import os
from pathlib import Path

import pytest

from truerate.config import Source
from truerate.sources.reading import read_source

DATA = Path(os.environ.get("TRUERATE_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")


@pytest.fixture
def put(tmp_path):
    """Write one file: lists as JSON, generators of rows as JSON Lines, text and bytes as they are."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, "utf-8")
        elif name.endswith(".jsonl") or name.endswith("_data.json"):
            path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content), "utf-8")
        else:
            path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
        return path

    return write


@pytest.fixture
def read(tmp_path):
    """Read the folder with a reader, as the public set of its format."""

    def run(reader, on_bad_row="stop", part=None):
        source = Source(reader=reader, path=str(tmp_path), part=part, is_public=True)
        return read_source("x", source, tmp_path, on_bad_row)

    return run


@pytest.fixture(scope="session")
def public():
    """A folder of public files, or a skip that says what is absent."""

    def find(folder, file):
        if not (DATA / folder / file).is_file():
            pytest.skip(f"no {folder}/{file} under {DATA}; name the folder in TRUERATE_DATA")
        return DATA / folder

    return find


@pytest.fixture
def reasons():
    """(row, reason) of every reject of a source's tables."""
    return lambda tables: tables.rejects.select("row", "reason").rows()
