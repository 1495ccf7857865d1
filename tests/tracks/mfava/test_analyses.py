"""Analyses of rates: correlations over cells and languages."""

import numpy as np
import pytest

from truerate.metrics.intervals import Interval
from truerate.metrics.rates import Estimate
from truerate.tracks.mfava import analyses
from truerate.tracks.mfava.analyses import headline, silver_against_gold
from truerate.tracks.mfava.context import language_facts
from truerate.tracks.mfava.rates import grid_estimates

from .made_replies import replies, row_of
from .made_scores import WRITER


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
    known = language_facts()
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


def test_no_replies():
    assert analyses.analysis_rows({}, {}, {}, headline({}, 0.95), {}, WRITER) == []
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
