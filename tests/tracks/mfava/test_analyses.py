"""Analyses of rates: correlations over cells, languages and models, and contrasts of groups of them."""

import numpy as np
import pytest

from truerate.metrics.intervals import Interval
from truerate.metrics.rates import Estimate
from truerate.tracks.mfava import analyses
from truerate.tracks.mfava.analyses import (
    Contrast,
    contrast_rows,
    contrasts,
    headline_rows,
    size_groups,
    size_tests,
)
from truerate.tracks.mfava.context import language_facts
from truerate.tracks.mfava.rate_scores import headline
from truerate.tracks.mfava.rates import grid_estimates

from .made_replies import MODELS, replies, row_of
from .made_scores import WRITER

CELLS = {("s", "en"): replies(4, 5, 6, 5), ("m", "en"): replies(2, 3, 1, 2), ("l", "en"): replies(1, 2, 0, 1)}


def cells_of(sizes: dict) -> dict:
    """Cells of one or two replies, by the tokens of a reply and those that are flagged."""
    return {cell: replies(n, n, tokens=size, lang=cell[1]) for cell, (size, n) in sizes.items()}


def correlated(cells, models=(), **values):
    """Rows of correlations; the raw rates where no values are given."""
    raw = {
        cell: float((cell_replies.detected / cell_replies.tokens).mean())
        for cell, cell_replies in cells.items()
    }
    keyed = {("raw", None): values.get("raw", raw)} | (
        {("hr_est", "silver"): values["silver"]} if "silver" in values else {}
    )
    return analyses.correlations(cells, keyed, dict(models), WRITER)


def r_of(rows, subject, **where):
    return row_of(rows, subject, "pearson_r", estimator="raw", **where)["value"]


def whole(rows):
    """Rows over all cells as they are."""
    return [row for row in rows if not {pair["key"] for pair in row["slice"]} & {"within", "model", "across"}]


def test_silver_against_gold_shares_the_flagged_tokens():
    raw = {("m", lang): rate for lang, rate in (("en", 0.1), ("de", 0.2), ("tr", 0.4))}
    by_label = ({"en": 1.2, "de": 1.0, "tr": 1.1}, {"en": 1.0, "de": 1.1, "tr": 1.2})
    silver, gold = ({(m, lang): rate * by[lang] for (m, lang), rate in raw.items()} for by in by_label)
    values = {("hr_est", "silver"): silver, ("hr_est", "gold"): gold, ("raw", None): raw}
    rows = analyses.silver_against_gold(values, WRITER)
    assert row_of(rows, "silver-against-gold", "pearson_r")["value"] > 0.99
    # by language they do not agree at all
    assert row_of(rows, "silver-against-gold-factor", "pearson_r")["value"] == pytest.approx(-0.5)


def test_languages_are_sourced_and_enter_as_logarithms():
    columns = language_facts()
    assert columns["de"].common_crawl_percent == 5.3038 and columns["yue"].common_crawl_percent is None
    assert {"ar", "zh", "de", "tr", "ru", "en", "fr", "sd", "la"} <= set(columns)
    rows = correlated(cells_of({("m", lang): (10, n) for n, lang in enumerate(("en", "de", "tr", "sd"), 1)}))
    expected = np.corrcoef(np.log10([43.4241, 5.3038, 1.2422, 0.0017]), [0.1, 0.2, 0.3, 0.4])[0, 1]
    assert r_of(rows, "rate-against-common-crawl") == pytest.approx(expected, abs=1e-6)
    assert row_of(rows, "count-against-wikipedia-articles", "n_points", estimator="raw")["value"] == 4


def test_hallucinated_tokens_are_counted_by_the_estimate_and_not_by_the_marks_alone():
    cells = cells_of({("m", lang): (10, n) for n, lang in enumerate(("en", "de", "tr"), 1)})
    rows = correlated(cells, silver={("m", "en"): 0.3, ("m", "de"): 0.2, ("m", "tr"): 0.1})
    corrected = row_of(rows, "count-against-common-crawl", "pearson_r", estimator="hr_est")["value"]
    raw = r_of(rows, "count-against-common-crawl")
    assert raw == pytest.approx(-corrected, abs=1e-6) and raw < 0


def test_length_over_cells_and_within_languages_free_of_what_a_token_is():
    rows = correlated(cells_of({("m", "en"): (10, 1), ("m", "de"): (20, 2), ("m", "tr"): (30, 6)}))
    expected = np.corrcoef([10, 20, 30], [1, 2, 6])[0, 1]
    assert r_of(whole(rows), "count-against-length") == pytest.approx(expected, abs=1e-6)
    assert row_of(whole(rows), "rate-against-length", "n_points", estimator="raw")["value"] == 3
    # one model in each language: nothing varies
    assert r_of(rows, "rate-against-length", within="languages") is None
    # Chinese replies are ten times as long in tokens and hold more of them; within both languages the longer
    # holds fewer
    sizes = {("s", "en"): (10, 3), ("l", "en"): (20, 2), ("x", "en"): (30, 1), ("s", "zh"): (100, 33)}
    sizes |= {("l", "zh"): (110, 32)}
    rows = correlated(cells_of(sizes))
    assert r_of(whole(rows), "count-against-length") > 0.9
    assert r_of(rows, "count-against-length", within="languages") == -1.0


