"""Where a build writes: which setting names which place, and which places none may name, whatever lies there.

What is only read (a source without `make`, weights, recorded results) may lie anywhere. What is written is
emptied before it is written again, by DVC or by a step: so every such place lies in the folder of
params.yaml, is not hidden, and holds no other. Below `build` several lie side by side. What lies there
already is asked of the disk, by `truerate.config.places`.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from truerate.config import Params, Source, Track

READ_ONLY = ("inputs",)  # of `paths`
# what the build itself writes there, beside a scratch folder per board
BELOW_BUILD = ("settings", "imported", "hub", "training", "judged", "corpora")
CODE = ("src", "rules", "site")  # what dvc.yaml watches of the code
OWN = "own"
LONGEST = 200  # characters of a place: files lie below it, and systems take names of 255
_PLAIN = re.compile(
    r"(?!-)[\w.\-]+"
)  # of a part of `paths`: it stands in commands of dvc.yaml and of the rules as it is


def written(p: "Params") -> dict[str, str]:
    """The places that settings name and a build writes, by the setting: all of `paths` but what is read, and
    what a `make` fills.
    """
    named = {f"paths.{name}": path for name, path in p.paths if name not in READ_ONLY}
    return named | {f"sources.{name}.path": path for name, path, _ in _generated(p)}


def read(p: "Params") -> list[tuple[str, str]]:
    """The files and folders that a build only reads, each with the setting that names it; what may be a Hub
    id is among them.
    """
    paths: list[tuple[str, str | None]] = [
        ("paths.inputs", p.paths.inputs),
        ("llm.prompts_dir", p.llm.prompts_dir),
    ]
    for name, source in p.sources.items():
        paths.append((f"sources.{name}.path", None if source.make else source.path))
        paths.append((f"sources.{name}.training.path", source.training.path if source.training else None))
        paths.append((f"sources.{name}.errata", source.errata))
        paths += [(f"sources.{name}.code", _fixed(code)) for code in source.code]
        paths += [(f"sources.{name}.truth_code", _fixed(code)) for code in source.truth_code]
    for name, endpoint in p.endpoints.items():
        paths += [(f"endpoints.{name}.code", _fixed(code)) for code in endpoint.code]
    paths += [
        (path_of(key), settings.setting(key)) for path_of, settings in placed(p) for key in settings.files_in
    ]
    return [(key, path) for key, path in (*paths, *weights(p).items()) if path]


def _fixed(code: str) -> str:
    """The part of a place of code that stands before the first `*` or `{track}`: the folder in which all lies."""
    parts = PurePosixPath(code).parts
    is_open = [index for index, part in enumerate(parts) if "*" in part or "{track}" in part]
    return str(PurePosixPath(*parts[: is_open[0]])) if is_open else code


def placed(p: "Params") -> Iterator[tuple[Callable[[str], str], "Track"]]:
    """The settings of every track, then of every board that has some of its own, with what tells where a
    setting stands.
    """
    for track, settings in p.tracks.items():
        yield f"tracks.{track}.{{}}".format, settings
    for name, board in p.boards.items():
        if board.settings and board.track in p.tracks:
            yield partial(p.place, name), p.track(name)


def own_words(p: "Params") -> dict[str, str | None]:
    """Of those settings that may be a folder or a Hub id, the word of ours that may stand there."""
    named = {place(key): word for place, settings in placed(p) for key, word in settings.weights_in.items()}
    return named | {f"backbones.{name}.weights": "tiny" for name in p.backbones}


def weights(p: "Params") -> dict[str, str | None]:
    """The settings whose value may be a folder, a Hub id or a word of ours."""
    values: dict[str, str | None] = {
        path_of(key): settings.setting(key) for path_of, settings in placed(p) for key in settings.weights_in
    }
    values |= {f"backbones.{name}.weights": backbone.weights for name, backbone in p.backbones.items()}
    for key, family in p.detectors.items():
        values |= {
            f"detectors.{key}.entailment.{name}.weights": network.weights
            for name, network in family.entailment.items()
        }
        for name, published in family.published.items():
            place = f"detectors.{key}.published.{name}"
            values |= {f"{place}.weights": published.weights, f"{place}.base": published.base}
    return values


def unreadable(path: str) -> str | None:
    """Why no file can be asked for by this name; None where one can."""
    if not path.isprintable():
        return f"{path!r} holds a character that cannot be printed"
    if os.path.expanduser(path).startswith("~"):
        return f"{path!r} begins with '~', and no such user has a home folder; name the folder itself"
    return None


def swallowed(p: "Params") -> Iterator[str]:
    """A line for every file or folder that is only read and lies, by its name or by links, in one that a
    build empties.

    Below `build` what is read may lie beside what is written; a source may read what the command of another
    made.
    """
    emptied = {key: path for key, path in written(p).items() if key != "paths.build"}
    emptied |= {
        f"what the build keeps in {name!r}": f"{p.paths.build}/{name}" for name in (*BELOW_BUILD, *p.boards)
    }
    # settled once: each file that is read is held against each of them
    tops = {
        setting: {PurePosixPath(os.path.abspath(folder)), PurePosixPath(os.path.realpath(folder))}
        for setting, folder in emptied.items()
    }
    ids = weights(p)
    for key, path in read(p):
        near = os.path.expanduser(path)
        if key in ids and not os.path.exists(near):
            continue  # a Hub id
        ways = {PurePosixPath(os.path.abspath(near)), PurePosixPath(os.path.realpath(near))}
        above = {folder for way in ways for folder in (way, *way.parents)}
        for setting, folder in emptied.items():
            is_made = key.startswith("sources.") and setting.startswith("sources.")
            if not is_made and above & tops[setting]:
                name = setting.removeprefix("paths.")
                yield f"{key}: {path!r} lies in {name} ({folder}), which a build empties; move it to where nothing is written"
                break


def _generated(p: "Params") -> Iterator[tuple[str, str, "Source"]]:
    """Name, folder and block of every source whose folder a command fills."""
    for name, source in p.sources.items():
        if source.make and source.path:
            yield name, source.path, source


def misplaced(p: "Params") -> Iterator[str]:
    """A line for every place that no build may write, as `setting: what is wrong`."""
    wrong = {key: what for key, path in read(p) if (what := unreadable(path))}
    wrong |= {
        f"public_data.{name}.folder": what
        for name, public in p.public_data.items()
        if (what := unreadable(public.folder))
    }
    wrong |= {
        key: what
        for key, path in written(p).items()
        if (what := _unfit(path, is_plain=key.startswith("paths.")))
    }
    yield from (f"{key}: {what}" for key, what in wrong.items())
    if not wrong:
        yield from _one_in_another(p)


def _unfit(path: str, *, is_plain: bool) -> str | None:
    """Why no build may write at a path, whatever the others are; None where it may."""
    parts = PurePosixPath(path).parts
    hint = "name a folder below that of params.yaml"
    if path.startswith(("/", "~", "\\")) or re.match(r"[A-Za-z]:", path):
        return f"{path!r} is absolute; {hint}: the build writes there, and empties what it writes"
    if not parts or ".." in parts:
        return f"{path!r} is that folder or outside it; {hint}: the build empties what it writes"
    if parts[0] in CODE:
        return f"{path!r} lies in {parts[0]!r}, which the build reads; {hint} that holds nothing else"
    if hidden := next((part for part in parts if part.startswith(".")), None):
        return f"{path!r} is hidden ({hidden!r}), and what is hidden belongs to git, to DVC or to you; {hint}, no part of it with '.' first"
    if odd := next((part for part in parts if is_plain and not _PLAIN.fullmatch(part)), None):
        return f"{path!r}: {odd!r} may hold letters, digits, '.', '_' and '-' only: it stands in commands"
    if len(path) > LONGEST:
        return f"{path[:20] + '…'!r} has {len(path)} characters; name it in at most {LONGEST}"
    if not path.isprintable():
        return f"{path!r} holds a character that cannot be printed"
    return None


class BuildFolder(NamedTuple):
    """A folder with who names it, and what decides its content where a command fills it."""

    key: str
    folder: PurePosixPath
    recipe: object = None

    @property
    def is_own(self) -> bool:
        """No setting names it: the build does, below `build`."""
        return self.recipe == OWN

    def may_lie_in(self, other: "BuildFolder") -> bool:
        """Whether nothing is lost where this folder lies in the other, or is the other."""
        is_same, is_source = self.folder == other.folder, self.key.startswith("sources.")
        if other.key == "paths.build":
            return not is_same and (self.is_own or is_source or self.key in ("paths.site", "paths.site_src"))
        if self.is_own:
            return not is_same  # what holds it without being it holds `build` too, and that is said
        if is_source:  # made files may be put among one's own; two readers may read what one command makes
            return other.key == "paths.inputs" or (is_same and self.recipe == other.recipe)
        return False


def _one_in_another(p: "Params") -> Iterator[str]:
    """A line for every place that holds others: they would be emptied with one another."""
    places = [
        BuildFolder(key, PurePosixPath(path)) for key, path in written(p).items() if key.startswith("paths.")
    ]
    places += [
        BuildFolder(f"sources.{name}.path", PurePosixPath(path), (source.make, source.code, source.languages))
        for name, path, source in _generated(p)
    ]
    places += [BuildFolder("paths.inputs", PurePosixPath(p.paths.inputs))]
    build = PurePosixPath(p.paths.build)
    places += [BuildFolder(f"what the build keeps in {name!r}", build / name, OWN) for name in BELOW_BUILD]
    places += [BuildFolder(f"the scratch folder of boards.{name}", build / name, OWN) for name in p.boards]
    at, below = defaultdict(list), defaultdict(list)
    for entry in places:
        at[entry.folder].append(entry)
        for above in entry.folder.parents:
            below[above].append(entry)
    for folder, (first, *others) in at.items():
        inner = [inside for inside in others if not (inside.may_lie_in(first) or first.may_lie_in(inside))]
        if not inner:  # where two are one place, what lies in it is no second mistake
            inner = [inside for inside in below[folder] if not inside.may_lie_in(first)]
        if inner:
            names = ", ".join(f"{inside.key} ({inside.folder})" for inside in inner)
            yield f"{names} must not lie in {first.key.removeprefix('paths.')} ({folder}): what is written is emptied before"


def pages(p: "Params", config: str) -> Iterator[str]:
    """A line where the folders of the pages are not those of site/mkdocs.yml, which this text is: mkdocs
    would write elsewhere.
    """
    for key, name in (("docs_dir", "site_src"), ("site_dir", "site")):
        match = re.search(rf"^{key}:\s*['\"]?([^\s'\"#]+)", config, re.MULTILINE)
        folder: str = getattr(p.paths, name)
        if match and PurePosixPath(match[1].removeprefix("../")) != PurePosixPath(folder):
            yield f"paths.{name}: {folder!r}, but {key} of site/mkdocs.yml is {match[1]!r}; name one folder in both"
