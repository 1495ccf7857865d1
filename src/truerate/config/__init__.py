"""params.yaml as frozen models: the one place where names, directories and numbers are read.

Unknown keys, wrong types and names that are declared nowhere end in one line that says what is allowed.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, ValidationError, ValidationInfo, field_validator

from truerate.config.blocks import (
    Block,
    Codes,
    Few,
    Items,
    Names,
    Number,
    Sampling,
    Seed,
    Share,
    Size,
    Track,
    Whole,
    Word,
)
from truerate.config.data import Board, HubSource, PublicData, PublicTraining, Rights, Source, Training
from truerate.config.detectors import Backbone, Detector, Entailer, Lora
from truerate.config.halueval import HaluEval, HaluEvalSizes, Task
from truerate.config.hub import Hub
from truerate.config.mfava import Labelling, MFava, MFavaSizes, RateOf, Wild
from truerate.config.models import Endpoint, Llm, Model
from truerate.config.names import mismatched, undeclared
from truerate.config.placement import misplaced
from truerate.config.wildhallucinations import (
    Fetch,
    Search,
    Verification,
    WildHallucinations,
    WildHallucinationsSizes,
)
from truerate.config.yaml_faults import OnceOnly, refuse_secrets, said, veiled, yaml_fault
from truerate.core.errors import SettingsError, listed, meant

__all__ = [
    "Audit",
    "Backbone",
    "Block",
    "Board",
    "Detector",
    "Endpoint",
    "Entailer",
    "Fetch",
    "HaluEval",
    "HaluEvalSizes",
    "Hub",
    "HubSource",
    "Labelling",
    "Llm",
    "Lora",
    "MFava",
    "MFavaSizes",
    "Model",
    "Names",
    "Params",
    "Paths",
    "PublicData",
    "PublicTraining",
    "RateOf",
    "Rights",
    "Sampling",
    "Search",
    "Share",
    "Site",
    "Size",
    "Sizes",
    "Source",
    "Statistics",
    "Task",
    "Track",
    "Tracks",
    "Training",
    "Verification",
    "Wild",
    "WildHallucinations",
    "WildHallucinationsSizes",
    "Word",
    "load_params",
]


_NUMBER = re.compile(
    r"\d[\d_]*(\.[\d_]*)?([eE][+-]?\d+)?|0[xob][\da-fA-F_]+"
)  # of names: as YAML 1.1 or 1.2 reads them
LONGEST = 80  # characters of a name that files and folders bear


class Paths(Block):
    """Folders of the build, relative to params.yaml; `inputs` is read, all others are written (see places.py)."""

    inputs: str
    sources: str
    datasets: str
    annotations: str
    labels: str
    detectors: str
    judgements: str
    audits: str
    truth: str
    scores: str
    leaderboard: str
    metrics: str
    build: str
    site_src: str
    site: str


class Sizes(Block):
    """What one profile builds, by track. One that no board runs needs no block."""

    halueval: HaluEvalSizes | None = None
    mfava: MFavaSizes | None = None
    wildhallucinations: WildHallucinationsSizes | None = None


class Tracks(Block):
    """One block per protocol. One that no board runs needs none."""

    halueval: HaluEval | None = None
    mfava: MFava | None = None
    wildhallucinations: WildHallucinations | None = None


class Audit(Block):
    """The shortcut audit."""

    folds: Annotated[Whole, Field(ge=2, le=100)]
    threshold: Share
    on_shortcut: Literal["flag", "fail"]


class Statistics(Block):
    """Intervals and tests."""

    confidence: Annotated[Number, Field(ge=0.5, le=0.999999)]
    n_bootstrap: Annotated[Whole, Field(ge=100, le=10**5)]
    alpha: Annotated[
        Number, Field(ge=1e-3, le=0.5)
    ]  # 10 / alpha resamples are drawn for each pair of subjects


class Site(Block):
    """The static site."""

    title: Word
    max_samples: Items


class Params(Block):
    """The whole of params.yaml."""

    profile: Literal["demo", "full"]
    seed: Seed
    languages: Annotated[Codes, Field(min_length=1)]
    n_shards: Few
    on_bad_row: Literal["stop", "reject"]
    paths: Paths
    sizes: dict[Literal["demo", "full"], Sizes]
    sources: dict[str, Source]
    boards: Annotated[dict[str, Board], Field(min_length=1)]
    public_data: dict[str, PublicData]
    endpoints: dict[str, Endpoint]
    models: dict[str, Model]
    llm: Llm
    tracks: Tracks
    detectors: dict[str, Detector]
    backbones: dict[str, Backbone]
    audit: Audit
    statistics: Statistics
    site: Site
    hub: Hub

    @field_validator("sources", "boards", "public_data", "endpoints", "models", "detectors", "backbones")
    @classmethod
    def _names_are_paths(cls, named: dict[str, object], asked: ValidationInfo) -> dict[str, object]:
        for name in named:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name.startswith(
                (".", "-")
            ):
                raise ValueError(
                    f"name {name!r} may hold letters, digits, '.', '_' and '-' only, '.' and '-' not first"
                )
            if asked.field_name in ("sources", "boards", "detectors") and _NUMBER.fullmatch(name):
                raise ValueError(
                    f"name {name!r} reads as a number, and DVC takes it for one; begin it with a letter"
                )
            if len(name) > LONGEST:
                raise ValueError(
                    f"name {name[:20] + '…'!r} has {len(name)} characters; folders bear it: name it in at most {LONGEST}"
                )
        return named

    @cached_property
    def values(self) -> dict[str, object]:
        """All settings as plain values, defaults too."""
        return self.model_dump(mode="json")

    @cached_property
    def size(self) -> Sizes:
        """The sizes of the chosen profile."""
        return self.sizes[self.profile]

    def models_on(self, board: str, names: Iterable[str | None]) -> tuple[str, ...]:
        """Those of the named models that may stand on a board: simulated ones only where the source is
        simulated too.
        """
        named = tuple(name for name in names if name is not None)
        if self.source(self.board(board).source).is_simulated:
            return named
        return tuple(name for name in named if not self.endpoints[self.model(name).endpoint].is_simulated)

    def track(self, board: str) -> HaluEval | MFava | WildHallucinations:
        """The settings of the track that a board runs."""
        return getattr(self.tracks, self.board(board).track)

    def size_of(self, board: str) -> HaluEvalSizes | MFavaSizes | WildHallucinationsSizes:
        """The sizes of the track that a board runs, in the chosen profile."""
        return getattr(self.size, self.board(board).track)

    def families(self, board: str) -> tuple[str, ...]:
        """The families of detectors that judge a board."""
        return tuple(
            name for name, family in self.detectors.items() if self.board(board).track in family.tracks
        )

    def secrets(self) -> list[str]:
        """The names of the environment variables that hold secrets: every `…_env`, sorted."""
        found = (
            value for block in _blocks(self.values) for key, value in block.items() if key.endswith("_env")
        )
        return sorted({value for value in found if isinstance(value, str)})

    def board(self, name: str) -> Board:
        """A declared board, or TruerateError with the declared names."""
        return _declared("board", name, self.boards)

    def model(self, alias: str) -> Model:
        """A declared model, or TruerateError with the declared names."""
        return _declared("model", alias, self.models)

    def source(self, name: str) -> Source:
        """A declared source, or TruerateError with the declared names."""
        return _declared("source", name, self.sources)


def _blocks(value: object) -> Iterator[dict]:
    """Every mapping inside plain values."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _blocks(inner)


