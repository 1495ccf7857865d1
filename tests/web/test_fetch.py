"""Every outcome over real HTTP on loopback."""

import asyncio
import gzip
import socket
import zlib

import pytest

from truerate.core.errors import SettingsError
from truerate.web.outcomes import Outcome

from .stub_web import HTML, PAGE, Waits, cut, fetch_settings, fetched, silent


def fetch_one(pages, path, folder, **more):
    (page,), stub = fetched(pages, [path], folder, **more)
    return page, stub


def test_a_page_comes_with_its_headers_body_and_digest(tmp_path):
    page, stub = fetch_one({"/a": PAGE}, "/a#part", tmp_path)
    assert (page.outcome, page.status, page.content_type, page.charset, page.body) == (
        Outcome.OK,
        200,
        "text/html",
        "utf-8",
        PAGE[2],
    )
    assert page.final_url.endswith("/a") and len(page.sha256) == 64 and len(page.fetched) == 10
    assert (
        stub.asked == ["/robots.txt", "/a"] and stub.headers[1]["user-agent"] == fetch_settings().user_agent
    )


async def endless(target, writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
    while True:
        writer.write(b"<p>and so on</p>" * 50)
        await writer.drain()


def raw(head: bytes):
    """Bytes of one's own in place of a reply."""

    async def write(target, writer):
        writer.write(head)
        await writer.drain()

    return write


async def endless_head(target, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x-a: " + b"b" * 4000 + b"\r\n")
        await writer.drain()


def to(place: str) -> tuple:
    return 302, {"location": place}, b""


OWN = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (raw(b"\x00\xff\xfe no protocol\r\n\r\n"), Outcome.ERROR),
        (raw(OWN + b"x-long: " + b"y" * 300_000 + b"\r\n\r\n"), Outcome.ERROR),
        (raw(OWN + b"content-length: -5\r\n\r\nabc"), Outcome.ERROR),
        (raw(OWN + b"content-length: 3\r\ncontent-length: 9\r\n\r\nabc"), Outcome.ERROR),
        (raw(OWN + b"transfer-encoding: chunked\r\n\r\nZZ\r\nabc\r\n"), Outcome.ERROR),
        (raw(OWN + b"x-a: b\r\n" * 10_000 + b"content-length: 2\r\n\r\nab"), Outcome.ERROR),
        (raw(b"<html>no head</html>"), Outcome.ERROR),
        (raw(b"HTTP/1.1 999 Denied\r\ncontent-length: 0\r\n\r\n"), Outcome.STATUS),
        (endless_head, Outcome.ERROR),
        ((302, {"location": "/a", "set-cookie": "a=1"}, b""), Outcome.REDIRECTS),
        ((200, HTML | {"content-encoding": "zstd"}, b"\x28\xb5\x2f\xfd\x00"), Outcome.ERROR),
        ((200, HTML | {"content-encoding": "gzip"}, b"not packed"), Outcome.ERROR),
        ((200, HTML | {"content-encoding": "deflate"}, zlib.compress(b"x" * 10_000_000)), Outcome.TOO_LARGE),
        ((200, {"content-type": "text/html; charset=idna"}, b"<p>x"), Outcome.OK),
        (to("//169.254.169.254/"), Outcome.REFUSED_ADDRESS),
        (to("http://[::ffff:a9fe:a9fe]/"), Outcome.REFUSED_ADDRESS),
        (to("http://[2002:a9fe:a9fe::]/"), Outcome.REFUSED_ADDRESS),
        (to("http://localhost.:1/"), Outcome.REFUSED_ADDRESS),
        (to("data:text/html,x"), Outcome.REDIRECTS),
        (to("http://example.com:99999/"), Outcome.REDIRECTS),
        (to("?"), Outcome.REDIRECTS),
        (to("http://a..b/"), Outcome.ERROR),
    ],
)
def test_a_hostile_reply_costs_that_page_alone(answer, outcome, tmp_path):
    (page, good), _ = fetched({"/a": answer, "/b": PAGE}, ["/a", "/b"], tmp_path)
    assert (page.outcome, good.outcome) == (outcome, Outcome.OK)


@pytest.mark.parametrize(
    ("answer", "outcome", "detail"),
    [
        ((404, {}, b"no"), Outcome.STATUS, "404"),
        ((503, HTML, b"later"), Outcome.STATUS, "503"),
        ((301, {}, b"to nowhere"), Outcome.STATUS, "301"),
        ((200, HTML, b"x" * 2001), Outcome.TOO_LARGE, "more than 2,000 bytes"),
        (
            (200, HTML | {"content-encoding": "gzip"}, gzip.compress(b"x" * 1_000_000, mtime=0)),
            Outcome.TOO_LARGE,
            "more than 2,000 bytes",
        ),
        (endless, Outcome.TOO_LARGE, "more than 2,000 bytes"),
        ((200, {"content-type": "application/pdf"}, b"%PDF"), Outcome.NOT_HTML, "application/pdf"),
        ((302, {"location": "javascript:alert(1)"}, b""), Outcome.REDIRECTS, "to nowhere"),
        ((302, {"location": "http://[broken/"}, b""), Outcome.REDIRECTS, "to nowhere"),
        (
            (302, {"location": "http://169.254.169.254/secrets"}, b""),
            Outcome.REFUSED_ADDRESS,
            "169.254.169.254 is not of the public web",
        ),
        (
            (302, {"location": "http://2130706433/"}, b""),
            Outcome.REFUSED_ADDRESS,
            "'2130706433' is no plain address",
        ),
        ((302, {"location": "https://www.facebook.com/varn"}, b""), Outcome.LOGIN_HOST, "www.facebook.com"),
        (cut, Outcome.ERROR, "ClientPayloadError"),
    ],
)
def test_a_page_that_is_dropped_says_why(answer, outcome, detail, tmp_path):
    page, _ = fetch_one({"/a": answer}, "/a", tmp_path)
    assert (page.outcome, page.detail.partition(" at http")[0], page.body) == (outcome, detail, b"")


