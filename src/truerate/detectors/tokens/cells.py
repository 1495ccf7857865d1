"""One detector of the grid, as it is fitted and as it is read, and what its files are called.

A fitted cell is a folder of plain content (no clock, no host): `facts.json` with what its training found, and
what was learned.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config import Backbone, RateOf
from truerate.core.keys import content_id, draw

NETWORK = "network"
TAUGHT = 0.7  # share of the groups of training passages that is learned from; the others validate


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

    def own(self, passages: pl.DataFrame) -> pl.DataFrame:
        """The passages that it learns from or judges: all, or those of its language."""
        return passages if self.lang is None else passages.filter(lang=self.lang)


class Job(NamedTuple):
    """A cell to fit in `scratch` on its passages; `backbone` is None for a rule. `taught`: the share of their
    groups that it learns from, the others being held back to validate.
    """

    cell: Cell
    passages: pl.DataFrame
    backbone: Backbone | None
    scratch: Path
    taught: float = TAUGHT


class Reader(NamedTuple):
    """A cell fitted in `folder`; `backbone` is None for a rule, else the settings it is read with (masks,
    features, strategy).
    """

    cell: Cell
    folder: Path
    backbone: Backbone | None


def is_taught(group_id: str, share: float) -> bool:
    """Whether a group of training passages is learned from, as a `share` of them is, or held back to validate."""
    return draw("validation", group_id) < share


def halves(passages: pl.DataFrame, share: float = TAUGHT) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Passages to learn from and to validate on, by group: a `share` of the groups is learned from."""
    side = pl.Series([is_taught(group, share) for group in passages["group_id"]], dtype=pl.Boolean)
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
