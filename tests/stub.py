"""A chat-completions server on loopback that fails as it is told to, and counts what it sees.

The last message says what to do: `[[KIND xN ARG]]` gives the fault KIND for the first N calls of this prompt (always without xN).
Without a fault the reply is `echo: <last message>`. `GET /stats` tells the calls so far. Run as a script it is also a launched server.
"""

import argparse
import asyncio
import email.utils
import hashlib
import json
import os
import re
import sys
import time
from collections import Counter

import httptools

FAULT = re.compile(r"\[\[([\w-]+)(?: x(\d+))?(?: ([\d.]+))?\]\]")


class Stub:
    """What the server has seen, and what it answers."""

    def __init__(self, *, identity: str = "stub", latency: float = 0.0, usage: bool = True):
        self.identity, self.latency, self.usage = identity, latency, usage
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

    async def answer(self, body: bytes) -> tuple[int, dict, bytes] | str:
        """Status, headers and body, or `drop` to close the connection."""
        self.times.append(time.time())
        request = self.last = json.loads(body)
        said = request["messages"][-1]["content"]
        name = hashlib.sha256(body).hexdigest()
        self.calls[name] += 1
        if self.capacity and self.under_way > self.capacity:
            return 429, {"retry-after": "0.05"}, _error("slow down", "rate_limit_exceeded")
        if self.latency:
            await asyncio.sleep(self.latency)
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
            found["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return json.dumps(found).encode()

    async def fault(self, kind: str, arg: str, said: str) -> tuple[int, dict, bytes] | str:
        """The answer of one kind of fault."""
        if kind in ("drop", "hang"):
            await asyncio.sleep(float(arg or 0) if kind == "drop" else 3600)
            return "drop"
        if kind == "429":
            return 429, {"retry-after": arg} if arg else {}, _error("slow down", "rate_limit_exceeded")
        if kind == "429-ms":
            return 429, {"retry-after-ms": arg}, _error("slow down", "rate_limit_exceeded")
        if kind == "429-date":
            return 429, {"retry-after": email.utils.formatdate(time.time() + float(arg), usegmt=True)}, _error("slow down", None)
        whole = self.completion("a reply that will be cut")
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
            "parts": (200, self.completion([{"type": "text", "text": "x"}])),
            "refusal": (200, self.completion(None, refusal="I will not")),
            "filter": (200, self.completion("some", finish="content_filter")),
            "length": (200, self.completion("a start of", finish="length")),
            "length-empty": (200, self.completion("", finish="length")),
            "surrogate": (200, self.completion("caf\\u00e9").replace(b"caf\\\\u00e9", b"caf\\ud800\\u0000!")),
            "tools": (200, self.completion(None, tool_calls=[{"id": "1", "type": "function"}])),
        }  # fmt: skip
        status, body = special.get(kind) or (int(kind), _error(f"status {kind}", None))
        return status, {}, body


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
            self.stub.headers = self.headers
            asyncio.get_running_loop().create_task(self.complete(self.body))

    async def complete(self, body: bytes) -> None:
        self.stub.under_way += 1
        self.stub.most_under_way = max(self.stub.most_under_way, self.stub.under_way)
        answer = await self.stub.answer(body)
        self.stub.under_way -= 1
        if answer == "drop":
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
