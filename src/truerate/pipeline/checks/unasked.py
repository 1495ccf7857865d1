"""Who is named for a board and does nothing there: a model that it asks nothing, one that is to search and
tells no result, labels that all were screened out, a detector that judges none of its texts, and cells that
rest on far fewer texts than those beside them. Beside it, of a source's own texts, about how many labelled ones
models are asked, and which entities have no domain.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.core.metric import FEW
from truerate.core.schemas import pair, read, read_parquet, unpaired
from truerate.pipeline import graph
from truerate.pipeline.sources import load_source
from truerate.pipeline.tracks import protocol_of
from truerate.pipeline.trained_elsewhere import left_out_lines

RAW = "raw"  # the estimator of a rate that rests on all that was judged
Requests = Mapping[tuple[str, str], int]  # by step and model


def of_plan(config: Layout, boards: Iterable[str], lines: pl.DataFrame) -> list[str]:
    """The lines of `unasked` on some boards from a plan of them (`plan.plan`), stored requests among them."""
    n = (pl.col("n_calls") + pl.col("n_stored")).fill_null(1).sum()
    counts = {
        board: {
            (step, model): count
            for step, model, count in rows.group_by("step", "model", maintain_order=True).agg(n).rows()
        }
        for (board,), rows in lines.group_by("board", maintain_order=True)
    }
    return [
        line
        for board in boards
        for line in (*text_notes(config, board), *unasked(config, board, counts.get(board, {})))
    ]


def text_notes(config: Layout, board: str) -> list[str]:
    """The lines of a board's track on its source's own texts; none before the source is imported."""
    if (notes := protocol_of(config, board).text_notes) is None:
        return []
    try:
        there = config.on(board)
        return list(notes(there, board, load_source(there, board, reading=read)))
    except TruerateError:
        return []


def unasked(config: Layout, board: str, requests: Requests) -> list[str]:
    """A line per model that a role of the board names and that no step of the role asks anything."""
    idle: dict[str, list[str]] = {}
    for role in config.p.track(board).asks:
        steps = [step.name for step in graph.steps_of(config, board) if role in (step.role, *step.asks)]
        for model in graph.models_named(config, board, [role]) if steps else ():
            if not any(requests.get((step, model)) for step in steps):
                idle.setdefault(model, []).append(role)
    return [
        f"board {board!r} asks model {model!r} nothing as {', '.join(roles)}: its source has no text or "
        "question for it; "
        f"see {config.p.setting_name(board, roles[0])} and the board's source"
        for model, roles in idle.items()
    ]


def built(config: Layout, board: str) -> list[str]:
    """The same of a built board, by its replies; nothing without its scratch files."""
    requests: Counter[tuple[str, str]] = Counter()
    try:
        for step in graph.steps_of(config, board):
            for path in graph.files(config, board, step.name, *graph.jobs(config, board, step)):
                if not Path(path).is_file():
                    return []
                for model, n in read_parquet(path, columns=["model"])["model"].value_counts().rows():
                    requests[step.name, model] += n
    except TruerateError:  # its source is not imported here, so nothing has a key
        return []
    return unasked(config, board, requests)


def on_page(config: Layout, board: str, models: Iterable[str]) -> tuple[str, ...]:
    """Same for a board's page, from stored tables; `models` are those that gave it a reply in any step."""
    replied = {(step.name, model): 1 for step in graph.steps_of(config, board) for model in models}
    return (*unasked(config, board, replied), *of_tables(config, board))


def of_tables(config: Layout, board: str) -> Iterator[str]:
    """Yield the lines on a built board that follow from its tables."""
    yield from text_notes(config, board)
    yield from unsearched(config, board)
    yield from unheard(config, board)
    yield from silent_detectors(config, board)
    yield from thin_cells(config, board)
    yield from left_out_lines(config, board)


