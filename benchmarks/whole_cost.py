"""What a command takes with all that it starts: seconds of CPU and the peak memory of its largest process.

    python benchmarks/whole_cost.py COMMAND …

It prints one line of JSON (`cpu`, `memory` in MB, the `exit` status) behind what the command prints. Processes that
the command leaves behind, as those in which networks learn and judge are, are taken over and waited for (Linux).
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator

PR_SET_CHILD_SUBREAPER = 36  # of <sys/prctl.h>


def adopt() -> None:
    """Make this process the parent of those whose parent ends."""
    if sys.platform != "linux" or ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise SystemExit("what a command leaves behind can be counted on Linux alone")


def ended() -> Iterator[tuple[int, int, resource.struct_rusage]]:
    """Each process that ends, with its exit status and what it took with those that it waited for, until none is left."""
    while True:
        try:
            process, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return
        yield process, os.waitstatus_to_exitcode(status), used


def main() -> int:
    adopt()
    command = subprocess.Popen(sys.argv[1:])
    found = list(ended())
    told = {
        "cpu": sum(used.ru_utime + used.ru_stime for _, _, used in found),
        "memory": max(used.ru_maxrss for _, _, used in found) / 1024,
        "exit": next(status for process, status, _ in found if process == command.pid),
    }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
