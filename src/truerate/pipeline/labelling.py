"""The labelling page of a board: its tasks, its track's records of what is asked, one HTML file."""

import json
import re
from pathlib import Path

from truerate.annotation.labelling import read_labelling
from truerate.annotation.page import labelling_page
from truerate.config.layout import Layout
from truerate.core.errors import SourceError, TruerateError
from truerate.tracks.protocol import FOLDER


def write_labelling_page(
    config: Layout, board: str, *, annotator: str | None = None, to: str | None = None
) -> Path:
    """Write the page on which a person labels a board's tasks, by default `labels-BOARD[-ANNOTATOR].html` here,
    and return its file. Raises TruerateError for an unknown board, one without tasks, a track that asks people
    nothing, and as `annotation.labelling.tasks_for` does.
    """
    track, path = config.p.board(board).track, Path(config.dataset(board, "tasks.jsonl"))
    records = FOLDER / track / "labelling.yaml"
    if not records.is_file():
        raise TruerateError(f"labelling page of board {board!r}: track {track!r} asks people nothing")
    if not path.is_file():
        hint = f"build its data set first: dvc repro dataset@{board}"
        raise TruerateError(f"labelling page of board {board!r}: {path} is not there; {hint}")
    tasks = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    try:
        labelling = read_labelling(records).by(getattr(config.p.track(board), "definition", None))
        page = labelling_page(tasks, labelling, name=board, annotator=annotator)
    except SourceError as error:
        raise SourceError(f"labelling page of board {board!r}: {error}") from None
    whose = re.sub(r"[^\w.-]+", "_", f"-{annotator}") if annotator else ""
    file = Path(to or f"labels-{board}{whose}.html")
    file.write_text(page, "utf-8")
    return file
