"""Endpoints that are started when needed: one server for all processes of this store, which ends soon after
its last user.

Whoever uses a server holds a shared lock on a file, and its supervisor (`supervise.py`) ends it when nobody
does. One process at a time, under another lock, starts the server or finds it running, and waits until it is
healthy: no server is started twice, a dead one is replaced.
"""

import asyncio
import fcntl
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from truerate.config.layout import Layout
from truerate.core.errors import EndpointError, SettingsError
from truerate.core.text import clean
from truerate.llm.transport import supervise

POLL_S = 0.02
LAST_BREATH_S = 1.0  # within which a supervisor sees that its server has died
TRIES = 3  # to bring the server up, where its port was taken in between
BUSY_PORT = "address already in use"
TAIL = 5  # last lines of the server's output that an error shows
FIELDS = ("port", "seed", "identity", "languages", "track")


@dataclass(frozen=True)
class Launch:
    """A server that can be started: its command with `{port}` left open, and the folder of its files."""

    endpoint: str
    command: tuple[str, ...]
    identity: str | None
    health: str
    linger_s: float
    start_s: float
    folder: Path

    @classmethod
    def of(cls, config: Layout, name: str) -> "Launch":
        """The launch of an endpoint. Raises TruerateError if its command holds an unknown field."""
        endpoint = config.p.endpoints[name]
        line, identity = endpoint.launch or "", config.endpoint_identity(name)
        values = {
            "port": "{port}",
            "seed": config.p.seed,
            "identity": identity,
            "languages": ",".join(config.p.languages),
        }
        if "{track}" in line:
            values["track"] = config.track_at_work
        try:
            command = [part.format(**values) for part in shlex.split(line)]
        except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
            allowed = ", ".join(f"{{{field}}}" for field in FIELDS)
            raise SettingsError(
                f"params.yaml: endpoints.{name}.launch: cannot fill in {error}; allowed: {allowed}"
            ) from None
        if command[0] in ("python", "python3"):
            command[0] = sys.executable
        expected = identity if "{identity}" in line else None
        folder = config.store.with_name(config.store.name + ".d") / "run"
        return cls(
            name, tuple(command), expected, endpoint.health, endpoint.linger_s, endpoint.start_s, folder
        )

    def file(self, suffix: str) -> str:
        """A file of the server, named by a digest of command and identity."""
        name = sha256(json.dumps([self.command, self.identity]).encode()).hexdigest()[:16]
        return str(self.folder / f"{name}.{suffix}")

    def failed(self, what: str) -> EndpointError:
        """The error of a server that does not get ready."""
        return EndpointError(
            f"endpoint {self.endpoint!r}: launch {shlex.join(self.command)!r}: {clean(what)}"
        )

    def state(self) -> dict[str, Any]:
        """Return what the supervisor wrote: the server's `url` and `pid`, or how it ended."""
        try:
            state: dict[str, Any] = json.loads(Path(self.file("state")).read_bytes() or b"{}")
            return state
        except (OSError, ValueError):  # there was no server yet, or the file is being written
            return {}

    def is_running(self) -> bool:
        """Return whether a supervisor holds the lock on the server's state."""
        with open(self.file("state"), "ab") as file:
            return not _try_lock(file.fileno(), fcntl.LOCK_SH)

    def kill(self) -> None:
        """End the server, whose supervisor then ends too."""
        with suppress(KeyError, ProcessLookupError):
            os.killpg(self.state()["pid"], signal.SIGKILL)

    def output(self) -> str:
        """The last lines of the server's output, on one line."""
        text = Path(self.file("log")).read_text("utf-8", "replace")[-4000:]
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " | ".join(lines[-TAIL:]) or "it wrote nothing"


class ServerHandle:
    """A running server, which lasts as long as this handle is open."""

    def __init__(self, launch: Launch, users: int, url: str):
        self._launch, self._users, self.url = launch, users, url

    def is_open(self) -> bool:
        """Return whether this server still runs, and no other one in its place."""
        return self._launch.is_running() and self._launch.state().get("url") in (None, self.url)

    def close(self) -> None:
        """Let it go; the server ends when nobody has used it for `linger_s`."""
        if self._users >= 0:
            os.close(self._users)
        self._users = -1


@contextmanager
def launched(config: Layout, name: str) -> Iterator[str]:
    """Hold an endpoint's server over several runs; gives its address."""
    server = asyncio.run(acquire(Launch.of(config, name)))
    try:
        yield server.url
    finally:
        server.close()


