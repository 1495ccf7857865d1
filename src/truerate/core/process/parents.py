"""A process of a build ends with what started it: when `dvc repro` is killed, nothing works on beside the
next build.

DVC starts a shell, that `truerate`, that perhaps Snakemake, a shell and `truerate` again. The kernel tells a
process nothing of the death of its grandparents, but the one below the dead gets another parent: that is what
is watched.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

STAGE = "DVC_STAGE"  # set by DVC for the commands of a stage, and so for all that they start
LOOK_S = 0.5  # between two looks: some microseconds each
GRACE_S = 10.0  # to let go of what is under way
INTERRUPTED = 130  # the exit code after Ctrl-C: 128 + SIGINT, as shells count
_clients: list[int] = []  # the process that a fork stands in for (`fork_server`)


def is_in_stage() -> bool:
    """Return whether DVC started this process, or one that started it."""
    return STAGE in os.environ


def end_with_them() -> None:
    """Watch the processes from this one up to DVC, and interrupt this one once one of them is gone."""
    pairs = [pair for first in (os.getpid(), *_clients) for pair in pairwise(ancestors(first))]
    threading.Thread(target=_watch, args=(pairs,), daemon=True).start()


def stand_in(client: int) -> None:
    """Have this process, and its forks, end with those above another process, which it stands in for."""
    _clients[:] = [client]


def ancestors(first: int) -> list[int]:
    """A process and its parents up to DVC, which has no stage's variable; without /proc this process's one."""
    line = [first, _parent_of(first) or 0]
    while line[-1] > 1 and _is_of_stage(line[-1]) and (above := _parent_of(line[-1])):
        line.append(above)
    return line


def _watch(pairs: list[tuple[int, int]]) -> None:
    # an event that nobody sets, since `time.sleep` fails (EINVAL) where faketime moves the clock
    never = threading.Event()
    while all(_parent_of(child) == parent for child, parent in pairs):
        never.wait(LOOK_S)
    interrupt()


def interrupt() -> None:
    """End this process as Ctrl-C does, and after GRACE_S, or if it ignores Ctrl-C, at once."""
    main = threading.main_thread().ident
    if main is not None and callable(signal.getsignal(signal.SIGINT)):
        signal.pthread_kill(main, signal.SIGINT)
        threading.Event().wait(GRACE_S)
    os._exit(INTERRUPTED)


def binding() -> Callable[[], None]:
    """A function for a new process before its program: the kernel kills it when this one ends (Linux)."""
    import ctypes

    libc, parent = ctypes.CDLL(None) if sys.platform == "linux" else None, os.getpid()

    def bind() -> None:
        if libc:
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    return bind


def _parent_of(pid: int) -> int | None:
    """The parent of a process; None where there is no such process, or none can be looked at."""
    if pid == os.getpid():
        return os.getppid()
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    except OSError:
        return None


def _is_of_stage(pid: int) -> bool:
    """Return whether a process was started with the variable of a stage; no where it cannot be looked at."""
    try:
        return any(
            variable.startswith(f"{STAGE}=".encode())
            for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        )
    except OSError:
        return False


def is_first_process() -> bool:
    """Return whether this process works alone, or is the first of those that `torchrun` started together."""
    return os.environ.get("RANK", "0") == "0"
