"""HTTP as the routes see it: a request read whole, an answer, a refusal, and faults on demand."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

KINDS = ("error", "429", "drop", "lost", "slow", "truncate", "corrupt")
MAX_DELAY = 0.3


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

    def json(self) -> dict:
        """The body as a JSON object; Refusal 400 where it is none."""
        with suppress(ValueError):
            if isinstance(values := json.loads(self.body or b"{}"), dict):
                return values
        raise Refusal(400, "The body is not a JSON object")


@dataclass
class Answer:
    """A status, a body and headers."""

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
    """A content, or the bytes of it that the Range header names; 416 where there are none such."""
    asked = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("Range", ""))
    if not asked or asked.groups() == ("", ""):
        return Answer(200, content, headers)
    size = len(content)
    start = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
    end = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
    if start >= size or start > end:
        return Answer(416, b"", headers | {"Content-Range": f"bytes */{size}"})
    return Answer(206, content[start : end + 1], headers | {"Content-Range": f"bytes {start}-{end}/{size}"})


# ---- faults ------------------------------------------------------------------------------------------------
@dataclass
class Fault:
    """One kind of failure and whom it meets; `left` counts down, None means always.

    error: `status` instead of the work; 429: the same with 429; both with Retry-After where `retry_after` is
    set. drop: the connection is closed before the work, lost: after it. slow: the work after `delay` seconds.
    truncate: half of the body, then the connection closes. corrupt: one byte of the body flipped.
    """

    method: str
    path: str
    kind: str
    left: int | None = 1
    status: int = 503
    retry_after: int | None = None
    delay: float = 0.2

    def __post_init__(self):
        if self.kind not in KINDS or self.delay > MAX_DELAY:
            raise ValueError(
                f"fault {self.kind!r} of {self.delay} s; known: {', '.join(KINDS)}, {MAX_DELAY} s"
            )


class Faults:
    """The faults that wait, in the order in which they were set; the first that matches is played."""

    def __init__(self):
        self.waiting: list[Fault] = []
        self.played: list[tuple[str, str, str]] = []  # kind, method, path
        self.lock = threading.Lock()

    def clear(self) -> None:
        """Forget what waits and what was played."""
        with self.lock:
            self.waiting.clear()
            self.played.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that this request meets, used up by one."""
        with self.lock:
            for fault in self.waiting:
                if fault.left != 0 and fault.method in (method, "*") and re.search(fault.path, path):
                    fault.left = None if fault.left is None else fault.left - 1
                    self.played.append((fault.kind, method, path))
                    return fault
        return None


@dataclass
class Played:
    """What came of a request: the answer to send, None where none is sent, and whether half of it is cut."""

    answer: Answer | None = None
    is_cut: bool = False


def play(fault: Fault | None, work: Callable[[], Answer]) -> Played:
    """Do the work, or fail as the fault says."""
    if fault is None:
        return Played(work())
    if fault.kind in ("error", "429"):
        status = 429 if fault.kind == "429" else fault.status
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        return Played(of_json({"error": f"a fault was asked for: {status}"}, status=status, headers=headers))
    if fault.kind == "drop":
        return Played()
    if fault.kind == "slow":
        time.sleep(fault.delay)
    answer = work()
    if fault.kind == "corrupt" and answer.body:
        middle = len(answer.body) // 2
        answer.body = answer.body[:middle] + bytes([answer.body[middle] ^ 1]) + answer.body[middle + 1 :]
    return Played(None if fault.kind == "lost" else answer, is_cut=fault.kind == "truncate")


# ---- the port ----------------------------------------------------------------------------------------------
class Listener(ThreadingHTTPServer):
    """One port: what it answers, the faults it plays, the requests it was sent."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, respond: Callable[[Request], Answer], faults: Faults, *, log: list):
        self.respond, self.faults, self.log, self.open = respond, faults, log, set()
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
        """Note the connection, so that a stop can cut it."""
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        self.server.open.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Silence: `log` is kept."""

    def handle_request(self) -> None:
        """Read one request whole and carry it out."""
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length or self.headers.get("Transfer-Encoding"):  # the client died, or says no length
            self.close_connection = True
            return self.note(path, 0)
        request = Request(self.command, path, parse_qs(query, keep_blank_values=True), self.headers, body)
        played = play(self.server.faults.take(self.command, path), lambda: self.work(request))
        self.note(path, played.answer.status if played.answer else 0)
        self.close_connection = self.close_connection or played.answer is None or played.is_cut
        return self.send(played.answer, cut=played.is_cut) if played.answer else None

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def work(self, request: Request) -> Answer:
        """The answer of the routes, or what they refuse with; a fault of this server fails the test that
        meets it, and says what it was.
        """
        try:
            return self.server.respond(request)
        except Refusal as refusal:
            return refusal.answer()
        except Exception as error:
            words = f"this loopback Hub failed at {request.method} {request.path}: {error!r}"
            return Answer(501, words.encode())

    def send(self, answer: Answer, *, cut: bool) -> None:
        """Write an answer; with `cut`, half of its body."""
        self.send_response(answer.status)
        usual = {"Content-Length": str(len(answer.body)), "X-Request-Id": f"request-{len(self.server.log)}"}
        for name, value in (usual | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[: len(answer.body) // 2] if cut else answer.body)
        self.wfile.flush()

    def note(self, path: str, status: int) -> None:
        """Add to the log of requests: method, path, status (0 where nothing went out)."""
        self.server.log.append((self.command, path, status))
