"""The endpoint as clients meet it: real sockets on loopback, the real openai client and aiohttp."""

import asyncio
import json
from dataclasses import dataclass

import aiohttp
import openai
import pytest

from truerate_world.faults import KINDS, Fault, parse_fault, pick
from truerate_world.server import Settings, listening


@dataclass
class Answer:
    task: str
    text: str
    truth: object = "secret truth"


def echo(model, messages, *, temperature, seed):
    """A handler that answers with what it was asked, so that a test sees what arrived."""
    if messages[-1]["content"] == "break":
        raise ZeroDivisionError("a defect")
    task = "unrecognised" if messages[-1]["content"] == "what?" else "qa"
    return Answer(task, f"{model} {temperature} {seed}: {messages[-1]['content']}")


def body(content="hello there", **more):
    return {"model": "sim-aster", "messages": [{"role": "user", "content": content}], **more}


def at_server(use, **settings):
    """Run `use(session, base)` against a fresh server and give back what it returns."""

    async def run():
        async with listening(
            echo, Settings(models=("sim-aster", "sim-birch"), identity="w1", **settings)
        ) as port:
            timeout = aiohttp.ClientTimeout(total=5)
            async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", timeout=timeout) as session:
                return await use(session, f"http://127.0.0.1:{port}/v1")

    return asyncio.run(run())


async def chat(session, request):
    async with session.post("/v1/chat/completions", json=request) as response:
        return response.status, response.headers, await response.text()


async def get(session, path):
    async with session.get(path) as response:
        return response.status, await response.json()


def test_openai_client_gets_a_completion():
    async def use(session, base):
        async with openai.AsyncOpenAI(base_url=base, api_key="none", max_retries=0) as client:
            reply = await client.chat.completions.create(**body(temperature=0.0, seed=3))
            names = [model.id async for model in client.models.list()]
            return reply, names

    reply, names = at_server(use)
    assert reply.choices[0].message.content == "sim-aster 0.0 3: hello there"
    assert (reply.choices[0].finish_reason, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (
        "stop",
        2,
        5,
    )
    assert names == ["sim-aster", "sim-birch"]


def test_truth_never_leaves():
    status, _, text = at_server(lambda session, base: chat(session, body()))
    assert status == 200 and "secret" not in text


def test_health_gives_the_identity():
    assert at_server(lambda session, base: get(session, "/health")) == (200, {"identity": "w1"})


def test_one_connection_serves_many_calls_in_order():
    async def use(session, base):
        port = int(base.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(3):  # pipelined: all are sent before the first reply is read
            raw = json.dumps(body(f"ask {number}")).encode()
            writer.write(
                b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(raw)
                + raw
            )
        texts = []
        for _ in range(3):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            raw = await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
            texts.append(json.loads(raw)["choices"][0]["message"]["content"][-5:])
        writer.close()
        return texts

    assert at_server(use) == ["ask 0", "ask 1", "ask 2"]


def test_bytes_that_are_not_http_are_refused():
    async def use(session, base):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.split(":")[2].split("/")[0]))
        writer.write(b"\x16\x03\x01 nonsense\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    assert at_server(use).startswith(b"HTTP/1.1 400 Bad Request")


def test_text_parts_are_joined():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    _, _, text = at_server(lambda session, base: chat(session, body(parts)))
    assert json.loads(text)["choices"][0]["message"]["content"].endswith(": ab")


def test_a_long_reply_is_cut_at_max_tokens():
    _, _, text = at_server(lambda session, base: chat(session, body("one two  three", max_tokens=4)))
    choice = json.loads(text)["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("sim-aster 1.0 None: one", "length")


@pytest.mark.parametrize(
    ("request_body", "status", "part"),
    [
        (body(model="sim-oak"), 404, "models: sim-aster, sim-birch"),
        ({"messages": []}, 400, "model parameter"),
        ([1], 400, "model parameter"),
        (body() | {"messages": []}, 400, "at least one message"),
        (body() | {"messages": [{"role": "user"}]}, 400, "messages[0].content"),
        (body() | {"messages": [{"role": "robot", "content": "x"}]}, 400, "messages[0].role"),
        (body(stream=True), 400, "stream"),
        (body(n=2), 400, "one choice"),
        (body(temperature="hot"), 400, "temperature"),
        (body(temperature=True), 400, "temperature"),
        (body(max_tokens=0), 400, "max_tokens"),
        (body(seed=1.5), 400, "seed"),
    ],
)
def test_a_wrong_request_is_refused_in_openai_words(request_body, status, part):
    got, _, text = at_server(lambda session, base: chat(session, request_body))
    error = json.loads(text)["error"]
    assert got == status and part in error["message"]
    assert set(error) == {"message", "type", "param", "code"}


def test_a_body_that_is_no_json_is_refused():
    async def use(session, base):
        async with session.post("/v1/chat/completions", data=b"{half") as response:
            return response.status, await response.text()

    status, text = at_server(use)
    assert status == 400 and "not JSON" in text


def test_unknown_routes_and_methods():
    async def use(session, base):
        missing, _ = await get(session, "/v2/x")
        wrong, answer = await get(session, "/v1/chat/completions")
        return missing, wrong, answer["error"]["message"]

    assert at_server(use) == (404, 405, "GET /v1/chat/completions: allowed is POST")


def test_a_defect_in_a_model_is_a_500_and_the_server_goes_on(capsys):
    async def use(session, base):
        return [(await chat(session, body(content)))[0] for content in ("break", "fine")]

    assert at_server(use) == [500, 200]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_the_log_counts_calls(tmp_path):
    async def use(session, base):
        for content in ("a", "a", "b", "what?"):
            await chat(session, body(content))
        await chat(session, body(model="sim-oak"))

    log = tmp_path / "calls.log"
    at_server(use, log=str(log))
    lines = [line.split() for line in log.read_text().splitlines()]
    assert [line[1:] for line in lines] == [["qa", "ok"]] * 3 + [["unrecognised", "ok"]]
    assert lines[0][0] == lines[1][0] != lines[2][0]


def test_the_rate_of_faults_is_kept_and_repeatable():
    hits = [pick([Fault("search-rate", 0.3)], f"body {number}", 0) for number in range(2000)]
    assert hits == [pick([Fault("search-rate", 0.3)], f"body {number}", 0) for number in range(2000)]
    assert abs(sum(hit is not None for hit in hits) / 2000 - 0.3) < 0.05
    assert {pick([Fault("search-rate", 0.5)], "one body", attempt) for attempt in range(20)} == {
        None,
        "search-rate",
    }


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("search-quota", Fault("search-quota")),
        ("search-rate:0.5", Fault("search-rate", 0.5)),
        ("search-quota:0.1:3", Fault("search-quota", 0.1, 3)),
        ("search-rate::2", Fault("search-rate", 1.0, 2)),
    ],
)
def test_fault_flags(text, fault):
    assert parse_fault(text) == fault


@pytest.mark.parametrize(
    "text", ["flood", "search-rate:x", "search-rate:2", "search-rate:0.5:-1", "search-rate:0.5:1:2"]
)
def test_a_wrong_fault_flag_says_what_is_allowed(text):
    with pytest.raises(ValueError, match="KIND|rate is a number") as error:
        parse_fault(text)
    assert text.split(":")[0] in KINDS or "search-quota, search-rate" in str(error.value)
