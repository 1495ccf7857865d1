import asyncio
import json
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from truerate.core.errors import TruerateError
from truerate.web.pauses import Clock
from truerate.web.search import Searcher, address
from truerate.web.store import PageStore

from .stub_web import StubWeb, Waits, results, search_settings


def searched(answer, queries, folder, *, backoff_s=0, clock=None, **changes):
    """Search for queries at a stub: what the store holds then, the error if one came, and what was asked."""
    stub, settings = StubWeb({"/search": answer}), search_settings(**changes)

    async def run():
        async with stub.listening() as port:
            with PageStore(folder / "pages.sqlite") as store:
                searcher = Searcher(
                    settings, store, url=f"http://127.0.0.1:{port}/search", backoff_s=backoff_s, clock=clock
                )
                error = None
                try:
                    await searcher.search_all(queries)
                except TruerateError as stop:
                    error = str(stop)
                return [searcher.stored(query) for query in queries], error

    outcome, error = asyncio.run(run())
    return outcome, error, [parse_qs(urlsplit(target).query) for target in stub.asked]


def test_queries_are_asked_in_googles_form_and_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "k-1")
    monkeypatch.setenv("SEARCH_ENGINE", "e-1")
    named = {"key_env": "SEARCH_KEY", "engine_env": "SEARCH_ENGINE"}
    outcome, error, asked = searched(
        results("http://a/", "http://b/"), ["Varn & Söhne", "Odla"], tmp_path, **named
    )
    assert (
        error is None
        and [entry["link"] for entry in outcome[0]] == ["http://a/", "http://b/"]
        and outcome[0] == outcome[1]
    )
    assert {"q": ["Varn & Söhne"], "num": ["3"], "key": ["k-1"], "cx": ["e-1"]} in asked and len(asked) == 2
    second, error, asked = searched((500, {}, b""), ["Varn & Söhne", "Odla"], tmp_path, **named)
    assert second == outcome and error is None and asked == []


def test_a_name_without_results_is_stored_as_such(tmp_path):
    assert searched(results(), ["Xelthoria"], tmp_path)[:2] == ([[]], None)
    assert searched((500, {}, b""), ["Xelthoria"], tmp_path)[2] == []


def google_error(code, reason, message="Quota exceeded for quota metric 'Queries'.", **headers):
    body = {"error": {"code": code, "message": message, "errors": [{"reason": reason}]}}
    return code, {"content-type": "application/json"} | headers, json.dumps(body).encode()


def plain_error(code, body):
    return code, {"content-type": "application/json"}, json.dumps(body).encode()


QUOTAS = {
    "dailyLimitExceeded": google_error(403, "dailyLimitExceeded"),
    "quotaExceeded": google_error(429, "quotaExceeded"),
    "Queries per day": google_error(
        429, "rateLimitExceeded", "Quota exceeded for metric 'Queries' and limit 'Queries per day'"
    ),
    "insufficient credits": plain_error(429, {"error": "insufficient credits"}),
    "Insufficient balance": plain_error(403, {"message": "Insufficient balance"}),
    "status 402": (402, {}, b""),
}


@pytest.mark.parametrize("said", QUOTAS)
def test_a_quota_that_runs_out_stops_in_one_line_and_the_rest_is_asked_next_time(said, tmp_path):
    names = [f"name {number}" for number in range(20)]
    served = 0

    async def limited(target, writer):
        nonlocal served
        served += 1
        return results("http://a/") if served <= 5 else QUOTAS[said]

    outcome, error, asked = searched(limited, names, tmp_path)
    assert "\n" not in error and "the quota is used up" in error and said in error
    assert error.endswith("5 of 20 new queries were answered and stay stored, 15 are left")
    assert (
        sum(entry is not None for entry in outcome) == 5 and len(asked) <= 5 + 8
    )  # those under way when it ran out
    after, error, asked = searched(results("http://a/"), names, tmp_path)
    assert error is None and None not in after
    assert sorted(entry["q"][0] for entry in asked) == sorted(
        name for name, entry in zip(names, outcome, strict=True) if entry is None
    )


def test_after_a_quota_ran_out_nothing_more_is_asked_even_if_it_would_be_answered(tmp_path):
    served = 0

    async def once(target, writer):
        nonlocal served
        served += 1
        return QUOTAS["dailyLimitExceeded"] if served == 1 else results("http://a/")

    outcome, error, asked = searched(once, [f"name {number}" for number in range(60)], tmp_path)
    assert (
        error and len(asked) <= 16 and outcome.count(None) >= 60 - 16
    )  # each of the eight at work ends after what it has sent


RATES = [
    google_error(429, "rateLimitExceeded"), google_error(403, "userRateLimitExceeded"), google_error(403, "rateLimitExceeded"),
    (429, {}, b""), plain_error(429, {"message": "Too many requests"}), (503, {"retry-after": "0.1"}, b""),
]  # fmt: skip


