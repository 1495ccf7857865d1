"""Commands before or beside a build, and what cannot be published."""

import json
import shutil
from pathlib import Path

import pytest

from tests.bad_input.projects import BOARD, MFAVA
from truerate.cli import main
from truerate.config.layout import Layout

KEY = "sk-secret-123456"

COMMANDS = {
    ("board", "x"): "declared: halludial-closed-world",
    ("audit", "x"): "declared: halludial-closed-world",
    ("plan", "x"): "declared: halludial-closed-world",
    ("import", "x"): "declared: closed-world",
    ("train", "x"): "declared: halludial-closed-world",
    ("board", BOARD): "not there; run `dvc repro`",
    ("audit", BOARD): "not audited yet",
    ("plan",): "not imported yet; run `dvc repro sources`",
    ("probe", "x"): "model 'x' is not declared in params.yaml; declared: aster",
    (
        "probe",
        "aster",
        "--board",
        "x",
    ): "board 'x' is not declared in params.yaml; declared: halludial-closed-world",
    ("probe", "aster", "--n", "0"): "--n is 0; allowed: 1 and more",
    ("doctor", "--ask", "x"): "model 'x' is not declared in params.yaml; declared: aster",
    ("score", BOARD): "run `dvc repro`",
    ("render",): "run `dvc repro`",
    ("where",): "no page at",
    ("serve",): "no page at",
    ("real", "no/such"): "is no folder",
    (
        "real",
        "src",
    ): "nothing known in 'src'; looked for the folders ",
}


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_that_have_nothing_to_show(project, refused, arguments):
    assert COMMANDS[arguments] in refused(*arguments)


def test_settings_edited_in_the_middle_of_a_build(project, refused):
    assert main(["params"]) == 0
    project(lambda p: p["statistics"].update(alpha=0.01))
    for stage in (("label", BOARD), ("score", BOARD), ("leaderboard",)):
        assert "params.yaml was edited since the build read it" in refused(*stage)
    assert "edited" not in refused("train", BOARD)  # reads no statistics


def test_a_table_that_somebody_broke(project, refused):
    Path("data/leaderboard").mkdir(parents=True)
    Path("data/leaderboard/rows.parquet").write_text("x")
    assert "delete it and run `dvc repro`" in refused("boards")


def test_real_writes_over_no_folder_of_somebody_else(project, refused, tmp_path):
    (tmp_path / "public/halueval").mkdir(parents=True)
    (tmp_path / "theirs/src").mkdir(parents=True)
    for work in (".", str(tmp_path / "theirs")):
        assert "holds something else" in refused("real", str(tmp_path / "public"), "--work", work)
    assert (tmp_path / "theirs/src").is_dir() and Path("src").is_symlink()
    assert "no file 'none.md'" in refused("real", str(tmp_path / "public"), "--tables", "none.md")


def test_doctor_finds_faults_and_shows_no_key(project, monkeypatch, capfd):
    monkeypatch.setenv("MINE", f"{KEY}\n")
    project(
        lambda p: p["endpoints"].update(
            down={"base_url": "http://127.0.0.1:9/v1"},
            odd={"base_url": "http://[x/v1", "api_key_env": "MINE"},
        )
    )
    Path(Layout.load().store).write_text("no database")
    assert main(["doctor", "--json"]) == 0
    shown = capfd.readouterr().out
    found = {row["name"]: row for row in json.loads(shown) if row["kind"] in ("endpoint", "store", "key")}
    assert KEY not in shown and found["MINE"]["state"] == "ok"
    assert [found[name]["state"] for name in ("down", "odd", str(Layout.load().store))] == ["missing"] * 3


PUBLISHED = {
    "no board": (
        ["halueval", "--to", "org/x"],
        "'halueval': no board, network, judge or 'site'; boards: halludial-closed-world",
    ),
    "a rule": (["token-lr", "--to", "org/x"], f"networks: tiny-plain@{MFAVA}, tiny-prefix@{MFAVA}"),
    "another board's": ([f"tiny-prefix@{BOARD}", "--to", "org/x"], "no board, network, judge or 'site'"),
    "no organisation": ([BOARD, "--to", "x"], "'x': a repository is named org/name"),
    "a path": ([BOARD, "--to", "../org/x"], "a repository is named org/name"),
    "no version": ([BOARD, "--to", "org/x", "--tag", "latest"], "'latest': a version is vX.Y"),
    "nothing built": ([BOARD, "--to", "org/x"], "run `dvc repro`"),
    "no detector built": (["tiny-prefix", "--to", "org/x"], "is not trained yet"),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_what_cannot_be_published(project, refused, case):
    arguments, said = PUBLISHED[case]
    assert said in refused("publish", *arguments)


def test_outside_a_project(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    for command in ("boards", "params", "plan"):
        assert "in the folder that holds params.yaml" in refused(command)


def test_a_folder_that_cannot_be_written(project, refused):
    shutil.rmtree("build", ignore_errors=True)
    Path("build").write_text("a file where a folder must be")
    assert "'build" in refused("params")
