"""Pictures of HalluDial's pages: where dots and lines stand, and the same in words."""

from html import unescape

from tiny_halludial import DIGEST, halludial_board, halludial_rows

from truerate.core.schemas import Row, frame
from truerate.site import Tables
from truerate.site.charts import Axis, apart, numbered, percent, ticks
from truerate.site.halludial.points import ACROSS, UP, operating_points
from truerate.site.halludial.temperatures import temperature_lines
from truerate.site.render import render_site

BOARD = halludial_board()


def rows(*more):
    tables = Tables(title="t", boards=(BOARD,), models={}, rows=frame(Row, [*halludial_rows(), *more]))
    return tables.rows_of(BOARD.name)


def test_an_axis_holds_its_ends():
    axis = Axis(0, 0.5, 200, 0)
    assert [axis.at(value) for value in (0, 0.25, 0.5, 0.9)] == [200, 100, 0, 0]


def test_ticks_are_round_and_reach_the_highest_value():
    assert ticks(0.27) == [0, 0.1, 0.2, 0.3] and ticks(0.043) == [0, 0.01, 0.02, 0.03, 0.04, 0.05]
    assert ticks(1.0) == [0, 0.2, 0.4, 0.6, 0.8, 1.0] and ticks(0) == [0, 0.01]


def test_labels_that_would_overlap_stand_below_one_another():
    assert apart([(0, 10), (3, 12), (40, 11), (1, 30)], width=10, height=8) == [10, 18, 11, 30]
    assert apart([], width=10, height=8) == []


def test_models_have_the_first_numbers():
    assert numbered([("rule", "baseline"), ("b", "model"), ("a", "model")]) == {"a": 1, "b": 2, "rule": 3}
    assert (percent(0.4512), percent(None)) == ("45.1 %", "–")


def test_a_judge_stands_where_its_rates_put_it():
    made = operating_points(rows(), BOARD)
    assert [picture["title"] for picture in made["pictures"]] == ["Spontaneous", "Induced"]
    assert made["names"] == ["aster", "birch", "always-no", "hallujudge-tiny"]
    dots = made["pictures"][0]["dots"]
    assert [(dot["number"], dot["is_rule"]) for dot in dots] == [(1, False), (2, False), (3, True), (4, True)]
    assert (dots[0]["x"], dots[0]["y"]) == (
        ACROSS.at(0.96),
        UP.at(0.37),
    )  # zero-shot, not three-shot or a kind's
    assert dots[0]["across"] == (ACROSS.at(0.93), ACROSS.at(0.99)) and dots[1]["planted"] is None
    assert dots[0]["planted"] == (ACROSS.at(0.96), UP.at(0.35)) and made["has_planted"]
    assert "aster: finds 37.0 %, leaves alone 96.0 %" in made["pictures"][0]["description"]


def test_no_rate_no_picture():
    assert operating_points([row for row in rows() if row["metric"] != "tpr"], BOARD) is None
    assert temperature_lines([row for row in rows() if row["slice"].get("temperature") == "1"], BOARD) is None


def test_a_picture_per_responder_and_a_line_per_estimate():
    made = temperature_lines(rows(), BOARD)
    assert [one["title"] for one in made["pictures"]] == ["aster", "birch", "cedar"] == made["models"]
    assert made["names"] == ["Raw", "Corrected by people’s labels"]
    assert [text for _, text in made["across"]] == ["0.3", "0.7", "1"] and made["up"][-1][1] == "30"
    cedar = made["pictures"][2]
    assert [line["number"] for line in cedar["lines"]] == [1, 2] and cedar["planted"]
    assert all(len(line["dots"]) == 3 for line in cedar["lines"])
    # cedar at 1: .27 x (.7 + .15 x 2) corrected, half of it raw; planted .28
    assert "Raw: 9.4 % at 0.3, 11.5 % at 0.7, 13.5 % at 1" in cedar["description"]
    raw, corrected = cedar["lines"]
    assert corrected["dots"][-1]["y"] < raw["dots"][-1]["y"]  # twice as high a rate
    assert raw["dots"][0]["range"] is None and corrected["dots"][0]["range"] is not None


def test_a_rate_that_is_not_identified_is_a_gap():
    lost = rows()
    for row in lost:
        if row["subject"] == "cedar" and row["slice"].get("temperature") == "0.7":
            row["value"] = row["low"] = row["high"] = None
    pictures = temperature_lines(lost, BOARD)["pictures"]
    assert [len(one["lines"][0]["dots"]) for one in pictures] == [3, 3, 2]


def test_the_page_shows_both_pictures_with_their_words():
    tables = Tables(title="t", boards=(BOARD,), models={}, rows=frame(Row, halludial_rows()))
    page = unescape(render_site(tables, "site")[f"boards/{BOARD.name}.md"])
    assert page.count("<svg viewBox") >= 4 and page.count('role="img" aria-label="') >= 4
    assert "aster: finds 37.0 %" in page and "Raw: 9.4 % at 0.3" in page and DIGEST in page
