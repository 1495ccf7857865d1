"""A process that reads pages for another, each within a limit of time: no thread can be stopped in the middle
of one.

The kernel's clock of computing time ends it where a page takes longer, and so does the end of its parent.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection

from truerate.core.errors import TruerateError
from truerate.web.outcomes import Outcome, Page, Text

START_S = 120.0  # a process that is not ready by then will not be
WALL = 20  # limits that a page may take by the clock on the wall, where others compute as well
WARMING = (  # what reading pages loads with its first: also the lists of words that a short article needs
    "<html><title>A page</title><body><article>" + "<p>What is loaded with the first page is loaded.</p>" * 3
)
KILLED = (-signal.SIGKILL, -signal.SIGTERM)  # by somebody else: not the page's doing
PDEATHSIG = 1  # of Linux's prctl


class Extractor:
    """Reads pages in a process of its own, started when first needed and after a page has ended it."""

    def __init__(self, limit_s: float):
        self.limit_s = limit_s  # seconds of computing per page
        self._process: subprocess.Popen | None = None
        self._link: Connection | None = None
        self._is_closed = False

    def read(self, page: Page | str, how: str, sign_in_phrases: Sequence[str]) -> Text:
        """Return the text of a fetched page, or of markup; a timeout where that takes longer than the limit,
        an error where it ends the process. Raises TruerateError where the process does not start.
        """
        code = 0
        for _ in range(2):
            if self._is_closed:
                break
            self._start()
            try:
                self._link.send((page, how, list(sign_in_phrases)))
                if self._link.poll(max(START_S, WALL * self.limit_s)):
                    return self._link.recv()
            except (EOFError, OSError):
                code = self._process.wait()
            else:
                code = -signal.SIGPROF
            self._end()
            if code not in KILLED:
                break
        if code == -signal.SIGPROF:
            return Text(Outcome.TIMEOUT, detail=f"not read within {self.limit_s:g} s")
        return Text(Outcome.ERROR, detail=f"its reader ended by {_exit_words(code)}")

    def close(self) -> None:
        """End the process, whatever it is at; also from another thread than the one that reads."""
        self._is_closed = True
        if process := self._process:
            process.kill()
            process.wait()

    def _start(self) -> None:
        """Start the process, where none runs, and wait until it has loaded what it reads with."""
        if self._process:
            return
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", "-m", "truerate.web.extractor"]
            command += [str(theirs.fileno()), str(os.getpid()), repr(self.limit_s)]
            places = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            self._process = subprocess.Popen(command, **quiet, pass_fds=[theirs.fileno()], env=places)
        self._link = Connection(ours.detach())
        try:
            is_ready = self._link.poll(START_S) and self._link.recv()
        except (EOFError, OSError):
            is_ready = False
        if not is_ready and not self._is_closed:
            self._process.kill()
            ended = f"ended by {_exit_words(self._process.wait())}"
            raise TruerateError(f"reading pages: the process that reads them {ended}; run again")

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._link.close()
        self._process = self._link = None


def _exit_words(code: int) -> str:
    """Return how a process ended, in words."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def main(line: int, parent: int, limit_s: float) -> None:
    """Answer each message (a page or markup, how to read it, phrases) with its Text until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then cuts the line
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    from truerate.web import extract

    extract.of_markup(WARMING, extract.MAIN)
    link = Connection(line)
    link.send(True)
    while True:
        try:
            page, how, phrases = link.recv()
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        try:
            read = extract.of_markup if isinstance(page, str) else extract.extracted
            text = read(page, how, phrases)
        except Exception as error:  # a page made to break a parser costs that page, not the run
            text = Text(Outcome.ERROR, detail=type(error).__name__)
        signal.setitimer(signal.ITIMER_PROF, 0)
        link.send(text)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
