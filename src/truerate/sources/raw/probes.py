"""Screening probes: general answers whose label is known, to tell careful labellers from careless ones.

The rows have the fields of HaluEval's general part under the names `query` and `response`.
"""

from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines
from truerate.sources.papers import halueval

FILE = "general_probe.jsonl"


@reads("probes")
def read(collection: Collection) -> None:
    """Probes as items and gold samples, both with the attribute `is_probe`."""
    keep = partial(halueval.keep_answer, collection, "query", "response", is_probe=True)
    collection.read(FILE, json_lines, keep)
