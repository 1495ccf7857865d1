"""This project's own modules, imported once and lent to those copies of it of which no file differs.

A copy keeps the times of its files, by which Python too tells whether the code that it compiled still holds. In
whatever else is run, no module of the project has been imported.
"""

import importlib
import os
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

PACKAGES = ("truerate", "truerate_world")
# Rooms of `truerate` whose modules, and what these import, leave huggingface_hub and torch alone, and look at no frame.
ROOMS = ("cli", "config", "core", "metrics", "leaderboard", "sources", "tracks", "pipeline", "llm", "site")
BUT = (
    "truerate.pipeline.publishing.publish",
    "truerate.pipeline.publishing.release",
    "truerate.tracks.halludial.protocol",
    "truerate.tracks.halludial.steps",
)

READERS = "truerate.llm.replies."

Files = dict[str, tuple[int, int]]


class Project:
    """The modules of the project in the folder `source`, kept aside; `lend` puts them in their place."""

    def __init__(self, source: Path):
        self.source = str(source)
        self._files = files_in(self.source)
        sys.path.insert(0, self.source)
        for room in ROOMS:
            folder = importlib.import_module(f"truerate.{room}")
            for found in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
                if found.name not in BUT:
                    importlib.import_module(found.name)
        self._compile_patterns()
        self._compile_templates()
        sys.path.remove(self.source)
        own = [name for name in sys.modules if name.partition(".")[0] in PACKAGES]
        self._modules = {name: sys.modules.pop(name) for name in own}

    def _compile_patterns(self) -> None:
        """What reads replies is compiled at its first use: a second of a process that reads some."""
        from truerate.core.patterns import lazy

        own = [vars(module) for name, module in sys.modules.items() if name.startswith(READERS)]
        held = [one for values in own for value in values.values() for one in parts_of(value)]
        for pattern in held:
            if type(pattern) is type(lazy("")):
                pattern.groups  # noqa: B018

    def _compile_templates(self) -> None:
        """The site's templates: the better part of a second of a process that renders it."""
        from truerate.site.render import environment_of

        templates = environment_of(Path(self.source).parent / "site")
        for name in templates.list_templates():
            templates.get_template(name)

    def lend(self, folder: str, paths: list[str]) -> bool:
        """Have the modules imported, as those of the first of `paths` that holds the project, for a process
        that runs in `folder`; not where a file is not there, is another or has been added.
        """
        places = [path for path in (folder, *paths) if os.path.isdir(os.path.join(path, PACKAGES[0]))]
        if not places or files_in(places[0]) != self._files:
            return False
        for module in self._modules.values():
            self._move(module, os.path.abspath(places[0]))
        sys.modules.update(self._modules)
        return True

    def _move(self, module: ModuleType, target: str) -> None:
        """Say of a module that it lies below another folder."""
        spec = module.__spec__
        spec.origin = spec.loader.path = module.__file__ = self._moved(module.__file__, target)
        spec.cached = module.__cached__ = self._moved(module.__cached__, target)
        if spec.submodule_search_locations is not None:
            module.__path__ = [self._moved(path, target) for path in module.__path__]
            spec.submodule_search_locations[:] = module.__path__

    def _moved(self, path: str, target: str) -> str:
        return target + path.removeprefix(self.source)


def parts_of(value: object) -> list[object]:
    """What a mapping or a sequence holds, or the value itself."""
    if isinstance(value, dict):
        return [*value.values()]
    return [*value] if isinstance(value, tuple | list) else [value]


def files_in(source: str) -> Files:
    """Size and time of every file of the project's packages below a folder, by its path there."""
    found: Files = {}
    folders = list(PACKAGES)
    while folders:
        name = folders.pop()
        with os.scandir(os.path.join(source, name)) as entries:
            for entry in entries:
                path = f"{name}/{entry.name}"
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        folders.append(path)
                else:
                    told = entry.stat()
                    found[path] = (told.st_size, told.st_mtime_ns)
    return found
