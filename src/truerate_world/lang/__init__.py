"""The languages of the closed world: one module each, all with the same names (see `en`)."""

from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from truerate.core.errors import TruerateError, listed

LANGUAGES = ("en",)


class Phrases(NamedTuple):
    """How a language says one relation. `{s}` is the subject, `{v}` the value, `{x}` what a question is about.

    `says`: verb phrases, at least three. `turned`: whole sentences with the value first. `asks`: questions.
    `of`: noun phrases for the value, where it is an entity (the first hop of a two-hop question). `wrong`: a
    verb phrase that states another relation. `compares`: questions about `{a}` and `{b}` with `min` or `max`.
    `decades`: questions for the decade of a year.
    """

    says: tuple[str, ...]
    turned: tuple[str, ...]
    asks: tuple[str, ...]
    wrong: str
    of: tuple[str, ...] = ()
    compares: tuple[tuple[str, str], ...] = ()
    decades: tuple[str, ...] = ()


def load(code: str) -> ModuleType:
    """The module of one language; TruerateError where the world does not speak it."""
    if code not in LANGUAGES:
        raise TruerateError(
            f"language {code!r} is not spoken in the closed world; spoken: {listed(LANGUAGES)}"
        )
    return import_module(f"{__name__}.{code}")
