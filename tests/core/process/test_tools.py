"""A tool that a command waits for: its exit code after Ctrl-C, to the group and to the command alone. Real processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SRC = str(Path(__file__).parents[2] / "src")
# The tool: a module that says when it is ready and ends with 7, or with 0, when it is interrupted.
TOOL = """
import signal, subprocess, sys, time
if sys.argv[1] != "default":
    signal.signal(signal.SIGINT, lambda *_: sys.exit(int(sys.argv[1])))
child = subprocess.Popen(["sleep", "60"])
print("ready", child.pid, flush=True)
child.wait()
time.sleep(60)
"""
WAITING = "import polars, sys; from truerate.core.process import tools; sys.exit(tools.run(tools.command_of('tool', sys.argv[1])))"


def started(folder: Path, code: str) -> tuple[subprocess.Popen, int]:
    """A command that has polars imported and waits for a tool that is ready, and the tool's own child."""
    (folder / "tool.py").write_text(TOOL)
    own = {name: value for name, value in os.environ.items() if name != "DVC_STAGE"}
    command = subprocess.Popen(
        [sys.executable, "-c", WAITING, code],
        cwd=folder,
        env=own | {"PYTHONPATH": SRC},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _, child = command.stdout.readline().split()
    return command, int(child)


@pytest.mark.parametrize("code", ["7", "0", "default"])
def test_ctrl_c_of_the_group_is_130_whatever_the_tool_returns(tmp_path, code):
    """polars takes the code of a child that ends within an interrupted `waitpid`: that was 0, a success."""
    command, _ = started(tmp_path, code)
    os.killpg(command.pid, signal.SIGINT)
    _, err = command.communicate(timeout=30)
    assert (command.returncode, err) == (130, "")


def test_ctrl_c_of_the_command_alone_reaches_what_it_started(tmp_path):
    command, child = started(tmp_path, "default")
    command.send_signal(signal.SIGINT)
    _, err = command.communicate(timeout=30)
    assert (command.returncode, err) == (130, "")
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_ctrl_c_while_a_tool_is_imported_is_no_traceback(tmp_path):
    (tmp_path / "tool.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport json")
    done = subprocess.run(
        [sys.executable, "-m", "truerate.core.process.tools", "tool"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": SRC},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_a_tool_that_fails_where_sigchld_is_ignored_has_failed(tmp_path):
    (tmp_path / "tool.py").write_text("import sys; sys.exit(3)")
    code = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" + WAITING
    command = [sys.executable, "-c", code, ""]
    assert subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": SRC}).returncode == 3
