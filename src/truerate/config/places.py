"""What lies where a build would write: nothing is emptied but what the build wrote, and nothing git tracks.

*Written by the build* is a file that lies in what dvc.lock names, or that bears the name and columns of what
a stage writes there (`truerate.config.products`: a kill, a cut dvc.lock and a checkout of DVC leave nothing
else to tell it by), and a folder that bears the stamp of its own setting: a file that git and DVC do not see,
put there by the first stage and by the steps. A folder that several outputs share frees none of them: each is
asked for itself. A folder that is absent or holds no file may be taken. The first stage asks all of this, and
each step asks it again of what it writes: somebody may have filled that in between. So DVC keeps what lies
there (`persist` in dvc.yaml), and the step empties it.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import yaml

from truerate.config import Paths, placement
from truerate.config.layout import Layout
from truerate.config.products import is_product
from truerate.config.stage_settings import Stage
from truerate.core.errors import SettingsError
from truerate.core.parents import is_first_process

STAMP = ".made"
SHARED = (
    "datasets",
    "annotations",
    "labels",
    "detectors",
    "judgements",
    "audits",
    "truth",
    "scores",
    "metrics",
    "build",
)  # of many outs
PAGES = ("site_src", "site")  # as the committed settings name them, below `build`
WRITES = {  # the setting of the folder in which a stage writes, and empties its own place first
    "sources": "sources",
    "dataset": "datasets",
    "annotate": "annotations",
    "label": "labels",
    "train": "detectors",
    "judge": "judgements",
    "audit": "audits",
    "truth": "truth",
    "score": "scores",
}
_HINT = "name a folder that is absent or empty, or move that away"


def check_places(at: Layout) -> None:
    """Raise TruerateError with a line for every place of params.yaml that the build may not take."""
    wrong: dict[str, str] = {}
    paths = placement.written(at.p)
    tracked = _tracked_files(list(paths.values()))
    for key, path in paths.items():
        if what := _taken(at, key, path, tracked):
            wrong.setdefault(what, key)  # a link or file that several lie below is one mistake
    faults = [f"params.yaml: {key}: {what}" for what, key in wrong.items()]
    faults += [f"params.yaml: {line}" for line in placement.swallowed(at.p)]
    config = Path("site/mkdocs.yml")
    faults += [
        f"params.yaml: {line}"
        for line in placement.pages(at.p, config.read_text("utf-8") if config.is_file() else "")
    ]
    inputs = os.path.expanduser(at.p.paths.inputs)
    if not os.path.isdir(inputs):
        faults.append(
            f"params.yaml: paths.inputs: no folder {at.p.paths.inputs!r}; make it, empty where you have no files of your own"
        )
    if Path.cwd().is_relative_to(os.path.realpath(os.path.expanduser(at.p.paths.inputs))):
        faults.append(
            f"params.yaml: paths.inputs: {at.p.paths.inputs!r} holds all that the build writes; name a folder of its own"
        )
    if faults:
        raise SettingsError("\n".join(faults))


def claim(at: Layout, *names: str) -> None:
    """Put the stamp into folders of `paths`, made where they are absent. Raises TruerateError where one is
    not ours to take.
    """
    for name in names:
        refuse_taken(at, name)
        folder = Path(getattr(at.p.paths, name))
        folder.mkdir(parents=True, exist_ok=True)
        if _stamp(folder) != name:
            (folder / STAMP).write_text(name, "utf-8")


def _stamp(folder: Path) -> str | None:
    """What the stamp of a folder says: the setting that names it, or what decides the content of one that a
    command fills.
    """
    try:
        return (folder / STAMP).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def refuse_taken(at: Layout, name: str) -> None:
    """Raise TruerateError where a folder of `paths` is not ours to take."""
    path = getattr(at.p.paths, name)
    if what := _taken(at, f"paths.{name}", path, _tracked_files([path])):
        raise SettingsError(f"params.yaml: paths.{name}: {what}")


def clear(at: Layout, stage: Stage) -> None:
    """Empty what a stage writes, where it is one of `WRITES`. Raises TruerateError, and empties nothing, where
    the build did not write it, or where params.yaml declares no such board.

    Of several processes that work on one stage together (`torchrun`), the first does it.
    """
    if stage.name not in WRITES or not is_first_process():
        return
    if stage.board is not None:
        at.p.board(stage.board)
    name = WRITES[stage.name]
    folder, out = Path(getattr(at.p.paths, name)), _out(at, stage)
    what = _blocked(out, is_table=out.suffix == ".parquet")
    if not what and os.path.lexists(out):
        what = _said_of_tracked(out, _tracked_files([str(out)])) or _strange(name, folder, out)
    if what:
        raise SettingsError(f"params.yaml: paths.{name}: {what}")
    if os.path.lexists(out):
        out.unlink() if out.is_file() else shutil.rmtree(out)


def made_by(at: Layout, target: str) -> Stage | None:
    """The stage of which Snakemake makes a target: a board's data set, or the sources; None for any other."""
    if target == "sources":
        return Stage("sources")
    boards = (board for board in at.p.boards if target == at.dataset(board, "card.json"))
    return next((Stage("dataset", board) for board in boards), None)


