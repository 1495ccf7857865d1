"""GPU hours of a build, from settings alone: a track whose detectors are networks says how many (`gpu_hours`
of its module `plan`).
"""

from collections.abc import Iterator

import polars as pl

from truerate.config.layout import Layout
from truerate.pipeline.tracks import protocol_of
from truerate.tracks.protocol import GridCell

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


def gpu_plan(config: Layout, board: str | None) -> pl.DataFrame:
    """A line per board and network of stated size (`resources.size_b`): its detectors and GPU hours."""
    lines = []
    for name in [board] if board else config.p.boards:
        for gpu_hour in protocol_of(config, name).gpu_hours(config.p, name, _cells(config, name)):
            lines.append(dict(zip(COLUMNS, (name, *gpu_hour), strict=True)))
    return pl.DataFrame(lines, schema=COLUMNS)


def _cells(config: Layout, board: str) -> Iterator[GridCell]:
    """Every cell of the grids of a board's token detectors."""
    from truerate.detectors.tokens.cells import cells

    of_rates = config.p.rate_of(board)
    for name in config.p.fitted(board):
        if (family := config.p.detectors[name]).kind == "tokens":
            members = config.p.members(name, board)
            size, langs = config.p.size_of(board), config.p.track(board).languages
            for cell in cells(members, langs, size, family.grid):
                is_everywhere = family.unlabelled == "all" or of_rates is None or cell.is_of(of_rates)
                yield GridCell(cell.member, cell.lang is not None, is_everywhere)