@pytest.mark.parametrize("refusal", RATES)
def test_a_rate_of_so_many_in_a_while_is_waited_out_and_all_are_asked_in_one_go(refusal, tmp_path):
    """A hundred a minute and some hundreds of queries, on a small scale: 25 in any 0.15 s."""
    times = []

    async def limited(target, writer):
        now = time.monotonic()
        if len([at for at in times if at > now - 0.15]) >= 25:
            return refusal
        times.append(now)
        return results("http://a/")

    names = [f"name {number}" for number in range(75)]
    outcome, error, asked = searched(limited, names, tmp_path, backoff_s=0.05)
    assert error is None and None not in outcome and len(times) == 75
    assert len(asked) < 150  # while the queue waits, one at a time tries


def test_what_the_search_asks_to_wait_is_waited_by_all_and_said(tmp_path, capsys):
    waits, served = Waits(), 0

    async def limited(target, writer):
        nonlocal served
        served += 1
        return (
            google_error(429, "rateLimitExceeded", **{"retry-after": "42"})
            if served == 4
            else results("http://a/")
        )

    outcome, error, asked = searched(
        limited, [f"name {number}" for number in range(30)], tmp_path, clock=waits.clock()
    )
    assert error is None and None not in outcome and len(asked) == 31
    assert len(waits.slept) == 1 and 42 <= waits.slept[0] <= 43
    words = capsys.readouterr().err
    assert (
        "truerate: waiting 4" in words
        and "searching at '127.0.0.1': it asks to slow down; " in words
        and " of 30 queries are" in words
    )


@pytest.mark.parametrize("asks", ["86400", None])
def test_a_rate_that_is_refused_for_too_long_ends_the_run_in_one_line_with_what_came_kept(asks, tmp_path):
    served = 0

    async def limited(target, writer):
        nonlocal served
        served += 1
        return (
            results("http://a/")
            if served <= 5
            else google_error(429, "rateLimitExceeded", **({"retry-after": asks} if asks else {}))
        )

    outcome, error, asked = searched(
        limited, [f"name {number}" for number in range(20)], tmp_path, clock=Waits().clock()
    )
    assert (
        "\n" not in error
        and "it goes on to refuse (status 429 rateLimitExceeded" in error
        and "run again later" in error
    )
    assert (
        error.endswith("5 of 20 new queries were answered and stay stored, 15 are left")
        and sum(entry is not None for entry in outcome) == 5
    )
    assert len(asked) <= 5 + 8 + 20


class Passing(Waits):
    """A clock on which time passes as soon as somebody sleeps, by what is slept."""

    def clock(self) -> Clock:
        self.now = 1000.0

        async def sleep(seconds):
            self.slept.append(seconds)
            self.now += seconds
            await asyncio.sleep(0)

        return Clock(now=lambda: self.now, sleep=sleep)


@pytest.mark.parametrize("outage_s", [60, 400])
def test_an_outage_in_the_middle_is_waited_out_and_all_are_asked_in_one_go(outage_s, tmp_path, capsys):
    """A search that has answered 12 queries is away, without a word when it will be back."""
    time, served = Passing(), 0
    clock = time.clock()

    async def failing(target, writer):
        nonlocal served
        if served >= 12 and time.now < 1000.0 + outage_s:
            return None if len(time.slept) % 2 else (502, {}, b"")
        served += 1
        return results("http://a/")

    names = [f"name {number}" for number in range(30)]
    outcome, error, asked = searched(failing, names, tmp_path, backoff_s=0.5, clock=clock)
    assert error is None and None not in outcome and served == 30
    assert len(asked) < 30 + 8 + 40  # one at a time tries whether it is back
    assert "it does not answer; 12 of 30 queries are answered" in capsys.readouterr().err


def test_an_outage_that_does_not_end_loses_nothing_and_the_next_run_asks_only_what_was_open(tmp_path):
    served = 0

    async def failing(target, writer):
        nonlocal served
        served += 1
        return results("http://a/") if served <= 12 else (None if served % 2 else (502, {}, b""))

    names = [f"name {number}" for number in range(30)]
    outcome, error, _ = searched(failing, names, tmp_path)
    assert error.endswith("12 of 30 new queries were answered and stay stored, 18 are left")
    assert "it is still not there" in error
    after, error, asked = searched(results("http://a/"), names, tmp_path)
    assert error is None and None not in after and len(asked) == 18 == outcome.count(None)


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
    _, error, asked = searched(
        google_error(403, "keyInvalid", "Key very-secret is none"), ["Odla"], tmp_path, key_env="SEARCH_KEY"
    )
    assert "very-secret" not in error and "Key [key] is none" in error
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


def test_the_address_is_a_path_of_an_endpoint_or_whole():
    assert (
        address(search_settings(url="/customsearch/v1", endpoint="world"), "http://h:1/v1")
        == "http://h:1/customsearch/v1"
    )
    assert (
        address(search_settings(url="https://g/x"), None) == "https://g/x"
        and address(search_settings(url=None, recorded="r.jsonl"), None) is None
    )
