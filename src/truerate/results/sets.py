"""The public sets that boards are built of: which a folder holds, which can be read, and the list."""

import difflib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from truerate.config.data import PublicData, PublishedTable
from truerate.config.layout import Layout
from truerate.core.data_files import read_data
from truerate.core.errors import TruerateError, listed
from truerate.sources.downloads import PublicSet, matching, public_set, public_sets
from truerate.sources.registry import card_of, reader_of

MARK = "truerate: "  # how a line begins that a command says to a person
# Public sets that no board is made of, by name and repository, and why.
LEFT_OUT: dict[tuple[str, str], str] = read_data(
    Path(__file__).with_name("left_out.yaml"),
    lambda sets: {(name, entry["repository"]): entry["reason"] for name, entry in sets.items()},
)
ALIKE = 0.8  # of two names, by difflib: a misspelt one has .9, names of other sets .5


def boards_in(config: Layout, data: Path, *, may_be_empty: bool = False) -> dict[str, dict]:
    """The boards of `public_data` in params.yaml whose folder is there, by name; without `training` where
    that folder is not.

    `folder` of an entry, and of its training, is the one that was found, below `data`: under the entry's
    name, or as a clone of the publisher's repository; `.` where `data` is that set itself.
    """
    if not data.is_dir():
        raise TruerateError(f"public files: {str(data)!r} is no folder; name one with `make real DATA=DIR`")
    present = {}
    for name, public in config.p.public_data.items():
        entry = public.model_dump()
        if (folder := folder_of(data, entry)) is None:
            continue
        training = entry["training"]
        if training:
            folder_of_training = folder_of(data, training)
            training = training | {"folder": folder_of_training} if folder_of_training else None
        present[name] = entry | {"folder": folder, "training": training}
    if not present and not may_be_empty:
        folders = {entry.folder for entry in config.p.public_data.values()}
        hints = [*near_names(data, folders, folders), *left_out_in(config, data)]
        what = f"nothing known in {str(data)!r}; looked for the folders {listed(folders)}"
        clones = "or clones of their repositories (`truerate real --list` names them)"
        raise TruerateError("; ".join([f"public files: {what}, {clones}", *hints]))
    return present


def folder_of(data: Path, entry: Mapping) -> str | None:
    """The folder of a set below `data`, by its names; `.` where `data` is the set itself; None where it is
    not there.

    Of several the first of `names_of` is taken. A part that is not in its folder (one setting, one split) is
    not there.
    """
    public, names = set_of(entry["reader"]), names_of(entry)
    folder = folder_named(data, names)
    if folder is None and _is_itself(data, names, public):
        folder = "."
    if folder and public and public.by_part and not public.is_in(data / folder, entry.get("part")):
        return None
    return folder


def folder_named(data: Path, names: Sequence[str]) -> str | None:
    """The folder below `data` with the first of these names that one has, in whatever case; None without."""
    present = sorted((path.name for path in data.iterdir() if path.is_dir()), reverse=True)
    folders = {name.casefold(): name for name in present}
    return next((folders[name.casefold()] for name in names if name.casefold() in folders), None)


def _is_itself(data: Path, names: Sequence[str], public: PublicSet | None) -> bool:
    """Return whether a folder is a set: it has its name, or it holds the files of its clone under whatever
    name.
    """
    if data.resolve().name.casefold() in {name.casefold() for name in names}:
        return public is None or public.is_in(data)
    return public is not None and any(matching(data, patterns[0]) for patterns in public.holds.values())


def names_of(entry: Mapping) -> tuple[str, ...]:
    """Return the names that a set's folder may have: of a clone (`owner__name`, `name`) or of its entry."""
    public, folder = set_of(entry["reader"]), entry["folder"]
    return tuple(dict.fromkeys([*(public.folders if public else ()), folder, folder.rpartition("__")[2]]))


def set_of(reader: str) -> PublicSet | None:
    """The record of the public set that a reader reads; None where sets.yaml has none."""
    return public_set(reader) if reader in public_sets() else None


