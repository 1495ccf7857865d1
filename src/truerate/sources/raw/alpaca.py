"""Stanford Alpaca (Taori et al. 2023): instructions, the source of HaluEval's general queries."""

from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_list
from truerate.sources.downloads import Download, read_download
from truerate.sources.rows import Row

DOWNLOAD = Download(
    "Stanford Alpaca", {"alpaca.json": "", "alpaca_data.json": ""}, columns=("instruction", "input", "output")
)


@reads("alpaca")
def read(collection: Collection) -> None:
    """Instructions with their input as general queries; there is no right answer (`output` is a model's)."""
    read_download(collection, DOWNLOAD, json_list, partial(_keep, collection))


def _keep(collection: Collection, row: Row) -> None:
    parts = (row.text("instruction").strip(), row.text("input", may_be_empty=True).strip())
    row.text("output", may_be_empty=True)
    query = "\n".join(part for part in parts if part)
    collection.item("general", question=query, group=("query", query))
