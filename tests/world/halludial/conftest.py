import pytest

from .asking import KNOWN, respond, turns


@pytest.fixture(scope="session")
def known():
    return KNOWN


@pytest.fixture(scope="session")
def rows():
    """The turns of 90 dialogues."""
    return turns(90)


@pytest.fixture(scope="session")
def responses(rows):
    """Rows with a response of a model that often errs, as far as there is one."""
    told = [(row, respond("sim-elm", row).truth["read"]) for row in rows]
    return [(row, text) for row, text in told if text]
