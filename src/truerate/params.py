"""params.yaml as frozen models: the one place where names, directories and numbers are read.

Unknown keys, wrong types and names that are declared nowhere end in one line that says what is allowed.
"""

from collections.abc import Iterable
from functools import cached_property
from itertools import permutations
from pathlib import Path, PurePath
from typing import Annotated, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from truerate.errors import TruerateError, listed
from truerate.mistakes import OnceOnly, refuse_secrets, said

Share = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[int, Field(ge=1)]
Word = Annotated[str, Field(min_length=1)]
Task = Literal["qa", "dialogue", "summarization", "general"]


def _once(named: tuple[str, ...]) -> tuple[str, ...]:
    twice = [name for place, name in enumerate(named) if name in named[:place]]
    if twice:
        raise ValueError(f"{twice[0]!r} stands there twice")
    return named


Names = Annotated[tuple[str, ...], AfterValidator(_once)]


class Block(BaseModel):
    """A frozen block of params.yaml that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


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
    """Items per task of one profile."""

    qa: Size
    dialogue: Size
    summarization: Size
    general: Size
    general_pool: Size

    @model_validator(mode="after")
    def _pool_holds_kept(self) -> "Sizes":
        if self.general_pool < self.general:
            raise ValueError(f"general_pool ({self.general_pool}) must be at least general ({self.general})")
        return self


class HubSource(Block):
    """A data set on the Hugging Face Hub, pinned to a commit."""

    repo: str
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class Source(Block):
    """Where seed data come from: a folder, a pinned Hub data set, or a command that writes the folder."""

    reader: str
    path: Word | None = None
    hub: HubSource | None = None
    make: Word | None = None
    code: tuple[str, ...] = ()
    is_simulated: bool = False

    @model_validator(mode="after")
    def _one_origin(self) -> "Source":
        if (self.path is None) == (self.hub is None):
            raise ValueError("name either `path` or `hub`")
        if self.make and not self.path:
            raise ValueError("`make` needs the `path` that it fills")
        return self


class Board(Block):
    """A protocol on a source. `title` heads its page."""

    track: str
    source: str
    title: str | None = None


class PublicData(Block):
    """What `make real` looks for in a folder of public files."""

    track: str
    reader: str
    folder: str
    title: str | None = None


class Endpoint(Block):
    """An OpenAI-compatible server. `base_url` null with no `launch` means OpenAI's own address."""

    base_url: Annotated[str, Field(pattern=r"^https?://[^/\s]")] | None = None
    api_key_env: Word | None = None
    launch: Word | None = None
    health: str = "/health"
    code: tuple[str, ...] = ()
    concurrency: Size = 16
    linger_s: Annotated[float, Field(ge=0)] = 3.0
    start_s: Annotated[float, Field(gt=0)] = 300.0
    is_simulated: bool = False
    rpm: Size | None = None

    @model_validator(mode="after")
    def _launch_or_address(self) -> "Endpoint":
        if self.launch and self.base_url:
            raise ValueError("name `launch` or `base_url`, not both")
        if self.launch and "{port}" not in self.launch:
            raise ValueError("`launch` must hold {port}")
        return self


class Model(Block):
    """A model that can be asked. `price` is USD per million prompt and completion tokens."""

    endpoint: str
    model: str
    family: str | None = None
    identity: str | None = None
    price: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]] = (0.0, 0.0)
    params: dict[str, float | int | str | bool] = {}
    extra_body: dict[str, object] = {}
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    drop: tuple[str, ...] = ()
    accept_length: bool = False

    def content(self) -> dict[str, object]:
        """What of this entry decides a row of a reply, its cost included: all but where it is asked and who made it."""
        return self.model_dump(mode="json", exclude={"endpoint", "family"})


class Llm(Block):
    """How models are asked."""

    max_attempts: Size
    timeout_s: Annotated[float, Field(gt=0)]
    backoff_s: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]
    budget_usd: Annotated[float, Field(ge=0)] | None
    budget_tokens: Annotated[int, Field(ge=0)] | None
    lease_s: Annotated[float, Field(gt=0)]
    prompts_dir: Word | None


class Sampling(Block):
    """Decoding settings of a request."""

    temperature: Annotated[float, Field(ge=0)]
    top_p: Share
    max_tokens: Size
    frequency_penalty: float = 0.0


class HaluEval(Block):
    """The HaluEval track (HELMA sections 2 and 3)."""

    tasks: Annotated[tuple[Task, ...], Field(min_length=1), AfterValidator(_once)]
    generators: Names
    dataset_generator: str | None
    filter_judge: str | None
    responder: str | None
    subjects: Names
    schemes: Annotated[tuple[Literal["one-pass", "conversational"], ...], Field(min_length=1), AfterValidator(_once)]
    pattern: Literal["assigned", "model"]
    length_slack_words: Annotated[int, Field(ge=0)]
    sampling: Sampling
    recognition: Sampling
    variants: Annotated[
        tuple[Literal["plain", "knowledge", "chain-of-thought", "contrast"], ...], Field(min_length=1), AfterValidator(_once)
    ]
    n_responses: Annotated[int, Field(ge=2)]
    similarity: str
    refinement: bool
    n_retrieved: Size
    knowledge: Literal["source", "retrieved"]
    n_annotators: Annotated[int, Field(ge=2)]
    probe_pass_rate: Share
    n_topics: Annotated[int, Field(ge=2)]

    def models(self) -> tuple[str, ...]:
        """Every model alias the track names, in first-named order."""
        named = [*self.generators, self.dataset_generator, self.filter_judge, self.responder, *self.subjects]
        return tuple(dict.fromkeys(name for name in named if name is not None))


class Tracks(Block):
    """One block per protocol."""

    halueval: HaluEval


class Detector(Block):
    """A family of detectors; each member is a row of every board."""

    members: Names
    folds: Annotated[int, Field(ge=2)]


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
    audit: Audit
    statistics: Statistics
    site: Site

    @field_validator("sources", "boards", "public_data", "endpoints", "models", "detectors")
    @classmethod
    def _names_are_paths(cls, named: dict[str, object]) -> dict[str, object]:
        for name in named:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name.startswith((".", "-")):
                raise ValueError(f"name {name!r} may hold letters, digits, '.', '_' and '-' only")
        return named

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

    def track(self, board: str) -> HaluEval:
        """The settings of the track that a board runs."""
        return getattr(self.tracks, self.board(board).track)

    def board(self, name: str) -> Board:
        """A declared board, or TruerateError with the declared names."""
        return _declared("board", name, self.boards)

    def model(self, alias: str) -> Model:
        """A declared model, or TruerateError with the declared names."""
        return _declared("model", alias, self.models)

    def source(self, name: str) -> Source:
        """A declared source, or TruerateError with the declared names."""
        return _declared("source", name, self.sources)


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
    for alias in params.tracks.halueval.models():
        _declared("model", alias, params.models)
    if params.profile not in params.sizes:
        raise TruerateError(f"profile {params.profile!r} has no block under `sizes`; declared: {listed(params.sizes)}")
