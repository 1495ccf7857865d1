"""Boards whose data set is to be made again although neither settings, code nor sources changed: dead
letters, web pages or searches that it holds are forgotten by their store, and asked for again.

Two things would bring the old rows back: the scratch files, and DVC's lock, which says that nothing changed.
What goes is what holds such rows and what follows from it; everything else is found again, and replies that
came are in the response store. After the next `dvc repro`, dvc.lock is what it would have been had the rows
come the first time. Boards are marked before a store forgets, so that a kill in between loses nothing.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path

import polars as pl

from truerate.config.layout import WORK, Layout, _digest_of, beside
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import pair
from truerate.pipeline.dataset_tables import BESIDE
from truerate.pipeline.graph import all_files, before
from truerate.web.outcomes import Page

# stands in dvc.lock where the stage's command was
MARK = "what this data set holds is asked again by the next dvc repro"
EVIDENCE = "evidence"  # the step that searches and fetches, and what its reject rows are of
SEARCH = "search"  # the purpose of its rows
Holds = Callable[
    [Path, Path, Path], bool
]  # of tables of replies, documents and rejects: whether they hold what is forgotten


# ---- what is asked again -----------------------------------------------------------------------------------
def ask_again_everywhere(config: Layout, keys: Collection[str]) -> list[str]:
    """`ask_again` here and in folders of `truerate real` below the build folder, which share the store."""
    boards = ask_again(config, keys)
    for folder in sorted(path.parent for path in Path(config.p.paths.build).glob(f"*/{WORK}")):
        with chdir(folder):  # paths and keys are relative to it
            _digest_of.cache_clear()
            try:
                boards += [f"{board} in {folder}" for board in ask_again(Layout.load(), keys)]
            finally:
                _digest_of.cache_clear()
    return boards


def ask_again(config: Layout, keys: Collection[str]) -> list[str]:
    """Mark the boards whose rows hold dead letters of these prompt keys; their names."""
    lost = (pl.col("status") == "dead") & pl.col("prompt_key").is_in(list(keys))
    return _marked(config, lambda replies, *_: bool(_column(replies, "prompt_key", lost))) if keys else []


def ask_pages_again(config: Layout, pages: Sequence[Page]) -> list[str]:
    """Mark the boards that hold these pages, as documents by last address or rejects by the requested one."""
    asked = {page.url for page in pages}
    ended = asked | {page.final_url for page in pages if page.final_url}

    def holds(_: Path, documents: Path, rejects: Path) -> bool:
        urls = {url.partition(": ")[0] for url in _column(rejects, "detail", pl.col("where") == EVIDENCE)}
        return not asked.isdisjoint(urls) or not ended.isdisjoint(_column(documents, "url"))

    return _marked(config, holds, step=EVIDENCE) if asked else []


def ask_query_again(config: Layout, query: str) -> list[str]:
    """Mark the boards that searched for a query; their names."""
    searched = (pl.col("purpose") == SEARCH) & (pair("attributes", "name") == query)
    return _marked(config, lambda replies, *_: bool(_column(replies, "item_id", searched)), step=EVIDENCE)


def _marked(config: Layout, holds: Holds, step: str | None = None) -> list[str]:
    """Boards whose data set, or a scratch file (of a `step`), holds something, marked to be made again."""

    def is_stale(path: Path) -> bool:
        tables = (path, beside(str(path), "documents"), beside(str(path), "rejects"))
        return step in (None, _step_of(path)) and holds(*tables)

    def is_concerned(board: str) -> bool:
        replies, documents, rejects = (
            Path(config.dataset(board, name)) for name in ("generations", "documents", "rejects")
        )
        return holds(replies, documents, rejects) or any(map(is_stale, scratch_files(config, board)))

    boards = [board for board in config.p.boards if is_concerned(board)]
    mark(config, boards, is_stale)
    return boards


def _column(path: Path, name: str, which: pl.Expr | bool = True) -> list[str]:
    """A column's texts of the matching rows; none without a file. Raises TruerateError if unreadable."""
    if not path.is_file():
        return []
    try:
        return pl.scan_parquet(path).filter(which).select(pl.col(name).drop_nulls()).collect()[name].to_list()
    except (OSError, pl.exceptions.PolarsError) as error:
        what = f"{str(error).splitlines()[0]}; delete it and run `dvc repro`"
        raise TruerateError(f"reading {str(path)!r}: {what}") from None