def test_a_page_that_does_not_come_in_time_is_given_up(tmp_path):
    page, _ = fetch_one({"/a": silent}, "/a", tmp_path, settings=fetch_settings(timeout_s=0.05, robots=False))
    assert (page.outcome, page.detail) == (Outcome.TIMEOUT, "not within 0.05 s")


def test_redirects_are_followed_up_to_a_number_and_never_in_a_circle(tmp_path):
    def to(place):
        return (302, {"location": place}, b"")

    pages = {"/1": to("/2"), "/2": to("/3"), "/3": PAGE, "/0": to("/1"), "/a": to("/b"), "/b": to("/a")}
    (good, far, circle), stub = fetched(pages, ["/1", "/0", "/a"], tmp_path)
    assert good.outcome is Outcome.OK and good.final_url.endswith("/3") and good.url.endswith("/1")
    assert (far.outcome, far.detail.split(" at ")[0]) == (Outcome.REDIRECTS, "more than 2")
    assert (circle.outcome, circle.detail.split(" at ")[0]) == (Outcome.REDIRECTS, "in a circle")


@pytest.mark.parametrize(
    "url", ["ftp://example.com/a", "http://", "http://[broken/", "/only/a/path", "http://exa mple.com/"]
)
def test_an_address_that_is_none_is_an_error_of_that_page(url, tmp_path):
    page, stub = fetch_one({}, "about:" + url if url.startswith("/") else url, tmp_path, base="")
    assert page.outcome is Outcome.ERROR and stub.asked == []


def test_private_addresses_are_refused_before_anything_is_sent(tmp_path):
    settings = fetch_settings(allowed_private=[])
    (literal, name), stub = fetched({"/a": PAGE}, ["/a", "http://localhost:1/a"], tmp_path, settings=settings)
    assert literal.outcome is name.outcome is Outcome.REFUSED_ADDRESS and stub.asked == []


