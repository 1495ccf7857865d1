"""Files of labels: what people put under inputs/labels, beside what the stage `annotate` wrote."""

from collections.abc import Sequence
from pathlib import Path

from truerate.annotation.label_files import KINDS, read_labels
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed


def own_labels(config: Layout, board: str) -> list[Path]:
    """Return what people put there for a board: inputs/labels/<board>.jsonl, .csv or .json."""
    named = (Path(config.p.paths.inputs) / "labels" / f"{board}.{kind}" for kind in KINDS)
    return [path for path in named if path.exists()]


def label_files(config: Layout, board: str) -> list[Path]:
    """All label files of a board. Raises TruerateError for a file of people that no board would read."""
    refuse_unread(config)
    written = Path(config.annotations(board))
    return [*([written] if written.exists() else []), *own_labels(config, board)]


def read_all(config: Layout, board: str, files: Sequence[Path]) -> list[tuple[int, object, str]]:
    """Return the rows of label files with their numbers and files. Raises TruerateError for a file of people
    that holds none, and as `read_labels` does.
    """
    rows: list[tuple[int, object, str]] = []
    of_people = own_labels(config, board)
    for path in files:
        of_file = [(*row, str(path)) for row in read_labels(path)]
        if path in of_people and not of_file:
            what = "it holds no label; put the annotators' rows there, or take the file away"
            raise TruerateError(f"reading labels {str(path)!r}: {what}")
        rows += of_file
    return rows


def refuse_unread(config: Layout) -> None:
    """Raise TruerateError for a file under inputs/labels that no board would read."""
    paths = sorted((Path(config.p.paths.inputs) / "labels").glob("[!.]*"))
    lost = [path for path in paths if path.suffix[1:] not in KINDS or path.stem not in config.p.boards]
    if lost:
        names = f"name it <board>.{', .'.join(KINDS)}; boards: {listed(config.p.boards)}"
        raise TruerateError(f"labels {str(lost[0])!r}: no board reads it; {names}")
