"""The languages of the closed world: one YAML file each, all with the same fields (see `en.yaml`)."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from truerate.core.errors import TruerateError, listed
from truerate_world.data import read_mapping

LANGUAGES = ("en",)


class Phrases(NamedTuple):
    """Phrases of one relation: `{s}` subject, `{v}` value, `{x}` what a question is about. `says`: verb
    phrases; `turned`: sentences with the value first; `asks`: questions; `of`: noun phrases for an entity
    (first hop); `wrong`: another relation; `compares`: (question, min or max); `decades`: questions for a
    decade.
    """

    says: tuple[str, ...]
    turned: tuple[str, ...]
    asks: tuple[str, ...]
    wrong: str
    of: tuple[str, ...] = ()
    compares: tuple[tuple[str, str], ...] = ()
    decades: tuple[str, ...] = ()


@cache
def load(code: str) -> SimpleNamespace:
    """Return the words of one language; TruerateError where the world does not speak it."""
    if code not in LANGUAGES:
        raise TruerateError(
            f"language {code!r} is not spoken in the closed world; spoken: {listed(LANGUAGES)}"
        )
    return read_words(Path(__file__).with_name(f"{code}.yaml"), relations=Phrases)


def read_words(path: Path, **records: Callable[..., Any]) -> SimpleNamespace:
    """Return the fields of a language's file; entries of the fields in `records` become such records."""
    fields = read_mapping(path)
    for field, record in records.items():
        fields[field] = {name: record(**entry) for name, entry in fields[field].items()}
    return SimpleNamespace(**fields)
