"""The stage `dataset`: the steps of a board's track, then whole tables out of their scratch files."""

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from gc import set_threshold
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import polars as pl

from truerate.config.layout import Layout, beside
from truerate.config.places import claim_output, refuse_taken
from truerate.config.stage_settings import Stage
from truerate.core import schemas
from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import Document, Gathered, Generation, Reject, frame, read
from truerate.pipeline import graph
from truerate.pipeline.dataset_tables import BESIDE, DATASET, PARTED
from truerate.pipeline.guard import refuse_edited, write_json, write_lines
from truerate.pipeline.sources import SourceTables, load_source
from truerate.pipeline.tracks import protocol_of, refuse_other_tasks, tasks_of

PAGES = "documents"  # of the tables beside replies the one that outgrows memory
UNSORTED = pl.exclude(schemas.PAIRS, schemas.SPANS, pl.List(pl.String))  # all columns but those
CHANGED = "settings, code or sources changed while the build ran; run `dvc repro` again"
Pruned = Callable[[str, pl.DataFrame], pl.DataFrame]
StepTables = pl.DataFrame | tuple[pl.DataFrame, dict[str, pl.DataFrame]]


def refuse_stale(config: Layout, board: str, output: str) -> None:
    """Raise TruerateError for a scratch path whose key is not that of the current settings, code, sources."""
    if not graph.is_current(config, board, output):
        raise TruerateError(f"{output}: {CHANGED}")


def step(
    config: Layout, name: str, board: str, model: str, shard: int, output: str, inputs: list[str]
) -> None:
    """Run one scratch step of the board's track on one model and shard, from the scratch files that it reads;
    write its Generation rows, and the further tables of `BESIDE` that the track's graph names.
    """
    collect_rarely()
    run, expected = step_function(config, board, name), graph.step_of(config, board, name).beside
    refuse_stale(config, board, output)
    there = config.on(board)
    source = load_source(there, board, reading=read)
    replies, tables = with_beside(run(there, board, model, source, shard, replies_in(inputs)))
    if unexpected := tables.keys() - expected:
        what = f"step {name!r} of board {board!r} gives {listed(unexpected)} besides replies"
        raise TruerateError(f"{what}; its track's graph says: {listed(expected)}")
    for table, rows in tables.items():
        schemas.write(BESIDE[table], rows, beside(output, table))
    schemas.write(Generation, replies, output)


def collect_rarely() -> None:
    """Run the cycle collector 100 times less often: rows hold no cycles, and it took 1/5 of a step."""
    set_threshold(100_000, 50, 50)


def step_function(config: Layout, board: str, name: str) -> Callable[..., StepTables]:
    """The function of a step from the track's `steps`: called with layout, board, model, the source's tables,
    shard and the tables that it reads (`replies_of`); `asking` is how it asks. Raises TruerateError for an
    unknown step.
    """
    return protocol_of(config, board).step_functions[graph.step_of(config, board, name).name]


def with_beside(result: StepTables) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """The tables of a step, with an empty dict where it gave replies alone."""
    return result if isinstance(result, tuple) else (result, {})


def replies_in(paths: list[str]) -> dict[str, pl.DataFrame]:
    """Rows of scratch files by the step that wrote them, and under `documents` the documents beside them."""
    rows = [(Path(path).name.rpartition("-")[0], read(Generation, path)) for path in paths]
    return replies_of(rows, beside_all(paths, "documents"))


