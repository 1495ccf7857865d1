"""What the system refuses, as one line: a full disk, a used-up quota, a file system that is read-only."""

import errno
import os
import re
import shutil
import stat
from pathlib import Path

from truerate.core.errors import SourceError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_OF_RUST = re.compile(
    r"\(os error (\d+)\)"
)  # how polars, safetensors and tokenizers pass on what the system said
ROOM = "make room there, then run it again"
FOLDERS = (".", "data", "build")  # where a build writes, as the committed settings name it
_READ_ONLY = "nothing can be written there: mount it for writing, or work in another folder"
LITTLE = 2**20  # bytes: less is a full disk to whoever writes tables
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}  # of files that are not regular


def system_error(error: Exception, path: str | Path | None = None) -> OSError | None:
    """Return the OSError that an exception is or passes on, with the written path; None if it is none."""
    if isinstance(error, OSError):
        number, name = error.errno, error.filename2 or error.filename or path
        if number is None:  # made by a library from a text
            return error
    elif match := _OF_RUST.search(str(error)):
        number, name = int(match[1]), path
    else:
        return None
    return OSError(number, os.strerror(number), *([str(name)] if name else []))


def line_of(error: OSError) -> str:
    """Return what was refused, where, and, of a disk without space, how much of it is free and what to do."""
    path = error.filename2 or error.filename
    line = f"{str(path)!r}: {error.strerror}" if path else error.strerror or str(error)
    if error.errno in _FULL:
        if error.errno == errno.ENOSPC and not path:  # of a write into an open file: the system names none
            return "; ".join([line, *(unwritable(*FOLDERS) or [ROOM])])
        what = "your quota is used up" if error.errno == errno.EDQUOT else _free(Path(str(path or ".")))
        return f"{line}: {what}; {ROOM}"
    if error.errno == errno.EROFS:
        return f"{line}; {_READ_ONLY}"
    return line


def unwritable(*folders: str) -> list[str]:
    """Return a line for each full disk and each read-only folder of these."""
    locked = [folder for folder in folders if os.path.isdir(folder) and not os.access(folder, os.W_OK)]
    return full_disks(*folders) + [f"{folder!r} is read-only; {_READ_ONLY}" for folder in locked]


def full_disks(*folders: str) -> list[str]:
    """Return a line for each disk of these folders that has next to no space left."""
    by_disk = {os.stat(folder).st_dev: folder for folder in reversed(folders) if os.path.isdir(folder)}
    full = [folder for folder in by_disk.values() if shutil.disk_usage(folder).free < LITTLE]
    return [f"{_free(Path(folder))}; {ROOM}" for folder in full]


def _free(path: Path) -> str:
    folder = next(parent for parent in (path.absolute(), *path.absolute().parents) if parent.is_dir())
    return f"{shutil.disk_usage(folder).free / 1e6:,.1f} MB are free on the disk of {str(folder)!r}"


def check_regular(path: str | os.PathLike[str], what: str) -> None:
    """Raise SourceError for a path that is no regular file (pipes never end), OSError if absent."""
    name = os.fspath(path)
    if name == "-" and not os.path.exists(name):
        raise SourceError(
            f"reading the {what} '-': standard input is not read here; save it to a file and name that"
        )
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "no regular file")
        instead = "name a file" if stat.S_ISDIR(mode) else "save its content to a file and name that"
        raise SourceError(f"reading the {what} {name!r}: it is {kind}; {instead}")
