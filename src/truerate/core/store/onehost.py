"""One host per SQLite file: write-ahead logging shares memory, which no network file system does, so a second
host would corrupt it.
"""

import json
import os
import socket
import time
from functools import cache
from pathlib import Path
from typing import Any

from truerate.core.errors import StoreError

FRESH_S = 60.0  # a mark that was not renewed for so long belongs to nobody
MARK = "host.json"
NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "afs", "orangefs", "pvfs2", "fuse.sshfs",
     "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "fuse.juicefs", "panfs", "wekafs"}
)  # fmt: skip
ADVICE = (
    "name a place on a disk of this host (TRUERATE_STORE for the response store); `truerate llm "
    "export` and `import` move replies"
)


@cache
def boot() -> str:
    """The id of this boot of this machine, shared by its containers; else the host's name."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return socket.gethostname()


@cache
def _booted_at() -> float:
    """Return when this machine started, in seconds since the epoch; 0 where the kernel does not tell."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith("btime ")))
    except (OSError, StopIteration, ValueError):
        return 0.0


def refuse_network(path: Path, what: str, mounts: Path = Path("/proc/self/mounts")) -> None:
    """Raise StoreError where a file's folder lies on a network file system. `what`: the file's use."""
    kind = kind_of(path, mounts)
    if kind in NETWORK:
        raise StoreError(
            f"{what} {str(path)!r} lies on a network file system ({kind}), which SQLite cannot share; "
            f"{ADVICE}"
        )


def kind_of(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str | None:
    """The type of the file system that holds a path, None where the kernel does not tell."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    real_path = Path(os.path.realpath(path))
    depth, filesystem = 0, None
    for line in lines:
        _, point, kind, *_ = line.split(" ")
        mounted = Path(point.replace("\\040", " ").replace("\\011", "\t"))
        if (
            real_path.is_relative_to(mounted) and len(mounted.parts) >= depth
        ):  # the deepest; of several on one point the last is on top
            depth, filesystem = len(mounted.parts), kind
    return filesystem


def hold(folder: Path, what: str) -> None:
    """Mark a store's folder as used by this host. Raises StoreError if another did within FRESH_S seconds."""
    mark, now = folder / MARK, time.time()
    other = _read(mark)
    if other and other["boot"] != boot() and abs(now - other["at"]) < FRESH_S and other["at"] > _booted_at():
        since = f"{max(0, now - other['at']):.0f} s ago"
        which = f"the host {other['name']!r} used it {since}, and one store serves one host"
        raise StoreError(f"{what}: {which}; wait until it is done, or {ADVICE}")
    scratch = folder / f"{MARK}.{os.getpid()}"
    scratch.write_text(json.dumps({"boot": boot(), "name": socket.gethostname(), "at": now}), "utf-8")
    os.replace(scratch, mark)


def _read(mark: Path) -> dict[str, Any] | None:
    """Return what a mark says, None where there is none or it is unreadable."""
    try:
        mark_values = json.loads(mark.read_text("utf-8"))
        return {
            "boot": str(mark_values["boot"]),
            "name": str(mark_values["name"]),
            "at": float(mark_values["at"]),
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None
