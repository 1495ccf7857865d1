"""What a plan assumes can be read as what its prompt asks for; the arithmetic of GPU hours, by hand."""

from pathlib import Path

import pytest
import yaml

from truerate.config import checked
from truerate.config.layout import Layout
from truerate.llm.request import Request
from truerate.pipeline.planning.gpu_plan import gpu_plan
from truerate.tracks.halludial import protocol, responding
from truerate.tracks.halludial.judging import read_located
from truerate.tracks.halludial.prompting import COMPARE, CUES, META
from truerate.tracks.halludial.protocol import judging_hours, training_hours
from truerate.tracks.halludial.silver import read_induced

from .rows_by_hand import settings


def assumed(step: str, cue: str) -> str:
    request = Request("m", ({"role": "user", "content": f"words\n#{cue}#:"},))
    return protocol.assumed(step, "key", request, settings())


@pytest.mark.parametrize(("step", "cue"), [("annotate", "Annotation"), ("detect", "Judgement And Reason")])
def test_a_located_verdict_is_yes(step, cue):
    assert read_located(assumed(step, cue), "It is Porto.", cue, "").attributes["verdict"] == "yes"


def test_the_other_forms():
    assert responding.read_response(assumed("respond", "Next Response"), 80).status == "ok"
    assert read_induced(assumed("induce", "Induced Response"), "It is Lisbon.", 6).attributes["segments"]
    assert assumed("detect", "Is It Hallucinated") == "Yes."
    assert assumed("compare", CUES[COMPARE]) == "Response 1"
    assert assumed("meta", CUES[META]) == "Accurate"


# ---- GPU hours ---------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[3]
BOARD = "halludial-closed-world"
JUDGE = {"form": "causal", "backbone": "large", "folds": 10}
LARGE = {
    "weights": "my-org/large", "mask": "causal", "max_tokens": 1280, "learning_rate": 3e-5, "weight_decay": 0.0,
    "batch": 8, "accumulation": 1, "token_budget": 16384, "epochs": 2, "resources": {"size_b": 6.5},
}  # fmt: skip


@pytest.fixture(scope="module")
def p():
    """The paper's size, with a judge of 6.5 billion parameters beside the project's own."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8")) | {"profile": "full"}
    values["backbones"]["large"] = LARGE
    values["detectors"]["large"] = {"tracks": ["halludial"], "members": ["large"], "judges": {"large": JUDGE}}
    return checked(values, "params.yaml")


def test_one_training_and_one_judging_by_hand(p):
    network = p.backbones["large"]
    # 60 % of 18,357 turns × (5 responses + 4 texts) = 99,127.8 rows, 11,014 paraphrases more than the paper's
    # 88,113; 90 % twice at 8 operations, 10 % once at 2, of 400 tokens and 6.5e9 parameters, at 3.57e14 a
    # second
    operations = 99_127.8 * 400 * 6.5e9 * (0.9 * 2 * 8 + 0.1 * 2)
    assert training_hours(p, BOARD, network, share=0.9) == pytest.approx(operations / 3.57e14 / 3600)
    # 40 % of 18,357 turns × (9 texts + 5 of self history) + 400 dialogues × 18,357 / 4,094 × 3 temperatures ×
    # 5
    texts = 0.4 * 18_357 * 14 + 400 * 18_357 / 4_094 * 15
    actual = judging_hours(p, BOARD, network)
    assert actual == pytest.approx(texts * 400 * 2 * 6.5e9 / 3.57e14 / 3600)
    short = network.model_copy(update={"max_steps": 10})  # 80 rows trained on, the others read
    assert training_hours(p, BOARD, short, share=0.9) < 0.05


def test_a_plan_tells_of_judges_that_say_their_size_once_per_seed(p):
    training = training_hours(p, BOARD, p.backbones["large"], share=0.9)
    (line,) = gpu_plan(Layout(p), BOARD).iter_rows()
    assert line[:3] == (BOARD, "large", 3) and line[3] == pytest.approx(3 * training)


def test_a_judge_that_learned_elsewhere_judges_alone(p):
    family = p.detectors["large"].model_copy(update={"learns_from": "halueval-closed-world"})
    board = p.model_copy(update={"detectors": {**p.detectors, "large": family}})
    (line,) = gpu_plan(Layout(board), BOARD).iter_rows()
    assert line[3] == 0 and line[4] > 0
