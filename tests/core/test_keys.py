"""Keys: the same content the same key, other content another, nothing there an error."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id, content_id_of_rows, digest, draw, files


def test_ids_do_not_confuse_borders_or_order():
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a", "b") != content_id("b", "a")
    assert content_id("a", 1) == content_id("a", 1) and len(content_id()) == 16


def test_id_is_pinned():
    assert content_id("qa", "Who?") == "55f41546b47431f8"


def test_draws_are_even_and_repeat():
    drawn = [draw("seed", i) for i in range(4000)]
    assert all(0 <= x < 1 for x in drawn) and drawn[0] == draw("seed", 0)
    # mean of 4,000 uniform draws: .5 with sd 1/sqrt(12*4000) = .0046; five sd
    assert abs(sum(drawn) / 4000 - 0.5) < 0.023


def test_digest_sees_bytes_names_and_values_but_not_compiled_python(tmp_path):
    (tmp_path / "a.py").write_text("x = 1")
    first = digest(tmp_path, n=1)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_bytes(b"1")
    assert digest(tmp_path, n=1) == first and len(first) == 12
    assert digest(tmp_path, n=2) != first
    (tmp_path / "a.py").write_text("x = 2")
    assert digest(tmp_path, n=1) != first


def test_files_come_folder_by_folder_without_what_is_behind_links(tmp_path):
    for name in ("a/x", "a-b/y", "a.z", ".hidden", "a/__pycache__/x.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    links = {"to-file": "a.z", "to-folder": "a", "to-nothing": "none", "to-itself": "to-itself"}
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)
    found = [path.relative_to(tmp_path).as_posix() for path in files(tmp_path)]
    assert found == [".hidden", "a/x", "a-b/y", "a.z", "to-file"]
    assert files(tmp_path / "to-folder") == [tmp_path / "to-folder/x"] and files(tmp_path / "none") == []
    assert files(tmp_path / "a/__pycache__") == []


def test_a_digest_is_pinned(tmp_path, monkeypatch):
    """By hand: SHA-256 of `{"n": 1}`, and of each file its path and the digest of its bytes."""
    monkeypatch.chdir(tmp_path)
    os.makedirs("code/a-b")
    for name, text in {"code/a.py": "x = 1", "code/a-b/c.py": "y"}.items():
        (tmp_path / name).write_text(text)
    parts = [b'{"n": 1}']
    for name, text in (("code/a-b/c.py", b"y"), ("code/a.py", b"x = 1")):
        parts += [name.encode(), hashlib.sha256(text).digest()]
    assert digest("code", n=1) == digest("./code/", n=1) == hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def test_whatever_is_written_is_seen_and_what_lay_there_is_read_once(tmp_path, monkeypatch):
    file = tmp_path / "a.py"
    told = set()
    for n in range(9):  # of one length, within what one system calls the same moment
        file.write_text(f"x = {n}")
        told.add(digest(file))
    assert len(told) == 9
    os.utime(file, ns=(0, 0))
    said = digest(file)
    file.write_text("y = 8")
    os.utime(file, ns=(0, 0))
    assert digest(file) != said
    read, whole = [], hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda opened, how: read.append(opened.name) or whole(opened, how)
    )
    assert digest(shutil.__file__) == digest(shutil.__file__) and read.count(shutil.__file__) <= 1
    assert digest(file) == digest(file) and read.count(str(file)) == 2


def test_nothing_at_a_path_is_an_error(tmp_path):
    with pytest.raises(TruerateError, match="nothing at"):
        digest(tmp_path / "absent")


def test_rows_one_by_one_have_the_id_of_their_list():
    for rows in ([], [("a", None, True)], [("ä, ]", 1, 0.5), ("b", "", False)]):
        assert content_id_of_rows(iter(rows)) == content_id(rows)


def test_what_tools_leave_in_a_folder_changes_no_key_and_no_stage_of_dvc(tmp_path):
    (tmp_path / ".dvcignore").write_text((Path(__file__).parents[2] / ".dvcignore").read_text())
    folder = tmp_path / "inputs"
    (folder / "own").mkdir(parents=True)
    (folder / "own/qa.jsonl").write_text("{}")
    before = digest(folder)
    names = [
        ".DS_Store",
        "._qa.jsonl",
        ".ipynb_checkpoints/qa.jsonl",
        "Thumbs.db",
        "desktop.ini",
        "qa.jsonl~",
    ]
    names += [".qa.jsonl.swp", ".#qa.jsonl", "__pycache__/x.pyc", ".Trash-0/x", ".made", ".qa.parquet.made"]
    for name in names:
        (folder / "own" / name).parent.mkdir(exist_ok=True)
        (folder / "own" / name).write_text("x")
    assert digest(folder) == before

    from dvc.repo import Repo

    Repo.init(str(tmp_path), no_scm=True).close()
    with Repo(str(tmp_path)) as repo:
        seen = [name for _, _, found in repo.dvcignore.walk(repo.fs, str(folder)) for name in found]
    assert seen == ["qa.jsonl"]
