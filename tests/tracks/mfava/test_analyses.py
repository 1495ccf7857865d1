"""Analyses of rates: correlations over cells and languages, contrasts of models and languages."""

import numpy as np
import pytest

from truerate.config import Model
from truerate.metrics.intervals import Interval
from truerate.tracks.mfava import analyses
from truerate.tracks.mfava.analyses import (
    Contrast,
    contrast_rows,
    contrasts,
    languages,
    silver_against_gold,
    size_groups,
)
from truerate.tracks.mfava.rates import FLAWS, Estimate, Replies, estimates, grid_estimates

from .made_scores import WRITER


def replies(*detected: int, tokens: int = 10, lang: str = "en") -> Replies:
    n = len(detected)
    groups = np.array([f"{lang}-{place}" for place in range(n)])
    flaws = {name: np.zeros(n, dtype=bool) for name in FLAWS}
    columns = (np.full((n, 1), tokens), np.array(detected).reshape(n, 1))
    return Replies(groups, groups, np.array(["42", "43"] * n)[:n], np.ones(n, dtype=bool), *columns, flaws)


MODELS = {
    name: Model(endpoint="e", model=name, family=family, size_b=size)
    for name, family, size in (("s", "x", 1), ("m", "y", 3), ("l", "x", 9))
}
CELLS = {("s", "en"): replies(4, 5, 6, 5), ("m", "en"): replies(2, 3, 1, 2), ("l", "en"): replies(1, 2, 0, 1)}


def row_of(rows: list[dict], subject: str, metric: str, **where: str) -> dict:
    found = [
        row
        for row in rows
        if (row["subject"], row["metric"]) == (subject, metric)
        and all({"key": k, "value": v} in row["slice"] for k, v in where.items())
    ]
    assert len(found) == 1
    return found[0]


def test_small_models_are_those_below_the_median_and_the_ends_of_a_family():
    assert size_groups(CELLS, MODELS) == [({}, ["s"], ["l", "m"]), ({"family": "x"}, ["s"], ["l"])]
    assert size_groups(CELLS, {}) == [] and size_groups({("s", "en"): CELLS["s", "en"]}, MODELS) == []


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


def test_the_papers_test_takes_every_estimate_as_independent():
    rows = analyses.size_tests(CELLS, {}, MODELS, WRITER)
    # without silver passages: raw rates of the two reply seeds, .5 .5 against .15 .25 .05 .15
    assert row_of(rows, "small-against-large", "n_points", family="x")["value"] == 4
    assert row_of(rows, "small-against-large", "mean_difference", family="x")["value"] == pytest.approx(
        0.5 - 0.1
    )
    assert {"key": "estimator", "value": "raw"} in rows[0]["slice"]


def test_silver_against_gold_shares_the_flagged_tokens():
    raw = {("m", lang): rate for lang, rate in (("en", 0.1), ("de", 0.2), ("tr", 0.4))}
    silver, gold = (
        {(m, lang): rate * by[lang] for (m, lang), rate in raw.items()}
        for by in ({"en": 1.2, "de": 1.0, "tr": 1.1}, {"en": 1.0, "de": 1.1, "tr": 1.2})
    )
    rows = silver_against_gold(
        {("hr_est", "silver"): silver, ("hr_est", "gold"): gold, ("raw", None): raw}, WRITER
    )
    assert row_of(rows, "silver-against-gold", "pearson_r")["value"] > 0.99
    assert row_of(rows, "silver-against-gold-factor", "pearson_r")["value"] == pytest.approx(
        -0.5
    )  # by language they do not agree at all


def test_languages_are_sourced_and_enter_as_logarithms():
    known = languages()
    assert known["de"].common_crawl_percent == 5.3038 and known["yue"].common_crawl_percent is None
    assert {"ar", "zh", "de", "tr", "ru", "en", "fr", "sd", "la"} <= set(known)
    cells = {
        ("m", lang): replies(n, n, lang=lang) for lang, n in (("en", 1), ("de", 2), ("tr", 3), ("sd", 4))
    }
    values = {("raw", None): {cell: float(one.detected.mean() / 10) for cell, one in cells.items()}}
    rows = analyses.against_languages(cells, values, WRITER)
    expected = np.corrcoef(np.log10([43.4241, 5.3038, 1.2422, 0.0017]), [0.1, 0.2, 0.3, 0.4])[0, 1]
    assert row_of(rows, "rate-against-common-crawl", "pearson_r", estimator="raw")["value"] == pytest.approx(
        expected, abs=1e-6
    )
    assert row_of(rows, "count-against-wikipedia-articles", "n_points", estimator="raw")["value"] == 4


