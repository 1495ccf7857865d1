"""What the stages write below each folder of `paths`, by names and columns: so a file of a build is told from
one that somebody put there.

Asked only where dvc.lock does not say it: after a kill, where it was cut, or for what DVC took from its
caches.
"""

import re
from pathlib import Path

import polars as pl

from truerate.core.schemas import (
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
    Table,
    schema,
)

_SOURCE = {
    "documents": Document,
    "items": Item,
    "samples": Sample,
    "judgements": Judgement,
    "rejects": Reject,
}
TABLES: dict[str, dict[str, type[Table]]] = {  # by folder: the tables of each output in it
    "sources": _SOURCE,
    "datasets": _SOURCE | {"generations": Generation, "facts": Fact, "counts": Count},
    "labels": {"samples": Sample, "judgements": Judgement, "rejects": Reject, "scores": Score},
    "scores": {"scores": Score, "outcomes": Outcome},
}
FLAT: dict[str, tuple[str, type[Table]]] = {  # by folder: a table that is an output itself
    "judgements": (r"[^/]+/[^/]+", Judgement),
    "audits": (r"[^/]+", Score),
    "truth": (r"[^/]+", Score),
    "leaderboard": (r"rows", Row),
}
OTHERS = {
    "sources": r"[^/]+/card\.json",
    "datasets": r"[^/]+/(card\.json|tasks\.jsonl)",
    "annotations": r"[^/]+/labels\.jsonl",
    "scores": r"[^/]+/topics\.json",
    "detectors": r"[^/]+/(families\.json|[^/]+/(fold-\d+|[^/]+/(multi|mono)-(binary|category)-\d+)/.+)",
    "judgements": r"[^/]+/(families|learned)\.json",
    "leaderboard": r"ledger\.json",
}
_CUT = re.compile(r"\.\d+\.tmp$")  # of a write that a kill ended


def is_product(name: str, file: Path, inside: str) -> bool:
    """Whether a file is what a stage writes below the folder `paths.<name>`, at the place `inside` it."""
    if file.is_symlink() and not file.is_file():
        return False
    whole = _CUT.sub("", inside)
    if name in OTHERS and re.fullmatch(OTHERS[name], whole):
        return True
    if not whole.endswith(".parquet"):
        return False
    stem = whole.removesuffix(".parquet")
    where, table = FLAT.get(name, ("", None))
    if table is None or not re.fullmatch(where, stem):
        table = TABLES.get(name, {}).get(stem.partition("/")[2])
    return table is not None and (whole != inside or _has_columns(file, table))


def _has_columns(file: Path, table: type[Table]) -> bool:
    """Whether most columns of a file and of a table are the same: an earlier release may have had some more
    or less.
    """
    try:
        found, known = set(pl.read_parquet_schema(file)), set(schema(table))
        return 2 * len(found & known) > len(found | known)
    except (OSError, pl.exceptions.PolarsError):
        return False
