"""The settings of detectors: families, networks that mark tokens, networks of inference."""

from collections.abc import Collection, Mapping
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
from truerate.config.published import Published

Tokens = Annotated[Whole, Field(ge=1, le=10**6)]  # of one text
Epochs = Annotated[Number, Field(gt=0, le=10**4)]  # passes over the training texts; a part of one too
Batch = Annotated[Whole, Field(ge=1, le=10**5)]
LATER = ("warm_up", "windows")  # settings of a backbone that came after the first detectors were trained
Scope = Literal["multi", "mono"]
Labels = Literal["binary", "category"]


class Detector(Block):
    """A family of detectors; each member is a row of every board of the tracks it is for: those of the
    family, or those named in `only`.

    With `folds` its members judge whole texts, each by what was learned from the other folds; a member is a
    rule that needs no weights or an entry of `entailment`. With `judges` they give verdict, segment and
    reason, and each is an entry of it. Without either, they mark tokens; a member is a rule that needs no
    weights or an entry of `backbones`. Judges and token detectors learn from a board's training texts and
    judge all others.

    `grid`: parts of the grid of token detectors; a member that parts name is fitted there alone, one that
    none names over all that the sizes of the track hold.

    `unlabelled`: which token detectors judge texts that nobody labelled: `all` cells of the grid, or those of the
    `rates` alone (the board's `detector`), which is all that scores are made from; others are then asked of texts
    with labels, and a reply without has no marks of theirs in the sample browser.

    With `learns_from` its members learn on that board alone, in this family or in the one that has them
    there; on all other boards of its tracks they judge with what was learned there.

    With `train: false` its members are published detectors, each an entry of `published`: they learn nothing
    and judge all texts of the boards of its tracks.
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
    def _grid_is_of_the_members(self) -> "Detector":
        named = [name for part in self.grid for name in part.members]
        if self.grid and self.kind != "tokens":
            raise ValueError(
                "`grid` is for detectors that mark tokens: leave out `folds` and `judges`, or it"
            )
        if self.unlabelled != "all" and self.kind != "tokens":
            raise ValueError(
                "`unlabelled` is for detectors that mark tokens: leave out `folds` and `judges`, or it"
            )
        if lost := [name for name in named if name not in self.members]:
            raise ValueError(f"`grid` names {lost[0]!r}, no member")
        return self

    @model_validator(mode="after")
    def _published_are_the_members(self) -> "Detector":
        if self.published and self.train:
            raise ValueError("`published` needs `train: false` beside it: such detectors learn nothing here")
        if self.train:
            return self
        if self.folds or self.entailment or self.judges or self.learns_from:
            raise ValueError("`train: false` goes with `published` alone: nothing is learned")
        if lost := [name for name in self.published if name not in self.members]:
            raise ValueError(f"`published` names {lost[0]!r}, no member")
        if lost := [name for name in self.members if name not in self.published]:
            raise ValueError(
                f"member {lost[0]!r} is not in `published`, and `train: false` lets nothing learn"
            )
        return self

    @model_validator(mode="after")
    def _entailers_are_members(self) -> "Detector":
        lost = [name for name in self.entailment if name not in self.members]
        if lost or (self.entailment and not self.folds):
            raise ValueError(
                f"`entailment` names {lost[0]!r}, no member"
                if lost
                else "`entailment` needs `folds`: it judges whole texts"
            )
        return self

    @model_validator(mode="after")
    def _judges_are_the_members(self) -> "Detector":
        if self.judges and (self.folds or self.entailment):
            raise ValueError(
                "`judges` stands alone: its members have `folds` of their own, and no `entailment`"
            )
        if lost := [name for name in self.judges if name not in self.members]:
            raise ValueError(f"`judges` names {lost[0]!r}, no member")
        if self.judges and (lost := [name for name in self.members if name not in self.judges]):
            raise ValueError(f"member {lost[0]!r} is not in `judges`: either all members are judges or none")
        return self

    @property
    def kind(self) -> Literal["texts", "judges", "tokens", "published"]:
        """What its members give: labels of whole texts, judgements with their reasons, marks of tokens, or
        whichever of these their adapters say.
        """
        if not self.train:
            return "published"
        return "texts" if self.folds else "judges" if self.judges else "tokens"

    @model_validator(mode="after")
    def _only_names_what_is_there(self) -> "Detector":
        for member, tracks in self.only.items():
            if member not in self.members:
                raise ValueError(f"`only` names {member!r}, no member")
            if lost := [track for track in tracks if track not in self.tracks]:
                raise ValueError(
                    f"`only` gives {member!r} the track {lost[0]!r}, none of the family's: {', '.join(self.tracks)}"
                )
        return self

    def learns_on(self, board: str) -> bool:
        """Whether it learns on a board, of those that it judges."""
        return self.train and self.learns_from in (None, board)

    def members_on(self, track: str) -> tuple[str, ...]:
        """The members that judge the boards of a track."""
        return tuple(name for name in self.members if track in self.only.get(name, self.tracks))


def teacher_of(name: str, families: Mapping[str, Detector], track: str) -> str | None:
    """The family that teaches one that learns from a board of a track: the first that has all of its members
    there and learns on that board, itself before others; None where there is none.
    """
    learner = families[name]
    for other in (name, *families):
        one = families[other]
        has_all = track in one.tracks and set(learner.members) <= set(one.members_on(track))
        if has_all and learner.learns_from is not None and one.learns_on(learner.learns_from):
            return other
    return None


class Entailer(Block):
    """A network that says whether a passage entails a fact, by Hub id or path; it learns nothing here.

    It is one of natural language inference, or a token detector as `train` writes it and `publish` puts it on
    the Hub: then a fact is entailed as far as none of its tokens is marked. `max_tokens` of passage and fact
    together, in batches of `batch` pairs; of a text's passages the `n_passages` that share most words with it
    are read.
    """

    weights: Word
    revision: Revision | None = None
    max_tokens: Tokens = 512
    batch: Batch = 32
    n_passages: Few = 8


class Judging(Block):
    """How a member of a family judges responses in dialogues: verdict, segment and reason.

    `form`: trees marks words by boosted trees, tiny marks tokens by a backbone, and both compose their reason;
    causal is a decoder that writes all of it. `backbone`: an entry of `backbones`, of forms other than trees.
    What turns probabilities into a verdict is chosen on training texts that were held out: on each of `folds`
    parts in turn (trees), or on one of them. `split`: it learns from the training dialogues (group), or from the
    training samples of all dialogues (sample, as HalluDial was published: texts of one context stand on both
    sides) and judges the others. `batch_tokens`: how many tokens a decoder reads at once, padding and what it
    may write with them; it names nothing that is learned.
    """

    form: Literal["trees", "tiny", "causal"]
    backbone: Word | None = None
    folds: Annotated[Whole, Field(ge=2, le=100)]
    split: Literal["group", "sample"] = "group"
    batch_tokens: Size = 16_384

    @model_validator(mode="after")
    def _networks_have_a_backbone(self) -> "Judging":
        if (self.form == "trees") != (self.backbone is None):
            said = (
                "form trees takes no `backbone`" if self.backbone else f"form {self.form} needs a `backbone`"
            )
            raise ValueError(said)
        return self

    @property
    def is_composed(self) -> bool:
        """Whether its reasons are put together from what can be counted, not written by a model."""
        return self.form != "causal"


class GridPart(Block):
    """A part of the grid of token detectors: these members in these scopes, with these labels and seeds; those
    of the track's sizes where none are named.
    """

    members: Annotated[Names, Field(min_length=1)]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1), AfterValidator(once)] | None = None
    labels: Annotated[tuple[Labels, ...], Field(min_length=1), AfterValidator(once)] | None = None
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(once)] | None = None


class JobResources(Block):
    """What the training of one detector needs of a cluster's node: GPUs, memory, minutes. It decides nothing
    of what is learned.

    `size_b`: billions of parameters of its layers, embeddings left out, by which a plan reckons GPU hours.
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

    `weights`: a Hub id or path, or `tiny`: a small network trained from nothing. `mask`: full (every token
    sees every other, mFAVA's bidirectional), causal, or prefix (the reference within itself; an answer sees
    the reference and itself). `features`: what is added to the input embeddings. `word_dropout`: share of the
    answers' tokens whose own embedding is left out in each step of training, so that more is learned from
    features and neighbours than from wordings. `max_tokens`: the window; of the windows of a reference that does not fit
    beside a text it is judged beside the `windows` that share most with it, or all. Training stops after `epochs` or `max_steps`, or when
    the log loss of the passages held back has not fallen for `patience` evaluations. `batch` answers, cut into rows of at most
    `token_budget` tokens, `accumulation` batches per step. `warm_up`: share of the steps in which the learning
    rate rises. `resources`: what a job of it needs where trainings are jobs of a cluster.
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
    checkpoint_steps: Size = 50
    strategy: Literal["auto", "one_by_one", "packed"] = "auto"
    cache_bytes: Annotated[Whole, Field(ge=1, le=10**13)] | None = None
    resources: JobResources = JobResources()

    def content(self, *, exclude: Collection[str] = ()) -> dict[str, object]:
        """Its values as plain data, which name what was trained with them. A setting of `LATER` stands there
        only where it is not its default: what was trained before there was one keeps its name. What a job
        needs (`resources`) names nothing.
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
    """The detectors that mark tokens on a board: each member once per scope, labels and seed.

    `scopes`: one detector for all languages (multi) or one per language (mono). `labels`: hallucinated or not
    (binary), or its type (category). `epochs`: passes over the training texts in place of each backbone's own.
    The sizes of a track whose texts have spans are a grid.
    """

    seeds: Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(once)]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1), AfterValidator(once)]
    labels: Annotated[tuple[Labels, ...], Field(min_length=1), AfterValidator(once)]
    epochs: Epochs | None = None

    def paced(self, backbones: Mapping[str, Backbone]) -> dict[str, Backbone]:
        """The backbones as they are trained here: for as many epochs as the sizes say, where they do."""
        own = {} if self.epochs is None else {"epochs": self.epochs}
        return {name: backbone.model_copy(update=own) for name, backbone in backbones.items()}


class RateOf(Block):
    """The detector of a grid whose counts make the rates of a board."""

    member: Word
    scope: Scope
    labels: Labels
