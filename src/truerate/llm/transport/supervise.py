"""Keep one launched server alive while clients use it. A script of its own that needs the standard library
alone.

Clients hold a connection to its socket and read one line: the server's address, or what went wrong. When the
last one has been gone for `linger_s` it ends the server's process group and itself. The kernel kills the
server when its supervisor dies, so that even kill -9 of the supervisor leaves no server behind.
"""

import asyncio
import ctypes
import fcntl
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

TICK_S = 0.05
TRIES = 3  # to bring the server up, where its port was taken in between
TAIL = 5  # last lines of the server's output that an error shows
BUSY_PORT = "address already in use"


class Failed(Exception):
    """The server will not come up; the message is for the user."""


def start(command: list[str], log: str) -> tuple[subprocess.Popen[bytes], int]:
    """The server as the leader of a process group, which the kernel kills when this process ends; and its
    free port.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    parent = os.getpid()

    def bind_to_parent() -> None:
        if libc:
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    words = [part.replace("{port}", str(port)) for part in command]
    with open(log, "wb") as out:
        try:
            server = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=bind_to_parent,
            )  # fmt: skip
        except OSError as error:
            raise Failed(f"cannot run {words[0]!r}: {error.strerror}") from None
    return server, port


def health(port: int, path: str) -> object:
    """The JSON of the health check, True for another body of status 200, None where it is not ready."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        link.request("GET", path)
        response = link.getresponse()
        body = response.read()
        if response.status != 200:
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
        self.n_clients = 0
        self.idle_since = time.monotonic()
        self.server: subprocess.Popen[bytes] | None = None

    async def run(self) -> None:
        """Start the server, serve until nobody needs it, end it."""
        self.greeting: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        await asyncio.start_unix_server(self.serve, sock=self.listener)
        try:
            self.server, port = await self.bring_up()
            self.greet({"url": f"http://127.0.0.1:{port}", "pid": self.server.pid})
            while self.server.poll() is None and not self.is_unused():
                await asyncio.sleep(TICK_S)
        except Failed as error:
            self.greet({"error": str(error)})
            await asyncio.sleep(TICK_S)
        finally:
            if self.server:
                with suppress(ProcessLookupError):
                    os.killpg(self.server.pid, signal.SIGKILL)
                self.server.wait()

    def greet(self, hello: dict[str, Any]) -> None:
        """Tell the address, or the error, to all who wait and who come."""
        self.greeting.set_result(json.dumps(hello).encode() + b"\n")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client: greeted once the server is ready, counted until it leaves."""
        self.n_clients += 1
        self.greeting.add_done_callback(lambda greeting: writer.write(greeting.result()))
        with suppress(OSError):
            await reader.read()
        writer.close()
        self.n_clients -= 1
        self.idle_since = time.monotonic()

    async def bring_up(self) -> tuple[subprocess.Popen[bytes], int]:
        """Launch and wait for the health check; the server and its port. A port that somebody took is tried
        again.
        """
        for n_left in reversed(range(TRIES)):
            self.server, port = start(self.spec["command"], self.spec["log"])
            if await self.wait_healthy(self.server, port):
                return self.server, port
            output = tail(self.spec["log"])
            if not n_left or BUSY_PORT not in output.lower():
                raise Failed(f"it ended with code {self.server.returncode} before it was ready: {output}")
        raise AssertionError("unreachable")

    async def wait_healthy(self, server: subprocess.Popen[bytes], port: int) -> bool:
        """True when the server is ready, False when it died. Raises Failed for another identity and after
        `start_s`.
        """
        deadline = time.monotonic() + self.spec["start_s"]
        while server.poll() is None:
            body = await asyncio.to_thread(health, port, self.spec["health"])
            if body is not None:
                expected = self.spec["identity"]
                identity = body.get("identity") if isinstance(body, dict) else None
                if expected is not None and identity != expected:
                    raise Failed(f"its health check gives identity {identity!r}, expected {expected!r}")
                return True
            if time.monotonic() > deadline:
                raise Failed(f"not healthy after {self.spec['start_s']:g} s: {tail(self.spec['log'])}")
            if self.is_unused():
                raise Failed("nobody waits for it any more")
            await asyncio.sleep(TICK_S)
        return False

    def is_unused(self) -> bool:
        """Whether the last client left `linger_s` ago and none is on its way (clients connect under the same
        lock).
        """
        if self.n_clients or time.monotonic() - self.idle_since < self.spec["linger_s"]:
            return False
        with open(self.spec["lock"], "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
            if select.select([self.listener], [], [], 0)[0]:
                return False
            os.unlink(self.spec["socket"])  # from here on the next client starts a new server
            return True


def main() -> None:
    """Run with the specification of `launch` as the one argument, as nobody's child, so that no client reaps
    it.
    """
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(Supervisor(json.loads(sys.argv[1])).run())


if __name__ == "__main__":
    main()
