"""A fetch service with a key, in ScrapingBee's form over loopback: the page's status decides what becomes of
it, the service's whether it is asked again.
"""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import ValidationError

from truerate.core.errors import TruerateError
from truerate.web.fetch import Fetcher
from truerate.web.outcomes import Outcome
from truerate.web.store import PageStore, limits

from .stub_web import HTML, StubWeb, Waits, fetch_settings, silent

KEY = "k-very-secret-1"
FORM = {
    "address": "url", "key_query": "api_key", "fixed": {"render_js": True}, "prefix": "Spb-",
    "status": "Spb-initial-status-code", "final": "Spb-resolved-url", "price": 0.001,
}  # fmt: skip
PAGE = (200, HTML | {"Spb-initial-status-code": "200"}, b"<p>Varn is a town.</p>")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("FETCH_KEY", KEY)


def rendered(answer, paths, folder, *, pages=(), clock=None, **changes):
    """Fetch paths through a service: the pages, the error if one came, and the queries that the service was
    asked.
    """
    stub = StubWeb({"/api": answer, **dict(pages)})

    async def run():
        async with stub.listening() as port:
            base = f"http://127.0.0.1:{port}"
            service = FORM | {"url": f"{base}/api"}
            settings = fetch_settings(**{"service": service, "key_env": "FETCH_KEY"} | changes)
            urls, error = [path if "://" in path else base + path for path in paths], None
            with PageStore(folder / "pages.sqlite") as store:
                try:
                    async with Fetcher(settings, store, clock=clock or Waits().clock()) as fetcher:
                        await fetcher.fetch_all(urls)
                except TruerateError as stop:
                    error = str(stop)
                return [store.page("", url, limits(settings)) for url in urls], error

    results, error = asyncio.run(run())
    asked = [parse_qs(urlsplit(target).query) for target in stub.asked if target.startswith("/api")]
    return results, error, asked


def test_a_page_is_asked_for_with_its_whole_address_and_the_key_and_kept(tmp_path):
    (page,), error, asked = rendered(PAGE, ["/a?x=1&y=é"], tmp_path)
    assert error is None and (page.outcome, page.body, page.charset) == (Outcome.OK, PAGE[2], "utf-8")
    assert asked == [{"url": [page.final_url], "api_key": [KEY], "render_js": ["true"]}]
    assert page.final_url.endswith("/a?x=1&y=%C3%A9")


@pytest.mark.parametrize(
    ("answer", "outcome", "detail", "passes", "n_asked"),
    [  # the page's own status, whatever the service's is
        ((500, {"Spb-initial-status-code": "403"}, b"{}"), "status", "403", False, 1),
        ((200, HTML | {"Spb-initial-status-code": "404"}, b"no"), "status", "404", False, 1),
        ((404, {}, b"no"), "status", "404", False, 1),
        ((500, {"Spb-initial-status-code": "503"}, b"{}"), "status", "503", True, 1),
        # without it: the service's, which is asked again
        ((500, {}, b"{}"), "error", "the fetch service: status 500", True, 4),
        ((400, {}, b'{"message": "no url"}'), "error", "the fetch service: status 400 no url", True, 1),
        ((200, HTML, b"x" * 2001), "too-large", "more than 2,000 bytes", False, 1),
        ((200, {"Spb-Content-Type": "application/pdf"} | HTML, b"%PDF"), "not-html", "application/pdf", False, 1),
    ],
)  # fmt: skip
def test_a_page_that_does_not_come_says_whose_status_it_was(
    answer, outcome, detail, passes, n_asked, tmp_path
):
    (page,), error, asked = rendered(answer, ["/a"], tmp_path)
    assert error is None and (page.outcome.value, page.detail, page.is_transient) == (outcome, detail, passes)
    assert len(asked) == n_asked


