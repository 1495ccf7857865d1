"""The settings of detectors: families, networks that mark tokens, networks of inference."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from truerate.config.blocks import (
    Block,
    Few,
    Names,
    Number,
    Revision,
    Seed,
    Share,
    Size,
    SizesOfTrack,
    Whole,
    Word,
    once,
)

Tokens = Annotated[Whole, Field(ge=1, le=10**6)]  # of one text
Epochs = Annotated[Number, Field(gt=0, le=10**4)]  # passes over the training texts; a part of one too
Batch = Annotated[Whole, Field(ge=1, le=10**5)]
LATER = (
    "warm_up",
    "windows",
    "threshold",
)  # settings of a backbone that came after the first detectors were trained
Window = Annotated[Whole, Field(ge=16, le=10**6)]  # tokens
Rows = Annotated[Whole, Field(ge=1, le=10**4)]
Scope = Literal["multi", "mono"]
Labels = Literal["binary", "category"]


class Published(Block):
    """A detector that others trained, or that `truerate publish` wrote, by Hub id or folder; nothing is
    learned here.

    `adapter`: an entry of `detectors/published/adapters.py`: how it is asked, what its numbers mean; null:
    found by Hub id, or `truerate` for ours. `model` instead of `weights`: an entry of `models`, asked in the
    adapter's words. `window` (tokens), `threshold`, `licence`, `template` stand above the adapter's. `base`:
    repository of tokenizer and shape. `quantise: 4bit` is for generative judges (extra `gpu`).
    """

    weights: Word | None = None
    revision: Revision | None = None
    adapter: Word | None = None
    model: Word | None = None
    base: Word | None = None
    base_revision: Revision | None = None
    window: Window | None = None
    threshold: Annotated[Number, Field(ge=-1, le=1)] | None = None
    licence: Word | None = None
    template: Word | None = None
    quantise: Literal["none", "4bit"] = "none"
    batch: Rows = 8

    @model_validator(mode="after")
    def _names_one_thing(self) -> "Published":
        if (self.weights is None) == (self.model is None):
            raise ValueError("name either `weights` (a Hub id or a folder) or a `model` that is asked")
        if self.model is not None and self.adapter is None:
            raise ValueError("`model` needs an `adapter`: in which words it is asked")
        if self.model is not None and (self.revision or self.base or self.quantise != "none"):
            raise ValueError(
                "`model` is asked over its endpoint: it takes no `revision`, `base` or `quantise`"
            )
        return self


class Detector(Block):
    """A family of detectors; each member is a row of every board of its tracks, or of the tracks named in
    `only`.

    With `folds` members judge whole texts by what was learned from other folds: rules, or entries of
    `entailment`. With `judges` they give verdict, segment and reason: entries of it. Else they mark tokens:
    rules, or entries of `backbones`; judges and token detectors learn from a board's training texts and judge
    all others. With `train: false` members are entries of `published`, which learn nothing.

    `grid`: parts of the grid of token detectors; members without a part are fitted over the whole grid of the
    sizes. `unlabelled`: cells that judge unlabelled texts: `all`, or those of the `rates` (the board's
    `detector`). `learns_from`: the board on which its members learn, in this family or another; they judge
    all other boards of its tracks with that, in place of members of the same names that learn there.
    """

    tracks: Annotated[Names, Field(min_length=1)]
    members: Names
    only: dict[str, Annotated[Names, Field(min_length=1)]] = {}
    folds: Annotated[Whole, Field(ge=2, le=100)] | None = None
    entailment: dict[str, "Entailer"] = {}
    judges: dict[str, "Judging"] = {}
    learns_from: Word | None = None
    grid: tuple["GridPart", ...] = ()
    unlabelled: Literal["all", "rates"] = "all"
    train: bool = True
    published: dict[str, Published] = {}

    @model_validator(mode="after")
    def _fits_together(self) -> "Detector":
        if fault := next(self._faults(), None):
            raise ValueError(fault)
        return self

    def _faults(self) -> Iterator[str]:
        """The settings of the family that do not fit together."""
        marking = {"grid": bool(self.grid), "unlabelled": self.unlabelled != "all"}
        for name in (name for name, is_given in marking.items() if is_given and self.kind != "tokens"):
            yield f"`{name}` is for detectors that mark tokens: leave out `folds` and `judges`, or it"
        yield from self._strangers("grid", [name for part in self.grid for name in part.members])
        if self.published and self.train:
            yield "`published` needs `train: false` beside it: such detectors learn nothing here"
        if not self.train:
            if self.folds or self.entailment or self.judges or self.learns_from:
                yield "`train: false` goes with `published` alone: nothing is learned"
            yield from self._strangers("published", self.published)
            for name in (name for name in self.members if name not in self.published):
                yield f"member {name!r} is not in `published`, and `train: false` lets nothing learn"
        yield from self._strangers("entailment", self.entailment)
        if self.entailment and not self.folds:
            yield "`entailment` needs `folds`: it judges whole texts"
        if self.judges and (self.folds or self.entailment):
            yield "`judges` stands alone: its members have `folds` of their own, and no `entailment`"
        yield from self._strangers("judges", self.judges)
        for name in (name for name in self.members if self.judges and name not in self.judges):
            yield f"member {name!r} is not in `judges`: either all members are judges or none"
        yield from self._strangers("only", self.only)
        for name, tracks in self.only.items():
            for track in (track for track in tracks if track not in self.tracks):
                yield (
                    f"`only` gives {name!r} the track {track!r}, none of the family's: "
                    f"{', '.join(self.tracks)}"
                )

    def _strangers(self, setting: str, names: Iterable[str]) -> Iterator[str]:
        """A line for each name in a setting that is no member."""
        return (f"`{setting}` names {name!r}, no member" for name in names if name not in self.members)

    @property
    def kind(self) -> Literal["texts", "judges", "tokens", "published"]:
        """What members give: labels of texts, judgements, marks of tokens, or what adapters say."""
        if not self.train:
            return "published"
        return "texts" if self.folds else "judges" if self.judges else "tokens"

    def learns_on(self, board: str) -> bool:
        """Return whether it learns on a board, of those that it judges."""
        return self.train and self.learns_from in (None, board)

    def members_on(self, track: str) -> tuple[str, ...]:
        """The members that judge the boards of a track."""
        return tuple(name for name in self.members if track in self.only.get(name, self.tracks))


def teacher_of(name: str, families: Mapping[str, Detector], track: str) -> str | None:
    """Family that teaches one that learns from a board: the first other one with all its members that learns
    there, else itself; None where it cannot.
    """
    learner = families[name]
    for other in (*(other for other in families if other != name), name):
        family = families[other]
        has_all = track in family.tracks and set(learner.members) <= set(family.members_on(track))
        if has_all and learner.learns_from is not None and family.learns_on(learner.learns_from):
            return other
    return None


class Entailer(Block):
    """A network that says whether a passage entails a fact, by Hub id or path; it learns nothing here.

    A network of natural language inference, or a token detector of ours (a fact is entailed if no token is
    marked). `max_tokens` of passage and fact, `batch` pairs at once, the `n_passages` most similar passages.
    """

    weights: Word
    revision: Revision | None = None
    max_tokens: Tokens = 512
    batch: Batch = 32
    n_passages: Few = 8


class Judging(Block):
    """How a member of a family judges responses in dialogues: verdict, segment and reason.

    `form`: trees (boosted trees on words), tiny (a backbone on tokens), both with composed reasons, or causal
    (a decoder writes all). `backbone`: an entry of `backbones`, not with trees. Thresholds are chosen on
    held-out training texts: each of `folds` parts (trees) or one. `split`: learn from training dialogues
    (group), or from training samples of all dialogues (sample, as HalluDial). `batch_tokens`: tokens that a
    decoder reads at once.
    """

    form: Literal["trees", "tiny", "causal"]
    backbone: Word | None = None
    folds: Annotated[Whole, Field(ge=2, le=100)]
    split: Literal["group", "sample"] = "group"
    batch_tokens: Size = 16_384

    @model_validator(mode="after")
    def _networks_have_a_backbone(self) -> "Judging":
        if (self.form == "trees") != (self.backbone is None):
            fault = (
                "form trees takes no `backbone`" if self.backbone else f"form {self.form} needs a `backbone`"
            )
            raise ValueError(fault)
        return self

    @property
    def is_composed(self) -> bool:
        """Whether its reasons are put together from what can be counted, not written by a model."""
        return self.form != "causal"


class GridPart(Block):
    """Part of the grid: these members in these scopes, labels and seeds; null: those of the track's sizes."""

    members: Annotated[Names, Field(min_length=1)]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1), AfterValidator(once)] | None = None
    labels: Annotated[tuple[Labels, ...], Field(min_length=1), AfterValidator(once)] | None = None
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(once)] | None = None


