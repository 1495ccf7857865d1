"""What the paper asks of its models: supported languages, length of replies, size."""

import pytest

from truerate.tracks.mfava import analyses, model_analyses
from truerate.tracks.mfava.model_analyses import size_groups, size_tests

from .made_replies import MODELS, replies, row_of
from .made_scores import WRITER

CELLS = {("s", "en"): replies(4, 5, 6, 5), ("m", "en"): replies(2, 3, 1, 2), ("l", "en"): replies(1, 2, 0, 1)}


def test_small_models_are_those_below_the_median_and_the_ends_of_a_family():
    assert size_groups(CELLS, MODELS) == [({}, ["s"], ["l", "m"]), ({"family": "x"}, ["s"], ["l"])]
    # of 1, 3 and 9 billion one of 3 is small where large ones begin at 7, as the paper's Mistral-7B is large
    assert size_groups(CELLS, MODELS, large_from=7)[0] == ({}, ["m", "s"], ["l"])
    assert size_groups(CELLS, {}) == [] and size_groups({("s", "en"): CELLS["s", "en"]}, MODELS) == []


def test_rates_against_the_number_of_supported_languages_as_in_figure_5b():
    # r = .88 over n = 5 models is p = .049, as the paper prints it: t = r √(n − 2) / √(1 − r²) = 3.21
    langs = {"s": ("en",), "m": ("en", "de"), "l": ("en", "de", "tr")}
    models = {name: MODELS[name].model_copy(update={"languages": own}) for name, own in langs.items()}
    cells = {(name, lang): replies(1, lang=lang) for name in langs for lang in ("en", "de")}
    values = {
        ("s", "en"): 0.1,
        ("s", "de"): 0.3,
        ("m", "en"): 0.2,
        ("m", "de"): 0.2,
        ("l", "en"): 0.5,
        ("l", "de"): 0.7,
    }
    rows = model_analyses.against_supported_languages(
        cells, {("raw", None): values}, models, analyses.SHOWN, WRITER
    )
    # (1, .2), (2, .2), (3, .6): covariance .2, deviations 1 and √(4/75): r = .2 / (1 · .2309) = √3 / 2
    assert row_of(rows, model_analyses.SUPPORTED, "pearson_r")["value"] == pytest.approx(3**0.5 / 2, abs=1e-6)
    assert row_of(rows, model_analyses.SUPPORTED, "n_points")["value"] == 3
    assert row_of(rows, model_analyses.SUPPORTED, "point_x", point="l")["value"] == 3
    assert row_of(rows, model_analyses.SUPPORTED, "point_y", point="l")["value"] == pytest.approx(0.6)
    del values["l", "de"]  # a mean over fewer languages is another quantity
    rows = model_analyses.against_supported_languages(
        cells, {("raw", None): values}, models, analyses.SHOWN, WRITER
    )
    assert row_of(rows, model_analyses.SUPPORTED, "n_points")["value"] == 2


def test_length_over_the_languages_of_each_model_and_over_languages():
    # longer replies hold less in one model and more in the other: nothing is left of it over languages
    sizes = {"en": 10, "de": 20, "tr": 30}
    rates = {
        ("s", "en"): 0.1,
        ("s", "de"): 0.2,
        ("s", "tr"): 0.3,
        ("l", "en"): 0.3,
        ("l", "de"): 0.2,
        ("l", "tr"): 0.1,
    }
    cells = {(name, lang): replies(1, 1, tokens=sizes[lang], lang=lang) for name, lang in rates}
    rows = model_analyses.against_length_apart(cells, {("raw", None): rates}, analyses.SHOWN, WRITER)
    r = {name: row_of(rows, "rate-against-length", "pearson_r", model=name)["value"] for name in ("s", "l")}
    assert r == pytest.approx({"s": 1.0, "l": -1.0})
    across = row_of(rows, "rate-against-length", "pearson_r", across="languages")
    assert across["value"] is None and across["n"] == 3  # every mean is .2: a constant has no correlation
    # counts per reply: s 1, 4, 9 and l 3, 4, 3 of 10, 20, 30 tokens; means 2, 4, 6
    counts = row_of(rows, "count-against-length", "pearson_r", across="languages")
    assert counts["value"] == pytest.approx(1.0)


def test_the_size_test_averages_over_languages_and_keeps_an_estimate_per_seed():
    cells = {("s", "en"): replies(4, 5), ("s", "de"): replies(6, 7, lang="de"),
             ("l", "en"): replies(1, 2), ("l", "de"): replies(3, 2, lang="de")}  # fmt: skip
    rows = size_tests(cells, {}, MODELS, WRITER)
    # seeds 42 and 43: s (.4 + .6) / 2 = .5 and (.5 + .7) / 2 = .6; l .2 and .2: 2 + 2 estimates, not 4 + 4
    assert row_of(rows, "small-against-large", "n_points", family="x")["value"] == 4
    assert row_of(rows, "small-against-large", "mean_difference", family="x")["value"] == pytest.approx(0.35)
    # pooled variance (.005 + 0) / 2, error √(.0025 · 1) = .05: t = 7 with 2 degrees, p = 1 − 7 / √51
    p = row_of(rows, "small-against-large", "p_value", family="x")["value"]
    assert p == pytest.approx(1 - 7 / 51**0.5, abs=1e-6)
    del cells["l", "de"]  # a model without a reply in one language has no mean over languages
    assert (
        row_of(size_tests(cells, {}, MODELS, WRITER), "small-against-large", "p_value", family="x")["value"]
        is None
    )


def test_the_papers_test_takes_every_estimate_as_independent():
    rows = size_tests(CELLS, {}, MODELS, WRITER)
    # without silver passages: raw rates of the two reply seeds, .5 .5 against .15 .25 .05 .15
    assert row_of(rows, "small-against-large", "n_points", family="x")["value"] == 4
    assert row_of(rows, "small-against-large", "mean_difference", family="x")["value"] == pytest.approx(
        0.5 - 0.1
    )
    assert {"key": "estimator", "value": "raw"} in rows[0]["slice"]
