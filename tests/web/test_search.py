import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from truerate.errors import TruerateError
from truerate.web.search import Searcher, address, read, recorded
from truerate.web.store import PageStore

from .stub_web import StubWeb, results, search_settings


def searched(answer, queries, folder, **changes):
    """Search for queries at a stub: what the store holds then, the error if one came, and what was asked."""
    stub, settings = StubWeb({"/search": answer}), search_settings(**changes)

    async def run():
        async with stub.listening() as port:
            with PageStore(folder / "pages.sqlite") as store:
                searcher = Searcher(settings, store, url=f"http://127.0.0.1:{port}/search", backoff_s=0)
                error = None
                try:
                    await searcher.search_all(queries)
                except TruerateError as stop:
                    error = str(stop)
                return [searcher.stored(query) for query in queries], error

    found, error = asyncio.run(run())
    return found, error, [parse_qs(urlsplit(target).query) for target in stub.asked]


def test_queries_are_asked_in_googles_form_and_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "k-1")
    monkeypatch.setenv("SEARCH_ENGINE", "e-1")
    named = {"key_env": "SEARCH_KEY", "engine_env": "SEARCH_ENGINE"}
    found, error, asked = searched(results("http://a/", "http://b/"), ["Varn & Söhne", "Odla"], tmp_path, **named)
    assert error is None and [one["link"] for one in found[0]] == ["http://a/", "http://b/"] and found[0] == found[1]
    assert {"q": ["Varn & Söhne"], "num": ["3"], "key": ["k-1"], "cx": ["e-1"]} in asked and len(asked) == 2
    again, error, asked = searched((500, {}, b""), ["Varn & Söhne", "Odla"], tmp_path, **named)
    assert again == found and error is None and asked == []


def test_a_name_without_results_is_stored_as_such(tmp_path):
    assert searched(results(), ["Xelthoria"], tmp_path)[:2] == ([[]], None)
    assert searched((500, {}, b""), ["Xelthoria"], tmp_path)[2] == []


def google_error(code, reason):
    body = {"error": {"code": code, "message": "Quota exceeded for today.", "errors": [{"reason": reason}]}}
    return code, {"content-type": "application/json"}, json.dumps(body).encode()


QUOTAS = [(429, "rateLimitExceeded"), (403, "dailyLimitExceeded"), (403, "rateLimitExceeded"), (429, "anything")]


@pytest.mark.parametrize(("code", "reason"), QUOTAS)
def test_a_quota_that_runs_out_stops_in_one_line_and_the_rest_is_asked_next_time(code, reason, tmp_path):
    names = [f"name {number}" for number in range(20)]
    served = 0

    async def limited(target, writer):
        nonlocal served
        served += 1
        return results("http://a/") if served <= 5 else google_error(code, reason)

    found, error, asked = searched(limited, names, tmp_path)
    assert "\n" not in error and "the quota is used up" in error and reason in error
    assert error.endswith("5 of 20 new queries were answered and stay stored, 15 are left")
    assert sum(one is not None for one in found) == 5 and len(asked) <= 5 + 8  # those under way when it ran out
    after, error, asked = searched(results("http://a/"), names, tmp_path)
    assert error is None and None not in after
    assert sorted(one["q"][0] for one in asked) == sorted(name for name, one in zip(names, found, strict=True) if one is None)


def test_after_a_quota_ran_out_nothing_more_is_asked_even_if_it_would_be_answered(tmp_path):
    served = 0

    async def once(target, writer):
        nonlocal served
        served += 1
        return google_error(429, "rateLimitExceeded") if served == 1 else results("http://a/")

    found, error, asked = searched(once, [f"name {number}" for number in range(60)], tmp_path)
    assert error and len(asked) <= 16 and found.count(None) >= 60 - 16  # each of the eight at work ends after what it has sent


def test_a_failing_server_is_tried_again_and_then_stops_without_telling_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "very-secret")
    tries = 0

    async def flaky(target, writer):
        nonlocal tries
        tries += 1
        return (503, {}, b"") if tries < 3 else results("http://a/")

    assert searched(flaky, ["Varn"], tmp_path)[1] is None and tries == 3
    _, error, asked = searched((500, {}, b"down"), ["Odla"], tmp_path, key_env="SEARCH_KEY")
    assert len(asked) == 4 and "status 500" in error and "very-secret" not in error and "\n" not in error
    _, error, asked = searched(google_error(403, "keyInvalid"), ["Odla"], tmp_path)
    assert len(asked) == 1 and "status 403 keyInvalid" in error and "quota is used up" not in error
    _, error, _ = searched((200, {}, b"<html>"), ["Odla"], tmp_path)
    assert "a reply that is no search result" in error


@pytest.mark.parametrize("value", [None, "a\nb", "kéy"])
def test_a_key_that_is_not_there_or_unusable_is_one_line(value, tmp_path, monkeypatch):
    monkeypatch.delenv("NO_KEY", raising=False)
    if value:
        monkeypatch.setenv("NO_KEY", value)
    with (
        PageStore(tmp_path / "p.sqlite") as store,
        pytest.raises(TruerateError, match="the variable NO_KEY (is not set|holds a line break)"),
    ):
        Searcher(search_settings(key_env="NO_KEY"), store, url="http://a/")


def test_results_that_cannot_be_used_are_left_out():
    body = {"items": [{"link": " http://a/ ", "title": "A\x00"}, {"link": 3}, {"title": "no link"}, "text", {"link": ""}]}
    assert read(json.dumps(body).encode()) == [{"link": "http://a/", "title": "A"}]
    assert read(b"{}") == [] and read(b"[]") is None and read(b'{"items": 3}') is None and read(b'{"error": {}}') is None


def test_recorded_results_are_read_by_query_with_their_pages(tmp_path):
    path = tmp_path / "recorded.jsonl"
    rows = [{"query": "Varn", "items": [{"link": "http://a/", "html": "<p>x</p>"}]}, {"query": "Odla", "items": []}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", "utf-8")
    assert recorded(str(path)) == {"Varn": [{"html": "<p>x</p>", "link": "http://a/"}], "Odla": []}


@pytest.mark.parametrize("line", ["{", "[]", '{"query": "x"}', '{"query": 3, "items": []}', '{"query": "x", "items": 3}'])
def test_a_recorded_line_that_cannot_be_read_is_named(line, tmp_path):
    path = tmp_path / "recorded.jsonl"
    path.write_text('{"query": "Varn", "items": []}\n' + line, "utf-8")
    with pytest.raises(TruerateError, match="recorded.jsonl': line 2 is no object with `query` and `items`"):
        recorded(str(path))
    with pytest.raises(TruerateError, match="No such file or directory; correct search.recorded"):
        recorded(str(tmp_path / "none.jsonl"))


def test_the_address_is_a_path_of_an_endpoint_or_whole():
    assert address(search_settings(url="/customsearch/v1", endpoint="world"), "http://h:1/v1") == "http://h:1/customsearch/v1"
    assert (
        address(search_settings(url="https://g/x"), None) == "https://g/x"
        and address(search_settings(url=None, recorded="r.jsonl"), None) is None
    )
