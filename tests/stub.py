"""A chat-completions server on loopback that fails as it is told to, and counts what it sees.

The last message says what to do: `[[KIND xN ARG]]` gives the fault KIND for the first N calls of this prompt
(always without xN). Without a fault the reply is `echo: <last message>`; `[[text ANYTHING]]` asks for these
very words. `GET /stats` tells the calls so far. Run as a script it is also a launched server.
"""

import argparse
import asyncio
import email.utils
import gzip
import hashlib
import json
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager

import httptools

FAULT = re.compile(r"\[\[([\w-]+)(?: x(\d+))?(?: ([\w.]+))?\]\]")
TEXT = re.compile(r"\[\[text (.*)\]\]", re.DOTALL)


OTHERS = {"max_tokens": " Use 'max_completion_tokens' instead."}  # what a server names in place of a field
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
RAW = {  # answers that are no HTTP
    "bad-chunk": HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "bad-status": b"HTTP/1.1 abc OK\r\n\r\n{}",
    "long-header": HEAD + b"x-long: " + b"a" * 20_000 + b"\r\ncontent-length: 2\r\n\r\n{}",
    "bad-gzip": HEAD + b"connection: close\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\nnot a zip",
}


class Stub:
    """What the server has seen, and what it answers."""

    def __init__(self, *, identity: str = "stub", latency: float = 0.0, usage: bool | dict = True):
        self.identity, self.latency, self.usage = identity, latency, usage
        self.is_echoing = False  # the Authorization header stands in every text of an answer
        self.more: dict = {}  # further fields of every completion
        self.refused: tuple[str, ...] = ()  # fields of a request that it does not take
        self.no_system = ""  # what it says to a system message, where its template takes none
        # answers everything with this fault while it says so: `lambda n: 10 < n < 50`, by the number of the call
        self.outage: tuple[str, Callable[[int], bool]] | None = None
        self.error_headers: dict = {}  # of every answer that is an error
        self.more_usage: Callable[[dict], dict] | None = None  # the usage of a request, in place of `usage`
        self.capacity = 0  # more than so many at once get 429; 0: no limit
        self.calls: Counter[str] = Counter()
        self.under_way = self.most_under_way = 0
        self.last: dict = {}
        self.headers: dict = {}
        self.times: list[float] = []

    def stats(self) -> dict:
        """What a test wants to know."""
        return {
            "n_calls": self.calls.total(), "n_prompts": len(self.calls), "most_per_prompt": max(self.calls.values(), default=0),
            "most_under_way": self.most_under_way, "last": self.last, "headers": self.headers, "pid": os.getpid(), "times": self.times,
        }  # fmt: skip

    async def route(
        self, method: str, url: str, headers: dict, body: bytes
    ) -> tuple[int, dict, bytes] | str | bytes:
        """The answer to a call, as `answer`; here everything is a completion."""
        return await self.answer(body)

    async def answer(self, body: bytes) -> tuple[int, dict, bytes] | str | bytes:
        """Status, headers and body; `drop` to close the connection; bytes to be written as they are before it is closed."""
        self.times.append(time.time())
        request = self.last = json.loads(body)
        said = request["messages"][-1]["content"]
        name = hashlib.sha256(body).hexdigest()
        self.calls[name] += 1
        if self.outage and self.outage[1](self.calls.total()):
            kind, _, arg = self.outage[0].partition(" ")
            answer = await self.fault(kind, arg, said)
            return (answer[0], self.error_headers, answer[2]) if isinstance(answer, tuple) else answer
        if fields := [field for field in self.refused if field in request]:
            return (
                400,
                {},
                _error(
                    f"Unsupported parameter: '{fields[0]}' is not supported with this model.{OTHERS.get(fields[0], '')}",
                    None,
                ),
            )
        if self.no_system and any(one["role"] == "system" for one in request["messages"]):
            return 400, {}, _error(self.no_system, None)
        if self.capacity and self.under_way > self.capacity:
            return 429, {"retry-after": "0.05"}, _error("slow down", "rate_limit_exceeded")
        if self.latency:
            await asyncio.sleep(self.latency)
        if words := TEXT.search(said):
            return 200, {}, self.completion(words[1])
        fault = FAULT.search(said)
        if fault and (not fault[2] or self.calls[name] <= int(fault[2])):
            return await self.fault(fault[1], fault[3] or "", said)
        return 200, {}, self.completion(f"echo: {said}")

    def completion(self, text: object, *, finish: str = "stop", **message: object) -> bytes:
        """The body of a completion."""
        found = {"id": "x", "object": "chat.completion", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
        ]}  # fmt: skip
        if self.usage:
            counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            found["usage"] = self.usage if isinstance(self.usage, dict) else counted
        if self.more_usage:
            found["usage"] = self.more_usage(self.last)
        return json.dumps(found | self.more).encode()

    async def fault(self, kind: str, arg: str, said: str) -> tuple[int, dict, bytes] | str | bytes:
        """The answer of one kind of fault."""
        if kind in RAW:
            return RAW[kind]
        if kind == "503-later":
            return 503, {"retry-after": arg}, _error("later", None)
        if kind == "slow":
            await asyncio.sleep(float(arg))
            return 200, {}, self.completion("slow")
        if kind in ("gzip", "bomb"):
            body = b"\0" * int(float(arg) * 2**20) if kind == "bomb" else self.completion("packed")
            return 200, {"content-encoding": "gzip"}, gzip.compress(body, 1)
        if kind == "bomb-500":
            return 500, {}, b"\0" * (33 * 2**20)
        if kind in ("drop", "hang"):
            await asyncio.sleep(float(arg or 0) if kind == "drop" else 3600)
            return "drop"
        if kind == "429":
            return 429, {"retry-after": arg} if arg else {}, _error("slow down", "rate_limit_exceeded")
        if kind == "429-ms":
            return 429, {"retry-after-ms": arg}, _error("slow down", "rate_limit_exceeded")
        if kind == "429-date":
            return (
                429,
                {"retry-after": email.utils.formatdate(time.time() + float(arg), usegmt=True)},
                _error("slow down", None),
            )
        whole = self.completion("a reply that will be cut")
        if kind == "finish":
            return 200, {}, self.completion("Yes, the y", finish=arg)
        special = {
            "quota": (429, _error("You exceeded your current quota", "insufficient_quota")),
            "filter-400": (400, _error("filtered", "content_filter")),
            "context": (400, _error("This model's maximum context length is 10 tokens", "context_length_exceeded")),
            "404": (404, _error("The model `m` does not exist", "model_not_found")),
            "key-echo": (401, _error("Incorrect API key provided: sk-secret123456", "invalid_api_key")),
            "truncated": (200, whole[: len(whole) // 2]),
            "html": (200, b"<html><body>gateway</body></html>"),
            "error-200": (200, _error("upstream is gone", None)),
            "error-200-401": (200, _error("no", 401)),
            "not-completion": (200, b'{"object": "list"}'),
            "list": (200, b"[1]"),
            "no-choices": (200, b'{"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 0}}'),
            "null": (200, self.completion(None)),
            "empty": (200, self.completion("  \n")),
            "parts": (200, self.completion([{"type": "text", "text": "x "}, {"type": "image"}, {"type": "text", "text": "y"}])),
            "parts-refused": (200, self.completion([{"type": "refusal", "refusal": "I will not"}])),
            "deep": (200, b'{"choices": ' + b"[" * 100_000),
            "deep-error": (500, b'{"error": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
            "refusal": (200, self.completion(None, refusal="I will not")),
            "filter": (200, self.completion("some", finish="content_filter")),
            "length": (200, self.completion("a start of", finish="length")),
            "length-empty": (200, self.completion("", finish="length")),
            "surrogate": (200, self.completion("caf\\u00e9").replace(b"caf\\\\u00e9", b"caf\\ud800\\u0000!")),
            "surrogate-finish": (200, odd(self.completion("fine", finish="ODD"))),
            "surrogate-tools": (200, odd(self.completion("fine", tool_calls=[{"id": "ODD", "ODD": 1}]))),
            "surrogate-model": (200, odd(self.completion("fine")[:-1] + b', "model": "ODD"}')),
            "surrogate-reasoning": (200, odd(self.completion("fine", reasoning_content="ODD"))),
            "infinite-logprobs": (200, self.completion("fine").replace(b'"index"', b'"logprobs": {"content": [-Infinity, NaN]}, "index"')),
            "deep-logprobs": (200, self.completion("fine").replace(b'"index"', b'"logprobs": ' + b"[" * 400 + b"]" * 400 + b', "index"')),
            "tpm": (429, _error("Request too large on tokens per min (TPM): Limit 1500, Requested 2100.", "rate_limit_exceeded")),
            "broken": (200, self.completion("Yes, the y", finish="error")),
            "no-body": (200, b""),
            "pinned": (400, b'{"detail": "Server is pinned to \'other\'"}'),
            "tools": (200, self.completion(None, tool_calls=[{"id": "1", "type": "function"}])),
        }  # fmt: skip
        status, body = special.get(kind) or (int(kind), _error(f"status {kind}", None))
        return status, {}, body


def echoing(answer: tuple | str | bytes, secret: str) -> tuple | str | bytes:
    """An answer with a header's value in every text of its JSON, in its HTML, or in its status line."""

    def filled(value: object) -> object:
        if isinstance(value, dict):
            return {name: filled(held) for name, held in value.items()}
        return (
            [filled(held) for held in value]
            if isinstance(value, list)
            else f"{value} {secret}"
            if isinstance(value, str)
            else value
        )

    if isinstance(answer, str):
        return answer
    if isinstance(answer, bytes):
        return answer.replace(b"OK", secret.encode(), 1).replace(b"abc", secret.encode(), 1)
    status, headers, body = answer
    try:
        return status, headers, json.dumps(filled(json.loads(body))).encode()
    except ValueError:
        return status, headers, body + secret.encode()


def odd(body: bytes) -> bytes:
    """A body in which ODD is a lone surrogate."""
    return body.replace(b"ODD", b"\\ud800")


def _error(message: str, code: object) -> bytes:
    return json.dumps({"error": {"message": message, "type": "stub", "code": code}}).encode()


class Connection(asyncio.Protocol):
    """One HTTP/1.1 connection."""

    def __init__(self, stub: Stub):
        self.stub = stub

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport, self.parser = transport, httptools.HttpRequestParser(self)
        self.body, self.url, self.headers = b"", b"", {}

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self.body, self.url, self.headers = b"", url, {}

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode()

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        if self.url == b"/health":
            self.write(200, {}, json.dumps({"identity": self.stub.identity}).encode())
        elif self.url == b"/stats":
            self.write(200, {}, json.dumps(self.stub.stats()).encode())
        else:
            self.stub.headers, self.method = self.headers, self.parser.get_method().decode()
            asyncio.get_running_loop().create_task(self.complete(self.body))

    async def complete(self, body: bytes) -> None:
        self.stub.under_way += 1
        self.stub.most_under_way = max(self.stub.most_under_way, self.stub.under_way)
        answer = await self.stub.route(self.method, self.url.decode(), self.headers, body)
        self.stub.under_way -= 1
        if self.stub.is_echoing:
            answer = echoing(answer, self.headers.get("authorization", ""))
        if answer == "drop":
            self.transport.close()
        elif isinstance(answer, bytes):
            self.transport.write(answer)
            self.transport.close()
        else:
            self.write(*answer)

    def write(self, status: int, headers: dict, body: bytes) -> None:
        lines = [f"HTTP/1.1 {status} X", "content-type: application/json", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


async def serve(stub: Stub, port: int = 0) -> asyncio.Server:
    """Listen on loopback."""
    return await asyncio.get_running_loop().create_server(lambda: Connection(stub), "127.0.0.1", port)


@contextmanager
def serving(stub: Stub):
    """Serve a stub from a thread of its own; its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(serve(stub), loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(server: asyncio.Server) -> None:
    """Close a server and what it has under way."""
    server.close()
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--identity", default="stub")
    options.add_argument("--latency", type=float, default=0.0)
    options.add_argument("--die", default="")
    options.add_argument("--pids")
    given = options.parse_args()
    if given.pids:
        with open(given.pids, "a") as file:
            file.write(f"{os.getpid()}\n")
    if given.die:
        sys.exit(given.die)
    server = await serve(Stub(identity=given.identity, latency=given.latency), given.port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
