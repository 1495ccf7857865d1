"""Families of detectors that judge a board by what was learned on another one.

dvc.yaml cannot name the other board's folder: which it is stands in a setting. So the file of the judging
stage's settings holds a digest of what was learned there; training writes it anew when it ends, `truerate
build` trains such boards first, and a judgement by what has been replaced since never reaches the
leaderboard.
"""

from collections.abc import Iterator
from pathlib import Path

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage, stamp_of
from truerate.core.errors import TruerateError
from truerate.core.schemas import read_json

TRAINED_ELSEWHERE = (
    "learned.json"  # in what a stage `judge` writes: by what it judged, where that was learned elsewhere
)

LEFT_OUT = "left_out.json"  # there, too: texts that a member is not asked of, as it learned from them


def left_out_lines(config: Layout, board: str) -> tuple[str, ...]:
    """Return a sentence per judge of a board that learned, on another one, from texts that stand here too."""
    path = Path(config.judged(board)) / LEFT_OUT
    return tuple(
        f"{judge} learned on board {row['learned_on']!r} from {row['n']:,} of the {row['of']:,} texts here; it is not "
        "rated on these"
        for judge, row in sorted((read_json(path) if path.is_file() else {}).items())
    )


def elsewhere(p: Params, board: str) -> Iterator[tuple[str, str, str]]:
    """The families of a board that learn on another one, each with the family and board that taught it."""
    for name in p.families(board):
        teacher, trained_on = p.teacher(name, board)
        if trained_on != board:
            yield name, teacher, trained_on


def stamps(config: Layout, board: str) -> dict[str, str | None]:
    """A digest of what each of these families was taught, by its name; null where nothing is there yet."""
    places = {name: config.detector(teacher, on) for name, teacher, on in elsewhere(config.p, board)}
    return {name: stamp_of(folder) if Path(folder).is_dir() else None for name, folder in places.items()}


def learners(p: Params, board: str) -> list[str]:
    """The boards that families judge by what was learned on this one."""
    return [other for other in p.boards if any(on == board for *_, on in elsewhere(p, other))]


def first(p: Params) -> list[str]:
    """The stages of dvc.yaml that must have run before any board is judged: those that teach other boards."""
    return [Stage("train", board).address for board in p.boards if learners(p, board)]


def refuse_untrained(config: Layout, board: str) -> None:
    """Raise TruerateError where a family of a board is to judge by what is not learned yet."""
    missing = {name for name, stamp in stamps(config, board).items() if stamp is None}
    for name, _, on in elsewhere(config.p, board):
        if name in missing:
            stage = Stage("train", on).address
            raise TruerateError(
                f"judging board {board!r}: family {name!r} learns from board {on!r}, which is not trained "
                "yet; "
                f"run `dvc repro {stage}`, then this again (`truerate build` does both)"
            )


def refuse_stale(config: Layout) -> None:
    """Raise TruerateError if a board was judged by detectors that were trained anew since."""
    for board in config.p.boards:
        stamps_file = Path(config.judged(board)) / TRAINED_ELSEWHERE
        if stamps_file.is_file() and read_json(stamps_file) != stamps(config, board):
            _, _, on = next(elsewhere(config.p, board), ("", "", board))
            raise TruerateError(
                f"board {board!r} was judged by what was learned on board {on!r} before that was trained "
                "anew; "
                "run `dvc repro` again"
            )
