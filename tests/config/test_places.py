"""No place that settings name is one that the build did not write or that git tracks: it is refused in one
line, before anything runs.
"""

import copy
from pathlib import Path

import pytest

from tests.cases import case_table, cases
from tests.config.placing import BOARD, COMMITTED, ROOT, WRITTEN, at_path, by_hand, made_at
from truerate.cli import main
from truerate.config import Params, places
from truerate.config.layout import Layout
from truerate.config.placement import misplaced
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError

MISTAKES = Path(__file__).with_name("mistakes.yaml")
TAKEN = case_table(__file__)["taken"]


def named_at(name: str, path: str):
    return made_at(path) if name == "closed-world" else at_path(name, path)


@pytest.mark.parametrize("path", TAKEN)
def test_a_place_that_is_not_the_builds_is_refused(project, refused, path):
    folder = project(at_path("leaderboard", path))
    (folder / "link").symlink_to("mine")
    line = refused("params")
    assert (
        line.startswith("truerate: params.yaml: paths.leaderboard: ")
        and TAKEN[path] in line
        and line.count("\n") == 1
    ), line
    for name in [*WRITTEN, "closed-world"]:  # the same for every place that is written
        lines = " ".join(spoken_of(named_at(name, path)))
        assert (
            "sources.closed-world.path: " if name == "closed-world" else f"paths.{name}: "
        ) in lines and TAKEN[path] in lines, lines
    assert by_hand(folder) == {"code/a.py": "by hand", "mine/deep/notes.txt": "by hand"}
    assert not (folder / "build").exists()


def spoken_of(change) -> list[str]:
    """What is said of the places of changed settings, without a command around it."""
    params = copy.deepcopy(COMMITTED)
    change(params)
    p = Params.model_validate(params)
    if found := list(misplaced(p)):
        return found
    with pytest.raises(TruerateError) as caught:
        places.check_places(Layout(p))
    return str(caught.value).splitlines()


def test_a_folder_that_is_absent_or_empty_may_be_taken(project):
    names = [name for name in WRITTEN if name != "build"]
    project(lambda p: p["paths"].update({name: f"taken/{name}" for name in names}))
    assert main(["params"]) == 0
    for name in names:
        Path(f"taken/{name}/empty").mkdir(parents=True, exist_ok=True)
    places.check_places(Layout.load())


@cases(MISTAKES, "places", "line")
def test_one_place_in_another_is_refused(project, refused, change, line):
    project(change)
    shown = refused("params")
    assert line in shown and shown.count("\n") == 1, shown


def test_what_is_only_read_may_lie_anywhere(project, tmp_path):
    (tmp_path / "away/.hidden").mkdir(parents=True)

    def change(p):
        p["sources"]["away"] = {"reader": "halueval", "path": str(tmp_path / "away/.hidden")}
        p["sources"]["beside"] = {"reader": "halueval", "path": "code"}
        p["sources"]["twice"] = {**p["sources"]["closed-world"], "reader": "alpaca"}
        p["paths"]["inputs"] = str(tmp_path / "away")

    project(change)
    assert main(["params"]) == 0


def whole(path: str):
    return lambda p: p["sources"].update(own={"reader": "alpaca", "path": path})


WILD = "tracks.wildhallucinations"


@cases(MISTAKES, "swallowed", "line")
def test_what_is_only_read_lies_in_no_folder_that_is_emptied(project, tmp_path, change, line):
    folder = project()
    (folder / "link").symlink_to("data/sources")
    (folder / "data/sources").mkdir(parents=True)
    (folder / "data/detectors/x").mkdir(parents=True)
    (folder / "data/sources/away").symlink_to("../../mine")
    assert line in " ".join(spoken_of(change))


@pytest.mark.parametrize("path", ["a\0b", "a\nb", "~no-such-user-here/x"])
def test_a_name_that_no_file_can_have_is_one_line(project, refused, path):
    for change, key in (
        (at_path("inputs", path), "paths.inputs"),
        (whole(path), "sources.own.path"),
        (lambda p: p["tracks"]["wildhallucinations"].update(takedown=path), f"{WILD}.takedown"),
        (
            lambda p: p["tracks"]["wildhallucinations"]["search"].update(recorded=path),
            f"{WILD}.search.recorded",
        ),
        (lambda p: p["llm"].update(prompts_dir=path), "llm.prompts_dir"),
        (lambda p: p["public_data"]["begin"].update(folder=path), "public_data.begin.folder"),
    ):
        project(change)
        line = refused("params")
        assert line.startswith(f"truerate: params.yaml: {key}: {path!r} ") and line.count("\n") == 1, line


def test_a_folder_of_inputs_that_is_not_there_is_one_line(project, refused):
    project(at_path("inputs", "nope"))
    assert refused("params").startswith("truerate: params.yaml: paths.inputs: no folder 'nope'; make it")


def test_pages_lie_where_mkdocs_writes_them(project, refused):
    folder = project(at_path("site", "public"))
    (folder / "site").mkdir()
    (folder / "site/mkdocs.yml").write_text((ROOT / "site/mkdocs.yml").read_text())
    assert "paths.site: 'public', but site_dir of site/mkdocs.yml is '../build/site'" in refused("params")


def test_a_target_that_no_stage_makes_is_no_stage(project):
    at = Layout.load()
    assert places.made_by(at, "sources") == Stage("sources")
    assert places.made_by(at, at.dataset(BOARD, "card.json")) == Stage("dataset", BOARD)
    assert places.made_by(at, "data/datasets/nope/card.json") is None and places.made_by(at, "x") is None
