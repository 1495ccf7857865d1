"""Programs of other projects that a command starts and waits for: DVC, Snakemake.

    python -m truerate.core.process.tools dvc repro

runs one as `python -m` does, but ends without a traceback when Ctrl-C comes before the program itself handles
it: while Python and the program's packages are still being imported, and after its own handler has returned.
"""

import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from truerate.core.process import parents

# A terminal sends Ctrl-C to all processes of its group, `kill -INT` to one alone, and nobody can tell which
# it was.
# So what still runs after this time is interrupted again; commands below the tool by SIGTERM, since a second
# SIGINT means "at once" to those that wait for replies.
PASS_ON_S = 2.0
_CTRL_C = {signal.SIGINT}


def command_of(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of this Python as the docstring above says."""
    return [sys.executable, "-m", "truerate.core.process.tools", module, *arguments]


def run(command: Sequence[str], *, cwd: str = ".", env: dict[str, str] | None = None) -> int:
    """Run a `command_of`; its exit code as shells count it, 130 if this process was interrupted. It is killed
    when this process ends. Handlers, not exceptions, note signals: an interrupted `waitpid` restarts and
    loses the child's exit code. In a stage of a build SIGTERM interrupts as Ctrl-C does.
    """
    signals: list[int] = []
    running: list[subprocess.Popen[bytes]] = []

    def note(number: int, _frame: object) -> None:
        signals.append(number)
        later = threading.Timer(PASS_ON_S, _pass_on, [running])
        later.daemon = True
        later.start()

    with handled(note, signal.SIGINT, *([signal.SIGTERM] if parents.is_in_stage() else [])):
        running.append(subprocess.Popen(command, cwd=cwd, env=env, preexec_fn=_before_program()))
        code = running[0].wait()
    if signals:
        return parents.INTERRUPTED
    return code if code >= 0 else 128 - code


def _before_program() -> Callable[[], None]:
    """Return what a `command_of` does before Python starts: Ctrl-C waits until `main` can handle it."""
    bind = parents.binding()

    def before() -> None:
        bind()
        signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)

    return before


@contextmanager
def handled(handler: Callable[[int, object], None], *numbers: signal.Signals) -> Iterator[None]:
    """Handle signals by a function. Where SIGCHLD was ignored, it is not: no exit code could be read."""
    before = {number: signal.signal(number, handler) for number in numbers}
    before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _pass_on(running: Sequence[subprocess.Popen[bytes]]) -> None:
    """Interrupt a command that still runs, and those below it that a terminal would have interrupted."""
    import psutil

    if not running or running[0].poll() is not None:
        return
    with suppress(psutil.Error, OSError):
        below = psutil.Process(running[0].pid).children(recursive=True)
        running[0].send_signal(signal.SIGINT)
        for process in below:
            with suppress(psutil.Error, OSError):
                if os.getpgid(process.pid) == os.getpgrp():
                    process.terminate()


def main() -> int:
    """Run the module that the arguments name; exit code 130 where it did not handle Ctrl-C."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _CTRL_C)
        sys.argv = sys.argv[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # threads are waited for without another traceback
        return parents.INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
