"""The worst answers on a real model's page: from each board in turn, marked, cut, and inert."""

from html import unescape

import pytest
from tiny_results import write_results, write_texts
from tiny_site import site_of

from truerate.results.read import real_boards
from truerate.site.models.worst import BEFORE, LONGEST, pieces


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_texts(write_results(folder))
    write_texts(write_results(folder, "other"))
    return site_of(real=real_boards(folder))


def test_a_model_shows_its_worst_answers_with_marks_and_a_link(pages):
    page = unescape(pages["models/real/beta.md"])
    assert page.count('<article class="tr-worst">') == 2  # one of each board
    assert '<mark title="invented">Built</mark>' in page
    assert 'href="../../samples.html#board=other&id=beta%2Fu0"' in page and "CC BY 4.0" in page


def test_words_that_attack_stay_words(pages):
    page = pages["models/real/beta.md"]
    assert "<script>window" not in page and "<img" not in page and "\u202e" not in page


def test_a_model_without_wrong_answers_shows_none(pages):
    assert "tr-worst" not in pages["models/real/alpha.md"]


def test_a_long_answer_begins_before_its_first_mark():
    parts = ["word " * 400, ["wrong", [[0, "made_up", 0], [1, "other", 0]]], " end" * 300]
    shown = list(pieces(parts))
    assert ("wrong", "made up") in shown
    assert shown[0][0].startswith("…word") and len(shown[0][0]) <= BEFORE + 1
    assert sum(len(text) for text, _ in shown) <= LONGEST + 2 and shown[-1][0].endswith("…")


def test_a_short_answer_is_shown_whole():
    assert list(pieces(["all of ", ["it", [[1, "x", 0]]]])) == [("all of ", ""), ("it", "")]
