"""Keeps one launched server alive while somebody uses it. A script of its own that needs the standard library
alone.

Its clients hold a connection to its socket; when the last one has been gone for `linger_s` it ends the
server's process group and itself. The kernel kills the server when its supervisor dies, so that even kill -9
of the supervisor leaves no server behind.
"""

import ctypes
import fcntl
import http.client
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from typing import Any

TICK_S = 0.05
TRIES = 3  # to bring the server up, where its port was taken in between
TAIL = 5  # last lines of the server's output that an error shows
BUSY_PORT = "address already in use"


class Failed(Exception):
    """The server will not come up; the message is for the user."""


def free_port() -> int:
    """A port of the loopback interface that nobody uses now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def start(command: list[str], log: str, port: int) -> subprocess.Popen[bytes]:
    """The server as the leader of a process group of its own, to be killed by the kernel when this process ends."""
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    parent = os.getpid()

    def bind_to_parent() -> None:
        if libc:
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    with open(log, "wb") as out:
        return subprocess.Popen(
            [part.replace("{port}", str(port)) for part in command],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=bind_to_parent,
        )  # fmt: skip


def health(port: int, path: str) -> object:
    """What the health check says: its JSON, True for another body of status 200, None where it is not ready."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        link.request("GET", path)
        answer = link.getresponse()
        body = answer.read()
        if answer.status != 200:
            return None
        return json.loads(body) if body.lstrip()[:1] == b"{" else True
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        link.close()


def tail(log: str) -> str:
    """The last lines of the server's output, on one line."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file.read()[-4000:].splitlines() if line.strip()]
    return " | ".join(lines[-TAIL:]) or "it wrote nothing"


class Supervisor:
    """One server, its clients and the socket between them."""

    def __init__(self, spec: dict[str, Any]):
        self.spec = spec
        self.listener = socket.socket(fileno=spec["listener"])
        self.listener.setblocking(False)
        self.events = selectors.DefaultSelector()
        self.events.register(self.listener, selectors.EVENT_READ)
        self.clients: set[socket.socket] = set()
        self.hello = b""
        self.idle_since = time.monotonic()
        self.server: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Start the server, serve until nobody needs it, end it."""
        try:
            try:
                self.server, port = self.bring_up()
                self.greet({"url": f"http://127.0.0.1:{port}", "pid": self.server.pid})
                while self.server.poll() is None and not self.is_unused():
                    self.turn()
            except Failed as error:
                self.turn()
                self.greet({"error": str(error)})
        finally:
            self.end()

    def bring_up(self) -> tuple[subprocess.Popen[bytes], int]:
        """Launch and wait for the health check; the server and its port. A port that somebody took in between
        is tried again.
        """
        n_left = TRIES
        while True:
            n_left -= 1
            port = free_port()
            try:
                self.server = server = start(self.spec["command"], self.spec["log"], port)
            except OSError as error:
                raise Failed(f"cannot run {self.spec['command'][0]!r}: {error.strerror}") from None
            if self.wait_healthy(server, port):
                return server, port
            said = tail(self.spec["log"])
            if not n_left or BUSY_PORT not in said.lower():
                raise Failed(f"it ended with code {server.returncode} before it was ready: {said}")

    def wait_healthy(self, server: subprocess.Popen[bytes], port: int) -> bool:
        """True when the server is ready, False when it died. Raises Failed when it is another, or takes too
        long.
        """
        deadline = time.monotonic() + self.spec["start_s"]
        while server.poll() is None:
            found = health(port, self.spec["health"])
            if found is not None:
                self.check_identity(found)
                return True
            if time.monotonic() > deadline:
                raise Failed(f"not healthy after {self.spec['start_s']:g} s: {tail(self.spec['log'])}")
            self.turn()
            if self.is_unused():
                raise Failed("nobody waits for it any more")
        return False

    def check_identity(self, found: object) -> None:
        """The health check of a server that was told an identity must give it back."""
        expected = self.spec["identity"]
        said = found.get("identity") if isinstance(found, dict) else None
        if expected is not None and said != expected:
            raise Failed(f"its health check gives identity {said!r}, expected {expected!r}")

    def greet(self, hello: dict[str, Any]) -> None:
        """Say the address, or what went wrong, to those who wait and those who come."""
        self.hello = json.dumps(hello).encode() + b"\n"
        for client in list(self.clients):
            self.tell(client)

    def tell(self, client: socket.socket) -> None:
        """Send the line that is known by now; a client that is gone is dropped."""
        try:
            client.sendall(self.hello)
        except OSError:
            self.drop(client)

    def turn(self) -> None:
        """Wait a moment for clients that come or go."""
        for key, _ in self.events.select(TICK_S):
            if key.fileobj is self.listener:
                self.accept()
            elif isinstance(client := key.fileobj, socket.socket):
                try:
                    is_gone = not client.recv(64)
                except OSError:
                    is_gone = True
                if is_gone:
                    self.drop(client)

    def accept(self) -> None:
        """Take in a client that connects, and tell it what is known by now."""
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        self.clients.add(client)
        self.events.register(client, selectors.EVENT_READ)
        if self.hello:
            self.tell(client)

    def drop(self, client: socket.socket) -> None:
        """Forget a client; the time without clients starts anew."""
        self.clients.discard(client)
        self.events.unregister(client)
        client.close()
        self.idle_since = time.monotonic()

    def is_unused(self) -> bool:
        """Whether the last client has been gone for long enough, and none is on its way (clients connect
        under the same lock).
        """
        if self.clients or time.monotonic() - self.idle_since < self.spec["linger_s"]:
            return False
        with open(self.spec["lock"], "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
            self.accept()
            if self.clients:
                return False
            os.unlink(self.spec["socket"])  # from here on the next one starts a new server
            return True

    def end(self) -> None:
        """Kill the server's process group and let the clients see it."""
        if self.server:
            try:
                os.killpg(self.server.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.server.wait()
        for client in list(self.clients):
            client.close()
        self.listener.close()


def main() -> None:
    """Run with the specification that `launch` gives as the one argument, as nobody's child, so that no
    client has to bury it.
    """
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Supervisor(json.loads(sys.argv[1])).run()


if __name__ == "__main__":
    main()
