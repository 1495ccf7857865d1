"""What DVC asks of the folder in which it builds."""

import subprocess

import pytest

from truerate.core.errors import TruerateError
from truerate.pipeline.checks.project import refuse_project, unusable


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_without_git_is_told_what_to_do(folder):
    """As from a ZIP or in a container."""
    (folder / ".dvc").mkdir()
    assert "run `git init` there, or `dvc config --local core.no_scm true`" in unusable()
    (folder / ".dvc/config.local").write_text("[core]\n    no_scm = true\n")
    assert unusable() is None


def test_a_folder_below_a_repository_and_a_worktree_are_taken(folder):
    below = folder / "bench"
    (below / ".dvc").mkdir(parents=True)
    (folder / ".git").write_text("gitdir: elsewhere")
    assert unusable(str(below)) is None


def test_without_the_folder_of_dvc_it_is_one_line(folder):
    with pytest.raises(TruerateError, match="is no DVC project") as refused:
        refuse_project()
    assert "\n" not in str(refused.value)


def test_what_it_says_to_do_is_what_dvc_takes(folder):
    (folder / ".dvc").mkdir()
    subprocess.run(["dvc", "config", "--local", "core.no_scm", "true"], check=True)
    assert unusable() is None
    subprocess.run(["dvc", "status"], check=True, capture_output=True)
