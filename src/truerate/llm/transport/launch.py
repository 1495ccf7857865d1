"""Endpoints that are started when needed: one server for all processes of this store, gone soon after its
last user.

A client connects to the socket of its supervisor (`supervise.py`) and holds the connection. Where nobody
listens, one process, under a lock, starts a supervisor that inherits the listening socket: no server is
started twice, a dead one is replaced.
"""

import json
import os
import select
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from truerate.config.layout import Layout
from truerate.core.errors import EndpointError, SettingsError, StoreError
from truerate.core.store.keyed_store import locked
from truerate.core.text import clean
from truerate.llm.transport import supervise

LONGEST_SOCKET = 100  # bytes of a socket's path that every system takes
TRIES = 3  # a supervisor may end, its linger over, between our connecting and its greeting
PLACES = ("port", "seed", "identity", "languages", "track")


@dataclass(frozen=True)
class Launch:
    """A server that can be started: its command with `{port}` left open, and where its supervisor listens."""

    endpoint: str
    command: tuple[str, ...]
    identity: str | None
    health: str
    linger_s: float
    start_s: float
    folder: Path

    @classmethod
    def of(cls, config: Layout, name: str) -> "Launch":
        """The launch of an endpoint. Raises TruerateError if its command holds an unknown place."""
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
            places = ", ".join(f"{{{field}}}" for field in PLACES)
            raise SettingsError(
                f"params.yaml: endpoints.{name}.launch: cannot fill in {error}; allowed: {places}"
            ) from None
        if command[0] in ("python", "python3"):
            command[0] = sys.executable
        asked_back = identity if "{identity}" in line else None
        folder = config.store.with_name(config.store.name + ".d") / "run"
        return cls(
            name, tuple(command), asked_back, endpoint.health, endpoint.linger_s, endpoint.start_s, folder
        )

    def __str__(self) -> str:
        return f"endpoint {self.endpoint!r}: launch {shlex.join(self.command)!r}"

    def file(self, suffix: str) -> str:
        """A file of the server, named by a digest of command and identity."""
        name = sha256(json.dumps([self.command, self.identity]).encode()).hexdigest()[:16]
        return str(self.folder / f"{name}.{suffix}")

    @property
    def socket(self) -> str:
        """The supervisor's socket, in the temporary folder where the store's own path is too long for one."""
        path = self.file("sock")
        if len(os.fsencode(path)) <= LONGEST_SOCKET:
            return path
        folder = Path(tempfile.gettempdir()) / f"truerate-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise StoreError(
                f"endpoint {self.endpoint!r}: {str(folder)!r} belongs to another user; set TMPDIR to a "
                f"folder of yours"
            )
        return str(folder / f"{sha256(path.encode()).hexdigest()[:16]}.sock")


class ServerHandle:
    """A running server, which lasts as long as this connection is open."""

    def __init__(self, link: socket.socket, url: str, pid: int):
        self._link, self.url, self.pid = link, url, pid

    def is_open(self) -> bool:
        """Whether its supervisor still holds the other end."""
        return not select.select([self._link], [], [], 0)[0]

    def close(self) -> None:
        """Let it go; the server ends when nobody else holds it for `linger_s`."""
        self._link.close()


@contextmanager
def launched(config: Layout, name: str) -> Iterator[str]:
    """Hold an endpoint's server over several runs; gives its address."""
    server = acquire(Launch.of(config, name))
    try:
        yield server.url
    finally:
        server.close()


def acquire(launch: Launch) -> ServerHandle:
    """Join the running server or start it. Raises TruerateError, with the end of its output, if it does not
    get ready.
    """
    launch.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for _ in range(TRIES):
        with locked(Path(launch.file("lock"))):
            link = _connect(launch.socket) or _start(launch)
        if (hello := _hello(link, launch.start_s)) and "error" not in hello:
            return ServerHandle(link, hello["url"], hello["pid"])
        link.close()
        if hello:
            raise EndpointError(f"{launch}: {clean(hello['error'])}")
    raise EndpointError(f"{launch}: its supervisor ended {TRIES} times; run again")


def _connect(path: str) -> socket.socket | None:
    """A connection to a supervisor, None where none listens."""
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(path)
    except OSError:
        link.close()
        return None
    return link


def _start(launch: Launch) -> socket.socket:
    """Start a supervisor and connect to it; called with the lock held."""
    path = launch.socket
    Path(path).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(128)
        spec = {
            name: getattr(launch, name) for name in ("command", "identity", "health", "linger_s", "start_s")
        }
        spec |= {
            "listener": listener.fileno(),
            "socket": path,
            "lock": launch.file("lock"),
            "log": launch.file("log"),
        }
        subprocess.run(
            [sys.executable, "-I", "-S", supervise.__file__, json.dumps(spec)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=[listener.fileno()], start_new_session=True, check=False,
        )  # fmt: skip
        link = _connect(path)
    if link is None:
        raise StoreError(
            f"endpoint {launch.endpoint!r}: cannot listen on {path!r}; name another place in TRUERATE_STORE"
        )
    return link


def _hello(link: socket.socket, start_s: float) -> dict[str, Any] | None:
    """The supervisor's line once the server is ready or has failed; None where it ended without a word."""
    link.settimeout(3 * start_s + 10)
    try:
        with link.makefile("rb") as lines:
            line = lines.readline()
    except OSError:
        return None
    link.settimeout(None)
    hello: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
    return hello
