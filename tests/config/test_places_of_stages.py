"""Neither a stage, nor a source's command, nor DVC empties a place that holds what the build did not write."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.config.placing import BOARD, ROOT, at_path, by_hand, write
from tests.house import move_in
from truerate.config import Source, places
from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, Sample, Score, frame, save
from truerate.pipeline import guard
from truerate.sources.hub import fetch


# ---- sources that a command fills, links to a part of a data set -------------------------------------------
def filled(path: str) -> Source:
    script = "import pathlib, sys; pathlib.Path(sys.argv[1]).mkdir(); pathlib.Path(sys.argv[1], 'made.txt').touch()"
    return Source(reader="alpaca", path=path, make=f'python -c "{script}" {{path}}')


@pytest.mark.parametrize("path", ["mine", "code", "mine/deep/notes.txt", "link"])
def test_a_command_takes_no_folder_of_somebody(project, path):
    folder = project()
    (folder / "link").symlink_to("mine")
    with pytest.raises(TruerateError, match="source 'x': sources.x.path: '"):
        fetch.folder_of("x", filled(path), Layout.load())
    assert by_hand(folder) == {"code/a.py": "by hand", "mine/deep/notes.txt": "by hand"}
    assert (folder / "link").is_symlink()
    assert not list(folder.glob("*.tmp"))


def test_a_folder_that_a_command_fills_is_made_anew_and_no_other(project):
    at = Layout.load()
    Path("world").mkdir()
    assert fetch.folder_of("x", filled("world"), at) == Path("world") and Path("world/made.txt").is_file()
    Path("world/.made").write_text("of another command")
    write("world.7.tmp/kept.txt", "world/stale.txt")
    fetch.folder_of("x", filled("world"), at)
    assert Path("world.7.tmp/kept.txt").is_file() and not Path("world/stale.txt").exists()
    subprocess.run(["git", "add", "-f", "world/made.txt"], check=True)
    Path("world/.made").write_text("of another command")
    with pytest.raises(TruerateError, match="git tracks"):
        fetch.folder_of("x", filled("world"), at)


def test_links_to_a_part_of_a_data_set_take_no_folder_of_somebody(project, tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole/a.jsonl").write_text("{}")
    target = Path("build/hub/x")
    write("build/hub/x/mine.txt")
    with pytest.raises(TruerateError, match="holds what the build did not write"):
        fetch._linked("x", ["a.jsonl"], target, whole=tmp_path / "whole")
    assert (target / "mine.txt").is_file()
    (target / "mine.txt").unlink()
    (target / "a.jsonl").symlink_to(
        tmp_path / "whole/a.jsonl"
    )  # as an earlier release left it, without a stamp
    for _ in range(2):
        assert (
            fetch._linked("x", ["a.jsonl"], target, whole=tmp_path / "whole") / "a.jsonl"
        ).read_text() == "{}"


def test_the_work_folder_of_real_is_one_that_it_made(project, refused, tmp_path):
    (tmp_path / "public/halueval").mkdir(parents=True)
    write("build/mine/src/a.py")
    assert "holds something else" in refused("real", str(tmp_path / "public"), "--work", "build/mine")
    assert Path("build/mine/src/a.py").read_text() == "by hand"
    for file in ("build/mine/src/a.py", "build/mine/src/a.py/work"):
        assert "'build/mine/src/a.py' is a file" in refused("real", str(tmp_path / "public"), "--work", file)


def test_dvc_keeps_what_lies_in_an_out_until_its_step_has_asked_whose_it_is():
    """A place may be filled after the check: DVC would empty it before the step could refuse it."""
    for name, stage in yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"].items():
        made = stage.get("do", stage)
        for out in [*made["outs"], *made.get("metrics", ())]:
            assert isinstance(out, dict) and all(options["persist"] for options in out.values()), (name, out)


OF_STEPS = {
    Stage("sources"): ("sources", "sources/notes.txt"),
    Stage("dataset", BOARD): ("datasets", f"datasets/{BOARD}/notes.txt"),
    Stage("annotate", BOARD): ("annotations", f"annotations/{BOARD}/notes.txt"),
    Stage("label", BOARD): ("labels", f"labels/{BOARD}/deep/notes.txt"),
    Stage("train", BOARD): ("detectors", f"detectors/{BOARD}/rules/notes.txt"),
    Stage("judge", BOARD): ("judgements", f"judgements/{BOARD}/rules.parquet"),
    Stage("audit", BOARD): ("audits", f"audits/{BOARD}.parquet"),
    Stage("truth", BOARD): ("truth", f"truth/{BOARD}.parquet"),
    Stage("score", BOARD): ("scores", f"scores/{BOARD}/notes.txt"),
}


@pytest.mark.parametrize("stage", OF_STEPS, ids=lambda stage: stage.name)
def test_a_step_refuses_a_place_that_was_filled_after_the_check(project, stage):
    name, file = OF_STEPS[stage]
    project(at_path(name, name))
    guard.check_params()
    write(file)
    with pytest.raises(
        TruerateError, match=f"^params.yaml: paths.{name}: .*holds what the build did not write"
    ):
        places.clear(Layout.load(), stage)
    assert Path(file).read_text() == "by hand"
    Path(file).unlink()
    write(f"{name}-beside/notes.txt", f"{name}/elsewhere/notes.txt" if name != "sources" else "x/notes.txt")
    places.clear(Layout.load(), stage)  # what lies beside its own place is nothing to it
    assert name == "sources" or Path(name, "elsewhere/notes.txt").is_file()


def test_a_step_empties_what_an_earlier_run_of_it_wrote(project):
    at, stages = Layout.load(), (Stage("label", BOARD), Stage("judge", BOARD), Stage("audit", BOARD))
    for stage in stages:
        places.clear(at, stage)
    save(Sample, frame(Sample), at.labels(BOARD, "samples"))
    save(Judgement, frame(Judgement), at.judgements("rules", BOARD))
    save(Score, frame(Score), at.audit(BOARD))
    for stage in stages:
        places.clear(at, stage)
    written = (at.labels(BOARD, "samples"), at.judgements("rules", BOARD), at.audit(BOARD))
    assert not any(map(os.path.exists, written))


# ---- DVC itself --------------------------------------------------------------------------------------------
def test_dvc_repro_deletes_nothing_before_the_places_are_checked(tmp_path):
    """DVC deletes what a stage writes before it runs the stage: the first stage too."""
    folder = tmp_path / "house"
    folder.mkdir()
    house = move_in(folder)
    house.run("dvc", "init", "--quiet", "--force", check=False)
    files = {"docs/notes.txt": "mine", "docs/settings/sources.json": "mine", "docs/settings/deep/x": "mine"}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    committed = (folder / "params.yaml").read_text("utf-8")
    (folder / "params.yaml").write_text(committed, "utf-8")
    house.edit(lambda p: p["paths"].update(build="docs", site="docs/site", site_src="docs/site_src"))
    done = house.run("dvc", "repro", check=False)
    assert done.returncode and "Traceback" not in done.stderr, done.stderr
    assert "paths.build: 'docs' holds what the build did not write" in done.stdout + done.stderr
    assert {path: (folder / path).read_text() for path in files} == files
    assert not os.path.exists(folder / "data") and places.SENTINEL


@pytest.mark.parametrize("board", ["", ".", "old", "../data"])
@pytest.mark.parametrize("name", sorted(places.OUTPUTS))
def test_a_stage_of_no_declared_board_empties_nothing(project, name, board):
    write("data/labels/x/notes.txt", f"data/{places.OUTPUTS[name][0]}/old/notes.txt")
    with pytest.raises(TruerateError, match="board .* is not declared in params.yaml"):
        places.clear(Layout.load(), Stage(name, board))
    assert Path("data/labels/x/notes.txt").is_file() and Path(f"data/{places.OUTPUTS[name][0]}/old").is_dir()


def test_a_link_on_the_way_to_an_absent_place_is_refused(project, tmp_path):
    (tmp_path / "else").mkdir()
    Path("data").mkdir(exist_ok=True)
    Path("data/labels").symlink_to(tmp_path / "else")
    with pytest.raises(TruerateError, match="is a link to"):
        places.clear(Layout.load(), Stage("label", BOARD))
