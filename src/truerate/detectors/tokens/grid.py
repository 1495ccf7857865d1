"""The grid of token detectors: each member once per scope, labels and seed; a mono detector is one per language."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import polars as pl

from truerate.config import Backbone, Grid
from truerate.core.keys import content_id, digest
from truerate.detectors.tokens.cells import Cell
from truerate.detectors.tokens.rules import BY_NAME
from truerate.detectors.training import processes

COLUMNS = ["target_id", "item_id", "group_id", "lang", "task", "text", "spans", "reference"]
CODE = Path(__file__).parent
SHARED = [
    CODE.parents[1] / part
    for part in ("core/keys.py", "core/tags.py", "core/text.py", "metrics/ngrams.py", "detectors/training")
]


def cells(members: Sequence[str], languages: Sequence[str], size: Grid) -> Iterator[Cell]:
    """Every cell of the grid; a rule has no seed to vary and stands once, under the first."""
    for member in members:
        for scope in size.scopes:
            for labels in size.labels:
                for seed in size.seeds[:1] if member in BY_NAME else size.seeds:
                    for lang in sorted(set(languages)) if scope == "mono" else [None]:
                        yield Cell(member, scope, labels, seed, lang)


def key_of(cell: Cell, passages: pl.DataFrame, backbone: Backbone | None) -> str:
    """What decides a fitted cell: its passages, the settings of its training, its place in the grid, the
    code, versions and device.
    """
    how = None if backbone is None else backbone.content(exclude={"strategy", "cache_bytes"})
    return digest(
        CODE,
        *SHARED,
        cell=cell._asdict(),
        rows=rows_key(passages),
        backbone=how,
        weights=weights_of(backbone),
        on=surroundings(),
    )


def rows_key(passages: pl.DataFrame, columns: Sequence[str] = COLUMNS) -> str:
    """The name of passages by what some of their columns hold."""
    return content_id(passages.select(columns).sort("target_id").rows())


def surroundings() -> dict:
    """Versions and device that decide the bits of a network."""
    return {"torch": version("torch"), "transformers": version("transformers"), "device": processes.device()}


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
