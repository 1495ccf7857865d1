"""The heat map, planted against estimated, and analyses in words, from rows made by hand."""

import pytest
from tiny_mfava import mfava_board, mfava_rows

from truerate.core.languages import LANGUAGES
from truerate.core.schemas import Row, frame, unpaired
from truerate.site.charts.recovery import CellEstimate
from truerate.site.mfava.analyses import analyses
from truerate.site.mfava.heatmap import axis, grids, heat_map, is_wide, opening, recovered, why
from truerate.site.mfava.token_f1 import table_3
from truerate.site.registry import page_of
from truerate.site.vocabulary import language


def rate(
    model,
    lang,
    value,
    *,
    kind="model",
    metric="hallucination_rate",
    low=None,
    high=None,
    replies="all",
    **how,
):
    where = {"lang": lang, "estimator": "raw", "replies": replies} | how
    return {"table": "rates", "subject": model, "kind": kind, "metric": metric, "slice": {key: one for key, one in where.items() if one},
            "value": value, "low": low, "high": high, "rank_low": None, "rank_high": None, "is_leading": None,
            "n": 10, "provenance": "x"}  # fmt: skip


POWERED = {"estimator": "prediction-powered", "calibration": "natural"}
PLANTED = {"kind": "planted", "estimator": "planted"}
MFAVA = page_of("mfava")
BOARD = mfava_board()
RAW = [rate("a", "de", 0.1), rate("b", "de", 0.3), rate("a", "ar", 0.2), rate("b", "ar", None)]


def test_means_stand_at_both_edges_and_say_what_is_missing():
    made = heat_map(RAW, BOARD)
    assert [line["name"] for line in made["lines"]] == ["Arabic", "German"] and made["models"] == ["a", "b"]
    spots = {line["code"]: [cell["now"] for cell in line["cells"]] for line in [*made["lines"], made["foot"]]}
    assert spots["de"][0].value == pytest.approx(0.2) and spots["de"][0].n_missing == 0
    assert (spots["ar"][0].value, spots["ar"][0].n, spots["ar"][0].n_missing) == (0.2, 1, 1)  # b is not told
    assert [spot.value for spot in spots["all"][1:]] == [pytest.approx(0.15), 0.3]
    assert spots["all"][2].n_missing == 1
    assert heat_map([], BOARD) is None


def test_hr_est_is_mapped_as_the_paper_orders_it_without_a_script():
    how = {"estimator": "hr_est", "calibration": "silver"}
    rates = {("a", "de"): 0.3, ("b", "de"): 0.1, ("a", "ar"): 0.2, ("b", "ar"): None}
    rows = [*RAW, *(rate(model, lang, value, **how) for (model, lang), value in rates.items())]
    rows += [rate("a", "de", 0.02, metric="hallucination_rate_std", **how)]
    printed = heat_map(rows, BOARD)["printed"]
    # means: de (.3 + .1) / 2, ar .2 of one model; models a (.3 + .2) / 2 and b .1, of what is identified
    assert [line["code"] for line in printed["lines"]] == ["ar", "de", "all"] and printed["models"] == [
        "b",
        "a",
    ]
    german = [(cell["value"], cell["std"], cell["tint"]) for cell in printed["lines"][1]["cells"]]
    # the scale ends at .3, the rounded 95 % of all values: a third of it is tint 3
    assert german == [(pytest.approx(0.2), None, None), (0.1, None, 3), (0.3, 0.02, 9)]
    assert heat_map(RAW, BOARD)["printed"] is None


