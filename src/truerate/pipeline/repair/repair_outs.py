"""Outputs that are recorded as done but are not what their stage writes: an interrupted stage left them so,
or somebody removed or cut a file and committed the result.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config.layout import Layout
from truerate.config.places import OUTPUTS, refuse_taken, remove_output
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.schemas import height, read_json
from truerate.pipeline.dataset_tables import DATASET, SOURCE
from truerate.pipeline.detect import FAMILIES
from truerate.pipeline.repair.repair_lock import RUNNING

LABELS, SCORES = ("samples", "judgements", "rejects", "scores"), ("scores", "outcomes", "topics.json")
_CUT = re.compile(r"\.\d+\.tmp$")  # of a file beside its place while it is written


class Output(NamedTuple):
    """The files that an output of a stage always has, and the heights of tables that one of them states."""

    stage: Stage
    files: list[str]
    heights: dict[str, int]


def repair_outs(config: Layout) -> list[str]:
    """Remove each incomplete output, so that the next build makes it; a line for each, none while a build
    runs. Raises TruerateError if the build did not write what lies there.
    """
    lines: list[str] = []
    if _is_building():
        return lines
    for output in _outputs(config):
        fault = _fault(output)
        if fault and any(Path(file).is_file() for file in output.files):
            _remove(config, output.stage)
            lines.append(
                f"stage {output.stage.address!r}: {fault}; its output was removed: `truerate build` makes "
                "it again"
            )
    return lines


def _is_building() -> bool:
    """Return whether DVC has written down that a stage writes, or that was cut."""
    try:
        return bool(json.loads(Path(RUNNING).read_text("utf-8")).get("write"))
    except OSError:
        return False
    except ValueError:
        return True


def _fault(output: Output) -> str | None:
    """The fault of an output: an absent or cut file, the rest of a write, or a table of another height."""
    for file in output.files:
        if not Path(file).is_file():
            return f"{file!r} is not there, beside others of its output"
        if not _is_whole(Path(file)):
            return f"{file!r} is cut"
    for folder in dict.fromkeys(Path(file).parent for file in output.files if len(output.files) > 1):
        if rest := next((path for path in sorted(folder.iterdir()) if _CUT.search(path.name)), None):
            return f"{str(rest)!r} is the rest of a write that was cut"
    for file, stated in output.heights.items():
        if Path(file).is_file() and (n := height(file)) != stated:
            return f"{file!r} has {n:,} rows where its card states {stated:,}"
    return None


def _is_whole(file: Path) -> bool:
    """Return whether a file can be read: a table to its footer, JSON to its end, others not empty."""
    try:
        if file.suffix == ".parquet":
            pl.read_parquet_schema(file)
        elif file.suffix == ".json":
            read_json(file)
        return file.stat().st_size > 0
    except (OSError, TruerateError, pl.exceptions.PolarsError):
        return False


def _remove(config: Layout, stage: Stage) -> None:
    if stage.name in OUTPUTS:
        remove_output(config, stage)
        return
    names = ("site", "site_src") if stage.name == "site" else (stage.name,)
    for name in names:
        refuse_taken(config, name)
    for name in names:
        shutil.rmtree(getattr(config.p.paths, name))


def _outputs(config: Layout) -> Iterator[Output]:
    """The stages whose output has files that are always there."""
    names = config.p.used_sources()
    tables = [config.source(name, of) for name in names for of in (*SOURCE, "card.json")]
    cards = {name: config.source(name, "card.json") for name in names}
    counts = {
        config.source(name, of.removeprefix("n_")): n
        for name in names
        for of, n in _stated(cards[name], "counts").items()
        if of.removeprefix("n_") in SOURCE
    }
    yield Output(Stage("sources"), tables, counts)
    for board in config.p.boards:
        card = config.dataset(board, "card.json")
        heights = {config.dataset(board, of): n for of, n in _stated(card, "n").items() if of in DATASET}
        yield Output(Stage("dataset", board), [*heights, config.dataset(board, "samples"), card], heights)
        yield Output(Stage("label", board), [config.labels(board, of) for of in LABELS], {})
        yield Output(Stage("train", board), [f"{config.trained(board)}/{FAMILIES}"], {})
        judged = [config.judgements(name, board) for name in config.p.families(board)]
        yield Output(Stage("judge", board), [f"{config.judged(board)}/{FAMILIES}", *judged], {})
        yield Output(Stage("audit", board), [config.audit(board)], {})
        yield Output(Stage("truth", board), [config.truth(board)], {})
        yield Output(Stage("score", board), [config.scores(board, of) for of in SCORES], {})
    yield Output(Stage("leaderboard"), [config.leaderboard("rows"), config.leaderboard("ledger.json")], {})
    sources = Path(config.p.paths.site_src)
    pages = [path.relative_to(sources).with_suffix(".html") for path in sorted(sources.rglob("*.md"))]
    yield Output(Stage("site"), [f"{config.p.paths.site}/{page.as_posix()}" for page in pages], {})


def _stated(card: str, key: str) -> dict[str, int]:
    """The counts that a card states; none of one that is absent or cut."""
    if not (Path(card).is_file() and _is_whole(Path(card))):
        return {}
    counts: dict[str, int] = read_json(card).get(key, {})
    return counts
