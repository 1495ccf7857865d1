"""The languages of the track: those that the house knows; English is the one that training passages are written in."""

from collections.abc import Iterable

from truerate.core import languages
from truerate.core.errors import TruerateError, listed
from truerate.core.languages import LANGUAGES, Language

__all__ = ["LANGUAGES", "SOURCE", "Language", "check_languages", "language"]

SOURCE = "en"  # training passages are written in it and translated from it


def language(code: str, where: str = "tracks.mfava.languages") -> Language:
    """A language by its code (`core.languages.language`), named as a setting of the track."""
    return languages.language(code, where)


def check_languages(board: str, declared: Iterable[str], held: Iterable[str], *, source: str) -> None:
    """Raise TruerateError for the first declared language that has no code here, or of which the board's
    source holds nothing.
    """
    held = set(held)
    for code in declared:
        language(code)
        if code not in held:
            hint = f"take {code!r} out of tracks.mfava.languages, or put texts of it there"
            raise TruerateError(
                f"board {board!r}: source {source!r} has nothing in language {code!r}; it has: {listed(held)}; {hint}"
            )
