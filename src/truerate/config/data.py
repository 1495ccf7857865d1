"""Where texts come from: sources, boards, and the public files that `make real` looks for."""

from string import Formatter
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from truerate.config.blocks import Block, Codes, Few, Revision, Word

# What detectors that mark tokens are given of a text's documents; see `Board`.
Reference = Literal["lead", "article", "retrieved"]
# What the models of a set were asked to do, in the order of the first page.
ModelTask = Literal[
    "summaries", "documents", "facts", "premises", "dialogue", "languages", "detecting", "verifying"
]
# Of the keys of a set of public files those that are its board's.
OF_BOARD = ("track", "title", "reference", "reference_sentences", "has_detectors", "settings", "sizes")


class HubSource(Block):
    """A data set on the Hugging Face Hub, pinned to a commit. `config`, `split`: the part read, null: all."""

    repo: Word
    revision: Revision
    config: Word | None = None
    split: Word | None = None


class Training(Block):
    """A folder whose silver texts are training data. `name`: the source as which they are read (null: the one
    that learns); it stands in their ids, so sources that share folder and name learn once.
    """

    on_bad_row: Literal["stop", "reject"] | None = None
    reader: Word
    path: Word
    name: Word | None = None


def _plain(value: object) -> object:
    """`yes` and `no` as they were written: YAML reads them as true and false."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


Redistribution = Annotated[Literal["yes", "ids-only", "no"], BeforeValidator(_plain)]


class TaskRights(Block):
    """What holds of the texts of one task, as of a source (`Rights`)."""

    name: Word | None = None
    url: Word | None = None
    licence: Word | None = None
    redistribution: Redistribution | None = None


class Rights(Block):
    """Whose a source's texts are and what the holder allows, in place of its card.

    `name`, `citation`, `url`: of the set, on pages and the Hub. `licence`: its name or the Hub's id, also on
    reference texts under the card's licence. `redistribution`: texts (`yes`), ids and labels alone
    (`ids-only`), or nothing (`no`). `tasks`: where tasks differ, the same by task.
    """

    name: Word | None = None
    citation: Word | None = None
    url: Word | None = None
    licence: Word | None = None
    redistribution: Redistribution | None = None
    tasks: dict[Word, TaskRights] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "Rights":
        if not self.model_dump(exclude_none=True):
            fields = "`name`, `citation`, `url`, `licence`, `redistribution`, `tasks`"
            raise ValueError(f"name at least one of {fields}")
        return self


class AnswerFields(Block):
    """How a file of answers (`reader: answers`) is read, as `truerate rate` reads it. `map`: by role (answer,
    system, label, reference …) the field that is meant where its name does not say so. `verdicts`: fields of
    judges' verdicts or scores, `not:` before those whose high values mean faithful; they flag from
    `threshold` on. `system`: who wrote the answers of which no field says it. `labels`: a file with their labels,
    as `truerate rate --labels` takes it. `files`: patterns of the answers' files below a folder; all where empty.
    """

    labels: Word | None = None
    files: tuple[Word, ...] = ()
    map: dict[Word, Word] = {}
    system: Word | None = None
    verdicts: tuple[Word, ...] = ()
    threshold: float = 0.5


class Source(Block):
    """Where seed data come from: a folder, a pinned Hub data set, or a command that writes the folder.

    `languages`: those that the command writes and prompts default to. `training`: a folder and reader of
    silver texts to learn from. `code`: decides the bytes that `make` writes; `truth_code`: decides simulated
    labels and the planted truth (`{track}`: the board's). `part`, `split`: which part or published split of
    the files is read. `rights`: in place of the card's. `is_public`: it is its reader's public set whatever
    the checksums. `errata`: a file of corrected labels (`sources.errata`). `on_bad_row`: in place of that of
    params.yaml. `knowledge`: of HotpotQA's supporting paragraphs the whole (paragraphs, as where it is null),
    or the supporting sentences alone, as in HaluEval's published files (sentences). `answers`: which field of a
    file of answers is which; its `path` may be the file itself.
    """

    reader: Word
    part: Word | None = None
    split: Literal["train", "validation", "test"] | None = None
    path: Word | None = None
    hub: HubSource | None = None
    make: Word | None = None
    code: tuple[Word, ...] = ()
    truth_code: tuple[Word, ...] = ()
    is_simulated: bool = False
    languages: Codes = ()
    training: "Training | None" = None
    errata: Word | None = None
    knowledge: Literal["paragraphs", "sentences"] | None = None
    rights: Rights | None = None
    is_public: bool = False
    answers: AnswerFields | None = None
    on_bad_row: Literal["stop", "reject"] | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> "Source":
        if (self.path is None) == (self.hub is None):
            raise ValueError("name either `path` or `hub`")
        if self.make and not self.path:
            raise ValueError("`make` needs the `path` that it fills")
        return self

    def places(self) -> frozenset[str]:
        """The names in braces of its command: `seed`, `<track>_<size>` …; none if it cannot be filled in."""
        try:
            return frozenset(name for _, name, _, _ in Formatter().parse(self.make or "") if name)
        except ValueError:
            return frozenset()


# What of a datasheet (pipeline/publishing/datasheet.yaml, which asks) only the author of a board's data set knows.
Author = Literal[
    "purpose", "creators", "funding", "sensitive", "people", "annotators", "period", "review", "consent",
    "used_by", "uses", "avoid", "audience", "restrictions", "contact", "updates", "retention", "contributions",
]  # fmt: skip


class Board(Block):
    """A protocol on a source. `title` heads its page.

    `settings`, `sizes`: overrides of its track's block and of the profile's sizes. `reference`: which text of
    documents token detectors get: the source's (`lead`), the whole `article`, or its `reference_sentences`
    most similar sentences (`retrieved`). `has_detectors`: whether detectors and the shortcut audit run on it.
    """

    track: Word
    source: Word
    title: Word | None = None
    reference: Reference = "lead"
    reference_sentences: Few = 6
    has_detectors: bool = True
    settings: dict[str, object] = {}
    sizes: dict[str, object] = {}


class PublicData(Block):
    """Public files that `make real` looks for; further keys are its board's. `on_bad_row`: stop, or reject
    with a reason. `rights`, `answers`: as of a source, of files that are no set that truerate knows.
    """

    track: Word
    reader: Word
    part: Word | None = None
    folder: Word
    title: Word | None = None
    training: "PublicTraining | None" = None
    reference: Reference = "lead"
    reference_sentences: Few = 6
    has_detectors: bool = True
    rights: Rights | None = None
    answers: AnswerFields | None = None
    on_bad_row: Literal["stop", "reject"] | None = None
    settings: dict[str, object] = {}
    sizes: dict[str, object] = {}

    def board(self, source: str) -> Board:
        """The board of these files, where they are a source of that name."""
        return Board(source=source, **{name: getattr(self, name) for name in OF_BOARD})


def of_public_data(line: str, name: str) -> str:
    """The line of a mistake on a set of public files, under its own place instead of a board's."""
    return line.replace(f"boards.{name}.", f"public_data.{name}.").replace(
        f"board {name!r}", f"public_data.{name}"
    )


class PublicTraining(Block):
    """Another folder of public files whose silver texts detectors learn from."""

    on_bad_row: Literal["stop", "reject"] | None = None
    reader: Word
    folder: Word


class PublishedShare(Block):
    """A share that a published table prints, of its `n` units: `counts`, the columns whose sum counts, or
    `percent`, a column of it in per cent. `direction`: which way is better.
    """

    label: Word
    definition: Word
    direction: Literal["up", "down"] = "down"
    counts: tuple[Word, ...] = ()
    percent: Word | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> "PublishedShare":
        if bool(self.counts) == bool(self.percent):
            raise ValueError("name either `counts` or `percent`")
        return self


class PublishedSet(Block):
    """Whose a published table is, and what of it may be shown; as of a set of public files."""

    name: Word
    citation: Word
    licence: Word
    url: Word
    redistribution: Redistribution


class PublishedTable(Block):
    """Figures that others published, a row per model, whose rows nobody else has: counts, or shares with n.

    `folder`: as of `public_data`; `files` below it, CSV, by version: the first leads. `dated`: the day of the
    figures, `task`: what the models were asked to do. `subject`, `n`: columns; `n` may be a number, of which
    `answered` is a column in per cent.
    `metrics`: the first ranks. `attributes`: columns that say of a model its maker, the day of its launch,
    whether its weights are open, its size in billions of parameters, the model without its setting (`base`) and
    that setting (`effort`). `judge`: whose verdicts they are, `judge_makers` who made it.
    """

    folder: Word
    files: Annotated[dict[Word, Word], Field(min_length=1)]
    title: Word
    dated: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    task: ModelTask | None = None
    set: PublishedSet
    unit: Word = "reply"
    subject: Word
    n: Word | Annotated[int, Field(gt=0)]
    answered: Word | None = None
    metrics: Annotated[dict[Word, PublishedShare], Field(min_length=1)]
    attributes: dict[Literal["maker", "launched", "weights", "billions", "base", "effort"], Word] = {}
    judge: Word | None = None
    judge_makers: tuple[Word, ...] = ()
    caveats: tuple[Word, ...] = ()