def test_length_over_the_languages_of_each_model_and_over_languages():
    # longer replies hold less in one model and more in the other: nothing is left of it over languages
    rates = {("s", "en"): 0.1, ("s", "de"): 0.2, ("s", "tr"): 0.3, ("l", "en"): 0.3, ("l", "de"): 0.2}
    rates |= {("l", "tr"): 0.1}
    sizes = {"en": 10, "de": 20, "tr": 30}
    rows = correlated(cells_of({cell: (sizes[cell[1]], 1) for cell in rates}), raw=rates)
    assert r_of(rows, "rate-against-length", model="s") == pytest.approx(1.0)
    assert r_of(rows, "rate-against-length", model="l") == pytest.approx(-1.0)
    across = row_of(rows, "rate-against-length", "pearson_r", across="languages")
    assert across["value"] is None and across["n"] == 3  # every mean is .2: a constant has no correlation
    # counts per reply: s 1, 4, 9 and l 3, 4, 3 of 10, 20, 30 tokens; means 2, 4, 6
    assert r_of(rows, "count-against-length", across="languages") == pytest.approx(1.0)


def test_rates_against_the_number_of_supported_languages_as_in_figure_5b():
    langs = {"s": ("en",), "m": ("en", "de"), "l": ("en", "de", "tr")}
    models = {name: MODELS[name].model_copy(update={"languages": of_own}) for name, of_own in langs.items()}
    rates = {"s": (0.1, 0.3), "m": (0.2, 0.2), "l": (0.5, 0.7)}
    values = {
        (name, lang): rate
        for name, of_own in rates.items()
        for lang, rate in zip(("en", "de"), of_own, strict=True)
    }
    cells = cells_of(dict.fromkeys(values, (10, 1)))
    subject = "rate-against-supported-languages"
    rows = correlated(cells, models, raw=values)
    # (1, .2), (2, .2), (3, .6): covariance .2, deviations 1 and √(4/75): r = .2 / (1 · .2309) = √3 / 2
    assert r_of(rows, subject) == pytest.approx(3**0.5 / 2, abs=1e-6)
    assert row_of(rows, subject, "n_points")["value"] == 3
    assert row_of(rows, subject, "point_x", point="l")["value"] == 3
    assert row_of(rows, subject, "point_y", point="l")["value"] == pytest.approx(0.6)
    del values["l", "de"]  # a mean over fewer languages is another quantity
    assert row_of(correlated(cells, models, raw=values), subject, "n_points")["value"] == 2


def test_no_replies_and_estimates_without_a_value():
    assert analyses.analysis_rows({}, {}, {}, headline({}, 0.95), {}, WRITER) == []
    cells = {
        ("m", "en"): replies(1, 2),
        ("m", "de"): replies(1, 3, lang="de"),
        ("m", "tr"): replies(2, 3, lang="tr"),
    }
    each = [Estimate("raw", None, Interval(0.2, 0.1, 0.3)), Estimate("hr_est", "silver", None)]
    rows = analyses.analysis_rows(cells, dict.fromkeys(cells, each), {}, headline(cells, 0.95), {}, WRITER)
    estimators = {pair["value"] for row in rows for pair in row["slice"] if pair["key"] == "estimator"}
    assert estimators == {"raw"}


# ---- size --------------------------------------------------------------------------------------------------


def test_small_models_are_those_below_the_median_and_the_ends_of_a_family():
    assert size_groups(CELLS, MODELS) == [({}, ["s"], ["l", "m"]), ({"family": "x"}, ["s"], ["l"])]
    # of 1, 3 and 9 billion one of 3 is small where large ones begin at 7, as the paper's Mistral-7B is large
    assert size_groups(CELLS, MODELS, large_from=7)[0] == ({}, ["m", "s"], ["l"])
    assert size_groups(CELLS, {}) == [] and size_groups({("s", "en"): CELLS["s", "en"]}, MODELS) == []


def of_family(cells):
    rows = size_tests(cells, {}, size_groups(cells, MODELS), WRITER)
    names = ("mean_difference", "p_value", "n_points")
    return [row_of(rows, "small-against-large", name, family="x", estimator="raw")["value"] for name in names]


def test_the_size_test_averages_over_languages_and_keeps_an_estimate_per_seed():
    # without silver passages: raw rates of the two reply seeds, .5 .5 against .15 .25 .05 .15
    difference, _, n = of_family(CELLS)
    assert (difference, n) == (pytest.approx(0.5 - 0.1), 4)
    cells = {("s", "en"): replies(4, 5), ("s", "de"): replies(6, 7, lang="de"),
             ("l", "en"): replies(1, 2), ("l", "de"): replies(3, 2, lang="de")}  # fmt: skip
    # seeds 42 and 43: s (.4 + .6) / 2 = .5 and (.5 + .7) / 2 = .6; l .2 and .2: 2 + 2 estimates, not 4 + 4
    # pooled variance (.005 + 0) / 2, error √(.0025 · 1) = .05: t = 7 with 2 degrees, p = 1 − 7 / √51
    assert of_family(cells) == [pytest.approx(0.35), pytest.approx(1 - 7 / 51**0.5, abs=1e-6), 4]
    del cells["l", "de"]  # a model without a reply in one language has no mean over languages
    assert of_family(cells)[1] is None


