"""Where a project is: the folder of its params.yaml, also seen from the folders below it."""

import os
from pathlib import Path

PARAMS = "params.yaml"


def is_settings(path: str | Path) -> bool:
    """Return whether a file is settings of truerate: `params.yaml` is the name of other tools' files, too."""
    try:
        return b"endpoints" in Path(path).read_bytes()
    except OSError:
        return False


def project_of(folder: Path) -> Path | None:
    """Return the nearest folder with settings, from an absolute `folder` upwards; None where there is none.

    Settings above `folder` count where this user owns them: they name commands and who is sent what, and
    anybody may write into a shared folder such as /tmp.
    """
    if (folder / PARAMS).is_file():
        return folder
    for above in folder.parents:
        if is_settings(path := above / PARAMS) and _is_owned(path):
            return above
    return None


def _is_owned(path: Path) -> bool:
    return not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid()
