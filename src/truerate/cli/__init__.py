"""The commands. Reading commands take --json; steps are what dvc.yaml and the rules call.

Errors a user can mend are one line on stderr and exit code 2. Packages are imported only by the command that
needs them.
"""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from truerate.cli import building, reading, starting, steps, stores  # noqa: F401  (each marks its functions as commands)
from truerate.cli.command import in_project, needed_extra, parser
from truerate.core.errors import TruerateError
from truerate.core.process import fast_exit, parents
from truerate.core.process.cpu import hold_to_avx2
from truerate.core.process.system_errors import line_of, system_error
from truerate.core.process.terminal import say
from truerate.pipeline.repair.repair_lock import CONFLICT, repair

# Imports make some 10,000 classes and functions that live to the end: to look through them for garbage again
# and again while they are made took a third of the CPU time of a short step. What a step itself leaves in
# circles is still collected.
SELDOM = (20_000, 50, 50)
OF_SNAKEMAKE = ("step", "export", "import")  # the commands of rules


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 2 a mistake to mend, 130 interrupted; of
    `compare` and `rate --fail-above` 1 worse, 3 cannot tell; of `verify` 1 not as stated.
    """
    if arguments is None:  # this process is the command's own
        gc.set_threshold(*SELDOM)
        return fast_exit.at_once(partial(main, sys.argv[1:]))
    if list(arguments[:2]) == ["label", "draw"]:  # `label BOARD` is a step of the build
        arguments = arguments[1:]
    options = parser().parse_args(arguments)
    hold_to_avx2(os.environ)
    try:
        with in_project(options):
            begin(options.command)
            return options.run(options) or 0
    except TruerateError as error:
        return _stopped(options.command, str(error))
    except ModuleNotFoundError as error:
        if (how := needed_extra(error.name)) is None:
            raise
        return _stopped(
            options.command, f"{options.command} needs {error.name}, which is not installed: {how}"
        )
    except KeyboardInterrupt:
        if not parents.is_in_stage():
            say("interrupted")
        return parents.INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away (`| head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:  # a file that is not there, a folder that cannot be written, a full disk
        if refused := system_error(error):
            return _stopped(options.command, line_of(refused))
        raise
    return 0


def begin(command: str) -> None:
    """Before any command: one of a build ends with it, others mend what a kill left of DVC's files."""
    if parents.is_in_stage():
        with suppress(ValueError):  # not the main thread's
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # what `core.tools` passes Ctrl-C on by
        parents.end_with_them()
    elif command != "mend":
        with suppress(OSError):  # a checkout that this user may only read
            for line in repair():
                if line == CONFLICT and command == "build":
                    raise TruerateError(line)
                say(line)


def _stopped(command: str, why: str) -> int:
    """The exit code of a mistake to mend, once it is said; in a stage also what to do then (under Snakemake
    `make` says it).
    """
    say(why)
    if parents.is_in_stage():
        from truerate.pipeline.causes import leave_cause, say_stopped

        leave_cause(why)
        if command not in OF_SNAKEMAKE:
            say_stopped()
    return 2
