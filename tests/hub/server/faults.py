"""Faults on demand: by method and path, for the first so many requests that match, or always."""

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .wire import Answer

KINDS = ("error", "429", "drop", "lost", "slow", "truncate", "corrupt", "crash", "crash-after")
MAX_DELAY = 0.3


@dataclass
class Fault:
    """One kind of failure and whom it meets; `left` counts down, None means always.

    error: `status` instead of the work; 429: the same with 429; both with Retry-After where `retry_after` is
    set. drop: the connection is closed before the work, lost: after it. slow: the work after `delay` seconds.
    truncate: half of the body, then the connection closes. corrupt: one byte of the body flipped. crash:
    everything closes before the work, crash-after: after it.
    """

    method: str
    path: str
    kind: str
    left: int | None = 1
    status: int = 503
    retry_after: int | None = None
    delay: float = 0.2

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"fault {self.kind!r} is not known; known: {', '.join(KINDS)}")
        if self.delay > MAX_DELAY:
            raise ValueError(f"a delay of {self.delay} s is too long for a test; at most {MAX_DELAY} s")

    def meets(self, method: str, path: str) -> bool:
        """Whether a request is one of those that shall fail."""
        return self.left != 0 and self.method in (method, "*") and re.search(self.path, path) is not None


@dataclass
class Played:
    """What came of a request: the answer to send, None where none is sent; `status` for the log, 0 where
    nothing went out.
    """

    answer: "Answer | None" = None
    is_cut: bool = False
    is_crash: bool = False

    @property
    def status(self) -> int:
        """What the log says: 0 where nothing went out."""
        return self.answer.status if self.answer else 0


class Faults:
    """The faults that wait, in the order in which they were set; the first that matches is played."""

    def __init__(self):
        self.waiting: list[Fault] = []
        self.played: list[tuple[str, str, str]] = []  # kind, method, path
        self.lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        """Let a fault wait after those that wait already."""
        with self.lock:
            self.waiting.append(fault)

    def clear(self) -> None:
        """Forget what waits and what was played."""
        with self.lock:
            self.waiting.clear()
            self.played.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that this request meets, used up by one."""
        with self.lock:
            for fault in self.waiting:
                if fault.meets(method, path):
                    fault.left = None if fault.left is None else fault.left - 1
                    self.played.append((fault.kind, method, path))
                    return fault
        return None


def play(fault: Fault | None, work: Callable[[], "Answer"]) -> Played:
    """Do the work, or fail as the fault says."""
    if fault is None:
        return Played(work())
    if fault.kind in ("error", "429"):
        return Played(_error(fault))
    if fault.kind in ("drop", "crash"):
        return Played(is_crash=fault.kind == "crash")
    if fault.kind == "slow":
        time.sleep(fault.delay)
    answer = work()
    if fault.kind in ("lost", "crash-after"):
        return Played(is_crash=fault.kind == "crash-after")
    if fault.kind == "corrupt" and answer.body:
        middle = len(answer.body) // 2
        answer.body = answer.body[:middle] + bytes([answer.body[middle] ^ 1]) + answer.body[middle + 1 :]
    return Played(answer, is_cut=fault.kind == "truncate")


def _error(fault: Fault) -> "Answer":
    from .wire import Answer

    status = 429 if fault.kind == "429" else fault.status
    headers = {"Content-Type": "application/json"}
    if fault.retry_after is not None:
        headers["Retry-After"] = str(fault.retry_after)
    return Answer(status, json.dumps({"error": f"a fault was asked for: {status}"}).encode(), headers)
