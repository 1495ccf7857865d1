"""The canary of a published set: a line with a GUID that stands nowhere else, so that a model which continues
it was trained on a copy of the set (the idea of BIG-bench's canary, Srivastava et al. 2022).
"""

import hashlib
import re
import uuid
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import SourceError, TruerateError
from truerate.hub.release import CANARY, sha256

N_VERSION = 12  # hexadecimal digits of a version
LARGEST = 1_000_000  # bytes of a file in which a canary is looked for
GUID = re.compile(r"canary GUID ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")


def canary_of(name: str, version: str) -> str:
    """The line of a set by its name and version: the same for the same two, another one for any others."""
    digest = hashlib.sha256(f"truerate canary\n{name}\n{version}".encode()).digest()
    guid = uuid.UUID(bytes=digest[:16], version=4)
    return (
        f"Evaluation data of {name} (truerate, version {version}): keep it out of what models are trained on; "
        f"canary GUID {guid}"
    )


def board_canary(config: Layout, board: str) -> str:
    """The canary of a built board; its version is the beginning of a SHA-256 over its items and labelled texts.
    Raises TruerateError where it is not built.
    """
    paths = [Path(config.dataset(board, "items")), Path(config.labels(board, "samples"))]
    if not all(path.is_file() for path in paths):
        raise TruerateError(f"canary of board {board!r}: it is not built; run `dvc repro label@{board}`")
    whole = hashlib.sha256("\n".join(sha256(path) for path in paths).encode()).hexdigest()
    return canary_of(board, whole[:N_VERSION])


def canary_in(path: Path) -> str:
    """The canary that stands in a file, up to its GUID. Raises SourceError where none does."""
    where = f"canary in {str(path)!r}"
    try:
        if path.stat().st_size > LARGEST:
            raise SourceError(f"{where}: it is larger than 1 MB; name the file {CANARY} of a published set")
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{where}: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    for line in text.splitlines():
        if match := GUID.search(line):
            return line[: match.end()].strip()
    raise SourceError(
        f"{where}: no line holds `canary GUID` and one; name the file {CANARY} of a published set"
    )
