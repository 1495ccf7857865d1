"""Forms of search services: requests and replies as their documentation shows them, over loopback."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import ValidationError

from truerate.config.services import SearchService, services_of
from truerate.core.errors import TruerateError
from truerate.web.search import Searcher
from truerate.web.search_form import Call, Left, error_words
from truerate.web.store import PageStore

from .stub_web import StubWeb, Waits, search_settings

FOUND = [
    {"link": "http://a/", "title": "A", "snippet": "of a"},
    {"link": "http://b/", "title": "B", "snippet": "of b"},
]


def hits(link: str, title: str, snippet: str) -> list[dict]:
    return [{link: entry["link"], title: entry["title"], snippet: entry["snippet"]} for entry in FOUND]


# a reply of each service with the two results of FOUND, by its documentation
REPLIES = {
    "google": {"items": hits("link", "title", "snippet")},
    "brave": {"type": "search", "web": {"type": "search", "results": hits("url", "title", "description")}},
    "serper": {"searchParameters": {"q": "x"}, "organic": hits("link", "title", "snippet"), "credits": 1},
    "tavily": {
        "query": "x",
        "answer": None,
        "results": hits("url", "title", "content"),
        "response_time": 1.1,
    },
    "searxng": {
        "query": "x",
        "number_of_results": 0,
        "results": hits("url", "title", "content"),
        "unresponsive_engines": [],
    },
    "bing": {"_type": "SearchResponse", "webPages": {"value": hits("url", "name", "snippet")}},
}
# what a request for three results of "Varn & Odla" holds: method, parameters or body, the header with the key
ASKED = {
    "google": ("get", {"q": ["Varn & Odla"], "num": ["3"], "key": ["k-1"]}, None),
    "brave": ("get", {"q": ["Varn & Odla"], "count": ["3"]}, ("x-subscription-token", "k-1")),
    "serper": ("post", {"q": "Varn & Odla", "num": 3}, ("x-api-key", "k-1")),
    "tavily": ("post", {"query": "Varn & Odla", "max_results": 3}, ("authorization", "Bearer k-1")),
    "searxng": ("get", {"q": ["Varn & Odla"], "format": ["json"]}, None),
    "bing": ("get", {"q": ["Varn & Odla"], "count": ["3"]}, ("ocp-apim-subscription-key", "k-1")),
}


def asked(service, answer, queries, folder, *, clock=None, **changes):
    """The stored results of queries, the error if one came, and the stub that was asked."""
    stub = StubWeb({"/search": answer})

    async def run():
        async with stub.listening() as port:
            url = f"http://127.0.0.1:{port}/search"
            settings = search_settings(service=service, url=url, **changes)
            with PageStore(folder / "pages.sqlite") as store:
                searcher = Searcher(settings, store, url=url, backoff_s=0, clock=clock)
                try:
                    await searcher.search_all(queries)
                except TruerateError as stop:
                    return [searcher.stored(query) for query in queries], str(stop)
                return [searcher.stored(query) for query in queries], None

    results, error = asyncio.run(run())
    return results, error, stub


def reply(body, status=200, **headers) -> tuple:
    return status, {"content-type": "application/json"} | headers, json.dumps(body).encode()


def test_every_service_of_the_table_is_tried_here():
    assert set(services_of("search")) == set(REPLIES) == set(ASKED)


@pytest.mark.parametrize("name", REPLIES)
def test_a_service_is_asked_and_read_in_its_own_form(name, tmp_path, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "k-1")
    key = {} if name == "searxng" else {"key_env": "SEARCH_KEY"}
    results, error, stub = asked(name, reply(REPLIES[name]), ["Varn & Odla"], tmp_path, **key)
    assert (results, error) == ([FOUND], None)
    method, parameters, header = ASKED[name]
    if method == "get":
        assert parse_qs(urlsplit(stub.asked[0]).query) == parameters
    else:
        assert json.loads(stub.bodies[0]) == parameters and "?" not in stub.asked[0]
    assert header is None or stub.headers[0][header[0]] == header[1]
    assert sum("k-1" in str(entry) for entry in (stub.asked, stub.headers)) == (name != "searxng")


def test_a_service_that_is_not_in_the_table_is_one_entry(tmp_path):
    ours = {
        "query": "text",
        "fixed": {"safe": True},
        "results": "data.hits",
        "link": "address",
        "title": "name",
        "text": "body",
    }
    body = {"data": {"hits": [{"address": "http://a/", "name": "A", "body": "All of the page."}]}}
    results, error, stub = asked(ours, reply(body), ["x"], tmp_path)
    assert results == [[{"link": "http://a/", "title": "A", "text": "All of the page."}]] and error is None
    assert parse_qs(urlsplit(stub.asked[0]).query) == {"text": ["x"], "safe": ["true"]}


@pytest.mark.parametrize(
    ("service", "error_words"),
    [
        ("duck", "no service 'duck'; known: google, brave, serper, tavily, searxng, bing; or give its form"),
        ({"results": "items"}, "query"),
        ({"query": "q", "results": "r", "method": "put"}, "'get' or 'post'"),
    ],
)
def test_a_service_that_is_none_is_refused(service, error_words):
    with pytest.raises(ValidationError, match=error_words):
        search_settings(service=service)


def test_a_key_without_a_place_for_it_is_refused():
    with pytest.raises(ValidationError, match="the service takes no key"):
        search_settings(service="searxng", key_env="SEARCH_KEY")


def test_a_service_that_is_named_alone_is_asked_at_its_own_address():
    assert search_settings(service="brave", url=None).url == "https://api.search.brave.com/res/v1/web/search"
    with pytest.raises(ValidationError, match="name `url`, `recorded` or both"):
        search_settings(service="searxng", url=None)


def test_engines_that_did_not_answer_are_a_fault_and_no_finding(tmp_path):
    body = {"results": [], "unresponsive_engines": [["wikipedia", "timeout"]]}
    results, error, stub = asked("searxng", reply(body), ["x"], tmp_path)
    assert results == [None] and "no result, and unresponsive_engines is [['wikipedia', 'timeout']]" in error
    assert len(stub.asked) == 4  # tried again, then told
    assert asked("searxng", reply(REPLIES["searxng"] | {"results": []}), ["x"], tmp_path)[0] == [[]]


def test_an_instance_that_gives_no_json_is_told_how_to(tmp_path):
    _, error, stub = asked("searxng", (403, {}, b"Forbidden"), ["x"], tmp_path)
    assert "status 403: is `json` among search.formats of the instance's settings.yml?" in error
    assert len(stub.asked) == 1


BRAVE_POLICY = {"X-RateLimit-Policy": "1;w=1, 15000;w=2592000"}


@pytest.mark.parametrize(
    ("headers", "left"),
    [
        # documented: windows of a second and a month, the month's sum used up
        (
            BRAVE_POLICY | {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"},
            Left(is_quota=True),
        ),
        (
            BRAVE_POLICY | {"X-RateLimit-Remaining": "0, 14523", "X-RateLimit-Reset": "1, 1419704"},
            Left(reset_s=1.0),
        ),
        ({"X-RateLimit-Remaining": "0, 14523", "X-RateLimit-Reset": "2, 1419704"}, Left(reset_s=2.0)),
        ({"X-RateLimit-Remaining": "5, 0"}, Left(is_quota=True)),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"}, Left(reset_s=30.0)),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1790000000"}, Left()),  # a moment, not a span
        ({"X-RateLimit-Remaining": "none", "X-RateLimit-Reset": "soon"}, Left()),
        ({}, Left()),
    ],
)
def test_what_headers_say_is_left(headers, left):
    assert Left.of(headers) == left


def test_a_rate_in_headers_is_waited_out_and_a_quota_there_stops(tmp_path):
    replies = iter(
        [reply({}, 429, **BRAVE_POLICY, **{"X-RateLimit-Remaining": "0, 9", "X-RateLimit-Reset": "7, 99999"})]
    )

    async def answer(target, writer):
        return next(replies, reply(REPLIES["brave"]))

    waits = Waits()
    results, error, _ = asked("brave", answer, ["x"], tmp_path, clock=waits.clock())
    assert (results, error) == ([FOUND], None) and 7.0 <= sum(waits.slept) <= 8.0
    spent = reply({}, 429, **BRAVE_POLICY, **{"X-RateLimit-Remaining": "1, 0"})
    results, error, stub = asked("brave", spent, ["y"], tmp_path, clock=waits.clock())
    assert results == [None] and "the quota is used up" in error and len(stub.asked) == 1


@pytest.mark.parametrize("status", [402, 432, 433])
def test_a_sum_that_is_used_up_has_its_own_statuses(status, tmp_path):
    _, error, stub = asked("tavily", reply({"detail": {"error": "plan limit"}}, status), ["x"], tmp_path)
    assert f"the quota is used up (status {status} plan limit)" in error and len(stub.asked) == 1


def test_requests_keep_their_pace(tmp_path):
    waits = Waits()
    names = [str(n) for n in range(5)]
    _, error, _ = asked("searxng", reply(REPLIES["searxng"]), names, tmp_path, clock=waits.clock(), rpm=30)
    assert error is None and sorted(waits.slept) == [2.0, 4.0, 6.0, 8.0]  # 30 a minute: one each two seconds


def test_replies_that_are_none_and_results_that_cannot_be_used():
    call = Call(SearchService.model_validate(services_of("search")["google"]), 3)
    items = [
        {"link": " http://a/ ", "title": "A\x00"},
        {"link": 3},
        {"title": "no link"},
        "text",
        {"link": ""},
    ]
    assert call.read(json.dumps({"items": items}).encode()) == [{"link": "http://a/", "title": "A"}]
    assert call.read(b"{}") == []
    assert {call.read(body) for body in (b"[]", b'{"items": 3}', b'{"error": {}}', b"<html>")} == {
        "a reply that is no search result"
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "no", "errors": [{"reason": "keyInvalid"}]}}, "keyInvalid no"),
        ({"message": "Not enough credits"}, "Not enough credits"),
        ({"detail": {"error": "Unauthorized"}}, "Unauthorized"),
        ({"detail": "gone"}, "gone"),
        ([1], ""),
    ],
)
def test_words_of_an_error(body, words):
    assert error_words(json.dumps(body).encode()) == words


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"message": "Unauthorized."}, "no result, but Unauthorized."),
        ({"detail": "Invalid key"}, "no result, but Invalid key"),
        ({"errors": [{"message": "bad key"}]}, "no result, but [{'message': 'bad key'}]"),
        ({"organic": [], "message": "ok"}, []),
        ({"organic": [], "errors": ["slow"]}, "no result, but ['slow']"),
        ({"organic": []}, []),
        ({}, []),
        ({"error": "", "message": "ok", "organic": [{"link": "http://a/"}]}, [{"link": "http://a/"}]),
        ({"error": False, "organic": [{"link": "http://a/"}]}, [{"link": "http://a/"}]),
        ({"error": "no", "organic": [{"link": "http://a/"}]}, "a reply that is no search result"),
    ],
)
def test_a_fault_that_is_told_in_a_reply_of_status_200_is_not_kept_as_no_result(body, found):
    call = Call(SearchService.model_validate(services_of("search")["serper"]), 3, key="k")
    assert call.read(json.dumps(body).encode()) == found
