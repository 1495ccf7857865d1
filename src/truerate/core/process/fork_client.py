"""The `python` that stages of `truerate build` start: asks its fork server for the process (`fork_server`).

    python -ISE fork_client.py SOCKET ARGUMENTS

Runs without truerate, so that it starts in some milliseconds. What the server does not run, and everything once
it has gone, is run by this Python itself.
"""

import marshal
import os
import signal
import socket
import sys

PACKAGES = os.path.abspath(f"{__file__}/../../../..")  # `python -m` one of these is a fork
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def exit_code(address: str, arguments: list[str]) -> int | None:
    """The exit code of a fork with these arguments, a signal as a negative number; None without a server."""
    noted: list[int] = []
    child: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        if child:
            os.killpg(child[0], number)  # with what the fork has started, as a terminal would
        else:
            noted.append(number)

    for handled in SIGNALS:
        signal.signal(handled, pass_on)
    request = marshal.dumps((arguments, os.getcwd(), dict(os.environ), os.getpid()))
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(address)
            socket.send_fds(line, [len(request).to_bytes(8, "big")], [0, 1, 2])
            line.sendall(request)
            answers = line.makefile("r")
            child += map(int, answers.readline().split())
        except OSError:
            child.clear()
        if not child:
            return 128 + noted[0] if noted else None
        for number in noted:
            os.killpg(child[0], number)
        return int(answers.readline() or -signal.SIGKILL)


def main() -> None:
    address, *arguments = sys.argv[1:]
    is_forked = arguments[:1] == ["-m"] and os.path.isdir(os.path.join(PACKAGES, *arguments[1:2], ""))
    code = exit_code(address, arguments) if is_forked else None
    if code is None:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, *arguments])
    if code < 0:
        if -code in SIGNALS:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
