"""What is learned comes to be in a scratch folder that its content names: an equal one is never learned twice,
a killed one goes on, and what is there is whole.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from truerate.detectors.training import processes

FACTS = "facts.json"
STATE = "state"  # what is handed on, inside a scratch folder
CHECKPOINT = "checkpoint.pt"  # of a training that goes on


def made_once(scratch: Path, work: Callable[[Path], tuple[dict, dict]]) -> None:
    """Have `work` fill a folder, unless its state is there. The state appears whole, by a rename; then the
    checkpoint goes.

    `work` gives what its training found, the same on every run (`facts.json` of the state), and what this run
    cost (`run.json`, beside it).
    """
    if (scratch / STATE).is_dir():
        return
    aside = scratch / f"{STATE}.{os.getpid()}.tmp"
    shutil.rmtree(aside, ignore_errors=True)
    facts, run = work(aside)
    if processes.rank():
        return
    write(aside / FACTS, facts)
    write(scratch / "run.json", run)
    os.replace(aside, scratch / STATE)
    (scratch / CHECKPOINT).unlink(missing_ok=True)


def write(path: Path, values: dict) -> None:
    """Values as JSON, the same bytes for the same values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
