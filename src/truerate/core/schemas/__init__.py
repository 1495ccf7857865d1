"""The tables of the house: one pandera schema each, and the only way they touch disk.

Every frame under `data/` passes `save` and `load`, which validate names, types and rules; only a scratch step
takes what a stage before it validated as it is (`read`: names and types). Tables are declared in plain words:
polars is asked whether a frame keeps them, and pandera what is wrong with one that does not, for importing
it, and pandas with it, takes longer than most steps. Identity columns are content hashes. Columns named
`attributes` and `slice` hold sorted key–value pairs (`PAIRS`), so that a new fact needs no new column.
"""

from truerate.core.schemas.declare import DIGITS, PAIRS, SPANS, TYPES, Field, FieldRules, Table, frame, schema
from truerate.core.schemas.disk import load, read, read_json, read_parquet, save, validate, write_parquet
from truerate.core.schemas.rows import emptied, pair, pairs, score_row, unanswered
from truerate.core.schemas.tables import (
    LABEL_SOURCES,
    NO_ANSWERS,
    SPLITS,
    STATUSES,
    Count,
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Outcome,
    Reject,
    Row,
    Sample,
    Score,
)

__all__ = [
    "Count",
    "DIGITS",
    "Document",
    "Fact",
    "Field",
    "FieldRules",
    "Generation",
    "Item",
    "Judgement",
    "LABEL_SOURCES",
    "NO_ANSWERS",
    "Outcome",
    "PAIRS",
    "Reject",
    "Row",
    "SPANS",
    "SPLITS",
    "STATUSES",
    "Sample",
    "Score",
    "TYPES",
    "Table",
    "emptied",
    "frame",
    "load",
    "pair",
    "pairs",
    "read",
    "read_json",
    "read_parquet",
    "save",
    "schema",
    "score_row",
    "unanswered",
    "validate",
    "write_parquet",
]
