"""A page per detector: its rows by slice with a picture, its thresholds, where it is used, and links that lead there."""

import dataclasses
from html import unescape

import pytest
from test_site_render import Elements
from tiny_results import write_results
from tiny_site import site_of, tables_of
from tiny_tables import tiny_tables

from truerate.results.board import JudgeErrors, Share
from truerate.results.read import real_boards
from truerate.site.charts.curves import Bin, Curve, Cut
from truerate.site.detector_pages import addresses, blocks_of, detectors_of, judged_on

BOARD = "halueval-closed-world"
CURVE = Curve(
    BOARD,
    "length",
    (("task", "qa"),),
    (Bin(0.0, 0.5, 6, 0.25, 1 / 3, 0.1, 0.6), Bin(0.5, 1.0, 4, 0.75, 0.75, 0.3, 0.95)),
    (Cut(0.0, 10, 0.5, 1.0), Cut(0.5, 4, 0.75, 0.6)),
)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return site_of(n=1, curves=(CURVE,), max_samples=1)


def test_whoever_judges_has_a_page_and_who_does_not_has_none(pages):
    names = detectors_of(judged_on(tables_of(n=1)))
    assert {"aster", "length", "always"} <= set(names)
    assert "annotators" not in names and "ChatGPT, as printed" not in names
    assert {f"detectors/{address}.md" for address in names.values()} == {
        path for path in pages if path.startswith("detectors/")
    }


def test_two_names_of_one_file_name_have_a_page_each():
    assert addresses(["a b", "a-b", "A b"]) == {"A b": "a-b", "a b": "a-b-2", "a-b": "a-b-3"}


def test_the_page_has_its_thresholds_and_where_it_is_used(pages):
    page = Elements(unescape(pages["detectors/length.md"]))
    assert "Calibration and thresholds, task: QA (10 texts)" in " ".join(page.text.split())
    lines = [attributes.get("data-v") for tag, attributes in page.elements if tag == "td"]
    at = lines.index("4")  # flagged at .5: 4 texts, 75 % of them hallucinated, 60 % of all that are
    assert lines[at : at + 3] == ["4", "0.75", "0.6"]
    used = [attributes.get("href") for tag, attributes in page.elements if tag == "a"]
    assert f"../boards/{BOARD}.html" in used


def test_boards_lead_to_the_pages_of_their_subjects(pages):
    page = Elements(unescape(pages[f"boards/{BOARD}.md"]))
    found = {attributes.get("href") for tag, attributes in page.elements if tag == "a"}
    assert {"../detectors/length.html", "../models/aster.html"} <= found


def row(table, metric, value, **slices):
    return {"board": BOARD, "table": table, "subject": "d", "kind": "baseline", "metric": metric, "value": value,
            "low": None, "high": None, "n": 9, "rank_low": None, "rank_high": None, "is_leading": None,
            "provenance": "", "slice": slices}  # fmt: skip


def test_rows_of_one_split_are_drawn_together_and_bins_are_not_listed():
    board = tiny_tables().boards[0]
    rows = [
        row("recognition", metric, value, task=task, variant="plain")
        for metric, value in (("precision", 0.75), ("recall", 0.5))
        for task in ("qa", "dialogue")
    ] + [row("recognition", "precision", 0.1, bin="0.0–0.1", task="qa")]
    (block,) = blocks_of(board, {"recognition": ("precision", "recall")}, rows)
    (part,) = block["panels"]
    assert block["note"] == "variant: Plain"
    assert part["figure"]["measures"] == [board.measures["precision"], board.measures["recall"]]
    assert [drawn["value"] for drawn in part["figure"]["rows"]] == ["75.0 / 50.0", "75.0 / 50.0"]
    assert [[bar["series"] for bar in drawn["bars"]] for drawn in part["figure"]["rows"]] == [[0, 1], [0, 1]]


HELD = tuple(
    JudgeErrors("judge <x>", where, 20, 30, Share(tpr, 0.2, 0.5), Share(0.9, 0.7, 0.97))
    for where, tpr in (((), 0.3), ((("rule", "strict"),), 0.4), ((("model", "beta"),), None))
)


def test_a_correction_is_identified_where_j_lies_above_zero_at_the_low_ends():
    told = {"judge": "x", "where": (), "n_hallucinated": 9, "n_right": 9}
    low, high, none = Share(0.6, 0.3, 0.9), Share(0.9, 0.75, 1.0), Share(None, None, None)
    found = [
        JudgeErrors(**told, tpr=tpr, tnr=high).is_identified for tpr in (low, Share(0.6, 0.25, 0.9), none)
    ]
    assert found == [True, False, False]


def test_a_judge_of_real_replies_has_a_page_and_a_line_on_the_detectors_page(tmp_path):
    write_results(tmp_path)
    real = tuple(
        dataclasses.replace(board, judge_errors=HELD if board.name == "judged" else ())
        for board in real_boards(tmp_path)
    )
    pages = site_of(real=real)
    page = unescape(pages["detectors/judge-x.md"])
    assert "Demonstration on a closed" not in page, "its numbers are of real replies"
    elements = Elements(pages["detectors/judge-x.md"])
    lines = [attributes["data-v"] for tag, attributes in elements.elements if tag == "td"]
    assert lines[:5] == ["0.3", "0.9", str(0.3 + 0.9 - 1), "20", "30"]
    assert "–" in elements.text and "judge <x>" in elements.text
    assert "may be 0" in elements.text and "not identified" in elements.text, (
        "TPR .2 and TNR .7 at the low ends"
    )
    links = {
        attributes.get("href") for tag, attributes in Elements(pages["detectors.md"]).elements if tag == "a"
    }
    assert {"detectors/judge-x.html", "real/judged.html#judges"} <= links
