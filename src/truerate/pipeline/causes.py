"""Why a build stopped: commands of its stages leave their errors, which the build says last."""

import json
import os
from contextlib import suppress
from pathlib import Path

from truerate.core.process import parents
from truerate.core.process.terminal import say

# Set by `truerate build`, which has the last word: the file in which commands of its stages leave why they
# ended.
BUILD = "TRUERATE_BUILD"
N_CAUSES = 3  # that a build says again; more follow from the first ones
GOES_ON = "it goes on from here, and no reply that came is paid twice"
HOW_TO_RERUN = f"see to what the lines above say, then run it again: {GOES_ON}"


def leave_cause(why: str) -> None:
    """Leave why a command of a stage ended to the build that runs it; nothing outside of one."""
    path = Path(os.environ.get(BUILD, ""))
    if path.is_absolute():
        with suppress(OSError), path.open("a", encoding="utf-8") as file:  # on another host it is not there
            file.write(json.dumps(why) + "\n")


def causes_in(path: Path) -> list[str]:
    """Return what commands left, each once, the first N_CAUSES."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return list(dict.fromkeys(json.loads(line) for line in lines))[:N_CAUSES]


def say_stopped() -> None:
    """Say what to do about a stage that stopped, where nobody says it of the build that runs it."""
    if parents.is_in_stage() and BUILD not in os.environ:
        say(f"stage {os.environ[parents.STAGE]!r} stopped; {HOW_TO_RERUN}")
