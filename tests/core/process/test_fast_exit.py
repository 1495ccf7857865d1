"""A command's process ends when its work is said: with its code, after all that was to be done at its exit."""

import os
import subprocess
import sys

import pytest

BEGINS = """
import atexit, os, sys, threading, time
from truerate.core.process.fast_exit import at_once

class Late:
    def __del__(self):
        os.write(1, b"taken apart")

kept = Late()
"""


def run(command: str, stdout=subprocess.PIPE) -> tuple[int, str | None, str]:
    own = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    asked = [sys.executable, "-c", BEGINS + command]
    done = subprocess.run(asked, env=own, stdout=stdout, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "command, code",
    [
        ("sys.exit(at_once(lambda: 0))", 0),
        ("sys.exit(at_once(lambda: 130))", 130),
        ("sys.exit(at_once(lambda: sys.exit(2)))", 2),
        ("at_once(sys.exit)", 0),
    ],
)
def test_it_ends_with_the_commands_code_and_takes_nothing_apart(command, code):
    assert run(command) == (code, "", "")


def test_what_is_printed_or_was_left_for_the_exit_is_not_lost():
    said = """
def command():
    atexit.register(print, "handled")
    threading.Timer(.05, print, ["by a thread"]).start()
    print("said")
    return 3
sys.exit(at_once(command))
"""
    assert run(said) == (3, "said\nby a thread\nhandled\n", "")


@pytest.mark.parametrize(
    "command, code, says",
    [("1 / 0", 1, "ZeroDivisionError: division by zero"), ("sys.exit('no such board')", 1, "no such board")],
)
def test_an_error_ends_it_as_it_ends_python(command, code, says):
    ended, out, aside = run(f"at_once(lambda: {command})")
    assert (ended, out, aside.splitlines()[-1]) == (code, "taken apart", says)


def test_a_full_disk_is_not_kept_quiet():
    with open("/dev/full", "w") as full:
        code, _, aside = run("sys.exit(at_once(lambda: print('said') or 0))", stdout=full)
    assert code == 120 and "No space left on device" in aside
