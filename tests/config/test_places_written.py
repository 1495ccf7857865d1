"""What the build wrote is known by dvc.lock and by sentinels; what lies beside it stays."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.config.placing import lock, write
from truerate.cli import main
from truerate.config import places
from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.pipeline import dataset, pages


def test_what_dvc_lock_names_goes_on(project, refused):
    write(
        "data/scores/b/scores.parquet",
        "data/leaderboard/rows.parquet",
        "build/settings/sources.json",
        "metrics/leaderboard.json",
    )
    with pytest.raises(TruerateError) as caught:
        places.check_places(Layout.load())
    assert len(str(caught.value).splitlines()) == 4
    lock("data/scores/b", "data/leaderboard", "build/settings", "metrics/leaderboard.json")
    assert main(["params"]) == 0
    lock()  # a kill before DVC wrote its lock: the sentinels say it
    Path("data/leaderboard/.made").write_text("scores")
    with pytest.raises(TruerateError, match="data/leaderboard/rows.parquet"):
        places.check_places(Layout.load())
    Path("data/leaderboard/.made").write_text("leaderboard")
    Path("data/scores/b").rename("data/scores/halueval-closed-world")
    with pytest.raises(
        TruerateError, match="paths.scores: 'data/scores/halueval-closed-world' holds .*scores.parquet"
    ):
        places.check_places(Layout.load())
    Path("data/scores/halueval-closed-world/.made").write_text("scores")
    assert main(["params"]) == 0


def test_an_output_of_a_killed_stage_is_the_builds_own_by_its_sentinel_alone(project, refused):
    """A kill comes before DVC writes its lock."""
    assert main(["params"]) == 0
    at, board = Layout.load(), "mfava-closed-world"
    outputs = {name: Path(path_of(at, board)) for name, (_, path_of) in places.OUTPUTS.items()}
    for name, output in outputs.items():
        places.clear(at, Stage(name, board))
        is_table = output.suffix == ".parquet"
        write(str(output if is_table else output / "of the stage.txt"))
    assert main(["params"]) == 0
    for output in outputs.values():
        sentinel = output.with_name(f".{output.name}.made") if output.suffix else output / ".made"
        text = sentinel.read_text("utf-8")
        sentinel.unlink()
        assert "holds what the build did not write" in refused("params")
        sentinel.write_text(text)
    assert main(["params"]) == 0


def test_a_shared_folder_of_the_build_frees_no_output_of_somebody(project, refused):
    assert main(["params"]) == 0
    write(
        "data/datasets/mine/notes.txt",
        "data/scores/notes.txt",
        "data/audits/mine.parquet",
        "data/judgements/mine/tokens.parquet",
    )
    write("data/detectors/mine/tokens/notes.txt", "data/scores/halueval-closed-world/scores.parquet")
    lock("data/scores/halueval-closed-world")
    assert main(["params"]) == 0  # no stage writes there
    project(lambda p: p["paths"].update(leaderboard="data/scores", scores="data/scores2"))
    assert (
        "paths.leaderboard: 'data/scores' holds what the build did not write ('data/scores/notes.txt')"
        in refused("params")
    )
    project(
        lambda p: (
            p["sources"]["closed-world"].update(path="data/scores")
            or p["paths"].update(scores="data/scores2")
        )
    )
    assert "sources.closed-world.path: 'data/scores' holds what the build did not write" in refused("params")
    project(lambda p: p["boards"].update(mine=p["boards"]["mfava-closed-world"]))
    with pytest.raises(TruerateError) as caught:
        places.check_places(Layout.load())
    said = str(caught.value)
    for name in (
        "datasets/mine/notes.txt",
        "audits/mine.parquet",
        "judgements/mine/tokens.parquet",
        "detectors/mine/tokens/notes.txt",
    ):
        assert f"('data/{name}')" in said, said


def test_metrics_that_git_tracks_are_the_builds_own(project, refused):
    write("metrics/leaderboard.json")
    subprocess.run(["git", "add", "metrics"], check=True)
    assert "holds files that git tracks" in refused("params")
    Path("metrics/leaderboard.json").write_text(
        json.dumps({"board": {"accuracy": {"task=qa": {"aster": 0.5, "birch": None}}}})
    )
    assert main(["params"]) == 0


def test_files_of_settings_that_nothing_reads_go_and_others_stay(project):
    assert main(["params"]) == 0
    write("build/settings/score/gone.json", "build/settings/notes.txt", "build/settings/mine/x.json")
    before = Path("build/settings/score/halueval-closed-world.json").stat().st_size
    assert main(["params"]) == 0
    assert not Path("build/settings/score/gone.json").exists() and before
    assert Path("build/settings/notes.txt").is_file() and Path("build/settings/mine/x.json").is_file()


def test_prune_drops_what_a_stage_wrote_and_nothing_beside_it(project):
    write(
        "data/scores/gone/scores.parquet",
        "data/scores/notes.txt",
        "data/audits/gone.parquet",
        "data/audits/mine.parquet",
    )
    lock("data/scores/gone", "data/audits/gone.parquet")
    pages.prune(Layout.load())
    left = sorted(path.as_posix() for path in Path("data").rglob("*") if path.is_file())
    assert left == ["data/audits/mine.parquet", "data/scores/notes.txt"]


def test_gc_removes_scratch_and_nothing_beside_it(project, refused, monkeypatch):
    board = "build/halueval-closed-world"
    monkeypatch.setattr(dataset.graph, "all_files", lambda *_: [])
    write(
        f"{board}/aster@0123456789ab/sample-0.parquet", f"{board}/aster@0123456789ab/sample-1.parquet.77.tmp"
    )
    write(f"{board}/mine@home/sample-0.parquet", f"{board}/elm@0123456789ab/notes.txt")
    assert "paths.build: 'build' holds what the build did not write" in refused("gc")
    lock("build/settings")
    assert dataset.gc(Layout.load()) == [f"{board}/aster@0123456789ab"]
    assert Path(f"{board}/mine@home").is_dir() and Path(f"{board}/elm@0123456789ab/notes.txt").is_file()
