"""Output directories: a build takes and empties only what is absent, empty or its own.

A directory is the build's own if it holds the sentinel `.made` or if dvc.lock names it (DVC restores outputs
without sentinels). The sentinel holds the name of the setting below `paths`, or what decides the content of a
folder that a source's command fills; git and DVC ignore it. A table that is an output by itself has its
sentinel beside it. The folders of boards are shared: each board's output in them has a sentinel of its own.
What git tracks is never taken. The first stage checks every place, and each step checks its own again before
it empties it: DVC keeps what lies there (`persist`).
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import yaml

from truerate.config import Paths, placement
from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import SettingsError
from truerate.core.process.parents import is_first_process

SENTINEL = ".made"
_SENTINELS = re.compile(r"(\..+\.parquet)?\.made", re.DOTALL)
# The stages that empty their output first: the setting of the folder, and the output for a board.
OUTPUTS: dict[str, tuple[str, Callable[[Layout, str], str]]] = {
    "sources": ("sources", lambda config, _: config.p.paths.sources),
    "dataset": ("datasets", Layout.dataset),
    "annotate": ("annotations", lambda config, board: os.path.dirname(config.annotations(board))),
    "label": ("labels", Layout.labels),
    "train": ("detectors", Layout.trained),
    "judge": ("judgements", Layout.judged),
    "audit": ("audits", Layout.audit),
    "truth": ("truth", Layout.truth),
    "score": ("scores", Layout.scores),
}
OF_BOARDS = {folder: output for folder, output in OUTPUTS.values() if folder != "sources"}
SHARED = (*OF_BOARDS, "metrics", "build")  # folders that hold several outputs
_HINT = "name a folder that is absent or empty, or move that away"


def check_places(config: Layout) -> None:
    """Raise SettingsError with a line for every place of params.yaml that the build may not take."""
    wrong: dict[str, str] = {}
    paths = placement.written(config.p)
    tracked = _tracked_files(list(paths.values()))
    for key, path in paths.items():
        if fault := _fault(config, key, path, tracked):
            wrong.setdefault(fault, key)  # a link or file that several lie below is one mistake
    faults = [f"{key}: {fault}" for fault, key in wrong.items()]
    mkdocs = Path("site/mkdocs.yml")
    faults += placement.swallowed(config.p)
    faults += placement.pages(config.p, mkdocs.read_text("utf-8") if mkdocs.is_file() else "")
    inputs = config.p.paths.inputs
    if not os.path.isdir(os.path.expanduser(inputs)):
        faults.append(
            f"paths.inputs: no folder {inputs!r}; make it, empty where you have no files of your own"
        )
    if Path.cwd().is_relative_to(os.path.realpath(os.path.expanduser(inputs))):
        faults.append(f"paths.inputs: {inputs!r} holds all that the build writes; name a folder of its own")
    if faults:
        raise SettingsError("\n".join(f"params.yaml: {fault}" for fault in faults))


def claim(config: Layout, *names: str) -> None:
    """Make folders of `paths` with their sentinels. Raises SettingsError if one may not be taken."""
    for name in names:
        refuse_taken(config, name)
        _mark(Path(getattr(config.p.paths, name)), name)


def refuse_taken(config: Layout, name: str) -> None:
    """Raise SettingsError if the build may not take a folder of `paths`."""
    path = getattr(config.p.paths, name)
    if fault := _fault(config, f"paths.{name}", path, _tracked_files([path])):
        raise SettingsError(f"params.yaml: paths.{name}: {fault}")


def clear(config: Layout, stage: Stage) -> None:
    """Empty and mark the output of a stage, as `claim_output`; of `torchrun` the first process does it."""
    if stage.name in OUTPUTS and is_first_process():
        remove_output(config, stage)
        claim_output(config, stage)


def remove_output(config: Layout, stage: Stage) -> None:
    """Remove the output of a stage of `OUTPUTS`; raises, and removes nothing, as `claim_output` does."""
    drop(_own_output(config, stage))


def drop(output: Path) -> None:
    """Remove an output with its sentinel."""
    if output.is_dir():
        shutil.rmtree(output)
    output.unlink(missing_ok=True)
    _sentinel(output).unlink(missing_ok=True)


def claim_output(config: Layout, stage: Stage) -> None:
    """Mark the output of a stage as the build's own. Raises SettingsError for others' files."""
    _mark(_own_output(config, stage), OUTPUTS[stage.name][0])


def _own_output(config: Layout, stage: Stage) -> Path:
    if stage.board is not None:
        config.p.board(stage.board)
    name, path_of = OUTPUTS[stage.name]
    output = Path(path_of(config, stage.board or ""))
    if fault := _blocked(output) or _tracked(output) or _foreign(output, name):
        raise SettingsError(f"params.yaml: paths.{name}: {fault}")
    return output


def made_by(config: Layout, target: str) -> Stage | None:
    """The stage of which Snakemake makes a target: a board's data set, or the sources; None for any other."""
    if target == "sources":
        return Stage("sources")
    boards = (board for board in config.p.boards if target == config.dataset(board, "card.json"))
    return next((Stage("dataset", board) for board in boards), None)


def refuse_others(folder: Path, setting: str) -> None:
    """Raise SettingsError if a step did not fill a folder that it is to replace (of this `setting`)."""
    if fault := _filled_by_others(folder) or _tracked(folder):
        raise SettingsError(f"{setting}: {fault}")


