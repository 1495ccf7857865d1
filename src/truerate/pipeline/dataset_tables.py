"""The tables of a source, of a board's data set, and those that a step may give beside replies."""

from typing import Any

from truerate.core.schemas import (
    LARGEST_GROUP,
    Count,
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Reject,
    Sample,
)

SOURCE = {"documents": Document, "items": Item, "samples": Sample, "judgements": Judgement, "rejects": Reject}
DATASET = {
    "items": Item,
    "documents": Document,
    "generations": Generation,
    "facts": Fact,
    "samples": Sample,
    "judgements": Judgement,
    "rejects": Reject,
    "counts": Count,
}
BESIDE = {"judgements": Judgement, "documents": Document, "rejects": Reject}

# How tables are written that outgrow memory (`save_in_parts`). Of documents and judgements that came twice
# the first stands; two facts or replies of one name are a mistake.
PARTED: dict[str, dict[str, Any]] = {
    "documents": {"key": "document_id"},
    "generations": {"key": "generation_id", "n": 20_000, "group": LARGEST_GROUP, "keeps_first": False},
    "facts": {"key": "fact_id", "n": LARGEST_GROUP, "group": LARGEST_GROUP, "keeps_first": False},
    "judgements": {"key": "judgement_id", "n": LARGEST_GROUP, "group": LARGEST_GROUP},
}
