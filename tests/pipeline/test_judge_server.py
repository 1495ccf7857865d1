"""A judge behind an address on this machine, asked over real HTTP."""

import http.client
import json
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.pipeline.test_judge_prompts import prompt, user
from truerate.core.errors import SettingsError
from truerate.pipeline.judges.judge_prompts import VERDICT
from truerate.pipeline.judges.judge_server import MAX_BODY, refuse_own, serve


def says(question):
    """A judge that finds every response of 1899."""
    found = "1899" in question.response
    return ('Yes. The segment "1899".' if question.wants_reason else "Yes") if found else "No"


@contextmanager
def serving():
    server = serve(says, 0, name="tiny", identity="abc")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    link = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    try:
        yield link, server
    finally:
        link.close()
        server.shutdown()
        server.server_close()


def told(link, method, path, body=None):
    """Status and JSON of one request over a connection that stays open."""
    link.request(method, path, body if body is None or isinstance(body, bytes) else json.dumps(body))
    answer = link.getresponse()
    return answer.status, json.loads(answer.read())


def test_it_answers_as_a_chat_model_does():
    with serving() as (link, server):
        assert server.server_address[0] == "127.0.0.1"
        assert told(link, "GET", "/health") == (200, {"identity": "abc"})
        assert told(link, "GET", "/v1/models")[1]["data"][0]["id"] == "tiny"
        request = {"model": "tiny", "messages": [user(prompt())], "temperature": 0, "max_tokens": 9}
        status, found = told(link, "POST", "/v1/chat/completions", request)
        assert status == 200 and found["choices"][0]["message"]["content"] == 'Yes. The segment "1899".'
        assert found["choices"][0]["finish_reason"] == "stop" and found["usage"]["completion_tokens"] == 4
        other = request | {"messages": [user(prompt(VERDICT, Response="In 1912."))]}
        assert (
            told(link, "POST", "/v1/chat/completions", other)[1]["choices"][0]["message"]["content"] == "No"
        )


@pytest.mark.parametrize(
    ("path", "body", "status", "why"),
    [
        ("/v1/chat/completions", b"{", 400, "it is no JSON"),
        ("/v1/chat/completions", [], 400, "must be a list of messages"),
        ("/v1/chat/completions", {"messages": ["hi"]}, 400, "must be a list of messages"),
        ("/v1/chat/completions", {"messages": [user("hi")]}, 400, "no message of the user holds"),
        ("/v1/chat/completions", {"messages": [user("hi")], "stream": True}, 400, "stream is not offered"),
        ("/v1/embeddings", {}, 404, "no page '/v1/embeddings'"),
    ],
)
def test_a_request_that_cannot_be_answered_is_one_line(path, body, status, why):
    with serving() as (link, _):
        got, found = told(link, "POST", path, body)
        assert got == status and why in found["error"]["message"] and "\n" not in found["error"]["message"]
        assert told(link, "GET", "/health")[0] == 200  # the connection goes on


def test_a_body_without_a_length_or_too_long_is_refused():
    with serving() as (link, _):
        link.putrequest("POST", "/v1/chat/completions")
        link.putheader("content-length", str(MAX_BODY + 1))
        link.endheaders()
        assert link.getresponse().status == 413


def test_a_taken_port_is_one_line():
    with serving() as (_, server), pytest.raises(SettingsError, match="name another"):
        serve(says, server.server_address[1], name="tiny", identity="")


def test_a_repository_needs_a_revision(tmp_path):
    with pytest.raises(SettingsError, match=r"needs a revision, as org/name@v1\.0"):
        refuse_own("org/name")
    refuse_own("org/name@v1.0")
    refuse_own(str(tmp_path), params=str(tmp_path / "params.yaml"))


def test_weights_that_the_same_build_trains_are_refused(tmp_path, monkeypatch):
    settings = Path("params.yaml").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text(settings, "utf-8")
    own, other = (Path("data/detectors/halueval-closed-world/x"), Path("published/x"))
    for folder in (own, other):
        folder.mkdir(parents=True)
    refuse_own(str(other))
    with pytest.raises(SettingsError, match="this build trains it"):
        refuse_own(str(own))
