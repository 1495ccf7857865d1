"""One detector of the grid, or one judge: as it is fitted and as it is read, and what its files are called.

A fitted cell is a folder of plain content (no clock, no host): `facts.json` with the outcome of its training,
and what was learned.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config import Backbone, Grid, Judging, RateOf
from truerate.config.detectors import GridPart
from truerate.core.keys import content_id, content_id_of_rows, draw, files
from truerate.core.schemas import read_json
from truerate.detectors.tokens.rules import BY_NAME
from truerate.detectors.training import processes
from truerate.detectors.training.jobs import FACTS

NETWORK = "network"
TRAINING_SHARE = 0.7  # share of the groups of training passages that is learned from; the others validate
COLUMNS = ("target_id", "item_id", "group_id", "lang", "task", "text", "spans", "reference")
OF_JUDGED = (*COLUMNS, "is_hallucinated", "rationale", "knowledge", "question", "history")
PACKAGE = Path(__file__).parents[2]
CODE = (  # what decides a fitted cell, within the package
    "detectors/tokens", "detectors/training", "metrics/ngrams.py", "metrics/thresholds.py",
    "core/keys.py", "core/spans/tags.py", "core/sentence_spans.py", "core/text.py",
)  # fmt: skip
OF_JUDGES = (*CODE, "detectors/judges", "core/spans/whole_words.py", "core/spans/quotes.py")


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
        """Return the cell of a member whose folder has this name."""
        scope, labels, seed, *lang = name.split("-", 3)
        return Cell(member, scope, labels, int(seed), lang[0] if lang else None)

    @property
    def attributes(self) -> dict:
        """The attributes of its judgements."""
        return {"scope": self.scope, "labels": self.labels, "seed": self.seed, "lang": self.lang}

    def is_of(self, detector: RateOf) -> bool:
        """Return whether it is a cell of this detector, in whatever seed and language."""
        return (self.member, self.scope, self.labels) == (detector.member, detector.scope, detector.labels)

    def passages_of(self, passages: pl.DataFrame) -> pl.DataFrame:
        """Return the passages that it learns from or judges: all, or those of its language."""
        return passages if self.lang is None else passages.filter(lang=self.lang)


class Job(NamedTuple):
    """A cell to fit in `scratch` on passages; `backbone` or `how` None for what has none."""

    cell: Cell
    passages: pl.DataFrame
    backbone: Backbone | None
    scratch: Path
    how: Judging | None = None

    @property
    def training_share(self) -> float:
        """The share of the groups of passages that it learns from; the others validate or decide."""
        return TRAINING_SHARE if self.how is None else 1 - 1 / self.how.folds

    def named(self, device: str | None) -> "Job":
        """Return the job in the folder of `scratch` that its content names (`key_of`)."""
        key = key_of(self.cell, self.passages, self.backbone, device, how=self.how)
        return self._replace(scratch=Path(self.scratch) / f"{self.cell.member}-{key}")


class Reader(NamedTuple):
    """A cell fitted in `folder`; `backbone` (None for what has none) holds the settings of inference."""

    cell: Cell
    folder: Path
    backbone: Backbone | None
    how: Judging | None = None

    @property
    def is_fitted(self) -> bool:
        """Return whether it had anything to learn from."""
        return bool(read_json(self.folder / FACTS)["is_fitted"])


def is_training_group(group_id: str, share: float) -> bool:
    """Return whether a group of training passages is learned from, as a `share` of them is, or validates."""
    return draw("validation", group_id) < share


def halves(passages: pl.DataFrame, share: float = TRAINING_SHARE) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return passages to learn from and to validate on, by group: a `share` of the groups is learned from."""
    side = pl.Series([is_training_group(group, share) for group in passages["group_id"]], dtype=pl.Boolean)
    return passages.filter(side), passages.filter(~side)


def cells(
    members: Sequence[str], languages: Sequence[str], size: Grid, parts: Sequence[GridPart] = ()
) -> Iterator[Cell]:
    """Yield every cell of the grid once; a rule has no seed to vary and stands once, under the first. A
    member that some of the parts name has its cells in these alone.
    """
    for member in members:
        own_parts = [part for part in parts if member in part.members] or [GridPart(members=(member,))]
        chosen: dict[Cell, None] = {}
        for part in own_parts:
            seeds = part.seeds or size.seeds
            axes = (
                part.scopes or size.scopes,
                part.labels or size.labels,
                seeds[: 1 if member in BY_NAME else None],
            )
            for scope, labels, seed in product(*axes):
                for lang in sorted(set(languages)) if scope == "mono" else [None]:
                    chosen[Cell(member, scope, labels, seed, lang)] = None
        yield from chosen


# ---- what names a fitted cell ------------------------------------------------------------------------------
def key_of(
    cell: Cell,
    passages: pl.DataFrame,
    backbone: Backbone | None,
    device: str | None = None,
    *,
    how: Judging | None = None,
) -> str:
    """Return the digest of all that decides a fitted cell: passages, settings of its training, its place in
    the grid, code, versions and device (that of this process where none is named); of a judge its settings
    `how` too.
    """
    columns = COLUMNS if how is None else OF_JUDGED
    versions = {"torch": version("torch"), "transformers": version("transformers")}
    return content_id(
        code_key(CODE if how is None else OF_JUDGES),
        cell._asdict(),
        content_id_of_rows(passages.select(columns).sort("target_id").iter_rows()),
        None if how is None else how.model_dump(mode="json", exclude={"batch_tokens"}),
        None if backbone is None else backbone.content(exclude={"strategy", "cache_bytes"}),
        _weights_of(backbone),
        {**versions, "device": device or processes.device()},
    )


def version_of(folder: Path) -> str:
    """Return sixteen hex digits over the names and bytes of a fitted cell, wherever it lies."""
    return _digest(sorted(path for path in folder.rglob("*") if path.is_file()), folder)


def code_key(parts: Sequence[str], package: Path = PACKAGE) -> str:
    """The digest of code by paths within the package and bytes of files, wherever it lies."""
    return _digest([path for part in parts for path in files(package / part)], package)


def _digest(paths: Iterable[Path], root: Path) -> str:
    return content_id(
        [[path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()] for path in paths]
    )


def _weights_of(backbone: Backbone | None) -> list | None:
    """Names, sizes and times of the files of a backbone's local folder; None without one."""
    folder = Path(backbone.weights) if backbone else Path()
    if backbone is None or not folder.is_dir():
        return None
    named_stats = ((path.name, path.stat()) for path in sorted(folder.iterdir()) if path.is_file())
    return [[name, stat.st_size, stat.st_mtime_ns] for name, stat in named_stats]
