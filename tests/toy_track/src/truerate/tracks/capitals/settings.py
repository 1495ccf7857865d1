"""The settings of Capitals."""

from typing import ClassVar

from truerate.config.blocks import Items, Names, Sampling, SizesOfTrack, Track


class Sizes(SizesOfTrack):
    """How many countries are asked about."""

    countries: Items


class Settings(Track):
    """Who is asked, and how."""

    asks: ClassVar[tuple[str, ...]] = ("subjects",)
    later: ClassVar[frozenset[str]] = frozenset({"subjects"})

    subjects: Names
    answering: Sampling
