"""What each stage of dvc.yaml reads of params.yaml: the first stage writes it, a file per stage, and DVC
watches these files.

So a stage runs again when a setting that it reads has changed, and only then. Were they listed under
`params:`, dvc.lock would repeat the settings of every stage, two thirds of its lines, and DVC parses and
writes that file once per stage.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from truerate.config import Params
from truerate.config.track_blocks import FOLDERS
from truerate.core.keys import content_id, files

# Blocks and keys of params.yaml by dots; {board}, {source}, {track}, {family} and {profile} are those of the
# stage.
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
    "annotate": ("boards.{board}", "sources", "tracks.{track}", "seed", "languages"),
    "label": ("boards", "tracks.{track}", "on_bad_row", "seed", "statistics"),
    "train": (
        "boards.{board}",
        "detectors.{family}",
        "backbones",
        "sizes.{profile}.{track}",
        "profile",
        "seed",
    ),
    "judge": ("boards.{board}", "detectors.{family}", "backbones", "sizes.{profile}.{track}", "profile"),
    "audit": ("boards.{board}", "audit", "seed", "statistics"),
    "truth": ("boards.{board}", "sources", "tracks.{track}", "models", "seed", "languages"),
    "score": ("boards.{board}", "detectors", "tracks.{track}", "models", "statistics", "seed"),
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
OF_TRACK_CODE = ("train", "judge", "audit")  # matrix stages: dvc.yaml cannot name the board's own track there
OF_FAMILY = ("train", "judge")  # per family of detectors and board; all others are per board


class Stage(NamedTuple):
    """A stage of dvc.yaml with what it is of."""

    name: str
    board: str | None = None
    family: str | None = None

    @property
    def address(self) -> str:
        """Its name in DVC's commands and in dvc.lock."""
        return "@".join(filter(None, [self.name, "-".join(filter(None, [self.family, self.board]))]))


def stages(p: Params) -> Iterator[Stage]:
    """Every stage that reads settings."""
    for name in READ:
        for board in [None] if name in OF_ALL else p.boards:
            for family in p.detectors if name in OF_FAMILY else [None]:
                yield Stage(name, board, family)


def places(p: Params, stage: Stage) -> list[str]:
    """The places in params.yaml that a stage reads, by dots."""
    named = {"profile": p.profile, "board": stage.board, "family": stage.family}
    if stage.board:
        named |= {"track": p.board(stage.board).track, "source": p.board(stage.board).source}
    return [place.format(**named) for place in READ[stage.name]]


def read_by(p: Params, stage: Stage) -> dict[str, object]:
    """What a stage reads, as plain values by their place in params.yaml; of a board's track as it is on that
    board.

    Where dvc.yaml cannot name the folder of the board's own track (stages over families and boards), what
    stands in it, too.
    """
    found = {place: _value(p, place, stage.board) for place in places(p, stage)}
    if stage.name in OF_TRACK_CODE and stage.board:
        found["code"] = code_of(p.board(stage.board).track)
    return found


def _value(p: Params, place: str, board: str | None) -> object:
    """The plain value at a place. A board is what it is called and made of: its own settings and sizes are
    merged into those of its track, where these are read.
    """
    head, _, rest = place.partition(".")
    if head == "boards":
        return (
            _bare(p.values["boards"][rest])
            if rest
            else {one: _bare(v) for one, v in p.values["boards"].items()}
        )
    if head == "tracks" and board is None:
        return {one: p.track(one).model_dump(mode="json") for one in p.boards}
    if head == "tracks":
        return p.track(board).model_dump(mode="json")
    if head == "sizes" and board is not None:
        return p.size_of(board).model_dump(mode="json")
    value: Any = p.values
    for part in _parts(place, value):
        value = value[part]
    return value


def _parts(place: str, values: Mapping[str, Any]) -> list[str]:
    """The keys of a place: names of entries may hold dots."""
    head, _, rest = place.partition(".")
    return [head, rest] if rest and rest in values[head] else place.split(".")


def _bare(board: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in board.items() if key not in ("settings", "sizes")}


def code_of(track: str) -> str:
    """The digest of a track's folder and of the contract, by the names of the files there."""
    found = [*files(FOLDERS / track), FOLDERS / "contract.py"]
    return content_id(
        [[one.relative_to(FOLDERS).as_posix(), hashlib.sha256(one.read_bytes()).hexdigest()] for one in found]
    )
