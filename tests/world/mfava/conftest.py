from dataclasses import replace

import pytest

from truerate_world.manners import MANNERS, Manners
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.planted import PROFILES
from truerate_world.mfava.models.reader import reader


@pytest.fixture(scope="session")
def table():
    return build(7)


@pytest.fixture(scope="session")
def known(table):
    return reader(table)


@pytest.fixture
def plain_quill(monkeypatch):
    """The model that makes the data sets, always plain and never refusing."""
    monkeypatch.setitem(MANNERS, "sim-quill", Manners())
    monkeypatch.setitem(PROFILES, "sim-quill", replace(PROFILES["sim-quill"], refuses=0.0))
