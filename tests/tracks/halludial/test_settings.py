"""The settings: the base temperature is no other one, and purposes have a rule for cut replies."""

import pytest
from pydantic import ValidationError

from truerate.tracks.halludial.prompting import (
    ANNOTATE,
    COMPARE,
    DETECT,
    INDUCE,
    LOCATE,
    MATCH,
    META,
    RESPOND,
)
from truerate.tracks.halludial.settings import Settings

from .made import settings


def test_the_base_temperature_is_named_once():
    assert settings().base == "1"
    with pytest.raises(ValidationError, match="temperatures names 1, at which all is answered already"):
        settings(temperatures=(0.5, 1.0))


def test_every_purpose_has_a_rule_for_cut_replies():
    purposes = {RESPOND, ANNOTATE, INDUCE, MATCH, DETECT,
                LOCATE, COMPARE, META}  # fmt: skip
    assert set(Settings.cut) == purposes


def test_reasons_are_compared_by_a_name_or_by_an_encoder_that_is_told_in_full():
    plain = settings()
    assert (plain.measure, plain.setting("similarity")) == ("chrf", "chrf")
    told = settings(similarity={"model": "org/encoder", "layer": 9, "baseline": 0.8})
    assert told.measure == "org/encoder, layer 9, rescaled by 0.8"
    assert told.setting("similarity") == "org/encoder"
