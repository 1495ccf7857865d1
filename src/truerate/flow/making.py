"""What starts the tools: `truerate build` DVC, `truerate make RULES TARGET` Snakemake for one stage.

Both end what they started when they are ended themselves, and say last what to do where it stopped.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from truerate.config.layout import Layout
from truerate.config.places import clear, made_by
from truerate.core import parents
from truerate.core.terminal import say

LAST_S = 5.0  # for Snakemake to cancel what it has under way, on a cluster too
BUILD = "TRUERATE_BUILD"  # set by `truerate build`, which has the last word
FAILED = 255  # DVC's exit code where a stage failed; of every command of ours it is 2
AGAIN = "see to what the lines above say, then run it again: it goes on from here, and no reply that came is paid twice"


def build(arguments: Sequence[str] = (), *, folder: str = ".") -> int:
    """Have DVC build what is not up to date in a folder, by the Python of this process; its exit code, 2 where a
    stage failed. It ends when this process does.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    own = os.environ | {BUILD: "1", "PATH": path}
    running = subprocess.Popen(
        [sys.executable, "-m", "dvc", "repro", *arguments], cwd=folder, env=own, preexec_fn=parents.binding()
    )
    code = _end_of(running)
    if code:
        say(f"the build stopped; {AGAIN}")
    return 2 if code == FAILED else code


def make(rules: str, target: str) -> int:
    """Have Snakemake make a target of a rules file anew; its exit code. It and its jobs end when this process
    or DVC does.
    """
    at = Layout.load()
    stage = made_by(at, target)
    if stage and os.path.isfile(rules):
        clear(at, stage)
    command = [sys.executable, "-m", "snakemake", "-s", rules, target]
    if stage and stage.board:  # of the rules for steps, those of its track alone
        command += ["--config", f"track={at.p.board(stage.board).track}"]
    running = subprocess.Popen(command, preexec_fn=parents.binding())

    def end() -> None:
        running.send_signal(signal.SIGINT)
        try:
            running.wait(LAST_S)
        except subprocess.TimeoutExpired:
            running.kill()
        os._exit(130)

    if parents.is_in_stage():
        parents.end_with_them(end)
    code = _end_of(running)
    if code:
        say_stopped()
    return code


def say_stopped() -> None:
    """What to do about a stage that stopped, where nobody says it of the build that runs it."""
    if parents.is_in_stage() and BUILD not in os.environ:
        say(f"stage {os.environ[parents.STAGE]!r} stopped; {AGAIN}")


def _end_of(running: subprocess.Popen) -> int:
    """The exit code of a tool, as shells count. Ctrl-C went to it too; how it ends is waited for."""
    while True:
        try:
            code = running.wait()
            return code if code >= 0 else 128 - code
        except KeyboardInterrupt:
            continue
