"""Contrasts of models and languages: of raw rates by resampling, of headline rates paired by article."""

import pytest

from truerate.tracks.mfava.analyses import headline
from truerate.tracks.mfava.model_analyses import Contrast, contrast_rows, contrasts, headline_rows

from .made_replies import MODELS, replies, row_of
from .made_scores import WRITER

CELLS = {("s", "en"): replies(4, 5, 6, 5), ("m", "en"): replies(2, 3, 1, 2), ("l", "en"): replies(1, 2, 0, 1)}


def test_contrasts_of_models():
    # rates .5, .2, .1: small − large is .5 − (.2 + .1) / 2; replies of one article move together, so the gap
    # hardly varies
    rows = contrast_rows(CELLS, contrasts(CELLS, MODELS), WRITER)
    row = next(
        row for row in rows if row["subject"] == "small-against-large" and row["metric"] == "mean_difference"
    )
    assert row["value"] == pytest.approx(0.35) and 0.1 < row["low"] <= 0.35 <= row["high"] < 0.6
    within = row_of(rows, "small-against-large", "mean_difference", family="x")
    assert within["value"] == pytest.approx(0.4)
    assert row_of(rows, "small-against-large", "p_value", family="x")["value"] < 0.05
    assert row_of(rows, "small-against-large", "n_points", family="x")["value"] == 2


def test_equal_groups_are_not_told_apart():
    cells = {("s", "en"): replies(1, 2, 3, 2), ("l", "en"): replies(2, 1, 2, 3)}
    rows = contrast_rows(cells, [Contrast("c", {}, (("s", "en"),), (("l", "en"),))], WRITER)
    assert row_of(rows, "c", "mean_difference")["value"] == 0 and row_of(rows, "c", "p_value")["value"] == 1


def test_declared_languages_and_families():
    cells = {
        (name, lang): replies(*one, lang=lang)
        for name, lang, one in (
            ("s", "en", (1, 1)),
            ("s", "tr", (4, 4)),
            ("l", "en", (2, 2)),
            ("l", "tr", (3, 3)),
        )
    }
    told = {
        "s": MODELS["s"].model_copy(update={"languages": ("en",)}),
        "l": MODELS["l"].model_copy(update={"languages": ("tr",)}),
    }
    rows = contrast_rows(cells, contrasts(cells, told), WRITER)
    assert row_of(rows, "declared-languages", "mean_difference")["value"] == pytest.approx(
        (0.1 + 0.3) / 2 - (0.4 + 0.2) / 2
    )
    assert row_of(rows, "by-family", "mean_difference", family="Turkic")["value"] == pytest.approx(
        0.35 - 0.15
    )
    assert not [row for row in rows if row["subject"] == "by-script"]  # both are written in Latin


def test_headline_rates_are_compared_where_all_cells_have_labels():
    # 20 replies of 10 tokens, every other one labelled. Of `s` labels and flags say 4 and 6 of ten in turn, of `l` 2.
    s = replies(*[4, 4, 6, 6] * 5, gold=[4, None, 6, None] * 5)
    l = replies(*[2] * 20, gold=[1, None, 3, None] * 5)  # noqa: E741
    cells = {("s", "en"): s, ("l", "en"): l}
    asked = [Contrast("c", {}, (("s", "en"),), (("l", "en"),))]
    rows = headline_rows(headline(cells, 0.95), asked, WRITER)
    found = row_of(rows, "c", "mean_difference", estimator="prediction-powered", test="paired")
    assert found["value"] == pytest.approx(0.5 - 0.2) and 0.1 < found["low"] < 0.3 < found["high"] < 0.5
    assert row_of(rows, "c", "p_value")["value"] < 0.001
    unlabelled = {("s", "en"): s, ("l", "en"): replies(*[2] * 20)}
    assert headline_rows(headline(unlabelled, 0.95), asked, WRITER) == []