def test_a_name_that_resolves_to_a_private_address_is_refused(tmp_path, monkeypatch):
    async def getaddrinfo(self, host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
    base = "http://rebinding.example:{port}"
    refused, stub = fetch_one(
        {"/a": PAGE}, "/a", tmp_path, settings=fetch_settings(allowed_private=[]), base=base
    )
    assert refused.outcome is Outcome.REFUSED_ADDRESS and stub.asked == []
    passed, _ = fetch_one(
        {"/a": PAGE},
        "/a",
        tmp_path,
        settings=fetch_settings(allowed_private=["rebinding.example"]),
        base=base,
    )
    assert passed.outcome is Outcome.OK


def test_robots_are_read_once_per_host_and_heeded_at_every_hop(tmp_path):
    robots = (200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /members/\n")
    pages = {
        "/robots.txt": robots,
        "/a": PAGE,
        "/members/b": PAGE,
        "/c": (302, {"location": "/members/b"}, b""),
    }
    (a, b, c), stub = fetched(pages, ["/a", "/members/b", "/c"], tmp_path)
    assert [fetch_one.outcome for fetch_one in (a, b, c)] == [Outcome.OK, Outcome.ROBOTS, Outcome.ROBOTS]
    assert stub.asked.count("/robots.txt") == 1 and "/members/b" not in stub.asked
    open_, _ = fetch_one(pages, "/members/b", tmp_path / "other", settings=fetch_settings(robots=False))
    assert open_.outcome is Outcome.OK


@pytest.mark.parametrize(
    ("robots", "outcome"),
    [
        ((404, {}, b""), Outcome.OK),
        ((403, {}, b""), Outcome.OK),  # RFC 9309: whatever 4xx, there are no rules
        ((200, {}, "\ufeffUser-agent: truerate\nDisallow: /".encode()), Outcome.ROBOTS),
        ((200, {}, b"User-agent: other\nDisallow: /"), Outcome.OK),
        ((500, {}, b""), Outcome.ROBOTS),
        (
            (429, {}, b""),
            Outcome.ROBOTS,
        ),  # a host that is too busy to say its rules has not said that there are none
        (cut, Outcome.ERROR),
    ],
)
def test_what_a_host_says_in_place_of_rules(robots, outcome, tmp_path):
    page, _ = fetch_one({"/robots.txt": robots, "/a": PAGE}, "/a", tmp_path)
    assert page.outcome is outcome


def test_what_is_stored_is_not_fetched_again(tmp_path):
    served = {"http://a.invalid/a": PAGE, "http://a.invalid/big": (200, HTML, b"x" * 2001)}
    names = list(served)
    first, stub = fetched(served, names, tmp_path, as_proxy=True)
    assert sorted(stub.asked) == ["http://a.invalid/a", "http://a.invalid/big", "http://a.invalid/robots.txt"]
    second, stub = fetched(served, names, tmp_path, as_proxy=True)
    assert second == first and stub.asked == []
    wider = fetch_settings(max_bytes=5000)  # what was dropped for a limit is looked at anew under another
    third, stub = fetched(served, names, tmp_path, as_proxy=True, settings=wider)
    assert [fetch_one.outcome for fetch_one in third] == [
        Outcome.OK,
        Outcome.OK,
    ] and "http://a.invalid/a" not in stub.asked


def test_through_a_proxy_names_are_not_resolved_here_but_private_addresses_are_still_refused(tmp_path):
    pages = {"http://no.such.invalid/a": PAGE}
    (good, literal), stub = fetched(
        pages,
        ["http://no.such.invalid/a", "http://127.0.0.1/admin"],
        tmp_path,
        as_proxy=True,
        settings=fetch_settings(allowed_private=[]),
    )
    assert good.outcome is Outcome.OK and literal.outcome is Outcome.REFUSED_ADDRESS
    assert stub.asked == ["http://no.such.invalid/robots.txt", "http://no.such.invalid/a"]


def test_a_host_is_given_its_pause_and_others_are_not_held_up(tmp_path):
    served = {f"http://{host}.example/{name}": PAGE for host in "ab" for name in "123"}
    waits, settings = Waits(), fetch_settings(per_host_s=2.0, robots=False)
    results, _ = fetched(
        served, list(served), tmp_path, as_proxy=True, settings=settings, clock=waits.clock()
    )
    assert all(fetch_one.outcome is Outcome.OK for fetch_one in results)
    assert sorted(waits.slept) == [2.0, 2.0, 4.0, 4.0]  # the second and third request to each of two hosts


def test_a_delay_that_rules_ask_for_is_given_from_the_second_page_on(tmp_path):
    rules = (200, {"content-type": "text/plain"}, b"User-agent: *\nCrawl-delay: 7\n")
    served = {f"http://a.example/{name}": PAGE for name in "123"} | {"http://a.example/robots.txt": rules}
    waits, settings = Waits(), fetch_settings(per_host_s=1.0)
    addresses = [f"http://a.example/{name}" for name in "123"]
    fetched(served, addresses, tmp_path, as_proxy=True, settings=settings, clock=waits.clock())
    # the rules come at once, the first page 1 s after them, as was known then, the others 7 s after one
    # another
    assert sorted(waits.slept) == [1.0, 8.0, 15.0]


def test_a_port_of_no_web_is_not_asked(tmp_path):
    page, stub = fetch_one({}, "http://a.example:6379/", tmp_path, base="", as_proxy=True)
    assert (page.outcome, page.detail) == (Outcome.REFUSED_ADDRESS, "port 6379 is none of 80, 443")
    assert stub.asked == []


def test_pages_of_other_hosts_are_not_fetched_without_a_contact(tmp_path):
    settings = fetch_settings(user_agent="truerate (hallucination research)")
    with pytest.raises(SettingsError, match="names no contact.*such as truerate .you@example.org."):
        fetched({"/a": PAGE}, ["/a"], tmp_path, settings=settings)


def test_rules_are_followed_through_five_redirects(tmp_path):
    """RFC 9309, 2.3.1.2: at least five, whatever pages get (here two)."""
    hops = {f"/r{n}": (302, {"location": f"/r{n + 1}"}, b"") for n in range(1, 5)}
    rules = {
        "/robots.txt": (302, {"location": "/r1"}, b""),
        **hops,
        "/r5": (200, {}, b"User-agent: *\nDisallow: /a"),
    }
    page, _ = fetch_one(rules | {"/a": PAGE}, "/a", tmp_path)
    assert page.outcome is Outcome.ROBOTS


def test_hosts_without_a_limit_have_no_pause(tmp_path):
    served = {f"http://a.invalid/{name}": PAGE for name in "123"}
    waits, settings = Waits(), fetch_settings(per_host_s=2.0, unlimited_hosts=["*.invalid"])
    fetched(served, list(served), tmp_path, as_proxy=True, settings=settings, clock=waits.clock())
    assert waits.slept == []


def test_so_many_requests_are_under_way_and_no_more(tmp_path):
    now, most = 0, 0

    async def counted(target, writer):
        nonlocal now, most
        now, most = now + 1, max(most, now + 1)
        for _ in range(20):
            await asyncio.sleep(0)
        now -= 1
        return PAGE

    served = {f"/{number}": counted for number in range(12)}
    fetched(served, list(served), tmp_path, settings=fetch_settings(concurrency=3))
    assert 1 < most <= 3
