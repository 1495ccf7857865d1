"""A store written by an earlier release opens, and nothing in it is asked again."""

import shutil
from pathlib import Path

from llm import stored_requests
from llm.conftest import BASE
from truerate.llm.ask import ask, estimate
from truerate.llm.stats import dead_letters, stats
from truerate.llm.store.responses import Store

STORE = Path(__file__).parent / "stores" / "release.sqlite"


def test_nothing_in_it_is_asked_again(tmp_path, monkeypatch, stub):
    shutil.copy(STORE, tmp_path / "responses.sqlite")
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    config, requests = stored_requests.layout(BASE, stub.url), stored_requests.requests()
    assert estimate(requests, config).n_calls == 0
    replies = ask(requests, config, label="x")
    assert stub.n_calls == 0 and all(reply.is_stored for reply in replies)
    assert [reply.status for reply in replies] == ["ok"] * stored_requests.N_REPLIES + ["dead"] * len(
        stored_requests.DEAD
    )
    assert (replies[0].text, replies[-1].reason) == ("echo: What is 0?", "length")
    with Store(config.store) as store:
        assert stats(store)["n_replies"].sum() == stored_requests.N_REPLIES
        assert dead_letters(store)["prompt"].to_list()[0] == "[[refusal]]"


def test_its_endpoint_counts_as_one_that_has_answered(tmp_path, monkeypatch, stub):
    shutil.copy(STORE, tmp_path / "responses.sqlite")
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    config, request = stored_requests.layout(BASE, stub.url), stored_requests.asking("m", "[[400]] and new")
    assert ask([request], config, label="x")[0].reason == "rejected"
