"""Pages made to cost: each costs at most its limit of time, and the process that reads ends with whom it
reads for.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from truerate.core.errors import TruerateError
from truerate.web.extract import MAIN, TAGS, of_markup
from truerate.web.extractor import Extractor
from truerate.web.outcomes import Outcome, Page, Text
from truerate.web.reading import Reader
from truerate.web.store import PageStore

from .stub_web import HTML, fetch_settings, fetched

LIMIT_S = 0.3
LISTS = (
    "<html><body><article>" + "<ul><li>one</li><li>two</li></ul>" * 30_000 + "</article></body></html>"
)  # quadratic: minutes
GOOD = (
    "<html><title>Varn</title><body><article>"
    + "<p>Varn is a town on the river Odla, founded in 1204 by monks.</p>" * 3
    + "</article>"
)
HOSTILE = {
    "lists that close": LISTS,
    "lists that do not": "<article>" + "<ul><li>" * 100_000,
    "deep": "<div>" * 90_000 + "Varn" + "</div>" * 90_000,
    "tables that do not close": "<table><tr><td>" * 60_000,
    "rows": "<table>" + "<tr><td>x" * 100_000,
    "a huge attribute": f'<p class="{"x " * 490_000}">Varn is a town.</p>',
    "many attributes": f"<p {' '.join(f'a{n}=1' for n in range(100_000))}>Varn is a town.</p>",
    "entities": f"<p>{'&amp;&lt;&#x41;&none;' * 45_000}</p>",
    "one line": f"<p>{'x' * 990_000}</p>",
    "spaces": f"{' ' * 990_000}<?xml",
    "openings": "<" * 990_000,
    "comments": "<!--" * 240_000,
    "breaks": "<p>a<br>" * 120_000,
    "zeros": "<p>\0" * 240_000,
    "formatting": "<b><i><a>" * 100_000,
}


@pytest.fixture(scope="module")
def quick():
    """One for all tests that do not end it, none of which waits for its limit: a loaded machine is slow."""
    extractor = Extractor(30)
    yield extractor
    extractor.close()


@pytest.mark.parametrize("how", [MAIN, TAGS])
def test_what_it_gives_is_what_reading_gives(how, quick):
    page = Page(
        "http://a/",
        Outcome.OK,
        "",
        "http://a/",
        200,
        "text/html",
        "cp1252",
        GOOD.replace("Odla", "Ödla").encode("cp1252"),
    )
    assert quick.read(GOOD, how, []) == of_markup(GOOD, how) != quick.read(GOOD, how, ["odla"])
    assert "Ödla" in quick.read(page, how, []).text and quick.read("", how, []) == Text(Outcome.EMPTY)


def test_hostile_pages_cost_their_limit_and_the_others_are_read(tmp_path):
    """Over loopback, as a build fetches and reads them; the next build neither fetches nor reads those that
    took too long.
    """
    settings = fetch_settings(robots=False, max_bytes=1_000_000, timeout_s=30)
    served = {
        f"http://{name.replace(' ', '-')}.invalid/": (200, HTML, body.encode())
        for name, body in (HOSTILE | {"good": GOOD}).items()
    }
    fetched(served, list(served), tmp_path, as_proxy=True, settings=settings)
    with PageStore(tmp_path / "pages.sqlite") as store:
        results = read_all(store, served, settings, limit_s=LIMIT_S)
        slow = {url for url, text in results.items() if text.outcome is Outcome.TIMEOUT}
        assert "http://lists-that-close.invalid/" in slow and "monks" in results["http://good.invalid/"].text
        assert {text.outcome for text in results.values()} <= {
            Outcome.OK,
            Outcome.EMPTY,
            Outcome.UNDECODABLE,
            Outcome.TIMEOUT,
        }
        assert all(results[url].detail == f"not read within {LIMIT_S} s" for url in slow)
        since = time.monotonic()
        assert read_all(store, slow, settings, limit_s=LIMIT_S) == {url: results[url] for url in slow}
        assert time.monotonic() - since < LIMIT_S  # what they are is known
        page = store.page("", min(slow), "other limits")
        assert (
            page.outcome is Outcome.OK and page.body == served[min(slow)][2]
        )  # nor are they fetched again, to be read with more time


def read_all(store, urls, settings, *, limit_s):
    """The texts of stored pages that were fetched with some settings, read with another limit of time."""
    hasty = settings.model_copy(update={"timeout_s": limit_s})
    with Reader(store.path, "", hasty) as reader:
        for url in urls:
            reader.begin(url)
        return {url: reader.text(url)[0] for url in urls}


def test_a_page_with_its_limit_is_read_anew_under_another(tmp_path):
    settings = fetch_settings(robots=False, extract=TAGS)
    fetched(
        {"http://a.invalid/": (200, HTML, GOOD.encode())},
        ["http://a.invalid/"],
        tmp_path,
        as_proxy=True,
        settings=settings,
    )
    with PageStore(tmp_path / "pages.sqlite") as store:
        with Reader(store.path, "", settings) as reader:
            store.keep_slow("", "http://a.invalid/", reader._reading_limits, "not read within 5 s")
            assert reader.text("http://a.invalid/")[0] == Text(Outcome.TIMEOUT, detail="not read within 5 s")
        assert (
            read_all(store, ["http://a.invalid/"], settings, limit_s=9)["http://a.invalid/"].outcome
            is Outcome.OK
        )


def test_a_process_that_somebody_kills_is_replaced_and_the_page_read(quick):
    quick.read(GOOD, MAIN, [])
    before = quick._process.pid
    os.kill(before, signal.SIGKILL)
    assert quick.read(GOOD, MAIN, []).outcome is Outcome.OK and quick._process.pid != before


def test_a_page_that_breaks_the_process_is_an_error_of_that_page(quick):
    quick.read(GOOD, MAIN, [])
    threading.Timer(0.05, os.kill, [quick._process.pid, signal.SIGSEGV]).start()
    assert quick.read(LISTS, MAIN, []) == Text(Outcome.ERROR, detail="its reader ended by SIGSEGV")
    assert quick.read(GOOD, MAIN, []).outcome is Outcome.OK


def test_closing_ends_a_page_that_is_being_read():
    slow, results = Extractor(60.0), []
    slow.read(GOOD, TAGS, [])
    reading = threading.Thread(target=lambda: results.append(slow.read(LISTS, MAIN, [])))
    reading.start()
    process = slow._process
    slow.close()
    reading.join(10)
    assert not reading.is_alive() and process.poll() == -signal.SIGKILL


def test_a_process_that_does_not_come_up_is_one_line(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(
        TruerateError, match="^reading pages: the process that reads them ended by exit code 1; run again$"
    ):
        Extractor(1.0).read(GOOD, MAIN, [])


PARENT = """
import sys
from truerate.web.extractor import Extractor
from tests.web.test_extractor import GOOD, LISTS
extractor = Extractor(60.0)
extractor.read(GOOD, "tags", [])
print(extractor._process.pid, flush=True)
extractor.read(LISTS, "main", [])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when its page is read")
def test_it_ends_with_its_parent_also_after_kill_9():
    root = Path(__file__).parents[2]
    places = os.pathsep.join([str(root), *filter(None, sys.path)])
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": places},
    )
    child = int(parent.stdout.readline())
    assert is_alive(child)
    parent.kill()
    parent.communicate()
    until = time.monotonic() + 10
    while is_alive(child):
        assert time.monotonic() < until


def is_alive(pid):
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
