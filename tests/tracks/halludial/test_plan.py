"""What a plan assumes can be read as what its prompt asks for."""

import pytest

from truerate.llm import Request
from truerate.tracks.halludial import plan, responding
from truerate.tracks.halludial.detecting import read_located
from truerate.tracks.halludial.inducing import read_induced
from truerate.tracks.halludial.prompting import COMPARE, CUES, META

from .made import settings


def assumed(step: str, cue: str) -> str:
    request = Request("m", ({"role": "user", "content": f"words\n#{cue}#:"},))
    return plan.assumed(step, "key", request, settings())


@pytest.mark.parametrize(("step", "cue"), [("annotate", "Annotation"), ("detect", "Judgement And Reason")])
def test_a_located_verdict_is_yes(step, cue):
    assert read_located(assumed(step, cue), "It is Porto.", cue, "").attributes["verdict"] == "yes"


def test_the_other_forms():
    assert responding.read_response(assumed("respond", "Next Response"), 80).status == "ok"
    assert read_induced(assumed("induce", "Induced Response"), "It is Lisbon.", 6).attributes["segments"]
    assert assumed("detect", "Is It Hallucinated") == "Yes."
    assert assumed("compare", CUES[COMPARE]) == "Response 1"
    assert assumed("meta", CUES[META]) == "Accurate"
