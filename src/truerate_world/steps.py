"""The two stages that call the closed world on a board, and the score rows that protocols plant."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from truerate.config.layout import Layout
from truerate.config.places import clear
from truerate.config.stage_settings import Stage
from truerate.core.schemas import Score, frame, pairs, save
from truerate.pipeline.guard import refuse_edited, write_text
from truerate_world.encyclopedia import World, build
from truerate_world.folders import part_of

DIGITS = 6


def annotate_board(at: Layout, board: str) -> None:
    """Write every labeller's labels of a board's tasks; an empty file if nothing is planted."""
    planting, rows = _began(at, Stage("annotate", board)), []
    if planting:
        lines = Path(at.dataset(board, "tasks.jsonl")).read_text("utf-8").split("\n")
        rows = planting.annotate(at, board, [json.loads(line) for line in lines if line])
    write_text(at.annotations(board), "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def save_truth(at: Layout, board: str) -> None:
    """Write the planted values of a board as scores; an empty table if nothing is planted."""
    planting = _began(at, Stage("truth", board))
    save(Score, frame(Score, planting.truth(at, board) if planting else []), at.truth(board))


def _began(at: Layout, stage: Stage) -> ModuleType | None:
    """Clear the stage's outputs and return the protocol's steps, None if nothing is planted."""
    refuse_edited(at, stage)
    board = at.p.board(stage.board)
    clear(at, stage)
    return part_of(board.track, "steps") if at.p.source(board.source).is_simulated else None


def world_of(at: Layout) -> World:
    """Return the world of a project's seed and languages."""
    return build(at.p.seed, tuple(at.p.languages))


def planted_row(metric: str, subject: str, where: Mapping[str, str | None], value: float, n: int) -> dict:
    """A planted value over `n` units; a key of a slice that is None is left out."""
    row = {"metric": metric, "subject": subject, "slice": pairs(**where)}
    return row | {"value": round(float(value), DIGITS), "n": n}


def mean_row(metric: str, subject: str, where: Mapping[str, str | None], values: Sequence[float]) -> dict:
    """The mean of values, of which there is at least one."""
    return planted_row(metric, subject, where, sum(values) / len(values), len(values))


def score_rows(rows: Iterable[dict], board: str, inputs: str) -> list[dict]:
    """Planted rows of a board as rows of `Score`."""
    shared = {"board": board, "low": None, "high": None, "method": "planted", "inputs": inputs}
    return [row | shared for row in rows]


def attributes(row: Mapping) -> dict[str, str]:
    """The attributes of a row, by name."""
    return {pair["key"]: pair["value"] for pair in row["attributes"]}
