"""What every block of params.yaml is made of: a frozen model, and the kinds of values that many have."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[int, Field(ge=1)]
Word = Annotated[str, Field(min_length=1)]


def once(named: tuple) -> tuple:
    """The tuple itself; ValueError where something stands in it twice."""
    twice = [name for place, name in enumerate(named) if name in named[:place]]
    if twice:
        raise ValueError(f"{twice[0]!r} stands there twice")
    return named


Names = Annotated[tuple[str, ...], AfterValidator(once)]


class Block(BaseModel):
    """A frozen block of params.yaml that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


class Sampling(Block):
    """Decoding settings of a request."""

    temperature: Annotated[float, Field(ge=0)]
    top_p: Share
    max_tokens: Size
    frequency_penalty: float = 0.0


class Track(Block):
    """The settings of a protocol. `later`: those that decide no scratch row."""

    later: ClassVar[frozenset[str]] = frozenset()

    def files(self) -> tuple[str, ...]:
        """Files of the user that decide its rows."""
        return ()

    def endpoints(self) -> tuple[str, ...]:
        """Endpoints that it names itself, beside those of its models."""
        return ()