def test_table_3_has_both_kinds_of_labels_by_language():
    def f1(lang, against, value, metric="token_f1", labels="binary", scope="multi", **more):
        row = rate("d", lang, value, metric=metric, against=against, labels=labels, scope=scope)
        row["slice"].pop("estimator"), row["slice"].pop("replies")
        return row | {"table": "detection", **more}

    rows = [
        f1("de", "silver", 0.8, std=0.01),
        f1("de", "gold", 0.6),
        f1("fr", "silver", 0.7),  # without gold labels: not in the paper's table
        f1("de", "gold", 0.5, scope="mono"),
        f1("de", "gold", 0.4, "token_f1_typed", "category"),
        f1("de", "gold", 0.9, labels="category"),  # of a category detector the type must be right
    ]
    shown = table_3(rows, BOARD)
    assert shown["languages"] == {"de": "German"}
    binary, category = shown["blocks"]
    assert [(line["scope"], line["cells"]) for line in binary["lines"]] == [
        ("mono", [None, (0.5, None)]),
        ("multi", [(0.8, 0.01), (0.6, None)]),
    ]
    assert [line["cells"] for line in category["lines"]] == [[None, (0.4, None)]]
    assert table_3(rows[2:3], BOARD) is None


def test_an_estimate_over_all_languages_is_not_made_anew():
    foot = heat_map([*RAW, rate("a", "all", 0.17, low=0.1, high=0.2)], BOARD)["foot"]
    assert (foot["cells"][1]["now"].value, foot["cells"][1]["now"].low) == (0.17, 0.1)


def estimated(estimator, calibration="natural", told="ab"):
    return [
        rate(model, lang, 0.2 if model in told else None, estimator=estimator, calibration=calibration)
        for model in "ab"
        for lang in ("de", "ar")
    ]


def test_the_best_founded_estimate_that_is_mostly_told_comes_first():
    corrected, headline = estimated("rogan-gladen"), estimated("prediction-powered", told="a")
    untold = rate("c", "de", None, **POWERED)
    rogan, powered = ("rogan-gladen", "natural", "all"), ("prediction-powered", "natural", "all")
    assert opening(grids(RAW + corrected)) == rogan
    assert opening(grids(RAW + corrected + headline)) == powered  # told in one half
    assert opening(grids([*RAW, *corrected, *headline, untold])) == rogan
    assert opening(grids([rate("a", "de", 0.1, **PLANTED)])) == ("planted", "", "all")


def test_without_labels_of_replies_no_rate_opens_the_map_and_no_raw_share_stands_for_one():
    rows = RAW + estimated("hr_est", "gold") + estimated("prediction-powered", told="")
    assert opening(grids(rows)) == ("prediction-powered", "natural", "all")
    made = heat_map(rows, BOARD)
    texts = {cell["text"] for line in made["lines"] for cell in line["cells"][1:]}
    assert texts == {"not identified"} and "no model is ranked" in made["why"]


def test_why_the_headline_stands_and_where_it_does_not():
    counts = [
        {"table": "counts", "kind": "model", "subject": name, "metric": "n_labelled", "slice": {"lang": "all"}, "value": 30.0, "n": 80}
        for name in "ab"
    ]  # fmt: skip
    rows = estimated("prediction-powered")
    assert "annotators labelled 60 of 160 replies." in why(rows + counts, grids(rows))
    lost = [row | {"value": None} if row["slice"]["lang"] == "ar" else row for row in rows]
    assert "none: Arabic;" in why(lost + counts, grids(lost))


@pytest.mark.parametrize(
    ("low", "high", "wide"),
    ((0.0, 0.2, False), (0.0, 0.21, True), (0.3, 0.9, False), (0.1, 0.9, True), (None, None, False)),
)
def test_an_interval_over_more_than_half_of_the_scale_is_wide(low, high, wide):
    assert is_wide(CellEstimate(0.15, low, high), 0.4) is wide  # what lies beyond the scale is one colour


def test_a_cell_carries_its_interval_and_a_wide_one_no_colour():
    rows = [
        rate("a", "de", 0.05, low=0.04, high=0.07, **POWERED),
        rate("b", "de", 0.05, low=0.0, high=0.2, **POWERED),
    ]
    (line,) = heat_map(rows, BOARD)["lines"]
    narrow, wide = line["cells"][1:]
    assert (narrow["text"], narrow["range"], narrow["is_wide"]) == ("5.0", "4.0–7.0", False)
    assert (wide["looks"], wide["range"], wide["is_wide"]) == (("tr-wide",), "0.0–20.0", True)


