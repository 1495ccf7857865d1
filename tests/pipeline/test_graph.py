"""What follows from a track's graph: whose files there are, which models enter a key, what a step reads."""

from pathlib import Path

import pytest
from committed import with_sources

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.pipeline import graph
from truerate.tracks.contract import Reads, Step

ROOT = Path(__file__).parents[2]
HALUEVAL, MFAVA, WILD = (f"{track}-closed-world" for track in ("halueval", "mfava", "wildhallucinations"))
# Every role with a model of its own, so that one in the place of another is seen.
ROLES = {
    "halueval": {
        "generators": ("quill", "elm"),
        "dataset_generator": "elm",
        "filter_judge": "birch",
        "responder": "cedar",
        "refinement_judge": "quill",
        "subjects": ("aster", "dogwood"),
    },
    "mfava": {
        "writer": "quill",
        "translator": "elm",
        "query_writer": "birch",
        "checker": "cedar",
        "subjects": ("aster", "dogwood"),
    },
    "wildhallucinations": {
        "extractor": "quill",
        "curator": "elm",
        "fact_writer": "birch",
        "verifier": "cedar",
        "subjects": ("aster", "dogwood"),
        "panel": None,
    },
}
# By hand: the models besides its own that decide the rows of a step, for each model that has files of it.
BEHIND = {
    HALUEVAL: {
        ("sample", "quill"): set(),
        ("sample", "elm"): set(),
        ("filter", "birch"): {"elm"},
        ("respond", "cedar"): set(),
        ("select", "similarity"): {"cedar"},
        ("recognise", "aster"): {"elm", "birch", "cedar"},
        ("recognise", "dogwood"): {"elm", "birch", "cedar"},
        ("judge_refined", "quill"): {"elm", "birch", "cedar", "aster", "dogwood"},
    },
    MFAVA: {
        ("silver", "quill"): set(),
        ("translate", "elm"): set(),
        ("query", "birch"): set(),
        ("check", "cedar"): {"birch"},
        ("answer", "aster"): {"birch"},
        ("answer", "dogwood"): {"birch"},
    },
    WILD: {
        ("extract", "quill"): set(),
        ("curate", "elm"): {"quill"},
        ("evidence", "web"): {"quill", "elm"},
        ("generate", "aster"): {"quill", "elm"},
        ("generate", "dogwood"): {"quill", "elm"},
        ("facts", "aster"): {"quill", "elm", "birch", "cedar"},
        ("facts", "dogwood"): {"quill", "elm", "birch", "cedar"},
        ("cite", "aster"): {"quill", "elm", "birch", "cedar"},
        ("cite", "dogwood"): {"quill", "elm", "birch", "cedar"},
    },
}
# By hand: the files that a step of one model is made from, as step and model.
READ = {
    (HALUEVAL, "filter", "birch"): ["sample/elm"],
    (HALUEVAL, "recognise", "aster"): ["sample/elm", "filter/birch", "select/similarity"],
    (HALUEVAL, "select", "similarity"): ["respond/cedar"],
    (HALUEVAL, "judge_refined", "quill"): ["recognise/aster", "recognise/dogwood"],
    (HALUEVAL, "sample", "elm"): [],
    (MFAVA, "translate", "elm"): [],
    (MFAVA, "check", "cedar"): ["query/birch"],
    (MFAVA, "answer", "dogwood"): ["query/birch"],
    (WILD, "curate", "elm"): ["extract/quill"],
    (WILD, "evidence", "web"): ["extract/quill", "curate/elm"],
    (WILD, "generate", "aster"): ["extract/quill", "curate/elm", "evidence/web"],
    (WILD, "facts", "aster"): ["extract/quill", "curate/elm", "evidence/web", "generate/aster"],
}