def unsearched(config: Layout, board: str) -> Iterator[str]:
    """Yield a line per subject with `retrieval: true` that answered and none of whose replies came with a
    result of a search (`llm.retrieved`). What a simulated model looks up is planted, so it need not tell.
    """
    models, endpoints = config.p.models, config.p.endpoints
    searching = [
        alias
        for alias in getattr(config.p.track(board), "subjects", ())
        if alias in models and models[alias].retrieval and not endpoints[models[alias].endpoint].is_simulated
    ]
    path = Path(config.dataset(board, "generations"))
    if not searching or not path.is_file():
        return
    rows = read_parquet(path, columns=["model", "status", "prompt_key", "attributes"])
    came = rows.filter(
        pl.col("model").is_in(searching), pl.col("status") != "dead", pl.col("prompt_key") != ""
    )
    counts = came.group_by("model", maintain_order=True).agg(
        pl.len(), pair("attributes", "retrieved").count().alias("n_results")
    )
    for alias, n, n_results in counts.sort("model").iter_rows():
        if not n_results:
            yield (
                f"board {board!r}: model {alias!r} is declared with retrieval: true, and none of its {n:,} "
                "replies came with a result of a search; ask for the search in "
                f"models.{alias}.extra_body, or set retrieval: false"
            )


def unheard(config: Layout, board: str) -> Iterator[str]:
    """Yield a line on a board whose labels make no labelled text, as screening left out those who gave them."""
    if not Path(config.labels(board, "rejects")).is_file():
        return
    rejects = read_parquet(config.labels(board, "rejects"), columns=["reason", "target_id", "detail"])
    samples = read_parquet(config.labels(board, "samples"), columns=["label_source"])
    out = rejects.filter(reason="screened_out")
    if out.height and "gold" not in samples["label_source"]:
        names = listed(set(out["target_id"].unique()))
        yield (
            f"board {board!r}: the labels of people make no labelled text, as screening left out {names} "
            f"(such as: {out['detail'][0]})"
        )


def silent_detectors(config: Layout, board: str) -> Iterator[str]:
    """A line per detector of a board that judged none of its texts; one for all where no text is labelled."""
    labels = Path(config.labels(board, "samples"))
    learning = [name for family in config.p.fitted(board) for name in config.p.members(family, board)]
    if learning and labels.is_file() and read_parquet(labels, columns=["sample_id"]).is_empty():
        yield (
            f"board {board!r} has no labelled text, so {listed(learning)} learned nothing; people label on "
            f"the page of: truerate annotate {board}"
        )
        return
    for family in config.p.families(board):
        path = Path(config.judgements(family, board))
        judged = set(read_parquet(path, columns=["judge"])["judge"]) if path.is_file() else None
        for member in config.p.members(family, board):
            if judged is not None and member not in judged:
                yield (
                    f"board {board!r}: detector {member!r} judged none of its texts; a text that shares a "
                    "group with one "
                    "that it learned from is not judged"
                )


def thin_cells(config: Layout, board: str) -> Iterator[str]:
    """A line per metric whose cells of a subject rest on at most FEW of the texts of a cell `alike`."""
    path = Path(config.scores(board, "scores"))
    for metric, key in protocol_of(config, board).alike.items() if path.is_file() else ():
        cells: dict[tuple[str, tuple[tuple[str, str], ...]], list[tuple[int, str]]] = {}
        rows = read_parquet(path, columns=["metric", "subject", "slice", "n"]).filter(metric=metric)
        for subject, pairs, n in rows.select("subject", "slice", "n").iter_rows():
            where = unpaired(pairs)
            if key in where and where.get("estimator", RAW) == RAW:
                value = where.pop(key)
                cells.setdefault((subject, tuple(where.items())), []).append((n, value))
        thin = [
            (min(counts), max(counts), subject, where)
            for (subject, where), counts in cells.items()
            if max(counts)[0] and min(counts)[0] <= FEW * max(counts)[0]
        ]
        if thin:
            least, most, subject, others = min(thin, key=lambda cell: (cell[0][0] / cell[1][0], cell[2]))
            others_named = ", ".join(f"{name} {value}" for name, value in others if name != "estimator")
            yield (
                f"board {board!r}: {len(thin)} cells of {metric} rest on few of the texts of the cell "
                "beside them, as "
                f"{subject!r} ({others_named}): n = {least[0]:,} with {key} {least[1]}, {most[0]:,} with "
                f"{key} {most[1]}; "
                "what was judged of the two is not the same"
            )
