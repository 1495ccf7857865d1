"""GPU hours of a build, from settings alone: a track whose detectors are networks says how many (`gpu_hours`
of its module `plan`).
"""

from collections.abc import Iterator

import polars as pl

from truerate.config.layout import Layout
from truerate.pipeline.tracks import protocol_of
from truerate.tracks.gpu_cost import GridCell

COLUMNS = {
    "board": pl.String,
    "network": pl.String,
    "n_detectors": pl.Int64,
    "gpu_hours_train": pl.Float64,
    "gpu_hours_judge": pl.Float64,
}
NOTE = (
    "GPU hours are arithmetic (one H200, settings alone; constants and their sources stand in the "
    "gpu_hours.py of each track)"
)


def gpu_plan(at: Layout, board: str | None) -> pl.DataFrame:
    """A line per board and network of stated size (`resources.size_b`): its detectors and the GPU hours they
    need.
    """
    lines = []
    for name in [board] if board else at.p.boards:
        for gpu_hour in protocol_of(at, name).gpu_hours(at.p, name, _cells(at, name)):
            lines.append(dict(zip(COLUMNS, (name, *gpu_hour), strict=True)))
    return pl.DataFrame(lines, schema=COLUMNS)


def _cells(at: Layout, board: str) -> Iterator[GridCell]:
    """Every cell of the grids of a board's token detectors."""
    from truerate.detectors.tokens.cells import cells

    of_rates = at.p.rate_of(board)
    for family in (at.p.detectors[name] for name in at.p.fitted(board)):
        if family.kind == "tokens":
            members = family.members_on(at.p.board(board).track)
            size, langs = at.p.size_of(board), at.p.track(board).languages
            for cell in cells(members, langs, size, family.grid):
                is_everywhere = family.unlabelled == "all" or of_rates is None or cell.is_of(of_rates)
                yield GridCell(cell.member, cell.lang is not None, is_everywhere)
