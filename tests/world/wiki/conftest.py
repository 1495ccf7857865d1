import pytest

from truerate_world.wiki.atlas import build
from truerate_world.wiki.reader import reader


@pytest.fixture(scope="session")
def atlas():
    return build(7)


@pytest.fixture(scope="session")
def known(atlas):
    return reader(atlas)