def replies_of(rows: Iterable[tuple[str, pl.DataFrame]], documents: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Generation rows by the step that gave them, and under `documents` such rows, where there are any."""
    by_step: dict[str, list[pl.DataFrame]] = {}
    for step, replies in rows:
        by_step.setdefault(step, [frame(Generation)]).append(replies)
    tables = {step: pl.concat(parts) for step, parts in by_step.items()}
    return tables if documents.is_empty() else tables | {"documents": documents}


def beside_all(paths: Sequence[str], table: str) -> pl.DataFrame:
    """The rows of a further table beside all scratch files."""
    files = [file for path in paths if (file := beside(path, table)).is_file()]
    return pl.concat([frame(BESIDE[table]), *(read(BESIDE[table], file) for file in files)])


def export(config: Layout, board: str, output: str, inputs: list[str]) -> None:
    """Whole, validated, sorted tables out of the scratch files; the inputs must be those of this moment."""
    from truerate.pipeline.build_summary import print_build_summary

    refuse_edited(config, Stage("dataset", board))
    there = config.on(board)
    if list(inputs) != graph.for_export(there, board):
        raise TruerateError(f"{output}: {CHANGED}")
    claim_output(config, Stage("dataset", board))
    slices = graph.in_slices(there, board, protocol_of(there, board).sliced)
    path_of = partial(config.dataset, board)
    source = load_source(there, board)
    names, tasks = exported_to(path_of, there, board, source, inputs, slices)
    refuse_nothing_left(there, board, n_items=source.items.height)
    write_lines(path_of("tasks.jsonl"), (json.dumps(task, ensure_ascii=False) for task in tasks))
    heights = {name: schemas.height(path_of(name)) for name in names}
    write_json(path_of("card.json"), {"board": board, "n": heights})
    print_build_summary(config, [board])


def refuse_nothing_left(config: Layout, board: str, *, n_items: int) -> None:
    """Raise TruerateError for a data set without any of the items that its source has, with the reasons."""
    if not n_items or schemas.height(config.dataset(board, "items")):
        return
    counts = read(Reject, config.dataset(board, "rejects"))["reason"].value_counts(sort=True).rows()
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in counts) or "nothing was asked"
    if not config.p.models_on(board, config.p.models_of(board)):
        reasons += "; simulated models are not asked about real data: name models of your own in its settings"
    raise TruerateError(
        f"data set of board {board!r}: none of the {n_items:,} items of its source is left: {reasons}"
    )


def exported_to(
    path_of: Callable[[str], str],
    config: Layout,
    board: str,
    source: SourceTables,
    inputs: Sequence[str],
    slices: Sequence[Sequence[str]],
) -> tuple[list[str], list[dict[str, Any]]]:
    """Write a board's tables from scratch files, each to the path of its name; the names of those that the
    track gave, and its annotation tasks. The files of a slice (`graph.in_slices`) are read together; their
    rows and fetched pages wait on disk and are written part by part.
    """
    track, sliced = protocol_of(config, board), {path for files in slices for path in files}
    others = [path for path in inputs if path not in sliced]
    pages = [page for path in inputs if (page := beside(path, PAGES)).is_file()]
    folder = Path(path_of("items")).parent
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".slices-") as scratch:
        gathered = Gathered(DATASET, scratch)
        more: dict[str, Any] = {}
        if track.sliced:
            tables_of_slices = ((replies_in(list(files)), _beside_replies(files)) for files in slices)
            more = {"slices": tables_of_slices, "gathered": gathered}
        side_tables: dict[str, Any] = _beside_replies(others) | {PAGES: schemas.scan(Document, pages)}
        tables, tasks = track.exported(config, board, source, replies_in(others), side_tables, **more)
        refuse_other_tasks(
            tables, tasks_of(config.p.board(board).track), where=f"data set of board {board!r}"
        )
        parts: dict[str, Sequence[str | Path]] = {**gathered.files(), **({PAGES: pages} if pages else {})}
        for name, table in DATASET.items():
            if parts.get(name):
                schemas.save_in_parts(table, parts[name], path_of(name), **PARTED[name])
            else:
                rows = tables.get(name, frame(table)).sort(UNSORTED, nulls_last=True, maintain_order=True)
                schemas.save(table, rows, path_of(name))
    return [name for name in DATASET if name in tables or name in parts], tasks


def _beside_replies(paths: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The tables beside scratch files, but their pages."""
    return {table: beside_all(paths, table) for table in BESIDE if table != PAGES}


def load_dataset(
    config: Layout,
    board: str,
    names: Collection[str] = tuple(DATASET),
    columns: Mapping[str, Collection[str]] = MappingProxyType({}),
    pruned: Pruned | None = None,
) -> dict[str, pl.DataFrame]:
    """The tables of a data set: all or `names`, whole or some `columns`; `pruned` as in `load_pruned`."""
    return {
        name: load_pruned(name, config.dataset(board, name), columns=columns.get(name), pruned=pruned)
        for name in DATASET
        if name in names
    }


def load_pruned(
    name: str,
    path: str | Path,
    *,
    pruned: Pruned | None,
    columns: Collection[str] | None = None,
    rows: pl.Expr | None = None,
) -> pl.DataFrame:
    """A validated table of a data set: whole, what `pruned` makes of its parts, or some `rows`."""
    if pruned is None:
        return schemas.load(DATASET[name], path, columns=columns, rows=rows)
    return schemas.load_in_parts(DATASET[name], path, partial(pruned, name), columns=columns, rows=rows)


def gc(config: Layout) -> list[str]:
    """Remove and return scratch folders whose key is not current, unless they hold what no step wrote."""
    refuse_taken(config, "build")
    current = {str(Path(path).parent) for board in config.p.boards for path in graph.all_files(config, board)}
    folders = [path for board in config.p.boards for path in (Path(config.p.paths.build) / board).glob("*@*")]
    stale = [path for path in folders if str(path) not in current and is_scratch(path)]
    for path in stale:
        shutil.rmtree(path)
    return [str(path) for path in stale]


def is_scratch(folder: Path) -> bool:
    """Return whether a folder is named by a model and a key, and holds only what steps write there."""
    is_named = re.fullmatch(r".+@[0-9a-f]{12}", folder.name) and folder.is_dir() and not folder.is_symlink()
    return bool(is_named) and all(
        path.is_file() and re.search(r"-\d+\.parquet(\.\d+\.tmp)?$", path.name) for path in folder.iterdir()
    )
