"""The languages of the closed world: one YAML file each, all with the same fields (see `en.yaml`)."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import yaml

from truerate.core.errors import TruerateError, listed

LANGUAGES = ("en",)
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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


@cache
def load(code: str) -> SimpleNamespace:
    """Return the words of one language; TruerateError where the world does not speak it."""
    if code not in LANGUAGES:
        raise TruerateError(
            f"language {code!r} is not spoken in the closed world; spoken: {listed(LANGUAGES)}"
        )
    return read_words(Path(__file__).with_name(f"{code}.yaml"), relations=Phrases)


def read_words(path: Path, **records: Callable[..., Any]) -> SimpleNamespace:
    """Return the fields of a language's file, lists as tuples; the entries of those in `records` are made into them."""
    fields = _frozen(yaml.load(path.read_text("utf-8"), _Loader))
    for field, record in records.items():
        fields[field] = {name: record(**entry) for name, entry in fields[field].items()}
    return SimpleNamespace(**fields)


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return {key: _frozen(entry) for key, entry in value.items()} if isinstance(value, dict) else value
