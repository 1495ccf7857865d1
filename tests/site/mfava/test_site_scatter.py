"""Pictures of mFAVA's analyses: where dots stand, which estimate they show, and the same in words."""

from html import unescape

import pytest
from tiny_mfava import mfava_board, mfava_rows, row

from truerate.core.schemas import Row, frame
from truerate.site import Tables
from truerate.site.mfava.scatter import EDGE, HEIGHT, WIDTH, _across, scatters
from truerate.site.render import render_site

BOARD = mfava_board()
SHARES = {"ar": (0.67, 0.1), "de": (5.3, 0.2), "zh": (6.7, 0.3)}


def point_rows(subject, points, **mode):
    return [
        row("points", subject, "baseline", metric, value, point=name, **mode)
        for name, pair in points.items()
        for metric, value in zip(("point_x", "point_y"), pair, strict=True)
    ]


def rows(*more):
    tables = Tables(title="t", boards=(BOARD,), models={}, rows=frame(Row, [*mfava_rows(), *more]))
    return tables.rows_of(BOARD.name)


def test_a_dot_stands_where_its_language_puts_it():
    more = point_rows("rate-against-common-crawl", SHARES, estimator="raw")
    first = scatters(rows(*more), BOARD)["pictures"][0]
    assert [dot["label"] for dot in first["dots"]] == ["ar", "de", "zh"]
    assert [text for _, text in first["across"]] == ["0.1", "1", "10"]  # powers of ten
    # from 0.1 to 10: 0.67 stands log10(6.7) / 2 = .413 of the way, 10 % a third of the way up to 30 %
    width, height = WIDTH - 6 - EDGE, HEIGHT - EDGE - 6
    assert first["dots"][0]["x"] == pytest.approx(EDGE + 0.413 * width, abs=0.1)
    assert first["dots"][0]["y"] == pytest.approx(HEIGHT - EDGE - height / 3, abs=0.1)
    assert "3 points" in first["description"] and "Arabic: 0.67, 10.0 %" in first["description"]


def test_the_best_founded_estimate_is_shown_and_named():
    more = point_rows("rate-against-supported-languages", {"a": (3, 0.1), "b": (8, 0.2)}, estimator="raw")
    other = {"estimator": "rogan-gladen", "calibration": "natural"}
    more += point_rows("rate-against-supported-languages", {"a": (3, 0.4), "b": (8, 0.2)}, **other)
    found = {picture["title"]: picture for picture in scatters(rows(*more), BOARD)["pictures"]}
    assert found["Supported languages"]["by"] == "Rogan–Gladen, Natural"
    assert "a: 3, 40.0 %" in found["Supported languages"]["description"]
    assert [text for _, text in found["Supported languages"]["across"]] == ["0", "2", "4", "6", "8"]


def test_cells_stand_under_the_numbers_of_their_models():
    made = scatters(rows(), BOARD)
    (picture,) = made["pictures"]
    assert made["names"] == ["aster", "birch", "cedar"] and picture["title"] == "Length"
    assert {dot["label"] for dot in picture["dots"]} >= {"1", "2", "3"}


def test_a_name_stands_beside_its_dot_or_not_at_all():
    crowd = {f"model-{k}": (5.0, 0.1) for k in range(4)} | {"last": (10.0, 0.1)}
    more = point_rows("rate-against-supported-languages", crowd, estimator="raw")
    dots = scatters(rows(*more), BOARD)["pictures"][0]["dots"]
    assert [dot["label"] for dot in dots] == ["last", "model-0", "model-1", "", ""]
    assert [dot["is_left"] for dot in dots] == [True, False, False, False, False]


def test_one_point_is_no_picture():
    lone = point_rows("rate-against-common-crawl", {"de": (5.3, 0.2)}, estimator="raw")
    assert scatters([one for one in rows(*lone) if one["table"] == "points"], BOARD) is None
    assert scatters([], BOARD) is None


def test_axes_hold_what_they_show():
    axis, marks = _across([3.0, 3.0], is_logarithmic=True)
    assert (axis.low, axis.high) == (0, 1) and [text for _, text in marks] == ["1", "10"]
    axis, marks = _across([0.0], is_logarithmic=False)
    assert axis.high == 1 and len(marks) == 2
    assert [text for _, text in _across([6_900_000], is_logarithmic=True)[1]] == ["1M", "10M"]


def test_the_page_holds_the_pictures_and_their_words():
    more = point_rows("rate-against-common-crawl", SHARES, estimator="raw")
    tables = Tables(title="t", boards=(BOARD,), models={}, rows=frame(Row, [*mfava_rows(), *more]))
    page = unescape(render_site(tables)[f"boards/{BOARD.name}.md"])
    start = page.index("Common Crawl</b>")
    assert page.count('class="tr-plot tr-chart"') == 2 and "Arabic: 0.67, 10.0 %" in page[start:]
    assert '<text class="name"' in page[start:]
