"""What moved between two revisions of a repository, from committed files alone: scores, intervals and rank
ranges; as lines, as JSON, or as a page with each score before and after.

Read are `results/*/scores.csv` (boards of public files) and the metrics file of the leaderboard (the boards
of the build, values alone), out of git or, for the second revision, as they lie here. Nothing is built or
fetched. The page is one file that opens from file://, without a script; every text is escaped.
"""

import io
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from truerate.core.errors import SettingsError, SourceError
from truerate.results.files import SCORE_COLUMNS, SCORES, is_same, rank_range

KEYS = ["board", "metric", "slice", "subject"]
CELLS = ("value", "low", "high", "rank_low", "rank_high")
SAME = 1e-9  # both sides were written with six digits
KINDS = ("moved", "added", "gone")
Cells = Mapping[str, float | int | None]

TEMPLATES, PAGE = Path(__file__).parent / "templates", "diff.html.j2"
MARK = "truerate-diff"  # in the head of its pages: what may be written anew
MOST_SHOWN = 400  # changes of one board, the largest first
WIDTH, EDGE = 220, 8  # of the picture of a change, and what stands free at its ends


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
        return "added" if self.was is None else "gone" if self.now is None else "moved"

    @property
    def step(self) -> float | None:
        """By how much the value has moved; None where it was not measured on both sides."""
        before, after = (cells["value"] if cells else None for cells in (self.was, self.now))
        return None if before is None or after is None else after - before


def differences(first: str, second: str | None, *, metrics: str, results: str = "results") -> list[Change]:
    """Return the scores that differ between a git revision and another, or the files as they lie here (None),
    by board, metric, slice and subject. `metrics`: the path of the leaderboard's metrics file, `results` of
    the results.

    Raises SettingsError where a revision is none or this is no git repository, SourceError for a file that is
    none of ours.
    """
    was, now = (
        Revision(name).scores(metrics=metrics, results=results).with_columns(is_there=True)
        for name in (first, second)
    )
    both = was.join(now, on=KEYS, how="full", suffix="_now", coalesce=True, maintain_order="left_right")
    cells_equal = [is_same(pl.col(cell), pl.col(f"{cell}_now"), SAME) for cell in CELLS]
    is_equal = pl.all_horizontal("is_there", "is_there_now", *cells_equal).fill_null(False)
    changes = []
    for row in both.filter(~is_equal).sort(KEYS).iter_rows(named=True):
        sides = (
            {cell: row[cell + side] for cell in CELLS} if row[f"is_there{side}"] else None
            for side in ("", "_now")
        )
        changes.append(Change(*(row[key] for key in KEYS), *sides))
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
        """Return the files below a folder, by path from the root; none where there is no such folder."""
        if self.name is None:
            return sorted(path.as_posix() for path in Path(folder).rglob("*") if path.is_file())
        listing = _git("ls-tree", "-r", "-z", "--name-only", self.name, "--", folder).decode()
        return sorted(filter(None, listing.split("\0")))

    def read(self, path: str) -> bytes | None:
        """Return a file; None where it is not there."""
        if self.name is None:
            return Path(path).read_bytes() if Path(path).is_file() else None
        # `./`: this folder may lie below the root of the repository
        return _git("show", f"{self.name}:./{path}") if path in self.paths(path) else None

    def scores(self, *, metrics: str, results: str) -> pl.DataFrame:
        """Return every committed score: of the build's boards by the metrics file, of public files by their
        scores.csv.
        """
        where = self.name or "this folder"
        schema = {name: SCORE_COLUMNS.get(name, pl.String) for name in (*KEYS, *CELLS)}
        try:
            built = [
                (board, metric, slice_, subject, value)
                for board, by_metric in json.loads(self.read(metrics) or b"{}").items()
                for metric, by_slice in by_metric.items()
                for slice_, by_subject in by_slice.items()
                for subject, value in by_subject.items()
            ]
            values = {name: schema[name] for name in (*KEYS, "value")}
            parts = [pl.DataFrame(schema=schema), pl.DataFrame(built, schema=values, orient="row")]
        except (ValueError, AttributeError, TypeError, pl.exceptions.PolarsError):
            raise SourceError(f"diff: {metrics} of {where} is no metrics file of a leaderboard") from None
        for path in map(PurePosixPath, self.paths(results)):
            if path.name == SCORES:
                try:
                    table = pl.read_csv(io.BytesIO(self.read(str(path)) or b""), schema_overrides=schema)
                    named = table.with_columns(board=pl.lit(path.parent.name)).select(*schema)
                    parts.append(named.with_columns(pl.col(KEYS).fill_null("")))
                except (pl.exceptions.PolarsError, UnicodeError):
                    raise SourceError(f"diff: {path} of {where} holds no scores") from None
        return pl.concat(parts, how="diagonal").unique(KEYS, keep="last", maintain_order=True)


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


def as_json(changes: list[Change]) -> str:
    """Return the changes for programs."""
    records = [asdict(change) | {"kind": change.kind} for change in changes]
    return json.dumps(records, ensure_ascii=False, indent=1)


def by_board(changes: Sequence[Change]) -> dict[str, list[Change]]:
    """Return the changes of each board, in their order."""
    boards: dict[str, list[Change]] = {}
    for change in changes:
        boards.setdefault(change.board, []).append(change)
    return boards


