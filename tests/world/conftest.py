import pytest

from truerate_world.encyclopedia import build
from truerate_world.halueval.models.claim_checker import checker

from .asking import items_of


@pytest.fixture(scope="session")
def world():
    return build(7)


@pytest.fixture(scope="session")
def known(world):
    return checker(world)


@pytest.fixture(scope="session")
def items(tmp_path_factory):
    """60 items of each task but general."""
    return items_of(tmp_path_factory.mktemp("source"))
