"""What a terminal is told beside results: one line each, on stderr."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from truerate.core.invisible import visible

LONG_S = 5.0  # a wait that is longer says what it is for


def say(line: str) -> None:
    """Print one line for a person; what in it came out of a file and is not seen stands as its escape."""
    print(f"truerate: {visible(line)}", file=sys.stderr, flush=True)


def say_wait(seconds: float, what: str) -> None:
    """Say what a wait of known length is for; a wait of at most LONG_S is not worth a line."""
    if seconds > LONG_S:
        say(f"waiting {seconds:,.0f} s: {what}")


@contextmanager
def announced_wait(what: str) -> Iterator[None]:
    """Say once what is waited for, should the block take longer than LONG_S."""
    timer = threading.Timer(LONG_S, say, [f"still waiting: {what}"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
