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


def annotate_board(config: Layout, board: str) -> None:
    """Write every labeller's labels of a board's tasks; an empty file if nothing is planted."""
    planting, rows = _began(config, Stage("annotate", board)), []
    if planting:
        lines = Path(config.dataset(board, "tasks.jsonl")).read_text("utf-8").split("\n")
        rows = planting.annotate(config, board, [json.loads(line) for line in lines if line])
    write_text(config.annotations(board), "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def save_truth(config: Layout, board: str) -> None:
    """Write the planted values of a board as scores; an empty table if nothing is planted."""
    planting = _began(config, Stage("truth", board))
    save(Score, frame(Score, planting.truth(config, board) if planting else []), config.truth(board))


def _began(config: Layout, stage: Stage) -> ModuleType | None:
    """Clear the stage's outputs and return the protocol's steps, None if nothing is planted."""
    refuse_edited(config, stage)
    board = config.p.board(stage.board)
    clear(config, stage)
    return part_of(board.track, "steps") if config.p.source(board.source).is_simulated else None


def world_of(config: Layout) -> World:
    """Return the world of a project's seed and languages."""
    return build(config.p.seed, tuple(config.p.languages))


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
