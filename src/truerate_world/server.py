"""The models of the closed world behind an OpenAI-compatible endpoint on loopback; truth never leaves it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b

import orjson

from truerate_world.completions import BadRequest, check_request, completion_of
from truerate_world.http_server import Connection, Reply
from truerate_world.manners import Answer

# (model, messages, *, temperature, seed, effort) -> Answer; without effort where none is asked for
Handler = Callable[..., Answer]
Web = Callable[[str, str], Reply | None]  # (method, target) -> reply to a search, or to a request for a page


def error_body(
    message: str, *, code: str | None = None, kind: str = "invalid_request_error", param: str | None = None
) -> bytes:
    """An error as OpenAI's API writes it."""
    return orjson.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}})


@dataclass(frozen=True)
class Settings:
    """Settings of the endpoint; `web`: sites that it serves beside the models."""

    models: tuple[str, ...]
    identity: str = ""
    log: str | None = None
    web: tuple[Web, ...] = ()


class App:
    """Routes and log of one endpoint."""

    def __init__(self, handler: Handler, settings: Settings):
        self.handler, self.settings = handler, settings
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self.log = os.open(settings.log, flags, 0o644) if settings.log else None

    def answer(self, method: str, target: str, body: bytes) -> Reply:
        """The reply to one request; nothing that a client sends ends the server."""
        path = target.partition("?")[0]
        for site in () if path.startswith("/v1/") else self.settings.web:
            if reply := site(method, target):
                return reply
        routes = {
            "/v1/chat/completions": ("POST", self._chat),
            "/v1/models": ("GET", self._models),
            "/health": ("GET", self._health),
        }
        if path not in routes:
            return Reply(404, error_body(f"no route {path!r}; there are: {', '.join(routes)}"))
        allowed, route = routes[path]
        if method != allowed:
            body = error_body(f"{method} {path}: allowed is {allowed}")
            return Reply(405, body, headers=(("allow", allowed),))
        return route(body)

    def refuse(self, message: str) -> Reply:
        """The reply to bytes that are no HTTP request."""
        return Reply(400, error_body(message))

    def close(self) -> None:
        """Give the log back."""
        if self.log is not None:
            os.close(self.log)

    def _health(self, _: bytes) -> Reply:
        return Reply(body=orjson.dumps({"identity": self.settings.identity}))

    def _models(self, _: bytes) -> Reply:
        shared = {"object": "model", "created": 0, "owned_by": "truerate_world"}
        data = [{"id": name, **shared} for name in self.settings.models]
        return Reply(body=orjson.dumps({"object": "list", "data": data}))

    def _chat(self, body: bytes) -> Reply:
        """One call: checked, answered and noted."""
        try:
            request = check_request(body, self.settings.models)
        except BadRequest as bad:
            return Reply(bad.status, error_body(bad.message, param=bad.param, code=bad.code))
        digest = blake2b(body, digest_size=16).hexdigest()
        sampling = {"temperature": request["temperature"], "seed": request["seed"]}
        sampling |= {"effort": request["effort"]} if request["effort"] else {}
        try:
            answer = self.handler(request["model"], request["messages"], **sampling)
        except Exception as error:  # a defect of a model must show as a failed call, not end the server
            name = type(error).__name__
            print(f"truerate_world: {name} while answering {digest}: {error}", file=sys.stderr, flush=True)
            self._note(digest, "error", "error")
            return Reply(500, error_body(f"{name}: {error}", kind="server_error"))
        completion = completion_of(request, answer.text, digest, getattr(answer, "finish", None))
        self._note(digest, answer.task, "ok")
        return Reply(body=orjson.dumps(completion))

    def _note(self, digest: str, task: str, outcome: str) -> None:
        """One log line per call, written at once, so that it outlives a kill of either side."""
        if self.log is not None:
            os.write(self.log, f"{digest} {task} {outcome}\n".encode())


@asynccontextmanager
async def listening(handler: Handler, settings: Settings, *, port: int = 0) -> AsyncIterator[int]:
    """The endpoint on 127.0.0.1 while the block runs; gives its port (0: a free one) or raises OSError."""
    app, loop = App(handler, settings), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(app), "127.0.0.1", port, backlog=1024)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        app.close()


def serve(handler: Handler, settings: Settings, *, port: int, ready: Callable[[int], None]) -> None:
    """Answer until SIGTERM or SIGINT; `ready` is told the port. Raises OSError where the port is taken."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        new_event_loop = None
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve(handler, settings, port, ready))


async def _serve(handler: Handler, settings: Settings, port: int, ready: Callable[[int], None]) -> None:
    end = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        try:
            asyncio.get_running_loop().add_signal_handler(name, end.set)
        except NotImplementedError:  # Windows: the default handlers hold
            break
    async with listening(handler, settings, port=port) as taken:
        ready(taken)
        await end.wait()
