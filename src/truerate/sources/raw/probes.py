"""Screening probes: general answers whose label is known, to tell careful labellers from careless ones.

The rows have the fields of HaluEval's general part under the names `query` and `response`.
"""

from pathlib import Path

from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines
from truerate.sources.papers import halueval

FILE = "general_probe.jsonl"
CARD = published_card("probes")


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Probes as items and gold samples, both with the attribute `is_probe`."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    collection.read(
        FILE,
        json_lines,
        lambda row: halueval.keep_answer(collection, row, query="query", response="response", is_probe=True),
    )
    return collection.tables()
