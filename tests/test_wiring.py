"""DVC stages ≡ layout ≡ rules: what DVC watches is what the keys hash, what a step writes is what DVC owns."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from committed import with_sources

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage, read_by, stages
from truerate.pipeline import graph
from truerate.pipeline.guard import watched_by

ROOT = Path(__file__).parents[1]
at = Layout.load(str(ROOT / "params.yaml"))


@cache
def stages_of_dvc() -> dict:
    """What DVC reads in dvc.yaml, by the stages' addresses."""
    from dvc.repo import Repo

    return {stage.addressing: stage for stage in Repo(str(ROOT)).index.stages}


def here(entries) -> set[str]:
    return {Path(entry.fs_path).relative_to(ROOT).as_posix() for entry in entries if entry.fs_path}


def outs(name: str) -> set[str]:
    return here(stages_of_dvc()[name].outs)


def deps(name: str) -> set[str]:
    return here(dep for dep in stages_of_dvc()[name].deps if dep.protocol == "local")


@pytest.mark.parametrize("board", at.p.boards)
def test_dataset_stage_watches_what_the_key_hashes(board):
    name = f"dataset@{board}"
    assert outs(name) == {at.dataset(board)}
    code = {dep for dep in deps(name) if dep.startswith(("src/", "rules/"))}
    assert code == set(at.code(at.p.board(board).track))
    assert at.source(at.p.board(board).source) in deps(name)


@pytest.mark.parametrize("board", at.p.boards)
def test_board_stages_write_where_the_layout_says(board):
    assert outs(f"annotate@{board}") == {str(Path(at.annotations(board)).parent)}
    assert outs(f"label@{board}") == {at.labels(board)}
    assert outs(f"audit@{board}") == {at.audit(board)}
    assert outs(f"truth@{board}") == {at.truth(board)}
    assert outs(f"score@{board}") == {at.scores(board)}


@pytest.mark.parametrize("board", at.p.boards)
def test_detector_stages_write_where_the_layout_says(board):
    assert outs(f"train@{board}") == {at.trained(board)}
    assert outs(f"judge@{board}") == {at.judged(board)}
    assert at.trained(board) in deps(f"judge@{board}")
    for detector in at.p.families(board):
        assert Path(at.detector(detector, board)).parent == Path(at.trained(board))
        assert Path(at.judgements(detector, board)).parent == Path(at.judged(board))


@pytest.mark.parametrize("board", at.p.boards)
def test_no_stage_of_a_board_watches_the_folder_of_another_track(board):
    own = f"src/truerate/tracks/{at.p.board(board).track}"
    for name in stages_of_dvc():
        if name.endswith(f"@{board}"):
            folders = {
                dep for dep in deps(name) if dep.startswith("src/truerate/tracks") and not dep.endswith(".py")
            }
            assert folders <= {own}, name


def watched(stage: Stage) -> set[str]:
    """The blocks of params.yaml that a stage reads."""
    return {place.split(".")[0] for place in read_by(at.p, stage)}


def test_every_stage_watches_the_file_of_its_settings_and_none_reads_params_by_itself():
    own = {stage.address: at.settings(stage) for stage in stages(at.p)}
    assert set(own) == set(stages_of_dvc()) - {"check"}
    for name, path in own.items():
        assert {dep for dep in deps(name) if dep.startswith(f"{at.p.paths.build}/settings")} == {path}, name
        assert not [dep for dep in stages_of_dvc()[name].deps if getattr(dep, "params", [])], name
    assert outs("check") == {f"{at.p.paths.build}/settings"}
    assert deps("check") == {
        at.p.paths.inputs,
        "params.yaml",
        "src/truerate/config",
        "src/truerate/tracks",
        "src/truerate/detectors",
        "src/truerate_world",
    }


@pytest.mark.parametrize("board", at.p.boards)
def test_the_file_of_a_stage_tells_the_code_that_the_settings_name(board):
    """Of a board's own track, where code is told by track: the folder of another is nothing to the stage."""
    there = at.on(board)
    identities = {name: there.endpoint_identity(name) for name, one in at.p.endpoints.items() if one.code}
    assert watched_by(at, Stage("dataset", board))["code"] == identities != {}
    name = at.p.board(board).source
    planted = {name: there.code_digest(at.p.source(name).truth_code)}
    assert watched_by(at, Stage("annotate", board))["code"] == planted
    assert watched_by(at, Stage("truth", board))["code"] == planted
    assert "code" not in watched_by(at, Stage("label", board))


def test_the_first_stage_watches_all_code_that_the_settings_name():
    """It writes its digests, so it runs again where any of it changed; a folder of truerate is watched as such."""
    named = [
        *(one.code for one in at.p.endpoints.values()),
        *(one.code + one.truth_code for one in at.p.sources.values()),
    ]
    outside = {path for paths in named for path in paths if not path.startswith("src/truerate/")}
    assert outside and all(path.startswith("src/truerate_world/") for path in outside)
    assert "src/truerate_world" in deps("check")
    assert not [
        name
        for name in stages_of_dvc()
        if name != "check" and any("truerate_world" in dep for dep in deps(name))
    ]


@pytest.mark.parametrize("board", at.p.boards)
def test_stages_that_read_sources_and_items_watch_them(board):
    stages_of_it = ("label", "train", "judge", "audit", "truth", "score")
    for name in [f"{stage}@{board}" for stage in stages_of_it]:
        assert {at.source(at.p.board(board).source), at.dataset(board)} <= deps(name), name
        assert at.p.paths.sources not in deps(name), "a new source runs no other board again"


