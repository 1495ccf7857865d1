"""Every page in both schemes: nothing wider than a phone, no finding of axe, no sentinel set."""

import pytest

from tests.cases import case_table

from .accessibility import axe

PAGES = case_table(__file__)["pages"]


@pytest.fixture(scope="module", params=PAGES)
def page(request, visit_once):
    """One page, opened once for all that is asked of it; every part that folds is open, so that all of it is seen."""
    opened = visit_once(f"{request.param}.html")
    if request.param == "samples":
        opened.locator(".tr-record").first.wait_for()
    yield opened
    opened.close()


def test_nothing_overflows_a_phone(page):
    page.locator("h1").wait_for()
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = false")


CUT = """() => {
  const views = [...document.querySelectorAll("details:not([open])")];
  for (const one of views) one.open = true;
  const wide = [...document.querySelectorAll(".tr-scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth);
  const found = wide.map((one) => [one.getAttribute("aria-label"), one.scrollWidth, one.clientWidth]);
  for (const one of views) one.open = false;
  return found;
}"""


def test_no_table_scrolls_sideways_on_a_screen(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.evaluate(CUT) == []


PAPER = {"auto": 703, "across": 1032}  # pixels between the margins of A4, upright and turned


def test_nothing_is_cut_on_paper(page):
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1280, "height": 900})
    width = PAPER[page.evaluate("getComputedStyle(document.body).page")]
    page.set_viewport_size({"width": width, "height": 900})
    cut = "w => [...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > w + 1).map(t => t.dataset.name)"
    assert page.evaluate(cut, width) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(media="screen")


def turn(page, scheme: str):
    """Choose a scheme by the page's own toggle, which is named by what it would do."""
    if page.locator(f"[title='Switch to {scheme}']:visible").count():
        page.locator(f"[title='Switch to {scheme}']:visible").click()
    page.locator(f"[title='Switch to {'dark' if scheme == 'light' else 'light'}']:visible").wait_for()


@pytest.mark.parametrize("scheme", ("light", pytest.param("dark", marks=pytest.mark.proof)))
def test_axe_finds_nothing_and_no_text_has_run(page, scheme):
    page.set_viewport_size({"width": 1360, "height": 900})
    turn(page, scheme)
    assert axe(page, scheme) == []
    assert page.evaluate("window.__xss") is None


def test_both_schemes_differ_and_the_toggle_turns_them(visit):
    page = visit("index.html", scheme="light")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    turn(page, "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_build_info_is_shown_where_the_build_wrote_it(visit, built_site):
    info = built_site / "build_info.js"
    before = info.read_text("utf-8")
    try:
        info.write_text('truerateBuild({"commit": "3f9c2a1", "date": "20 November 2026"});\n', "utf-8")
        assert (
            visit("index.html").locator("[data-build]").first.inner_text()
            == "Build 3f9c2a1 · 20 November 2026"
        )
    finally:
        info.write_text(before, "utf-8")
