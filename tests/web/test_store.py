import sqlite3
import threading

import pytest

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.web.outcomes import Outcome, Page
from truerate.web.store import PageStore

from .stub_web import ROOT

OK = Page("http://a/", Outcome.OK, "", "http://a/b", 200, "text/html", "utf-8", b"body" * 100)
LATE = Page("http://c/", Outcome.TIMEOUT, "not within 1 s", "http://c/")


def test_pages_are_kept_by_scope_and_a_dropped_one_holds_under_its_limits_alone(tmp_path):
    with PageStore(tmp_path / "p.sqlite") as store:
        kept = store.keep("", OK, "limits")
        store.keep("", LATE, "limits")
    with PageStore(tmp_path / "p.sqlite") as store:
        assert (
            store.page("", OK.url, "others") == kept and kept.body == OK.body and kept.outcome is Outcome.OK
        )
        assert store.page("another world", OK.url, "limits") is None
        assert (
            store.page("", LATE.url, "limits").detail == LATE.detail
            and store.page("", LATE.url, "others") is None
        )


def test_what_may_pass_gives_way_to_what_does_not_and_to_nothing_else(tmp_path):
    busy = Page("http://c/", Outcome.STATUS, "503", "http://c/", 503)
    with PageStore(tmp_path / "p.sqlite") as store:
        late = store.keep("", LATE, "limits")
        assert store.is_open("", LATE.url, "limits") and store.keep("", busy, "limits") == late
        gone = store.keep("", Page("http://c/", Outcome.STATUS, "404", "http://c/", 404), "limits")
        assert (
            gone.detail == "404"
            and not store.is_open("", LATE.url, "limits")
            and store.keep("", LATE, "limits") == gone
        )


def test_a_file_that_another_process_holds_is_waited_for_and_that_is_said_once(tmp_path, capsys):
    with (
        PageStore(tmp_path / "p.sqlite") as store,
        sqlite3.connect(tmp_path / "p.sqlite", check_same_thread=False) as other,
    ):
        store._link.execute("PRAGMA busy_timeout = 20")  # in place of 5 s
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.1, other.rollback).start()
        assert store.keep("", OK, "limits").body == OK.body
    assert capsys.readouterr().err.count("still waiting: another process holds the page store") == 1


def test_results_are_kept_also_where_there_are_none(tmp_path):
    with PageStore(tmp_path / "p.sqlite") as store:
        assert store.results("", "Varn", 3) is None
        store.keep_results("", "Varn", 3, [])
        assert store.results("", "Varn", 3) == [] and store.results("", "Varn", 4) is None


def test_turns_at_a_host_follow_one_another_over_all_processes(tmp_path):
    with PageStore(tmp_path / "p.sqlite") as error, PageStore(tmp_path / "p.sqlite") as other:
        assert [store.next_turn("a", 2.0, 100.0) for store in (error, other, error)] == [100.0, 102.0, 104.0]
        assert error.next_turn("b", 2.0, 100.0) == 100.0 and error.next_turn("a", 2.0, 200.0) == 200.0
        assert (
            other.next_turn("a", 2.0, -90_000.0) == -86_400.0
        )  # a clock that was put back stops a host for an hour at most


def test_it_lies_beside_the_response_store(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    with PageStore.of(Layout.load(ROOT / "params.yaml")) as store:
        assert store.path == tmp_path / "responses-pages.sqlite"


@pytest.mark.parametrize("what", ["no database", "other format"])
def test_a_file_that_is_no_page_store_is_one_line(what, tmp_path):
    path = tmp_path / "p.sqlite"
    if what == "no database":
        path.write_bytes(b"something else entirely" * 100)
    else:
        with sqlite3.connect(path) as link:
            link.execute("PRAGMA user_version = 99")
    with pytest.raises(
        TruerateError, match="page store .*p.sqlite.*(not a database|format 99).*TRUERATE_STORE"
    ):
        PageStore(path)