def test_numbers_lie_packed_in_the_cell():
    spot = CellEstimate(0.1234, 0.1, 0.15, 0.01, 0.2, (0.05, None), 12, 1)
    assert spot.packed() == "12.34 10.00 15.00 1.00 20.00 5.00 - 12 1"
    assert CellEstimate(None, n=3).packed() == "- - - - - - - 3 0"


def test_planted_values_spread_and_band_stand_beside_the_estimates_they_belong_to():
    rows = [rate("a", "de", 0.1, estimator="hr_est", calibration="gold"),
            rate("a", "de", 0.2, estimator="rogan-gladen", calibration="gold"),
            rate("a", "de", 0.02, estimator="hr_est", calibration="gold", metric="hallucination_rate_std"),
            rate("a", "de", 0.15, **PLANTED),
            rate("a", "de", 0.05, estimator=None, calibration="gold", metric="sensitivity_low"),
            rate("a", "de", 0.25, estimator=None, calibration="gold", metric="sensitivity_high")]  # fmt: skip
    found = grids(rows)
    hr, rogan = found["hr_est", "gold", "all"]["de", "a"], found["rogan-gladen", "gold", "all"]["de", "a"]
    assert (hr.std, hr.planted, hr.band) == (0.02, 0.15, (None, None))
    assert (rogan.std, rogan.planted, rogan.band) == (None, 0.15, (0.05, 0.25))
    assert found["planted", "", "all"]["de", "a"].planted is None


def test_one_axis_serves_all_estimates_and_an_outlier_does_not_stretch_it():
    assert axis(grids([rate("a", "de", 0.03)])) == 0.04 and axis(grids([rate("a", "de", 0.31)])) == 0.4
    many = [rate(f"m{k}", "de", 0.1) for k in range(40)]
    assert axis(grids([*many, rate("z", "de", 3.0)])) == 0.1
    assert axis(grids([rate("a", "de", None)])) == 1.0


def test_errors_of_an_estimator_by_hand():
    # planted .10 and .20; estimated .12 (interval holds .10) and .17 (its interval does not hold .20); a third cell is not told
    ends = {"a": (0.12, 0.09, 0.15), "b": (0.17, 0.15, 0.19), "c": (None, None, None)}
    rows = [rate(name, "de", value, low=low, high=high) for name, (value, low, high) in ends.items()]
    rows += [rate(name, "de", value, **PLANTED) for name, value in (("a", 0.1), ("b", 0.2), ("c", 0.3))]
    (found,) = recovered(rows, BOARD)["estimators"]
    assert (found["n"], found["n_not_identified"], found["coverage"]) == (3, 1, 0.5)
    assert found["error"] == pytest.approx((0.02 + 0.03) / 2)
    assert found["bias"] == pytest.approx((0.02 - 0.03) / 2)
    assert recovered(RAW, BOARD) is None


def analysis(metric, value, *, low=None, high=None, subject="rate-against-length", **where):
    return {"table": "analyses", "subject": subject, "kind": "baseline", "metric": metric, "slice": where, "value": value, "low": low,
            "high": high, "n": 9, "provenance": "x"}  # fmt: skip


@pytest.mark.parametrize(
    ("r", "p", "said"),
    (
        (0.8, 0.01, "Longer replies have the higher rate."),
        (-0.8, 0.01, "Longer replies have the lower rate."),
        (0.8, 0.2, "No direction can be told."),
    ),
)
def test_an_analysis_is_said_in_words(r, p, said):
    rows = [analysis("pearson_r", r), analysis("p_value", p), analysis("n_points", 9.0)]
    (line,) = analyses(rows, BOARD)["lines"]
    assert (line["verdict"], line["n"], line["p"]) == (said, 9, p) and line["caveat"]


