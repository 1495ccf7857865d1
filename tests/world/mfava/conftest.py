import pytest

from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.reader import reader


@pytest.fixture(scope="session")
def table():
    return build(7)


@pytest.fixture(scope="session")
def known(table):
    return reader(table)
