"""The sample browser's search, keys, layers and downloads, on texts that attack the page or are in other scripts."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from .accessibility import axe

NAME = "browser-board"


@pytest.fixture(scope="module")
def built_site(tmp_path_factory) -> Path:
    from test_site_build import build
    from tiny_browser import browser_tables

    return build(tmp_path_factory.mktemp("search"), {}, browser_tables())


def opened(visit, choices: str = "", **how):
    page = visit(f"samples.html#board={NAME}{choices}", **how)
    page.locator("#tr-samples:not([aria-busy]) .tr-record").first.wait_for()
    return page


def ids(page) -> list[str]:
    return page.locator(".tr-record header a").all_inner_texts()


def choices(page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).fragment)


def typed(page, text: str):
    """What is found once the page has followed the search."""
    page.get_by_label("Words in the record").fill(text)
    page.wait_for_function(
        "text => (new URLSearchParams(location.hash.slice(1)).get('q') || '') === text", arg=text
    )
    page.locator("#tr-samples:not([aria-busy])").wait_for()
    return ids(page)


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.proof)]
)
def test_every_attack_is_shown_and_none_runs(visit, width, scheme):
    page = opened(visit, width=width, scheme=scheme)
    assert page.locator(".tr-record").count() == 13
    page.evaluate("for (const one of document.querySelectorAll('.tr-record details')) one.open = true")
    inside = ".tr-record :is(img, script, iframe, svg, h1, a[href^='javascript' i])"
    assert page.evaluate("window.__xss") is None and page.locator(inside).count() == 0
    assert page.locator("[onclick], [onerror], [onload]").count() == 0
    assert "{{ config.__class__ }}" in page.locator(".tr-record", has_text="attack05").inner_text()
    assert {"U+202E", "U+2066", "U+0000", "U+001B"} <= set(page.locator(".tr-chip").all_inner_texts())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe(page) == []


def test_a_megabyte_is_shown_in_part_until_it_is_asked_for(visit):
    page = opened(visit, "&id=attack10")
    text = page.locator(".tr-layers")
    assert len(text.text_content()) < 21_000
    page.get_by_role("button", name="Show all 1,000,000 characters").click()
    assert len(text.text_content()) == 1_000_000


def test_words_are_found_in_any_script_and_lit_up(visit):
    page = opened(visit)
    assert typed(page, "HYPERLINK") == ["attack09"]
    assert set(page.locator(".tr-hit").all_inner_texts()) == {"HYPERLINK"}
    assert typed(page, "منارة بنيت") == ["attack11"]  # without the vowel signs that the text has
    assert typed(page, "東京 灯台") == ["attack12"]
    assert typed(page, "nowhere") == [] and page.get_by_role("status").inner_text().startswith("0 of 13")
    assert len(typed(page, "")) == 13 and "q" not in choices(page)


def test_an_address_brings_back_what_was_chosen(visit):
    page = opened(visit, "&q=window&model=aster&agreement=agree&theme=none&judge=nobody")
    assert page.get_by_label("Words in the record").input_value() == "window"
    assert page.get_by_label("Written by").input_value() == "aster"
    assert "no theme “none”, judge “nobody”" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_text("13 of 13 records").wait_for()
    assert choices(page) == {"board": [NAME]}


def test_records_on_which_judges_differ(visit):
    page = opened(visit)
    page.get_by_label("Disagreement").select_option("split")
    page.get_by_text("5 of 13 records").wait_for()  # every third of 13
    assert set(ids(page)) == {f"attack{k:02d}" for k in (0, 3, 6, 9, 12)}


def test_each_hand_is_a_line_of_its_own_that_can_be_turned_off(visit):
    page = opened(visit)
    legend = page.get_by_role("group", name="Whose marks are shown")
    assert legend.get_by_role("button").all_inner_texts() == ["Gold, by people", "elm", "fir", "yew"]
    record = page.locator(".tr-record", has=page.get_by_role("link", name="attack05"))
    looks = "one => [getComputedStyle(one).textDecorationStyle, getComputedStyle(one).textUnderlineOffset]"
    legend.get_by_role("button", name="fir").click()
    page.locator("#tr-samples:not([aria-busy])").wait_for()
    lines = {tuple(one.evaluate(looks)) for one in record.locator("mark").all()}
    assert len(lines) == 3 and len({offset for _, offset in lines}) == 3
    for name in ("Gold, by people", "elm", "fir"):
        legend.get_by_role("button", name=name).click()
        page.locator("#tr-samples:not([aria-busy])").wait_for()
    assert record.locator("mark").count() == 0 and choices(page)["layers"] == ["none"]
    assert "4 hands" in record.inner_text()  # the list tells all the same


def test_keys_move_search_unfold_and_leave(visit):
    page = opened(visit)
    focused = "document.activeElement.querySelector('header a')?.textContent"
    for key, place in (("j", 0), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        assert page.evaluate(focused) == ids(page)[place]
    page.keyboard.press("Enter")
    assert page.locator(".tr-record").first.locator("details[open]").count() == 2
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.type("jk")  # letters again
    assert page.get_by_label("Words in the record").input_value() == "jk"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    page.get_by_role("button", name="Keys on").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.tagName") == "BODY"


def test_the_ids_that_fit_can_be_downloaded(visit):
    page = opened(visit, "&lang=ar")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download ids").click()
    lines = Path(waiting.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0].startswith('"board","id","task","lang"') and len(lines) == 2
    assert lines[1].startswith(f'"{NAME}","attack11","qa","ar"')


def test_where_texts_are_closed_ids_stand_with_the_place(visit):
    page = visit("samples.html#board=halueval-published")
    record = page.locator(".tr-record").first
    record.wait_for()
    assert "Where its text is" in record.inner_text() and record.locator(".tr-text").count() == 0
    assert axe(page) == []
