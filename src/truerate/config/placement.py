"""Where a build writes: which setting names which folder, and which folders none may name, whatever lies
there.

What is only read (a source without `make`, weights, recorded results) may lie anywhere. What is written is
emptied before it is written again, by DVC or by a step: so each such folder lies in the folder of
params.yaml, is not hidden, and holds no other, but below `build`. What lies there already is asked of the
disk, by `truerate.config.places`.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from truerate.config import Params, Track

READ_ONLY = ("inputs",)  # of `paths`
# what the build itself writes there, beside a scratch folder per board
BELOW_BUILD = ("settings", "imported", "hub", "training", "judged", "corpora")
CODE = ("src", "rules", "site")  # what dvc.yaml watches of the code
LONGEST = 200  # characters of a path: files lie below it, and systems take names of 255
# of a part of `paths`: it stands in commands of dvc.yaml and of the rules as it is
_PLAIN = re.compile(r"(?!-)[\w.\-]+")


def written(p: "Params") -> dict[str, str]:
    """The folders that a build writes, by setting: `paths` but what is read, and what a `make` fills."""
    named = {f"paths.{name}": path for name, path in p.paths if name not in READ_ONLY}
    return named | {f"sources.{name}.path": s.path for name, s in p.sources.items() if s.make and s.path}


def read(p: "Params") -> list[tuple[str, str]]:
    """The files and folders that a build only reads, each with its setting; Hub ids are among the weights."""
    paths = [("paths.inputs", p.paths.inputs), ("llm.prompts_dir", p.llm.prompts_dir)]
    for name, source in p.sources.items():
        paths += [
            (f"sources.{name}.path", None if source.make else source.path),
            (f"sources.{name}.training.path", source.training.path if source.training else None),
            (f"sources.{name}.errata", source.errata),
            (f"sources.{name}.answers.labels", source.answers.labels if source.answers else None),
            *((f"sources.{name}.code", _fixed(code)) for code in source.code),
            *((f"sources.{name}.truth_code", _fixed(code)) for code in source.truth_code),
        ]
    for name, endpoint in p.endpoints.items():
        paths += [(f"endpoints.{name}.code", _fixed(code)) for code in endpoint.code]
    paths += [
        (key_of(key), track.setting(key)) for key_of, track in track_settings(p) for key in track.files_in
    ]
    return [(key, path) for key, path in (*paths, *weights(p).items()) if path]


def _fixed(code: str) -> str:
    """The part of a path of code before the first `*` or `{track}`."""
    parts = PurePosixPath(code).parts
    is_open = [index for index, part in enumerate(parts) if "*" in part or "{track}" in part]
    return str(PurePosixPath(*parts[: is_open[0]])) if is_open else code


def track_settings(p: "Params") -> Iterator[tuple[Callable[[str], str], "Track"]]:
    """The settings of each track and each board with overrides, with the function of a key's full name."""
    for track, settings in p.tracks.items():
        yield f"tracks.{track}.{{}}".format, settings
    for name, board in p.boards.items():
        if board.settings and board.track in p.tracks:
            yield partial(p.setting_name, name), p.track(name)


def own_words(p: "Params") -> dict[str, str | None]:
    """Of the settings that may be a folder or a Hub id, our own word that may stand there."""
    named = {
        key_of(key): word for key_of, track in track_settings(p) for key, word in track.weights_in.items()
    }
    return named | {f"backbones.{name}.weights": "tiny" for name in p.backbones}


def weights(p: "Params") -> dict[str, str | None]:
    """The settings whose value may be a folder, a Hub id or a word of ours."""
    values: dict[str, str | None] = {
        key_of(key): track.setting(key) for key_of, track in track_settings(p) for key in track.weights_in
    }
    values |= {f"backbones.{name}.weights": backbone.weights for name, backbone in p.backbones.items()}
    for key, family in p.detectors.items():
        for name, network in family.entailment.items():
            values[f"detectors.{key}.entailment.{name}.weights"] = network.weights
        for name, published in family.published.items():
            values[f"detectors.{key}.published.{name}.weights"] = published.weights
            values[f"detectors.{key}.published.{name}.base"] = published.base
    return values


def misplaced(p: "Params") -> Iterator[str]:
    """A line for every path that no file can have or that no build may write, as `setting: what is wrong`."""
    paths = [
        *read(p),
        *((f"public_data.{name}.folder", public.folder) for name, public in p.public_data.items()),
        *((f"published_tables.{name}.folder", table.folder) for name, table in p.published_tables.items()),
    ]
    wrong = {key: fault for key, path in paths if (fault := _unreadable(path))}
    for key, path in written(p).items():
        if fault := _unfit(path, is_plain=key.startswith("paths.")):
            wrong[key] = fault
    yield from (f"{key}: {fault}" for key, fault in wrong.items())
    if not wrong:
        yield from _nested(p)


def _unreadable(path: str) -> str | None:
    """Return why no file can have this name; None where one can."""
    if not path.isprintable():
        return f"{path!r} holds a character that cannot be printed"
    if os.path.expanduser(path).startswith("~"):
        return f"{path!r} begins with '~', and no such user has a home folder; name the folder itself"
    return None


