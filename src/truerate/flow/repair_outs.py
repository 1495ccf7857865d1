"""Outputs that are recorded as done but lack what their stage writes last: an interrupted stage left them so, or somebody
removed a file and committed the result.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from truerate.config.layout import Layout
from truerate.config.places import clear
from truerate.config.stage_settings import Stage
from truerate.flow.dataset_tables import SOURCE
from truerate.flow.repair_lock import RUNNING


def repair_outs(at: Layout) -> list[str]:
    """Remove each output that is there but lacks a file of its stage, so that the next build makes it; a line for each.
    Nothing while a build runs. Raises TruerateError, and removes nothing of it, where the build did not write what lies there.
    """
    lines: list[str] = []
    if _is_building():
        return lines
    for stage, files in _files(at):
        absent = next((file for file in files if not Path(file).is_file()), None)
        if absent and _is_begun(files):
            clear(at, stage)
            lines.append(
                f"stage {stage.address!r}: {absent!r} is not there, beside others of its output, which was removed: "
                "`truerate build` makes it again"
            )
    return lines


def _is_building() -> bool:
    """Whether DVC has written down that a stage writes, or that was cut."""
    try:
        return bool(json.loads(Path(RUNNING).read_text("utf-8")).get("write"))
    except OSError:
        return False
    except ValueError:
        return True


def _is_begun(files: list[str]) -> bool:
    return any(Path(file).is_file() for file in files)


def _files(at: Layout) -> Iterator[tuple[Stage, list[str]]]:
    """The stages whose output has files that are always there, with these."""
    names = at.p.used_sources()
    yield Stage("sources"), [at.source(name, of) for name in names for of in (*SOURCE, "card.json")]
    for board in at.p.boards:
        yield Stage("dataset", board), [at.dataset(board, of) for of in ("samples", "items", "card.json")]
        yield (
            Stage("label", board),
            [at.labels(board, of) for of in ("samples", "judgements", "rejects", "scores")],
        )
        yield Stage("score", board), [at.scores(board, of) for of in ("scores", "outcomes", "topics.json")]