def load_params(path: str | Path = "params.yaml") -> Params:
    """Read and check params.yaml. Raises TruerateError with one line per mistake."""
    path = Path(path)
    try:
        found = yaml.load(path.read_text("utf-8"), Loader=OnceOnly)
    except OSError as error:
        raise SettingsError(
            f"reading {str(path)!r}: {error.strerror}; run truerate in the folder that holds params.yaml"
        ) from None
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"reading {str(path)!r}: not UTF-8 at byte {error.start}; save it as UTF-8"
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date or number that is none
        raise SettingsError(yaml_fault(error, str(path))) from None
    if isinstance(found, dict):
        refuse_secrets(found, path.name)
    try:
        params = Params.model_validate(found)
    except ValidationError as error:
        raise SettingsError(
            "\n".join(said(error.errors(include_url=False), Params, file=path.name))
        ) from None
    for looked_at in ((*misplaced(params), *undeclared(params)), mismatched(params)):
        if lines := [veiled(f"{path.name}: {line}") for line in dict.fromkeys(looked_at)]:
            raise SettingsError("\n".join(lines))
    return params


def _declared(kind: str, name: str, declared: dict):
    if name not in declared:
        raise SettingsError(
            f"{kind} {name!r} is not declared in params.yaml{meant(name, declared)}; declared: {listed(declared)}"
        )
    return declared[name]
