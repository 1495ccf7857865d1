"""HTTP as the routes see it: a request read whole, an answer, a refusal, and the handler that carries them
over a connection.
"""

import json
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from .faults import Fault, Faults, play

BODIES = ("POST", "PUT", "PATCH")  # methods that must say how long their body is


@dataclass(frozen=True)
class Request:
    """One request, its body read whole. `path` is as sent: without the query, still quoted."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: Message
    body: bytes

    def first(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        return self.query.get(name, [default])[0]

    def is_asked(self, name: str) -> bool:
        """Whether a query parameter says yes, in one of the ways in which clients write it."""
        return self.first(name).lower() in ("1", "true")

    def json(self) -> dict:
        """The body as a JSON object; Refusal 400 where it is none."""
        try:
            found = json.loads(self.body or b"{}")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise Refusal(400, "The body is not a JSON object")
        return found


@dataclass
class Answer:
    """A status, a body and headers; `size` is what Content-Length says where the body is not sent."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """A request is turned down: `code` becomes X-Error-Code, which decides which exception the client raises."""

    def __init__(self, status: int, message: str, code: str | None = None, **more: object):
        super().__init__(message)
        self.status, self.message, self.code, self.more = status, message, code, more

    def answer(self) -> Answer:
        """The refusal as it is sent: message and code in headers, the message in the body too."""
        line = " ".join(self.message.split()).encode("ascii", "replace").decode()
        headers = {"X-Error-Message": line} | ({"X-Error-Code": self.code} if self.code else {})
        return of_json({"error": self.message} | self.more, status=self.status, headers=headers)


def of_json(value: object, *, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """An answer that holds JSON."""
    body = json.dumps(value, ensure_ascii=False).encode()
    return Answer(status, body, {"Content-Type": "application/json; charset=utf-8"} | (headers or {}))


def ranged(request: Request, content: bytes, headers: dict[str, str]) -> Answer:
    """A content, or the bytes of it that the Range header names; Refusal 416 where there are none such."""
    asked = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("Range", ""))
    if not asked or asked.groups() == ("", ""):
        return Answer(200, content, headers)
    size = len(content)
    start = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
    end = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
    if start >= size or start > end:
        return Answer(416, b"", headers | {"Content-Range": f"bytes */{size}"})
    return Answer(206, content[start : end + 1], headers | {"Content-Range": f"bytes {start}-{end}/{size}"})


class Listener(ThreadingHTTPServer):
    """One port: what it answers, the faults it plays, the requests it saw."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(
        self,
        port: int,
        respond: Callable[[Request], Answer],
        faults: Faults,
        *,
        seen: list,
        on_crash: Callable[[], None],
    ):
        self.respond, self.faults, self.seen, self.on_crash = respond, faults, seen, on_crash
        self.open: set = set()
        super().__init__(("127.0.0.1", port), Handler)

    def close_all(self) -> None:
        """Stop listening and cut every connection; to be called from another thread than the one that
        listens.
        """
        self.shutdown()
        self.server_close()
        for connection in list(self.open):
            with suppress(OSError):  # gone already
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address) -> None:
        """A connection that the other side has cut is no error of ours."""


class Handler(BaseHTTPRequestHandler):
    """Reads a request whole, plays the fault that is due, sends the answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Listener

    def setup(self) -> None:
        """Note the connection, so that a crash can cut it."""
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        self.server.open.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Silence: `seen` is the log."""

    def handle_request(self) -> None:
        """Read one request whole and carry it out."""
        path, _, query = self.path.partition("?")
        length = self.headers.get("Content-Length")
        if length is None and (self.command in BODIES or self.headers.get("Transfer-Encoding")):
            self.close_connection = True
            self.send(Refusal(411, "Content-Length is required").answer())
            return self.note(path, 411)
        body = self.rfile.read(int(length or 0))
        if len(body) < int(length or 0):  # the client died while it was sending
            self.close_connection = True
            return self.note(path, 0)
        request = Request(self.command, path, parse_qs(query, keep_blank_values=True), self.headers, body)
        self.carry(request, self.server.faults.take(self.command, path))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def carry(self, request: Request, fault: Fault | None) -> None:
        """Answer a request, or fail at it as the fault says."""
        played = play(fault, lambda: self.work(request))
        self.note(request.path, played.status)
        if played.is_crash:
            self.close_connection = True
            return self.server.on_crash()
        if played.answer is None:
            self.close_connection = True
            return None
        return self.send(played.answer, cut=played.is_cut)

    def work(self, request: Request) -> Answer:
        """The answer of the routes, or what they refuse with."""
        try:
            return self.server.respond(request)
        except Refusal as refusal:
            return refusal.answer()
        except (
            Exception
        ) as error:  # a fault of this server must fail the test that meets it, and say what it was
            return Answer(
                501, f"this loopback Hub failed at {request.method} {request.path}: {error!r}".encode()
            )

    def send(self, answer: Answer, *, cut: bool = False) -> None:
        """Write an answer; with `cut`, half of its body."""
        self.send_response(answer.status)
        own = {"Content-Length": str(len(answer.body)), "X-Request-Id": f"request-{len(self.server.seen)}"}
        for name, value in (own | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[: len(answer.body) // 2] if cut else answer.body)
        self.wfile.flush()
        self.close_connection = self.close_connection or cut

    def note(self, path: str, status: int) -> None:
        """Add to the log of requests."""
        self.server.seen.append((self.command, path, status))