def test_no_stage_of_a_board_watches_what_another_board_grows():
    grown = {at.p.paths.sources, "src/truerate/tracks", "src/truerate/sources"}
    assert {name.split("@")[0] for name in stages_of_dvc() if grown & deps(name)} == {
        "check",
        "sources",
        "leaderboard",
        "site",
    }


@pytest.mark.parametrize("board", at.p.boards)
def test_every_stage_of_a_board_watches_the_core_and_the_formulas(board):
    for stage in [stage for stage in stages(at.p) if stage.board == board]:
        assert {"src/truerate/core", "src/truerate/metrics"} <= deps(stage.address), stage


def test_stages_watch_the_settings_they_read():
    board = next(iter(at.p.boards))
    assert {"sources", "models", "endpoints", "seed", "llm"} <= watched(Stage("dataset", board))
    assert {"on_bad_row", "tracks", "statistics", "seed"} <= watched(Stage("label", board))
    assert {"detectors", "tracks", "statistics", "seed"} <= watched(Stage("score", board))
    assert {"boards", "models", "statistics", "seed"} <= watched(Stage("leaderboard"))
    assert {"sources", "endpoints", "models", "detectors", "statistics", "audit"} <= watched(Stage("site"))
    assert all({"boards"} <= watched(stage) for stage in stages(at.p) if stage.name != "sources")


def test_the_users_prompts_are_watched():
    assert at.p.paths.inputs in deps("check")  # which writes digests of what each stage reads of it


def test_no_tracked_output_lies_in_the_scratch_tree():
    scratch = {
        path for board in at.p.boards for path in (f"{at.p.paths.build}/{board}", f"{at.p.paths.build}/world")
    }
    owned = {out for name in stages_of_dvc() for out in outs(name)}
    assert not [out for out in owned if any(out.startswith(place) for place in scratch)]


def test_readers_and_rules_of_the_sources_are_watched():
    assert {"src/truerate/sources", "rules/sources.smk", "src/truerate/core"} <= deps("sources")
    assert outs("sources") == {at.p.paths.sources}
    assert set(watched_by(at, Stage("sources"))["code"]) == set(at.p.sources)


def test_no_python_stands_in_the_rules_and_all_call_the_same_commands():
    assert {path.name for path in (ROOT / "rules").iterdir()} == {"detectors.smk", "sources.smk", "track.smk"}
    text = (ROOT / "rules/track.smk").read_text("utf-8")
    assert not re.search(r"^\s+(run|script):", text, re.M)
    assert set(re.findall(r"python -m truerate (\w+)", text)) == {"export", "step"}
    text = (ROOT / "rules/detectors.smk").read_text("utf-8")
    assert not re.search(r"^\s+(run|script):", text, re.M)
    assert re.findall(r"python -m truerate (\S+)", text) == ["train-cell"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The committed settings and rules with sources, before anything is built."""
    with_sources(tmp_path, monkeypatch)
    shutil.copy(ROOT / "Snakefile", tmp_path)
    return tmp_path


def snakemake(*words: str) -> str:
    done = subprocess.run([sys.executable, "-m", "snakemake", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_snakemake_sees_the_steps_of_each_track_and_what_they_read_as_its_graph_says(folder):
    said = snakemake("--rulegraph", "--forceall")
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', said))
    seen = {(names[first], names[second]) for first, second in re.findall(r"(\d+) -> (\d+)", said)}
    told = set()
    for track in graph.tracks(at):
        export = f"{track}_export"
        told.add((export, "all"))
        boards = [name for name, board in at.p.boards.items() if board.track == track]
        for step in graph.steps(track):
            if not any(graph.jobs(at, board, step) for board in boards):
                continue  # nobody is named whom it would ask
            rule = f"{track}_{step.name}"
            told |= {(rule, export), *((f"{track}_{read.step}", rule) for read in step.reads)}
    assert seen == told and set(names.values()) == {name for pair in told for name in pair}


def test_a_stage_has_the_rules_of_its_track_alone_and_a_profile_names_each_step(folder):
    """`--until` and `set-resources` take a step by its rule's name."""
    Path("mine").mkdir()
    Path("mine/config.yaml").write_text("set-resources: {halueval_filter: {mem_mb: 777}}")
    words = ("-s", "rules/track.smk", "--config", "track=halueval")
    assert snakemake("--list-rules", *words).split() == sorted(
        ["halueval_export", *(f"halueval_{step.name}" for step in graph.steps("halueval"))]
    )
    target = at.dataset("halueval-closed-world", "card.json")
    said = snakemake("-n", target, *words, "--profile", "mine", "--until", "halueval_filter")
    assert set(re.findall(r"rule (\w+):", said)) == {"halueval_sample", "halueval_filter"}
    needs = {rule: dict(re.findall(r"(mem_mb|runtime)=(\d+)", rest)) for rule, rest in jobs(said)}
    own = graph.resources(graph.steps("halueval")[0])
    assert needs["halueval_sample"] == {name: str(value) for name, value in own.items()}
    assert needs["halueval_filter"] == {"mem_mb": "777", "runtime": "60"}


def jobs(said: str) -> list[tuple[str, str]]:
    """The jobs of a dry run: each rule with its resources."""
    return re.findall(r"rule (\w+):.+?resources: ([^\n]+)", said, re.S)
