"""HTTP/1.1 on asyncio: connections that read requests and write the replies of an answerer, in order."""

import asyncio
from collections import deque
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from httptools import HttpParserError, HttpRequestParser

MAX_BODY = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: status, body, headers, sent `after` seconds (None: never), or the line is cut.
    `endless` is sent again and again after the body until the client goes away.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    after: float | None = 0.0
    is_dropped: bool = False
    endless: bytes = b""

    def to_bytes(self, *, is_kept_open: bool) -> bytes:
        """The reply as it stands on the wire."""
        extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        connection = "keep-alive" if is_kept_open else "close"
        return self._bytes(f"content-length: {len(self.body)}\r\n{extra}", connection)

    def endless_head(self) -> bytes:
        """The head and body of a reply without an end, whose length nobody knows."""
        return self._bytes("", "close")

    def _bytes(self, lines: str, connection: str) -> bytes:
        status = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"
        head = f"{status}\r\ncontent-type: {self.content_type}\r\n{lines}connection: {connection}\r\n\r\n"
        return head.encode("latin-1") + self.body


class Answerer(Protocol):
    """What a connection needs of the application behind it."""

    def answer(self, method: str, target: str, body: bytes) -> Reply:
        """Return the reply to one request; its target is a path or (for a proxy) a whole address."""

    def refuse(self, message: str) -> Reply:
        """The reply to bytes that are no request."""


class Connection(asyncio.Protocol):
    """One client: requests are answered in the order in which they came, however long a reply waits."""

    def __init__(self, app: Answerer):
        self.app = app
        self.parser = HttpRequestParser(self)
        self.waiting: deque[tuple[str, str, bytes, bool]] = deque()
        self.pending: Reply | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.url, self.parts, self.n_body = b"", [], 0
        self.endless, self.is_full = b"", False

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self.waiting.clear()
        self.endless = b""
        if self.timer:
            self.timer.cancel()

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except HttpParserError as error:
            self.transport.write(self.app.refuse(f"not HTTP/1.1: {error}").to_bytes(is_kept_open=False))
            self.transport.close()

    def on_message_begin(self) -> None:
        self.url, self.parts, self.n_body = b"", [], 0

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_body(self, body: bytes) -> None:
        self.n_body += len(body)
        if self.n_body > MAX_BODY:
            raise HttpParserError(f"a body of more than {MAX_BODY} bytes")
        self.parts.append(body)

    def on_message_complete(self) -> None:
        method, target = self.parser.get_method().decode("latin-1"), self.url.decode("latin-1")
        self.waiting.append((method, target, b"".join(self.parts), self.parser.should_keep_alive()))
        if not self.pending:
            self._next()

    def _next(self) -> None:
        """Answer the waiting requests until one has to wait for its time."""
        while self.waiting and not self.pending:
            method, target, body, is_kept_open = self.waiting.popleft()
            reply = self.app.answer(method, target, body)
            if reply.after == 0:
                self._write(reply, is_kept_open)
                continue
            self.pending = reply
            if reply.after is not None:
                self.timer = asyncio.get_running_loop().call_later(reply.after, self._later, is_kept_open)

    def _later(self, is_kept_open: bool) -> None:
        reply, self.pending = self.pending, None
        self._write(reply, is_kept_open)
        self._next()

    def _write(self, reply: Reply, is_kept_open: bool) -> None:
        if reply.is_dropped:
            self.transport.abort()
            return
        if reply.endless:
            self.waiting.clear()
            self.pending = Reply(after=None)  # nothing that comes after it is ever answered
            self.transport.write(reply.endless_head())
            self.endless = reply.endless
            self._go_on()
            return
        self.transport.write(reply.to_bytes(is_kept_open=is_kept_open))
        if not is_kept_open:
            self.transport.close()

    def pause_writing(self) -> None:
        """The client reads more slowly than an endless reply grows."""
        self.is_full = True

    def resume_writing(self) -> None:
        """The client has read what it was sent."""
        self.is_full = False
        self._go_on()

    def _go_on(self) -> None:
        """Send the next piece of an endless reply, in turn with what the server has to do for others."""
        if self.endless and not self.is_full and not self.transport.is_closing():
            self.transport.write(self.endless)
            asyncio.get_running_loop().call_soon(self._go_on)
