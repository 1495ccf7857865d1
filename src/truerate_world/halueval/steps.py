"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Document, Item, Sample, load, read_parquet
from truerate_world import models
from truerate_world.halueval import annotate as people
from truerate_world.halueval.truth import planted_scores
from truerate_world.steps import world_of


def annotate(at: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, world_of(at), at.p.seed)


def truth(at: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    source, track = at.p.board(board).source, at.p.track(board)
    is_given = track.knowledge == "source"  # the effect of what a retriever finds is not planted
    simulated = {alias: at.p.models[alias].model for alias in at.p.models_of(board)}
    return planted_scores(
        board,
        world=world_of(at),
        models={alias: model for alias, model in simulated.items() if model in models.COVERAGE},
        subjects=track.subjects,
        samples=load(Sample, at.labels(board, "samples")),
        items=load(Item, at.dataset(board, "items")),
        documents=load(Document, at.source(source, "documents")),
        variants=[name for name in track.variants if is_given or name != "knowledge"],
        generations=read_parquet(at.dataset(board, "generations")).select("purpose", "model", "attributes"),
        reask=at.p.llm.reask,
        inputs=digest(at.dataset(board), at.labels(board)),
    )
