"""The settings: the base temperature is no other one, and purposes have a rule for cut replies."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.tracks.halludial.prompting import CUES
from truerate.tracks.halludial.settings import Settings, faults

from .rows_by_hand import settings


def test_the_base_temperature_is_named_once():
    assert settings().base == "1"
    with pytest.raises(ValidationError, match="temperatures names 1, at which all is answered already"):
        settings(temperatures=(0.5, 1.0))


def test_every_purpose_has_a_rule_for_cut_replies():
    assert set(Settings.cut) == set(CUES)


def test_reasons_are_compared_by_a_name_or_by_an_encoder_that_is_told_in_full():
    plain = settings()
    assert (plain.measure, plain.setting("similarity")) == ("chrf", "chrf")
    actual = settings(similarity={"model": "org/encoder", "layer": 9, "baseline": 0.8})
    assert actual.measure == "org/encoder, layer 9, rescaled by 0.8"
    assert actual.setting("similarity") == "org/encoder"


# ---- a detector of rates that nobody builds is one line ----------------------------------------------------

BOARD = "halludial-closed-world"
ROOT = Path(__file__).parents[3]


def lines(detector: str | None, monkeypatch) -> list[str]:
    monkeypatch.chdir(ROOT)
    values = load_params("params.yaml").model_dump()
    values["tracks"]["halludial"]["detector"] = detector
    return list(faults(Layout(Params.model_validate(values)), BOARD))


@pytest.mark.parametrize("detector", [None, "lexical-lr"])
def test_none_and_a_member_of_a_family_are_fine(detector, monkeypatch):
    assert lines(detector, monkeypatch) == []


def test_another_name_is_told_with_those_that_there_are(monkeypatch):
    (line,) = lines("lexical", monkeypatch)
    assert line.startswith(f"tracks.halludial.detector: 'lexical' is no detector of board '{BOARD}'")
    assert "lexical-lr" in line


def test_texts_that_nobody_may_write_are_told(monkeypatch):
    monkeypatch.chdir(ROOT)
    values = load_params("params.yaml").model_dump()
    values["boards"][BOARD]["settings"] = {"texts": "generated", "responders": [], "inducer": None}
    (line,) = faults(Layout(Params.model_validate(values)), BOARD)
    assert line.startswith(
        f"boards.{BOARD}.settings.texts is 'generated', and neither responders nor inducer"
    )


def test_a_published_split_of_texts_that_models_write_is_told(monkeypatch):
    monkeypatch.chdir(ROOT)
    values = load_params("params.yaml").model_dump()
    values["boards"][BOARD]["settings"] = {"texts": "generated", "split": {"by": "published"}}
    (line,) = faults(Layout(Params.model_validate(values)), BOARD)
    assert line.startswith(
        f"boards.{BOARD}.settings.split: by: published is for texts that the source publishes"
    )
