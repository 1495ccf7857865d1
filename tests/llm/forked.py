"""Processes that are forks of this one: they have imported everything already, and are killed like any other."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection

from truerate.llm.transport import client  # noqa: F401 - half a second of imports, once for all forks

FORK = multiprocessing.get_context("fork")


class Forked:
    """A process that runs `work(send, *args)`; what it sends is received here."""

    def __init__(self, work: Callable, *args: object):
        self._receiver, sender = FORK.Pipe(duplex=False)
        self._process = FORK.Process(target=_run, args=(work, sender, *args), daemon=True)
        self._process.start()
        sender.close()

    def receive(self) -> object:
        """The next value. Raises EOFError once the process has ended without one."""
        return self._receiver.recv()

    def rest(self) -> list:
        """All further values, once the process has ended."""
        values = []
        try:
            while True:
                values.append(self.receive())
        except EOFError:
            self._process.join()
            return values

    def is_running(self) -> bool:
        return self._process.is_alive()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal and wait for the end."""
        if self._process.is_alive():
            os.kill(self._process.pid, number)
        self._process.join()


def _run(work: Callable, sender: Connection, *args: object) -> None:
    os.setpgrp()  # a Ctrl-C of the tests is none of this process
    work(sender.send, *args)