async def acquire(launch: Launch) -> ServerHandle:
    """Join the running server or start it. Raises TruerateError, with the end of its output, if it does not
    get ready.
    """
    launch.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    began = time.time()
    lock, users = (
        os.open(launch.file(name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600) for name in ("lock", "users")
    )
    try:
        await _locked(lock, fcntl.LOCK_EX)
        await _locked(users, fcntl.LOCK_SH)
        failure = Path(launch.file("failure"))
        if failure.exists() and failure.stat().st_mtime >= began:  # while this process waited for its turn
            raise launch.failed(failure.read_text("utf-8"))
        try:
            return ServerHandle(launch, users, await _ready(launch))
        except ValueError as error:
            failure.write_text(str(error), "utf-8")
            raise launch.failed(str(error)) from None
    except BaseException:  # raised again: the server is not used
        os.close(users)
        raise
    finally:
        os.close(lock)


async def _ready(launch: Launch) -> str:
    """The address of the server once its health check passes. Raises ValueError, in words, if it ends before,
    has another identity, or takes longer than `start_s`. It is tried again where somebody took
    its port in between, or where it was one that another process is ending.
    """
    deadline = time.monotonic() + launch.start_s
    for n_left in reversed(range(TRIES)):
        is_new = not launch.is_running()
        if is_new:
            _start(launch)
        while launch.is_running():
            url = launch.state().get("url")
            body = await asyncio.to_thread(_health, url, launch.health) if url else None
            identity = body.get("identity") if isinstance(body, dict) else None
            if body is not None and launch.identity in (None, identity):
                return str(url)
            if body is not None:
                launch.kill()
                raise ValueError(
                    f"its health check gives identity {identity!r}, expected {launch.identity!r}"
                )
            if time.monotonic() > deadline:
                launch.kill()
                raise ValueError(f"not healthy after {launch.start_s:g} s: {launch.output()}")
            await asyncio.sleep(POLL_S)
        state, output = launch.state(), launch.output()
        if not n_left or (is_new and BUSY_PORT not in output.lower()):
            code = state.get("code", -signal.SIGKILL)
            raise ValueError(state.get("error") or f"it ended with code {code} before it was ready: {output}")
    raise AssertionError("unreachable")


def _start(launch: Launch) -> None:
    """Start a supervisor with a server at a free port; it inherits the lock on the server's state."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    Path(launch.file("log")).write_bytes(b"")
    state = os.open(launch.file("state"), os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(state, fcntl.LOCK_EX)
        spec = {
            "state": state,
            "users": launch.file("users"),
            "log": launch.file("log"),
            "linger_s": launch.linger_s,
            "url": f"http://127.0.0.1:{port}",
            "command": [part.replace("{port}", str(port)) for part in launch.command],
        }
        subprocess.run(
            [sys.executable, "-I", "-S", supervise.__file__, json.dumps(spec)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=[state], start_new_session=True, check=False,
        )  # fmt: skip
    finally:
        os.close(state)


def _health(url: str, path: str) -> object:
    """The JSON of the health check, True for another body of status 200, None where it is not ready."""
    link = http.client.HTTPConnection(url.removeprefix("http://"), timeout=2)
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


def _try_lock(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _locked(file: int, kind: int) -> None:
    while not _try_lock(file, kind):
        await asyncio.sleep(POLL_S)


class EndpointAddress:
    """The address of one endpoint in one run, and the handle of its server if it is launched."""

    def __init__(self, config: Layout, name: str):
        self._at, self.name = config, name
        self._endpoint = config.p.endpoints[name]
        self._server: ServerHandle | None = None
        self._lock = asyncio.Lock()
        self.url = self._endpoint.url

    async def find(self) -> str:
        """The address; a launched server is started or joined. Raises TruerateError if it fails."""
        if self._endpoint.launch:
            self._server = await acquire(Launch.of(self._at, self.name))
            self.url = self._server.url + "/v1"
        return self.url

    async def find_again(self, sent_to: str, *, is_gone: bool) -> str:
        """The address after a call to `sent_to` failed. One worker replaces a server that is gone, for all;
        where nobody listens any more (`is_gone`) its supervisor is about to end, which is waited for.
        """
        async with self._lock:
            server = self._server if sent_to == self.url else None
            deadline = time.monotonic() + LAST_BREATH_S
            while server and is_gone and server.is_open() and time.monotonic() < deadline:
                await asyncio.sleep(POLL_S)
            if server and not server.is_open():
                server.close()
                await self.find()
            return self.url

    def leave(self) -> None:
        """Let go of the server."""
        if self._server:
            self._server.close()