def mark(config: Layout, boards: Sequence[str], is_stale: Callable[[Path], bool]) -> None:
    """Have the next `dvc repro` make these boards' data sets again, without their stale scratch files. Raises
    TruerateError, touching nothing, while a build runs.
    """
    if not boards:
        return
    stale = [path for board in boards for path in to_remove(config, board, is_stale)]
    with _unlocked(config, boards):
        for path in stale:
            for file in (path, *(beside(str(path), table) for table in BESIDE)):
                file.unlink(missing_ok=True)


# ---- scratch files -----------------------------------------------------------------------------------------
def scratch_files(config: Layout, board: str) -> list[Path]:
    """The scratch files of a board that hold replies, those of earlier settings too."""
    paths = (Path(config.p.paths.build) / board).glob("*@*/*.parquet")
    return sorted(path for path in paths if path.name.split("-")[0] not in BESIDE)


def to_remove(config: Layout, board: str, is_stale: Callable[[Path], bool]) -> list[Path]:
    """The stale scratch files and those made from them; of earlier settings all files if one is stale."""
    there = scratch_files(config, board)
    stale = {path for path in there if is_stale(path)}
    current, reads = graph(config, board)
    for path in current:
        if not stale.isdisjoint(reads(path)):
            stale.add(path)
    earlier = set(there).difference(current)
    if not stale.isdisjoint(earlier):
        stale |= earlier
    return [path for path in there if path in stale]


def graph(config: Layout, board: str) -> tuple[list[Path], Callable[[Path], list[Path]]]:
    """The scratch files of the current settings, each behind its inputs, and what each reads."""

    @cache
    def read_by(step: str, model: str, shard: int) -> list[Path]:
        return [Path(path) for path in before(config, board, step, model, shard)]

    def reads(path: Path) -> list[Path]:
        model, shard = path.parent.name.rpartition("@")[0], int(path.stem.rpartition("-")[2])
        return read_by(_step_of(path), model, shard)

    try:
        return [Path(path) for path in all_files(config, board)], reads
    except TruerateError:  # a source is not there, so nothing has a key: every file is of earlier settings
        return [], lambda path: []


def _step_of(path: Path) -> str:
    return path.name.rpartition("-")[0]


# ---- DVC ---------------------------------------------------------------------------------------------------
@contextmanager
def _unlocked(config: Layout, boards: Sequence[str]) -> Iterator[None]:
    """Hold DVC's locks against builds, and change the command of the boards' stages in dvc.lock: DVC runs
    them again, and still knows their outputs. Nothing in a folder without DVC.
    """
    if not Path(".dvc").is_dir():
        yield
        return
    from dvc.exceptions import DvcException
    from dvc.lock import LockError
    from dvc.repo import Repo
    from dvc.rwlock import rwlock
    from dvc.utils.serialize import modify_yaml

    outs = [os.path.abspath(config.dataset(board)) for board in boards]
    what = f"marking {listed(boards)} to be made again"
    try:
        with Repo(".") as repo, repo.lock:
            hardlink = repo.config["core"].get("hardlink_lock", False)
            with rwlock(repo.tmp_dir, repo.fs, "truerate", [], outs, hardlink):
                path = os.path.join(repo.root_dir, "dvc.lock")
                if os.path.isfile(path):
                    with modify_yaml(path) as lock:
                        stages = lock.get("stages", {})
                        for name in {Stage("dataset", board).address for board in boards} & stages.keys():
                            stages[name]["cmd"] = MARK
                yield
    except LockError:
        raise TruerateError(f"{what}: a build runs here; when it has ended, run this command again") from None
    except DvcException as error:
        raise TruerateError(f"{what}: DVC: {str(error).splitlines()[0]}; run `truerate mend`") from None
