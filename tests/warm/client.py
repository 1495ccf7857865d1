"""Stands in the place of `python` and of `truerate`: has a command run as a fork of the process in server.py, hands
it its streams, passes on signals, ends as it ends. All else, it leaves to the Python that it is run by.
"""

import json
import os
import signal
import socket
import sys

WARM = ("truerate", "truerate.core.process.tools", "truerate_world", "dvc", "snakemake", "mkdocs")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def is_forked(arguments):
    """Whether a fork runs what these arguments of `python` ask for, and not a Python of its own."""
    is_ours = len(arguments) > 1 and (arguments[0] == "-c" or arguments[0] == "-m" and arguments[1] in WARM)
    return is_ours and "serve" not in arguments and "PYTHONHASHSEED" not in os.environ


def run(place, arguments):
    """The exit code of a command, a signal that ended it as a negative number; None where nobody listens."""
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(place)
    except OSError:
        return None
    asked = json.dumps({"argv": arguments, "cwd": os.getcwd(), "env": dict(os.environ)}).encode()
    socket.send_fds(link, [len(asked).to_bytes(8, "big")], [0, 1, 2])
    link.sendall(asked)
    answers = link.makefile("r")
    child = int(answers.readline())
    for name in SIGNALS:
        signal.signal(name, lambda number, _: os.kill(child, number))
    return int(answers.readline() or -signal.SIGKILL)


def main():
    folder, name = os.path.split(os.path.abspath(__file__))
    arguments = sys.argv[1:] if name == "python" else ["-m", name, *sys.argv[1:]]
    code = run(os.path.join(folder, "socket"), arguments) if is_forked(arguments) else None
    if code is None:
        os.execv(sys.executable, [sys.executable, *arguments])
    if code < 0:
        if -code in SIGNALS:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
