"""Which files some Python code imports, read from syntax trees: nothing is imported to know it."""

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

from truerate.core.errors import TruerateError
from truerate.core.keys import files

SOURCE = "src"  # the folder in which packages lie
# The fields of syntax trees that hold statements, or what holds them (handlers of `try`, cases of `match`).
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


Places = Callable[[str], tuple[str, ...]]  # the files of a dotted name
State = tuple[int, ...]  # what tells a file, and whether it is as it was
_READ: dict[State, tuple[tuple[int, str], ...]] = {}


def reached(
    starts: Iterable[str], follows: Callable[[str], bool], *, places: Places | None = None
) -> tuple[str, ...]:
    """The Python files of `starts` (files or folders) and all that they import at any remove, in functions
    too, sorted.

    A module is looked for below SOURCE of the current folder, with the packages around it; of what is
    imported only those files are read for which `follows` says so, and those alone are given. `places`: what
    several walks of one folder look names up with, `finder()`. Raises TruerateError where a file is no
    Python.
    """
    waiting = [str(path) for start in starts for path in files(start) if path.suffix == ".py"]
    seen: set[str] = set()
    places = places or finder()  # a name is looked for once, however many files import it
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += [one for one in imported(path, places) if follows(one)]
    return tuple(sorted(seen))


def imported(path: str, places: Places | None = None) -> tuple[str, ...]:
    """The files below SOURCE that one file imports, with the packages in which they lie."""
    told = os.stat(path)
    state = (told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns)
    return _looked_up(path, state, places) if places else _imported(path, state, finder())


def _imported(path: str, state: State, places: Places) -> tuple[str, ...]:
    names = _names(path, state)
    package = Path(path).with_suffix("").parts[1:-1]  # of what is imported by dots alone
    whole = (".".join((*package[: len(package) + 1 - dots], name)).strip(".") if dots else name
             for dots, name in names)  # fmt: skip
    return tuple(dict.fromkeys(file for name in whole for file in places(name)))


_looked_up = lru_cache(4096)(_imported)  # walks that share what they look names up with meet the same files


def _names(path: str, state: State) -> tuple[tuple[int, str], ...]:
    """What a file imports, as `_names_in` gives it; read once in a state, under whatever path it is found."""
    if (found := _READ.get(state)) is None:
        try:
            found = _READ[state] = _names_in(Path(path).read_text("utf-8"))
        except (SyntaxError, ValueError) as error:
            said = f"{error.msg} in line {error.lineno}" if isinstance(error, SyntaxError) else str(error)
            raise TruerateError(
                f"{os.path.relpath(path)!r} is no Python: {said}; mend it or take it away"
            ) from None
    return found


@cache  # by the code itself: a process that looks at several copies of a package parses each file once
def _names_in(code: str) -> tuple[tuple[int, str], ...]:
    """What some code imports: the number of leading dots, and a dotted name, whether of a module or of a thing
    in one.
    """
    return tuple(dict.fromkeys(_named(ast.parse(code))))


def _named(node: ast.AST) -> Iterator[tuple[int, str]]:
    """What the statements under a node import; expressions hold no statement, and are not looked into."""
    if isinstance(node, ast.Import):
        yield from ((0, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield node.level, f"{node.module}.{alias.name}" if node.module else alias.name
    else:
        for part in BODIES:
            for inner in getattr(node, part, ()):
                yield from _named(inner)


def finder() -> Places:
    """What gives the files that importing a dotted name runs: its module, and the packages around it. It looks into each
    folder once.
    """

    @cache
    def held(folder: str) -> frozenset[str]:
        try:
            with os.scandir(folder) as entries:
                found = [
                    (entry.name, os.path.isdir(entry.path), os.path.isfile(entry.path)) for entry in entries
                ]
        except OSError:  # none there, no folder, or closed to us
            return frozenset()
        return frozenset(
            f"{name}/" if is_folder else name for name, is_folder, is_file in found if is_folder or is_file
        )

    @cache
    def files_of(name: str) -> tuple[str, ...]:
        found, folder = [], SOURCE
        for part in name.split("."):
            if f"{part}.py" in held(folder):
                found.append(f"{folder}/{part}.py")
            if f"{part}/" not in held(folder):
                break
            folder = f"{folder}/{part}"
            if "__init__.py" in held(folder):
                found.append(f"{folder}/__init__.py")
        return tuple(found)

    return files_of
