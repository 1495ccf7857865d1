"""The six languages of the wiki: one YAML file of hand-written phrases each, all with the same fields. Entry
k of a list means the same in every language: a sentence is translated by its position. Names and values are
never inflected. In `inserts`, `refusals` and `fillers` a name stands as `called` says, with its article.
"""

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from truerate.core.errors import TruerateError, listed
from truerate_world.data import read_mapping
from truerate_world.lang import read_words

LANGUAGES = ("en", "de", "fr", "tr", "zh", "ar")
_TABLES = read_mapping(Path(__file__).with_name("tables.yaml"))
DOMAINS: dict[str, tuple[str, ...]] = _TABLES["domains"]
RELATIONS: dict[str, str] = _TABLES["relations"]
SYLLABLES_LATIN = tuple(_TABLES["syllables_latin"].split())
TAKEN = frozenset(_TABLES["taken"].split())


class Phrases(NamedTuple):
    """Phrases of one relation of `{s}` (a name) with `{v}` (its value), without full stop. `references`: two
    sentences of references; `answers`: three with a bracket `[right|wrong]`; `asks`: two questions.
    """

    references: tuple[str, ...]
    answers: tuple[str, ...]
    asks: tuple[str, ...]


class Inserts(NamedTuple):
    """Sentences of one hallucination type for every domain, in three lists without common wording."""

    training: tuple[str, ...]
    written: tuple[str, ...]
    natural: tuple[str, ...]


@cache
def load(code: str) -> SimpleNamespace:
    """Return the words of one language; TruerateError where the wiki is not written in it."""
    if code not in LANGUAGES:
        raise TruerateError(
            f"language {code!r} is not spoken in the closed world's wiki; spoken: {listed(LANGUAGES)}"
        )
    return read_words(Path(__file__).with_name(f"{code}.yaml"), relations=Phrases, inserts=Inserts)