class JobResources(Block):
    """What a training job needs of a node: GPUs, memory, minutes. `size_b`: billions of parameters without
    embeddings, by which a plan estimates GPU hours. It decides nothing of what is learned.
    """

    gpus: Annotated[Whole, Field(ge=0, le=64)] = 0
    memory_mb: Size = 4_000
    minutes: Size = 60
    size_b: Annotated[Number, Field(gt=0, le=10**4)] | None = None


class Lora(Block):
    """Low-rank adapters on all linear layers of a frozen backbone."""

    r: Batch
    alpha: Batch
    dropout: Share


class Backbone(Block):
    """A network that marks tokens, and how it is trained.

    `weights`: a Hub id or path, or `tiny` (small, from scratch). `mask`: full, causal, or prefix (the
    reference within itself; an answer sees both). `features`: added to the input embeddings. `word_dropout`:
    share of answer tokens whose embedding is dropped per step. `max_tokens`: the window; a long reference is
    read in the `windows` most similar to the text, or all. Training stops after `epochs` or `max_steps`, or
    when the held-out log loss has not fallen for `patience` evaluations. `batch` answers in rows of
    `token_budget` tokens, `accumulation` batches per step; `warm_up`: share of steps. `threshold`: tokens are
    marked above the p of best F1 on the passages that were held back, or by argmax, above one half (with types:
    where all of them together are likelier than none). `resources`: of its job on a cluster.
    """

    weights: Word
    revision: Revision | None = None
    mask: Literal["full", "causal", "prefix"]
    features: Annotated[tuple[Literal["match", "alignment", "telling"], ...], AfterValidator(once)] = ()
    word_dropout: Share = 0.0
    max_tokens: Tokens
    windows: Few | None = None
    lora: Lora | None = None
    quantise: Literal["none", "4bit"] = "none"
    learning_rate: Annotated[Number, Field(gt=0, le=10)]
    weight_decay: Annotated[Number, Field(ge=0, le=10)]
    batch: Batch
    accumulation: Batch
    token_budget: Size
    epochs: Epochs
    max_steps: Size | None = None
    patience: Size | None = None
    warm_up: Share = 0.1
    threshold: Literal["best-f1", "argmax"] = "best-f1"
    checkpoint_steps: Size = 50
    strategy: Literal["auto", "one_by_one", "packed"] = "auto"
    cache_bytes: Annotated[Whole, Field(ge=1, le=10**13)] | None = None
    resources: JobResources = JobResources()

    def content(self, *, exclude: Collection[str] = ()) -> dict[str, object]:
        """Its values as plain data, which identify what was trained. Settings of `LATER` are left out at
        their default, so that older trainings keep their id; `resources` always.
        """
        values = self.model_dump(mode="json", exclude={*exclude, "resources"})
        same = {
            name for name in LATER if name in values and values[name] == type(self).model_fields[name].default
        }
        return {name: value for name, value in values.items() if name not in same}

    @model_validator(mode="after")
    def _weights_and_adapters(self) -> "Backbone":
        if self.weights == "tiny" and (self.lora or self.quantise != "none" or self.revision):
            raise ValueError("`tiny` is trained from nothing: it takes no `lora`, `quantise` or `revision`")
        return self


class Grid(SizesOfTrack):
    """The token detectors of a board: each member once per scope, labels and seed. `scopes`: all languages
    (multi) or one each (mono). `labels`: hallucinated or not (binary), or its type (category). `epochs`: in
    place of the backbones'.
    """

    seeds: Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(once)]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1), AfterValidator(once)]
    labels: Annotated[tuple[Labels, ...], Field(min_length=1), AfterValidator(once)]
    epochs: Epochs | None = None

    def paced(self, backbones: Mapping[str, Backbone]) -> dict[str, Backbone]:
        """The backbones as they are trained here: for as many epochs as the sizes say, where they do."""
        changes = {} if self.epochs is None else {"epochs": self.epochs}
        return {name: backbone.model_copy(update=changes) for name, backbone in backbones.items()}


class RateOf(Block):
    """The detector of a grid whose counts make the rates of a board."""

    member: Word
    scope: Scope
    labels: Labels
