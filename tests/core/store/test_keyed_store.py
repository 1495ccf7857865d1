"""What the stores of replies and pages have in common: opening, making, waiting, and what is said of faults."""

import sqlite3
import subprocess
import sys

import pytest

from truerate.core.errors import TruerateError
from truerate.core.store.keyed_store import KeyedStore, Kind, locked, next_turn

TABLES = """
CREATE TABLE thing (key TEXT PRIMARY KEY, n INTEGER);
CREATE TABLE pace  (host TEXT PRIMARY KEY, next_at REAL, more REAL) WITHOUT ROWID;
"""


class Things(KeyedStore):
    KIND = Kind("store of things", 3, TABLES, page_size=8192)


def test_it_is_made_once_and_opens_again(tmp_path):
    path = tmp_path / "new" / "folder" / "t.sqlite"
    with Things(path) as store, store.whole():
        store.run("INSERT INTO thing VALUES ('a', 1)")
    with Things(path) as store:
        assert store.run("SELECT n FROM thing WHERE key = ?", ["a"]) == [(1,)]
        told = [store.run(f"PRAGMA {name}")[0][0] for name in ("user_version", "page_size", "journal_mode")]
    assert told == [3, 8192, "wal"]


def test_processes_that_open_a_new_one_at_once_make_it_once(tmp_path):
    code = (
        "import sys; from core.store.test_keyed_store import Things; "
        "store = Things(sys.argv[1]); store.run('INSERT INTO thing VALUES (?, 1)', [sys.argv[2]]); store.close()"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "t.sqlite"), str(n)],
            env={"PYTHONPATH": ":".join(sys.path)},
            stderr=subprocess.PIPE,
        )
        for n in range(4)
    ]
    assert [(one.communicate()[1], one.returncode) for one in started] == [(b"", 0)] * 4
    with Things(tmp_path / "t.sqlite") as store:
        assert store.run("SELECT COUNT(*) FROM thing") == [(4,)]


def test_several_statements_are_one(tmp_path):
    with Things(tmp_path / "t.sqlite") as store:
        with pytest.raises(ZeroDivisionError), store.whole():
            store.run("INSERT INTO thing VALUES ('a', 1)")
            raise ZeroDivisionError
        assert store.run("SELECT * FROM thing") == []


@pytest.mark.parametrize("script", ["PRAGMA user_version = 9;", "CREATE TABLE mine (x);"])
def test_a_database_of_another_kind_is_left_as_it_is(script, tmp_path):
    with sqlite3.connect(tmp_path / "t.sqlite") as link:
        link.executescript(script)
    before = (tmp_path / "t.sqlite").read_bytes()
    for is_read_only in (False, True):
        with pytest.raises(TruerateError, match=r"store of things .*of format [09]; this version reads 3"):
            Things(tmp_path / "t.sqlite", is_read_only=is_read_only)
    assert (tmp_path / "t.sqlite").read_bytes() == before


def test_faults_say_what_to_do(tmp_path):
    (tmp_path / "text").write_text("no database at all, " * 200)
    for path, said in (
        (tmp_path / "text", "not a database; the file is something else or damaged"),
        (tmp_path / "text" / "below", "File exists: .*; fix its path"),
    ):
        with pytest.raises(TruerateError, match=f"^store of things .*({said}).*TRUERATE_STORE$"):
            Things(path)


def test_one_that_is_there_is_opened_for_reading_alone(tmp_path):
    Things(tmp_path / "t.sqlite").close()
    with Things(tmp_path / "t.sqlite", is_read_only=True) as store:
        assert store.run("SELECT * FROM thing") == []
        with pytest.raises(TruerateError, match="readonly"):
            store.run("INSERT INTO thing VALUES ('a', 1)")


def test_turns_follow_one_another_and_a_clock_that_was_put_back_stops_nobody(tmp_path):
    with Things(tmp_path / "t.sqlite") as store:

        def turn(now, **given):
            asked = {"pause_s": 2.0, "furthest_s": 10.0, "unset": ["more"], **given}
            return next_turn(store.run, "host", "a", now=now, **asked)

        assert [turn(100.0), turn(100.0), turn(103.0), turn(200.0)] == [100.0, 102.0, 104.0, 200.0]
        assert [turn(50.0), turn(50.0)] == [50.0, 52.0]  # booked for 202: further ahead than 10 s
        assert turn(0.0, beyond_s=7.0) == 7.0
        assert store.run("SELECT more FROM pace") == [(0.0,)]


def test_a_lock_on_a_folder_leaves_nothing_in_it(tmp_path):
    with locked(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