def counts_of(changes: Sequence[Change]) -> list[tuple[str, int]]:
    """Return how many changes are of each kind."""
    return [(kind, sum(change.kind == kind for change in changes)) for kind in KINDS]


# ---- lines -------------------------------------------------------------------------------------------------


def lines(changes: list[Change]) -> list[str]:
    """Return the changes for people: a heading per board with its counts, and a line per score."""
    text = [] if changes else ["nothing moved: every score, interval and rank range is the same"]
    for board, of_board in by_board(changes).items():
        counts = ", ".join(f"{n} {kind}" for kind, n in counts_of(of_board))
        text += [f"{board}: {counts}", *(f"  {_line(change)}" for change in of_board)]
    return text


def _line(change: Change) -> str:
    where = f" ({change.slice})" if change.slice else ""
    was, now = (_words(cells) for cells in (change.was, change.now))
    words = {"added": f"added, {now}", "gone": f"gone, was {was}", "moved": f"{was} → {now}"}[change.kind]
    return f"{change.metric} of {change.subject}{where}: {words}"


def _words(cells: Cells | None) -> str:
    if cells is None:
        return ""
    value, low, high, *ranks = (cells[name] for name in CELLS)
    if value is None:
        return "nothing measured"
    interval = "" if low is None or high is None else f" ({low:.3f}–{high:.3f})"
    return f"{value:.3f}{interval}" + (f", rank {rank}" if (rank := rank_range(*ranks)) else "")


# ---- the page ----------------------------------------------------------------------------------------------


def page_path(file: str | Path) -> Path:
    """Return the file of the page. Raises SettingsError where it is a folder, or another file than a page of
    this command.
    """
    path = Path(file)
    if path.is_dir():
        raise SettingsError(f"--html {str(file)!r}: it is a folder; name a file, as moved.html")
    if path.exists() and MARK not in path.read_text("utf-8", errors="replace")[:400]:
        raise SettingsError(f"--html {str(file)!r}: it is another file; name a new one, as moved.html")
    return path


def write_page(changes: Sequence[Change], first: str, second: str | None, path: Path) -> None:
    """Write the page. Raises SettingsError where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(changes, first, second), "utf-8")
    except OSError as error:
        hint = "name a file that can be written"
        raise SettingsError(f"--html {str(path)!r}: {error.strerror}; {hint}") from None


def page(changes: Sequence[Change], first: str, second: str | None) -> str:
    """Return the HTML of the page: a section per board with its counts, its largest changes first."""
    how = {"autoescape": True, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    template = Environment(loader=FileSystemLoader(TEMPLATES), **how).get_template(PAGE)
    boards = [_section(name, of_board) for name, of_board in by_board(changes).items()]
    sizes, second = {"n": len(changes), "width": WIDTH, "edge": EDGE}, second or "the files as they lie here"
    return template.render(mark=MARK, first=first, second=second, boards=boards, **sizes)


def _section(name: str, changes: list[Change]) -> dict[str, Any]:
    """A board: what has moved stands first, the largest step first; then by name. Shares alone are drawn from
    0 to 1.
    """
    changes.sort(
        key=lambda row: (KINDS.index(row.kind), -abs(row.step or 0.0), row.metric, row.slice, row.subject)
    )
    sides = [side for change in changes for side in (change.was, change.now) if side]
    ends = [
        float(end) for side in sides for key in ("low", "value", "high") if (end := side[key]) is not None
    ]
    is_share = not ends or (min(ends) >= 0 and max(ends) <= 1)
    low, high = (0.0, 1.0) if is_share else (min(ends), max(ends))

    def position(value: float | None) -> float:
        share = (float(value or 0.0) - low) / (high - low) if high > low else 0.5
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    def mark(cells: Cells, *, is_now: bool) -> dict[str, Any]:
        ends = None if _has_no_interval(cells) else (position(cells["low"]), position(cells["high"]))
        return {"at": position(cells["value"]), "range": ends, "is_now": is_now}

    def line(change: Change) -> dict[str, Any]:
        marks = [
            mark(cells, is_now=is_now)
            for cells, is_now in ((change.was, False), (change.now, True))
            if cells and cells["value"] is not None
        ]
        step = "" if change.step is None else f"{change.step:+.3f}".replace("-", "−")
        was, now = (_shown(cells) for cells in (change.was, change.now))
        return {"change": change, "was": was, "now": now, "step": step, "marks": marks}

    return {
        "name": name,
        "counts": counts_of(changes),
        "lines": [line(change) for change in changes[:MOST_SHOWN]],
        "n_left_out": max(0, len(changes) - MOST_SHOWN),
        "ends": [_number(low), _number(high)],
    }


def _has_no_interval(cells: Cells) -> bool:
    return cells["low"] is None or cells["high"] is None


def _shown(cells: Cells | None) -> dict[str, str] | None:
    """A score in words: value, interval, rank range; None where it is not there."""
    if cells is None:
        return None
    interval = "" if _has_no_interval(cells) else f"{_number(cells['low'])} to {_number(cells['high'])}"
    rank = rank_range(cells["rank_low"], cells["rank_high"])
    return {"value": _number(cells["value"]), "interval": interval, "rank": rank}


def _number(value: float | int | None) -> str:
    return "not measured" if value is None else f"{value:.3f}".replace("-", "−")