def changed(real: str | None = None, **roles) -> Layout:
    """The committed settings with these roles of one track each; `real`: a board whose source is not simulated."""
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    for track, named in {**ROLES, **{name: ROLES[name] | own for name, own in roles.items()}}.items():
        values["tracks"][track] |= named
    if real:
        values["sources"]["found"] = {"reader": "halueval", "path": "somewhere"}
        values["boards"][real]["source"] = "found"
    return Layout(Params.model_validate(values | {"n_shards": 2}))


def places(paths: list[str]) -> list[str]:
    """Scratch files as step/model, each once."""
    found = [(Path(path).name.rpartition("-")[0], Path(path).parent.name.partition("@")[0]) for path in paths]
    return list(dict.fromkeys("/".join(place) for place in found))


@pytest.mark.parametrize("board", BEHIND)
def test_the_models_that_enter_a_key_are_those_whose_rows_it_reads_and_no_other(board):
    at = changed()
    found = {
        (step.name, name): set(graph.upstream(at, board, step, name))
        for step in graph.steps_of(at, board)
        for name in graph.jobs(at, board, step)
    }
    assert found == BEHIND[board]


def test_each_step_is_made_from_the_files_of_those_that_it_names(tmp_path, monkeypatch):
    with_sources(tmp_path, monkeypatch)
    at = changed()
    for (board, step, model), wanted in READ.items():
        for shard in range(2):
            paths = graph.before(at, board, step, model, shard)
            assert places(paths) == wanted, step
            of_shard = {"evidence/web", "generate/aster"} if board == WILD and step != "curate" else set()
            for place in wanted:  # of the pages and replies a job reads its own shard's alone
                shards = [int(path[-9]) for path in paths if places([path]) == [place]]
                assert shards == ([shard] if place in of_shard else [0, 1]), (step, place)
            assert set(paths) <= set(graph.all_files(at, board))


def test_a_data_set_is_made_of_every_file_but_those_that_only_a_step_reads(tmp_path, monkeypatch):
    with_sources(tmp_path, monkeypatch)
    at = changed(halueval={"generators": ("quill",)})
    exported, found = graph.for_export(at, HALUEVAL), graph.all_files(at, HALUEVAL)
    assert places(sorted(set(found) - set(exported))) == ["sample/elm"] and set(exported) < set(found)
    assert all(graph.is_current(at, HALUEVAL, path) for path in found)
    assert not graph.is_current(at, HALUEVAL, found[0].replace("@", "@0"))


def test_a_step_that_is_none_is_told_with_those_that_are():
    with pytest.raises(TruerateError, match="has no step 'filtre'; did you mean 'filter'.*its steps: filter"):
        graph.step_of(changed(), HALUEVAL, "filtre")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            (Step("b", "x", "", (Reads("a"),)), Step("a", "x", "")),
            "'b' reads 'a', which does not stand before",
        ),
        ((Step("a", "x", ""), Step("a", "y", "")), "two steps of its graph are named 'a'"),
    ],
)
def test_steps_stand_behind_what_they_read(steps, said):
    with pytest.raises(TruerateError, match=said):
        graph.in_order("toy", steps)


def test_the_files_of_a_subject_and_a_shard_are_one_slice(tmp_path, monkeypatch):
    values = with_sources(tmp_path, monkeypatch).p.model_dump()
    at = Layout(Params.model_validate(values | {"n_shards": 2})).on(WILD)
    steps = ("generate", "facts", "cite")
    found, subjects = graph.in_slices(at, WILD, steps), at.p.track(WILD).subjects
    names = [f"{step}-{shard}.parquet" for shard in (0, 1) for step in steps]
    assert [Path(path).name for one in found for path in one] == names * len(subjects)
    assert {len({Path(path).parent.name.split("@")[0] for path in one}) for one in found} == {1}
    exported = graph.for_export(at, WILD)
    others = [path for path in exported if path not in {path for one in found for path in one}]
    assert sorted([*others, *(path for one in found for path in one)]) == sorted(exported)
    assert {Path(path).name.split("-")[0] for path in others} == {"extract", "curate", "evidence"}
    assert graph.in_slices(at, WILD, ()) == []
