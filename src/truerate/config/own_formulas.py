"""The formulas that a stage's code uses: the modules of `metrics/` that it imports, at any remove.

DVC watches their digests in the file of the stage's settings, and scratch keys hash those of a track. So a
formula that one track brings with it, or that one track uses, is nothing to the boards of the others.
"""

import os
from functools import cache

from truerate.core.imports import Places, finder, reached

PACKAGE = "src/truerate"
FORMULAS = f"{PACKAGE}/metrics/"
# Where formulas are called from, and so what is followed; no other folder of the package imports one for a
# stage of a board (tests/config/test_own_formulas.py). What does not lie in the package is followed too.
CALLERS = tuple(
    f"{PACKAGE}/{room}/" for room in ("metrics", "annotation", "tracks", "detectors", "leaderboard")
)
# Code that stages run besides that of their board's track, as far as it calls formulas.
SHARED_BY = {
    "dataset": (),
    "label": (f"{PACKAGE}/annotation",),
    "train": (f"{PACKAGE}/detectors",),
    "judge": (f"{PACKAGE}/detectors",),
    "audit": (f"{PACKAGE}/leaderboard/audit.py",),
    "score": (),
}


def formulas_of_track(track: str, *shared: str) -> tuple[str, ...]:
    """The files of `metrics/` that a track's code imports, or code that several share: sorted paths."""
    return formulas_in((f"{PACKAGE}/tracks/{track}", f"{PACKAGE}/tracks/asking.py", *shared))


def formulas_in(code: tuple[str, ...]) -> tuple[str, ...]:
    """The files of `metrics/` that these files and folders import, at any remove: sorted paths."""
    return _formulas_in(os.getcwd(), code)


@cache
def _formulas_in(folder: str, code: tuple[str, ...]) -> tuple[str, ...]:
    """Paths are relative to the current folder, and read once per process."""
    files = reached(code, is_followed, places=_places(folder))
    return tuple(path for path in files if path.startswith(FORMULAS))


@cache
def _places(_folder: str) -> Places:
    return finder()


def is_followed(path: str) -> bool:
    """Whether a file may call formulas, so that what it imports counts: a caller of them, or code outside
    of the package.
    """
    return path.startswith(CALLERS) or not path.startswith(f"{PACKAGE}/")
