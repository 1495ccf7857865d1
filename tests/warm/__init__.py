"""Commands of a copy of the project as processes that have imported their packages already.

A build of a tiny board starts some thirty processes, and each spends one to three seconds of CPU on importing
packages of others before it does some milliseconds' work. `Warm` starts one process that imports them once, and this
project's own code for those copies that have not changed it, and then, for each command, forks a child: with the
command's own arguments, environment, folder and streams, its own exit code, and its own end where the one
that asked for it is killed. A folder with a `python` and a `truerate` that ask for such a child stands first
in the PATH of a copy, so that DVC, Snakemake and the code under test find it as they find any other.

What is about processes themselves (kills, launched servers, parents that die) is run by Python as it is. Two
processes of one `Warm` hash strings alike; those of another one do not.
"""

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("python", "truerate")
LONGEST = 120  # characters of a script's first line that every system reads


class Warm:
    """The process that forks, and the folder of what asks it; nothing runs before `start`."""

    def __init__(self) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="warm-")
        self.folder = Path(self._place.name)
        first = f"#!{sys.executable} -ISE\n"
        self._is_possible = sys.platform == "linux" and len(first) < LONGEST and " " not in sys.executable
        self._server: subprocess.Popen | None = None
        for name in NAMES if self._is_possible else ():
            script = self.folder / name
            script.write_text(first + (HERE / "client.py").read_text("utf-8"), "utf-8")
            script.chmod(0o755)

    @property
    def python(self) -> str:
        """What to start in place of this Python: itself, elsewhere than on Linux."""
        return str(self.folder / "python") if self._is_possible else sys.executable

    def start(self) -> "Warm":
        """Start the process, where it does not run yet; what is asked before it has imported all waits."""
        if self._is_possible and self._server is None:
            own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            command = [sys.executable, str(HERE / "server.py"), str(self.folder)]
            self._server = subprocess.Popen(
                command, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
            assert self._server.stdout.readline() == b"listens\n"
        return self

    def stop(self) -> None:
        """End the process and every child of it; its CPU time counts as this process's children's."""
        if self._server:
            self._server.stdin.close()
            self._server.wait()
            self._server.stdout.close()
        self._place.cleanup()

    def used(self) -> float:
        """Processor seconds of the process and of its children that ended, while it runs (Linux)."""
        if self._server is None or self._server.returncode is not None:
            return 0.0
        told = Path(f"/proc/{self._server.pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")


@cache
def _of_this_process() -> list[Warm]:
    return []


def warm() -> Warm:
    """The one that the tests of this process share, started with the first command."""
    if not (shared := _of_this_process()):
        shared.append(Warm().start())
    return shared[0]


def anew() -> None:
    """End the shared one: what follows is run by another, which hashes strings otherwise."""
    while shared := _of_this_process():
        shared.pop().stop()


def used() -> float:
    """Processor seconds of the shared one, where it runs."""
    return sum(one.used() for one in _of_this_process())
