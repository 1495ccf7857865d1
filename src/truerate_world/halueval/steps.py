"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Document, Item, Sample, load, read_parquet
from truerate_world import models
from truerate_world.halueval import annotate as people
from truerate_world.halueval.truth import planted_scores
from truerate_world.steps import world_of


def annotate(config: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, world_of(config), config.p.seed)


def truth(config: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    source, track = config.p.board(board).source, config.p.track(board)
    is_given = track.knowledge == "source"  # the effect of what a retriever finds is not planted
    entries = {alias: config.p.models[alias] for alias in config.p.models_of(board)}
    simulated = {alias: entry.model for alias, entry in entries.items()}
    return planted_scores(
        board,
        world=world_of(config),
        models={alias: model for alias, model in simulated.items() if model in models.COVERAGE},
        efforts={
            alias: effort
            for alias, entry in entries.items()
            if isinstance(effort := entry.params.get("reasoning_effort"), str)
        },
        subjects=track.subjects,
        samples=load(Sample, config.labels(board, "samples")),
        items=load(Item, config.dataset(board, "items")),
        documents=load(Document, config.source(source, "documents")),
        variants=[name for name in track.variants if is_given or name != "knowledge"],
        generations=read_parquet(config.dataset(board, "generations")).select(
            "purpose", "model", "attributes"
        ),
        reask=config.p.llm.reask,
        inputs=digest(config.dataset(board), config.labels(board)),
    )
