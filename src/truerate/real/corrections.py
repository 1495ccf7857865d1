"""The errata of boards of public files: `errata/BOARD.csv` beside params.yaml, found before anything is built."""

from collections.abc import Mapping
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, listed, meant
from truerate.flow.tracks import load_track

ERRATA = "errata"  # a file per board, named by it
SUFFIX = ".csv"


def with_errata(at: Layout, found: Mapping[str, dict], folder: Path = Path(ERRATA)) -> dict[str, dict]:
    """The entries of boards with `errata`, the absolute path of each one's file, null where it has none.

    Raises SettingsError, one line, for a file that is of no board, or of one that shows no ranks without it. What a file
    holds is looked at when the set is read.
    """
    files = {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"[!.]*{SUFFIX}"))}
    for name, path in files.items():
        if name not in at.p.public_data:
            raise SettingsError(
                f"errata {path.as_posix()!r}: there is no board {name!r}{meant(name, at.p.public_data)}; "
                f"boards: {listed(at.p.public_data)}"
            )
        if not load_track(at.p.public_data[name].track).card.takes_errata:
            able = [
                board
                for board, entry in at.p.public_data.items()
                if load_track(entry.track).card.takes_errata
            ]
            raise SettingsError(
                f"errata {path.as_posix()!r}: the labels of board {name!r} cannot be corrected here; "
                f"allowed: {listed(able)}"
            )
    return {
        name: entry | {"errata": str(files[name].absolute()) if name in files else None}
        for name, entry in found.items()
    }
