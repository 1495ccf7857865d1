"""The grid of token detectors: each member once per scope, labels and seed, or in the parts of the grid that
name it; a mono detector is one per language.
"""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import polars as pl

from truerate.config import Backbone, Grid
from truerate.config.detectors import GridPart
from truerate.core.keys import content_id_of_rows, digest
from truerate.detectors.tokens.cells import Cell
from truerate.detectors.tokens.rules import BY_NAME
from truerate.detectors.training import processes

COLUMNS = ["target_id", "item_id", "group_id", "lang", "task", "text", "spans", "reference"]
CODE = Path(__file__).parent
SHARED = [
    CODE.parents[1] / part
    for part in (
        "core/keys.py",
        "core/tags.py",
        "core/sentence_spans.py",
        "core/text.py",
        "metrics/ngrams.py",
        "metrics/thresholds.py",
        "detectors/training",
        "detectors/windows.py",
    )
]


def cells(
    members: Sequence[str], languages: Sequence[str], size: Grid, parts: Sequence[GridPart] = ()
) -> Iterator[Cell]:
    """Every cell of the grid, each once; a rule has no seed to vary and stands once, under the first. A member
    that some of the parts name has its cells in these alone.
    """
    for member in members:
        own = [part for part in parts if member in part.members] or [GridPart(members=(member,))]
        yield from dict.fromkeys(cell for part in own for cell in _cells(member, languages, size, part))


def _cells(member: str, languages: Sequence[str], size: Grid, part: GridPart) -> Iterator[Cell]:
    seeds = part.seeds or size.seeds
    for scope in part.scopes or size.scopes:
        for labels in part.labels or size.labels:
            for seed in seeds[:1] if member in BY_NAME else seeds:
                for lang in sorted(set(languages)) if scope == "mono" else [None]:
                    yield Cell(member, scope, labels, seed, lang)


def key_of(cell: Cell, passages: pl.DataFrame, backbone: Backbone | None, device: str | None = None) -> str:
    """What decides a fitted cell: its passages, the settings of its training, its place in the grid, the
    code, versions and device (that of this process where none is named).
    """
    how = None if backbone is None else backbone.content(exclude={"strategy", "cache_bytes"})
    return digest(
        CODE,
        *SHARED,
        cell=cell._asdict(),
        rows=rows_key(passages),
        backbone=how,
        weights=weights_of(backbone),
        on=surroundings(device),
    )


def rows_key(passages: pl.DataFrame, columns: Sequence[str] = COLUMNS) -> str:
    """The name of passages by what some of their columns hold."""
    return content_id_of_rows(passages.select(columns).sort("target_id").iter_rows())


def surroundings(device: str | None = None) -> dict:
    """Versions and device that decide the bits of a network; that of this process where none is named."""
    known = {"torch": version("torch"), "transformers": version("transformers")}
    return {**known, "device": device or processes.device()}


def weights_of(backbone: Backbone | None) -> list | None:
    """Names, sizes and times of the files behind a backbone in a local folder; None where there is none."""
    folder = Path(backbone.weights) if backbone else Path()
    if backbone is None or not folder.is_dir():
        return None
    return [
        [path.name, path.stat().st_size, path.stat().st_mtime_ns]
        for path in sorted(folder.iterdir())
        if path.is_file()
    ]
