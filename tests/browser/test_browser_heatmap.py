"""The heat map in a browser: switches, sorting both ways, keys, gaps, provenance, CSV, without a script."""

import csv
from io import StringIO
from pathlib import Path

import pytest

BOARD = "boards/mfava-closed-world.html"


@pytest.fixture
def page(visit):
    opened = visit(BOARD)
    opened.locator(".tr-map").wait_for()
    return opened


def cell(page, lang: str, place: int):
    """A cell of a language: 1 the mean, then the models as they stand."""
    row = page.locator(f".tr-map tr:has(th[data-lang={lang}])")
    return row.locator("td").nth(place - 1)


def heads(page) -> list[str]:
    return [head.get_attribute("data-head") for head in page.locator(".tr-map thead th[data-model]").all()]


def choose(page, group: str, name: str):
    page.get_by_role("group", name=group).get_by_role("button", name=name, exact=True).click()


def test_switching_changes_numbers_tints_words_and_the_address(page):
    before, tint = cell(page, "de", 4).inner_text(), cell(page, "de", 4).get_attribute("class")
    choose(page, "Estimate", "Raw")
    assert cell(page, "de", 4).inner_text() != before and cell(page, "de", 4).get_attribute("class") != tint
    assert page.locator("[data-mode] b").inner_text() == "Raw, all replies." and "estimator=raw" in page.url
    assert page.get_by_role("group", name="Calibrated on").get_by_role("button", name="Natural").is_disabled()
    choose(page, "Estimate", "Rogan–Gladen")
    assert page.locator("[data-mode] b").inner_text() == "Rogan–Gladen on natural, all replies."
    choose(page, "Estimate", "Prediction-powered")
    assert page.locator("[data-mode] b").inner_text() == "Prediction-powered, all replies."
    assert cell(page, "de", 4).inner_text() == before


def test_a_cell_whose_interval_spans_most_of_the_scale_is_hatched_and_says_so(page):
    assert "tr-tint" in cell(page, "ar", 4).get_attribute("class")
    choose(page, "Estimate", "Rogan–Gladen")
    wide = cell(page, "ar", 4)
    assert wide.get_attribute("class") == "tr-wide" and "most of the scale" in wide.inner_text()
    assert "interval" in wide.inner_text() and "repeating-linear-gradient" in wide.evaluate(
        "cell => getComputedStyle(cell).backgroundImage"
    )
    wide.hover()
    assert ", most of the scale" in page.locator("[data-line]").inner_text()


def test_the_address_opens_the_estimate_it_names(visit):
    page = visit(f"{BOARD}#estimator=hr_est&calibration=gold&replies=kept")
    assert page.locator("[data-mode] b").inner_text() == "HR_est on gold, kept."
    assert page.get_by_role("group", name="Estimate").locator("[aria-pressed=true]").inner_text() == "HR_est"


def test_what_is_not_identified_says_so_and_leaves_a_mark_in_the_means(page):
    assert "not" in cell(page, "zh", 3).inner_text() and "identified" in cell(page, "zh", 3).inner_text()
    assert "▴" in cell(page, "zh", 3).inner_text() and cell(page, "zh", 3).inner_text().endswith("17.6")
    assert cell(page, "zh", 1).inner_text().endswith("*") and not cell(page, "de", 1).inner_text().endswith(
        "*"
    )
    choose(page, "Estimate", "Planted")
    assert cell(page, "zh", 3).inner_text() == "17.6" and not cell(page, "zh", 1).inner_text().endswith("*")


def test_languages_sort_by_a_model_and_models_by_a_language(page):
    assert heads(page) == ["aster", "birch", "cedar"]
    by_german = page.get_by_role("button", name="Sort the models by German")
    by_german.click()
    by_german.click()
    assert heads(page) == ["cedar", "birch", "aster"] and by_german.get_attribute("aria-pressed") == "true"
    page.locator(".tr-map th[data-head=cedar] button").click()
    names = page.locator(".tr-map tbody .tr-name").all_inner_texts()
    assert names == ["Arabic", "German", "Chinese"]
    values = [
        float(one.get_attribute("data-v")) for one in page.locator(".tr-map tbody td:nth-child(3)").all()
    ]
    assert values == sorted(values)
    choose(page, "Estimate", "Raw")
    assert page.locator(".tr-map tbody .tr-name").all_inner_texts() == ["Arabic", "German", "Chinese"]


