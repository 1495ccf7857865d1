"""The boards of three seeds, built once: every test here reads them."""

import pytest

from .board import ROOT, Board, build_board
from .cells import Cell, cells_of, label_cells

SEEDS = (101, 202, 303)


@pytest.fixture(scope="session")
def boards(tmp_path_factory) -> list[Board]:
    met: set[tuple] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return [build_board(seed, tmp_path_factory.mktemp(f"world-{seed}"), met) for seed in SEEDS]


@pytest.fixture(scope="session")
def cells(boards) -> list[Cell]:
    """Every measured value with a planted one, per seed."""
    return [cell for board in boards for cell in (*cells_of(board), *label_cells(board))]
