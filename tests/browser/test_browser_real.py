"""A real board in a browser: from a number to its rows in two clicks, figures taken along, long sections folded."""

import json
from pathlib import Path

import pytest

from .accessibility import axe


def test_from_the_home_page_to_the_rows_of_a_number_in_two_clicks(visit):
    page = visit("index.html")
    page.locator(".tr-boards a", has_text="Judged replies").click()
    page.get_by_role("link", name="rows of beta").click()
    rows = page.locator("[data-real-rows] tbody tr")
    assert rows.all_inner_texts() == ["u0\tc0\t1", "u1\tc1\t0", "u2\tc2\t0", "u3\tc3\t0"]
    assert page.locator("[data-real-rows] .tr-count").inner_text() == "4 rows, their mean is 0.2500"
    assert "subject=beta" in page.url


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_number_opens_the_dialog_and_from_it_its_rows_and_its_texts(visit, width, scheme):
    page = visit("real/judged.html", width=width, scheme=scheme)
    line = page.locator(".tr-real-table tbody tr", has_text="beta")
    line.locator("a.tr-num").first.click()
    dialog = page.locator("dialog.tr-dialog")
    said = dialog.inner_text()
    for text in ("beta: Made-up rate", "25.0 %", "5.0 to 70.0", "judge-1", "Set · MIT", "truerate real DATA"):
        assert text in said, text
    assert axe(page) == []
    dialog.get_by_role("link", name="Its rows").click()
    page.locator("[data-real-rows] tbody tr").first.wait_for()
    assert page.locator("[data-real-rows] .tr-count").inner_text() == "4 rows, their mean is 0.2500"
    line.locator("a.tr-num").first.click()
    dialog.get_by_role("link", name="Read the replies").click()
    page.locator(".tr-record").first.wait_for()
    assert page.get_by_label("Written by").input_value() == "beta"
    assert page.get_by_role("status").inner_text().startswith("1 of 3 records")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_texts_of_a_real_board_that_attack_the_page_are_shown_and_never_run(visit):
    page = visit("samples.html#board=judged")
    page.locator(".tr-record").nth(2).wait_for()
    first = page.locator(".tr-record").first
    assert first.locator(".tr-layers mark").first.inner_text() == "Built"
    assert "U+202E" in first.locator(".tr-chip").all_inner_texts()
    assert "window.__xss = 1" in first.inner_text() and "CC BY 4.0" in first.inner_text()
    assert first.locator("a[href^=javascript]").count() == 0
    assert page.locator(".tr-parts li.is-wrong").count() == 1
    assert page.evaluate("window.__xss") is None
    assert page.locator(".tr-record img, .tr-record script").count() == 0
    assert axe(page) == []


def test_the_rows_that_an_address_names_are_shown(visit):
    page = visit("real/judged.html#subject=larch-3.1-8b-instruct&value=1")
    page.locator("[data-real-rows] tbody tr").first.wait_for()
    assert page.locator("[data-real-rows] .tr-count").inner_text() == "2 rows, their mean is 1.0000"


def test_a_figure_is_taken_along_with_its_colours(visit):
    page = visit("real/judged.html")
    with page.expect_download() as caught:
        page.locator("[data-figure='judged-forest'] .tr-save").click()
    svg = Path(caught.value.path()).read_text("utf-8")
    assert caught.value.suggested_filename == "judged-forest.svg"
    assert "rgb(11, 90, 143)" in svg
    assert "var(" not in svg.split("style=", 1)[1][:400]


def test_the_links_of_a_long_page_stay_in_view_and_open_what_is_folded(visit):
    page = visit("boards/mfava-closed-world.html")
    page.evaluate("window.scrollTo(0, 3000)")
    assert page.locator(".tr-jump").evaluate("one => one.getBoundingClientRect().top") < 120
    folded = page.locator(".tr-section.is-folded")
    before = folded.count()
    assert before > 0
    heading = folded.first.evaluate("one => one.previousElementSibling.id")
    page.locator(f".tr-jump a[href='#{heading}']").click()
    page.wait_for_function(f"document.querySelectorAll('.is-folded').length < {before}")


def test_paper_is_light_and_has_the_whole_figure_whatever_the_screen_was(visit):
    page = visit("real/judged.html", scheme="dark")
    ink = "getComputedStyle(document.querySelector('h1')).color"
    dark = page.evaluate(ink)
    page.set_viewport_size(
        {"width": 703, "height": 900}
    )  # A4 upright: as narrow as a phone to a rule of width
    assert page.locator(".tr-phone").first.is_visible()
    assert not page.locator(".tr-not-phone").first.is_visible()
    page.emulate_media(media="print")
    assert page.evaluate(ink) != dark
    assert page.locator(".tr-not-phone").first.is_visible()
    assert not page.locator(".tr-phone").first.is_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert min(int(part) for part in paper[4:-1].split(",")) > 240


@pytest.fixture
def decided(built_site):
    """The tests of pairs of the judged board as if they had told alpha and beta, and beta and the third, apart."""
    path = built_site / "real" / "judged-pairs.js"
    before = path.read_text("utf-8")
    packed = json.loads(before.removeprefix("truerateRanks(").rstrip().removesuffix(");"))
    packed["p"] = [0.00001, 1, 0.75, -0.03, 0.2, None]
    path.write_text(f"truerateRanks({json.dumps(packed)});", "utf-8")
    yield
    path.write_text(before, "utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_rank_says_whom_the_subject_beats_by_pointer_and_by_key(visit, decided, scheme):
    page = visit("real/judged.html", width=390, scheme=scheme)
    tip, ranks = page.locator("#tr-tip"), page.locator(".tr-versus")
    assert not tip.is_visible()
    ranks.nth(1).focus()
    tip.wait_for()
    text = tip.inner_text()
    assert "beta, rank 1–3" in text
    assert "Loses to 2: alpha (p < .001), larch-3.1-8b-instruct (p .030)" in text
    assert "Beats 0" in text and "Ties with 1: evil <script>" in text and "(p .200)" in text
    assert "paired tests of all 6 pairs, corrected by Holm" in text
    assert ranks.nth(1).get_attribute("aria-describedby") == "tr-tip"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(page, scheme) == []
    page.keyboard.press("Escape")
    assert not tip.is_visible() and ranks.nth(1).get_attribute("aria-describedby") is None
    ranks.nth(2).hover()
    tip.wait_for()
    assert "Beats 1: beta (p .030)" in tip.inner_text()
    assert "evil" not in tip.inner_text(), "the two were not compared"
    page.locator("h1").hover()
    tip.wait_for(state="hidden")
