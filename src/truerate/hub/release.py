"""What goes out, as plain values: the configs of a data set, the files of a repository, where they go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import polars as pl

from truerate.core.card import Card
from truerate.core.metric import Metric
from truerate.hub.kept import Kept
from truerate.hub.licences import Licence
from truerate.hub.stored import Rows

Files = Mapping[str, bytes | Path]  # the files of a repository by their path in it: content, or where it lies
Kind = Literal["dataset", "model", "space"]

MARK = "truerate.json"  # says of a repository that we made it, of what, and which folders are ours
README, CHANGELOG, CHECKSUMS, CROISSANT = "README.md", "CHANGELOG.md", "SHA256SUMS", "croissant.json"


@dataclass(frozen=True)
class Config:
    """One config of a data set: tables of one kind and one licence, by split; no split is empty. Those that outgrow
    memory are on disk.

    `description` says in one sentence what a row is. `has_texts` is False where the source allows ids and
    labels alone.
    """

    name: str
    splits: Mapping[str, Rows]
    licence: Licence
    description: str
    has_texts: bool = True
    is_default: bool = False


@dataclass(frozen=True)
class BoardFacts:
    """What the card of a data set says, gathered from the built tables.

    `source` and `track` are the cards of the board's source and of its track, `metrics` the records of the
    numbers that its tables name, `models` who wrote or built
    what (role or model → name), `scores` the Score rows of the board, `audit` those of its shortcut audit,
    `findings` the audit's lines above its threshold, `made` the files that made it (path in the repository →
    text: the board's parts of params.yaml and dvc.lock), `is_simulated` whether its source is the closed
    world or alike, `rows` the board's rows of the leaderboard, `is_judged_by_people` whether people's labels are
    its verdicts.
    """

    board: str
    title: str
    track: Card
    source: Mapping[str, object]
    languages: tuple[str, ...]
    models: Mapping[str, str]
    scores: pl.DataFrame
    audit: pl.DataFrame
    findings: tuple[str, ...]
    made: Mapping[str, str]
    is_simulated: bool
    metrics: Mapping[str, Metric]
    counts: pl.DataFrame = field(default_factory=pl.DataFrame)
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    is_judged_by_people: bool = False


@dataclass(frozen=True)
class DetectorFacts:
    """What the card of a detector says: what it learned from, under which licence, and how it did, per language.

    `folder` holds the fitted network (config.json, network.json, tokenizer files, model.safetensors),
    `training` what its training found (facts.json), `scores` the Score rows that name it, `source` the card
    of the source it learned from.
    """

    detector: str
    board: str
    title: str
    folder: Path
    training: Mapping[str, object]
    settings: Mapping[str, object]
    source: Mapping[str, object]
    licence: Licence
    languages: tuple[str, ...]
    scores: pl.DataFrame
    made: Mapping[str, str]
    is_simulated: bool


@dataclass(frozen=True)
class Target:
    """Where to publish: `repo` is org/name, `tag` the version or None; created private unless `is_public`."""

    repo: str
    kind: Kind
    is_public: bool = False
    tag: str | None = None


class Stamp(NamedTuple):
    """When the content of a release last changed (ISO 8601 day), and what made it then: version and commit."""

    dated: str
    maker: str = ""


class Draft(Protocol):
    """A release that is complete but for its date and history, which depend on the repository."""

    @property
    def name(self) -> str:
        """The board or detector."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Folders of the repository that are ours alone: what lies there and is not in `files` is deleted."""

    @property
    def summary(self) -> str:
        """One line for the commit and the change log."""

    def files(self, *, stamp: Stamp, changelog: str, kept: Kept) -> Files:
        """All files: `stamp` dates their content, `changelog` is CHANGELOG.md, `kept` people's part of the card."""
        ...
