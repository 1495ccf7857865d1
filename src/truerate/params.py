"""params.yaml as frozen models: the one place where names, directories and numbers are read.

Unknown keys, wrong types and names that are declared nowhere end in one line that says what is allowed.
"""

from collections.abc import Iterable
from functools import cached_property
from itertools import permutations
from pathlib import Path, PurePath
from typing import Annotated, ClassVar, Literal

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


class HaluEvalSizes(Block):
    """Items per task of HaluEval."""

    qa: Size
    dialogue: Size
    summarization: Size
    general: Size
    general_pool: Size

    @model_validator(mode="after")
    def _pool_holds_kept(self) -> "HaluEvalSizes":
        if self.general_pool < self.general:
            raise ValueError(f"general_pool ({self.general_pool}) must be at least general ({self.general})")
        return self


class MFavaSizes(Block):
    """How much of mFAVA is built.

    `train`: English passages to learn from, `held_out`: others that are only judged; both are translated into every other language.
    `silver`: passages per language. `articles`: per language, for queries in the wild. `natural`: wild replies per language that people
    label. `seeds`: of the detectors. `scopes`: one detector for all languages (multi) or one per language (mono). `labels`: hallucinated
    or not (binary), or its type (category).
    """

    train: Size
    held_out: Annotated[int, Field(ge=0)] = 0
    silver: Size
    articles: Size
    natural: Annotated[int, Field(ge=0)]
    seeds: Annotated[tuple[int, ...], Field(min_length=1), AfterValidator(_once)]
    scopes: Annotated[tuple[Literal["multi", "mono"], ...], Field(min_length=1), AfterValidator(_once)]
    labels: Annotated[tuple[Literal["binary", "category"], ...], Field(min_length=1), AfterValidator(_once)]


class WildHallucinationsSizes(Block):
    """How much of WildHallucinations is built.

    `chats`: conversations that are read (and that the closed world writes). `entities`: at most so many of the curated ones are
    searched for. `labelled`: facts per subject that people label as supported or not. `reviewed`: facts of the error analysis.
    `checked`: entities that people check.
    """

    chats: Size
    entities: Size
    labelled: Annotated[int, Field(ge=0)]
    reviewed: Annotated[int, Field(ge=0)]
    checked: Annotated[int, Field(ge=0)]


class Sizes(Block):
    """What one profile builds, by track."""

    halueval: HaluEvalSizes
    mfava: MFavaSizes
    wildhallucinations: WildHallucinationsSizes


class HubSource(Block):
    """A data set on the Hugging Face Hub, pinned to a commit."""

    repo: str
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class Training(Block):
    """A folder whose silver texts are material to learn from. `name`: the source as which they are read, null for the one that learns.

    Their ids hold that name: sources that learn from one folder under one name learn once.
    """

    reader: str
    path: Word
    name: Word | None = None


class Source(Block):
    """Where seed data come from: a folder, a pinned Hub data set, or a command that writes the folder.

    `languages`: what the command is told to write, those of params.yaml where none are named. `training`: another folder and its reader,
    whose silver texts detectors learn from where this source has none of its own. `part`: which part of its files is read, for a reader
    whose files hold several that must not be pooled.
    """

    reader: str
    part: Word | None = None
    path: Word | None = None
    hub: HubSource | None = None
    make: Word | None = None
    code: tuple[str, ...] = ()
    is_simulated: bool = False
    languages: Names = ()
    training: "Training | None" = None

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
    part: Word | None = None
    folder: str
    title: str | None = None
    training: "PublicTraining | None" = None


class PublicTraining(Block):
    """Another folder of public files whose silver texts detectors learn from."""

    reader: str
    folder: str


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
    """A model that can be asked. `price` is USD per million prompt and completion tokens.

    `accept_length`: a reply that ends at its limit of tokens is kept (mFAVA counts it as cut); without, it is dead for that reason.
    `size_b` (parameters in billions), `languages` (codes that its makers say it speaks), `is_open` (open weights), `retrieval` (it looks
    things up before it answers) and `cutoff` (ISO 8601, the end of its knowledge) are for analyses and cards alone.
    """

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
    size_b: Annotated[float, Field(gt=0)] | None = None
    languages: Names = ()
    is_open: bool | None = None
    retrieval: bool = False
    cutoff: Annotated[str, Field(pattern=r"^\d{4}(-\d{2}){0,2}$")] | None = None

    def content(self) -> dict[str, object]:
        """What of this entry decides a row of a reply, its cost included: all but where it is asked and what is said about it."""
        return self.model_dump(mode="json", exclude={"endpoint", "family", "size_b", "languages", "is_open", "retrieval", "cutoff"})


