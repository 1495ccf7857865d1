"""What a plan says of labels (intervals and differences that a number of them will tell) and of GPU hours,
against the paper's own total.
"""

import pytest
import yaml

from truerate.config import Params, checked
from truerate.config.layout import Layout
from truerate.config.profile import with_profile
from truerate.metrics.estimators.grid import Plan
from truerate.pipeline.planning import plan as planning
from truerate.pipeline.planning.gpu_plan import gpu_plan
from truerate.tracks.mfava.protocol import judging_hours, label_plan, training_hours

from .tiny_wiki import ROOT

BOARD, PAPER = "mfava-closed-world", "mfava-paper"


@pytest.fixture(scope="module")
def at() -> Layout:
    return Layout.load(str(ROOT / "params.yaml")).on(BOARD)


def test_labels_of_the_committed_board_by_hand(at):
    actual = {line["labels_for"]: line for line in label_plan(at, BOARD)}
    # 152 replies of five models are 30 each; 7 of them go to all five labellers: 152 + 4 · 7
    assert (actual["as set"]["per_model"], actual["as set"]["labels"]) == (30, 180)
    assert (actual["all replies"]["per_model"], actual["all replies"]["replies"]) == (40, 200)
    expected = Plan(n=10**9, n_langs=6, rate=0.1, confidence=0.95).interval(30)
    assert (actual["as set"]["low"], actual["as set"]["high"]) == pytest.approx(expected[1:])
    widths = [actual[name]["high"] - actual[name]["low"] for name in ("half of it", "as set", "all replies")]
    assert (
        widths == sorted(widths, reverse=True) and widths[-1] > 0
    )  # replies that were not given stay unknown


def test_what_is_too_fine_for_the_replies_there_are_has_no_number_of_labels(at):
    actual = [line for line in label_plan(at, BOARD) if line["labels_for"].endswith("apart")]
    for line, difference in zip(actual, (0.1, 0.05, 0.03), strict=True):
        assert line["told_apart"] <= difference and (line["labels"] is None) == (line["per_model"] > 40)
    assert actual[0]["per_model"] < actual[1]["per_model"] < actual[2]["per_model"]


def test_nobody_to_label_or_nothing_to_label_plans_nothing(at):
    values = at.p.model_dump()
    values["sizes"]["demo"]["mfava"]["natural"] = 0
    assert not list(label_plan(Layout(Params.model_validate(values)), BOARD))


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


# ---- GPU hours ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def p():
    return checked(
        yaml.safe_load(with_profile(ROOT / "params.yaml", ROOT / "profiles/paper-mfava.yaml")), "paper.yaml"
    )


def test_one_training_and_one_judging_by_hand(p):
    network = p.backbones["llama-3-8b-full"]
    # 31 languages × 30,000 passages × 1,350 tokens: 1.2555e9; 70 % of them twice at 6.15 operations, 30 %
    # once at 2, of 6.98e9 parameters each, at 3.57e14 a second
    operations = 1.2555e9 * 6.98e9 * (0.7 * 2 * 6.15 + 0.3 * 2)
    assert training_hours(p, PAPER, network, is_mono=False) == pytest.approx(operations / 3.57e14 / 3600)
    # 30 languages × (856 articles × 2 queries × 11 models + 300 passages) × 800 tokens × 2 operations
    texts = 30 * (856 * 2 * 11 + 300)
    actual = judging_hours(p, PAPER, network, is_mono=False)
    assert actual == pytest.approx(texts * 800 * 2 * 6.98e9 / 3.57e14 / 3600)
    alone = judging_hours(p, PAPER, network, is_mono=False, is_everywhere=False)
    assert alone == pytest.approx(actual * 300 / (856 * 2 * 11 + 300))  # nobody labels replies there
    short = network.model_copy(update={"max_steps": 0 + 10})
    assert training_hours(p, PAPER, short, is_mono=False) < 5  # 640 passages learned, the others validate


def test_the_whole_grid_takes_about_what_the_paper_says(p):
    lines = gpu_plan(Layout(p), PAPER)
    # 3 seeds × 2 labels × (1 multi + 30 mono), and × 1 causal
    assert lines["n_detectors"].to_list() == [186, 6]
    assert lines["gpu_hours_train"].sum() == pytest.approx(1134, rel=0.05)  # Appendix A.3, of H100s


def test_replies_are_judged_by_the_three_detectors_of_the_rates(p):
    network = p.backbones["llama-3-8b-full"]
    whole = judging_hours(p, PAPER, network, is_mono=False)
    silver = judging_hours(p, PAPER, network, is_mono=False, is_everywhere=False)
    # multi binary in 3 seeds; the other multi ones judge silver, and the mono ones that of their language
    expected = 3 * whole + 3 * silver + 180 * silver / 30
    assert gpu_plan(Layout(p), PAPER)["gpu_hours_judge"][0] == pytest.approx(expected)


def test_networks_that_do_not_say_their_size_are_not_told(p):
    bare = {
        name: backbone.model_copy(update={"resources": type(backbone.resources)()})
        for name, backbone in p.backbones.items()
    }
    assert gpu_plan(Layout(p.model_copy(update={"backbones": bare})), None).is_empty()
