"""The file: what it keeps, what it refuses, and what a kill leaves."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from llm.asked import TARGET, asking
from llm.forked import Forked
from truerate.core.errors import StoreError, TruerateError
from truerate.llm import stats
from truerate.llm.ask import ask
from truerate.llm.store import archive
from truerate.llm.store.budget import Charge, book
from truerate.llm.store.jobs import Job, Settled
from truerate.llm.store.leases import Holder, settle
from truerate.llm.store.responses import DeadLetter, Store, StoredReply


def put(store: Store, prompt: str, reply: object, extra: bytes | None = None) -> bytes:
    job = Job(TARGET.key(asking(prompt)), TARGET, asking(prompt))
    answer = StoredReply(reply, "stop", 1, 2) if isinstance(reply, str) else reply
    store.write(
        partial(
            settle,
            holder=Holder.new(store, "e", 8),
            settled=[Settled(job, answer, extra, [job.charge("reply", 1, 2)])],
        )
    )
    return job.key


def writes(send: Callable, path: Path, start: int, end: int) -> None:
    """Put replies into a store, and send the number of each once it is written."""
    with Store(path) as store:
        for n in range(start, end):
            put(store, f"prompt {n}", f"reply {n}")
            send(n)


@pytest.mark.parametrize("text", ["", "short", "ünïcode 漢字 " * 200, "x" * 5000])
def test_texts_come_back(tmp_path, text):
    with Store(tmp_path / "r.sqlite") as store:
        key = put(store, "p", text)
    with Store(tmp_path / "r.sqlite") as store:
        assert store.find([key, b"0" * 32]) == {key: StoredReply(text, "stop", 1, 2)}


def test_many_keys_at_once(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        jobs = [Job(TARGET.key(asking(f"{n}")), TARGET, asking(f"{n}")) for n in range(1200)]
        store.write(
            partial(
                settle,
                holder=Holder.new(store, "e", 8),
                settled=[Settled(job, StoredReply(str(n), None, 1, 1)) for n, job in enumerate(jobs)],
            )
        )
        found = store.find([job.key for job in jobs])
        assert [found[job.key].text for job in jobs] == [str(n) for n in range(1200)]


def test_a_stored_reply_is_never_replaced(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        key = put(store, "p", "first")
        put(store, "p", "second")
        assert store.find([key])[key].text == "first"


def test_an_operation_that_fails_is_undone_alone(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:

        def bad(link):
            link.execute("INSERT INTO pace VALUES ('bad', 0, 0)")
            link.execute("INSERT INTO nowhere VALUES (1)")

        futures = [
            store.submit(lambda link, n=n: link.execute("INSERT INTO pace VALUES (?, 0, 0)", [n]))
            for n in "ab"
        ]
        futures.insert(1, store.submit(bad))
        assert isinstance(futures[1].exception(), sqlite3.OperationalError)
        futures[0].result(), futures[2].result()
        assert store.query("SELECT endpoint FROM pace ORDER BY endpoint") == [("a",), ("b",)]


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "text").write_text("not a database, but long enough to be looked at " * 50)
    with pytest.raises(StoreError, match="not a database"):
        Store(tmp_path / "text")
    sqlite3.connect(tmp_path / "other").executescript("CREATE TABLE mine (x); PRAGMA user_version = 9;")
    with pytest.raises(StoreError, match="of format 9; this version reads 1"):
        Store(tmp_path / "other")
    with pytest.raises(StoreError, match="TRUERATE_STORE"):
        Store(tmp_path / "text" / "under a file")


def test_pragmas(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        found = [
            store.query(f"PRAGMA {name}")[0][0]
            for name in ("journal_mode", "page_size", "synchronous", "busy_timeout")
        ]
    assert found == ["wal", 8192, 1, 60000]


def test_processes_write_at_once(tmp_path):
    path = tmp_path / "r.sqlite"
    writers = [Forked(writes, path, start, start + 60) for start in (0, 30, 60)]
    assert [process.rest()[-1] for process in writers] == [59, 89, 119]
    with Store(path) as store:
        assert store.query("SELECT COUNT(*) FROM response") == [(120,)]


def test_what_was_acknowledged_survives_a_kill(tmp_path):
    path = tmp_path / "r.sqlite"
    process = Forked(writes, path, 0, 100_000)
    while (acknowledged := process.receive()) < 200:
        pass
    process.kill()
    acknowledged = max([acknowledged, *process.rest()])
    with Store(path) as store:
        assert store.query("PRAGMA quick_check") == [("ok",)]
        keys = [TARGET.key(asking(f"prompt {n}")) for n in range(acknowledged + 1)]
        assert len(store.find(keys)) == acknowledged + 1


def test_export_and_import(tmp_path):
    with Store(tmp_path / "one.sqlite") as one, Store(tmp_path / "two.sqlite") as two:
        keys = [put(one, f"p{n}", f"reply {n} " * n, b'{"logprobs":1}' if n else None) for n in range(5)]
        put(two, "p0", "reply 0 " * 0)
        assert archive.export(one, tmp_path / "pack.parquet") == 5
        assert archive.import_(two, tmp_path / "pack.parquet") == 4
        assert archive.import_(two, tmp_path / "pack.parquet") == 0
        assert two.find(keys) == one.find(keys)
        assert two.requests(keys) == one.requests(keys)


def test_imports_that_do_not_hold(tmp_path):
    import polars as pl

    with Store(tmp_path / "one.sqlite") as store:
        put(store, "p", "reply")
        archive.export(store, tmp_path / "pack.parquet")
        forged = pl.read_parquet(tmp_path / "pack.parquet").with_columns(request=pl.lit(b'{"identity":"x"}'))
        forged.write_parquet(tmp_path / "forged.parquet")
        forged.drop("text").write_parquet(tmp_path / "other.parquet")
        for name, said in (
            ("forged", "row 1: its key is not"),
            ("other", "columns"),
            ("none", "truerate llm export"),
        ):
            with pytest.raises(TruerateError, match=said):
                archive.import_(store, tmp_path / f"{name}.parquet")


def test_what_the_store_holds(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        put(store, "a", "reply")
        put(store, "b", DeadLetter("refusal", "no", 1))
        (row,) = stats.stats(store).to_dicts()
        assert (row["identity"], row["n_replies"], row["n_dead"], row["n_calls"], row["n_tokens_in"]) == (
            "name@1",
            1,
            1,
            2,
            2,
        )
        assert stats.dead_letters(store)["prompt"].to_list() == ["b"]
        with pytest.raises(TruerateError, match="allowed: all, bad_http, bad_json"):
            stats.retry_dead(store, "nope")
        assert stats.retry_dead(store, "length") == 0
        assert stats.retry_dead(store, "all") == 1
        assert stats.gc(store, keep={"name@1"}) == 0
        assert stats.gc(store, keep=set(), older_than_s=60) == 0
        assert stats.gc(store, keep=set()) == 1
        assert store.query("SELECT COUNT(*) FROM response") == [(0,)]


def test_a_store_is_read_where_nobody_may_write(tmp_path):
    """As root there is no such place: so the file is opened as one that cannot change, and reading leaves
    nothing beside it.
    """
    with Store(tmp_path / "r.sqlite") as store:
        key = put(store, "p", "text")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "r.sqlite").write_bytes((tmp_path / "r.sqlite").read_bytes())
    with Store(tmp_path / "copy" / "r.sqlite", is_read_only=True) as store:
        assert store.find([key])[key].text == "text"
        with pytest.raises(TruerateError, match="readonly|attempt to write"):
            store.query("DELETE FROM response")
    assert not (tmp_path / "copy" / "r.sqlite.d").exists()


@pytest.mark.parametrize(("damage", "said"), [(b"\0" * 4096, "damaged|format 0"), (None, "damaged")])
def test_a_damaged_file_is_called_damaged(tmp_path, damage, said):
    with Store(tmp_path / "r.sqlite") as store:
        for n in range(50):
            put(store, f"p{n}", "text " * 500)
    whole = (tmp_path / "r.sqlite").read_bytes()
    (tmp_path / "r.sqlite").write_bytes(damage or whole[:8192] + b"x" * 60_000 + whole[68_192:])
    with pytest.raises(TruerateError, match=said) as caught:
        with Store(tmp_path / "r.sqlite") as store:
            stats.stats(store)
            store.find([bytes(32)])
    assert "free space" not in str(caught.value) and "rights" not in str(caught.value)


@pytest.mark.parametrize("damage", ["cut", "overwritten", "flipped"])
def test_what_can_be_read_of_a_damaged_store_is_exported(tmp_path, damage, capsys):
    """Of 60 replies, some four to a page, those on whole pages come out, and no other text: read, counted, written, and
    taken in by a new store.
    """
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        texts = {put(store, f"p{n}", f"{n} " + os.urandom(1500).hex()): n for n in range(60)}
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[: -3 * 8192]
    elif damage == "overwritten":
        data[20 * 8192 : 24 * 8192] = b"x" * (4 * 8192)
    else:  # inside of a page, where texts lie: SQLite does not notice
        data[20 * 8192 + 4000 : 20 * 8192 + 4040] = bytes(40)
    path.write_bytes(data)
    with Store(path, is_read_only=True) as store:
        assert stats.stats(store)["n_replies"].sum() > 40
        n = archive.export(store, tmp_path / "all.parquet")
    assert 40 < n < 60
    said = capsys.readouterr().err
    assert "damaged" in said and "rights" not in said
    with Store(tmp_path / "new.sqlite") as store:
        assert archive.import_(store, tmp_path / "all.parquet") == n
        assert all(reply.text.startswith(f"{texts[key]} ") for key, reply in store.find(list(texts)).items())


@pytest.fixture
def killed(tmp_path):
    """A store as a killed process leaves it, with what it booked in its -wal alone, beside its folder."""
    path, left = tmp_path / "r.sqlite", tmp_path / "left" / "r.sqlite"
    with Store(path) as store:
        store.write(lambda link: book(link, [Charge("reply", "m", 1, 1, 1, 0.0)] * 3, "2026-01-01"))
        store.note_calls()
        left.parent.mkdir()
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
        shutil.copytree(store.folder, f"{left}.d")
    return left


def test_a_store_without_its_log_is_refused_and_what_to_do_works(killed, capfd):
    wal = killed.with_name("r.sqlite-wal")
    wal.rename(wal.with_name("away"))
    with pytest.raises(StoreError, match=r"lacks 3 of 3 calls .* its -wal file was taken away"):
        Store(killed)
    with Store(killed, is_read_only=True):
        assert "lacks 3 of 3 calls that were booked in it" in capfd.readouterr().err
    for beside in killed.parent.glob("r.sqlite-*"):
        beside.unlink()
    wal.with_name("away").rename(wal)  # put back
    with Store(killed) as store:
        assert store.query("SELECT calls FROM ledger") == [(3,)]
    Store(killed).close()  # after a checkpoint there is no log, and nothing is missing
    assert not wal.exists()


def test_a_person_may_go_on_without_what_is_lost_or_with_a_new_store(killed):
    killed.with_name("r.sqlite-wal").unlink()
    (killed.with_name("r.sqlite.d") / "booked.json").unlink()
    with Store(killed) as store:
        assert store.query("SELECT calls FROM ledger") == []


def test_a_new_store_beside_the_folder_of_an_old_one_is_none_that_lost_something(killed):
    for file in killed.parent.glob("r.sqlite*"):
        if file.is_file():
            file.unlink()
    with Store(killed) as store:
        assert store.query("SELECT calls FROM ledger") == []


def test_a_run_notes_what_it_books_beside_its_store(at):
    """The calls of a run lie in its store and are noted beside it, so that a later loss of the log is seen."""
    layout = at()
    ask([asking(f"question {n}") for n in range(5)], layout, label="x")
    with Store(layout.store) as store:
        noted = json.loads((store.folder / "booked.json").read_text("utf-8"))
        assert noted[1] == store.query("SELECT SUM(calls) FROM ledger")[0][0] == 5