def test_grid_of_detector_and_reply_seeds():
    grid = grid_estimates(replies(1, 2, 3, 4), {})["raw", None]
    assert grid.tolist() == [[0.2, 0.3]]  # subsets 42: 1 and 3 of 20; 43: 2 and 4


# ---- contrasts ---------------------------------------------------------------------------------------------


def test_contrasts_of_models():
    # rates .5, .2, .1: small − large is .5 − (.2 + .1) / 2; replies of one article move together: the gap
    # hardly varies
    rows = contrast_rows(CELLS, contrasts(CELLS, MODELS, size_groups(CELLS, MODELS)), WRITER)
    differences = [row for row in rows if row["metric"] == "mean_difference" and len(row["slice"]) == 2]
    row = next(row for row in differences if row["subject"] == "small-against-large")
    assert row["value"] == pytest.approx(0.35) and 0.1 < row["low"] <= 0.35 <= row["high"] < 0.6
    names = ("mean_difference", "p_value", "n_points")
    values = [row_of(rows, "small-against-large", name, family="x")["value"] for name in names]
    assert values[0] == pytest.approx(0.4) and values[1] < 0.05 and values[2] == 2


def test_equal_groups_are_not_told_apart():
    cells = {("s", "en"): replies(1, 2, 3, 2), ("l", "en"): replies(2, 1, 2, 3)}
    rows = contrast_rows(cells, [Contrast("c", {}, (("s", "en"),), (("l", "en"),))], WRITER)
    assert [row_of(rows, "c", name)["value"] for name in ("mean_difference", "p_value")] == [0, 1]


def test_declared_languages_and_families():
    flagged = {("s", "en"): 1, ("s", "tr"): 4, ("l", "en"): 2, ("l", "tr"): 3}
    cells = cells_of({cell: (10, n) for cell, n in flagged.items()})
    speaks = {"s": ("en",), "l": ("tr",)}
    models = {name: MODELS[name].model_copy(update={"languages": langs}) for name, langs in speaks.items()}
    rows = contrast_rows(cells, contrasts(cells, models, size_groups(cells, models)), WRITER)
    declared = row_of(rows, "declared-languages", "mean_difference")["value"]
    assert declared == pytest.approx((0.1 + 0.3) / 2 - (0.4 + 0.2) / 2)
    family = row_of(rows, "by-family", "mean_difference", family="Turkic")["value"]
    assert family == pytest.approx(0.35 - 0.15)
    assert not [row for row in rows if row["subject"] == "by-script"]  # both are written in Latin


def test_headline_rates_are_compared_where_all_cells_have_labels():
    # 20 replies of 10 tokens, every other one labelled. Of `s` labels and flags say 4 and 6 of ten in turn,
    # of `l` 2.
    s = replies(*[4, 4, 6, 6] * 5, gold=[4, None, 6, None] * 5)
    l = replies(*[2] * 20, gold=[1, None, 3, None] * 5)  # noqa: E741
    cells = {("s", "en"): s, ("l", "en"): l}
    asked = [Contrast("c", {}, (("s", "en"),), (("l", "en"),))]
    rows = headline_rows(headline(cells, 0.95), asked, WRITER)
    actual = row_of(rows, "c", "mean_difference", estimator="prediction-powered", test="paired")
    assert actual["value"] == pytest.approx(0.5 - 0.2) and 0.1 < actual["low"] < 0.3 < actual["high"] < 0.5
    assert row_of(rows, "c", "p_value")["value"] < 0.001
    unlabelled = cells | {("l", "en"): replies(*[2] * 20)}
    assert headline_rows(headline(unlabelled, 0.95), asked, WRITER) == []


def test_models_that_say_less_against_their_rates():
    """Three models whose rates fall as their replies get more informative, by means over two languages."""
    names = [(model, lang) for model in "abc" for lang in ("de", "en")]
    rates = dict(zip(names, (0.4, 0.2, 0.2, 0.2, 0.1, 0.1), strict=True))
    said = dict(zip(names, (0.5, 0.5, 0.6, 0.6, 0.6, 0.8), strict=True))  # means .5, .6, .7 beside .3, .2, .1
    cells = dict.fromkeys(names)
    rows = analyses.content_correlations(cells, {("raw", None): rates}, {"new_words": said}, WRITER)
    assert {row["subject"] for row in rows} == {"rate-against-new-words"}
    values = {row["metric"]: row["value"] for row in rows}
    assert values["pearson_r"] == pytest.approx(-1) and values["n_points"] == 3
    alone = {key: rate for key, rate in rates.items() if key[0] == "a"}
    assert not analyses.content_correlations(alone, {("raw", None): alone}, {"new_words": said}, WRITER)
