"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Document, Generation, Item, Judgement, Sample, load
from truerate_world.halludial import annotate as people
from truerate_world.halludial.truth import planted_scores
from truerate_world.models import COVERAGE
from truerate_world.steps import world_of


def annotate(at: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, world_of(at), at.p.seed)


def truth(at: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    source = at.p.board(board).source
    simulated = {alias: at.p.models[alias].model for alias in at.p.models_of(board)}
    return planted_scores(
        board,
        world=world_of(at),
        models={alias: model for alias, model in simulated.items() if model in COVERAGE},
        items=load(Item, at.source(source, "items")),
        documents=load(Document, at.source(source, "documents")),
        generations=load(Generation, at.dataset(board, "generations")),
        judgements=load(Judgement, at.dataset(board, "judgements")),
        samples=load(Sample, at.labels(board, "samples")),
        reask=at.p.llm.reask,
        inputs=digest(at.dataset(board), at.labels(board)),
    )
