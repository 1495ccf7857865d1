"""What every block of params.yaml is made of: a frozen model, and the kinds of values that many have, each
with its bounds.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from truerate.config.faults import MAPPED, NAMED


def _is_whole(value: object) -> object:
    """The value itself; ValueError for a truth value, text or fraction, which pydantic takes."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("must be a whole number")
    return value


def _is_number(value: object) -> object:
    """The value itself; ValueError for a truth value. A text may be a number: YAML takes 1e-4 for one."""
    if isinstance(value, bool):
        raise ValueError("must be a number")
    return value


# Bounds keep slips of the finger (a unit, some zeros) from running on without a word; each lies far beyond
# what is of use.
Whole = Annotated[int, BeforeValidator(_is_whole)]
Number = Annotated[float, BeforeValidator(_is_number)]
Share = Annotated[Number, Field(ge=0, le=1)]
Size = Annotated[Whole, Field(ge=1, le=10**9)]
Count = Annotated[Whole, Field(ge=0, le=10**9)]
Items = Annotated[Whole, Field(ge=1, le=10**6)]  # things that are built; the papers' most are 40,000
ItemsOrNone = Annotated[Whole, Field(ge=0, le=10**6)]
Few = Annotated[Whole, Field(ge=1, le=1000)]  # of what is done for every item
Seed = Annotated[Whole, Field(ge=0, lt=2**32)]  # what every generator of random numbers takes
Seconds = Annotated[Number, Field(gt=0, le=7 * 86400)]
Pause = Annotated[Number, Field(ge=0, le=86400)]
Word = Annotated[str, Field(min_length=1)]
# What becomes of a reply that ends at its limit of tokens: it stands as it is, it is read up to its last
# whole line or word, or it is dead.
Cut = Literal["keep", "read", "drop"]