def test_arrow_keys_walk_the_cells_and_the_line_below_tells_each(page):
    assert page.locator(".tr-map a.tr-num[tabindex='0']").count() == 1
    page.locator(".tr-map a.tr-num[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("[data-line]").inner_text().startswith("Arabic, aster: ")
    page.keyboard.press("ArrowDown")
    said = page.locator("[data-line]").inner_text()
    assert said.startswith("Chinese, aster: ") and "interval" in said and "planted" in said
    assert said.endswith("120 replies")


def test_a_number_opens_the_provenance_of_the_estimate_shown(page):
    choose(page, "Estimate", "HR_est")
    cell(page, "de", 2).locator("a.tr-num").click()
    dialog = page.get_by_role("dialog", name="German: aster")
    text = dialog.inner_text()
    assert "estimator: hr_est" in text and "4be1a09c77d2" in text and "Planted" in text and "120" in text


def test_csv_holds_the_estimate_shown_with_its_interval_and_n(page):
    def saved():
        with page.expect_download() as download:
            page.locator(".tr-heatmap").get_by_role("button", name="CSV").click()
        lines = csv.DictReader(StringIO(Path(download.value.path()).read_text("utf-8-sig")))
        german = {line["column"]: line for line in lines if line["Language"] == "German"}
        return german, download.value.suggested_filename

    choose(page, "Estimate", "Planted")
    german, name = saved()
    names = ("mean over models", "aster", "birch", "cedar")
    assert [german[one]["value"] for one in names] == ["14.4", "7.2", "13.2", "22.8"]
    assert name == "heat-map-planted-all.csv"
    choose(page, "Estimate", "HR_est")
    german, _ = saved()
    shown = cell(page, "de", 2)
    assert german["aster"]["value"] == shown.locator("a.tr-num").inner_text()
    ends = [german["aster"]["low"], german["aster"]["high"]]
    assert ends == shown.get_attribute("data-interval").split(" to ")
    assert german["aster"]["n"] == shown.get_attribute("data-n") == "120"


def test_without_a_script_one_estimate_is_a_whole_table(visit):
    page = visit(BOARD, script=False)
    assert page.locator(".tr-map tbody td").count() == 12 and page.locator(".tr-map tfoot td").count() == 4
    assert page.locator(".tr-map tbody td.tr-tint").count() == 8


def test_marked_texts_show_every_hand_and_follow_the_chosen_detector(visit):
    page = visit("samples.html#board=mfava-closed-world&source=gold&lang=ar")
    page.locator(".tr-record").first.wait_for()
    first = page.locator(".tr-record").first
    text = first.locator(".tr-layers")
    assert text.get_attribute("lang") == "ar" and text.get_attribute("dir") == "auto"
    assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"
    legend = page.get_by_role("group", name="Whose marks are shown")
    names = legend.get_by_role("button").all_inner_texts()
    assert {"Gold, by people", "Silver, by the writer", "token-lr"} <= set(names)
    before = first.locator("mark").count()
    legend.get_by_role("button", name="Silver, by the writer").click()
    page.locator("#tr-samples:not([aria-busy])").wait_for()
    assert 0 < page.locator(".tr-record").first.locator("mark").count() < before
    first = page.locator(".tr-record").first
    first.locator("summary").click()
    assert "gold relation:" in first.locator(".tr-spans").inner_text()


def test_disagreements_can_be_found(visit):
    page = visit("samples.html#board=mfava-closed-world&outcome=m&judge=token-lr")
    page.locator(".tr-record").first.wait_for()
    assert page.get_by_role("status").inner_text().startswith("18 of 27 records")
    page.locator("label:has-text('Labels') select").first.select_option("silver and gold differ")
    page.get_by_text("6 of 27 records").wait_for()
