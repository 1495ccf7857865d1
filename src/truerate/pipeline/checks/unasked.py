"""Who is named for a board and does nothing there: a model that it asks nothing, a detector that judges none of its
texts, and cells that rest on far fewer texts than those beside them.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.metric import FEW
from truerate.core.schemas import read_parquet
from truerate.pipeline import graph
from truerate.pipeline.tracks import protocol_of

RAW = "raw"  # the estimator of a rate that rests on all that was judged

Requests = Mapping[tuple[str, str], int]  # by step and model


def of_plan(at: Layout, boards: Iterable[str], lines: pl.DataFrame) -> list[str]:
    """The lines of `unasked` on some boards from a plan of them (`plan.plan`)."""
    return [line for board in boards for line in unasked(at, board, counted(lines.filter(board=board)))]


def counted(lines: pl.DataFrame) -> Requests:
    """How many requests each step of a plan has for each model, stored ones among them."""
    n = (pl.col("n_calls") + pl.col("n_stored")).fill_null(1).sum()
    return {
        (step, model): count
        for step, model, count in lines.group_by("step", "model", maintain_order=True).agg(n).rows()
    }


def unasked(at: Layout, board: str, requests: Requests) -> list[str]:
    """A line per model that a role of the board names and that no step of the role asks anything."""
    told: dict[str, list[str]] = {}
    for role in at.p.track(board).asks:
        steps = [step.name for step in graph.steps_of(at, board) if role in (step.role, *step.asks)]
        for model in graph.models_named(at, board, [role]) if steps else ():
            if not any(requests.get((step, model)) for step in steps):
                told.setdefault(model, []).append(role)
    return [
        f"board {board!r} asks model {model!r} nothing as {', '.join(roles)}: its source has no text or question for it; "
        f"see {at.p.place(board, roles[0])} and the board's source"
        for model, roles in told.items()
    ]


def built(at: Layout, board: str) -> list[str]:
    """The same of a built board, by its replies, with lines on detectors and cells; nothing without its scratch files."""
    try:
        paths = {
            step.name: [
                path
                for model in graph.jobs(at, board, step)
                for path in graph.files(at, board, step.name, model)
            ]
            for step in graph.steps_of(at, board)
        }
    except TruerateError:  # its source is not imported here, so nothing has a key
        return []
    if not all(Path(path).is_file() for files in paths.values() for path in files):
        return []
    requests: dict[tuple[str, str], int] = {}
    for step, files in paths.items():
        for path in files:
            for model, n in read_parquet(path, columns=["model"])["model"].value_counts().rows():
                requests[step, model] = requests.get((step, model), 0) + n
    return unasked(at, board, requests)


def on_page(at: Layout, board: str, models: Iterable[str]) -> tuple[str, ...]:
    """The same for a board's page, from stored tables; `models` are those that gave it a reply in any step."""
    replied = {(step.name, model): 1 for step in graph.steps_of(at, board) for model in models}
    return (
        *unasked(at, board, replied),
        *silent_detectors(at, board),
        *thin_cells(at, board),
    )


def silent_detectors(at: Layout, board: str) -> Iterator[str]:
    """A line per detector of a board that judged none of its texts."""
    for family in at.p.families(board):
        path = Path(at.judgements(family, board))
        if path.is_file():
            judged = set(read_parquet(path, columns=["judge"])["judge"])
            for member in at.p.detectors[family].members_on(at.p.board(board).track):
                if member not in judged:
                    yield (
                        f"board {board!r}: detector {member!r} judged none of its texts; a text that shares a group with one "
                        f"that it learned from is not judged"
                    )


def thin_cells(at: Layout, board: str) -> Iterator[str]:
    """A line per metric whose cells of a subject rest on at most FEW of the texts of a cell `alike`."""
    path = Path(at.scores(board, "scores"))
    for metric, key in protocol_of(at, board).alike.items() if path.is_file() else ():
        rows = read_parquet(path, columns=["metric", "subject", "slice", "n"]).filter(metric=metric)
        thin = [
            (least, most, subject, dict(others))
            for (subject, *others), found in _cells(rows, key).items()
            if (least := min(found))[0] <= FEW * (most := max(found))[0]
        ]
        if thin:
            least, most, subject, others = min(thin, key=lambda one: (one[0][0] / one[1][0], one[2]))
            where = ", ".join(f"{name} {value}" for name, value in others.items() if name != "estimator")
            yield (
                f"board {board!r}: {len(thin)} cells of {metric} rest on few of the texts of the cell beside them, as "
                f"{subject!r} ({where}): n = {least[0]:,} with {key} {least[1]}, {most[0]:,} with {key} {most[1]}; "
                "what was judged of the two is not the same"
            )


def _cells(rows: pl.DataFrame, key: str) -> dict[tuple[Any, ...], list[tuple[int, str]]]:
    """The raw cells of a metric by subject and slice but for a key: n of each, and its value of the key."""
    cells: dict[tuple[Any, ...], list[tuple[int, str]]] = {}
    for subject, where, n in rows.select("subject", "slice", "n").iter_rows():
        known = {one["key"]: one["value"] for one in where}
        if key in known and known.get("estimator", RAW) == RAW:
            own = known.pop(key)
            cells.setdefault((subject, *known.items()), []).append((n, own))
    return {where: found for where, found in cells.items() if len(found) > 1 and max(found)[0]}
