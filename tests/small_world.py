"""A closed world of a dozen items in English, written by a process of its own and read as the build reads it."""

import subprocess
import sys
from pathlib import Path

from truerate.sources.collection import SourceTables
from truerate.sources.raw import seed_files

ROOT = Path(__file__).parents[1]
N_ITEMS = 12


def tables_of(folder: Path) -> SourceTables:
    """The tables of a world that is written into an empty folder."""
    chosen = ["--seed", "7", "--items", str(N_ITEMS), "--languages", "en"]
    write = [sys.executable, "-m", "truerate_world", "write", str(folder), *chosen]
    subprocess.run(write, check=True, capture_output=True, cwd=ROOT)
    return seed_files.read(folder, name="closed-world", on_bad_row="stop")
