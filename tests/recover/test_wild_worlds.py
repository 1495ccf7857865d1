"""All that one world of WildHallucinations shows in every run of the suite, of two worlds."""

import pytest

from .test_recover_wild import *  # noqa: F403 - its tests and fixtures, but for the boards
from .test_recover_wild import boards_of
from .wild_board import SEEDS

pytestmark = [pytest.mark.proof, pytest.mark.slow, pytest.mark.xdist_group("wild-worlds")]


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    return boards_of(SEEDS, tmp_path_factory)
