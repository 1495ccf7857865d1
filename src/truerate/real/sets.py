"""Which sets of public files a folder holds, and which of them can be read: each is read in a process of its
own before any is built.
"""

import difflib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.sources.clone import PublicSet, matching
from truerate.sources.registry import reader_module

MARK = "truerate: "  # how a line begins that a command says to a person
# Public sets that no board is made of, by name and repository, and why.
LEFT_OUT = {
    (
        "UHGEval",
        "IAAR-Shanghai/UHGEval",
    ): "its labels are keywords with a verdict each, not places in a text, and every text holds a wrong one, so that none "
    "is right; a board would rest on a matching rule of our own",
    (
        "LongFact",
        "google-deepmind/long-form-factuality",
    ): "questions alone, without replies or labels; ask your own models with it",
    (
        "ChineseFactEval",
        "GAIR-NLP/factool",
    ): "replies with a verdict each, without claims or evidence: no track takes them yet",
}
ALIKE = 0.8  # of two names, by difflib: a misspelt one has .9, names of other sets .5


def boards_in(at: Layout, data: Path) -> dict[str, dict]:
    """The boards of `public_data` in params.yaml whose folder is there, by name; without `training` where
    that folder is not.

    `folder` of an entry, and of its training, is the one that was found, below `data`: under the entry's own name, or as
    a clone of the publisher's repository; `.` where `data` is that set itself.
    """
    if not data.is_dir():
        raise TruerateError(f"public files: {str(data)!r} is no folder; name one with `make real DATA=DIR`")
    present = {}
    for name, public in at.p.public_data.items():
        entry = public.model_dump()
        if (folder := folder_of(data, entry)) is None:
            continue
        taught = entry["training"]
        learned = folder_of(data, taught) if taught else None
        training = taught | {"folder": learned} if taught and learned else None
        present[name] = entry | {"folder": folder, "training": training}
    if not present:
        folders = {entry.folder for entry in at.p.public_data.values()}
        hints = "".join(f"; {hint}" for hint in near_names(data, folders, folders))
        hints += "".join(f"; {line}" for line in left_out_in(at, data))
        raise TruerateError(
            f"public files: nothing known in {str(data)!r}; looked for the folders {listed(folders)}, or clones of their "
            f"repositories (`truerate real --list` names them){hints}"
        )
    return present


def folder_of(data: Path, entry: Mapping) -> str | None:
    """The folder of a set below `data`, by its names; `.` where `data` is the set itself; None where it is not there.

    Of several the first of `names_of` is taken. A part that is not in its folder (one setting, one split) is not there.
    """
    public, part = set_of(entry["reader"]), entry.get("part")
    names = names_of(entry)
    known = {
        path.name.casefold(): path.name for path in sorted(data.iterdir(), reverse=True) if path.is_dir()
    }
    found = next((known[name.casefold()] for name in names if name.casefold() in known), None)
    if found is None and _is_itself(data, names, public):
        found = "."
    if found and public and public.by_part and not public.is_in(data / found, part):
        return None
    return found


def _others(data: Path, names: Sequence[str], found: str) -> list[str]:
    """The folders that bear one of a set's names beside the one that is read: of two versions the other would be lost
    without a word.
    """
    known = {name.casefold() for name in names}
    return sorted(
        path.name
        for path in data.iterdir()
        if path.is_dir() and path.name.casefold() in known - {found.casefold()}
    )


def _is_itself(data: Path, names: Sequence[str], public: PublicSet | None) -> bool:
    """Whether a folder is a set: it has its name, or it holds the files of its clone under whatever name."""
    if data.resolve().name.casefold() in {name.casefold() for name in names}:
        return public is None or public.is_in(data)
    return public is not None and any(matching(data, patterns[0]) for patterns in public.holds.values())


