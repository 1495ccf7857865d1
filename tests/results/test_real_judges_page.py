"""The page of a real board that several judges read: rates by judge with their rows, and links to each judge."""

import re
from html import unescape
from pathlib import Path

import pytest
from test_site_render import Elements
from tiny_site import site_of

from truerate.results.read import read_board

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    board = read_board(ROOT / "results" / "faithbench")
    return site_of(real=(board,))


def test_rates_by_judge_lead_to_their_rows(pages):
    found = [attributes for _, attributes in Elements(pages["real/faithbench.md"]).elements]
    cells = [
        (one.get("data-show-rows"), one["data-show-slice"])
        for one in found
        if one.get("data-show-metric") == "judged_rate"
    ]
    assert len(cells) == 80, "ten summarizers by eight judges"
    assert ("openai/gpt-4o", "judge=true_nli") in cells


def test_judges_have_links_in_rows_and_none_in_heads_where_a_button_sorts(pages):
    page = unescape(pages["real/faithbench.md"])
    assert "../detectors/hhem-2-1.html" in page
    assert not any("<a" in head for head in re.findall(r"<thead>.*?</thead>", page))


def test_the_pages_regions_have_names_of_their_own(pages):
    for name in ("real/faithbench.md", "detectors/hhem-2-1.md", "detectors.md"):
        regions = [
            one.get("aria-label") for _, one in Elements(pages[name]).elements if one.get("role") == "region"
        ]
        assert len(set(regions)) == len(regions) > 0, name