def _fault(config: Layout, key: str, path: str, tracked: list[str]) -> str | None:
    """Return why the build may not take a place; None if it may."""
    folder, name = Path(path), key.removeprefix("paths.")
    if fault := _blocked(folder):
        return fault
    if name == "metrics":  # one file of it is written, and git tracks that file: DVC may have removed it
        tracked = [file for file in tracked if os.path.lexists(file)]
        if any(PurePosixPath(out).is_relative_to(path) for out in named_outs()) or _holds_metrics_alone(
            folder
        ):
            return None
    if fault := _tracked_in(folder, tracked):
        return fault
    if key.startswith("sources."):
        return _filled_by_others(folder)
    outputs = [Path(OF_BOARDS[name](config, board)) for board in config.p.boards] if name in OF_BOARDS else []
    return next(filter(None, (_foreign(output, name) for output in (folder, *outputs))), None)


def _blocked(path: Path) -> str | None:
    """Return why no output can lie at a path: a link or a file on the way to it, or in its stead."""
    for part in (path, *path.parents):
        if part.is_symlink():
            return (
                f"{str(part)!r} is a link to {os.readlink(part)!r}; name the folder itself, below that "
                "of params.yaml"
            )
        if part.exists() and not part.is_dir() and not (part == path and path.suffix == ".parquet"):
            return f"{str(part)!r} is a file; {_HINT}"
    return None


def _foreign(output: Path, name: str) -> str | None:
    """The first file of a folder of `paths`, or of an output in it, that the build did not write; or None."""
    is_shared = name in SHARED
    text = _sentinel_text(output)
    if text == name or (is_shared and text is not None) or _is_named(output, is_shared=is_shared):
        return None
    file = next(_files(output), None)
    return _foreign_file(output, file) if file else None


def _filled_by_others(folder: Path) -> str | None:
    """The first file in a folder for which the sentinel of a command is absent; None if there is none."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        return f"{str(folder)!r} is no folder; {_HINT}"
    file = next(_files(folder), None)
    if file is None or (_sentinel_text(folder) or "build") not in Paths.model_fields:
        return None
    return _foreign_file(folder, file)


def _foreign_file(folder: Path, file: Path) -> str:
    return f"{str(folder)!r} holds what the build did not write ({file.as_posix()!r}); {_HINT}"


def _sentinel(output: Path) -> Path:
    """Return where the sentinel of an output lies: in a folder, beside a table."""
    return output.with_name(f".{output.name}{SENTINEL}") if output.suffix == ".parquet" else output / SENTINEL


def _sentinel_text(output: Path) -> str | None:
    """Return what the sentinel of an output holds; None if there is none."""
    try:
        return _sentinel(output).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _mark(output: Path, name: str) -> None:
    """Write the sentinel of an output that belongs to a setting of `paths`."""
    sentinel = _sentinel(output)
    sentinel.parent.mkdir(parents=True, exist_ok=True)
    if _sentinel_text(output) != name:
        sentinel.write_text(name, "utf-8")


def _files(folder: Path) -> Iterator[Path]:
    """The files and links below a folder, or the file itself, but sentinels: hidden ones too."""
    if folder.is_symlink() or folder.is_file():
        yield folder
    for parent, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        names = (name for name in sorted([*files, *links]) if not _SENTINELS.fullmatch(name))
        yield from (Path(parent, name) for name in names)


def holds_links_alone(folder: Path) -> bool:
    """Return whether nothing is lost with a folder: it holds links to files elsewhere, and folders of such
    links.
    """
    return folder.is_dir() and all(path.is_symlink() or path.is_dir() for path in folder.rglob("*"))


def _tracked(folder: Path) -> str | None:
    return _tracked_in(folder, _tracked_files([str(folder)]))


def _tracked_files(folders: list[str]) -> list[str]:
    """The files that git tracks in folders; without git, or outside a repository, none."""
    command = ["git", "ls-files", "-z", "--", *(f":(literal){folder}" for folder in folders)]
    try:
        listed = subprocess.run(command, capture_output=True, check=False).stdout
    except OSError:
        return []
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _tracked_in(folder: Path, tracked: list[str]) -> str | None:
    file = next((name for name in tracked if PurePosixPath(name).is_relative_to(folder.as_posix())), None)
    return file and f"{str(folder)!r} holds files that git tracks ({file!r}); {_HINT}"


def _is_named(path: Path, *, is_shared: bool) -> bool:
    """Return whether dvc.lock names a place or a folder of it as an output; of a shared folder, something in
    it.
    """
    outs, output = named_outs(), PurePosixPath(path.as_posix())
    if not outs.isdisjoint(map(str, (output, *output.parents))):
        return True
    return is_shared and any(PurePosixPath(out).is_relative_to(output) for out in outs)


def named_outs(lock: str = "dvc.lock") -> frozenset[str]:
    """The outputs of stages that dvc.lock names, of boards too that params.yaml no longer names."""
    try:
        return _outs_of(lock, os.stat(lock).st_mtime_ns)
    except OSError:
        return frozenset()


@cache
def _outs_of(lock: str, _changed: int) -> frozenset[str]:
    try:
        content = yaml.load(
            Path(lock).read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
        return frozenset(out["path"] for stage in content["stages"].values() for out in stage.get("outs", ()))
    except (yaml.YAMLError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        return frozenset()  # DVC says what is wrong with it


def _holds_metrics_alone(folder: Path) -> bool:
    """Return whether a folder holds nothing but the metrics of a build: a mapping of boards to mappings."""
    file = folder / "leaderboard.json"
    if not file.is_file() or {path.name for path in folder.iterdir()} - {file.name, SENTINEL}:
        return False
    try:
        metrics = json.loads(file.read_text("utf-8"))
    except ValueError:
        return False
    return isinstance(metrics, dict) and all(isinstance(board, dict) for board in metrics.values())


def written_by_stages(paths: Iterable[Path]) -> list[Path]:
    """Those of the paths that dvc.lock names as outputs of a stage: no file that somebody put beside them."""
    outs = named_outs()
    return [path for path in paths if path.as_posix() in outs]
