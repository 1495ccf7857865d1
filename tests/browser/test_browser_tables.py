"""The tables in a browser: sort, filter, variants, more measures, provenance, CSV, keyboard, without a script."""

import csv
from io import StringIO
from pathlib import Path

BOARD = "boards/halueval-closed-world.html"
RECOGNITION = "#recognition ~ .tr-section >> nth=0"


def names(page, table: str = "table[data-table] >> nth=0") -> list[str]:
    return page.locator(table).locator("tbody tr:visible .tr-name").all_inner_texts()


def test_sorting_goes_best_first_then_turns_and_keeps_blanks_last(visit):
    page = visit("checks.html")
    head = page.locator("th[data-head='QA Unparsed']").first
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    best = names(page)
    assert best[0] == "elm" and set(best[5:]) >= {"always", "never"}
    head.get_by_role("button").click()
    turned = names(page)
    assert head.get_attribute("aria-sort") == "descending" and turned[:5] == best[:5][::-1]
    assert turned[5:] == best[5:]
    assert "sort=" in page.url


def test_sorting_works_from_the_keyboard(visit):
    page = visit("checks.html")
    page.locator("th[data-head='Dialogue rank'] button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("th[data-head='Dialogue rank']").first.get_attribute("aria-sort") == "ascending"


def test_the_filters_leave_what_fits_and_say_how_many(visit):
    page = visit("checks.html")
    page.get_by_placeholder("Find a model").first.fill("ced")
    assert names(page) == ["cedar"] and page.locator(".tr-count").first.inner_text() == "1 row"
    page.get_by_placeholder("Find a model").first.fill("")
    page.get_by_label("Kind of row").first.select_option("baseline")
    assert "length" in names(page) and "aster" not in names(page)


def test_variants_show_one_panel_and_the_address_keeps_it(visit):
    page = visit(BOARD)
    section = page.locator(RECOGNITION)
    assert section.locator("table:visible").count() == 1
    section.get_by_role("button", name="Chain of thought").click()
    assert section.locator("table:visible").get_attribute("data-name") == "Recognition: Chain of thought"
    assert "variant=chain-of-thought" in page.url
    again = visit(f"{BOARD}#variant=chain-of-thought")
    assert again.locator(RECOGNITION).locator("[aria-pressed=true]").first.inner_text() == "Chain of thought"


def test_more_measures_widens_the_table(visit):
    page = visit(BOARD)
    section = page.locator(RECOGNITION)
    assert section.locator("th:visible[data-head='QA TPR']").count() == 0
    section.get_by_role("button", name="More measures").click()
    assert section.locator("th:visible[data-head='QA TPR']").count() == 1


def test_a_number_opens_its_provenance_and_escape_closes_it(visit):
    page = visit("checks.html")
    page.locator("tbody a.tr-num").first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="aster: QA Accuracy")
    text = dialog.inner_text()
    assert "9f2c4b7a1d3e" in text and "truerate board halueval-closed-world" in text and "task: qa" in text
    assert "Planted" in text
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def saved(page) -> list[dict[str, str]]:
    """The lines of the CSV that the page's first button saves, by column."""
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").first.click()
    return list(csv.DictReader(StringIO(Path(download.value.path()).read_text("utf-8-sig"))))


def test_csv_holds_what_is_seen_with_interval_rank_and_n(visit):
    page = visit("checks.html")
    page.get_by_placeholder("Find a model").first.fill("aster")
    line = next(line for line in saved(page) if line["column"] == "QA Accuracy")
    cell = page.locator("table[data-table] tbody tr:visible td.tr-score").first
    assert line["Model"] == "aster" and (line["rank_low"], line["rank_high"]) == ("1", "2")
    assert line["value"] == cell.locator(".tr-num").evaluate("one => one.firstChild.data.trim()")
    assert [line["low"], line["high"]] == cell.get_attribute("data-interval").split(" to ")
    assert (line["n"], line["unit"]) == (cell.get_attribute("data-n"), "percent")


def test_csv_of_all_models_is_a_line_a_model_with_its_best_ranks(visit):
    page = visit("models.html")
    beta = next(line for line in saved(page) if line["Model"] == "beta")
    assert list(beta) == [
        "Model",
        "Maker",
        "Weights",
        "Parameters, billions",
        "Launched",
        "Boards",
        "Best ranks",
    ]
    assert (beta["Boards"], beta["Best ranks"]) == ("1", "1–3 of 4: Set")


def test_csv_of_one_model_holds_values_ranks_and_both_ends(visit):
    page = visit("models/real/beta.html")
    lines = [line for line in saved(page) if line["column"] == "value"]
    names = ("rank_low", "rank_high", "value", "low", "high", "n")
    assert [lines[0][name] for name in names] == ["1", "3", "25.0", "5.0", "70.0", "4"]


def test_tables_out_of_sight_are_made_when_somebody_comes_near_and_for_print(visit):
    page = visit(BOARD)
    waiting = page.locator("[data-views] > noscript, [data-panel] > noscript")
    n_waiting = waiting.count()
    assert n_waiting and page.locator("*").count() < 8000
    section = page.locator(RECOGNITION)
    section.get_by_role("button", name="Chain of thought").click()
    assert section.locator("table:visible").count() == 1 and waiting.count() < n_waiting
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert waiting.count() == 0 and section.locator("table").count() == 3


def test_without_a_script_every_variant_and_measure_is_on_the_page(visit):
    page = visit(BOARD, script=False)
    section = page.locator(RECOGNITION)
    assert section.locator("table:visible").count() == 3
    assert section.locator("th:visible[data-head='QA TPR']").count() == 3
    assert page.locator(".tr-tools").count() == 0


def test_search_works_from_disk_and_shows_hostile_text_as_text(visit):
    page = visit("checks.html")
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("reproduced")
    page.locator(".md-search-result__item", has_text="recomputed").first.wait_for()
    page.locator(".md-search__input").fill("onerror")
    page.locator(".md-search-result__item").first.wait_for()
    assert page.locator(".md-search-result img").count() == 0 and page.evaluate("window.__xss") is None


def test_search_finds_a_model_by_any_part_of_its_name(visit):
    page = visit("checks.html")
    query = page.locator(".md-search__input")
    query.click()
    for part in ("larch", "3.1", "8b", "instruct", "larch-3.1-8b"):
        query.fill("")
        query.press_sequentially(part)
        found = page.locator(".md-search-result__item a[href*='real/judged']")
        found.first.wait_for(state="attached")
        assert found.count() > 0, part


def test_the_methods_are_found_by_any_words_and_lead_to_the_formula(visit):
    page = visit("methods.html")
    page.get_by_placeholder("Find by any word").fill("holm ADJUSTED")
    assert page.locator(".tr-index li:visible").all_inner_texts() == ["holm\nAdjusted p-values\nHolm 1979"]
    assert page.locator(".tr-index:visible").count() == page.locator("h3[id]:visible").count() == 1
    assert page.locator(".tr-count").inner_text() == "1 line" and "q=holm" in page.url
    page.get_by_role("link", name="holm").click()
    assert page.url.endswith("methods-tests.html#metric-paired-holm")
    assert page.locator("#metric-paired-holm dd").inner_text() == "Adjusted p-values (Holm 1979)."
