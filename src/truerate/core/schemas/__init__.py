"""The tables of the house: one declaration each, the rows that stand in them, and the only way they touch
disk.

Every frame under `data/` passes `save` and `load`, which hold it to the names, types and rules that the table
declares. Files between two rules pass `write` and `read`, which hold them to its names and types. Identity
columns are content hashes. Columns named `attributes` and `slice` hold sorted key–value pairs (`PAIRS`), so
that a new fact needs no new column.
"""

from truerate.core.schemas.declare import (
    DIGITS,
    PAIRS,
    SPANS,
    TYPES,
    Field,
    FieldRules,
    Table,
    frame,
    of_columns,
    schema,
)
from truerate.core.schemas.disk import (
    LARGEST_GROUP,
    height,
    load,
    read,
    read_json,
    read_parquet,
    save,
    scan,
    validate,
    write,
    write_parquet,
)
from truerate.core.schemas.gathering import Gathered, save_in_parts, save_query
from truerate.core.schemas.parts import load_in_parts, read_in_parts, set_apart
from truerate.core.schemas.rows import (
    NOT_FITTED,
    emptied,
    generation_row,
    is_cut,
    judgement_row,
    pair,
    pairs,
    reject_row,
    sample_row,
    score_row,
    unanswered,
    unpaired,
)
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
    "Count", "DIGITS", "Document", "Fact", "Field", "FieldRules", "Gathered", "Generation", "Item", "Judgement",
    "LABEL_SOURCES", "LARGEST_GROUP", "NOT_FITTED", "NO_ANSWERS", "Outcome", "PAIRS", "Reject", "Row", "SPANS",
    "SPLITS", "STATUSES", "Sample", "Score", "TYPES", "Table", "emptied", "frame", "generation_row", "is_cut",
    "height", "judgement_row", "load", "load_in_parts", "of_columns", "pair", "pairs", "read", "read_in_parts",
    "read_json", "read_parquet", "reject_row", "sample_row", "save", "save_in_parts", "save_query", "scan",
    "set_apart", "schema", "score_row", "unanswered", "unpaired", "validate", "write", "write_parquet",
]  # fmt: skip
