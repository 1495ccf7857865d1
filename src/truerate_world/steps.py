"""The two stages that call the closed world on a board: labels as people would return them, and the planted
truth. What a protocol plants is told by `steps` in its folder.
"""

import json
from pathlib import Path
from types import ModuleType

from truerate.config.layout import Layout
from truerate.config.places import clear
from truerate.config.stage_settings import Stage
from truerate.core.schemas import Score, frame, save
from truerate.pipeline.guard import refuse_edited, write_text
from truerate_world.folders import part_of


def annotate_board(at: Layout, board: str) -> None:
    """Write every labeller's labels of a board's tasks; an empty file where its source is not simulated, or
    the world plants nothing for its protocol.
    """
    planting, rows = _began(at, Stage("annotate", board)), []
    if planting:
        lines = Path(at.dataset(board, "tasks.jsonl")).read_text("utf-8").split("\n")
        rows = planting.annotate(at, board, [json.loads(line) for line in lines if line])
    write_text(at.annotations(board), "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def save_truth(at: Layout, board: str) -> None:
    """Write the planted values of a board as scores; an empty table where its source is not simulated, or the
    world plants nothing for its protocol.
    """
    planting = _began(at, Stage("truth", board))
    save(Score, frame(Score, planting.truth(at, board) if planting else []), at.truth(board))


def _began(at: Layout, stage: Stage) -> ModuleType | None:
    """The steps of the world's folder for a board's protocol, None where nothing is planted; what the stage
    wrote before is emptied. Raises TruerateError where its settings were edited or its place is not its own.
    """
    refuse_edited(at, stage)
    board = at.p.board(stage.board)
    clear(at, stage)
    return part_of(board.track, "steps") if at.p.source(board.source).is_simulated else None