def test_an_analysis_without_p_is_told_by_its_interval_and_unknown_ones_are_shown():
    first, second = analyses([analysis("mean_difference", 0.1, low=0.02, high=0.2, subject="zeta", test="bootstrap"),
                              analysis("pearson_r", None)], BOARD)["lines"]  # fmt: skip
    unmeasured = ("Rate against the length of replies", "Not measured: too few points.")
    assert (first["title"], first["verdict"]) == unmeasured
    assert (second["title"], second["where"], second["verdict"]) == ("Zeta", "paired bootstrap", "More.")


def test_of_several_estimates_the_best_founded_one_leads_and_the_others_fold_away():
    gold, silver = ({"estimator": "hr_est", "calibration": name} for name in ("gold", "silver"))
    rows = [
        analysis("pearson_r", 0.1, **mode, **more)
        for mode in ({"estimator": "raw"}, gold, silver)
        for more in ({}, {"within": "languages"})
    ]
    rows.append(analysis("mean_difference", 0.1, subject="by-family", family="Afro-Asiatic", estimator="raw"))
    found = analyses(rows, BOARD)
    wanted = ["Gold, HR_est", "Gold, HR_est, within languages", "Raw, Afro-Asiatic"]
    assert [line["where"] for line in found["lines"]] == wanted
    assert len(found["more"]) == 4 and not [line for line in found["more"] if "Gold" in line["where"]]


def test_the_leading_detector_has_a_table_of_its_own_and_planted_rates_stand_beside_each_estimate():
    found = MFAVA.derive(
        [row | {"slice": unpaired(row["slice"])} for row in frame(Row, mfava_rows()).to_dicts()], BOARD
    )
    leading = [row for row in found if row["table"] == "leader"]
    assert {row["subject"] for row in leading} == {"tiny-prefix"}
    assert {row["slice"]["against"] for row in leading} == {"held-out", "silver", "gold", "natural"}
    planted = [row["slice"] for row in found if row["kind"] == "planted"]
    beside = {(slice_.get("estimator"), slice_.get("calibration")) for slice_ in planted}
    assert {("prediction-powered", "natural"), ("raw", None)} <= beside
    rates = [row for row in found if row["kind"] == "model" and row["metric"] == "hallucination_rate"]
    assert {row["std"] for row in rates if row["slice"].get("estimator") == "hr_est"} == {0.011}


def test_how_many_answers_have_a_page_stands_beside_mu_shroom_s_figures():
    counts = {"n_answers_de": 4, "n_answers_with_page_de": 4, "n_answers_zh": 6, "n_answers_with_page_zh": 0}
    rows = [row | {"slice": unpaired(row["slice"])} for row in mfava_rows()]

    def with_page(counts):
        derived = MFAVA.derive(rows, mfava_board(source_card={"counts": counts}))
        return [row for row in derived if row["metric"] == "with_page_rate"]

    shares = [(row["slice"]["lang"], row["value"], row["n"]) for row in with_page(counts)]
    assert shares == [("de", 1, 4), ("zh", 0, 6), ("all", 0.4, 10)]
    (section,) = [section for section in MFAVA.sections if section.heading == "Mu-SHROOM"]
    assert all(any(view.takes(row) for view in section.views) for row in with_page(counts))
    assert with_page({"n_items": 3}) == []


def test_annotators_that_cannot_be_told_apart_are_a_figure():
    board = mfava_board(source_card={"counts": {"n_gold_not-inferable_zh": 26, "n_gold_clean_zh": 30}})
    found = {name: (value, note) for name, value, note in MFAVA.figures([], board)}
    assert found["Annotators"] == ("not told apart", "zh: few texts have several rows, so no κ")
    assert "Annotators" not in {name for name, *_ in MFAVA.figures([], mfava_board())}


def test_an_unknown_track_has_an_empty_layout():
    page = page_of("no_such_track")
    assert page.sections == () and page.leading is None and page.derive([1], BOARD) == [1]


def test_every_language_of_the_track_has_a_name():
    assert {code for code in LANGUAGES if language(code) == code} == set()
