"""Stanford Alpaca (Taori et al. 2023): instructions, the source of HaluEval's general queries."""

from pathlib import Path

from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_list
from truerate.sources.downloads import Download, Found, downloaded_forms, one_of
from truerate.sources.parquet import SUFFIX, parquet_rows
from truerate.sources.rows import Row

DOWNLOAD = Download(
    "Stanford Alpaca", {"alpaca.json": "", "alpaca_data.json": ""}, columns=("instruction", "input", "output")
)
CARD = published_card("alpaca")


def forms(folder: Path) -> list[Found]:
    """What a folder holds of it."""
    return downloaded_forms(folder, DOWNLOAD)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Instructions with their input as general queries; there is no right answer (`output` is a model's)."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    for file in one_of(forms(folder), DOWNLOAD, folder, name=name, split=None):
        cut = parquet_rows if file.endswith(SUFFIX) else json_list
        collection.read(file, cut, lambda row: _keep(collection, row))
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    parts = (row.text("instruction").strip(), row.text("input", may_be_empty=True).strip())
    row.text("output", may_be_empty=True)
    query = "\n".join(part for part in parts if part)
    collection.item("general", question=query, group=("query", query))
