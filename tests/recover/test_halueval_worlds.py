"""All that two worlds of HaluEval show in every run of the suite, of three."""

import pytest

from .conftest import SEEDS, boards_of, cells_of_boards
from .test_broken import *  # noqa: F403 - their tests, but for the boards
from .test_calibration import *  # noqa: F403
from .test_recovered import *  # noqa: F403

pytestmark = [pytest.mark.proof, pytest.mark.slow, pytest.mark.xdist_group("halueval-worlds")]


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    return boards_of(SEEDS, tmp_path_factory)


@pytest.fixture(scope="module")
def cells(boards):
    return cells_of_boards(boards)
