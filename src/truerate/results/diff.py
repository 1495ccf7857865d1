"""What moved between two revisions of a repository: scores, intervals and rank ranges, from committed files alone.

Read are `results/*/scores.csv` (boards of public files) and the metrics file of the leaderboard (the boards of the
build, values alone), out of git or, for the second revision, as they lie here. Nothing is built or fetched.
"""

import io
import json
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

import polars as pl

from truerate.core.errors import SettingsError, SourceError
from truerate.results.files import SCORE_COLUMNS, SCORES

CELLS = ("value", "low", "high", "rank_low", "rank_high")
SAME = 1e-9  # both sides were written with six digits
KINDS = ("moved", "added", "gone")
Key = tuple[str, str, str, str]  # board, metric, slice, subject
Cells = Mapping[str, float | int | None]


@dataclass(frozen=True)
class Change:
    """One score that moved: `was` and `now` hold its cells, None where it was not there, or no longer is."""

    board: str
    metric: str
    slice: str
    subject: str
    was: Cells | None
    now: Cells | None

    @property
    def kind(self) -> str:
        """`added`, `gone` or `moved`."""
        if self.was is None:
            return "added"
        return "gone" if self.now is None else "moved"


def differences(first: str, second: str | None, *, metrics: str, results: str = "results") -> list[Change]:
    """The scores that differ between a git revision and another, or the files as they lie here (None), by board, metric, slice
    and subject. `metrics`: the path of the leaderboard's metrics file, `results` of the results.

    Raises SettingsError where a revision is none or this is no git repository, SourceError for a file that is none of ours.
    """
    was, now = (Revision(name).scores(metrics=metrics, results=results) for name in (first, second))
    changes = []
    for key in sorted(was.keys() | now.keys()):
        before, after = was.get(key), now.get(key)
        if before is None or after is None or any(not _is_same(before[cell], after[cell]) for cell in CELLS):
            changes.append(Change(*key, before, after))
    return changes


class Revision:
    """The files of a git revision, or those that lie here where it has no name."""

    def __init__(self, name: str | None):
        self.name = name
        if name is not None:
            if name.startswith("-"):
                raise SettingsError(f"diff: {name!r} is no revision; name a commit, a branch or a tag")
            _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", revision=name)

    def paths(self, folder: str) -> list[str]:
        """The files below a folder, by path from the root; none where there is no such folder."""
        if self.name is None:
            return sorted(path.as_posix() for path in Path(folder).rglob("*") if path.is_file())
        listing = _git("ls-tree", "-r", "-z", "--name-only", self.name, "--", folder).decode()
        return sorted(filter(None, listing.split("\0")))

    def read(self, path: str) -> bytes | None:
        """A file; None where it is not there."""
        if self.name is None:
            return Path(path).read_bytes() if Path(path).is_file() else None
        # `./`: this folder may lie below the root of the repository
        return _git("show", f"{self.name}:./{path}") if path in self.paths(path) else None

    def scores(self, *, metrics: str, results: str) -> dict[Key, Cells]:
        """Every committed score: of the build's boards by the metrics file, of public files by their scores.csv."""
        where = self.name or "this folder"
        scores: dict[Key, Cells] = {}
        if (raw := self.read(metrics)) is not None:
            try:
                for board, by_metric in json.loads(raw).items():
                    for metric, by_slice in by_metric.items():
                        for slice_, by_subject in by_slice.items():
                            for subject, value in by_subject.items():
                                cells = dict.fromkeys(CELLS) | {"value": value}
                                scores[board, metric, slice_, subject] = cells
            except (ValueError, AttributeError):
                raise SourceError(f"diff: {metrics} of {where} is no metrics file of a leaderboard") from None
        for path in self.paths(results):
            if PurePosixPath(path).name != SCORES:
                continue
            try:
                table = pl.read_csv(io.BytesIO(self.read(path) or b""), schema_overrides=SCORE_COLUMNS)
                table = table.select("metric", "slice", "subject", *CELLS)
            except (pl.exceptions.PolarsError, UnicodeError):
                raise SourceError(f"diff: {path} of {where} holds no scores") from None
            board = PurePosixPath(path).parent.name
            for row in table.with_columns(pl.col(pl.String).fill_null("")).to_dicts():
                scores[board, row["metric"], row["slice"], row["subject"]] = {
                    cell: row[cell] for cell in CELLS
                }
        return scores


def _git(*words: str, revision: str | None = None) -> bytes:
    try:
        ended = subprocess.run(["git", *words], capture_output=True)
    except OSError:
        raise SettingsError("diff: git is not there; it reads two revisions of a git repository") from None
    if ended.returncode:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1][:200] if lines else "no such commit, branch or tag"
        raise SettingsError(f"diff: {f'revision {revision!r}: ' if revision is not None else ''}{why}")
    return ended.stdout


def _is_same(first: float | None, second: float | None) -> bool:
    return first is second if first is None or second is None else abs(first - second) <= SAME


def as_json(changes: list[Change]) -> str:
    """The changes for programs."""
    return json.dumps(
        [asdict(change) | {"kind": change.kind} for change in changes], ensure_ascii=False, indent=1
    )


def lines(changes: list[Change]) -> list[str]:
    """The changes for people: a heading per board with its counts, and a line per score."""
    if not changes:
        return ["nothing moved: every score, interval and rank range is the same"]
    text = []
    for board in dict.fromkeys(change.board for change in changes):
        of_board = [change for change in changes if change.board == board]
        counts = ", ".join(f"{sum(change.kind == kind for change in of_board)} {kind}" for kind in KINDS)
        text += [f"{board}: {counts}", *(f"  {_line(change)}" for change in of_board)]
    return text


def _line(change: Change) -> str:
    where = f" ({change.slice})" if change.slice else ""
    was, now = (_words(cells) if cells else "" for cells in (change.was, change.now))
    words = {"added": f"added, {now}", "gone": f"gone, was {was}", "moved": f"{was} → {now}"}[change.kind]
    return f"{change.metric} of {change.subject}{where}: {words}"


def _words(cells: Cells) -> str:
    value, low, high, first, last = (cells[name] for name in CELLS)
    if value is None:
        return "nothing measured"
    interval = "" if low is None or high is None else f" ({low:.3f}–{high:.3f})"
    rank = "" if first is None else f", rank {first}" if first == last else f", rank {first}–{last}"
    return f"{value:.3f}{interval}{rank}"
