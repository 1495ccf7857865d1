"""Where a command works (the project around it, `-C`), what `init` begins, and completion in a real shell."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import truerate
from truerate.cli import main
from truerate.cli.starting import completion
from truerate.config.layout import Layout

ROW = {"id": "a", "answer": "The dam was built in 1931.", "reference": "The dam was built in 1913."}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder that `init` wrote, with answers two folders below."""
    monkeypatch.chdir(tmp_path)
    below = tmp_path / "answers/week"
    below.mkdir(parents=True)
    (below / "a.jsonl").write_text(json.dumps(ROW), "utf-8")
    assert main(["init"]) == 0
    return tmp_path


def test_the_written_settings_name_a_judge_and_no_board(project, capsys):
    assert (list(Layout.load().p.models), Layout.load().p.boards) == (["mine"], {})
    before = Path("params.yaml").read_bytes()
    assert main(["init"]) == 2 and "is there already; nothing was written" in capsys.readouterr().err
    assert Path("params.yaml").read_bytes() == before
    assert main(["board", "x"]) == 2 and "declared: none" in capsys.readouterr().err


@pytest.mark.parametrize("here, more", [("answers/week", []), (".", ["-C", "answers/week"])])
def test_a_command_finds_its_project_from_below_and_its_files_where_it_was_given(
    project, monkeypatch, capsys, here, more
):
    monkeypatch.chdir(here)
    assert main([*more, "rate", "a.jsonl", "--dry-run"]) == 0
    assert "judge:mine" in capsys.readouterr().out  # of the params.yaml two folders up
    assert main([*more, "rate", "a.jsonl", "--detector", "number-support"]) == 0
    assert (project / "answers/week/a-rate/index.html").is_file()
    assert Path.cwd() == (project / here).resolve()


def test_settings_of_another_tool_do_not_stop_a_rate(project, monkeypatch, capsys):
    below = project / "other/run"
    below.mkdir(parents=True)
    Path("params.yaml").write_text("lr: 0.1\n", "utf-8")
    shutil.copy("answers/week/a.jsonl", below)
    for folder in (project, below):
        shutil.copy("answers/week/a.jsonl", folder / "a.jsonl")
        monkeypatch.chdir(folder)
        assert main(["rate", "a.jsonl", "--dry-run"]) == 0
        assert "word-support" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, line",
    [
        (["-C", "nowhere", "doctor"], "'nowhere': No such file or directory"),
        (["completion", "tcsh"], "completion for 'tcsh': allowed: bash, fish, zsh"),
        (
            ["check", "--reference", "r.txt", "--answer", "r.txt", "--detector", "x"],
            "allowed: number-support, word-support",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path, monkeypatch, capsys, arguments, line):
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("A dam.", "utf-8")
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert line in err and err.count("\n") == 1


def test_an_empty_folder_is_enough_to_check_and_to_be_examined(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))
    marked = truerate.check(ROW["answer"], ROW["reference"])
    assert [ROW["answer"][span["start"] : span["end"]] for span in marked.spans] == ["1931"]
    assert marked.detector == "word-support"
    assert main(["doctor"]) == 0 and "no params.yaml here or above" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "typed, offered",
    [("ra", {"rate"}), ("rate --verd", {"--verdicts"}), ("llm d", {"dead"}), ("rate an", {"answers.csv"})],
)
def test_bash_completes_commands_options_and_files(tmp_path, typed, offered):
    (tmp_path / "answers.csv").touch()
    words = ["truerate", *typed.split()]
    ask = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _truerate; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    script = f"{completion('bash')}\n{ask}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


def test_fish_and_zsh_have_every_command():
    for shell in ("fish", "zsh"):
        assert {"rate", "draw", "--labels", "--dry-run"} <= set(
            completion(shell).replace("'", " ").replace('"', " ").split()
        )
