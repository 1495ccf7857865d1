"""Who holds a lease: a process, told apart from a later one of the same number, and whether it still runs."""

import os
import secrets
import socket
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True)
class LeaseHolder:
    """One run of `ask`: its process, the kernel's start time of that, and its `host`."""

    id: int
    host: str
    pid: int
    started: int

    @classmethod
    def mine(cls) -> "LeaseHolder":
        """A new holder in this process."""
        pid = os.getpid()
        return cls(secrets.randbits(62), host(), pid, started(pid) or 0)


@lru_cache(maxsize=1)
def host() -> str:
    """The boot of this machine and the process namespace, within which process numbers are known."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip() + os.readlink("/proc/self/ns/pid")
    except OSError:
        return socket.gethostname()


def started(pid: int) -> int | None:
    """The start time of a process in the kernel's units; None for an absent process or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None if os.path.isdir("/proc/self") else _started_elsewhere(pid)
    return None if fields[0] in "ZX" else int(fields[19])


def _started_elsewhere(pid: int) -> int | None:
    """The same where there is no /proc."""
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else round(process.create_time())
    except psutil.Error:
        return None


def is_alive(holder: LeaseHolder, *, heartbeat: float, ttl: float, now: float) -> bool:
    """Whether a holder may still answer: its process runs (on this host), with a heartbeat within `ttl`
    seconds.
    """
    if holder.host == host() and started(holder.pid) != holder.started:
        return False
    return heartbeat + ttl > now
