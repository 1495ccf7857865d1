"""What a kill leaves of DVC's own files: it writes them in place, and does not start on half of one.

Both are touched only while nobody holds the lock under which DVC writes them.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RUNNING = ".dvc/tmp/rwlock"  # what the stages that run now read and write: nothing, once DVC is gone
LOCK = "dvc.lock"
_WHOLE_END = re.compile(
    rb"\n {6}(?:size|nfiles): \d+\n\Z"
)  # how a whole lock ends; one that ends otherwise is parsed
_STAGE = re.compile(r"^ {2}\S", re.MULTILINE)
TAIL = 200  # bytes that hold the last line
_MARKER = re.compile(rb"^(?:<{7}|>{7}|\|{7}) |^={7}\r?$", re.MULTILINE)
CONFLICT = (
    f"{LOCK} holds the conflict markers of a merge: take one side whole (`git checkout --theirs {LOCK}`, or "
    "`--ours`), "
    "then run `truerate build`, which makes again what differs"
)


def repair() -> list[str]:
    """Remove what is cut of DVC's files here; a line for each, and one where a person must choose."""
    lines = []
    if _is_cut(Path(RUNNING)):
        with _lock_held(f"{RUNNING}.lock") as is_locked:
            if is_locked and _is_cut(Path(RUNNING)):
                os.unlink(RUNNING)
                lines.append(f"{RUNNING}, which a kill had cut while DVC wrote it, was removed")
    if _has_conflict():
        lines.append(CONFLICT)
    elif _ends_oddly(Path(LOCK)):
        with _lock_held(".dvc/tmp/lock") as is_locked:
            if is_locked and _ends_oddly(Path(LOCK)) and _shorten(Path(LOCK)):
                lines.append(
                    f"{LOCK}, which a kill had cut while DVC wrote it, was set back to its last whole stage"
                )
    return lines


def _has_conflict() -> bool:
    """Return whether git left the markers of a merge in dvc.lock."""
    try:
        return bool(_MARKER.search(Path(LOCK).read_bytes()))
    except OSError:
        return False


def _is_cut(path: Path) -> bool:
    """Return whether a file of JSON is there that holds no whole object."""
    try:
        return not isinstance(json.loads(path.read_text("utf-8")), dict)
    except OSError:
        return False
    except ValueError:
        return True


def _ends_oddly(path: Path) -> bool:
    """Return whether dvc.lock is there and ends as none does that DVC wrote to its end."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            return not _WHOLE_END.search(file.read())
    except OSError:
        return False


def _shorten(path: Path) -> bool:
    """Cut stages off the end of dvc.lock until DVC can read it; False if it already can. Nothing left: no
    file. Lost stages run again, from stored scratch files, networks and replies.
    """
    before = text = path.read_text("utf-8", "replace")
    while text and not _is_readable(text):
        text = text[: [0, *(match.start() for match in _STAGE.finditer(text))][-1]]
    if text and text == before:
        return False
    scratch = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    scratch.write_text(text, "utf-8")
    if text:
        os.replace(scratch, path)
    else:
        scratch.unlink()
        path.unlink()
    return True


def _is_readable(text: str) -> bool:
    """Return whether DVC takes this for a dvc.lock."""
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from dvc.utils.serialize import YAMLError, parse_yaml
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(parse_yaml(text, LOCK))
    except (YAMLError, Invalid):
        return False
    return True


@contextmanager
def _lock_held(path: str) -> Iterator[bool]:
    """Hold one of DVC's lock files, where nobody else does; whether that was so."""
    os.makedirs(os.path.dirname(path), exist_ok=True)  # in a clone DVC has never run
    with open(path, "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
