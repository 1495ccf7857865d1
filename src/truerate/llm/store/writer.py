"""The one thread of a process that writes to the response store."""

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

LARGEST = 256  # operations per transaction

Operation = Callable[[sqlite3.Connection], Any]
Result = TypeVar("Result")


class Writer:
    """Gather operations into transactions; a future resolves after its operation's commit."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]):
        self._queue: queue.SimpleQueue[tuple[Operation, Future[Any]] | None] = queue.SimpleQueue()
        self._connect = connect
        self._thread = threading.Thread(target=self._run, name="response-store", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[sqlite3.Connection], Result]) -> Future[Result]:
        """Queue an operation; one that fails is undone alone and hands its exception to its future.

        What is queued is written, also when its caller is cancelled: the future is marked as running, since a
        cancelled one raises InvalidStateError in the thread, which ends it, and all later operations wait for
        ever.
        """
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()
        self._queue.put((operation, future))
        return future

    def close(self) -> None:
        """Write what is queued and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        link = None
        while (batch := self._next()) is not None:
            try:
                link = link or self._connect()
                results = _commit(link, [operation for operation, _ in batch])
            except Exception as error:  # the whole transaction failed: every future says so
                results = [error] * len(batch)
            for (_, future), result in zip(batch, results, strict=True):
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        if link:
            link.close()

    def _next(self) -> list[tuple[Operation, Future[Any]]] | None:
        """Wait for one operation, then take what else is there; None at the end."""
        first = self._queue.get()
        if first is None:
            return None
        batch = [first]
        while len(batch) < LARGEST:
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                break
            if entry is None:
                self._queue.put(None)  # seen again when this batch is written
                break
            batch.append(entry)
        return batch


def _commit(link: sqlite3.Connection, operations: list[Operation]) -> list[object]:
    """The operations' results after one commit, an exception in the place of each that failed."""
    results: list[object] = []
    link.execute("BEGIN IMMEDIATE")
    try:
        for operation in operations:
            link.execute("SAVEPOINT one")
            try:
                results.append(operation(link))
            except Exception as error:  # whoever submitted it is told; the others go on
                link.execute("ROLLBACK TO one")
                results.append(error)
            link.execute("RELEASE one")
        link.execute("COMMIT")
    except BaseException:  # raised again, once nothing is left half written
        if link.in_transaction:
            link.execute("ROLLBACK")
        raise
    return results