def names_of(entry: Mapping) -> tuple[str, ...]:
    """The names that a set's folder may have: as a clone (`owner__name`, `name`), and the `folder` of its entry."""
    public, own = set_of(entry["reader"]), entry["folder"]
    cloned = (*(public.folders if public else ()), own, own.rpartition("__")[2])
    return tuple(dict.fromkeys(cloned))


def set_of(reader: str) -> PublicSet | None:
    """What a reader says of the public set that it reads (`SET`); None where it says nothing."""
    return getattr(reader_module(reader), "SET", None)


def unproven_of(reader: str, folder: str) -> tuple[str, ...]:
    """What a reader read on made-up files alone: of its set (`SET.unproven`), and of the layout in one folder (`UNPROVEN`)."""
    public, layouts = set_of(reader), getattr(reader_module(reader), "UNPROVEN", {})
    return (*(public.unproven if public else ()), *layouts.get(folder, ()))


def card_of(reader: str) -> dict:
    """The card of a reader (`CARD`): name, citation, licence, whether texts may be passed on, address; empty where it has none."""
    return getattr(reader_module(reader), "CARD", {})


def survey(at: Layout, data: Path, entries: Mapping[str, dict]) -> list[str]:
    """What is said before the build: the folders that are there, those that are not, names that are nearly
    one, boards without training.
    """
    folders = {entry.folder for entry in at.p.public_data.values()}
    there = {at.p.public_data[name].folder: entry["folder"] for name, entry in entries.items()}
    told = [own if own == found else f"{own} (as {found})" for own, found in there.items()]
    lines = [f"found in {str(data)!r}: {listed(told)}"]
    lines += [f"not found: {listed(folders - set(there))}"] if folders - set(there) else []
    lines += near_names(data, folders - set(there), folders)
    lines += left_out_in(at, data)
    for own, found in there.items():
        declared = next(entry for entry in at.p.public_data.values() if entry.folder == own)
        reader = declared.reader
        if (public := set_of(reader)) and (unread := public.unread(data / found)):
            lines.append(f"{own}: not read, as no file of this set has such a name: {listed(unread)}")
        if public and (repacked := public.repacked(data / found)):
            lines.append(f"{own}: not read, put it there as its publisher has it: {listed(repacked)}")
        if others := _others(data, names_of(declared.model_dump()), found):
            lines.append(f"{own}: read from {found!r} alone; also there: {listed(others)}")
    for name, entry in entries.items():
        if (taught := at.p.public_data[name].training) and not entry["training"]:
            lines.append(untaught(name, f"the folder {taught.folder!r}, which is not there"))
    return lines


def left_out_in(at: Layout, data: Path) -> list[str]:
    """A line for each set in a folder that no board is made of, with the reason; clones of which something is read are
    none.
    """
    folders = {path.name.casefold() for path in data.iterdir() if path.is_dir()}
    known = {public.repository for entry in at.p.public_data.values() if (public := set_of(entry.reader))}
    lines = []
    for (name, repository), reason in LEFT_OUT.items():
        names = {repository.replace("/", "__").casefold(), repository.rpartition("/")[2].casefold()}
        if repository not in known and names & folders:
            lines.append(f"no board is made of {name}: {reason}")
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
    wanted = {plain(folder): folder for folder in sorted(absent)}
    meant = {  # of each folder that is there, the one whose name it nearly has
        others[name]: wanted[near[0]]
        for name in others
        if (near := difflib.get_close_matches(name, wanted, n=1, cutoff=ALIKE))
    }
    hints += [
        f"{there!r} looks like {folder!r}: rename it if it is that set"
        for there, folder in sorted(meant.items(), key=lambda pair: pair[1])
    ]
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
    said = [line.strip() for line in lines if line.strip() and not line.startswith("WARNING: ")]  # of DVC
    if code < 0:
        return f"{what} was ended by signal {-code}, as where memory is short"
    ours = [line.removeprefix(MARK) for line in said if line.startswith(MARK)]
    return (ours or [f"{what} ended with exit code {code}: {(said or ['it said nothing'])[-1]}"])[-1]