def once(values: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """The tuple itself; ValueError where a value occurs in it twice."""
    repeated = [value for index, value in enumerate(values) if value in values[:index]]
    if repeated:
        raise ValueError(f"{repeated[0]!r} stands there twice")
    return values


def like(pattern: str, what: str) -> AfterValidator:
    """Return what a text must be like as a whole, said in words: `must be …`."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"must be {what}")
        return text

    return AfterValidator(check)


def _not_a_key(name: str) -> str:
    """The name itself; ValueError if it looks like a key: long, with digits, without underscore."""
    if len(name) >= 16 and "_" not in name and any(letter.isdigit() for letter in name):
        raise ValueError(f"must be {VARIABLE}")
    return name


VARIABLE = (
    "the name of an environment variable (capitals, digits and '_', such as OPENAI_API_KEY), never a "
    "key itself"
)
Names = Annotated[tuple[Word, ...], AfterValidator(once)]
Variable = Annotated[str, like(r"[A-Z_][A-Z0-9_]{0,79}", VARIABLE), AfterValidator(_not_a_key)]
Revision = Annotated[str, like(r"[0-9a-f]{40}", "a commit: 40 hexadecimal digits, which name it for ever")]
Code = Annotated[str, like(r"[a-z]{2,3}", "a language code of ISO 639, such as en")]
Codes = Annotated[tuple[Code, ...], AfterValidator(once)]
Header = Annotated[Word, like(r"[\x20-\x7e]*", "printable ASCII: it is sent in a header")]


def sendable(value: dict[str, object]) -> dict[str, object]:
    """The mapping itself; ValueError where it cannot be sent as JSON."""
    try:
        orjson.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot be sent as JSON: {error}") from None
    return value


class Block(BaseModel):
    """A frozen block of params.yaml that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


class Sampling(Block):
    """Decoding settings of a request."""

    temperature: Annotated[Number, Field(ge=0, le=10)]
    top_p: Share
    max_tokens: Annotated[Whole, Field(ge=1, le=10**7)]
    frequency_penalty: Annotated[Number, Field(ge=-2, le=2)] = 0.0


class Encoder(Block):
    """BERTScore's encoder (a Hub id or folder), its hidden layer (null: the published one, else the last),
    and the F1 of unlike texts for rescaling (null: none).
    """

    model: Word
    layer: Annotated[Whole, Field(ge=-1, le=200)] | None = None
    baseline: Annotated[Number, Field(ge=-1, lt=1)] | None = None

    @property
    def title(self) -> str:
        """What it is called beside its numbers."""
        layer = "" if self.layer is None else f", layer {self.layer}"
        return f"{self.model}{layer}" + ("" if self.baseline is None else f", rescaled by {self.baseline:g}")


def _way(value: object) -> str:
    """By which of the two ways a measure of similarity is named; its mistakes are those of that way alone."""
    return MAPPED if isinstance(value, Mapping | Encoder) else NAMED


# A measure of similarity: its name, a Hub id or path of an encoder, or an encoder with its layer and
# baseline.
Similarity = Annotated[Annotated[Word, Tag(NAMED)] | Annotated[Encoder, Tag(MAPPED)], Discriminator(_way)]


def measure_name(similarity: str | Encoder) -> str:
    """Return what a measure of similarity is called beside its numbers."""
    return similarity.title if isinstance(similarity, Encoder) else similarity


class SizesOfTrack(Block):
    """How much of a track is built in one profile. A source's command may name each whole number as
    {<track>_<key>}, and what `named` gives. `caps_published`: sizes that also cap published data; null takes
    them whole.
    """

    caps_published: ClassVar[tuple[str, ...]] = ()

    def named(self) -> dict[str, int]:
        """Further numbers that the command of a source may name."""
        return {}

    @property
    def n_items(self) -> int:
        """What is worked on and held in memory, in items of ordinary size: all whole numbers together."""
        return sum(size for size in self.model_dump().values() if isinstance(size, int))


class Track(Block):
    """The settings of a protocol; the class variables say what its keys mean to other packages.

    `released`: tasks whose samples a board can take from a data set that truerate published; `reads_unnamed`:
    one that names no track is read as this. `later`: keys that decide no scratch row. `asks`: keys that name
    models. `builders`: who builds the data set, by role. `among`: names that must be among those of another
    key. `files_in`, `endpoints_in`, `sources_in`: keys that name a user's file, an endpoint, a further
    source. `weights_in`: keys of weights (folder or Hub id), with our own word that may stand there;
    `weights_spared`: those not read if items have the attribute that they would compute. Keys inside blocks
    have dots (`search.recorded`). `cut`: treatment of a reply that ends at its token limit, by purpose;
    default: dead.
    """

    released: ClassVar[tuple[str, ...]] = ()
    reads_unnamed: ClassVar[bool] = False
    later: ClassVar[frozenset[str]] = frozenset()
    asks: ClassVar[tuple[str, ...]] = ()
    builders: ClassVar[Mapping[str, str]] = {}
    rates: ClassVar[tuple[str, ...]] = ("subjects",)
    among: ClassVar[Mapping[str, str]] = {}
    files_in: ClassVar[tuple[str, ...]] = ()
    endpoints_in: ClassVar[tuple[str, ...]] = ()
    sources_in: ClassVar[tuple[str, ...]] = ()
    weights_in: ClassVar[Mapping[str, str | None]] = {}
    weights_spared: ClassVar[Mapping[str, str]] = {}
    cut: ClassVar[Mapping[str, Cut]] = {}

    def setting(self, path: str) -> Any:
        """The value at a place told by dots; of an encoder what it is called by."""
        value: Any = self
        for part in path.split("."):
            value = getattr(value, part)
        return value.model if isinstance(value, Encoder) else value

    def asked(self) -> Iterator[tuple[str, str]]:
        """Every model alias that it names, with the setting that names it."""
        for key in self.asks:
            named = getattr(self, key)
            yield from (
                (key, alias)
                for alias in (named if isinstance(named, tuple) else (named,))
                if alias is not None
            )

    def with_rated(self, alias: str) -> dict[str, list[str]]:
        """The settings of `rates` with one more model in each; empty where the track compares no models."""
        return {key: [*getattr(self, key), alias] for key in self.rates if key in self.asks}

    def models(self) -> tuple[str, ...]:
        """Every model alias that it names, in first-named order."""
        return tuple(dict.fromkeys(alias for _, alias in self.asked()))

    def roles(self) -> dict[str, str | None]:
        """Return who builds the data set, by role."""
        return {role: getattr(self, key) for role, key in self.builders.items()}

    def files(self) -> tuple[str, ...]:
        """Files of the user that decide its rows."""
        return self._named(self.files_in)

    def endpoints(self) -> tuple[str, ...]:
        """Endpoints that it names itself, beside those of its models."""
        return self._named(self.endpoints_in)

    def sources(self) -> tuple[str, ...]:
        """Sources that it names itself, beside the board's own."""
        return self._named(self.sources_in)

    def _named(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return what stands at these places, each once, without what is null."""
        values = (self.setting(path) for path in paths)
        return tuple(dict.fromkeys(value for value in values if value is not None))
