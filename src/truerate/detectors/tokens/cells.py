"""One detector of the grid, as it is fitted and as it is read, and what its files are called.

A fitted cell is a folder of plain content (no clock, no host): `facts.json` with what its training found, and
what was learned.
"""

import hashlib
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config import Backbone, Grid, RateOf
from truerate.config.detectors import GridPart
from truerate.core.keys import content_id, content_id_of_rows, draw, files
from truerate.detectors.tokens.rules import BY_NAME
from truerate.detectors.training import processes

NETWORK = "network"
TRAINING_SHARE = 0.7  # share of the groups of training passages that is learned from; the others validate


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

    def is_of(self, detector: RateOf) -> bool:
        """Whether it is a cell of this detector, in whatever seed and language."""
        return (self.member, self.scope, self.labels) == (detector.member, detector.scope, detector.labels)

    def passages_of(self, passages: pl.DataFrame) -> pl.DataFrame:
        """The passages that it learns from or judges: all, or those of its language."""
        return passages if self.lang is None else passages.filter(lang=self.lang)


class Job(NamedTuple):
    """A cell to fit in `scratch` on its passages; `backbone` is None for a rule. `training_share`: the share
    of their groups that it learns from, the others being held back to validate.
    """

    cell: Cell
    passages: pl.DataFrame
    backbone: Backbone | None
    scratch: Path
    training_share: float = TRAINING_SHARE


class Reader(NamedTuple):
    """A cell fitted in `folder`; `backbone` (None for a rule) has the settings of inference."""

    cell: Cell
    folder: Path
    backbone: Backbone | None


def is_training_group(group_id: str, share: float) -> bool:
    """Whether a group of training passages is learned from, as a `share` of them is, or held back to
    validate.
    """
    return draw("validation", group_id) < share


def halves(passages: pl.DataFrame, share: float = TRAINING_SHARE) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Passages to learn from and to validate on, by group: a `share` of the groups is learned from."""
    side = pl.Series([is_training_group(group, share) for group in passages["group_id"]], dtype=pl.Boolean)
    return passages.filter(side), passages.filter(~side)


def version_of(folder: Path) -> str:
    """Sixteen hex digits over the names and bytes of a fitted cell, wherever it lies."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return content_id(
        [
            [path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()]
            for path in files
        ]
    )


COLUMNS = ["target_id", "item_id", "group_id", "lang", "task", "text", "spans", "reference"]
PACKAGE = Path(__file__).parents[2]
CODE = (  # what decides a fitted cell, within the package
    *("detectors/tokens", "detectors/training", "detectors/windows.py", "metrics/ngrams.py"),
    *(
        "metrics/thresholds.py",
        "core/keys.py",
        "core/spans/tags.py",
        "core/sentence_spans.py",
        "core/text.py",
    ),
)


def cells(
    members: Sequence[str], languages: Sequence[str], size: Grid, parts: Sequence[GridPart] = ()
) -> Iterator[Cell]:
    """Every cell of the grid, each once; a rule has no seed to vary and stands once, under the first. A
    member that some of the parts name has its cells in these alone.
    """
    for member in members:
        own_parts = [part for part in parts if member in part.members] or [GridPart(members=(member,))]
        yield from dict.fromkeys(cell for part in own_parts for cell in _cells(member, languages, size, part))


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
    return content_id(
        code_key(CODE),
        cell._asdict(),
        rows_key(passages),
        None if backbone is None else backbone.content(exclude={"strategy", "cache_bytes"}),
        weights_of(backbone),
        surroundings(device),
    )


def code_key(parts: Sequence[str], package: Path = PACKAGE) -> str:
    """The name of code by the paths within the package and the bytes of its files, wherever the package lies."""
    paths = [path for part in parts for path in files(package / part)]
    return content_id(
        [
            [path.relative_to(package).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()]
            for path in paths
        ]
    )


def rows_key(passages: pl.DataFrame, columns: Sequence[str] = COLUMNS) -> str:
    """The name of passages by what some of their columns hold."""
    return content_id_of_rows(passages.select(columns).sort("target_id").iter_rows())


def surroundings(device: str | None = None) -> dict:
    """Versions and device that decide the bits of a network; that of this process where none is named."""
    versions = {"torch": version("torch"), "transformers": version("transformers")}
    return {**versions, "device": device or processes.device()}


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
