"""A protocol is drawn from its graph: a line per step, an arc from each that it reads."""

from truerate.pipeline.publishing.site_tables import steps_of
from truerate.site.charts.flow import flow


def step(name, *reads):
    return {"name": name, "role": "writer", "does": f"does {name}", "reads": list(reads)}


def test_a_step_hangs_on_what_it_reads_and_what_nobody_reads_is_scored():
    """source → a → b, source → c; b and c are scored: five arcs on five lines."""
    made = flow([step("a"), step("b", "a"), step("c")])
    assert [row["name"] for row in made["rows"]] == ["source", "a", "b", "c", "score"]
    assert len(made["arcs"]) == 5
    assert "b, from a: does b" in made["description"]


def test_no_step_is_no_picture():
    assert flow([]) is None


def test_every_graph_can_be_drawn():
    for track in ("halueval", "halludial", "mfava", "wildhallucinations"):
        made = flow(steps_of(track))
        assert len(made["rows"]) == len(steps_of(track)) + 2
        assert all(len(row["texts"]) <= 2 for row in made["rows"]), "it fits the picture"
