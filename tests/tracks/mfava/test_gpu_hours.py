"""GPU hours of a board's detectors: the arithmetic, against the paper's own total."""

from pathlib import Path

import pytest
import yaml

from truerate.config import checked
from truerate.config.layout import Layout
from truerate.config.profile import with_profile
from truerate.pipeline.planning.gpu_plan import gpu_plan
from truerate.tracks.mfava.plan import judging_hours, training_hours

ROOT = Path(__file__).parents[3]
BOARD = "mfava-paper"


@pytest.fixture(scope="module")
def p():
    return checked(
        yaml.safe_load(with_profile(ROOT / "params.yaml", ROOT / "profiles/paper-mfava.yaml")), "paper.yaml"
    )


def test_one_training_and_one_judging_by_hand(p):
    network = p.backbones["llama-3-8b-full"]
    # 31 languages × 30,000 passages × 1,350 tokens: 1.2555e9; 70 % of them twice at 6.15 operations, 30 % once at 2,
    # of 6.98e9 parameters each, at 3.57e14 a second
    operations = 1.2555e9 * 6.98e9 * (0.7 * 2 * 6.15 + 0.3 * 2)
    assert training_hours(p, BOARD, network, is_mono=False) == pytest.approx(operations / 3.57e14 / 3600)
    # 30 languages × (856 articles × 2 queries × 11 models + 300 passages) × 800 tokens × 2 operations
    texts = 30 * (856 * 2 * 11 + 300)
    found = judging_hours(p, BOARD, network, is_mono=False)
    assert found == pytest.approx(texts * 800 * 2 * 6.98e9 / 3.57e14 / 3600)
    alone = judging_hours(p, BOARD, network, is_mono=False, is_everywhere=False)
    assert alone == pytest.approx(found * 300 / (856 * 2 * 11 + 300))  # nobody labels replies there
    short = network.model_copy(update={"max_steps": 0 + 10})
    assert training_hours(p, BOARD, short, is_mono=False) < 5  # 640 passages learned, the others validate


def test_the_whole_grid_takes_about_what_the_paper_says(p):
    lines = gpu_plan(Layout(p), BOARD)
    # 3 seeds × 2 labels × (1 multi + 30 mono), and × 1 causal
    assert lines["n_detectors"].to_list() == [186, 6]
    assert lines["gpu_hours_train"].sum() == pytest.approx(1134, rel=0.05)  # Appendix A.3, of H100s


def test_replies_are_judged_by_the_three_detectors_of_the_rates(p):
    network = p.backbones["llama-3-8b-full"]
    whole = judging_hours(p, BOARD, network, is_mono=False)
    silver = judging_hours(p, BOARD, network, is_mono=False, is_everywhere=False)
    # multi binary in 3 seeds; the other multi ones judge silver, and the mono ones that of their language
    expected = 3 * whole + 3 * silver + 180 * silver / 30
    assert gpu_plan(Layout(p), BOARD)["gpu_hours_judge"][0] == pytest.approx(expected)


def test_networks_that_do_not_say_their_size_are_not_told(p):
    bare = {
        name: one.model_copy(update={"resources": type(one.resources)()}) for name, one in p.backbones.items()
    }
    assert gpu_plan(Layout(p.model_copy(update={"backbones": bare})), None).is_empty()