def _out(at: Layout, stage: Stage) -> Path:
    """What a stage of `WRITES` writes: a folder or a file."""
    board = stage.board or ""  # every stage below has a board
    if stage.name == "annotate":
        return Path(at.annotations(board)).parent
    path_of = {
        "dataset": at.dataset,
        "label": at.labels,
        "train": at.trained,
        "judge": at.judged,
        "audit": at.audit,
        "truth": at.truth,
        "score": at.scores,
    }
    return Path(path_of[stage.name](board)) if stage.name in path_of else Path(at.p.paths.sources)


def refuse_others(folder: Path, who: str) -> None:
    """Raise TruerateError where a folder that a step replaces whole was not written by it. `who`: the setting
    that names it.
    """
    if what := _theirs(folder) or _tracked(folder):
        raise SettingsError(f"{who}: {what}")


def _taken(at: Layout, key: str, path: str, tracked: list[str]) -> str | None:
    """Why a place cannot be taken; None where it can."""
    folder = Path(path)
    if what := _blocked(folder):
        return what
    name = key.removeprefix("paths.")
    if name == "metrics":  # one file of it is written, and git tracks that file: DVC may have removed it
        tracked = [file for file in tracked if os.path.lexists(file)]
        if _is_named(path) or _holds_metrics_alone(folder):
            return None
    if what := _said_of_tracked(folder, tracked):
        return what
    if key.startswith("sources."):
        return _theirs(folder)
    if name not in SHARED:  # DVC or a step replaces it whole
        is_own = _stamp(folder) == name or (
            name in PAGES and path == f"{at.p.paths.build}/{name}" and _taken_build(at) is None
        )
        return None if is_own else _strange(name, folder, folder)
    is_known = _is_named(path) or (folder / STAMP).is_file()
    asked = [Path(out) for out in _outs(at, name)] if is_known else [folder]
    return next(filter(None, (_strange(name, folder, out) for out in asked)), None)


def _blocked(path: Path, *, is_table: bool = False) -> str | None:
    """Why no folder can be made at a place, or no file of the build lie there: a link or a file on the way to
    it, or in its stead.
    """
    for part in (path, *path.parents):
        if part.is_symlink():
            return f"{str(part)!r} is a link to {os.readlink(part)!r}; name the folder itself, below that of params.yaml"
        if part.exists() and not part.is_dir() and not (is_table and part == path):
            return f"{str(part)!r} is a file; {_HINT}"
    return None


def _taken_build(at: Layout) -> str | None:
    """Why what lies in `build` is not the build's; None where it is."""
    folder = Path(at.p.paths.build)
    return None if _is_named(at.p.paths.build) or (folder / STAMP).is_file() else _said_of(folder, folder)


def _outs(at: Layout, name: str) -> list[str]:
    """What boards' stages empty in a folder of `paths`: one output each."""
    path_of = {
        "datasets": at.dataset,
        "annotations": lambda board: os.path.dirname(at.annotations(board)),
        "labels": at.labels,
        "detectors": at.trained,
        "judgements": at.judged,
        "audits": at.audit,
        "truth": at.truth,
        "scores": at.scores,
    }
    return [path_of[name](board) for board in at.p.boards] if name in path_of else []


def _strange(name: str, folder: Path, out: Path) -> str | None:
    """What in an output below a folder of `paths` the build did not write."""
    outs = {PurePosixPath(out_path) for out_path in named_outs()}
    for file in _files(out):
        path = PurePosixPath(file.as_posix())
        is_ours = (
            path in outs
            or not outs.isdisjoint(path.parents)
            or is_product(name, file, file.relative_to(folder).as_posix())
        )
        if not is_ours:
            return _said_of(out, file)
    return None


def _said_of(folder: Path, file: Path) -> str:
    return f"{str(folder)!r} holds what the build did not write ({file.as_posix()!r}); {_HINT}"


def _theirs(folder: Path) -> str | None:
    """What in a folder that a step fills whole it did not write: a file where its stamp is missing, or is
    that of a folder of `paths`.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        return f"{str(folder)!r} is no folder; {_HINT}"
    if _is_filled(folder):
        return None
    first = next(_files(folder), None)
    if first is None or _is_filled(
        folder
    ):  # asked again: a step beside this one may have put its stamp there in between
        return None
    return _said_of(folder, first)


def _is_filled(folder: Path) -> bool:
    return (_stamp(folder) or "build") not in Paths.model_fields


def _files(folder: Path) -> Iterator[Path]:
    """The files and links below a folder, or the file itself, but stamps: hidden ones too."""
    if folder.is_symlink() or folder.is_file():
        yield folder
    for parent, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        yield from (Path(parent, name) for name in sorted([*files, *links]) if name != STAMP)


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
    inside = next(
        (name for name in tracked if PurePosixPath(name).is_relative_to(PurePosixPath(folder.as_posix()))),
        None,
    )
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
    """How deep mappings lie in one another; a number has none, and anything else is as deep as nothing the
    build writes.
    """
    if isinstance(value, dict):
        return 1 + max((_depth(inner) for inner in value.values()), default=0)
    return 0 if isinstance(value, int | float | None) else 99


def written_by_stages(paths: Iterable[Path]) -> list[Path]:
    """Those of the paths that dvc.lock names as written by a stage: no file that somebody put beside them."""
    outs = named_outs()
    return [path for path in paths if path.as_posix() in outs]
