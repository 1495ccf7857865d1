"""What each stage of dvc.yaml reads of params.yaml: the first stage writes it, a file per stage, and DVC
watches these files.

So a stage runs again when a setting that it reads has changed, and only then. Were they listed under
`params:`, dvc.lock would repeat the settings of every stage, two thirds of its lines, and DVC parses and
writes that file once per stage.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from truerate.config import Params

# Blocks and keys of params.yaml by dots; {board}, {source}, {track} and {profile} are those of the stage,
# {families} each family of detectors of its board.
READ = {
    "sources": ("sources", "languages", "seed", "profile", "sizes.{profile}", "on_bad_row"),
    "dataset": (
        *(
            "boards.{board}",
            "sources.{source}",
            "tracks.{track}",
            "models",
            "endpoints",
            "languages",
            "n_shards",
        ),
        *("profile", "sizes.{profile}.{track}", "seed", "llm.prompts_dir"),
    ),
    "annotate": ("boards.{board}", "sources.{source}", "tracks.{track}", "seed", "languages"),
    "label": ("boards", "tracks.{track}", "on_bad_row", "seed", "statistics"),
    "train": (
        "boards.{board}",
        "detectors.{families}",
        "backbones",
        "sizes.{profile}.{track}",
        "profile",
        "seed",
    ),
    "judge": ("boards.{board}", "detectors.{families}"),  # networks and their grid lie in what train made
    "audit": ("boards.{board}", "audit", "seed", "statistics"),
    "truth": ("boards.{board}", "sources.{source}", "tracks.{track}", "models", "seed", "languages"),
    "score": ("boards.{board}", "detectors.{families}", "tracks.{track}", "models", "statistics", "seed"),
    "leaderboard": ("boards", "models", "statistics", "seed"),
    "site": (
        "site",
        "boards",
        "sources",
        "endpoints",
        "models",
        "tracks",
        "detectors",
        "statistics",
        "audit",
    ),
}
OF_ALL = ("sources", "leaderboard", "site")  # stages that stand once


class Stage(NamedTuple):
    """A stage of dvc.yaml with what it is of."""

    name: str
    board: str | None = None

    @property
    def address(self) -> str:
        """Its name in DVC's commands and in dvc.lock."""
        return "@".join(filter(None, self))


def stages(p: Params) -> Iterator[Stage]:
    """Every stage that reads settings."""
    for name in READ:
        for board in [None] if name in OF_ALL else p.boards:
            yield Stage(name, board)


def read_by(p: Params, stage: Stage) -> dict[str, object]:
    """The settings that a stage reads, as plain values by their place in params.yaml."""
    named = {"profile": p.profile, "board": stage.board}
    if stage.board:
        named |= {"track": p.board(stage.board).track, "source": p.board(stage.board).source}
    found = {}
    for place in _places(p, stage):
        parts = [part.format(**named) for part in place.split(".")]
        value: Any = p.values
        for part in parts:
            value = value[part]
        found[".".join(parts)] = value
    return found


def _places(p: Params, stage: Stage) -> Iterator[str]:
    """The places that a stage reads, one for each family of detectors where it reads all of its board's."""
    for place in READ[stage.name]:
        is_each = "{families}" in place and stage.board is not None
        yield from (
            (place.replace("{families}", name) for name in p.families(stage.board)) if is_each else (place,)
        )
