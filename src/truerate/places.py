"""What lies where a build would write: nothing is emptied but what the build wrote, and nothing that git tracks.

*Written by the build* is a folder that bears its stamp, or of which dvc.lock names something. The stamp is an empty file that git and DVC
do not see: put there by the first stage, and again by the steps whose folder DVC removes whole. A folder that is absent or holds no file
may be taken. DVC empties what a stage writes before it runs the stage, so the first stage asks all of this, and it alone keeps what
lies where it writes.
"""

import json
import os
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

import yaml

from truerate.errors import TruerateError
from truerate.layout import Layout
from truerate.params import places

STAMP = ".made"
SHARED = ("datasets", "annotations", "labels", "detectors", "judgements", "audits", "truth", "scores", "metrics", "build")  # of many outs
_HINT = "name a folder that is absent or empty, or move that away"


def check_places(at: Layout) -> None:
    """Raise TruerateError with a line for every place of params.yaml that the build may not take."""
    wrong: dict[str, str] = {}
    named = places.written(at.p)
    tracked = _tracked_files(list(named.values()))
    for key, path in named.items():
        if what := _taken(key, path, tracked):
            wrong.setdefault(what, key)  # a link or file that several lie below is one mistake
    found = [f"params.yaml: {key}: {what}" for what, key in wrong.items()]
    found += [f"params.yaml: {line}" for line in places.swallowed(at.p)]
    config = Path("site/mkdocs.yml")
    found += [f"params.yaml: {line}" for line in places.pages(at.p, config.read_text("utf-8") if config.is_file() else "")]
    if Path.cwd().is_relative_to(os.path.realpath(os.path.expanduser(at.p.paths.inputs))):
        found.append(f"params.yaml: paths.inputs: {at.p.paths.inputs!r} holds all that the build writes; name a folder of its own")
    if found:
        raise TruerateError("\n".join(found))


def claim(at: Layout, *names: str) -> None:
    """Put the stamp into folders of `paths`, made where they are absent. Raises TruerateError where one is not ours to take."""
    for name in names:
        refuse_taken(at, name)
        folder = Path(getattr(at.p.paths, name))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STAMP).touch()


def refuse_taken(at: Layout, name: str) -> None:
    """Raise TruerateError where a folder of `paths` is not ours to take."""
    path = getattr(at.p.paths, name)
    if what := _taken(f"paths.{name}", path, _tracked_files([path])):
        raise TruerateError(f"params.yaml: paths.{name}: {what}")


def refuse_others(folder: Path, who: str) -> None:
    """Raise TruerateError where a folder that a step replaces whole was not written by it. `who`: the setting that names it."""
    if what := _theirs(folder) or _tracked(folder):
        raise TruerateError(f"{who}: {what}")


def _taken(key: str, path: str, tracked: list[str]) -> str | None:
    """Why a place cannot be taken; None where it can."""
    folder = Path(path)
    for part in (folder, *folder.parents):
        if part.is_symlink():
            return f"{str(part)!r} is a link to {os.readlink(part)!r}; name the folder itself, below that of params.yaml"
        if part.exists() and not part.is_dir():
            return f"{str(part)!r} is a file; {_HINT}"
    is_metrics = key == "paths.metrics"
    if is_metrics and (_is_named(path) or _holds_metrics_alone(folder)):
        return None  # one file of it is written, and git tracks that file
    if what := _said_of_tracked(folder, tracked):
        return what
    return None if not key.startswith("sources.") and _is_named(path) else _theirs(folder)


def _theirs(folder: Path) -> str | None:
    """What in a folder the build did not write: a file where the stamp is missing."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        return f"{str(folder)!r} is no folder; {_HINT}"
    first = None if (folder / STAMP).is_file() else _first_file(folder)
    if first is None or (folder / STAMP).is_file():  # asked again: a step beside this one may have put it there in between
        return None
    return f"{str(folder)!r} holds what the build did not write ({first.as_posix()!r}); {_HINT}"


def _first_file(folder: Path) -> Path | None:
    """A file or link below a folder, hidden ones too; None where there is none."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        if found := sorted([*files, *links]):
            return Path(parent, found[0])
    return None


def holds_links_alone(folder: Path) -> bool:
    """Whether nothing is lost with a folder: it holds links to files elsewhere, and folders of such links."""
    return folder.is_dir() and all(path.is_symlink() or path.is_dir() for path in folder.rglob("*"))


def _tracked(folder: Path) -> str | None:
    """What git tracks in a folder. Without git, or outside a repository, nothing."""
    return _said_of_tracked(folder, _tracked_files([str(folder)]))


def _tracked_files(folders: list[str]) -> list[str]:
    """The files that git tracks in folders."""
    asked = ["git", "ls-files", "-z", "--", *(f":(literal){folder}" for folder in folders)]
    try:
        listed = subprocess.run(asked, capture_output=True, check=False).stdout
    except OSError:
        return []
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _said_of_tracked(folder: Path, tracked: list[str]) -> str | None:
    inside = next((name for name in tracked if PurePosixPath(name).is_relative_to(PurePosixPath(folder.as_posix()))), None)
    return inside and f"{str(folder)!r} holds files that git tracks ({inside!r}); {_HINT}"


def _is_named(path: str) -> bool:
    """Whether dvc.lock names a place, or something in it, as what a stage wrote."""
    return any(PurePosixPath(out).is_relative_to(PurePosixPath(path)) for out in named_outs())


def named_outs(lock: str = "dvc.lock") -> frozenset[str]:
    """The paths that dvc.lock names as written by some stage, of boards too that params.yaml no longer names."""
    try:
        return _outs_of(lock, os.stat(lock).st_mtime_ns)
    except OSError:
        return frozenset()


@cache
def _outs_of(lock: str, _changed: int) -> frozenset[str]:
    try:
        found = yaml.load(Path(lock).read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return frozenset(out["path"] for stage in found["stages"].values() for out in stage.get("outs", ()))
    except (yaml.YAMLError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        return frozenset()  # DVC says what is wrong with it


def _holds_metrics_alone(folder: Path) -> bool:
    """Whether a folder holds nothing but the metrics of a build: boards → metrics → cells → subjects → numbers."""
    file = folder / "leaderboard.json"
    if not file.is_file() or {path.name for path in folder.iterdir()} - {file.name, STAMP}:
        return False
    try:
        found = json.loads(file.read_text("utf-8"))
        return found == {} or _depth(found) == 4
    except ValueError:
        return False


def _depth(value: object) -> int:
    """How deep mappings lie in one another; a number has none, and anything else is as deep as nothing the build writes."""
    if isinstance(value, dict):
        return 1 + max((_depth(inner) for inner in value.values()), default=0)
    return 0 if isinstance(value, int | float | None) else 99


def written_by_stages(paths: Iterable[Path]) -> list[Path]:
    """Those of the paths that dvc.lock names as written by a stage: no file that somebody put beside them."""
    outs = named_outs()
    return [path for path in paths if path.as_posix() in outs]
