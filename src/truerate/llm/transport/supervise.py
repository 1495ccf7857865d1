"""Keep one launched server alive while somebody uses it. A script of its own: the standard library alone.

Whoever uses the server holds a shared lock on the file `users`, which the kernel frees when a process dies.
When nobody has held one for `linger_s` seconds, the server's process group is killed. The lock on the file
descriptor `state`, which this process inherits, says that the server runs: whoever can take it knows that
it is gone. The kernel kills the server when this process dies.
"""

import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

TICK_S = 0.05


def start(command: list[str], log: str) -> subprocess.Popen[bytes]:
    """The server as the leader of a process group, which the kernel kills when this process ends."""
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    parent = os.getpid()

    def bind_to_parent() -> None:
        if libc:
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    with open(log, "wb") as out:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=bind_to_parent,
        )  # fmt: skip


def supervise(state: int, users: str, log: str, linger_s: float, url: str, command: list[str]) -> None:
    """Run a server until it ends or nobody uses it; `state` holds its address, or how it ended."""

    def write(**fields: Any) -> None:
        text = json.dumps(fields).encode()
        os.ftruncate(state, os.pwrite(state, text, 0))

    try:
        server = start(command, log)
    except OSError as error:
        write(error=f"cannot run {command[0]!r}: {error.strerror}")
        return
    write(url=url, pid=server.pid)
    lock = os.open(users, os.O_RDWR)
    used_at = time.monotonic()
    try:
        while server.poll() is None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.monotonic() - used_at > linger_s:
                    return  # with the lock held, so that nobody joins a server that ends
                fcntl.flock(lock, fcntl.LOCK_UN)
            except BlockingIOError:
                used_at = time.monotonic()
            time.sleep(TICK_S)
        write(code=server.returncode)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def main() -> None:
    """Run as nobody's child, so that the process that starts this one need not wait for it."""
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervise(**json.loads(sys.argv[1]))


if __name__ == "__main__":
    main()