def survey(config: Layout, data: Path, entries: Mapping[str, dict]) -> list[str]:
    """Return the lines before the build: folders present, absent or nearly named; boards without training."""
    declared = {entry.folder for entry in config.p.public_data.values()}
    present = {config.p.public_data[name].folder: entry["folder"] for name, entry in entries.items()}
    absent = declared - present.keys()
    names = [name if name == folder else f"{name} (as {folder})" for name, folder in present.items()]
    lines = [f"found in {str(data)!r}: {listed(names)}"]
    lines += [f"not found: {listed(absent)}"] if absent else []
    lines += [*near_names(data, absent, declared), *left_out_in(config, data)]
    for name, folder in present.items():
        entry = next(entry for entry in config.p.public_data.values() if entry.folder == name)
        public, others = set_of(entry.reader), _others(data, names_of(entry.model_dump()), folder)
        if public and (unread := public.unread(data / folder)):
            lines.append(f"{name}: not read, as no file of this set has such a name: {listed(unread)}")
        if public and (repacked := public.repacked(data / folder)):
            lines.append(f"{name}: not read, put it there as its publisher has it: {listed(repacked)}")
        if others:
            lines.append(f"{name}: read from {folder!r} alone; also there: {listed(others)}")
    for name, present_entry in entries.items():
        if (training := config.p.public_data[name].training) and not present_entry["training"]:
            lines.append(no_training(name, f"the folder {training.folder!r}, which is not there"))
    return lines


def _others(data: Path, names: Sequence[str], folder: str) -> list[str]:
    """Return the folders that bear one of a set's names beside the one that is read."""
    alike = {name.casefold() for name in names} - {folder.casefold()}
    return sorted(path.name for path in data.iterdir() if path.is_dir() and path.name.casefold() in alike)


def left_out_in(config: Layout, data: Path) -> list[str]:
    """Return a line for each set in a folder that no board is made of, with the reason."""
    folders = {path.name.casefold() for path in data.iterdir() if path.is_dir()}
    read = {public.repository for entry in config.p.public_data.values() if (public := set_of(entry.reader))}
    lines = []
    for (name, repository), reason in LEFT_OUT.items():
        names = {repository.replace("/", "__").casefold(), repository.rpartition("/")[2].casefold()}
        if repository not in read and names & folders:
            lines.append(f"no board is made of {name}: {reason}")
    return lines


def no_training(board: str, where: str) -> str:
    """The line that says that a board has no trained detectors."""
    return f"{board} is built without trained detectors: they learn from {where}"


def near_names(data: Path, absent: Iterable[str], declared: Iterable[str]) -> list[str]:
    """A hint for each absent folder whose name a folder among the public files nearly has, or a file has."""
    absent, declared = sorted(absent), set(declared)
    hints = [f"{folder!r} is a file there, no folder" for folder in absent if (data / folder).is_file()]
    folders = sorted(path.name for path in data.iterdir() if path.is_dir() and path.name not in declared)
    wanted = {_plain(folder): folder for folder in absent}
    near = {}  # of each folder that is there, the one whose name it nearly has
    for name, folder in {_plain(folder): folder for folder in folders}.items():
        if alike := difflib.get_close_matches(name, wanted, n=1, cutoff=ALIKE):
            near[folder] = wanted[alike[0]]
    pairs = sorted(near.items(), key=lambda pair: pair[1])
    return hints + [f"{name!r} looks like {folder!r}: rename it if it is that set" for name, folder in pairs]


def _plain(name: str) -> str:
    """A folder's name as names are compared: letters and digits, without case."""
    return "".join(character for character in name.casefold() if character.isalnum())


def unreadable(work: Path, boards: Iterable[str]) -> dict[str, str]:
    """Return why the source of a board cannot be read, by board; those that can be are left out. The work
    folder declares them all.

    Each is read by a process of its own, so that neither a bad row nor a lack of memory takes the others
    along.
    """

    def reason_of(board: str) -> str | None:
        words = [sys.executable, "-m", "truerate", "readable", board]
        how = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
        ended = subprocess.run(words, cwd=work, **how)
        return ended_with(ended.returncode, ended.stderr.splitlines(), f"reading the source {board!r}")

    names = list(boards)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        reasons = dict(zip(names, pool.map(reason_of, names), strict=True))
    return {name: reason for name, reason in reasons.items() if reason}


def ended_with(code: int, lines: Iterable[str], what: str) -> str | None:
    """Return why a command ended: its last line for a person, else its last; None where it ended well."""
    if not code:
        return None
    if code < 0:
        return f"{what} was ended by signal {-code}, as where memory is short"
    texts = [line.strip() for line in lines if line.strip() and not line.startswith("WARNING: ")]  # of DVC
    ours = [line.removeprefix(MARK) for line in texts if line.startswith(MARK)]
    return (ours or [f"{what} ended with exit code {code}: {(texts or ['it said nothing'])[-1]}"])[-1]


