"""`truerate compare`: is a new file of answers worse than an old one, items paired?"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.answers.gating import FAILED, PASSED, UNDECIDED, Decision, decided
from truerate.answers.grouping import grouping_of
from truerate.answers.proxies import judges_of
from truerate.answers.rating import cell_of, seen_by, table_for
from truerate.answers.telling import as_html
from truerate.answers.verdicts import Detector
from truerate.core.errors import SettingsError, SourceError
from truerate.core.process.project import PARAMS
from truerate.metrics.estimators.own_difference import ASSURED, Difference, difference_of
from truerate.metrics.estimators.own_rate import with_unjudged
from truerate.metrics.estimators.sample import Cell
from truerate.sources.answers.forms import Source
from truerate.sources.answers.reading import STATED
from truerate.sources.answers.table import AnswerTable

LEAST_LABELS = 10  # of a file, below which nothing is decided
LEAST_PAIRED = 0.5  # share of the answers of both files that must have a partner to be compared as pairs
ALIKE = 0.9  # share of the ids in common that must ask the same
SIDES = ("old", "new")


@dataclass(frozen=True)
class Comparison:
    """What is known of the difference; `difference` None where labels are too few, and `why`. `margin`: the
    rise that is allowed, as a share. `notes`: a line each.
    """

    difference: Difference | None
    margin: float
    notes: Sequence[str]
    why: str = ""

    @property
    def decision(self) -> Decision:
        """Whether the new answers are worse by more than the margin, by the interval of the difference."""
        margin, gap = _points(self.margin), self.difference
        name = f"not worse by more than {margin} points"
        if gap is None:
            return Decision(UNDECIDED, name, f"cannot tell: {self.why}", self.notes)
        code = decided(gap.low, gap.high, self.margin)
        change = f"the new rate is {gap.new:.1%}, the old one {gap.old:.1%}: {_signed(gap.value)} points"
        change += f" ({_signed(gap.low)} to {_signed(gap.high)})"
        words = {
            PASSED: f"not worse by more than {margin} points: {change}",
            FAILED: f"worse by more than {margin} points: {change}",
            UNDECIDED: f"cannot tell whether it is worse by more than {margin} points: {change}",
        }
        notes = [*([_what_would(gap, self.margin)] if code == UNDECIDED else []), *self.notes]
        return Decision(code, name, words[code], notes)

    def __repr__(self) -> str:
        return f"<Comparison: {self.decision.sentence}>"

    def _repr_html_(self) -> str:
        return as_html(self.decision.sentence, self.decision.notes)


def compare(
    old: Source,
    new: Source,
    *,
    margin: float,
    labels: Sequence[Source] | None = None,
    detector: str | None = None,
    adapter: str | None = None,
    fields: Iterable[str] = (),
    verdicts: Sequence[str] | str = (),
    threshold: float = 0.5,
    params: str = PARAMS,
) -> Comparison:
    """Compare the hallucinated shares of two sources of answers to the same items, matched by id, else by
    question; corrected where both are labelled (`labels`: of the old and of the new answers; None: those beside
    them), else of what the detector, or the files' own judges, flag. `margin` in points of percent, 0 to 100;
    all else as in `rate`. Raises TruerateError, one line.
    """
    if not 0 <= margin <= 100:
        raise SettingsError(f"--margin {margin:g}: allowed: 0 to 100 points of percent")
    fields, notes, sides = list(fields), [], []
    for name, source, labelled in zip(SIDES, (old, new), labels or (None, None), strict=True):
        table = table_for(
            source, labels=labelled, detector=detector, fields=fields, verdicts=verdicts, threshold=threshold
        )
        judge = None
        if not table.verdicts:
            from truerate.answers.judging import detector_of  # not waited for where files bring verdicts

            judge = detector_of(detector, adapter=adapter, params=params)
        side = _side(table, judge)
        if not side.frame.height:
            raise SourceError(f"the {name} file has no answer that says something")
        notes += [f"{name}: {note}" for note in table.notes]
        if n := table.frame.height - side.frame.height:
            notes.append(f"{name}: {n} answers abstain or are empty, not compared")
        if not side.cell.k and side.frame["verdict"].is_null().all():
            raise SourceError(
                f"none of the {name} answers could be judged, and none is labelled; give 'reference'"
            )
        sides.append(side)
        by = f"verdicts {', '.join(table.verdicts)}" if judge is None else f"{judge.name} ({judge.why})"
        notes.append(f"detector: {by}")
    cells, how = paired(sides)
    notes = [*how, *dict.fromkeys(notes)]
    if all(cell.k == 0 for cell in cells):
        notes.insert(
            0,
            "not corrected: flagged shares, as if the detector erred alike on both files; --labels corrects",
        )
    elif min(cell.k for cell in cells) < LEAST_LABELS:
        counts = " and ".join(str(cell.k) for cell in cells)
        why = f"{counts} of the old and new answers are labelled, {LEAST_LABELS} of each are needed"
        return Comparison(None, margin / 100, notes, why)
    difference = difference_of(*cells)
    what = "labels" if any(cell.k for cell in cells) else "answers"
    why = "" if difference else f"the {what} of a file are all of one group: nothing tells how groups differ"
    return Comparison(difference, margin / 100, notes, why)


class Side(NamedTuple):
    """The answers of a file that say something, as a frame and as sampling units."""

    frame: pl.DataFrame
    cell: Cell


def _side(table: AnswerTable, judge: Detector | None) -> Side:
    """The answers of a table as `judge` sees them, None: its own judges (their scores where it is labelled)."""
    is_stated = (table.frame["state"] == STATED).to_numpy()
    judges = None if judge is not None else judges_of(table)
    frame = judges.judged(table.frame) if judges is not None else table.frame
    stated = (frame if judge is None else seen_by(judge, frame)).filter(is_stated)
    cell = cell_of(stated, unit="answers", clusters=np.arange(stated.height))
    if judges is not None and cell.k:
        cell = replace(cell, flagged=with_unjudged(cell.total, judges.proxy(stated, is_stated)))
    return Side(stated, cell)


def paired(sides: Sequence[Side]) -> tuple[list[Cell], list[str]]:
    """Return the units of both files that have a partner, with clusters of both, and notes. Matched by id where
    those in common ask the same, else by question; all of them, unpaired, where less than LEAST_PAIRED of them
    match. Clusters: as of one file (`grouping_of`), else the item.
    """
    frames = [side.frame for side in sides]
    for what in _keys(frames):
        common = set(frames[0][what]) & set(frames[1][what]) - {""}
        is_kept = [frame[what].is_in(list(common)).to_numpy() for frame in frames]
        n_left = [int((~kept).sum()) for kept in is_kept]
        if common and sum(n_left) <= (1 - LEAST_PAIRED) * sum(map(len, is_kept)):
            notes = [f"items in both files, matched by {what}: {len(common)}"]
            if any(n_left):
                notes.append(
                    f"without a partner, not compared: {n_left[0]} of the old answers, {n_left[1]} of the new"
                )
            break
    else:
        what, is_kept = "", [np.ones(frame.height, dtype=bool) for frame in frames]
        notes = ["items do not match by id or question: compared as two draws, not as pairs"]
    names = ["id", "group", "question", "reference", "label"]
    both = pl.concat(
        frame.filter(kept)
        .select(names)
        .with_columns(item=pl.col(what) if what else pl.lit(name) + pl.col("id"))
        for name, frame, kept in zip(SIDES, frames, is_kept, strict=True)
    )
    grouping = grouping_of(both.with_columns(id="item"))
    if grouping.by in ("group", "reference"):
        notes.append(f"answers are grouped by {grouping.by}: {grouping.n} groups")
    cells = [side.cell.only(kept) for side, kept in zip(sides, is_kept, strict=True)]
    first = cells[0].n
    clusters = (grouping.clusters[:first], grouping.clusters[first:])
    return [replace(cell, clusters=names) for cell, names in zip(cells, clusters, strict=True)], notes


def _keys(frames: Sequence[pl.DataFrame]) -> Iterator[str]:
    """The columns by which items may match, the best first: ids that ask the same in both, questions."""
    if not all(_has_line_numbers(frame) for frame in frames):
        common = (
            frames[0]
            .join(frames[1], on="id", suffix="_new", maintain_order="left")
            .select("question", "question_new")
        )
        if (common["question"] == common["question_new"]).sum() >= ALIKE * common.height:
            yield "id"
    yield "question"


def _has_line_numbers(frame: pl.DataFrame) -> bool:
    """Return whether ids are the numbers of lines, of answers that questions tell apart better."""
    numbers = pl.Series(range(1, frame.height + 1)).cast(pl.String)
    return bool((frame["question"] != "").any() and (frame["id"].is_in(numbers.to_list())).all())


def _points(share: float) -> str:
    return f"{100 * share:g}"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}"


def _what_would(gap: Difference, margin: float) -> str:
    """A line on what would tell."""
    share = f"in {10 * ASSURED:g} of 10 cases"
    if (labels := gap.labels_for(margin)) is not None:
        return f"about {max(labels - gap.k, 1):,} more labels would tell {share} (truerate draw)"
    if (answers := gap.answers_for(margin)) is not None:
        more = ", labelled in the same share" if gap.is_corrected else ""
        return f"about {answers:,} answers in each file{more} would tell {share}"
    return "no number of answers is known that would tell"
