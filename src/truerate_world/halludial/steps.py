"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Document, Generation, Item, Judgement, Sample, load
from truerate_world.halludial import annotate as people
from truerate_world.halludial.truth import planted_scores
from truerate_world.models import COVERAGE
from truerate_world.steps import world_of


def annotate(config: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, world_of(config), config.p.seed)


def truth(config: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    source = config.p.board(board).source
    entries = {alias: config.p.models[alias] for alias in config.p.models_of(board)}
    simulated = {alias: entry.model for alias, entry in entries.items()}
    return planted_scores(
        board,
        world=world_of(config),
        models={alias: model for alias, model in simulated.items() if model in COVERAGE},
        efforts={
            alias: effort
            for alias, entry in entries.items()
            if isinstance(effort := entry.params.get("reasoning_effort"), str)
        },
        items=load(Item, config.source(source, "items")),
        documents=load(Document, config.source(source, "documents")),
        generations=load(Generation, config.dataset(board, "generations")),
        judgements=load(Judgement, config.dataset(board, "judgements")),
        samples=load(Sample, config.labels(board, "samples")),
        reask=config.p.llm.reask,
        inputs=digest(config.dataset(board), config.labels(board)),
    )
