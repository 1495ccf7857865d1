"""The whole of params.yaml as a frozen model, with what its blocks say together of a board."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from truerate.config.blocks import (
    Block,
    Codes,
    Cut,
    Few,
    Items,
    Names,
    Number,
    Seed,
    Share,
    Size,
    SizesOfTrack,
    Whole,
    Word,
)
from truerate.config.data import Author, Board, PublicData, PublishedTable, Source
from truerate.config.detectors import Backbone, Detector, RateOf, teacher_of
from truerate.config.models import Endpoint, Llm, Model
from truerate.config.track_blocks import SettingsByTrack, SizesByTrack, holds, merged, overriding_faults
from truerate.config.web import ArticleRules
from truerate.core.errors import SettingsError, listed, meant

B = TypeVar("B", bound=Block)
# names that YAML 1.1 or 1.2 reads as numbers
_NUMBER = re.compile(r"\d[\d_]*(\.[\d_]*)?([eE][+-]?\d+)?|0[xob][\da-fA-F_]+")
LONGEST = 80  # characters of a name that files and folders bear


class Paths(Block):
    """Folders of the build, relative to params.yaml; `inputs` is read, all others are written (places.py)."""

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


class Audit(Block):
    """The shortcut audit."""

    folds: Annotated[Whole, Field(ge=2, le=100)]
    threshold: Share
    on_shortcut: Literal["flag", "fail"]


class Statistics(Block):
    """Intervals and tests."""

    confidence: Annotated[Number, Field(ge=0.5, le=0.999999)]
    n_bootstrap: Annotated[Whole, Field(ge=100, le=10**5)]
    alpha: Annotated[Number, Field(ge=1e-3, le=0.5)]  # 10 / alpha resamples are drawn for each pair


class Site(Block):
    """The static site."""

    title: Word
    max_samples: Items


class Hub(Block):
    """Publishing to the Hugging Face Hub.

    `licence`: the Hub's id of the data sets' licence, within what their sources allow; null: the strictest of
    these. `allow_emails`, `allow_paths`: addresses (or `*@domain`) and local paths (or `beginning*`) that a
    person found harmless; secrets are never allowed. `rows_per_shard`: at most, in a Parquet file. `partial`: whether a board
    of which only some tasks may go out with their texts goes out, the others as ids. `datasheets`: by board, what
    only its author can answer; `truerate publish` asks for it once.
    """

    licence: Word | None
    allow_emails: Names
    allow_paths: Names
    rows_per_shard: Size
    partial: bool = False
    datasheets: dict[str, dict[Author, Word | None]] = {}


class Params(Block):
    """The whole of params.yaml. Built when the first one is read: the blocks of tracks are found by then."""

    model_config = ConfigDict(defer_build=True)

    profile: Literal["demo", "full"]
    seed: Seed
    languages: Annotated[Codes, Field(min_length=1)]
    n_shards: Few | None
    on_bad_row: Literal["stop", "reject"]
    paths: Paths
    sizes: dict[Literal["demo", "full"], SizesByTrack]
    sources: dict[str, Source]
    boards: dict[str, Board]
    public_data: dict[str, PublicData]
    published_tables: dict[str, PublishedTable] = {}
    endpoints: dict[str, Endpoint]
    models: dict[str, Model]
    llm: Llm
    tracks: SettingsByTrack
    detectors: dict[str, Detector]
    backbones: dict[str, Backbone]
    audit: Audit
    statistics: Statistics
    site: Site
    hub: Hub

    @field_validator("boards")
    @classmethod
    def _has_boards(cls, boards: dict[str, Board], read: ValidationInfo) -> dict[str, Board]:
        if not boards and read.data.get("sources"):
            raise PydanticCustomError("too_short", "must not be empty where sources are declared")
        return boards

    @field_validator(
        "sources",
        "boards",
        "public_data",
        "published_tables",
        "endpoints",
        "models",
        "detectors",
        "backbones",
    )
    @classmethod
    def _names_are_paths(cls, named: dict[str, object], asked: ValidationInfo) -> dict[str, object]:
        for name in named:
            fault = None
            if not re.sub(r"[-_.]", "", name).isalnum() or name.startswith((".", "-")):
                fault = f"{name!r} may hold letters, digits, '.', '_' and '-' only, '.' and '-' not first"
            elif asked.field_name in ("sources", "boards", "detectors") and _NUMBER.fullmatch(name):
                fault = f"{name!r} reads as a number, and DVC takes it for one; begin it with a letter"
            elif len(name) > LONGEST:
                fault = (
                    f"{name[:20] + '…'!r} has {len(name)} characters; folders bear it: name it in at "
                    f"most {LONGEST}"
                )
            if fault:
                raise ValueError(f"name {fault}")
        return named

    @cached_property
    def values(self) -> dict[str, object]:
        """All settings as plain values, defaults too."""
        return self.model_dump(mode="json")

    @model_validator(mode="after")
    def _boards_may_override(self) -> "Params":
        faults = [
            fault
            for kind in ("boards", "public_data")
            for name, board in getattr(self, kind).items()
            for part, blocks in (("settings", self.tracks), ("sizes", self.sizes.get(self.profile, {})))
            for fault in overriding_faults(blocks.get(board.track), getattr(board, part), (kind, name, part))
        ]
        if faults:
            raise ValidationError.from_exception_data("Params", faults)
        return self

    @property
    def size(self) -> SizesByTrack:
        """The sizes of the chosen profile."""
        return self.sizes[self.profile]

    def models_on(self, board: str, names: Iterable[str | None]) -> tuple[str, ...]:
        """Those of the named models that may stand on a board: simulated ones only on a simulated source."""
        named = tuple(name for name in names if name is not None)
        if self.source(self.board(board).source).is_simulated:
            return named
        return tuple(name for name in named if not self.endpoints[self.model(name).endpoint].is_simulated)

    def track(self, board: str) -> Any:
        """Settings of a board's track with the board's overrides: the track's own `Settings`, hence Any."""
        entry = self.board(board)
        return merged(self.tracks[entry.track], entry.settings)

    def size_of(self, board: str) -> Any:
        """The sizes of a board's track in the profile with the board's overrides: the track's own `Sizes`."""
        entry = self.board(board)
        return merged(self.size[entry.track], entry.sizes)

    def sizes_for(self, source: Source) -> dict[str, int]:
        """The sizes that a source's command may name: `{<track>_<size>}` for every whole number, and `named`
        ones. Each is the largest over the boards of what the command writes, or the profile's for a track
        without such a board.
        """
        filled = {
            name
            for name, other in self.sources.items()
            if (other.path, other.make) == (source.path, source.make)
        }
        boards = [name for name, board in self.boards.items() if board.source in filled]
        largest: dict[str, int] = {}
        for track, of_profile in self.size.items():
            of_boards = [self.size_of(name) for name in boards if self.board(name).track == track]
            for size in of_boards or [of_profile]:
                for name, n in _numbers(track, size).items():
                    largest[name] = max(n, largest.get(name, n))
        return largest

    def of_public_data(self) -> "Iterator[tuple[str, Params]]":
        """Each set of public files with own settings, as settings of its board alone (`truerate real`)."""
        for name, public in self.public_data.items():
            if public.settings or public.sizes:
                source = Source(reader=public.reader, part=public.part, path=public.folder)
                board = public.board(name)
                detectors = {
                    key: family
                    for key, family in self.detectors.items()
                    if family.learns_from in (None, name)
                }
                sources = {**self.sources, name: source}  # settings of other tracks may name those declared
                hub = self.hub.model_copy(update={"datasheets": {}})  # they are of other boards
                alone = {"boards": {name: board}, "sources": sources, "detectors": detectors, "hub": hub}
                yield name, self.model_copy(update=alone)

    def setting_name(self, board: str, key: str) -> str:
        """Return where the setting that counts for a board stands: with the board, else with its track."""
        entry = self.board(board)
        return (
            f"boards.{board}.settings.{key}" if holds(entry.settings, key) else f"tracks.{entry.track}.{key}"
        )

    def rate_of(self, board: str) -> RateOf | None:
        """The detector whose counts make a board's rates; None where its track counts nothing."""
        return next((value for _, value in self.track(board) if isinstance(value, RateOf)), None)

    def articles(self) -> tuple[ArticleRules, tuple[str, ...]]:
        """The article rules of the first track with some, and its languages. Raises SettingsError."""
        for settings in self.tracks.values():
            for _, value in settings:
                if isinstance(value, ArticleRules):
                    return value, tuple(getattr(settings, "languages", self.languages))
        raise SettingsError(
            "fetching articles: params.yaml has no block under `tracks` with rules of which articles fit "
            f"(`min_characters`, `excluded_tags`); there: {listed(self.tracks)}"
        )

    def is_model(self, name: str) -> bool:
        """Return whether a name is that of a declared model."""
        return name in self.models

    def used_sources(self) -> tuple[str, ...]:
        """The sources that some board reads, in the order of params.yaml: what the stage `sources` makes."""
        read = {board.source for board in self.boards.values()}
        read |= {name for board in self.boards for name in self.track(board).sources()}
        return tuple(name for name in self.sources if name in read)

    def models_of(self, board: str) -> tuple[str, ...]:
        """The declared models that a board's settings name."""
        return tuple(alias for alias in self.track(board).models() if alias in self.models)

    def judging_models(self, board: str) -> tuple[str, ...]:
        """The models that published detectors of a board ask in the words of their adapters."""
        members = [
            self.detectors[name].published.get(member)
            for name in self.families(board)
            for member in self.members(name, board)
        ]
        models = (member.model for member in members if member is not None)
        return tuple(dict.fromkeys(model for model in models if model is not None))

    def judging_endpoints(self, board: str) -> tuple[str, ...]:
        """The endpoints behind these models."""
        return tuple(dict.fromkeys(self.models[alias].endpoint for alias in self.judging_models(board)))

    def endpoints_of(self, board: str) -> tuple[str, ...]:
        """The endpoints that a board may ask: those of its models, and those that its track names itself."""
        asked = (self.models[alias].endpoint for alias in self.models_of(board))
        return tuple(dict.fromkeys((*asked, *self.track(board).endpoints())))

    def families(self, board: str) -> tuple[str, ...]:
        """The families of detectors that judge a board; none of one that is to have none."""
        entry = self.board(board)
        return tuple(
            name
            for name, family in self.detectors.items()
            if entry.has_detectors and entry.track in family.tracks and self.members(name, board)
        )

    def members(self, name: str, board: str) -> tuple[str, ...]:
        """The members of a family that judge a board. A family that learned on another board (`learns_from`)
        stands before others with members of its names, but where it learned: there its teacher judges.
        """
        track, family = self.board(board).track, self.detectors[name]
        members = family.members_on(track)
        if family.learns_from not in (None, board):
            return members
        if family.learns_from == board and teacher_of(name, self.detectors, track) not in (None, name):
            return ()
        others = (other for other in self.detectors.values() if other.learns_from not in (None, board))
        trained = {member for other in others for member in other.members_on(track)}
        return tuple(member for member in members if member not in trained)

    def fitted(self, board: str) -> tuple[str, ...]:
        """Families of detectors that learn on a board: those that judge it and learn from no other one."""
        return tuple(name for name in self.families(board) if self.detectors[name].learns_on(board))

    def teacher(self, name: str, board: str) -> tuple[str, str]:
        """The family and board that trained what a family judges a board with: itself by default."""
        from_board = self.detectors[name].learns_from
        if from_board in (None, board):
            return name, board
        return teacher_of(name, self.detectors, self.board(from_board).track) or name, from_board

    def rules_of_cut(self, track: str | None) -> dict[str, Cut]:
        """Treatment of replies at their token limit, by purpose: `llm.cut`, else the track's, else others."""
        rules = {purpose: rule for settings in self.tracks.values() for purpose, rule in settings.cut.items()}
        rules_of_track = self.tracks[track].cut if track is not None and track in self.tracks else {}
        return {**rules, **rules_of_track, **self.llm.cut}

    def secrets(self) -> list[str]:
        """The names of the environment variables that hold secrets: every `…_env`, sorted."""
        variables = (
            value for block in _blocks(self.values) for key, value in block.items() if key.endswith("_env")
        )
        return sorted({value for value in variables if isinstance(value, str)})

    def board(self, name: str) -> Board:
        """A declared board, or TruerateError with the declared names."""
        return _declared("board", name, self.boards)

    def model(self, alias: str) -> Model:
        """A declared model, or TruerateError with the declared names."""
        return _declared("model", alias, self.models)

    def source(self, name: str) -> Source:
        """A declared source, or TruerateError with the declared names."""
        return _declared("source", name, self.sources)


def _numbers(track: str, size: SizesOfTrack) -> dict[str, int]:
    """The whole numbers of a track's sizes, by the names that a command has for them."""
    numbers = {f"{track}_{name}": n for name, n in size.model_dump().items() if isinstance(n, int)}
    return numbers | size.named()


def _blocks(value: object) -> Iterator[dict[str, object]]:
    """Every mapping inside plain values."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _blocks(inner)


def _declared(kind: str, name: str, declared: Mapping[str, B]) -> B:
    """The block of a name. Raises SettingsError with the declared names where there is none."""
    if name not in declared:
        raise SettingsError(
            f"{kind} {name!r} is not declared in params.yaml{meant(name, declared)}; declared: "
            f"{listed(declared)}"
        )
    return declared[name]
