"""What moved between two revisions of a repository: scores, intervals and rank ranges, from committed files alone.

Read are `results/*/scores.csv` (boards of public files) and the metrics file of the leaderboard (the boards of the
build, values alone), out of git or, for the second revision, as they lie here. Nothing is built or fetched.
"""

import io
import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

import polars as pl

from truerate.core.errors import SettingsError, SourceError
from truerate.flow.result_files import SCORE_COLUMNS, SCORES

CELLS = ("value", "low", "high", "rank_low", "rank_high")
SAME = 1e-9  # both sides were written with six digits
Key = tuple[str, str, str, str]  # board, metric, slice, subject


@dataclass(frozen=True)
class Change:
    """One score that moved: `was` and `now` hold its cells, None where it was not there, or no longer is."""

    board: str
    metric: str
    slice: str
    subject: str
    was: Mapping[str, float | int | None] | None
    now: Mapping[str, float | int | None] | None

    @property
    def kind(self) -> str:
        """`added`, `gone` or `moved`."""
        if self.was is None:
            return "added"
        return "gone" if self.now is None else "moved"


def differences(first: str, second: str | None, *, metrics: str, results: str = "results") -> list[Change]:
    """The scores that differ between a git revision and another, or the files as they lie here (None), by board,
    metric, slice and subject. `metrics`: the path of the leaderboard's metrics file, `results` of the results.

    Raises SettingsError where a revision is none or this is no git repository, SourceError for a file that is none
    of ours.
    """
    was, now = (_scores(Revision(name), metrics=metrics, results=results) for name in (first, second))
    found = []
    for key in sorted(was.keys() | now.keys()):
        one, other = was.get(key), now.get(key)
        if one is None or other is None or any(not _is_same(one[cell], other[cell]) for cell in CELLS):
            found.append(Change(*key, one, other))
    return found


class Revision:
    """The files of a git revision, or those that lie here where it has no name."""

    def __init__(self, name: str | None):
        self.name = name
        if name is not None:
            if name.startswith("-"):
                raise SettingsError(f"diff: {name!r} is no revision; name a commit, a branch or a tag")
            _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", told=name)

    def paths(self, folder: str) -> list[str]:
        """The files below a folder, by path from the root; none where there is no such folder."""
        if self.name is None:
            return sorted(path.as_posix() for path in Path(folder).rglob("*") if path.is_file())
        return sorted(
            filter(
                None, _git("ls-tree", "-r", "-z", "--name-only", self.name, "--", folder).decode().split("\0")
            )
        )

    def read(self, path: str) -> bytes | None:
        """A file; None where it is not there."""
        if self.name is None:
            return Path(path).read_bytes() if Path(path).is_file() else None
        # `./`: this folder may lie below the root of the repository
        return _git("show", f"{self.name}:./{path}") if path in self.paths(path) else None


def _git(*words: str, told: str | None = None) -> bytes:
    try:
        done = subprocess.run(["git", *words], capture_output=True)
    except OSError:
        raise SettingsError("diff: git is not there; it reads two revisions of a git repository") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1][:200] if lines else "no such commit, branch or tag"
        raise SettingsError(f"diff: {f'revision {told!r}: ' if told is not None else ''}{why}")
    return done.stdout


def _scores(revision: Revision, *, metrics: str, results: str) -> dict[Key, dict[str, float | int | None]]:
    found = dict(_of_metrics(revision, metrics))
    for path in revision.paths(results):
        if PurePosixPath(path).name == SCORES:
            found |= _of_result(revision, path)
    return found


def _of_metrics(revision: Revision, path: str) -> Iterator[tuple[Key, dict[str, float | int | None]]]:
    """The ranked values of the build's boards."""
    raw = revision.read(path)
    if raw is None:
        return
    try:
        whole = json.loads(raw)
        for board, by_metric in whole.items():
            for metric, by_slice in by_metric.items():
                for where, by_subject in by_slice.items():
                    for subject, value in by_subject.items():
                        yield (board, metric, where, subject), dict.fromkeys(CELLS) | {"value": value}
    except (ValueError, AttributeError):
        raise SourceError(
            f"diff: {path} of {revision.name or 'this folder'} is no metrics file of a leaderboard"
        ) from None


def _of_result(revision: Revision, path: str) -> dict[Key, dict[str, float | int | None]]:
    raw, board = revision.read(path), PurePosixPath(path).parent.name
    try:
        table = pl.read_csv(io.BytesIO(raw or b""), schema_overrides=SCORE_COLUMNS)
        rows = (
            table.select("metric", "slice", "subject", *CELLS)
            .with_columns(pl.col(pl.String).fill_null(""))
            .to_dicts()
        )
    except (pl.exceptions.PolarsError, UnicodeError):
        raise SourceError(f"diff: {path} of {revision.name or 'this folder'} holds no scores") from None
    return {
        (board, row["metric"], row["slice"], row["subject"]): {cell: row[cell] for cell in CELLS}
        for row in rows
    }


def _is_same(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= SAME


def as_json(changes: list[Change]) -> str:
    """The changes for programs."""
    return json.dumps(
        [asdict(change) | {"kind": change.kind} for change in changes], ensure_ascii=False, indent=1
    )


def lines(changes: list[Change]) -> list[str]:
    """The changes for people: a heading per board with its counts, and a line per score."""
    if not changes:
        return ["nothing moved: every score, interval and rank range is the same"]
    told = []
    for board in dict.fromkeys(change.board for change in changes):
        own = [change for change in changes if change.board == board]
        counts = ", ".join(
            f"{sum(one.kind == kind for one in own)} {kind}" for kind in ("moved", "added", "gone")
        )
        told += [f"{board}: {counts}", *(f"  {_line(change)}" for change in own)]
    return told


def _line(change: Change) -> str:
    where = f" ({change.slice})" if change.slice else ""
    begin = f"{change.metric} of {change.subject}{where}: "
    if change.was is None or change.now is None:
        return begin + (
            f"added, {_cells(change.now)}" if change.was is None else f"gone, was {_cells(change.was)}"
        )
    return f"{begin}{_cells(change.was)} → {_cells(change.now)}"


def _cells(cells: Mapping[str, float | int | None] | None) -> str:
    assert cells is not None
    value, low, high, first, last = (cells[name] for name in CELLS)
    if value is None:
        return "nothing measured"
    interval = "" if low is None or high is None else f" ({low:.3f}–{high:.3f})"
    rank = "" if first is None else f", rank {first}" if first == last else f", rank {first}–{last}"
    return f"{value:.3f}{interval}{rank}"
