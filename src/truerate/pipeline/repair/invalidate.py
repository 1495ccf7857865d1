"""Boards whose data set is to be made again although neither settings, code nor sources changed: something
that it holds is asked again.

Two things would bring the old rows back: the scratch files, and DVC's lock, which says that nothing changed.
What goes is what holds such rows and what follows from it; everything else is found in its place, and replies
that came are in the response store. After the next `dvc repro`, dvc.lock is what it would have been had the
rows come the first time.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path

from truerate.config.layout import WORK, Layout, _digest_of, beside
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import read_parquet
from truerate.pipeline.dataset_tables import BESIDE
from truerate.pipeline.graph import all_files, before

# stands in dvc.lock where the stage's command was
MARK = "what this data set holds is asked again by the next dvc repro"

IsStale = Callable[[Path], bool]  # of a scratch file of replies: whether it must be made again


def ask_again(at: Layout, keys: Collection[str]) -> list[str]:
    """Mark the boards whose rows hold dead letters of these prompt keys; their names. Call it before the
    letters are forgotten, so that a kill loses nothing. Raises TruerateError while a build runs.
    """
    boards = boards_holding(at, keys)
    mark(at, boards, lambda path: holds(path, keys))
    return boards


def ask_again_everywhere(at: Layout, keys: Collection[str]) -> list[str]:
    """The same here and in the folders of `truerate real` below the build folder, which share the response store."""
    boards = ask_again(at, keys)
    for folder in sorted(path.parent for path in Path(at.p.paths.build).glob(f"*/{WORK}")):
        with _inside(folder) as there:
            boards += [f"{board} in {folder}" for board in ask_again(there, keys)]
    return boards


@contextmanager
def _inside(folder: Path) -> Iterator[Layout]:
    """The layout of another folder, while it is the current one: paths and keys are relative to it."""
    with chdir(folder):
        _digest_of.cache_clear()
        try:
            yield Layout.load()
        finally:
            _digest_of.cache_clear()


def boards_holding(at: Layout, keys: Collection[str]) -> list[str]:
    """The declared boards whose scratch files or data set hold dead letters of these prompt keys."""

    def is_held(board: str) -> bool:
        exported = Path(at.dataset(board, "generations"))
        return any(
            holds(path, keys)
            for path in (*([exported] if exported.is_file() else []), *scratch_files(at, board))
        )

    return [board for board in at.p.boards if keys and is_held(board)]


def holds(path: Path, keys: Collection[str]) -> bool:
    """Whether a file of Generation rows holds a dead letter of these keys. Raises TruerateError if it is unreadable."""
    rows = read_parquet(path, columns=("prompt_key", "status"))
    return not set(keys).isdisjoint(rows.filter(status="dead")["prompt_key"])


def mark(at: Layout, boards: Sequence[str], is_stale: IsStale) -> None:
    """Have the next `dvc repro` make these boards' data sets again, without their stale scratch files. Raises
    TruerateError, touching nothing, while a build runs.
    """
    if not boards:
        return
    doomed = [path for board in boards for path in to_remove(at, board, is_stale)]
    with _dvc(at, boards) as repo:
        if repo:
            _unlock(repo, {Stage("dataset", board).address for board in boards})
        for path in doomed:
            for file in (path, *(beside(str(path), table) for table in BESIDE)):
                file.unlink(missing_ok=True)


def of_step(step: str) -> IsStale:
    """All files of a scratch step are stale."""
    return lambda path: _step_of(path) == step


# ---- scratch files -----------------------------------------------------------------------------------------
def scratch_files(at: Layout, board: str) -> list[Path]:
    """The scratch files of a board that hold replies, those of earlier settings too."""
    found = (Path(at.p.paths.build) / board).glob("*@*/*.parquet")
    return sorted(path for path in found if path.name.split("-")[0] not in BESIDE)


def to_remove(at: Layout, board: str, is_stale: IsStale) -> list[Path]:
    """The stale scratch files and those made from them; of earlier settings all files if one is stale."""
    there = scratch_files(at, board)
    gone = {path for path in there if is_stale(path)}
    current, reads = graph(at, board)
    for path in current:
        if not gone.isdisjoint(reads(path)):
            gone.add(path)
    earlier = set(there).difference(current)
    if not gone.isdisjoint(earlier):
        gone |= earlier
    return [path for path in there if path in gone]


def graph(at: Layout, board: str) -> tuple[list[Path], Callable[[Path], list[Path]]]:
    """The scratch files of this moment's settings, each behind those that it is made from, and what each reads."""

    @cache
    def read_by(step: str, model: str, shard: int) -> list[Path]:
        return [Path(path) for path in before(at, board, step, model, shard)]

    def reads(path: Path) -> list[Path]:
        step, _, shard = path.stem.rpartition("-")
        return read_by(step, path.parent.name.rpartition("@")[0], int(shard))

    try:
        return [Path(path) for path in all_files(at, board)], reads
    except TruerateError:  # a source is not there, so nothing has a key: every file is of earlier settings
        return [], lambda path: []


def _step_of(path: Path) -> str:
    return path.name.rpartition("-")[0]


# ---- DVC ---------------------------------------------------------------------------------------------------
@contextmanager
def _dvc(at: Layout, boards: Sequence[str]) -> Iterator:
    """DVC's repository of this folder, held against builds; None where there is none."""
    if not Path(".dvc").is_dir():
        yield None
        return
    from dvc.exceptions import DvcException
    from dvc.lock import LockError
    from dvc.repo import Repo
    from dvc.rwlock import rwlock

    outs = [os.path.abspath(at.dataset(board)) for board in boards]
    try:
        with Repo(".") as repo, repo.lock:
            with rwlock(
                repo.tmp_dir, repo.fs, "truerate", [], outs, repo.config["core"].get("hardlink_lock", False)
            ):
                yield repo
    except LockError:
        names = listed(boards)
        raise TruerateError(
            f"marking {names} to be made again: a build runs here; when it has ended, run this command again"
        ) from None
    except DvcException as error:
        raise TruerateError(
            f"marking {listed(boards)} to be made again: DVC: {str(error).splitlines()[0]}; run `truerate mend`"
        ) from None


def _unlock(repo, stages: Collection[str]) -> None:
    """Change the command of these stages in dvc.lock: DVC runs them again, and still knows their outputs."""
    from dvc.utils.serialize import modify_yaml

    path = os.path.join(repo.root_dir, "dvc.lock")
    if os.path.isfile(path):
        with modify_yaml(path) as lock:
            for name in stages & lock.get("stages", {}).keys():
                lock["stages"][name]["cmd"] = MARK