def test_a_page_that_is_rendered_for_too_long_may_come_next_time(tmp_path):
    (page,), _, _ = rendered(silent, ["/a"], tmp_path, timeout_s=0.05)
    assert page.outcome is Outcome.TIMEOUT and page.is_transient


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_key_or_sum_that_is_refused_ends_the_run_in_one_line_and_drops_no_page(status, tmp_path):
    served = 0

    async def hang_up(target, writer):
        nonlocal served
        served += 1
        refused = (status, {}, json.dumps({"message": f"no credit for {KEY}"}).encode())
        return PAGE if served <= 3 else refused

    paths = [f"/{index}" for index in range(9)]
    results, error, _ = rendered(hang_up, paths, tmp_path, concurrency=1)
    assert f"status {status} no credit for [key]" in error and "\n" not in error and KEY not in error
    assert [page.outcome for page in results if page] == [Outcome.OK] * 3
    second, error, asked = rendered(PAGE, [page.url for page in results if page], tmp_path)
    assert error is None and second == [page for page in results if page] and asked == []  # paid for once


def test_a_rate_and_an_outage_of_the_service_are_waited_out_by_all(tmp_path, capsys):
    served, waits = 0, Waits()

    async def limited(target, writer):
        nonlocal served
        served += 1
        if served == 4:
            return 429, {"retry-after": "42"}, b"{}"
        return (503, {}, b"") if 10 <= served < 14 else PAGE

    results, error, asked = rendered(
        limited, [f"/{index}" for index in range(20)], tmp_path, clock=waits.clock(), concurrency=1
    )
    assert error is None and {page.outcome for page in results} == {Outcome.OK} and len(asked) == 25
    assert any(42 <= wait <= 43 for wait in waits.slept)
    assert "it asks to slow down; 3 of 20 pages are answered" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("final", "outcome"),
    [
        ("https://www.facebook.com/varn", Outcome.LOGIN_HOST),
        ("http://10.0.0.1/", Outcome.REFUSED_ADDRESS),
        ("file:///etc/hosts", Outcome.ERROR),
    ],
)
def test_where_the_service_was_led_is_checked_as_any_redirect(final, outcome, tmp_path):
    (page,), _, _ = rendered((200, HTML | {"Spb-resolved-url": final}, b"<p>x</p>"), ["/a"], tmp_path)
    assert page.outcome is outcome and page.body == b""


def test_robots_and_private_addresses_hold_before_anything_is_paid(tmp_path):
    rules = {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /a")}
    (shut, private), _, asked = rendered(PAGE, ["/a", "http://10.0.0.1/"], tmp_path, pages=rules)
    assert (shut.outcome, private.outcome, asked) == (Outcome.ROBOTS, Outcome.REFUSED_ADDRESS, [])


def test_settings_name_a_known_service_or_a_form_and_a_variable_for_the_key():
    expected = fetch_settings(service="scrapingbee", key_env="FETCH_KEY").service
    ours = fetch_settings(service=FORM | {"url": "https://other.example/"}, key_env="FETCH_KEY").service
    assert expected.price > 0 and expected.identity != ours.identity
    for wrong, words in (
        ({"service": "scrapingbee"}, "needs `key_env`"),
        ({"key_env": "FETCH_KEY"}, "no `service`"),
        ({"service": "bee", "key_env": "FETCH_KEY"}, "known: scrapingbee"),
        ({"service": {"url": "https://a.example/"}, "key_env": "FETCH_KEY"}, "says where the key goes"),
        ({"service": "scrapingbee", "key_env": "FETCH_KEY", "proxy": "world"}, "pages come one way"),
    ):
        with pytest.raises(ValidationError, match=words):
            fetch_settings(**wrong)


def test_a_key_that_is_not_there_is_one_line(tmp_path, monkeypatch):
    monkeypatch.delenv("FETCH_KEY")
    results, error, asked = rendered(PAGE, ["/a"], tmp_path)
    assert "the variable FETCH_KEY is not set" in error and asked == [] and results == [None]
