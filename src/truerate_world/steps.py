"""The two stages that call the closed world on a board: labels as people would return them, and the planted
truth.
"""

import json
from pathlib import Path

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.keys import digest
from truerate.core.schemas import (
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Reject,
    Sample,
    Score,
    frame,
    load,
    read_parquet,
    save,
)
from truerate.flow.guard import handed, refuse_edited
from truerate_world.encyclopedia import World, build
from truerate_world.halueval.annotate import annotate
from truerate_world.halueval.truth import planted_scores
from truerate_world.mfava import annotate as wiki_annotate
from truerate_world.mfava import truth as wiki_truth
from truerate_world.models import MODELS
from truerate_world.wildhallucinations import annotate as web_annotate
from truerate_world.wildhallucinations import truth as web_truth
from truerate_world.wildhallucinations.truth_funnel import funnel_scores


def annotate_board(at: Layout, board: str) -> None:
    """Write every labeller's labels of a board's tasks; an empty file where the board's source is not simulated."""
    refuse_edited(at, Stage("annotate", board))
    at = handed(at, Stage("annotate", board))
    lines = (
        Path(at.dataset(board, "tasks.jsonl")).read_text("utf-8").split("\n")
        if is_simulated(at, board)
        else []
    )
    rows = _ANNOTATE[at.p.board(board).track](at, [json.loads(line) for line in lines if line], board)
    path = Path(at.annotations(board))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8", newline="\n"
    )


def save_truth(at: Layout, board: str) -> None:
    """Write the planted values of a board as scores; an empty table where the board's source is not simulated."""
    refuse_edited(at, Stage("truth", board))
    at = handed(at, Stage("truth", board))
    rows = _TRUTH[at.p.board(board).track](at, board) if is_simulated(at, board) else []
    save(Score, frame(Score, rows), at.truth(board))


def is_simulated(at: Layout, board: str) -> bool:
    """Whether a board's texts come from the closed world."""
    return at.p.source(at.p.board(board).source).is_simulated


def _halueval_truth(at: Layout, board: str) -> list[dict]:
    source, track = at.p.board(board).source, at.p.track(board)
    is_given = (
        track.knowledge == "source"
    )  # what a retriever finds is not known here, so neither is what it helps
    return planted_scores(
        board,
        world=_world(at),
        models={alias: model.model for alias, model in at.p.models.items() if model.model in MODELS},
        subjects=track.subjects,
        samples=load(Sample, at.labels(board, "samples")),
        items=load(Item, at.dataset(board, "items")),
        documents=load(Document, at.source(source, "documents")),
        variants=[name for name in track.variants if is_given or name != "knowledge"],
        generations=read_parquet(at.dataset(board, "generations")).select("purpose", "model", "attributes"),
        inputs=digest(at.dataset(board), at.labels(board)),
    )


def _mfava_truth(at: Layout, board: str) -> list[dict]:
    return wiki_truth.planted_scores(
        board,
        seed=at.p.seed,
        models=[alias for alias in at.p.track(board).subjects if at.p.models[alias].model in MODELS],
        generations=load(Generation, at.dataset(board, "generations")),
        tokenizer=at.p.track(board).tokenizer,
        inputs=digest(at.dataset(board)),
    )


def _wildhallucinations_truth(at: Layout, board: str) -> list[dict]:
    track, inputs, world = at.p.track(board), digest(at.dataset(board)), _world(at)
    items, generations = (
        load(Item, at.dataset(board, "items")),
        load(Generation, at.dataset(board, "generations")),
    )
    rows = web_truth.planted_scores(
        board,
        world=world,
        models={alias: at.p.models[alias].model for alias in track.subjects},
        generations=generations,
        items=items,
        panel=track.panel,
        domains_above=track.domains_above,
        inputs=inputs,
    )
    chats, rejects = (
        load(Item, at.source(at.p.board(board).source, "items")),
        load(Reject, at.dataset(board, "rejects")),
    )
    rows += web_truth.verifier_scores(
        board,
        world=world,
        items=items,
        facts=load(Fact, at.dataset(board, "facts")),
        judgements=load(Judgement, at.dataset(board, "judgements")),
        inputs=inputs,
    )
    return rows + funnel_scores(board, world=world, chats=chats, items=items, rejects=rejects, inputs=inputs)


def _world(at: Layout) -> World:
    return build(at.p.seed, tuple(at.p.languages))


_ANNOTATE = {  # track -> labels of its tasks
    "halueval": lambda at, tasks, board: annotate(tasks, _world(at), at.p.seed),
    "mfava": lambda at, tasks, board: wiki_annotate.annotate(tasks, at.p.seed),
    "wildhallucinations": lambda at, tasks, board: web_annotate.annotate(
        tasks, _world(at), at.p.seed, n_annotators=at.p.track(board).n_annotators
    ),
}
_TRUTH = {  # track -> planted values of a board
    "halueval": _halueval_truth,
    "mfava": _mfava_truth,
    "wildhallucinations": _wildhallucinations_truth,
}
