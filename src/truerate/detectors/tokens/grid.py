"""The grid of token detectors: each member once per scope, labels and seed; a mono detector is one per language.

A fitted cell is a folder of plain content (no clock, no host): `facts.json` with what its training found, and
what was learned.
"""

import hashlib
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config import Backbone, Grid
from truerate.core.keys import content_id, digest, draw
from truerate.detectors.tokens import processes
from truerate.detectors.tokens.rules import BY_NAME

FACTS = "facts.json"
COLUMNS = ["target_id", "item_id", "group_id", "lang", "task", "text", "spans", "reference"]
CODE = Path(__file__).parent
SHARED = [
    CODE.parents[1] / part for part in ("core/keys.py", "core/tags.py", "core/text.py", "metrics/ngrams.py")
]


class Cell(NamedTuple):
    """One detector of the grid. `lang` is the language of a mono detector, None for a multi one."""

    member: str
    scope: str
    labels: str
    seed: int
    lang: str | None

    @property
    def name(self) -> str:
        """The name of its folder inside the member's."""
        return "-".join([self.scope, self.labels, str(self.seed), *([self.lang] if self.lang else [])])

    @staticmethod
    def of(member: str, name: str) -> "Cell":
        """The cell of a member whose folder has this name."""
        scope, labels, seed, *lang = name.split("-", 3)
        return Cell(member, scope, labels, int(seed), lang[0] if lang else None)

    @property
    def attributes(self) -> dict:
        """What its judgements say of it."""
        return {"scope": self.scope, "labels": self.labels, "seed": self.seed, "lang": self.lang}

    def own(self, passages: pl.DataFrame) -> pl.DataFrame:
        """The passages that it learns from or judges: all, or those of its language."""
        return passages if self.lang is None else passages.filter(lang=self.lang)


def cells(members: Sequence[str], languages: Sequence[str], size: Grid) -> Iterator[Cell]:
    """Every cell of the grid; a rule has no seed to vary and stands once, under the first."""
    for member in members:
        for scope in size.scopes:
            for labels in size.labels:
                for seed in size.seeds[:1] if member in BY_NAME else size.seeds:
                    for lang in sorted(set(languages)) if scope == "mono" else [None]:
                        yield Cell(member, scope, labels, seed, lang)


def is_taught(group_id: str) -> bool:
    """Whether a group of training passages is learned from (70 %) or held back to validate (30 %)."""
    return draw("validation", group_id) < 0.7


def key_of(cell: Cell, passages: pl.DataFrame, backbone: Backbone | None) -> str:
    """What decides a fitted cell: its passages, the settings of its training, its place in the grid, the
    code, versions and device.
    """
    how = None if backbone is None else backbone.model_dump(mode="json", exclude={"strategy", "cache_bytes"})
    rows = content_id(passages.select(COLUMNS).sort("target_id").rows())
    return digest(
        CODE,
        *SHARED,
        cell=cell._asdict(),
        rows=rows,
        backbone=how,
        weights=weights_of(backbone),
        on=surroundings(),
    )


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


def version_of(folder: Path) -> str:
    """Sixteen hex digits over the names and bytes of a fitted cell, wherever it lies."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return content_id(
        [
            [path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()]
            for path in files
        ]
    )
