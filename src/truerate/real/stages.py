"""The stages of the boards of public files, board by board: what one of them ends with takes no other along."""

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from truerate.core import parents
from truerate.core.terminal import say, told
from truerate.flow.making import BUILD
from truerate.real.sets import MARK, ended_with

LOG = "real.log"  # in the work folder: all that DVC, Snakemake and the steps print
STAGE = "board"  # of dvc.yaml in the work folder (real.pipeline), a case per board
RUNNING = "Running stage '"  # how DVC begins a stage
SAME, FAILED = (
    "' didn't change, skipping",
    "WARNING: failed to run: ",
)  # how it passes one over, and says that one failed
N_KEPT = 200  # lines of a command in which its reason is looked for


def run_boards(work: Path, boards: Sequence[str]) -> dict[str, str]:
    """Run the stage of each board, one board after the other; returns why a board ended early, by board.

    A line says which board is made, and one in how many seconds it was. A board that DVC neither ran nor passed over has
    the reason that DVC ended with.
    """
    lines: dict[str, deque[str]] = {}
    codes: dict[str, int] = {}
    last: deque[str] = deque(maxlen=N_KEPT)
    board, begun = "", 0.0

    def made() -> None:
        if board and not codes[board]:
            say(f"{board}: made in {time.monotonic() - begun:.0f} s")

    with _repro(work, "--keep-going", *(f"{STAGE}@{name}" for name in boards)) as (process, output):
        for line in output:
            last.append(line)
            if line.startswith(RUNNING) and (name := _board(line)) in boards:
                made()
                board, begun, codes[name], lines[name] = name, time.monotonic(), 0, deque(maxlen=N_KEPT)
                say(f"{boards.index(name) + 1} of {len(boards)}: {name}")
            elif line.rstrip().endswith(SAME) and (name := _board(line)) in boards:
                codes[name] = 0
            elif board and line.startswith(FAILED):
                codes[board] = int(word) if (word := line.split()[-1]).lstrip("-").isdigit() else 1
                say(f"{board} ended early, the others go on")
            elif board:
                lines[board].append(line)
                if line.startswith(MARK):
                    say(line.removeprefix(MARK).rstrip())
        made()
    reasons = {
        name: ended_with(codes[name], lines.get(name, ()), f"the board {name!r}")
        for name in boards
        if name in codes
    }
    whole = ended_with(process.returncode, last, "`dvc repro`") or "DVC did not come to it"
    return {name: reason for name in boards if (reason := reasons.get(name, whole))}


def _board(line: str) -> str:
    """The board that DVC names in a line: `… 'board@name' …`."""
    return line.partition("'")[2].partition("'")[0].removeprefix(f"{STAGE}@")


def run(work: Path, *targets: str) -> str | None:
    """Run stages of the work folder (all, where none are named); returns why that ended, None where it ended
    well.

    What is said to a person is passed on, a stage over some seconds is named, and all of it goes into LOG.
    """
    last: deque[str] = deque(maxlen=N_KEPT)
    with _repro(work, *targets) as (process, output), ExitStack() as waiting:
        for line in output:
            last.append(line)
            if line.startswith(RUNNING):
                waiting.close()
                waiting.enter_context(told(f"stage {line.removeprefix(RUNNING).split(chr(39))[0]}"))
            elif line.startswith(MARK):
                say(line.removeprefix(MARK).rstrip())
    return ended_with(process.returncode, last, f"`{' '.join(['dvc repro', *targets])}`")


@contextmanager
def _repro(work: Path, *words: str) -> Iterator[tuple[subprocess.Popen, Iterator[str]]]:
    """`dvc repro` in the work folder, and its lines, each of which goes into LOG. It ends when this process does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # what a stage says of its end is left to the end of the whole
    own = os.environ | {BUILD: "1", "PATH": path}
    started = {"cwd": work, "env": own, "preexec_fn": parents.binding()}
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    command = [sys.executable, "-m", "dvc", "repro", *words]
    with (
        (work / LOG).open("a", encoding="utf-8", errors="replace") as log,
        subprocess.Popen(command, **started, **pipe) as process,
    ):
        yield process, _logged(process, log)


def _logged(process: subprocess.Popen, log) -> Iterator[str]:
    for line in process.stdout or ():
        log.write(line)
        yield line
