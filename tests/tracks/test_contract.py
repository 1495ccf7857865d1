"""The steps of a track as its graph.yaml lists them."""

import pytest

from truerate.core.errors import TruerateError
from truerate.tracks.contract import Reads, Resources, StandIn, Step, read_graph


def test_a_graph_is_read_as_steps(tmp_path):
    path = tmp_path / "graph.yaml"
    assert read_graph(path) == ()  # a track without the file asks no model
    path.write_text(
        "steps:\n"
        "- {name: answer, role: subjects, does: it answers}\n"
        "- name: verify\n"
        "  role: verifier\n"
        "  does: it compares\n"
        "  reads: [answer, {step: answer, is_own: true}]\n"
        "  stand_in: {name: web}\n"
        "  resources: {memory_mb: 4000}\n",
        "utf-8",
    )
    answer, verify = read_graph(path)
    assert answer == Step("answer", "subjects", "it answers")
    assert verify.reads == (Reads("answer"), Reads("answer", is_own=True))
    assert (verify.stand_in, verify.resources) == (StandIn("web"), Resources(memory_mb=4_000))


@pytest.mark.parametrize(
    "step",
    ["{name: answer, role: subjects}", "{name: a, role: b, does: c, need: d}", "{name: a, reads: [{of: b}]}"],
)
def test_a_graph_that_does_not_hold_is_one_line(tmp_path, step):
    path = tmp_path / "graph.yaml"
    path.write_text(f"steps:\n- {step}\n", "utf-8")
    with pytest.raises(TruerateError, match=r"graph\.yaml does not hold what it must: ") as caught:
        read_graph(path)
    assert "\n" not in str(caught.value)