def test_hallucinated_tokens_are_counted_by_the_estimate_and_not_by_the_marks_alone():
    cells = {("m", lang): replies(n, n, lang=lang) for lang, n in (("en", 1), ("de", 2), ("tr", 3))}
    corrected = {("m", "en"): 0.3, ("m", "de"): 0.2, ("m", "tr"): 0.1}  # of ten tokens: 3, 2, 1
    assert analyses.hallucinated_tokens(cells, corrected) == pytest.approx(
        {("m", "en"): 3.0, ("m", "de"): 2.0, ("m", "tr"): 1.0}
    )
    raw = {cell: float(one.detected.mean() / 10) for cell, one in cells.items()}
    rows = analyses.against_languages(cells, {("raw", None): raw, ("hr_est", "silver"): corrected}, WRITER)
    found = [
        row_of(rows, "count-against-common-crawl", "pearson_r", estimator=name)["value"]
        for name in ("raw", "hr_est")
    ]
    assert found[0] == pytest.approx(-found[1], abs=1e-6) and found[0] < 0


def test_length_over_cells():
    cells = {
        ("m", "en"): replies(1, 1, tokens=10),
        ("m", "de"): replies(2, 2, tokens=20),
        ("m", "tr"): replies(6, 6, tokens=30),
    }
    values = {("raw", None): {cell: float((one.detected / one.tokens).mean()) for cell, one in cells.items()}}
    rows = analyses.against_length(cells, values, WRITER)
    pooled = [row for row in rows if not any(pair["key"] == "within" for pair in row["slice"])]
    assert row_of(pooled, "count-against-length", "pearson_r")["value"] == pytest.approx(
        np.corrcoef([10, 20, 30], [1, 2, 6])[0, 1], abs=1e-6
    )
    assert row_of(pooled, "rate-against-length", "n_points", estimator="raw")["value"] == 3
    assert (
        row_of(rows, "rate-against-length", "pearson_r", within="languages")["value"] is None
    )  # one model in each: nothing varies


def test_length_within_languages_is_free_of_what_a_token_is():
    # Chinese replies are ten times as long in tokens and hold more of them; within both languages the longer
    # reply holds fewer
    counts = {
        ("s", "en"): (10, 3),
        ("l", "en"): (20, 2),
        ("x", "en"): (30, 1),
        ("s", "zh"): (100, 33),
        ("l", "zh"): (110, 32),
    }
    cells = {cell: replies(n, n, tokens=size, lang=cell[1]) for cell, (size, n) in counts.items()}
    rows = analyses.against_length(
        cells, {("raw", None): {cell: n / size for cell, (size, n) in counts.items()}}, WRITER
    )
    pooled = [row for row in rows if not any(pair["key"] == "within" for pair in row["slice"])]
    assert row_of(pooled, "count-against-length", "pearson_r")["value"] > 0.9
    assert row_of(rows, "count-against-length", "pearson_r", within="languages")["value"] == -1.0


def test_grid_of_detector_and_reply_seeds():
    grid = grid_estimates(replies(1, 2, 3, 4), {})["raw", None]
    assert grid.tolist() == [[0.2, 0.3]]  # subsets 42: 1 and 3 of 20; 43: 2 and 4
    assert [one.estimator for one in estimates(replies(1, 2, 3, 4), {}, WRITER)] == ["raw"]


def test_no_replies():
    assert analyses.analysis_rows({}, {}, {}, {}, WRITER) == []
    told = {
        ("m", "en"): [
            Estimate("raw", None, Interval(0.2, 0.1, 0.3)),
            Estimate("rogan-gladen", "natural", None),
        ]
    }
    assert (
        analyses.cell_values(told, "raw", None) == {("m", "en"): 0.2}
        and analyses.cell_values(told, "rogan-gladen", "natural") == {}
    )
