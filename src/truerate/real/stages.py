"""The stages of the boards of public files, board by board: what one of them ends with takes no other along."""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from truerate.config.stage_settings import Stage
from truerate.core import parents
from truerate.core.terminal import say, told
from truerate.flow.making import BUILD
from truerate.real.sets import MARK, ended_with

LOG = "real.log"  # in the work folder: all that DVC, Snakemake and the steps print
LAST = ("score", "audit", "truth")  # the stages of a board on which no other stage of it depends
RUNNING = "Running stage '"  # how DVC begins a stage
N_KEPT = 200  # lines of a command in which its reason is looked for


def run_boards(work: Path, boards: Sequence[str]) -> dict[str, str]:
    """Run the stages of each board, one board after the other; returns why a board ended early, by board."""
    failed = {}
    for place, board in enumerate(boards, 1):
        say(f"{place} of {len(boards)}: {board}")
        reason = run(work, *(Stage(name, board).address for name in LAST))
        if reason:
            say(f"{board} ended early, the others go on")
            failed[board] = reason
    return failed


def run(work: Path, *targets: str) -> str | None:
    """Run stages of the work folder (all, where none are named); returns why that ended, None where it ended
    well.

    What is said to a person is passed on, a stage over some seconds is named, and all of it goes into LOG.
    """
    words = [sys.executable, "-m", "dvc", "repro", *targets]
    last: deque[str] = deque(maxlen=N_KEPT)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    own = os.environ | {
        BUILD: "1",
        "PATH": path,
    }  # what a stage says of its end is left to the end of the whole
    started = {"cwd": work, "env": own, "preexec_fn": parents.binding()}  # it ends when this process does
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with (
        (work / LOG).open("a", encoding="utf-8", errors="replace") as log,
        subprocess.Popen(words, **started, **pipe) as process,
    ):
        with ExitStack() as waiting:
            for line in process.stdout:
                log.write(line)
                last.append(line)
                if line.startswith(RUNNING):
                    waiting.close()
                    waiting.enter_context(told(f"stage {line.removeprefix(RUNNING).split(chr(39))[0]}"))
                elif line.startswith(MARK):
                    say(line.removeprefix(MARK).rstrip())
    return ended_with(process.returncode, last, f"`{' '.join(['dvc repro', *targets])}`")