class Llm(Block):
    """How models are asked."""

    max_attempts: Size
    timeout_s: Annotated[float, Field(gt=0)]
    backoff_s: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]
    budget_usd: Annotated[float, Field(ge=0)] | None
    budget_tokens: Annotated[int, Field(ge=0)] | None
    lease_s: Annotated[float, Field(gt=0)]
    prompts_dir: Word | None


class Track(Block):
    """The settings of a protocol. `later`: those that decide no scratch row."""

    later: ClassVar[frozenset[str]] = frozenset()

    def files(self) -> tuple[str, ...]:
        """Files of the user that decide its rows."""
        return ()


class Sampling(Block):
    """Decoding settings of a request."""

    temperature: Annotated[float, Field(ge=0)]
    top_p: Share
    max_tokens: Size
    frequency_penalty: float = 0.0


class HaluEval(Track):
    """The HaluEval track (HELMA sections 2 and 3)."""

    later: ClassVar[frozenset[str]] = frozenset({"generators", "subjects", "n_annotators", "probe_pass_rate", "n_topics"})

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

    def roles(self) -> dict[str, str | None]:
        """Who builds the data set, by role."""
        return {"generator": self.dataset_generator, "filter judge": self.filter_judge, "responder": self.responder}


class Labelling(Block):
    """How the gold labels of mFAVA are made: who labels how much, and how texts that several labelled are settled."""

    n_annotators: Annotated[int, Field(ge=1)]
    shared_rate: Share
    screening_agreement: Share
    settle: Literal["max-voting", "closest-to-silver"]
    n_plausibility: Annotated[int, Field(ge=0)]


class Wild(Block):
    """Which articles are asked about, and how (mFAVA section 3.3)."""

    min_characters: Annotated[int, Field(ge=0)]
    min_depth: Annotated[float, Field(ge=0)]
    excluded_tags: Names
    queries_per_article: Size
    n_checked: Annotated[int, Field(ge=0)]
    subset_seeds: Annotated[tuple[int, ...], Field(min_length=1), AfterValidator(_once)]
    replicates: Size


class RateOf(Block):
    """The detector whose counts make the rates of a board."""

    member: str
    scope: Literal["multi", "mono"]
    labels: Literal["binary", "category"]


class MFava(Track):
    """The mFAVA track: silver and gold evaluation data, translate-train, rates in the wild (mFAVA sections 3 and 4)."""

    later: ClassVar[frozenset[str]] = frozenset({"subjects", "labelling", "detector", "tokenizer"})

    languages: Annotated[Names, Field(min_length=1)]
    writer: str | None
    translator: str | None
    seq2seq: str | None
    query_writer: str | None
    checker: str | None
    subjects: Names
    n_sentences: tuple[Size, Size]
    writing: Sampling
    inserting: Sampling
    translating: Sampling
    querying: Sampling
    answering: Sampling
    wild: Wild
    labelling: Labelling
    tokenizer: Word
    detector: RateOf

    @model_validator(mode="after")
    def _one_translator(self) -> "MFava":
        if self.translator and self.seq2seq:
            raise ValueError("name `translator` or `seq2seq`, not both")
        return self

    @model_validator(mode="after")
    def _few_to_many(self) -> "MFava":
        if self.n_sentences[0] > self.n_sentences[1]:
            raise ValueError(f"n_sentences is {list(self.n_sentences)}; name the fewer first")
        return self

    def models(self) -> tuple[str, ...]:
        """Every model alias the track names, in first-named order."""
        named = [self.writer, self.translator, self.query_writer, self.checker, *self.subjects]
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def roles(self) -> dict[str, str | None]:
        """Who builds the data set, by role."""
        return {"writer": self.writer, "translator": self.translator, "query writer": self.query_writer, "checker": self.checker}


