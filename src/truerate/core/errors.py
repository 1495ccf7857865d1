"""The one error that a user is meant to read."""

import difflib
from collections.abc import Iterable


class TruerateError(Exception):
    """A mistake in input, settings or surroundings, said in one line.

    The message says what was being done, which value was met (repr), what is allowed and what to do next.
    The command line prints it without a traceback and ends with exit code 2.
    """


def meant(name: object, allowed: Iterable[object]) -> str:
    """`; did you mean 'aster'?` where a name is close to one of the allowed, else nothing."""
    near = closest(name, allowed)
    return f"; did you mean {near!r}?" if near else ""


def closest(name: object, allowed: Iterable[object]) -> str | None:
    """The allowed name that one is nearest to, None where none is near."""
    folded = {str(one).casefold(): str(one) for one in allowed}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.65)
    return folded[near[0]] if near else None


def listed(names) -> str:
    """The names a message offers, sorted and joined by commas; `none` when there are none."""
    return ", ".join(sorted(map(str, names))) or "none"
