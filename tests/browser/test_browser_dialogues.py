"""Responses in dialogues, in a browser: pictures with their words, and a record with its conversation,
segments and reasons, on a phone and on a screen.
"""

from pathlib import Path

import pytest

from .accessibility import axe

NAME = "halludial-closed-world"


@pytest.fixture(scope="module")
def built_site(tmp_path_factory) -> Path:
    from test_site_build import build
    from tiny_halludial import halludial_tables

    return build(tmp_path_factory.mktemp("dialogues"), {}, halludial_tables())


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.proof)]
)
def test_pictures_are_told_in_words_and_fit(visit, width, scheme):
    page = visit(f"boards/{NAME}.html", width=width, scheme=scheme)
    pictures = page.get_by_role("img").filter(has=page.locator("rect.frame"))
    told = [one.get_attribute("aria-label") for one in pictures.all()]
    assert any("aster: finds 37.0 %, leaves alone 96.0 %" in one for one in told)
    assert any("by temperature" in one and "13.5 % at 1" in one for one in told)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [one.bounding_box() for one in pictures.all()]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    assert axe(page) == []


def test_a_record_shows_conversation_segments_and_reasons(visit):
    page = visit(f"samples.html#board={NAME}&id=i1", width=390)
    record = page.locator(".tr-record")
    record.first.wait_for()
    assert record.count() == 1 and page.get_by_role("status").inner_text() == "1 of 4 records"
    turns = record.locator(".tr-turns li")
    assert [one.inner_text().split()[0] for one in turns.all()] == ["Person", "Assistant", "Person"]
    assert "<b>Ask</b>" in turns.nth(1).inner_text() and record.locator(".tr-turns b b").count() == 0
    judge = record.locator(".tr-said").first  # open, since the record stands alone
    assert "Composed reason" in judge.inner_text()
    told = record.locator(".tr-spans li").all_text_contents()
    assert any(one.startswith("hallujudge-tiny") and one.endswith("1901") for one in told)
    assert any(
        "hallujudge-tiny" in (one.get_attribute("title") or "") for one in record.locator("mark").all()
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390 and axe(page) == []


def test_what_was_found_in_the_wrong_place_can_be_filtered(visit):
    page = visit(f"samples.html#board={NAME}")
    page.locator(".tr-record").first.wait_for()
    page.get_by_label("Judged by").select_option("aster · zero-shot")
    page.get_by_label("Outcome").select_option("Judged rightly")
    page.locator(".tr-record details[open]").first.wait_for()
    both = page.locator(".tr-record")
    assert both.count() == 1 and "labelled right by people" in both.inner_text()
    assert "labelled hallucinated by a model" in both.inner_text()