def sets_in(config: Layout, data: Path | None) -> list[dict]:
    """The sets of `public_data` in params.yaml, in its order, one row a set and not a board: `name` (its
    folder), `title`, `url`, `repository`, `folders` (names that are looked for), `licence`, `redistribution`,
    `labelled_by`, `boards` ({board, title, track, part}), `unproven` (what was read on made-up files alone),
    `bring` (how its files come there),
    and, where `data` is a folder, `found` (null: not there), `missing` (what of the set that folder does not
    hold) and `unread` (files among its own whose names are none of the set).

    Raises TruerateError where `data` is no folder.
    """
    if data is not None and not data.is_dir():
        raise TruerateError(f"public files: {str(data)!r} is no folder; name the one that your sets lie in")
    by_set: dict[tuple[str, str], dict[str, PublicData]] = {}
    for name, entry in config.p.public_data.items():
        by_set.setdefault((entry.reader, entry.folder), {})[name] = entry
    tables = [_row_of_table(name, entry, data) for name, entry in config.p.published_tables.items()]
    return [*(_row(entries, data) for entries in by_set.values()), *tables]


def _row(entries: dict[str, PublicData], data: Path | None) -> dict:
    first = next(iter(entries.values()))
    public, card = set_of(first.reader), card_of(first.reader)
    layouts = getattr(reader_of(first.reader), "unproven", {})
    repository = public.repository if public else None
    row = {
        "name": first.folder,
        "title": card.get("name") or first.folder,
        "url": card.get("url") or (repository and f"https://github.com/{repository}"),
        "repository": repository,
        "folders": list(names_of(first.model_dump())),
        "licence": card.get("licence"),
        "redistribution": card.get("redistribution"),
        "labelled_by": public.labelled_by if public else card.get("labelled_by"),
        "boards": [
            {"board": name, "title": entry.title or name, "track": entry.track, "part": entry.part}
            for name, entry in entries.items()
        ],
        "unproven": [*dict.fromkeys([*(public.unproven if public else ()), *layouts.get(first.folder, ())])],
        "bring": (public.bring if public else "") or f"a clone of it as {first.folder}",
    }
    if data is None:
        return row
    folders = [folder for entry in entries.values() if (folder := folder_of(data, entry.model_dump()))]
    if not folders:
        return row | {"found": None, "missing": list(public.holds if public else []), "unread": []}
    path = data / folders[0]
    missing, unread = (public.missing(path), public.unread(path)) if public else ([], [])
    return row | {"found": str(path), "missing": missing, "unread": unread}


def _row_of_table(name: str, entry: PublishedTable, data: Path | None) -> dict:
    folders = names_of_table(entry)
    row = {
        "name": entry.folder,
        "title": entry.set.name,
        "url": entry.set.url,
        "repository": None,
        "folders": list(folders),
        "licence": entry.set.licence,
        "redistribution": entry.set.redistribution,
        "labelled_by": f"nobody: figures of {entry.dated} by {entry.judge}" if entry.judge else None,
        "boards": [{"board": name, "title": entry.title, "track": None, "part": None}],
        "unproven": [],
        "bring": f"a clone of it as {entry.folder}",
    }
    if data is None:
        return row
    folder = folder_named(data, folders)
    missing = [file for file in entry.files.values() if folder and not (data / folder / file).is_file()]
    return row | {"found": folder and str(data / folder), "missing": missing, "unread": []}


def names_of_table(entry: PublishedTable) -> tuple[str, ...]:
    """Return the names that the folder of a published table may have: of its entry, or of a clone."""
    return tuple(dict.fromkeys([entry.folder, entry.folder.rpartition("__")[2]]))


def lines_of(rows: list[dict]) -> list[str]:
    """The sets as lines for a person, and those that are left out with the reason."""
    lines = []
    for row in rows:
        may_pass = row["redistribution"] or "no"
        facts = {
            "from": row["url"] or "–",
            "folder": " | ".join(row["folders"]),
            "here": (row["found"] or "not here") if "found" in row else "",
            "to bring in": row["bring"] if not row.get("found") or row["missing"] else "",
            "missing here": ", ".join(row.get("missing", [])) if row.get("found") else "",
            "not read here": listed(row["unread"]) if row.get("unread") else "",
            "licence": f"{row['licence'] or 'not stated'} (texts may be passed on: {may_pass})",
            "labelled by": row["labelled_by"] or "see its card",
            "read on made-up files only": ", ".join(row["unproven"]),
        }
        lines.append(row["title"])
        lines += [f"  {board['board']}: {board['title']}" for board in row["boards"]]
        lines += [f"    {name}: {value}" for name, value in facts.items() if value]
    left_out = (f"  {name} ({repository}): {reason}" for (name, repository), reason in LEFT_OUT.items())
    return [*lines, "left out", *left_out]
