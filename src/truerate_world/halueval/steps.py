"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Document, Item, Sample, load, read_parquet
from truerate_world import models
from truerate_world.encyclopedia import World, build
from truerate_world.halueval import annotate as people
from truerate_world.halueval.truth import planted_scores


def annotate(at: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, _world(at), at.p.seed)


def truth(at: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    source, track = at.p.board(board).source, at.p.track(board)
    is_given = (
        track.knowledge == "source"
    )  # what a retriever finds is not known here, so neither is what it helps
    return planted_scores(
        board,
        world=_world(at),
        models={
            alias: at.p.models[alias].model
            for alias in at.p.models_of(board)
            if at.p.models[alias].model in models.COVERAGE
        },
        subjects=track.subjects,
        samples=load(Sample, at.labels(board, "samples")),
        items=load(Item, at.dataset(board, "items")),
        documents=load(Document, at.source(source, "documents")),
        variants=[name for name in track.variants if is_given or name != "knowledge"],
        generations=read_parquet(at.dataset(board, "generations")).select("purpose", "model", "attributes"),
        reask=at.p.llm.reask,
        inputs=digest(at.dataset(board), at.labels(board)),
    )


def _world(at: Layout) -> World:
    return build(at.p.seed, tuple(at.p.languages))