class Search(Block):
    """Where web pages are searched for: an endpoint or address in the form of Google's Custom Search JSON API, or recorded results.

    `url` is asked with `q`, `num`, and `key` and `cx` from the environment variables named by `key_env` and `engine_env`. With `endpoint`,
    `url` is a path of that endpoint. `recorded`: a JSONL file of queries and their results, asked before any address is.
    """

    endpoint: str | None = None
    url: Word | None = None
    key_env: Word | None = None
    engine_env: Word | None = None
    recorded: Word | None = None
    n_results: Annotated[int, Field(ge=1, le=10)]

    @model_validator(mode="after")
    def _somewhere(self) -> "Search":
        if not (self.url or self.recorded):
            raise ValueError("name `url`, `recorded` or both")
        if self.url and bool(self.endpoint) != self.url.startswith("/"):
            raise ValueError("`url` is a path such as /customsearch/v1 with `endpoint`, else an address that begins with http")
        return self


class Fetch(Block):
    """How pages are fetched, and which are dropped.

    `proxy`: an endpoint through which everything is fetched (as an HTTP proxy), null for none. `allowed_private`: hosts or networks
    that may be private or loopback. `per_host_s`: seconds between two requests to one host, 0 for none; `unlimited_hosts` have none.
    `extract`: main (trafilatura's main text) or tags (all text outside tags, the paper's way).
    """

    proxy: str | None
    concurrency: Size
    timeout_s: Annotated[float, Field(gt=0)]
    max_bytes: Size
    max_redirects: Annotated[int, Field(ge=0)]
    per_host_s: Annotated[float, Field(ge=0)]
    unlimited_hosts: Names
    user_agent: Word
    robots: bool
    allowed_private: Names
    login_hosts: Names
    sign_in_phrases: Names
    extract: Literal["main", "tags"]


class Verification(Block):
    """How facts are verified: passages of so many words, the best `n_passages` by BM25 per fact, so many facts in one call.

    `checked_rate`: share of the facts that are also verified one by one, to hold the batches against. `window`: passages in one call at
    most.
    """

    passage_words: Size
    n_passages: Size
    facts_per_call: Size
    window: Size
    checked_rate: Share


class WildHallucinations(Track):
    """The WildHallucinations track: entities of real chats, web evidence, atomic facts, WildFactScore (sections 2 and 3).

    `curator` verifies names, takes out ambiguous ones and names the domain. `abstention`: which rule decides that a reply abstains.
    `rarity`: ngram (counted in the chats) or a causal model's Hub id or path. `panel`: the frozen list of subjects of whose entities
    the common subset is made, null for all. `gamma`: of the length penalty (FActScore). `domains_above`: entities from which a domain
    has a column.
    """

    later: ClassVar[frozenset[str]] = frozenset({"subjects", "panel", "gamma", "domains_above", "n_annotators"})

    extractor: str | None
    curator: str | None
    fact_writer: str | None
    verifier: str | None
    subjects: Names
    takedown: Word | None
    question: Word
    n_samples: Size
    extracting: Sampling
    curating: Sampling
    answering: Sampling
    writing_facts: Sampling
    verifying: Sampling
    abstention: Literal["measured", "paper"]
    search: Search
    fetch: Fetch
    verification: Verification
    rarity: Word
    panel: Names | None
    gamma: Size
    domains_above: Size
    n_annotators: Size

    def files(self) -> tuple[str, ...]:
        """The take-down list and recorded results."""
        return tuple(path for path in (self.takedown, self.search.recorded) if path is not None)

    @field_validator("question")
    @classmethod
    def _names_the_entity(cls, question: str) -> str:
        if "{entity}" not in question:
            raise ValueError("it must hold {entity}")
        return question

    def models(self) -> tuple[str, ...]:
        """Every model alias the track names, in first-named order."""
        named = [self.extractor, self.curator, self.fact_writer, self.verifier, *self.subjects]
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def roles(self) -> dict[str, str | None]:
        """Who builds the data set, by role."""
        return {"extractor": self.extractor, "curator": self.curator, "fact writer": self.fact_writer, "verifier": self.verifier}


class Tracks(Block):
    """One block per protocol."""

    halueval: HaluEval
    mfava: MFava
    wildhallucinations: WildHallucinations


