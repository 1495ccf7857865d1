"""Which sets of public files a folder holds, and which of them can be read: each is read in a process of its
own before any is built.
"""

import difflib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed

MARK = "truerate: "  # how a line begins that a command says to a person
ALIKE = 0.8  # of two names, by difflib: a misspelt one has .9, names of other sets .5


def boards_in(at: Layout, data: Path) -> dict[str, dict]:
    """The boards of `public_data` in params.yaml whose folder is there, by name; without `training` where
    that folder is not.
    """
    if not data.is_dir():
        raise TruerateError(f"public files: {str(data)!r} is no folder; name one with `make real DATA=DIR`")
    public = {name: entry.model_dump() for name, entry in at.p.public_data.items()}
    present = {name: entry for name, entry in public.items() if (data / entry["folder"]).is_dir()}
    for entry in present.values():
        if entry["training"] and not (data / entry["training"]["folder"]).is_dir():
            entry["training"] = None
    if not present:
        folders = {entry["folder"] for entry in public.values()}
        hints = "".join(f"; {hint}" for hint in near_names(data, folders, folders))
        raise TruerateError(
            f"public files: nothing known in {str(data)!r}; looked for the folders {listed(folders)}{hints}"
        )
    return present


def survey(at: Layout, data: Path, entries: Mapping[str, dict]) -> list[str]:
    """What is said before the build: the folders that are there, those that are not, names that are nearly
    one, boards without training.
    """
    folders = {entry.folder for entry in at.p.public_data.values()}
    there = {entry["folder"] for entry in entries.values()}
    lines = [f"found in {str(data)!r}: {listed(there)}", f"not found: {listed(folders - there)}"]
    lines += near_names(data, folders - there, folders)
    for name, entry in entries.items():
        if (taught := at.p.public_data[name].training) and not entry["training"]:
            lines.append(untaught(name, f"the folder {taught.folder!r}, which is not there"))
    return lines


def untaught(board: str, where: str) -> str:
    """The line that says that a board has no trained detectors."""
    return f"{board} is built without trained detectors: they learn from {where}"


def near_names(data: Path, absent: Iterable[str], declared: Iterable[str]) -> list[str]:
    """A hint for each absent folder whose name a folder among the public files nearly has, or a file has."""
    others = {
        plain(path.name): path.name
        for path in sorted(data.iterdir())
        if path.is_dir() and path.name not in set(declared)
    }
    hints = [
        f"{folder!r} is a file there, no folder" for folder in sorted(absent) if (data / folder).is_file()
    ]
    for folder in sorted(absent):
        near = difflib.get_close_matches(plain(folder), others, n=1, cutoff=ALIKE)
        hints += [f"{others[name]!r} looks like {folder!r}: rename it if it is that set" for name in near]
    return hints


def plain(name: str) -> str:
    """A folder's name as names are compared: letters and digits, without case."""
    return "".join(character for character in name.casefold() if character.isalnum())


def unreadable(work: Path, boards: Iterable[str]) -> dict[str, str]:
    """Why the source of a board cannot be read, by board; those that can be are left out. The work folder
    declares them all.

    Each is read by a process of its own, so that neither a bad row nor a lack of memory takes the others
    along.
    """
    names = list(boards)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        reasons = pool.map(lambda name: _reason(work, name), names)
        return {name: reason for name, reason in zip(names, reasons, strict=True) if reason}


def _reason(work: Path, board: str) -> str | None:
    """The one line that reading a board's source ended with, None where it was read."""
    words = [sys.executable, "-m", "truerate", "readable", board]
    done = subprocess.run(
        words, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    return ended_with(done.returncode, done.stderr.splitlines(), f"reading the source {board!r}")


def ended_with(code: int, lines: Iterable[str], what: str) -> str | None:
    """Why a command ended: the last line that it said to a person, else the last line of all; None where it
    ended well.
    """
    if not code:
        return None
    said = [line.strip() for line in lines if line.strip()]
    if code < 0:
        return f"{what} was ended by signal {-code}, as where memory is short"
    ours = [line.removeprefix(MARK) for line in said if line.startswith(MARK)]
    return (ours or [f"{what} ended with exit code {code}: {(said or ['it said nothing'])[-1]}"])[-1]
