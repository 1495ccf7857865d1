"""A project that the tests of places build in."""

import copy
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.config.placing import COMMITTED, ROOT


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
