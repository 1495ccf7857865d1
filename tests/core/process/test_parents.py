"""A process of a build ends when DVC, or what stands between, is killed. Real processes, ended by the kernel."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SRC = str(Path(__file__).parents[2] / "src")
CHILD = """
import signal, sys
from truerate.core.process import parents
{before}
parents.end_with_them()
try:
    print("ready", flush=True)
    signal.pause()
except KeyboardInterrupt:
    print("let go", flush=True)
"""
# The one on top stands for DVC: what it starts, a shell that starts the child, has the variable of a stage,
# and it has not.
TOP = "import os, subprocess, sys; subprocess.run(['sh', '-c', sys.argv[1]], env=os.environ | {'DVC_STAGE': 'dataset@x'})"


def started(before: str = "") -> subprocess.Popen:
    """A chain of three processes whose last one is ready."""
    command = f"'{sys.executable}' -c '{CHILD.format(before=before)}'; exit $?"
    own = {name: value for name, value in os.environ.items() if name != "DVC_STAGE"} | {"PYTHONPATH": SRC}
    top = subprocess.Popen([sys.executable, "-c", TOP, command], env=own, stdout=subprocess.PIPE, text=True)
    assert top.stdout.readline() == "ready\n"
    return top


def below(top: subprocess.Popen) -> list[int]:
    """The shell and the child."""
    import psutil

    return [process.pid for process in psutil.Process(top.pid).children(recursive=True)]


@pytest.mark.parametrize("place", [0, 1])
def test_the_last_one_ends_as_by_ctrl_c_when_one_above_it_is_killed(place):
    top = started()
    os.kill([top.pid, below(top)[0]][place], signal.SIGKILL)
    said, _ = top.communicate(timeout=20)  # the pipe's end: nobody holds it any more
    assert said == "let go\n"


def test_it_ends_where_it_takes_no_ctrl_c():
    top = started("signal.signal(signal.SIGINT, signal.SIG_IGN)")
    top.kill()
    assert top.communicate(timeout=20)[0] == ""


def test_it_lives_as_long_as_they_do():
    top = started()
    with pytest.raises(subprocess.TimeoutExpired):
        top.communicate(timeout=1.2)  # more than two looks
    top.kill()
    top.communicate(timeout=20)


def test_a_process_that_is_bound_is_killed_with_the_one_that_started_it():
    code = "import subprocess; from truerate.core.process import parents; subprocess.run(['sleep', '60'], preexec_fn=parents.binding())"
    top = subprocess.Popen(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": SRC}, stdout=subprocess.PIPE
    )
    import psutil

    process = psutil.Process(top.pid)
    while not (found := process.children()):
        assert top.poll() is None
    top.kill()
    top.communicate(timeout=20)
    assert found
