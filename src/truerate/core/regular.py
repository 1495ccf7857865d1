"""Files that a person names: whether one can be read whole and again."""

import os
import stat

from truerate.core.errors import SourceError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def check_regular(path: str | os.PathLike[str], what: str) -> None:
    """Raise SourceError for a path that is no regular file: pipes and devices never end. OSError if absent."""
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