def _unfit(path: str, *, is_plain: bool) -> str | None:
    """Return why no build may write at a path, whatever the others are; None where it may."""
    parts = PurePosixPath(path).parts
    hint = "name a folder below that of params.yaml"
    if path.startswith(("/", "~", "\\")) or re.match(r"[A-Za-z]:", path):
        return f"{path!r} is absolute; {hint}: the build writes there, and empties what it writes"
    if not parts or ".." in parts:
        return f"{path!r} is that folder or outside it; {hint}: the build empties what it writes"
    if parts[0] in CODE:
        return f"{path!r} lies in {parts[0]!r}, which the build reads; {hint} that holds nothing else"
    if hidden := next((part for part in parts if part.startswith(".")), None):
        return (
            f"{path!r} is hidden ({hidden!r}), and what is hidden belongs to git, to DVC or to you; "
            f"{hint}, no part of it with '.' first"
        )
    if odd := next((part for part in parts if is_plain and not _PLAIN.fullmatch(part)), None):
        return f"{path!r}: {odd!r} may hold letters, digits, '.', '_' and '-' only: it stands in commands"
    if len(path) > LONGEST:
        return f"{path[:20] + '…'!r} has {len(path)} characters; name it in at most {LONGEST}"
    return _unreadable(path)


class _Folder(NamedTuple):
    """A folder by its setting, or (`is_own`) by what the build keeps below `build`; `recipe` decides what a
    `make` writes.
    """

    key: str
    path: str
    is_own: bool = False
    recipe: object = None

    def may_lie_in(self, other: "_Folder") -> bool:
        """Return whether nothing is lost where this folder lies in the other, or is the other."""
        is_same, is_source = self.path == other.path, self.key.startswith("sources.")
        if other.key == "paths.build":
            return not is_same and (self.is_own or is_source or self.key in ("paths.site", "paths.site_src"))
        if self.is_own:
            return not is_same  # what holds it without being it holds `build` too, and that is reported
        # made files may be put among one's own; two readers may read what one command makes
        return is_source and (other.key == "paths.inputs" or (is_same and self.recipe == other.recipe))


def _nested(p: "Params") -> Iterator[str]:
    """A line for every folder that holds others: they would be emptied with one another."""
    sources = {f"sources.{name}.path": (s.make, s.code, s.languages) for name, s in p.sources.items()}
    named = [*written(p).items(), ("paths.inputs", p.paths.inputs)]
    folders = [_Folder(key, str(PurePosixPath(path)), recipe=sources.get(key)) for key, path in named]
    build = PurePosixPath(p.paths.build)
    folders += [_Folder(f"what the build keeps in {name!r}", f"{build}/{name}", True) for name in BELOW_BUILD]
    folders += [_Folder(f"the scratch folder of boards.{name}", f"{build}/{name}", True) for name in p.boards]
    by_path = defaultdict(list)
    for folder in folders:
        by_path[folder.path].append(folder)
    for path, (first, *others) in by_path.items():
        inner = [folder for folder in others if not (folder.may_lie_in(first) or first.may_lie_in(folder))]
        if not inner:  # where two are one folder, what lies in it is no second mistake
            inner = [
                folder
                for folder in folders
                if folder.path.startswith(f"{path}/") and not folder.may_lie_in(first)
            ]
        if inner:
            names = ", ".join(f"{folder.key} ({folder.path})" for folder in inner)
            yield (
                f"{names} must not lie in {first.key.removeprefix('paths.')} ({path}): what is written is "
                "emptied before"
            )


def swallowed(p: "Params") -> Iterator[str]:
    """A line for every file or folder that is only read and lies, by its name or by links, in one that a
    build empties. A source may read what the command of another made.
    """
    emptied = {key: path for key, path in written(p).items() if key != "paths.build"}
    emptied |= {
        f"what the build keeps in {name!r}": f"{p.paths.build}/{name}" for name in (*BELOW_BUILD, *p.boards)
    }
    tops = {setting: {os.path.abspath(path), os.path.realpath(path)} for setting, path in emptied.items()}
    ids = weights(p)
    for key, path in read(p):
        near = os.path.expanduser(path)
        if key in ids and not os.path.exists(near):
            continue  # a Hub id
        ways = [PurePosixPath(way) for way in (os.path.abspath(near), os.path.realpath(near))]
        above = {str(folder) for way in ways for folder in (way, *way.parents)}
        for setting, folder in emptied.items():
            is_made = key.startswith("sources.") and setting.startswith("sources.")
            if not is_made and above & tops[setting]:
                name = setting.removeprefix("paths.")
                yield (
                    f"{key}: {path!r} lies in {name} ({folder}), which a build empties; move it to where "
                    "nothing is written"
                )
                break


def pages(p: "Params", config: str) -> Iterator[str]:
    """A line where the folders of the pages are not those of site/mkdocs.yml, which this text is."""
    for key, name in (("docs_dir", "site_src"), ("site_dir", "site")):
        match = re.search(rf"^{key}:\s*['\"]?([^\s'\"#]+)", config, re.MULTILINE)
        folder: str = getattr(p.paths, name)
        if match and PurePosixPath(match[1].removeprefix("../")) != PurePosixPath(folder):
            yield (
                f"paths.{name}: {folder!r}, but {key} of site/mkdocs.yml is {match[1]!r}; name one folder "
                "in both"
            )
