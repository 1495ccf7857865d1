"""The boards of two seeds, built once: every test here reads them."""

import pytest

from .board import ROOT, Board, build_board
from .cells import Cell, cells_of, label_cells

SEEDS = (101, 202, 303)  # the third in the longer proofs alone: test_halueval_worlds.py


@pytest.fixture(scope="session")
def boards(tmp_path_factory) -> list[Board]:
    return boards_of(SEEDS[:2], tmp_path_factory)


@pytest.fixture(scope="session")
def cells(boards) -> list[Cell]:
    return cells_of_boards(boards)


def boards_of(seeds: tuple[int, ...], tmp_path_factory) -> list[Board]:
    """A board of each seed; of what two have in common, the later ones are without it."""
    met: set[tuple] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return [build_board(seed, tmp_path_factory.mktemp(f"world-{seed}"), met) for seed in seeds]


def cells_of_boards(boards: list[Board]) -> list[Cell]:
    """Every measured value with a planted one, per seed."""
    return [cell for board in boards for cell in (*cells_of(board), *label_cells(board))]
