"""The first screen: a line of models per kind of task, the sentences above it, and what can be filtered."""

import json
from html import unescape

import pytest
from test_site_render import Elements
from tiny_results import HOSTILE, write_results
from tiny_site import site_of, tables_of

from truerate.results.read import real_boards
from truerate.site.home.strips import sentences, strips
from truerate.site.models.aliases import Aliases, Entry


@pytest.fixture
def tables(tmp_path):
    """Two boards of summaries, the newer one of a share of what is right; one of dialogue without a date."""
    headline = {
        "metric": "made_up_rate",
        "label": "Right",
        "unit": "share",
        "direction": "up",
        "slice": "",
        "what": "right",
    }
    write_results(tmp_path, "old", task="summaries", dated="2023")
    right = write_results(tmp_path, "new", task="summaries", dated="2023-05", headline=headline)
    card = json.loads((right / "card.json").read_text("utf-8"))
    card["metrics"][0] |= {"direction": "up", "label": "Right"}
    (right / "card.json").write_text(json.dumps(card), "utf-8")
    write_results(tmp_path, "talk", task="dialogue")
    facts = {"maker": "Maker A", "weights": "open", "billions": 7.0, "launched": "2024-07"}
    return tables_of(real=real_boards(tmp_path), aliases=Aliases(models=(Entry(name="beta", **facts),)))


def test_the_newest_board_of_a_task_is_drawn_and_the_others_stand_beside_it(tables):
    summaries, dialogue = strips(tables)
    assert (summaries.board.name, [board.name for board in summaries.others]) == ("new", ["old"])
    assert (dialogue.task, dialogue.board.name, dialogue.others) == ("dialogue", "talk", [])


def test_a_share_of_what_is_right_is_taken_from_one_with_its_interval(tables):
    dots = {dot.subject: dot for dot in strips(tables)[0].dots}
    beta = dots["beta"]  # .25 right, .05 to .7
    assert (beta.rate, beta.low, beta.high) == (0.75, pytest.approx(0.3), 0.95)
    assert beta.words == "75.0 % (30.0–95.0)"
    assert [dot.subject for dot in strips(tables)[0].dots] == [HOSTILE, "gamma", "beta", "alpha"]


def test_places_are_per_cent_of_a_line_that_ends_at_a_round_share(tables):
    strip = strips(tables)[1]
    assert strip.marks[0] == (0.0, "0") and strip.marks[-1] == (100.0, "100")
    assert [dot.at for dot in strip.dots] == [0.0, 25.0, 50.0, 100.0]
    assert (strip.dots[1].start, strip.dots[1].end) == (5.0, 70.0)


def test_a_dot_bears_what_is_published_of_its_model_and_nothing_else(tables):
    dots = {dot.subject: dot for dot in strips(tables)[1].dots}
    assert dots["beta"].facts == {"maker": "Maker A", "weights": "open", "billions": 7.0, "year": "2024"}
    assert dots["alpha"].facts == {}


def test_people_among_a_boards_models_are_no_dot(tmp_path, tables):
    of_people = Aliases.model_validate({"not_models": [{"name": "alpha", "why": "replies of people"}]})
    shown = strips(tables_of(real=tables.real, aliases=of_people))
    assert all("alpha" not in [dot.subject for dot in strip.dots] for strip in shown)


def test_the_sentences_are_of_the_newest_lines_and_count_those_that_may_be_as_good(tables):
    first, second = sentences(strips(tables))
    assert (first["strip"].task, first["dated"]) == ("summaries", "May 2023")
    assert (second["best"].subject, second["n_others"], second["dated"]) == ("alpha", 2, "")


def test_a_task_without_models_says_so(tmp_path):
    folder = write_results(tmp_path, "rules", task="languages")
    scores = (folder / "scores.csv").read_text("utf-8").replace(",model,", ",baseline,")
    (folder / "scores.csv").write_text(scores, "utf-8")
    home = Elements(unescape(site_of(real=real_boards(tmp_path))["index.md"])).text
    assert "No model is ranked here yet" in home


def test_the_page_shows_each_line_in_words_and_hostile_names_as_text(tables):
    page = site_of(real=tables.real, aliases=tables.aliases)["index.md"]
    found = Elements(page)
    described = [
        of["aria-label"]
        for _, of in found.elements
        if of.get("role") == "img" and "models by" in of.get("aria-label", "")
    ]
    assert any(
        text.startswith("4 models by Made-up rate, in per cent: from alpha 0.0 % (0.0–49.0) to evil")
        for text in described
    )
    assert not [of for tag, of in found.elements if tag == "script" and not of.get("src")]
    assert not [of for _, of in found.elements if (of.get("href") or "").startswith("javascript:")]
    assert [of["data-maker"] for _, of in found.elements if "data-maker" in of] == ["Maker A", "Maker A"]
