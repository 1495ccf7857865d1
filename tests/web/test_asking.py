"""Faults that pass, over real HTTP on loopback: tried again within the run and in the next, and what hosts
ask to wait.
"""

import asyncio
import time
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from truerate.web.asking import BACKOFF
from truerate.web.fetch import Fetcher
from truerate.web.outcomes import Outcome
from truerate.web.store import PageStore

from . import stub_web
from .stub_web import HTML, PAGE, StubWeb, Waits, cut, dropped, fetch_settings, fetched, silent

QUICK = {"robots": False, "timeout_s": 0.4}
LATER = {status: (status, {}, b"") for status in (408, 425, 429, 500, 502, 503, 504, 520)}


def first(fault, times=1):
    """An address that answers with a fault so many times, and then with a page."""
    asked = []

    async def answer(target, writer):
        asked.append(target)
        if len(asked) > times:
            return PAGE
        return await fault(target, writer) if callable(fault) else fault

    return answer


async def stalled(target, writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 900\r\n\r\nhalf")
    await writer.drain()
    await asyncio.Event().wait()


async def garbled(target, writer):
    writer.write(b"SMTP ready\r\n\r\n")
    await writer.drain()


@pytest.mark.parametrize("fault", [*LATER.values(), cut, dropped, silent, stalled, garbled])
@pytest.mark.parametrize("times", [1, BACKOFF.tries - 1])
def test_a_fault_that_passes_is_tried_again_in_the_run(fault, times, tmp_path):
    if fault in (silent, stalled):
        times = 1  # two of these take a page's whole time
    (page,), stub = fetched({"/a": first(fault, times)}, ["/a"], tmp_path, settings=fetch_settings(**QUICK))
    assert (
        page.outcome is Outcome.OK and times < len(stub.asked) <= 2 * BACKOFF.tries
    )  # the client asks a dropped connection again by itself


@pytest.mark.parametrize(
    ("fault", "outcome", "detail"),
    [
        (LATER[503], Outcome.STATUS, "503"),
        (LATER[429], Outcome.STATUS, "429"),
        (cut, Outcome.ERROR, "ClientPayloadError"),
        (silent, Outcome.TIMEOUT, "not within 0.4 s"),
    ],
)
def test_a_fault_that_stays_is_asked_again_in_the_next_run_and_given_up_for_the_same_meanwhile(
    fault, outcome, detail, tmp_path, capsys
):
    run = {"as_proxy": True, "settings": fetch_settings(**QUICK)}
    (page,), stub = fetched({"http://a.invalid/a": fault}, ["http://a.invalid/a"], tmp_path, **run)
    assert (page.outcome, page.detail, page.is_transient) == (outcome, detail, True)
    assert len(stub.asked) == (2 if fault is silent else BACKOFF.tries)
    assert f"1 of 1 pages did not come for faults that may pass (1 {outcome})" in capsys.readouterr().err
    repeated, _ = fetched({"http://a.invalid/a": LATER[500]}, ["http://a.invalid/a"], tmp_path, **run)
    assert repeated == [page]  # no other row of a data set for another fault of the same kind
    (good,), _ = fetched({"http://a.invalid/a": PAGE}, ["http://a.invalid/a"], tmp_path, **run)
    assert good.outcome is Outcome.OK
    kept, stub = fetched({}, ["http://a.invalid/a"], tmp_path, **run)
    assert kept == [good] and stub.asked == []


def test_what_does_not_pass_is_asked_once_and_never_again(tmp_path, capsys):
    answers = {
        "gone": (410, {}, b""), "no": (404, {}, b""), "mine": (403, {}, b""), "big": (200, HTML, b"x" * 2001),
        "pdf": (200, {"content-type": "application/pdf"}, b"%PDF"), "in": (302, {"location": "http://10.0.0.1/"}, b""),
    }  # fmt: skip
    served = {f"http://{name}.invalid/a": answer for name, answer in answers.items()}
    names = [*served, "ftp://a.invalid/a", "http://www.facebook.com/a"]
    first_run, stub = fetched(served, names, tmp_path, as_proxy=True, settings=fetch_settings(**QUICK))
    assert sorted(stub.asked) == sorted(served) and not any(
        page.is_transient or page.outcome is Outcome.OK for page in first_run
    )
    second, stub = fetched({}, names, tmp_path, as_proxy=True, settings=fetch_settings(**QUICK))
    assert second == first_run and stub.asked == [] and capsys.readouterr().err == ""


def test_a_proxy_that_was_down_drops_nothing_for_good(tmp_path, monkeypatch):
    names, served = (
        ["http://a.invalid/a", "http://b.invalid/b"],
        {"http://a.invalid/a": PAGE, "http://b.invalid/b": PAGE},
    )
    settings = fetch_settings(timeout_s=2)
    monkeypatch.setattr(stub_web, "PROXY", "http://127.0.0.1:9")
    down, _ = fetched(served, names, tmp_path, as_proxy=True, settings=settings)
    assert {(page.outcome, page.detail) for page in down} == {
        (Outcome.ERROR, "robots.txt: ClientProxyConnectionError")
    }
    monkeypatch.undo()
    up, _ = fetched(served, names, tmp_path, as_proxy=True, settings=settings)
    assert {page.outcome for page in up} == {Outcome.OK}


def test_rules_that_did_not_come_are_asked_for_again_with_their_pages(tmp_path):
    served = {"http://a.invalid/robots.txt": LATER[503], "http://a.invalid/a": PAGE}
    (page,), stub = fetched(served, ["http://a.invalid/a"], tmp_path, as_proxy=True)
    assert (page.outcome, page.detail, page.is_transient) == (Outcome.ROBOTS, "robots.txt: 503", True)
    assert set(stub.asked) == {"http://a.invalid/robots.txt"}
    (page,), _ = fetched({"http://a.invalid/a": PAGE}, ["http://a.invalid/a"], tmp_path, as_proxy=True)
    assert page.outcome is Outcome.OK


def test_a_page_that_never_answers_costs_its_time_once_and_two_requests(tmp_path):
    since = time.monotonic()
    (page,), stub = fetched({"/a": silent}, ["/a"], tmp_path, settings=fetch_settings(**QUICK))
    assert (
        page.outcome is Outcome.TIMEOUT
        and len(stub.asked) == 2
        and time.monotonic() - since < 2 * QUICK["timeout_s"]
    )


def at(seconds):
    """A date that many seconds after the moment at which the tests' clock stands."""
    return format_datetime(datetime.fromtimestamp(1000 + seconds, UTC), usegmt=True)


@pytest.mark.parametrize(("asks", "seconds"), [("7", 7), ("6.5", 6.5), (at(9), 9), ("0", 0), (at(-50), 0)])
@pytest.mark.parametrize("status", [429, 503])
def test_what_a_host_asks_to_wait_is_waited_and_said(asks, seconds, status, tmp_path, capsys):
    waits = Waits()
    answer = first((status, {"retry-after": asks}, b""))
    (page,), _ = fetched(
        {"/a": answer}, ["/a"], tmp_path, settings=fetch_settings(**QUICK), clock=waits.clock()
    )
    assert page.outcome is Outcome.OK and len(waits.slept) == 1 and seconds <= waits.slept[0] <= seconds + 1
    assert ("'127.0.0.1' asks to come back later" in capsys.readouterr().err) == (seconds > 5)


@pytest.mark.parametrize("asks", ["121", "86400", "9" * 400, at(1_000_000)])
def test_a_host_that_asks_for_a_longer_pause_is_left_in_peace_for_this_run(asks, tmp_path):
    waits, busy = Waits(), (429, {"retry-after": asks}, b"")
    pages, stub = fetched(
        {f"/{n}": busy for n in range(9)}, [f"/{n}" for n in range(9)], tmp_path,
        settings=fetch_settings(concurrency=1, **QUICK), clock=waits.clock(),
    )  # fmt: skip
    assert {(page.outcome, page.detail) for page in pages} == {(Outcome.STATUS, "429")} and all(
        page.is_transient for page in pages
    )
    assert waits.slept == [] and len(stub.asked) < 9


def test_waits_are_drawn_below_a_ceiling_that_doubles(tmp_path):
    waits = Waits()
    fetched({"/a": LATER[503]}, ["/a"], tmp_path, settings=fetch_settings(**QUICK), clock=waits.clock())
    assert len(waits.slept) == BACKOFF.tries - 1 and all(
        0 <= wait <= ceiling for wait, ceiling in zip(waits.slept, (0.5, 1, 2), strict=True)
    )


def test_a_host_that_stays_down_is_not_asked_so_often_for_each_of_its_pages(tmp_path):
    async def run():
        stub = StubWeb({})
        stub.pages = {f"/{n}": LATER[500] for n in range(9)}
        async with stub.listening() as port:
            with PageStore(tmp_path / "pages.sqlite") as store:
                async with Fetcher(fetch_settings(**QUICK), store, clock=Waits().clock()) as fetcher:
                    results = [await fetcher.fetch(f"http://127.0.0.1:{port}{path}") for path in stub.pages]
        return results, stub.asked

    results, asked = asyncio.run(run())
    assert {page.detail for page in results} == {"500"} and len(
        asked
    ) == 3 * BACKOFF.tries + 6  # three were given up, the others had one try


def test_a_long_queue_at_one_host_says_how_long_it_takes(tmp_path, capsys):
    served = {f"http://a.example/{n}": PAGE for n in range(5)}
    fetched(
        served,
        list(served),
        tmp_path,
        as_proxy=True,
        settings=fetch_settings(per_host_s=3.0, robots=False),
        clock=Waits().clock(),
    )
    assert (
        capsys.readouterr().err
        == "truerate: waiting 15 s: 5 pages of 'a.example', one each 3 s (fetch.per_host_s)\n"
    )
