"""Where texts come from: sources, boards, and the public files that `make real` looks for."""

from string import Formatter
from typing import Annotated, Literal

from pydantic import BeforeValidator, model_validator

from truerate.config.blocks import Block, Codes, Few, Revision, Word

# What detectors that mark tokens are given of a text's documents; see `Board`.
Reference = Literal["lead", "article", "retrieved"]
# Of the keys of a set of public files those that are its board's.
OF_BOARD = ("track", "title", "reference", "reference_sentences", "has_detectors", "settings", "sizes")


class HubSource(Block):
    """A data set on the Hugging Face Hub, pinned to a commit. `config` and `split`: the part of it that is
    read, all of it where null.
    """

    repo: Word
    revision: Revision
    config: Word | None = None
    split: Word | None = None


class Training(Block):
    """A folder whose silver texts are material to learn from. `name`: the source as which they are read, null
    for the one that learns.

    Their ids hold that name: sources that learn from one folder under one name learn once.
    """

    on_bad_row: Literal["stop", "reject"] | None = None
    reader: Word
    path: Word
    name: Word | None = None


def _plain(value: object) -> object:
    """`yes` and `no` as they were written: YAML reads them as true and false."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


class Rights(Block):
    """Whose a source's texts are and what the holder of the rights allows, in the place of what its card says.

    `name`, `citation`, `url`: of the set, as pages and the Hub name it. `licence`: its name or the Hub's id
    (`CC BY 4.0`, `cc-by-4.0`), in the place of the card's, also on those reference texts that bear it.
    `redistribution`: whether its texts may be passed on (`yes`), their ids and labels alone (`ids-only`), or nothing (`no`).
    """

    name: Word | None = None
    citation: Word | None = None
    url: Word | None = None
    licence: Word | None = None
    redistribution: Annotated[Literal["yes", "ids-only", "no"], BeforeValidator(_plain)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "Rights":
        if not self.model_dump(exclude_none=True):
            raise ValueError("name at least one of `name`, `citation`, `url`, `licence`, `redistribution`")
        return self


class Source(Block):
    """Where seed data come from: a folder, a pinned Hub data set, or a command that writes the folder.

    `languages`: what the command is told to write, those of params.yaml where none are named, and those in
    which prompts are put that name none. `training`:
    another folder and its reader, whose silver texts detectors learn from where this source has none of its
    own. `code`: what decides the bytes that `make` writes. `truth_code`: what decides the labels that
    people are said to return on its boards, and the planted truth (`{track}`: the board's). `part`: which
    part of its files is read, for a reader whose files hold several that must not be pooled; `split`: which
    of the splits that its files were published in. `rights`: whose its texts are and what may be done with
    them, where its card does not say. `is_public`: it is the public set of its reader, whose card it bears, whatever the
    checksums of its files; `truerate real` says so of the sets that it finds. `errata`: a file of corrected
    labels with reasons (`sources.errata`), applied when its texts are read. `on_bad_row`: of its files, in place of
    the one of params.yaml.
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
    rights: Rights | None = None
    is_public: bool = False
    on_bad_row: Literal["stop", "reject"] | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> "Source":
        if (self.path is None) == (self.hub is None):
            raise ValueError("name either `path` or `hub`")
        if self.make and not self.path:
            raise ValueError("`make` needs the `path` that it fills")
        return self

    def places(self) -> frozenset[str]:
        """The names in braces of its command: `seed`, `<track>_<size>` …; none of one that cannot be
        filled in.
        """
        try:
            return frozenset(name for _, name, _, _ in Formatter().parse(self.make or "") if name)
        except ValueError:
            return frozenset()


class Board(Block):
    """A protocol on a source. `title` heads its page.

    `settings`, `sizes`: what of its track's block, and of the sizes of the profile, is otherwise on this
    board alone. `reference`: what detectors that mark tokens are given of a text's documents: those of the
    source (of an article its `lead`), the whole `article`, or of that the `reference_sentences` sentences that
    speak most of the text (`retrieved`); others than the lead where a track names its texts to mark (mFAVA).
    `has_detectors`: whether detectors learn on it and judge its texts, and shortcuts are held against its labels.
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
    """What `make real` looks for in a folder of public files; `settings`, `sizes`, `reference`,
    `reference_sentences` and `has_detectors` are its board's. `on_bad_row`: "reject" keeps rows that cannot be used
    beside the others, each with its reason, where the files as published hold some.
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
    on_bad_row: Literal["stop", "reject"] | None = None
    settings: dict[str, object] = {}
    sizes: dict[str, object] = {}

    def board(self, source: str) -> Board:
        """The board of these files, where they are a source of that name."""
        return Board(source=source, **{name: getattr(self, name) for name in OF_BOARD})


def of_public_data(line: str, name: str) -> str:
    """A line on a set of public files that was looked at as a board (`Params.of_public_data`), under its
    own place.
    """
    return line.replace(f"boards.{name}.", f"public_data.{name}.").replace(
        f"board {name!r}", f"public_data.{name}"
    )


class PublicTraining(Block):
    """Another folder of public files whose silver texts detectors learn from."""

    on_bad_row: Literal["stop", "reject"] | None = None
    reader: Word
    folder: Word
