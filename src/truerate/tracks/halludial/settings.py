"""The settings of HalluDial."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from truerate.config.blocks import (
    Block,
    Cut,
    Few,
    Items,
    ItemsOrNone,
    Names,
    Number,
    Sampling,
    Share,
    Similarity,
    Track,
    Whole,
    Word,
    measure_name,
    once,
)
from truerate.config.detectors import Grid
from truerate.config.layout import Layout
from truerate.core.errors import listed, meant

Temperature = Annotated[Number, Field(ge=0, le=10)]


class Sizes(Grid):
    """How much of HalluDial is built.

    `dialogues`: whose turns are answered and made to hallucinate, or whose published texts are taken; null:
    all. Of those that are tested on: `tempered`: dialogues that are answered at every temperature; `located`:
    responses of which each subject says where and why; `compared`: pairs of each kind; `natural`:
    conversations with one responder that people label, every turn of them; `meta`: located judgements of each
    subject that are judged themselves. The grid is that of the detectors (`Grid`).
    """

    caps_published: ClassVar[tuple[str, ...]] = ("dialogues",)

    dialogues: Items | None
    tempered: ItemsOrNone
    located: ItemsOrNone
    compared: ItemsOrNone
    natural: ItemsOrNone
    meta: ItemsOrNone


class Split(Block):
    """How the data set is parted: `train`, the share of the dialogues that detectors learn from (the paper:
    .6, of samples).

    `by`: of a source whose published split has texts of one dialogue on both sides, detectors take those
    dialogues whole, so that none has seen what it judges (dialogue); or learn from its train texts and judge
    all of its test texts, as its publishers do (published). Models that are asked judge all test texts.
    """

    train: Share
    by: Literal["dialogue", "published"] = "dialogue"


class Labelling(Block):
    """Who labels natural responses and judgements: `n_annotators` people each; one who agrees with most of
    the others on less than `screening_agreement` of the texts is not counted.
    """

    n_annotators: Few
    screening_agreement: Share


class Settings(Track):
    """The HalluDial track: spontaneous and induced hallucination in dialogues, its place and reason, rates
    per turn and dialogue (HalluDial sections 2 to 4).

    Each kind of question has decoding settings of its own: `responding` those of responses (its temperature
    is the base of all rates), `annotating`, `inducing` (also of matched texts), `detecting` of verdicts, of
    comparisons and of what the meta-judge says, `locating` (null: as `detecting`). `temperatures`: at which
    test dialogues are answered besides. `max_words` of a response, `slack_words` by which an induced one may
    be longer than the right one. `on_broken`: an induced turn that breaks a rule is kept (as published) or
    rejected whole. `max_history_words`: of a longer conversation prompts hold the latest turns. `texts`:
    where a source publishes a data set of this kind, its texts are the board's, and responses of
    `responders` to the test dialogues are rated alone (published); or models write them, and the source's are
    left out (generated). `annotated`: those `responders` whose responses to all dialogues are annotated and
    are texts of the data set (null: all); of the others, responses to the test dialogues are rated.

    Where the paper prints another definition than ours, `paper` takes it. `definition`: what cannot be
    verified is hallucinated, small talk, questions and opinions too, a No has no reason, and each induced
    kind has a prompt of its own with three examples (paper); or such text is exempt, a No says why, and one
    prompt serves both kinds (ours). `topics`: of the texts that a judge passes over (paper), or of all that
    it judges wrongly (ours). `meta_of`: which located judgements are judged themselves.
    """

    released: ClassVar[tuple[str, ...]] = ("dialogue",)
    later: ClassVar[frozenset[str]] = frozenset(
        {"responders", "subjects", "detector", "labelling", "similarity", "n_topics", "topics"}
    )
    asks: ClassVar[tuple[str, ...]] = ("responders", "annotator", "inducer", "subjects", "meta_judge")
    rates: ClassVar[tuple[str, ...]] = ("responders", "subjects")
    among: ClassVar[Mapping[str, str]] = {"annotated": "responders"}
    builders: ClassVar[Mapping[str, str]] = {
        "annotator": "annotator",
        "inducer": "inducer",
        "meta-judge": "meta_judge",
    }
    weights_in: ClassVar[Mapping[str, str | None]] = {"similarity": "chrf"}
    cut: ClassVar[Mapping[str, Cut]] = {
        "respond": "keep",
        "annotate": "read",
        "induce": "drop",
        "match": "drop",
        "detect": "read",
        "locate": "read",
        "compare": "read",
        "meta": "read",
    }

    texts: Literal["published", "generated"] = "published"
    definition: Literal["ours", "paper"] = "ours"
    topics: Literal["ours", "paper"] = "ours"
    meta_of: Literal["all", "positives"] = "all"
    responders: Names
    annotated: Names | None = None
    annotator: str | None
    inducer: str | None
    subjects: Names
    meta_judge: str | None
    detector: Word | None
    max_words: Few
    max_history_words: Annotated[Whole, Field(ge=1, le=10**6)]
    slack_words: Annotated[Whole, Field(ge=0, le=1000)]
    on_broken: Literal["keep", "reject"]
    split: Split
    temperatures: Annotated[tuple[Temperature, ...], AfterValidator(once)]
    responding: Sampling
    annotating: Sampling
    inducing: Sampling
    detecting: Sampling
    locating: Sampling | None = None
    labelling: Labelling
    similarity: Similarity
    n_topics: Annotated[Whole, Field(ge=2, le=1000)]

    @model_validator(mode="after")
    def _base_is_no_other(self) -> "Settings":
        if self.responding.temperature in self.temperatures:
            base = self.responding.temperature
            raise ValueError(
                f"temperatures names {base:g}, at which all is answered already (`responding`); name others"
            )
        return self

    @property
    def base(self) -> str:
        """The temperature of all responses but those of `temperatures`, as rows name it."""
        return f"{self.responding.temperature:g}"

    @property
    def annotated_responders(self) -> tuple[str, ...]:
        """The responders whose responses to all dialogues are annotated."""
        return self.responders if self.annotated is None else self.annotated

    @property
    def measure(self) -> str:
        """What the similarity of reasons is called beside its numbers."""
        return measure_name(self.similarity)


# ---- Mistakes in the settings of a board that only this track can see: a de --------------------------------


def faults(config: Layout, board: str) -> Iterator[str]:
    """A line per mistake, which begins with the place of the setting."""
    settings = config.p.track(board)
    if settings.split.by == "published" and settings.texts == "generated":
        what = "by: published is for texts that the source publishes, and `texts: generated` leaves them out"
        yield f"{config.p.setting_name(board, 'split')}: {what}; name by: dialogue, or texts: published"
    writers = (*settings.responders, settings.inducer)
    if settings.texts == "generated" and not config.p.models_on(board, writers):
        what = "'generated', and neither responders nor inducer is a model that may write for this board"
        yield f"{config.p.setting_name(board, 'texts')} is {what}; name one, or texts: published"
    named = settings.detector
    families, track = config.p.families(board), config.p.board(board).track
    members = [name for family in families for name in config.p.detectors[family].members_on(track)]
    if named is not None and named not in members:
        what = f"{named!r} is no detector of board {board!r}{meant(named, members)}"
        yield f"{config.p.setting_name(board, 'detector')}: {what}; there: {listed(members)}"