class Detector(Block):
    """A family of detectors; each member is a row of every board of the tracks it is for.

    With `folds` its members judge whole texts, each by what was learned from the other folds; a member is a rule that needs no weights or
    an entry of `entailment`. Without, they mark tokens: they learn from a board's training texts and judge all others; a member is a rule
    that needs no weights or an entry of `backbones`.
    """

    tracks: Annotated[Names, Field(min_length=1)]
    members: Names
    folds: Annotated[int, Field(ge=2)] | None = None
    entailment: dict[str, "Entailer"] = {}

    @model_validator(mode="after")
    def _entailers_are_members(self) -> "Detector":
        lost = [name for name in self.entailment if name not in self.members]
        if lost or (self.entailment and not self.folds):
            raise ValueError(f"`entailment` names {lost[0]!r}, no member" if lost else "`entailment` needs `folds`: it judges whole texts")
        return self


class Entailer(Block):
    """A network that says whether a passage entails a fact, by Hub id or path; it learns nothing here.

    `max_tokens` of passage and fact together, in batches of `batch` pairs; of a text's passages the `n_passages` that share most words with
    it are read.
    """

    weights: Word
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    max_tokens: Size = 512
    batch: Size = 32
    n_passages: Size = 8


class Lora(Block):
    """Low-rank adapters on all linear layers of a frozen backbone."""

    r: Size
    alpha: Size
    dropout: Share


class Backbone(Block):
    """A network that marks tokens, and how it is trained.

    `weights`: a Hub id or path, or `tiny`: a small network trained from nothing. `mask`: full (every token sees every other, mFAVA's
    bidirectional), causal, or prefix (the reference within itself; an answer sees the reference and itself). `features`: what is added to
    the input embeddings. `word_dropout`: share of the answers' tokens whose own embedding is left out in each step of training, so that
    more is learned from features and neighbours than from wordings. Training stops after `epochs` or `max_steps`, or when validation F1
    has not risen for `patience` evaluations. `batch` answers, cut into rows of at most `token_budget` tokens, `accumulation` batches per
    step.
    """

    weights: Word
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    mask: Literal["full", "causal", "prefix"]
    features: Annotated[tuple[Literal["match", "alignment", "telling"], ...], AfterValidator(_once)] = ()
    word_dropout: Share = 0.0
    max_tokens: Size
    lora: Lora | None = None
    quantise: Literal["none", "4bit"] = "none"
    learning_rate: Annotated[float, Field(gt=0)]
    weight_decay: Annotated[float, Field(ge=0)]
    batch: Size
    accumulation: Size
    token_budget: Size
    epochs: Annotated[float, Field(gt=0)]
    max_steps: Size | None = None
    patience: Size | None = None
    checkpoint_steps: Size = 50
    strategy: Literal["auto", "one_by_one", "kv_cache", "packed"] = "auto"
    cache_bytes: Size = 1_000_000_000

    @model_validator(mode="after")
    def _weights_and_adapters(self) -> "Backbone":
        if self.weights == "tiny" and (self.lora or self.quantise != "none" or self.revision):
            raise ValueError("`tiny` is trained from nothing: it takes no `lora`, `quantise` or `revision`")
        return self


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

    @field_validator("sources", "boards", "public_data", "endpoints", "models", "detectors", "backbones")
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

    def track(self, board: str) -> HaluEval | MFava | WildHallucinations:
        """The settings of the track that a board runs."""
        return getattr(self.tracks, self.board(board).track)

    def size_of(self, board: str) -> HaluEvalSizes | MFavaSizes | WildHallucinationsSizes:
        """The sizes of the track that a board runs, in the chosen profile."""
        return getattr(self.size, self.board(board).track)

    def families(self, board: str) -> tuple[str, ...]:
        """The families of detectors that judge a board."""
        return tuple(name for name, family in self.detectors.items() if self.board(board).track in family.tracks)

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
    members = [name for family in params.detectors.values() if "mfava" in family.tracks for name in family.members]
    allowed = {"member": (members, "detectors for mfava"), "scope": (size.scopes, "scopes"), "labels": (size.labels, "labels")}
    for key, (built, where) in allowed.items() if any(board.track == "mfava" for board in params.boards.values()) else ():
        if (value := getattr(named, key)) not in built:
            where = where if key == "member" else f"sizes.{params.profile}.mfava.{where}"
            raise TruerateError(f"tracks.mfava.detector: {key} {value!r} is not built; {where}: {listed(built)}")
