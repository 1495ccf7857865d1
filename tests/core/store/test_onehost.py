"""One host per SQLite file."""

import json
import time
from pathlib import Path

import pytest

from truerate.core.errors import StoreError, TruerateError
from truerate.core.store import onehost


def mark(folder: Path, **changes) -> None:
    (folder / onehost.MARK).write_text(
        json.dumps({"boot": "another", "name": "node-2", "at": time.time(), **changes})
    )


def test_a_second_host_is_refused(tmp_path):
    mark(tmp_path)
    with pytest.raises(
        TruerateError,
        match="store: the host 'node-2' used it 0 s ago, and one store serves one host.*TRUERATE_STORE",
    ):
        onehost.hold(tmp_path, "store")


@pytest.mark.parametrize(
    "changes",
    [{"boot": onehost.boot()}, {"at": time.time() - 10 * onehost.FRESH_S}, {"at": "x"}, {"name": None}],
)
def test_marks_of_this_host_old_ones_and_broken_ones_are_taken_over(tmp_path, changes):
    mark(tmp_path, **changes)
    if changes == {"name": None}:
        (tmp_path / onehost.MARK).write_text("{")
    onehost.hold(tmp_path, "store")
    found = json.loads((tmp_path / onehost.MARK).read_text())
    assert found["boot"] == onehost.boot() and time.time() - found["at"] < 60
    assert [path.name for path in tmp_path.iterdir()] == [onehost.MARK]


def test_a_mark_from_before_this_machine_was_started_is_nobodys(tmp_path, monkeypatch):
    monkeypatch.setattr(onehost, "_booted_at", lambda: time.time())
    mark(tmp_path, at=time.time() - 5)
    onehost.hold(tmp_path, "store")
    assert json.loads((tmp_path / onehost.MARK).read_text())["boot"] == onehost.boot()


MOUNTS = r"""overlay / overlay rw 0 0
server:/home /home nfs4 rw 0 0
tmpfs /home/me/fast tmpfs rw 0 0
server:/with\040blank /mnt/with\040blank lustre rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/x.sqlite", "overlay"),
        ("/home/me/x.sqlite", "nfs4"),
        ("/home/me/fast/x.sqlite", "tmpfs"),
        ("/homes/x.sqlite", "overlay"),
        ("/mnt/with blank/x.sqlite", "lustre"),
    ],
)
def test_network_file_systems_are_refused(tmp_path, path, kind):
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert onehost.kind_of(Path(path), mounts) == kind
    if kind in onehost.NETWORK:
        with pytest.raises(StoreError, match=rf"store '{path}' lies on a network file system \({kind}\)"):
            onehost.refuse_network(Path(path), "store", mounts)
    else:
        onehost.refuse_network(Path(path), "store", mounts)


def test_a_system_that_tells_no_mounts_refuses_nothing(tmp_path):
    onehost.refuse_network(tmp_path / "x.sqlite", "store", tmp_path / "none")
