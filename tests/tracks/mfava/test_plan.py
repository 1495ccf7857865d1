"""What a plan says of labels: intervals and differences that a number of them will tell."""

import pytest

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.metrics.estimators.planning import Plan
from truerate.pipeline.planning import plan as planning
from truerate.tracks.mfava.plan import labels

from .tiny_wiki import ROOT

BOARD = "mfava-closed-world"


@pytest.fixture(scope="module")
def at() -> Layout:
    return Layout.load(str(ROOT / "params.yaml")).on(BOARD)


def test_labels_of_the_committed_board_by_hand(at):
    found = {line["labels_for"]: line for line in labels(at, BOARD)}
    # 152 replies of five models are 30 each; 7 of them go to all five labellers: 152 + 4 · 7
    assert (found["as set"]["per_model"], found["as set"]["labels"]) == (30, 180)
    assert (found["all replies"]["per_model"], found["all replies"]["replies"]) == (40, 200)
    expected = Plan(n=10**9, n_langs=6, rate=0.1, confidence=0.95).interval(30)
    assert (found["as set"]["low"], found["as set"]["high"]) == pytest.approx(expected[1:])
    widths = [found[name]["high"] - found[name]["low"] for name in ("half of it", "as set", "all replies")]
    assert (
        widths == sorted(widths, reverse=True) and widths[-1] > 0
    )  # replies that were not given stay unknown


def test_what_is_too_fine_for_the_replies_there_are_has_no_number_of_labels(at):
    found = [line for line in labels(at, BOARD) if line["labels_for"].endswith("apart")]
    for line, difference in zip(found, (0.1, 0.05, 0.03), strict=True):
        assert line["told_apart"] <= difference and (line["labels"] is None) == (line["per_model"] > 40)
    assert found[0]["per_model"] < found[1]["per_model"] < found[2]["per_model"]


def test_nobody_to_label_or_nothing_to_label_plans_nothing(at):
    values = at.p.model_dump()
    values["sizes"]["demo"]["mfava"]["natural"] = 0
    assert not list(labels(Layout(Params.model_validate(values)), BOARD))


def test_tracks_that_plan_no_labels_have_no_lines(at):
    assert planning.labels(at, "halueval-closed-world").is_empty()
    assert set(planning.labels(at, None)["board"]) == {BOARD}


def test_labels_of_one_person_each_are_warned_of(at):
    assert planning.label_notes(at, None) == []  # 7 of 152 replies of a language go to all
    for change in ({"shared_natural_labels": 0.0}, {"n_annotators": 1}):
        values = at.p.model_dump()
        values["tracks"]["mfava"]["labelling"] |= change
        changed = Layout(Params.model_validate(values))
        (note,) = planning.label_notes(changed, None)
        assert (
            note.startswith(f"{BOARD}: no reply goes to several people") and "shared_natural_labels" in note
        )
    values["sizes"]["demo"]["mfava"]["natural"] = 0
    assert planning.label_notes(Layout(Params.model_validate(values)), None) == []
