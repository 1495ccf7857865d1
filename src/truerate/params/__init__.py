"""params.yaml as frozen models: the one place where names, directories and numbers are read.

Unknown keys, wrong types and names that are declared nowhere end in one line that says what is allowed.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import permutations
from pathlib import Path, PurePath
from typing import Annotated, Literal

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from truerate.errors import TruerateError, listed
from truerate.mistakes import OnceOnly, refuse_secrets, said
from truerate.params.blocks import Block, Names, Sampling, Share, Size, Track, Word
from truerate.params.data import Board, HubSource, PublicData, PublicTraining, Source, Training
from truerate.params.detectors import Backbone, Detector, Entailer, Lora
from truerate.params.halueval import HaluEval, HaluEvalSizes, Task
from truerate.params.hub import Hub
from truerate.params.mfava import Labelling, MFava, MFavaSizes, RateOf, Wild
from truerate.params.models import Endpoint, Llm, Model, shared_identity
from truerate.params.wildhallucinations import Fetch, Search, Verification, WildHallucinations, WildHallucinationsSizes

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


class Paths(Block):
    """Folders of the build, relative to params.yaml."""

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

    @model_validator(mode="after")
    def _apart(self) -> "Paths":
        """Folders that hold one another would be emptied with one another: only those of the pages may lie in `build`."""
        folders = {name: PurePath(path) for name, path in self}
        for name, folder in folders.items():
            if not folder.parts or ".." in folder.parts:
                raise ValueError(f"{name} is {str(folder)!r}; name a folder below that of params.yaml")
        for (name, folder), (other, outer) in permutations(folders.items(), 2):
            is_page = other == "build" and name in ("site", "site_src") and folder != outer
            if folder.is_relative_to(outer) and not is_page:
                raise ValueError(f"{name} ({folder}) must not lie in {other} ({outer})")
        return self


class Sizes(Block):
    """What one profile builds, by track."""

    halueval: HaluEvalSizes
    mfava: MFavaSizes
    wildhallucinations: WildHallucinationsSizes


class Tracks(Block):
    """One block per protocol."""

    halueval: HaluEval
    mfava: MFava
    wildhallucinations: WildHallucinations


class Audit(Block):
    """The shortcut audit."""

    folds: Annotated[int, Field(ge=2)]
    threshold: Share
    on_shortcut: Literal["flag", "fail"]


class Statistics(Block):
    """Intervals and tests."""

    confidence: Annotated[float, Field(gt=0, lt=1)]
    n_bootstrap: Annotated[int, Field(ge=100)]
    alpha: Annotated[float, Field(gt=0, lt=1)]


class Site(Block):
    """The static site."""

    title: str
    max_samples: Size


class Params(Block):
    """The whole of params.yaml."""

    profile: Literal["demo", "full"]
    seed: int
    languages: Annotated[Names, Field(min_length=1)]
    n_shards: Size
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
    def _names_are_paths(cls, named: dict[str, object]) -> dict[str, object]:
        for name in named:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name.startswith((".", "-")):
                raise ValueError(f"name {name!r} may hold letters, digits, '.', '_' and '-' only")
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
        """Those of the named models that may stand on a board: simulated ones only where the source is simulated too."""
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
        return tuple(name for name, family in self.detectors.items() if self.board(board).track in family.tracks)

    def secrets(self) -> list[str]:
        """The names of the environment variables that hold secrets: every `…_env`, sorted."""
        found = (value for block in _blocks(self.values) for key, value in block.items() if key.endswith("_env"))
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
        raise TruerateError(f"reading {str(path)!r}: {error.strerror}; run truerate in the folder that holds params.yaml") from None
    except UnicodeDecodeError as error:
        raise TruerateError(f"reading {str(path)!r}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except yaml.YAMLError as error:
        raise TruerateError(f"reading {str(path)!r}: not YAML: {' '.join(str(error).split())}") from None
    if isinstance(found, dict):
        refuse_secrets(found)
    try:
        params = Params.model_validate(found)
    except ValidationError as error:
        raise TruerateError("\n".join(dict.fromkeys(said(fault, Params, file=path.name) for fault in error.errors()))) from None
    _check_names(params)
    return params


def _declared(kind: str, name: str, declared: dict):
    if name not in declared:
        raise TruerateError(f"{kind} {name!r} is not declared in params.yaml; declared: {listed(declared)}")
    return declared[name]


def _check_names(params: Params) -> None:
    """Every name that one block uses is declared in another."""
    for name, board in params.boards.items():
        _declared("source", board.source, params.sources)
        if board.track not in Tracks.model_fields:
            raise TruerateError(
                f"board {name!r}: track {board.track!r} is not declared in params.yaml; declared: {listed(Tracks.model_fields)}"
            )
    for model in params.models.values():
        _declared("endpoint", model.endpoint, params.endpoints)
    if aliases := shared_identity(params.models, params.endpoints):
        named = " and ".join(f"models.{alias} (endpoint {params.models[alias].endpoint!r})" for alias in aliases)
        model = params.models[aliases[0]]
        raise TruerateError(
            f"params.yaml: {named} would share their replies as {model.identity or model.model!r};"
            " give each an `identity:` of its own, such as <weights>@<revision>-<quantisation>"
        )
    for used in (params.tracks.wildhallucinations.search.endpoint, params.tracks.wildhallucinations.fetch.proxy):
        if used is not None:
            _declared("endpoint", used, params.endpoints)
    for track in Tracks.model_fields:
        for alias in getattr(params.tracks, track).models():
            _declared("model", alias, params.models)
    for family in params.detectors.values():
        for track in family.tracks:
            if track not in Tracks.model_fields:
                raise TruerateError(f"detectors: track {track!r} is not declared in params.yaml; declared: {listed(Tracks.model_fields)}")
    if params.profile not in params.sizes:
        raise TruerateError(f"profile {params.profile!r} has no block under `sizes`; declared: {listed(params.sizes)}")
    _check_detector_of_rates(params)


def _check_detector_of_rates(params: Params) -> None:
    """The detector whose counts make mFAVA's rates is one that is built: else its boards would have no rates and nobody would know why."""
    named, size = params.tracks.mfava.detector, params.size.mfava
    members = [name for family in params.detectors.values() for name in family.members_on("mfava")]
    allowed = {"member": (members, "detectors for mfava"), "scope": (size.scopes, "scopes"), "labels": (size.labels, "labels")}
    for key, (built, where) in allowed.items() if any(board.track == "mfava" for board in params.boards.values()) else ():
        if (value := getattr(named, key)) not in built:
            where = where if key == "member" else f"sizes.{params.profile}.mfava.{where}"
            raise TruerateError(f"tracks.mfava.detector: {key} {value!r} is not built; {where}: {listed(built)}")
