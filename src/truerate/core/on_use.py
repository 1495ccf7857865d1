"""Packages that are imported when something of them is first used, where whoever imports them uses nothing."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


class _Later(Loader):
    """Makes a package that is empty, but that its modules can be imported from; its own code runs when it is asked
    for a name that it does not hold.
    """

    def __init__(self, own: Loader):
        self.own = own

    def create_module(self, spec: ModuleSpec) -> None:
        """None: as any module is made."""

    def exec_module(self, module: ModuleType) -> None:
        """Leave the package's own code for later."""

        def come(name: str) -> Any:
            if name.startswith("__"):  # asked by the import of others, of every module
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            del vars(module)["__getattr__"]
            self.own.exec_module(module)
            return getattr(module, name)

        vars(module)["__getattr__"] = come


class _Finder:
    """Finds some packages, to be made so."""

    def __init__(self, names: Iterable[str]):
        self.names = frozenset(names)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package by its name, None for any other."""
        spec = PathFinder.find_spec(name, path, target) if name in self.names else None
        if spec and spec.loader:
            spec.loader = _Later(spec.loader)
        return spec


@contextmanager
def on_use(*names: str) -> Iterator[None]:
    """Packages of these dotted names that are first imported meanwhile come when they are used; one that is not there
    is not missed before, and one that is imported already stays.
    """
    finder = _Finder(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
