"""DVC's files after a kill: what is cut is put right, what is whole or being written is left alone."""

import fcntl
import random
from pathlib import Path

import pytest
from dvc.schema import COMPILED_LOCKFILE_SCHEMA
from dvc.utils.serialize import load_yaml

from truerate import cli
from truerate.pipeline.repair.repair_lock import repair

WHOLE = Path(__file__).parents[2] / "dvc.lock"
RUNNING = Path(".dvc/tmp/rwlock")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RUNNING.parent.mkdir(parents=True)


def test_whole_files_and_none_at_all_are_left_alone():
    assert repair() == []
    RUNNING.write_text('{"read": {}, "write": {"data": {"pid": 1, "cmd": "dvc"}}}')
    Path("dvc.lock").write_bytes(WHOLE.read_bytes())
    assert repair() == []
    assert RUNNING.is_file() and Path("dvc.lock").read_bytes() == WHOLE.read_bytes()


@pytest.mark.parametrize("cut", [b"", b"{", b'{"write": {"data/da', b"\0" * 40, b"\xff\xfe", b"[]"])
def test_what_is_left_of_the_lock_of_running_stages_is_removed(cut):
    RUNNING.write_bytes(cut)
    (line,) = repair()
    assert str(RUNNING) in line and not RUNNING.exists()


def test_what_dvc_writes_at_this_moment_is_not_touched():
    RUNNING.write_bytes(b"")
    Path("dvc.lock").write_bytes(b"schema: '2")
    with open(".dvc/tmp/rwlock.lock", "w") as guard, open(".dvc/tmp/lock", "w") as lock:
        fcntl.flock(guard, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert repair() == []
    assert RUNNING.exists() and Path("dvc.lock").read_bytes() == b"schema: '2"


def test_a_cut_dvc_lock_is_set_back_to_what_dvc_can_read():
    whole, draw = WHOLE.read_bytes(), random.Random(7)
    n_mended = 0
    for size in [0, 3, 17, 25, *(draw.randrange(30, len(whole)) for _ in range(60))]:
        Path("dvc.lock").write_bytes(whole[:size])
        n_mended += len(repair())
        if Path("dvc.lock").exists():
            assert whole.startswith(Path("dvc.lock").read_bytes())
            assert COMPILED_LOCKFILE_SCHEMA(load_yaml("dvc.lock"))["stages"], size
        else:
            assert size < 60, "more than the head was lost"
    assert n_mended > 5


def test_every_command_mends_first_and_says_so(capsys):
    RUNNING.write_bytes(b"{")
    assert cli.main(["sources", "--readers"]) == 0
    assert not RUNNING.exists() and capsys.readouterr().err.count("\n") == 1
    RUNNING.write_bytes(b"{")
    assert cli.main(["mend"]) == 0 and cli.main(["mend"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "rwlock" in said[0] and said[1:] == ["nothing to mend"]


def test_a_command_of_a_build_leaves_the_files_of_that_build_alone(monkeypatch):
    monkeypatch.setenv("DVC_STAGE", "check")
    RUNNING.write_bytes(b"")
    assert cli.main(["sources", "--readers"]) == 0 and RUNNING.exists()


def test_a_cut_lock_is_mended_where_dvc_never_ran():
    RUNNING.parent.rmdir()
    Path("dvc.lock").write_bytes(WHOLE.read_bytes()[:8000] + b"\n   : [")
    (line,) = repair()
    assert line.startswith("dvc.lock, which a kill had cut")


@pytest.mark.parametrize("place", [0, 500, None])
def test_markers_of_a_merge_are_told_and_nothing_is_cut(place, capsys):
    whole = WHOLE.read_bytes()
    i = len(whole) if place is None else whole.index(b"\n", place) + 1
    merged = whole[:i] + b"<<<<<<< HEAD\n  a: 1\n=======\n  a: 2\n>>>>>>> other\n" + whole[i:]
    Path("dvc.lock").write_bytes(merged)
    assert cli.main(["mend"]) == 0
    assert capsys.readouterr().out.count("conflict markers of a merge: take one side whole") == 1
    assert Path("dvc.lock").read_bytes() == merged
    assert cli.main(["build"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "git checkout --theirs dvc.lock" in said
