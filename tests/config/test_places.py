"""No setting and no `make` deletes what the build did not write or what git tracks: it is refused in one
line, before anything runs.
"""

import copy
import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.house import move_in
from truerate.cli import main
from truerate.config import Params, Source, places
from truerate.config.layout import Layout
from truerate.config.placement import READ_ONLY, misplaced
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.schemas import Item, Judgement, Row, Sample, Score, frame, save
from truerate.flow import dataset, guard, pages
from truerate.sources import fetch

ROOT = Path(__file__).parents[2]
COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
WRITTEN = [name for name in COMMITTED["paths"] if name not in READ_ONLY]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with the committed settings, one tracked folder (`code`) and one that holds a file of the
    user (`mine`).
    """
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("src", "rules"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "inputs").mkdir()
    for place in ("code/a.py", "mine/deep/notes.txt"):
        (folder / place).parent.mkdir(parents=True)
        (folder / place).write_text("by hand")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "add", "code"], check=True)

    def edit(change=lambda p: None) -> Path:
        params = copy.deepcopy(COMMITTED)
        change(params)
        (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        return folder

    edit()
    return edit


def by_hand(folder: Path) -> dict[str, str]:
    """What somebody put there by hand."""
    return {name: (folder / name).read_text() for name in ("code/a.py", "mine/deep/notes.txt")}


def at_path(name: str, path: str):
    return lambda p: p["paths"].update({name: path})


def made_at(path: str):
    return lambda p: p["sources"]["closed-world"].update(path=path)


TAKEN = {
    "mine": "holds what the build did not write ('mine/deep/notes.txt')",
    "code": "holds files that git tracks ('code/a.py')",
    "/tmp/x": "is absolute",
    "~/x": "is absolute",
    "../x": "outside it",
    ".": "outside it",
    "a/../b": "outside it",
    ".git": "is hidden ('.git')",
    "data/.x": "is hidden ('.x')",
    "src/truerate/tracks/out": "lies in 'src', which the build reads",
    "site/out": "lies in 'site', which the build reads",
    "mine/deep/notes.txt": "is a file",
    "mine/deep/notes.txt/x": "is a file",
    "link": "is a link to",
    "link/x": "is a link to",
}


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
        lines = " ".join(said_of(named_at(name, path)))
        assert (
            "sources.closed-world.path: " if name == "closed-world" else f"paths.{name}: "
        ) in lines and TAKEN[path] in lines, lines
    assert (
        by_hand(folder) == {"code/a.py": "by hand", "mine/deep/notes.txt": "by hand"}
        and not (folder / "build").exists()
    )


def said_of(change) -> list[str]:
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
    for name in [name for name in WRITTEN if name != "build"]:
        project(at_path(name, f"taken/{name}"))
        assert main(["params"]) == 0
        Path(f"taken/{name}/empty").mkdir(parents=True, exist_ok=True)
        places.check_places(Layout.load())


INSIDE = {
    "one in another": (
        at_path("audits", "data/scores/x"),
        "paths.audits (data/scores/x) must not lie in scores (data/scores)",
    ),
    "two in one": (at_path("audits", "data/scores"), "must not lie in"),
    "what is read": (at_path("scores", "inputs/scores"), "must not lie in inputs (inputs)"),
    "made files in a table's folder": (
        made_at("data/scores/x"),
        "sources.closed-world.path (data/scores/x) must not lie in scores",
    ),
    "made files over the build": (
        made_at("build"),
        "sources.closed-world.path (build) must not lie in build",
    ),
    "made files over settings": (made_at("build/settings"), "must not lie in"),
    "made files in a board's scratch": (
        made_at("build/mfava-closed-world/x"),
        "must not lie in the scratch folder of boards.mfava-closed",
    ),
    "made files in the pages": (made_at("build/site/x"), "must not lie in site (build/site)"),
    "two commands, one folder": (
        made_at("build/wiki"),
        "sources.closed-world-wiki.path (build/wiki) must not lie in sources.closed-world",
    ),
    "a table in the build": (
        at_path("scores", "build/scores"),
        "paths.scores (build/scores) must not lie in build (build)",
    ),
    "a board called as the build's own": (
        lambda p: p["boards"].update(settings=p["boards"]["halueval-closed-world"]),
        "the scratch folder of boards.settings (build/settings) must not lie in",
    ),
    "characters of the shell": (
        at_path("scores", "data/my scores"),
        "paths.scores: 'data/my scores': 'my scores' may hold letters",
    ),
}


@pytest.mark.parametrize("name", INSIDE)
def test_one_place_in_another_is_refused(project, refused, name):
    change, said = INSIDE[name]
    project(change)
    line = refused("params")
    assert said in line and line.count("\n") == 1, line


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
SWALLOWED = {
    "a source": (
        whole("data/sources/own"),
        "sources.own.path: 'data/sources/own' lies in sources (data/sources)",
    ),
    "the place itself": (
        whole("data/sources"),
        "sources.own.path: 'data/sources' lies in sources (data/sources)",
    ),
    "a source by a link": (whole("link/own"), "sources.own.path: 'link/own' lies in sources (data/sources)"),
    "a link in a written folder": (
        whole("data/sources/away"),
        "sources.own.path: 'data/sources/away' lies in sources (data/sources)",
    ),
    "a source in the pages": (
        whole("build/site/own"),
        "sources.own.path: 'build/site/own' lies in site (build/site)",
    ),
    "a source in scratch": (
        whole("build/mfava-closed-world/own"),
        "lies in what the build keeps in 'mfava-closed-world'",
    ),
    "training": (
        lambda p: p["sources"]["closed-world"].update(training={"reader": "mfava", "path": "data/labels/x"}),
        "sources.closed-world.training.path: 'data/labels/x' lies in labels",
    ),
    "prompts": (
        lambda p: p["llm"].update(prompts_dir="data/leaderboard/prompts"),
        "llm.prompts_dir: 'data/leaderboard/prompts' lies in",
    ),
    "weights": (
        lambda p: p["backbones"]["tiny-plain"].update(weights="data/detectors/x"),
        "backbones.tiny-plain.weights: 'data/detec",
    ),
    "recorded": (
        lambda p: p["tracks"]["wildhallucinations"]["search"].update(recorded="data/truth/x.jsonl"),
        f"{WILD}.search.recorded: 'data/truth/x.jsonl' lies in truth",
    ),
    "takedown": (
        lambda p: p["tracks"]["wildhallucinations"].update(takedown="metrics/x.txt"),
        f"{WILD}.takedown: 'metrics/x.txt' lies in",
    ),
}


@pytest.mark.parametrize("name", SWALLOWED)
def test_what_is_only_read_lies_in_no_folder_that_is_emptied(project, tmp_path, name):
    folder = project()
    (folder / "link").symlink_to("data/sources")
    (folder / "data/sources").mkdir(parents=True)
    (folder / "data/detectors/x").mkdir(parents=True)
    (folder / "data/sources/away").symlink_to("../../mine")
    change, said = SWALLOWED[name]
    assert said in " ".join(said_of(change))


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


# ---- what the build wrote ----------------------------------------------------------------------------------
def lock(*outs: str) -> None:
    Path("dvc.lock").write_text(
        yaml.safe_dump(
            {"schema": "2.0", "stages": {"x": {"cmd": "x", "outs": [{"path": out} for out in outs]}}}
        )
    )


def write(*paths: str) -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("by hand")


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
    lock()  # a kill before DVC wrote its lock: the stamps say it
    Path("data/leaderboard/.made").write_text("scores")
    with pytest.raises(TruerateError, match="data/leaderboard/rows.parquet"):
        places.check_places(Layout.load())
    Path("data/leaderboard/.made").write_text("leaderboard")
    Path("data/scores/b").rename("data/scores/halueval-closed-world")
    with pytest.raises(
        TruerateError, match="paths.scores: 'data/scores/halueval-closed-world' holds .*scores.parquet"
    ):
        places.check_places(Layout.load())
    save(Score, frame(Score), "data/scores/halueval-closed-world/scores.parquet")
    assert main(["params"]) == 0


PRODUCTS = (
    ("data/sources/any/items.parquet", Item),
    ("data/labels/mfava-closed-world/samples.parquet", Sample),
    ("data/judgements/mfava-closed-world/tokens.parquet", Judgement),
    ("data/audits/mfava-closed-world.parquet", Score),
    ("data/leaderboard/rows.parquet", Row),
    ("data/leaderboard/ledger.json", None),
    ("data/sources/any/card.json", None),
    ("data/annotations/mfava-closed-world/labels.jsonl", None),
    ("data/detectors/mfava-closed-world/tokens/token-lr/multi-binary-42/state.npz", None),
    ("data/detectors/mfava-closed-world/baselines/fold-0/length.json", None),
)


def test_without_a_stamp_and_a_lock_a_build_knows_its_own_by_names_and_columns(project, refused):
    """As DVC leaves folders that it takes from its caches, and a kill leaves dvc.lock."""
    for path, table in PRODUCTS:
        save(table, frame(table), path) if table else write(path)
    write("data/leaderboard/rows.parquet.77.tmp")
    places.check_places(Layout.load())
    for path, _ in PRODUCTS:
        beside = (
            Path(path).with_name("notes.txt")
            if "/detectors/" not in path
            else Path(path).parents[1] / "notes.txt"
        )
        write(str(beside))
        with pytest.raises(TruerateError, match=rf"\('{beside}'\)"):
            places.check_places(Layout.load())
        beside.unlink()
    write("data/audits/mfava-closed-world.parquet")
    assert "('data/audits/mfava-closed-world.parquet')" in refused("params")


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


def test_metrics_that_dvc_removed_before_its_lock_was_lost_are_written_again(project):
    write("metrics/leaderboard.json")
    subprocess.run(["git", "add", "metrics"], check=True)
    Path("metrics/leaderboard.json").unlink()
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


def test_prune_keeps_what_a_board_called_as_a_file_has(project):
    project(lambda p: p["boards"].update({"x.parquet": p["boards"]["mfava-closed-world"]}))
    write("data/scores/x.parquet/scores.parquet", "data/audits/x.parquet.parquet", "data/audits/x.parquet")
    lock("data/scores/x.parquet", "data/audits/x.parquet.parquet", "data/audits/x.parquet")
    pages.prune(Layout.load())
    assert Path("data/scores/x.parquet").is_dir() and Path("data/audits/x.parquet.parquet").is_file()
    assert not Path("data/audits/x.parquet").exists()


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
    assert (
        by_hand(folder) == {"code/a.py": "by hand", "mine/deep/notes.txt": "by hand"}
        and (folder / "link").is_symlink()
    )
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


BOARD = "halueval-closed-world"
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


def test_every_stage_that_empties_a_place_is_asked():
    assert {stage.name for stage in OF_STEPS} == set(places.WRITES)


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
    at = Layout.load()
    save(Sample, frame(Sample), at.labels(BOARD, "samples"))
    save(Judgement, frame(Judgement), at.judgements("rules", BOARD))
    for stage in (Stage("label", BOARD), Stage("judge", BOARD)):
        places.clear(at, stage)
    assert not os.path.exists(at.labels(BOARD)) and not os.path.exists(at.judgements("rules", BOARD))


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
    for change, said in (
        (at_path("leaderboard", "docs"), "paths.leaderboard: 'docs' holds what the build did not write"),
        (
            lambda p: p["paths"].update(build="docs", site="docs/site", site_src="docs/site_src"),
            "paths.build: 'docs' holds what",
        ),
    ):
        (folder / "params.yaml").write_text(committed, "utf-8")
        house.edit(change)
        done = house.run("dvc", "repro", check=False)
        assert done.returncode and said in done.stdout + done.stderr and "Traceback" not in done.stderr, (
            done.stderr
        )
        assert {path: (folder / path).read_text() for path in files} == files
    assert not os.path.exists(folder / "data") and places.STAMP


@pytest.mark.parametrize("board", ["", ".", "old", "../data"])
@pytest.mark.parametrize("name", sorted(places.WRITES))
def test_a_stage_of_no_declared_board_empties_nothing(project, name, board):
    write("data/labels/x/notes.txt", f"data/{places.WRITES[name]}/old/notes.txt")
    with pytest.raises(TruerateError, match="board .* is not declared in params.yaml"):
        places.clear(Layout.load(), Stage(name, board))
    assert Path("data/labels/x/notes.txt").is_file() and Path(f"data/{places.WRITES[name]}/old").is_dir()


def test_a_target_that_no_stage_makes_is_no_stage(project):
    at = Layout.load()
    assert places.made_by(at, "sources") == Stage("sources")
    assert places.made_by(at, at.dataset(BOARD, "card.json")) == Stage("dataset", BOARD)
    assert places.made_by(at, "data/datasets/nope/card.json") is None and places.made_by(at, "x") is None


def test_a_link_on_the_way_to_an_absent_place_is_refused(project, tmp_path):
    (tmp_path / "else").mkdir()
    Path("data").mkdir(exist_ok=True)
    Path("data/labels").symlink_to(tmp_path / "else")
    with pytest.raises(TruerateError, match="is a link to"):
        places.clear(Layout.load(), Stage("label", BOARD))


def test_of_processes_that_work_together_the_first_empties(project, monkeypatch):
    at = Layout.load()
    save(Sample, frame(Sample), at.labels(BOARD, "samples"))
    monkeypatch.setenv("RANK", "1")
    places.clear(at, Stage("label", BOARD))
    assert Path(at.labels(BOARD)).is_dir()
    monkeypatch.setenv("RANK", "0")
    places.clear(at, Stage("label", BOARD))
    assert not Path(at.labels(BOARD)).exists()
