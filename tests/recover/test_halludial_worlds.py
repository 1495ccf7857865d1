"""All that one world of HalluDial shows in every run of the suite, of two worlds."""

import pytest

from .halludial_board import SEEDS
from .test_recover_halludial import *  # noqa: F403 - its tests and fixtures, but for the boards
from .test_recover_halludial import boards_of

pytestmark = [pytest.mark.proof, pytest.mark.slow, pytest.mark.xdist_group("halludial-worlds")]


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    return boards_of(SEEDS, tmp_path_factory)
