"""A detector of rates that nobody builds is one line."""

from pathlib import Path

import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.tracks.halludial.settings import faults

BOARD = "halludial-closed-world"
ROOT = Path(__file__).parents[3]


def told(detector: str | None, monkeypatch) -> list[str]:
    monkeypatch.chdir(ROOT)
    values = load_params("params.yaml").model_dump()
    values["tracks"]["halludial"]["detector"] = detector
    return list(faults(Layout(Params.model_validate(values)), BOARD))


@pytest.mark.parametrize("detector", [None, "lexical-lr"])
def test_none_and_a_member_of_a_family_are_fine(detector, monkeypatch):
    assert told(detector, monkeypatch) == []


def test_another_name_is_told_with_those_that_there_are(monkeypatch):
    (line,) = told("lexical", monkeypatch)
    assert line.startswith(f"tracks.halludial.detector: 'lexical' is no detector of board '{BOARD}'")
    assert "lexical-lr" in line
