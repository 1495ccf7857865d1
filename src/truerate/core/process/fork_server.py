"""Processes that begin as forks: of a build's stages, and of the jobs of one stage.

A stage works for some tenths of a second on a small board and imports packages for one to three before. So
`truerate build` has a server fork its stages: a process that imports the packages once, when the first stage
asks, and has computed nothing, since a fork has none of the threads that libraries start. A folder with a
`python` that asks it (`fork_client`) goes first in the PATH of `dvc repro`; without the server each stage is
a Python of its own, as it is under a plain `dvc repro`.
"""

import atexit
import gc
import marshal
import os
import runpy
import selectors
import shlex
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from truerate.core.process import fork_client, parents

IDLE_THREADS = {"jemalloc_bg_thd", "polars-ooc-clea"}  # of polars' import, which no work waits for


# ---- a fork --------------------------------------------------------------------------------------------------
def library_threads() -> set[str]:
    """The names of threads that libraries have started: a fork has none of them and would wait for them."""
    of_python = {os.getpid(), *(thread.native_id for thread in threading.enumerate())}  # a fork's first is it
    tasks = [task for task in Path("/proc/self/task").iterdir() if int(task.name) not in of_python]
    return {(task / "comm").read_text("utf-8").strip() for task in tasks} - IDLE_THREADS


def fork(work: Callable[[], int | None]) -> int:
    """Start a process that ends with the exit code which `work` returns (None: 0); returns its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    if process := os.fork():
        return process
    code = 1
    atexit._clear()  # what the parent does at its end, as to remove its temporary folders, is not the fork's
    try:
        code = work() or 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        if isinstance(ending.code, str):
            print(ending.code, file=sys.stderr)
    except KeyboardInterrupt:
        code = parents.INTERRUPTED
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:  # the last frame of this process: nothing returns into the parent's code
        with suppress(Exception):
            threading._shutdown()  # type: ignore[attr-defined]  # as Python itself waits for threads at its end
            atexit._run_exitfuncs()
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code & 0xFF)


# ---- the server ----------------------------------------------------------------------------------------------
@contextmanager
def fork_server(prepare: Callable[[list[str]], None]) -> Iterator[str | None]:
    """Yield the folder of a `python` whose commands are forks; None where forking is not safe. `prepare`
    imports what commands of some arguments need, before the first of them is forked.
    """
    if sys.platform != "linux" or library_threads():
        yield None
        return
    with TemporaryDirectory(prefix="truerate-forks-") as folder, ExitStack() as ends:
        command = [sys.executable, "-ISE", fork_client.__file__, f"{folder}/socket"]
        python = Path(folder, "python")
        python.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', "utf-8")
        python.chmod(0o755)
        listener = ends.enter_context(socket.socket(socket.AF_UNIX))
        try:
            listener.bind(f"{folder}/socket")
        except OSError:  # the path is longer than a socket's may be
            python.chmod(0)
        if not os.access(python, os.X_OK):  # nor may a file of a disk that is mounted `noexec`
            yield None
            return
        listener.listen(64)
        until, parent_end = os.pipe()
        server = fork(partial(_serve, listener, until, parent_end, folder, prepare))
        os.close(until)
        listener.close()
        try:
            yield folder
        finally:  # at the end of this process, too, and then the server waits for its forks
            os.close(parent_end)
            os.waitpid(server, 0)


def _serve(
    listener: socket.socket, until: int, parent_end: int, folder: str, prepare: Callable[[list[str]], None]
) -> None:
    os.setpgid(0, 0)  # a terminal's Ctrl-C reaches the clients, which pass it on
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.close(parent_end)
    _Server(listener, until, prepare).serve()
    shutil.rmtree(folder, ignore_errors=True)  # where the build was killed, nobody else does


class _Server:
    """Forks what clients ask for, tells each how its fork ended; ends once its parent and the forks have."""

    def __init__(self, listener: socket.socket, until: int, prepare: Callable[[list[str]], None]) -> None:
        self.listener, self.until, self.prepare = listener, until, prepare
        self.clients: dict[int, socket.socket] = {}  # by the id of the fork
        self.files: dict[str, tuple[int, int]] | None = None
        self.ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector = selectors.DefaultSelector()
        for source, act in ((listener, self._accept), (self.ended, self._reap), (until, self._stop)):
            self.selector.register(source, selectors.EVENT_READ, act)

    def serve(self) -> None:
        while self.listener.fileno() >= 0 or self.clients:
            for key, _ in self.selector.select():
                key.data()

    def _accept(self) -> None:
        client, _ = self.listener.accept()
        streams: list[int] = []
        try:
            head, streams, _, _ = socket.recv_fds(client, 8, 3)
            request = marshal.loads(client.makefile("rb").read(int.from_bytes(head, "big")))
            if not self._is_ready(request[0]):
                client.close()
                return
            process = fork(partial(self._run, parents.binding(), client, streams, *request))
            os.setpgid(process, process)  # to be interrupted as a whole
            self.clients[process] = client
            client.sendall(b"%d\n" % process)
        except (OSError, EOFError, ValueError):  # the client has gone
            client.close()
        finally:
            for stream in streams:
                os.close(stream)

    def _is_ready(self, arguments: list[str]) -> bool:
        """Return whether what is imported is what a Python of its own would import, and nothing has computed
        yet.
        """
        if self.files is None:
            self.files = source_files()
        if self.files != source_files():
            return False
        self.prepare(arguments)
        if library_threads():
            return False
        gc.collect()
        gc.freeze()
        return True

    def _run(
        self,
        end_with_server: Callable[[], None],
        client: socket.socket,
        streams: list[int],
        arguments: list[str],
        folder: str,
        environment: dict[str, str],
        client_id: int,
    ) -> None:
        """Be the process that the client stands for: its streams, folder, environment and arguments."""
        signal.set_wakeup_fd(-1)
        for name in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_with_server()
        self.selector.close()
        for line in (self.listener, client, *self.clients.values()):
            line.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        for number in (*streams, self.ended, self.until):
            os.close(number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        parents.stand_in(client_id)
        sys.path[0] = folder
        sys.argv = arguments[1:]
        sys.modules.pop(f"{arguments[1]}.__main__", None)  # of the console script that began the build
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            os.read(self.ended, 4096)
        while self.clients:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            with self.clients.pop(process) as client, suppress(OSError):
                client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))

    def _stop(self) -> None:
        self.selector.unregister(self.until)
        self.selector.unregister(self.listener)
        self.listener.close()


def source_files() -> dict[str, tuple[int, int]]:
    """Size and time of each file of the packages, by its path: a fork runs the code that was imported."""
    files: dict[str, tuple[int, int]] = {}
    folders = [str(path) for path in Path(fork_client.PACKAGES).glob("truerate*")]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        folders.append(entry.path)
                else:
                    state = entry.stat()
                    files[entry.path] = (state.st_size, state.st_mtime_ns)
    return files
