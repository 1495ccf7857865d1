"""DVC stages ≡ layout ≡ rules: what DVC watches is what the keys hash, what a step writes is what DVC owns."""

import re
from pathlib import Path

import pytest
from dvc.repo import Repo

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage, read_by, stages

ROOT = Path(__file__).parents[1]
at = Layout.load(str(ROOT / "params.yaml"))
STAGES = {stage.addressing: stage for stage in Repo(str(ROOT)).index.stages}
PAIRS = [(detector, board) for detector in at.p.detectors for board in at.p.boards]


def here(entries) -> set[str]:
    return {Path(entry.fs_path).relative_to(ROOT).as_posix() for entry in entries if entry.fs_path}


def outs(name: str) -> set[str]:
    return here(STAGES[name].outs)


def deps(name: str) -> set[str]:
    return here(dep for dep in STAGES[name].deps if dep.protocol == "local")


@pytest.mark.parametrize("board", at.p.boards)
def test_dataset_stage_watches_what_the_key_hashes(board):
    name = f"dataset@{board}"
    assert outs(name) == {at.dataset(board)}
    code = {dep for dep in deps(name) if dep.startswith(("src/", "rules/"))}
    behind = {path for endpoint in at.p.endpoints.values() for path in endpoint.code}
    assert code == set(at.code(at.p.board(board).track)) | behind
    assert at.source(at.p.board(board).source) in deps(name)


@pytest.mark.parametrize("board", at.p.boards)
def test_board_stages_write_where_the_layout_says(board):
    assert outs(f"annotate@{board}") == {str(Path(at.annotations(board)).parent)}
    assert outs(f"label@{board}") == {at.labels(board)}
    assert outs(f"audit@{board}") == {at.audit(board)}
    assert outs(f"truth@{board}") == {at.truth(board)}
    assert outs(f"score@{board}") == {at.scores(board)}


@pytest.mark.parametrize(("detector", "board"), PAIRS)
def test_detector_stages_write_where_the_layout_says(detector, board):
    assert outs(f"train@{detector}-{board}") == {at.detector(detector, board)}
    assert outs(f"judge@{detector}-{board}") == {at.judgements(detector, board)}
    assert at.detector(detector, board) in deps(f"judge@{detector}-{board}")


def watched(stage: Stage) -> set[str]:
    """The blocks of params.yaml that a stage reads."""
    return {place.split(".")[0] for place in read_by(at.p, stage)}


def test_every_stage_watches_the_file_of_its_settings_and_none_reads_params_by_itself():
    own = {stage.address: at.settings(stage) for stage in stages(at.p)}
    assert set(own) == set(STAGES) - {"check"}
    for name, path in own.items():
        assert {dep for dep in deps(name) if dep.startswith(f"{at.p.paths.build}/settings")} == {path}, name
        assert not [dep for dep in STAGES[name].deps if getattr(dep, "params", [])], name
    assert outs("check") == {f"{at.p.paths.build}/settings"}
    assert deps("check") == {"params.yaml", "src/truerate/config", "src/truerate/tracks"}


@pytest.mark.parametrize("board", at.p.boards)
def test_stages_that_read_sources_and_items_watch_them(board):
    of_detectors = [
        f"{stage}@{detector}-{board}" for stage in ("train", "judge") for detector in at.p.detectors
    ]
    for name in [f"{stage}@{board}" for stage in ("label", "truth", "score")]:
        assert {at.source(at.p.board(board).source), at.dataset(board)} <= deps(name), name
    for name in [f"audit@{board}", *of_detectors]:  # the card of the data set holds the digest of the source
        assert at.dataset(board) in deps(name), name


def test_no_stage_of_a_board_watches_what_another_board_grows():
    grown = {at.p.paths.sources, "src/truerate/tracks", "src/truerate/sources"}
    assert {name.split("@")[0] for name in STAGES if grown & deps(name)} == {
        "check",
        "sources",
        "leaderboard",
        "site",
    }


def test_stages_watch_the_settings_they_read():
    board = next(iter(at.p.boards))
    assert {"sources", "models", "endpoints", "seed", "llm"} <= watched(Stage("dataset", board))
    assert {"on_bad_row", "tracks", "statistics", "seed"} <= watched(Stage("label", board))
    assert {"detectors", "tracks", "statistics", "seed"} <= watched(Stage("score", board))
    assert {"boards", "models", "statistics", "seed"} <= watched(Stage("leaderboard"))
    assert {"sources", "endpoints", "models", "detectors", "statistics", "audit"} <= watched(Stage("site"))
    assert all({"boards"} <= watched(stage) for stage in stages(at.p) if stage.name != "sources")


@pytest.mark.parametrize("board", at.p.boards)
def test_the_users_prompts_and_the_draws_are_watched(board):
    assert {at.p.paths.inputs, "src/truerate/core/keys.py"} <= deps(f"dataset@{board}")


def test_no_tracked_output_lies_in_the_scratch_tree():
    scratch = {
        path for board in at.p.boards for path in (f"{at.p.paths.build}/{board}", f"{at.p.paths.build}/world")
    }
    owned = {out for name in STAGES for out in outs(name)}
    assert not [out for out in owned if any(out.startswith(place) for place in scratch)]


def test_readers_and_rules_of_the_sources_are_watched():
    assert {
        "src/truerate/sources",
        "rules/sources.smk",
        "src/truerate/core/schemas",
        "src/truerate/core/text.py",
    } <= deps("sources")
    assert outs("sources") == {at.p.paths.sources}
    made = {path for source in at.p.sources.values() for path in source.code}
    assert made <= deps("sources")


def test_every_track_has_its_rules_and_no_python_stands_in_them():
    for track in {board.track for board in at.p.boards.values()}:
        text = (ROOT / f"rules/{track}.smk").read_text("utf-8")
        assert not re.search(r"^\s+(run|script):", text, re.M)
        commands = set(re.findall(r"python -m truerate (\w+)", text))
        assert commands <= {"export", "step"} and "export" in commands


def test_rules_read_what_the_wiring_says_of_their_step():
    for track in {board.track for board in at.p.boards.values()}:
        rules = (ROOT / f"rules/{track}.smk").read_text("utf-8").split("\nrule ")[1:]
        for rule in rules:
            step = re.match(rf"{track}_(\w+)", rule)[1]
            inputs = re.findall(r"lambda wildcards: wiring\.(.+),\n", rule)
            reading = {"export": "for_export(at, wildcards.board)"}.get(
                step, f'before(at, wildcards.board, "{step}", wildcards.model)'
            )
            assert inputs in ([], [reading]), step
            assert bool(inputs) == ("-- {input}" in rule), step
