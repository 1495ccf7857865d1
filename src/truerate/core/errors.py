"""The errors that a user is meant to read, as a tree: whoever calls truerate from Python can tell them apart.

    TruerateError        a mistake in input, settings or surroundings, said in one line
    ├── SettingsError    params.yaml, an option of a command, a variable of the environment, a prompt template
    ├── SourceError      files, tables or labels that somebody hands in: not there, not readable, not as their format says
    ├── EndpointError    a model, search, wiki or Hub that refuses, is not there, or does not come up
    ├── BudgetError      the next request could cost more than `llm.budget_usd` or `llm.budget_tokens` leave
    └── StoreError       the store of replies or pages: damaged, of another format, full, or in use by another host

`TruerateError` itself is raised where none of the five is meant, as where a result is asked for that nothing
has built yet. What is not of this tree and no OSError is a fault of truerate.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator


class TruerateError(Exception):
    """A mistake in input, settings or surroundings, in one line: what was being done, which value (repr),
    what is allowed, what to do. The command line prints it and ends with exit code 2.
    """


class SettingsError(TruerateError):
    """A setting, option, variable or prompt template that cannot be used: correct it, then run again."""


class SourceError(TruerateError):
    """Data from elsewhere that cannot be read as what it is said to be: put sound files there."""


class EndpointError(TruerateError):
    """A service refuses, cannot be reached or does not start; what came before is kept."""


class BudgetError(TruerateError):
    """What may be spent leaves no room for the next request. Nothing was sent for it."""


class StoreError(TruerateError):
    """A store of replies or pages that cannot be opened, read or written here."""


def meant(name: object, allowed: Iterable[object], *, cutoff: float = 0.65) -> str:
    """`; did you mean 'aster'?` where a name is close to one of the allowed, else nothing."""
    near = closest(name, allowed, cutoff=cutoff)
    return f"; did you mean {near!r}?" if near else ""


def closest(name: object, allowed: Iterable[object], *, cutoff: float = 0.65) -> str | None:
    """The allowed name that one is nearest to, None where none is near (difflib's ratio below the cutoff)."""
    folded = {str(name_allowed).casefold(): str(name_allowed) for name_allowed in allowed}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None


def listed(names: Iterable[object]) -> str:
    """The names a message offers, sorted and joined by commas; `none` when there are none."""
    return ", ".join(sorted(map(str, names))) or "none"


def mistakes(
    setting: str, check: Callable[..., object], *args: object, near: Callable[[], str] = str
) -> Iterator[str]:
    """The fault of a setting as a line with its place, or nothing; `near` gives likely names."""
    try:
        check(*args)
    except OSError as error:  # a name that no file can have
        yield f"{setting}: {str(error.filename)[:80]!r}: {error.strerror}"
    except TruerateError as error:
        for line in str(error).splitlines():
            what = (
                line.removeprefix(f"{setting}: ")
                .replace("; allowed", f"{near()}; allowed", 1)
                .replace("; known", f"{near()}; known", 1)
            )
            yield what if line.startswith("params.yaml: ") else f"{setting}: {what}"
